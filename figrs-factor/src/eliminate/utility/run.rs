//! Execution of the elimination of an influence diagram.

use std::borrow::Cow;

use crate::graph::Assignments;
use crate::graph::{FactorTable, VarId};

use super::super::domain::Domain;
use super::super::error::EliminationError;
use super::super::join::{JoinScratch, join};
use super::super::options::Options;
use super::super::plan::MessageLayout;
use super::super::sink::{DenseSink, SparseSink};
use super::super::table::{EliminationTable, Entries, Message};
use super::plan::{PlannedJoin, UtilityPlan, UtilityStep};
use super::rule::DecisionRule;
use super::{ExpectedUtilities, UtilityGraph};
use crate::algebra::{ExpectedUtility, MeanWeights, Semiring, WeighedUtility};

type Pairs<S> = Entries<'static, ExpectedUtility<S>>;

/// State of an elimination.
pub(super) struct UtilityRun<'a, S: MeanWeights> {
    diagram: UtilityGraph<'a>,
    plan: &'a UtilityPlan,
    options: &'a Options,
    /// Utilities and messages; `None` for tables without variables and for tables that were used.
    tables: Vec<Option<Message<ExpectedUtility<S>>>>,
    /// Sum of the utilities that no longer depend on a variable.
    constant: f64,
    /// `true` if no assignment has weight.
    is_impossible: bool,
    pub(super) rules: Vec<DecisionRule>,
    /// `true` if a weight left the range of its representation.
    pub(super) lost: bool,
    scratch: JoinScratch<WeighedUtility>,
}

impl<'a, S: MeanWeights> UtilityRun<'a, S> {
    pub(super) fn new(
        diagram: UtilityGraph<'a>,
        plan: &'a UtilityPlan,
        options: &'a Options,
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
        let is_zero = |table: &FactorTable| match table {
            FactorTable::Dense(weights) | FactorTable::Sparse { weights, .. } => {
                weights.is_empty() || weights.is_zero(0)
            }
            FactorTable::Function { .. } => false,
        };
        let mut scalars = diagram.graph.factors.iter();
        Self {
            diagram,
            plan,
            options,
            tables: utilities.collect(),
            constant: 0.0,
            is_impossible: scalars.any(|f| f.variables.is_empty() && is_zero(&f.table)),
            rules: Vec::new(),
            lost: false,
            scratch: JoinScratch::new(options.end().clone()),
        }
    }

    /// Runs all steps, or the steps until a number is lost.
    pub(super) fn steps(&mut self, tie: f64) -> Result<(), EliminationError> {
        for step in &self.plan.steps {
            self.options.check_interrupt()?;
            match step {
                UtilityStep::Weights(planned) => {
                    let mut entries = self.join(planned, None)?;
                    if let Entries::Dense(values) | Entries::Sparse { values, .. } = &mut entries {
                        ExpectedUtility::<S>::normalise(values.to_mut(), &mut self.lost);
                    }
                    self.add_weights(planned, entries);
                }
                UtilityStep::Utilities(planned) => {
                    let entries = self.join(planned, None)?;
                    self.add_utilities(planned.output.clone(), entries);
                }
                UtilityStep::Choose(planned) => {
                    let entries = self.join(planned, None)?;
                    self.choose(planned, entries, tie);
                }
                UtilityStep::Indifferent(decision) => {
                    self.rules.push(DecisionRule::constant(*decision, 0));
                }
                UtilityStep::Restrict(decision, planned) => {
                    let entries = self.join(planned, Some(*decision))?;
                    self.add_weights(planned, entries);
                }
                UtilityStep::Drop(messages) => {
                    let utilities = self.diagram.utilities.len();
                    for &message in messages {
                        self.tables[utilities + message as usize] = None;
                    }
                }
            }
            if self.lost {
                break;
            }
        }
        Ok(())
    }

