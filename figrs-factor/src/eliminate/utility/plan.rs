//! Steps of the elimination of an influence diagram and their predicted cost.

use crate::graph::{FactorGraph, VarId};
use crate::limits::Limits;

use super::super::error::{EliminationError, validate};
use super::super::plan::{Keep, MessageLayout, PlanCost, eliminate_in_order, entries};
use super::super::prune::{UnknownSums, prune};
use super::planned_table::{PlannedKind, PlannedTable, children_of, union, without_barren};
use super::{EliminationStage, UtilityGraph};
use crate::order::symbolic_elimination::SymbolicElimination;
use crate::order::symbolic_table::log_density;

/// Size in bytes of an entry of a message: a weight and a utility.
const ENTRY: usize = 16;

/// A planned join of an influence diagram: the product of some tables, from which variables are summed out or maximised. The result is a message.
#[derive(Clone, Debug)]
pub(super) struct PlannedJoin {
    /// The indices of the tables that the join multiplies. In the numbering of tables, factors have the first indices, then utilities, then messages.
    pub(super) inputs: Vec<u32>,
    /// The variables of all tables of the join, sorted.
    pub(super) variables: Vec<VarId>,
    /// The variables of the message, in the order of its entries.
    pub(super) output: Vec<VarId>,
    pub(super) layout: MessageLayout,
}

/// One step of the plan. Each join in a step of the elimination plan makes one message, which gets the next table index.
#[derive(Clone, Debug)]
pub(super) enum UtilityStep {
    /// This kind of step sums variables out of a product of weight tables.
    Weights(PlannedJoin),
    /// This kind of step sums variables out of a product of weight and utility tables; the message contains the expected utilities.
    Utilities(PlannedJoin),
    /// This kind of step chooses the best option of a decision; the message contains the utilities of the chosen options. The decision whose best
    /// option is chosen is the last variable of the join.
    Choose(PlannedJoin),
    /// The step may choose any option of a decision, because the decision occurs in no table.
    Indifferent(VarId),
    /// The step removes a decision from weight tables whose entries do not depend on the decision.
    Restrict(VarId, PlannedJoin),
    Drop(Vec<u32>),
}

#[derive(Debug, Default)]
pub(super) struct UtilityPlan {
    pub(super) steps: Vec<UtilityStep>,
    /// The tables that remain after the elimination; they contain only variables that are not eliminated.
    pub(super) left: Vec<u32>,
    /// The number of factors and utilities in the influence diagram.
    pub(super) given: usize,
}

impl UtilityPlan {
    /// Plans the elimination of an influence diagram in stages; every variable that is not in `keep` must be in one of the stages.
    ///
    /// **Errors.** Returns an error if the plan exceeds a limit, or if the factors are malformed.
    pub(super) fn new(
        diagram: UtilityGraph<'_>,
        stages: &[EliminationStage],
        keep: &[VarId],
        limits: &Limits,
    ) -> Result<Self, EliminationError> {
        let UtilityGraph { graph, utilities } = diagram;
        validate(graph, keep)?;
        // Decisions and variables of later stages are not barren, even if they occur in no factor.
        let first = match stages.first() {
            Some(EliminationStage::Sum(first)) => first.as_slice(),
            _ => &[],
        };
        let mut needed = vec![true; graph.cardinalities.len()];
        for v in first {
            needed[v.index()] = false;
        }
        for utility in utilities {
            needed[utility.variable.index()] = true;
        }
        let all = (0..graph.cardinalities.len() as u32).map(VarId);
        let needed: Vec<VarId> = all.clone().filter(|v| needed[v.index()]).collect();
        let live = prune(graph, &needed, UnknownSums::Kept).live;
        let everything: Vec<VarId> = all.collect();
        let mut order = SymbolicElimination::new(graph, &live, &everything);
        let mut planner = Planner::new(diagram, &live, limits);
        for stage in stages {
            match stage {
                EliminationStage::Sum(variables) => {
                    let mentioned = order.release(variables);
                    let done = order.buckets.len();
                    eliminate_in_order(limits, &mut order, &mentioned)?;
                    for bucket in &order.buckets[done..] {
                        planner.sum(&bucket.eliminated);
                    }
                }
                EliminationStage::Choose(decision) => {
                    let mentioned = order.release(&[*decision]);
                    order.eliminate_all(&mentioned);
                    planner.choose(*decision);
                }
            }
            limits.check_interrupt()?;
        }
        planner.finish(keep)
    }
}

