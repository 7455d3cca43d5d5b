//! Execution of the elimination of an influence diagram.

use crate::limits::{Limits, MemoryAccount};
use std::borrow::Cow;

use crate::graph::{Assignments, VarId, Weights};

use super::super::error::EliminationError;
use super::super::join::{JoinScratch, contract};
use super::super::plan::MessageLayout;
use super::super::prepare::{Domain, EliminationTable, Entries, Message, inputs};
use super::plan::{PlannedJoin, UtilityPlan, UtilityStep};
use super::rule::DecisionRule;
use super::{ExpectedUtilities, UtilityGraph};
use crate::algebra::{ExpectedUtility, MeanWeights, Semiring, WeighedUtility};

/// A table whose entries are pairs of a weight and a utility.
type Pairs<S> = Message<ExpectedUtility<S>>;

pub(super) struct UtilityRun<'a, S: MeanWeights> {
    diagram: UtilityGraph<'a>,
    plan: &'a UtilityPlan,
    limits: &'a Limits,
    /// The utility tables and the messages; `None` for a table without variables, and for a table that was dropped after its use.
    tables: Vec<Option<Pairs<S>>>,
    /// Sum of those expected utilities that no longer depend on any variable.
    constant: f64,
    /// `true` if no assignment has a positive weight.
    is_impossible: bool,
    pub(super) rules: Vec<DecisionRule>,
    scratch: JoinScratch<WeighedUtility>,
}

impl<'a, S: MeanWeights> UtilityRun<'a, S> {
    pub(super) fn new(
        diagram: UtilityGraph<'a>,
        plan: &'a UtilityPlan,
        limits: &'a Limits,
    ) -> Self {
        let utility = |mean: &f64| WeighedUtility {
            weight: S::one(),
            mean: *mean,
        };
        let utilities = diagram.utilities.iter().map(|table| {
            Some(EliminationTable {
                scope: Cow::Owned(vec![table.variable]),
                entries: Entries::Dense(table.utilities.iter().map(utility).collect()),
            })
        });
        let is_zero = |weights: &Weights| weights.is_empty() || weights.is_zero(0);
        let mut scalars = diagram.graph.factors.iter();
        Self {
            diagram,
            plan,
            limits,
            tables: utilities.collect(),
            constant: 0.0,
            is_impossible: scalars
                .any(|f| f.variables.is_empty() && f.table.weights().is_some_and(is_zero)),
            rules: Vec::new(),
            scratch: JoinScratch::new(limits.until.clone()),
        }
    }

