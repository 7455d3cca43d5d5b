//! Tests whether evidence is possible, with limited work: by Boolean elimination, or by exhaustive search if the elimination takes too much work or
//! memory.

use std::cell::Cell;

use crate::expansion::expand;
use figrs_core::expand::Encoding;
use figrs_core::{AnyElement, Limits, Model};
use figrs_factor::graph::{Factor, FactorGraph};

use super::minimal_conflict::Trial;
use figrs_factor::algebra::Boolean;
use figrs_factor::eliminate::eliminate;
use figrs_search::circuit::{SearchControl, log_sum};

/// Maximum number of operations of all trial runs (tests whether evidence is possible) for a small model. For a small model, the trial runs take
/// about a third of a second in total.
const WORK: f64 = 3e8;
/// Maximum time of all trial runs (tests whether evidence is possible) for a large model, as a multiple of the time of one expansion of the model.
const EXPANSIONS: f64 = 32.0;
/// Fraction of the remaining work of all trial runs that one trial run may use. A trial run may use at least `LEAST` operations, or all remaining
/// operations if fewer remain.
const WORK_SHARE: f64 = 0.125;
const LEAST: f64 = 1e7;
/// Cost of the expansion of one element, in operations of variable elimination. The constants `ENTRY` and `OPERATIONS_PER_DECISION` are the costs of
/// reading an entry of a factor and of one decision of a search.
const ELEMENT: f64 = 2e3;
const ENTRY: f64 = 20.0;
const OPERATIONS_PER_DECISION: f64 = 5e3;
/// Number of operations of variable elimination that take as much time as the preparation of a search.
const SEARCH: f64 = 2e7;
/// Maximum memory in bytes of a trial run, which tests whether evidence is possible.
const MEMORY: u64 = 1 << 24;

/// Trial runs, each of which tests whether a subset of the evidence is possible. The work and the memory of all trial runs are limited.
#[derive(Debug)]
pub(super) struct PossibilityTrials<'a> {
    limits: &'a Limits,
    /// Work that is left for later trial runs, in operations of variable elimination.
    left: f64,
}

impl<'a> PossibilityTrials<'a> {
    /// Prepares trial runs (tests whether subsets of the evidence are possible) for a model. The total work of all trial runs is at most that of 32
    /// expansions of the model, or a constant for small models.
    pub(super) fn new(model: &Model, targets: &[AnyElement], limits: &'a Limits) -> Self {
        let expansion = expand(limits, model, targets);
        let elements = expansion.map_or(0, |expansion| expansion.reached());
        let left = WORK.max(EXPANSIONS * ELEMENT * elements as f64);
        Self { limits, left }
    }

    pub(super) fn is_over(&self) -> bool {
        self.left <= 0.0 || self.limits.until.is_over()
    }

    /// Tests whether some world agrees with the evidence. A world that reaches a part of the model that was not expanded counts as a world that
    /// agrees with the evidence.
    pub(super) fn is_possible(&mut self, model: &Model, targets: &[AnyElement]) -> Trial {
        let decided = self.decided(model, targets);
        decided.map_or(Trial::Unknown, Trial::decided)
    }

    fn decided(&mut self, model: &Model, targets: &[AnyElement]) -> Option<bool> {
        if self.is_over() {
            return None;
        }
        let work = (WORK_SHARE * self.left).max(LEAST).min(self.left);
        let limits = self.within(work);
        let Ok(expansion) = expand(&limits, model, targets) else {
            self.left -= work;
            return None;
        };
        self.left -= ELEMENT * expansion.reached() as f64;
        if expansion.impossible().is_some() {
            return Some(false);
        }
        let encoding = Encoding::for_upper_sums(&expansion, &[]).ok()?;
        let graph = encoding.graph();
        let entries: usize = graph.factors.iter().map(Factor::entries).sum();
        self.left -= ENTRY * entries as f64;
        if let Ok(total) = eliminate::<Boolean>(graph, &[], &limits) {
            self.left -= total.cost.operations;
            return Some(total.values.first().copied().unwrap_or(false));
        }
        self.left -= work;
        self.search(graph, &limits, work)
    }

    /// Tests a factor graph as [`decided`](Self::decided) does, but by an exhaustive search with at most `work` decisions.
    fn search(&mut self, graph: &FactorGraph, limits: &Limits, work: f64) -> Option<bool> {
        let made = Cell::new(0);
        let control = SearchControl {
            limits,
            decisions: (work / OPERATIONS_PER_DECISION) as u64,
            report: &|decisions| made.set(decisions),
        };
        let found = log_sum(graph, MEMORY / 4, &control);
        self.left -= SEARCH + OPERATIONS_PER_DECISION * made.get() as f64;
        found.ok().map(|log| log > f64::NEG_INFINITY)
    }

    fn within(&self, work: f64) -> Limits {
        let limits = self.limits;
        let memory = limits.memory.map_or(MEMORY, |own| own.min(MEMORY));
        let entries = usize::try_from(memory / size_of::<f64>() as u64).unwrap_or(usize::MAX);
        (limits.with_work_at_most(work))
            .assignments(1.0, work)
            .memory(memory)
            .table_entries(limits.table_entries.min(entries))
            .elements(limits.elements.min((self.left / ELEMENT) as usize))
            .element_entries(limits.element_entries.min((self.left / ENTRY) as u64))
    }
}