struct Planner<'a> {
    graph: &'a FactorGraph,
    limits: &'a Limits,
    log_cards: Vec<f64>,
    tables: Vec<PlannedTable>,
    bytes: Vec<f64>,
    held: f64,
    cost: PlanCost,
    plan: UtilityPlan,
}

impl<'a> Planner<'a> {
    fn new(diagram: UtilityGraph<'a>, live: &[bool], limits: &'a Limits) -> Self {
        let UtilityGraph { graph, utilities } = diagram;
        let log_cards = graph.cardinalities.iter().map(|&c| f64::from(c).log2());
        let log_cards: Vec<f64> = log_cards.collect();
        let of_factors = graph.factors.iter().zip(live).map(|(factor, &live)| {
            let mut scope = factor.variables.clone();
            scope.sort_unstable();
            let child = factor.variables.last().filter(|_| factor.normalised);
            PlannedTable {
                scope,
                kind: PlannedKind::Weights(child.map(|&child| vec![child])),
                density: log_density(factor, &log_cards),
                live: live && !factor.variables.is_empty(),
            }
        });
        let of_utilities = utilities.iter().map(|utility| PlannedTable {
            scope: vec![utility.variable],
            kind: PlannedKind::Utilities,
            density: 0.0,
            live: true,
        });
        let tables: Vec<PlannedTable> = of_factors.chain(of_utilities).collect();
        let given = tables.len();
        Self {
            graph,
            limits,
            tables,
            log_cards,
            bytes: Vec::new(),
            held: 0.0,
            cost: PlanCost::default(),
            plan: UtilityPlan {
                given,
                ..UtilityPlan::default()
            },
        }
    }

    /// Returns the tables not yet used that contain any of `variables`, as two lists: weight tables and utility tables.
    fn mentioning(&self, variables: &[VarId]) -> (Vec<u32>, Vec<u32>) {
        let all = self.tables.iter().zip(0..);
        let live = all.filter(|(table, _)| table.live && table.mentions(variables));
        let (utilities, weights): (Vec<_>, Vec<_>) = live.partition(|(t, _)| t.is_utility());
        let numbers = |tables: Vec<(_, u32)>| tables.into_iter().map(|(_, id)| id).collect();
        (numbers(weights), numbers(utilities))
    }

    fn table(&self, id: u32) -> &PlannedTable {
        &self.tables[id as usize]
    }

    /// Plans a join of the tables `inputs` with a message over `output`, adds its predicted cost to the plan, and adds its message to the list of
    /// tables.
    fn join(&mut self, inputs: Vec<u32>, output: Vec<VarId>, kind: PlannedKind) -> PlannedJoin {
        let variables = union(inputs.iter().map(|&id| self.table(id)));
        let log_size =
            |scope: &[VarId]| -> f64 { scope.iter().map(|v| self.log_cards[v.index()]).sum() };
        let density: f64 = inputs.iter().map(|&id| self.table(id).density).sum();
        let joint = (log_size(&variables) + density).max(0.0);
        let dense = entries(self.graph, &output);
        let layout = MessageLayout::choose(dense, joint, self.limits.table_entries);
        let (size, width) = match layout {
            MessageLayout::Dense => (dense, ENTRY),
            MessageLayout::Sparse => (dense.min(joint.exp2()), ENTRY + 4 * output.len()),
        };
        self.cost.width = self.cost.width.max(variables.len());
        self.cost.operations += joint.exp2();
        self.cost.largest_table = self.cost.largest_table.max(size);
        self.held += size * width as f64;
        self.cost.memory = self.cost.memory.max(self.held);
        self.bytes.push(size * width as f64);
        let mut scope = output.clone();
        scope.sort_unstable();
        self.tables.push(PlannedTable {
            density: (joint - log_size(&scope)).min(0.0),
            live: !scope.is_empty(),
            scope,
            kind,
        });
        PlannedJoin {
            inputs,
            variables,
            output,
            layout,
        }
    }

    /// Removes `variable`, which the last planned join eliminates, from the scope of the join's message.
    fn reduce_last(&mut self, variable: VarId) {
        if let Some(table) = self.tables.last_mut() {
            table.scope.retain(|&v| v != variable);
            table.live = !table.scope.is_empty();
        }
    }