    /// Runs the steps of the plan for an influence diagram; ends early if a number overflows or underflows. Of the options whose expected utilities
    /// are at most `tie` below the best, the rule of a decision takes the first.
    pub(super) fn steps(&mut self, tie: f64) -> Result<(), EliminationError> {
        for step in &self.plan.steps {
            self.limits.check_interrupt()?;
            match step {
                UtilityStep::Weights(planned) => {
                    let mut table = self.join(planned, None)?;
                    let values = table.values_mut();
                    ExpectedUtility::<S>::normalise(values, &mut self.scratch.lost);
                    self.add_weights(table);
                }
                UtilityStep::Utilities(planned) => {
                    let table = self.join(planned, None)?;
                    self.add_utilities(table);
                }
                UtilityStep::Choose(planned) => {
                    let table = self.join(planned, None)?;
                    self.choose(&table, tie);
                }
                UtilityStep::Indifferent(decision) => {
                    self.rules.push(DecisionRule::constant(*decision, 0));
                }
                UtilityStep::Restrict(decision, planned) => {
                    let table = self.join(planned, Some(*decision))?;
                    self.add_weights(table);
                }
                UtilityStep::Drop(messages) => {
                    let utilities = self.diagram.utilities.len();
                    for &message in messages {
                        self.tables[utilities + message as usize] = None;
                    }
                }
            }
            if self.lost() {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn lost(&self) -> bool {
        self.scratch.lost
    }

    /// Multiplies the tables of a planned join, and sums out the variables that are not in its output. If `first_of` is a decision, the join takes
    /// the entries of its first option.
    fn join(
        &mut self,
        planned: &PlannedJoin,
        first_of: Option<VarId>,
    ) -> Result<Pairs<S>, EliminationError> {
        let graph = self.diagram.graph;
        let of_factor = EliminationTable::of_factor;
        let tables = inputs(graph, &self.tables, &planned.inputs, of_factor);
        let mut domain = Domain::new(graph, planned.variables.clone());
        if let Some(decision) = first_of {
            let place = domain.position(decision);
            domain.pins[place] = Some(0);
        }
        contract(
            tables,
            &domain,
            &planned.output,
            planned.layout,
            self.limits,
            MemoryAccount::default(),
            &mut self.scratch,
        )
    }

    fn add_weights(&mut self, table: Pairs<S>) {
        let is_scalar = table.scope.is_empty();
        let mut values = table.values().iter();
        self.is_impossible |= is_scalar && values.all(ExpectedUtility::<S>::is_zero);
        self.tables.push((!is_scalar).then_some(table));
    }

    /// Adds a utility table. The weights of the table's entries are set to one, because other tables already contain these weights.
    fn add_utilities(&mut self, mut table: Pairs<S>) {
        for value in table.values_mut() {
            if !ExpectedUtility::<S>::is_zero(value) {
                value.weight = S::one();
            }
        }
        let is_scalar = table.scope.is_empty();
        if is_scalar {
            let value = table.values().first().copied();
            let value = value.unwrap_or_else(ExpectedUtility::<S>::zero);
            self.is_impossible |= ExpectedUtility::<S>::is_zero(&value);
            self.constant += value.mean;
        }
        self.tables.push((!is_scalar).then_some(table));
    }

    /// Adds the decision rule that chooses the best option of the last variable of `table` for each assignment of the other variables.
    fn choose(&mut self, table: &Pairs<S>, tie: f64) {
        let Some((&decision, scope)) = table.scope.split_last() else {
            return;
        };
        let graph = self.diagram.graph;
        let options = graph.cardinality(decision);
        let mut rule = DecisionRule {
            decision,
            scope: scope.to_vec(),
            rows: Vec::new(),
            choices: Vec::new(),
        };
        let chosen = match &table.entries {
            Entries::Dense(values) => {
                let all = Assignments::rows(scope.iter().map(|&v| graph.cardinality(v)));
                let mut chosen = Vec::with_capacity(values.len() / options);
                for (number, row) in values.chunks_exact(options).enumerate() {
                    let found = best::<S>(row.iter().zip(0..), tie);
                    chosen.push(found.map_or_else(ExpectedUtility::<S>::zero, |(_, value)| value));
                    if let Some((choice, _)) = found {
                        rule.rows.extend(all.values(number));
                        rule.choices.push(choice);
                    }
                }
                Entries::Dense(Cow::Owned(chosen))
            }
            Entries::Sparse { rows, weights } => {
                let mut chosen = Vec::new();
                let width = scope.len() + 1;
                let listed: Vec<(&[u32], &WeighedUtility)> =
                    rows.chunks_exact(width).zip(weights.iter()).collect();
                for group in listed.chunk_by(|a, b| a.0[..width - 1] == b.0[..width - 1]) {
                    let row = group.iter().map(|(row, value)| (*value, row[width - 1]));
                    if let Some((choice, value)) = best::<S>(row, tie) {
                        rule.rows.extend_from_slice(&group[0].0[..width - 1]);
                        rule.choices.push(choice);
                        chosen.push(value);
                    }
                }
                Entries::Sparse {
                    rows: Cow::Owned(rule.rows.clone()),
                    weights: Cow::Owned(chosen),
                }
            }
            Entries::Function { .. } => return,
        };
        self.rules.push(rule);
        self.add_utilities(EliminationTable {
            scope: Cow::Owned(scope.to_vec()),
            entries: chosen,
        });
    }

    pub(super) fn table(&mut self, keep: &[VarId]) -> Result<ExpectedUtilities, EliminationError> {
        let graph = self.diagram.graph;
        let size = graph.dense_size(keep);
        if self.is_impossible {
            return Ok(ExpectedUtilities {
                weights: vec![0.0; size],
                means: vec![0.0; size],
            });
        }
        let of_factor = EliminationTable::of_factor;
        let tables = inputs(graph, &self.tables, &self.plan.left, of_factor);
        let domain = Domain::new(graph, keep.to_vec());
        let (layout, limits) = (MessageLayout::Dense, self.limits);
        let memory = MemoryAccount::default();
        let scratch = &mut self.scratch;
        let mut table: Pairs<S> = contract(tables, &domain, keep, layout, limits, memory, scratch)?;
        ExpectedUtility::<S>::normalise(table.values_mut(), &mut scratch.lost);
        let values = table.values();
        let largest = values.iter().map(|v| v.weight);
        let largest = largest.fold(S::zero(), |a, b| if b > a { b } else { a });
        let share = |v: &WeighedUtility| {
            if ExpectedUtility::<S>::is_zero(v) {
                (0.0, 0.0)
            } else {
                let share = S::share(v.weight, largest);
                (share.max(f64::MIN_POSITIVE), v.mean + self.constant)
            }
        };
        let (weights, means) = values.iter().map(share).unzip();
        Ok(ExpectedUtilities { weights, means })
    }
}

/// Returns the first option whose mean utility is at most `tie` below the best mean; `None` if no option has a positive weight.
fn best<'v, S: MeanWeights>(
    options: impl Iterator<Item = (&'v WeighedUtility, u32)> + Clone,
    tie: f64,
) -> Option<(u32, WeighedUtility)> {
    let possible = options.filter(|(value, _)| !ExpectedUtility::<S>::is_zero(value));
    let means = possible.clone().map(|(value, _)| value.mean);
    let most = means.fold(f64::NEG_INFINITY, f64::max);
    let mut best = possible.filter(|(value, _)| value.mean >= most - tie);
    best.next().map(|(value, choice)| (choice, *value))
}