    /// The table of a number: a factor, a utility or a message.
    fn table_of(&self, id: u32) -> Option<EliminationTable<'_, ExpectedUtility<S>>> {
        let factors = &self.diagram.graph.factors;
        match (id as usize).checked_sub(factors.len()) {
            None => Some(EliminationTable::of_factor(&factors[id as usize])),
            Some(other) => self.tables[other].as_ref().map(EliminationTable::view),
        }
    }

    /// The product of tables, reduced to the output, with at most one decision held at its first option.
    fn join(
        &mut self,
        planned: &PlannedJoin,
        first_of: Option<VarId>,
    ) -> Result<Pairs<S>, EliminationError> {
        let graph = self.diagram.graph;
        let mut scratch = std::mem::replace(
            &mut self.scratch,
            JoinScratch::new(self.options.end().clone()),
        );
        let tables = planned.inputs.iter().filter_map(|&id| self.table_of(id));
        let tables: Vec<_> = tables.collect();
        let mut domain = Domain::new(graph, planned.variables.clone());
        if let Some(decision) = first_of {
            let place = domain.position(decision);
            domain.pins[place] = Some(0);
        }
        let outputs: Vec<usize> = planned.output.iter().map(|&v| domain.position(v)).collect();
        let entries = if planned.layout == MessageLayout::Dense {
            let mut sink = DenseSink {
                values: vec![ExpectedUtility::<S>::zero(); graph.dense_size(&planned.output)],
            };
            let lost = join(tables, &domain, &outputs, &mut sink, &mut scratch)?;
            self.lost |= lost;
            Entries::Dense(Cow::Owned(sink.values))
        } else {
            let mut sink = SparseSink::new(self.options, 0.0);
            let lost = join(tables, &domain, &outputs, &mut sink, &mut scratch)?;
            self.lost |= lost;
            let (rows, values) = sink.into_rows(&self.assignments(&planned.output));
            Entries::Sparse {
                rows: Cow::Owned(rows),
                values: Cow::Owned(values),
            }
        };
        self.scratch = scratch;
        Ok(entries)
    }

    fn assignments(&self, variables: &[VarId]) -> Assignments {
        let graph = self.diagram.graph;
        Assignments::rows(variables.iter().map(|&v| graph.cardinality(v)))
    }

    fn add_weights(&mut self, planned: &PlannedJoin, entries: Pairs<S>) {
        if planned.output.is_empty() {
            self.is_impossible |= values(&entries).iter().all(ExpectedUtility::<S>::is_zero);
            self.tables.push(None);
            return;
        }
        self.add(planned.output.clone(), entries);
    }

    /// Adds a table of utilities with all weights set to one, since the tables of weights contain the weights.
    fn add_utilities(&mut self, scope: Vec<VarId>, mut entries: Pairs<S>) {
        if let Entries::Dense(values) | Entries::Sparse { values, .. } = &mut entries {
            for value in values.to_mut() {
                if !ExpectedUtility::<S>::is_zero(value) {
                    value.weight = S::one();
                }
            }
        }
        if scope.is_empty() {
            let value = values(&entries).first().copied();
            let value = value.unwrap_or_else(ExpectedUtility::<S>::zero);
            self.is_impossible |= ExpectedUtility::<S>::is_zero(&value);
            self.constant += value.mean;
            self.tables.push(None);
            return;
        }
        self.add(scope, entries);
    }

    fn add(&mut self, scope: Vec<VarId>, entries: Pairs<S>) {
        let scope = Cow::Owned(scope);
        self.tables.push(Some(EliminationTable { scope, entries }));
    }

    /// Chooses the best option of each assignment of the other variables.
    fn choose(&mut self, planned: &PlannedJoin, entries: Pairs<S>, tie: f64) {
        let Some((&decision, scope)) = planned.output.split_last() else {
            return;
        };
        let options = self.diagram.graph.cardinality(decision);
        let mut rule = DecisionRule {
            decision,
            scope: scope.to_vec(),
            rows: Vec::new(),
            choices: Vec::new(),
        };
        let chosen = match &entries {
            Entries::Dense(values) => {
                let all = self.assignments(scope);
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
            Entries::Sparse { rows, values } => {
                let mut chosen = Vec::new();
                let width = scope.len() + 1;
                let listed: Vec<(&[u32], &WeighedUtility)> =
                    rows.chunks_exact(width).zip(values.iter()).collect();
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
                    values: Cow::Owned(chosen),
                }
            }
            Entries::Function(_) => return,
        };
        self.rules.push(rule);
        self.add_utilities(scope.to_vec(), chosen);
    }

    /// The weights and expected utilities of all assignments of `keep`.
    pub(super) fn table(&mut self, keep: &[VarId]) -> Result<ExpectedUtilities, EliminationError> {
        let graph = self.diagram.graph;
        let size = graph.dense_size(keep);
        if self.is_impossible {
            return Ok(ExpectedUtilities {
                weights: vec![0.0; size],
                means: vec![0.0; size],
            });
        }
        let tables = self.plan.left.iter().filter_map(|&id| self.table_of(id));
        let tables: Vec<_> = tables.collect();
        let domain = Domain::new(graph, keep.to_vec());
        let outputs: Vec<usize> = keep.iter().map(|&v| domain.position(v)).collect();
        let mut sink = DenseSink {
            values: vec![ExpectedUtility::<S>::zero(); size],
        };
        let mut scratch = JoinScratch::new(self.options.end().clone());
        let lost = join(tables, &domain, &outputs, &mut sink, &mut scratch)?;
        self.lost |= lost;
        let mut values = sink.values;
        ExpectedUtility::<S>::normalise(&mut values, &mut self.lost);
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

fn values<S: MeanWeights>(entries: &Pairs<S>) -> &[WeighedUtility] {
    match entries {
        Entries::Dense(values) | Entries::Sparse { values, .. } => values,
        Entries::Function(_) => &[],
    }
}

/// The first option whose mean is within `tie` of the best; `None` if no option has weight.
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