    fn sum(&mut self, summed: &[VarId]) {
        let (weights, utilities) = self.mentioning(summed);
        let rest = |scope: Vec<VarId>| -> Vec<VarId> {
            scope.into_iter().filter(|v| !summed.contains(v)).collect()
        };
        let mut groups = self.utility_groups(&weights, utilities.clone());
        let needed = without_barren(&self.tables, weights.clone(), summed, &[]);
        if !needed.is_empty() {
            let children = children_of(needed.iter().map(|&id| self.table(id))).map(rest);
            // A distribution over summed variables only sums to one, and needs no message.
            if !children.as_ref().is_some_and(Vec::is_empty) {
                let output = rest(union(needed.iter().map(|&id| self.table(id))));
                let join = self.join(needed, output, PlannedKind::Weights(children));
                self.plan.steps.push(UtilityStep::Weights(join));
            }
        }
        for group in &mut groups {
            let needed = without_barren(&self.tables, weights.clone(), summed, group);
            let inputs = [needed, std::mem::take(group)].concat();
            let output = rest(union(inputs.iter().map(|&id| self.table(id))));
            let join = self.join(inputs, output, PlannedKind::Utilities);
            self.plan.steps.push(UtilityStep::Utilities(join));
        }
        self.drop_tables(&[weights, utilities].concat());
    }

    /// Divides the utility tables into groups, and each group is joined together with the tables `weights`. The joint table of a group with the
    /// tables `weights` is no larger than the joint table of the group's largest member with the tables `weights`.
    fn utility_groups(&self, weights: &[u32], mut utilities: Vec<u32>) -> Vec<Vec<u32>> {
        let shared = union(weights.iter().map(|&id| self.table(id)));
        utilities.sort_by_key(|&id| std::cmp::Reverse(self.table(id).scope.len()));
        let mut groups: Vec<(Vec<VarId>, Vec<u32>)> = Vec::new();
        for id in utilities {
            let scope = &self.table(id).scope;
            let is_within = |all: &[VarId]| {
                let mut scope = scope.iter();
                scope.all(|v| all.binary_search(v).is_ok() || shared.binary_search(v).is_ok())
            };
            match groups.iter_mut().find(|(all, _)| is_within(all)) {
                Some((_, group)) => group.push(id),
                None => groups.push((scope.clone(), vec![id])),
            }
        }
        groups.into_iter().map(|(_, group)| group).collect()
    }

    fn choose(&mut self, decision: VarId) {
        let (weights, utilities) = self.mentioning(&[decision]);
        if utilities.is_empty() {
            self.plan.steps.push(UtilityStep::Indifferent(decision));
        } else {
            let mut output = union(utilities.iter().map(|&id| self.table(id)));
            output.retain(|&v| v != decision);
            output.push(decision);
            let join = self.join(utilities.clone(), output, PlannedKind::Utilities);
            self.reduce_last(decision);
            self.plan.steps.push(UtilityStep::Choose(join));
        }
        for &id in &weights {
            let mut output = self.table(id).scope.clone();
            output.retain(|&v| v != decision);
            if output.is_empty() {
                continue;
            }
            let mut children = self.table(id).children().to_vec();
            children.retain(|&v| v != decision);
            let kind = PlannedKind::Weights((!children.is_empty()).then_some(children));
            let join = self.join(vec![id], output, kind);
            self.plan.steps.push(UtilityStep::Restrict(decision, join));
        }
        self.drop_tables(&[weights, utilities].concat());
    }

    /// Plans the removal of those messages among the tables `used` that no later step reads.
    fn drop_tables(&mut self, used: &[u32]) {
        let mut messages = Vec::new();
        for &id in used {
            self.tables[id as usize].live = false;
            if let Some(message) = (id as usize).checked_sub(self.plan.given) {
                self.held -= self.bytes[message];
                messages.push(message as u32);
            }
        }
        self.plan.steps.push(UtilityStep::Drop(messages));
    }

    /// Completes the plan with a multiplication of the remaining tables to one table over `keep`. Returns an error if the plan exceeds a limit.
    fn finish(mut self, keep: &[VarId]) -> Result<UtilityPlan, EliminationError> {
        let answer = entries(self.graph, keep);
        self.cost.operations += answer;
        self.cost.largest_table = self.cost.largest_table.max(answer);
        self.cost.memory = self.cost.memory.max(self.held + ENTRY as f64 * answer);
        self.cost.within(self.limits, Keep::Nothing)?;
        let live = self.tables.iter().zip(0..).filter(|(table, _)| table.live);
        self.plan.left = live.map(|(_, id)| id).collect();
        Ok(self.plan)
    }
}
