//! Choice of the variables to condition on, and the elimination order of the rest.

use std::collections::BTreeSet;
use std::hash::Hasher;

use figrs_core::factor::{FactorGraph, VarId};

use crate::exact::eliminate::{EliminationError, MessageLayout, Options, PlanCost, predicted_cost};
use crate::exact::order::component_orders::eliminate_candidates;
use crate::exact::order::symbolic_elimination::{Bucket, SymbolicElimination};
use crate::exact::tree::fnv::Fnv;

/// Number of variables that are tried as the next one to condition on: those of the largest messages.
const TRIED: usize = 64;
/// Time of a step that lists an entry of a sparse message, in steps of dense ones. Found on linkage networks, as the two below.
const SPARSE_STEP: f64 = 16.0;
/// Discount on promised zeros, in binary digits: shares of non-zeros are multiplied as if they were independent.
const DISCOUNT: f64 = 3.0;
/// Number of variables in succession that are conditioned on beyond need without less work, before the search ends.
const PATIENCE: u32 = 3;
/// Exponents of the excess of memory that are tried: the larger, the fewer slices, which need not be less work.
const EXCESS_WEIGHTS: [f64; 2] = [1.0, 0.5];
/// Number of steps of all slices that are not worth a search for fewer.
const CHEAP_STEPS: f64 = 1e7;
/// Maximum number of slices, and of steps of all together. More would not end.
const MOST_SLICES: u64 = 1 << 40;
const MOST_STEPS: f64 = 1e17;

/// Use of the messages of a slice, which decides how long they are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageUse {
    /// Each is dropped after its use.
    Once,
    /// All are kept, to find the best assignment.
    Traceback,
    /// All are kept, each with its derivative.
    Derivatives,
}

impl MessageUse {
    /// The predicted bytes of the messages.
    pub(super) fn bytes(self, cost: &PlanCost) -> f64 {
        match self {
            Self::Once => cost.memory,
            Self::Traceback => cost.memory_kept,
            Self::Derivatives => 2.0 * cost.memory_kept,
        }
    }
}

/// The variables to condition on, and the order in which the others are eliminated in each slice.
#[derive(Clone, Debug)]
pub(super) struct SlicePlan {
    /// The variables whose values a slice fixes; the last one varies fastest from slice to slice.
    pub(super) conditioned: Vec<VarId>,
    /// The elimination order of all other variables.
    pub(super) order: Vec<VarId>,
    /// The predicted cost of a slice, the zeros aside that its own values bring.
    pub(super) cost: PlanCost,
    /// Number of slices.
    pub(super) slices: u64,
    /// The predicted work of a slice, in steps of dense tables.
    work: f64,
}

/// A search for variables to condition on.
struct SliceSearch<'a> {
    graph: &'a FactorGraph,
    keep: &'a [VarId],
    /// Before any elimination.
    tables: &'a SymbolicElimination,
    uses: MessageUse,
    /// The bytes of the messages of a slice at most.
    memory: f64,
    /// Exponent of the excess of memory in the product with the work that a choice minimises.
    excess_weight: f64,
    options: &'a Options,
}

/// An elimination on some values, with its messages.
struct PricedPlan {
    plan: SlicePlan,
    buckets: Vec<Bucket>,
}

impl SlicePlan {
    /// Slices of which each fits the memory and the table budget, with as little work together as a greedy search finds: one variable after another
    /// is conditioned on, each time the one that leaves the least product of the work and of a power of the excess of memory, and the order is searched again
    /// among the tables that are left. It goes on while that makes less work: zeros and small tables may save more than is done again.
    ///
    /// **Complexity.** For each variable that is conditioned on, one search for an order and up to 64 symbolic eliminations.
    ///
    /// **Errors.** [`EliminationError::TooMuchMemory`] if factors alone do not fit; [`EliminationError::TooManyOperations`] if no number of slices that could
    /// end fits; [`EliminationError::Interrupted`].
    pub(super) fn new(
        graph: &FactorGraph,
        keep: &[VarId],
        uses: MessageUse,
        memory: u64,
        options: &Options,
    ) -> Result<Self, EliminationError> {
        let live = vec![true; graph.factors.len()];
        let tables = SymbolicElimination::new(graph, &live, keep);
        let search = |excess_weight| SliceSearch {
            graph,
            keep,
            tables: &tables,
            uses,
            memory: memory as f64,
            excess_weight,
            options,
        };
        let first = search(EXCESS_WEIGHTS[0]).plan()?;
        if first.steps() <= CHEAP_STEPS {
            return Ok(first);
        }
        let mut best = first;
        for &weight in &EXCESS_WEIGHTS[1..] {
            let other = search(weight).plan()?;
            if other.steps() < best.steps() {
                best = other;
            }
        }
        Ok(best)
    }

    /// A number that tells apart choices of variables and orders.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = Fnv::default();
        for v in &self.conditioned {
            hasher.write_u32(v.0);
        }
        hasher.write_u32(u32::MAX);
        for v in &self.order {
            hasher.write_u32(v.0);
        }
        hasher.finish()
    }

    /// The predicted work of all slices.
    fn steps(&self) -> f64 {
        self.work * self.slices as f64
    }
}

impl SliceSearch<'_> {
    fn plan(&self) -> Result<SlicePlan, EliminationError> {
        let mut present = self.ordered(Vec::new())?;
        let mut best: Option<SlicePlan> = None;
        let mut patience = PATIENCE;
        loop {
            let is_better = |best: &SlicePlan| present.plan.steps() < best.steps();
            if self.excess(&present.plan.cost) <= 1.0 && best.as_ref().is_none_or(is_better) {
                best = Some(present.plan.clone());
                patience = PATIENCE;
            } else if best.is_some() {
                patience -= 1;
            }
            let is_cheap = |best: &SlicePlan| best.steps() <= CHEAP_STEPS;
            let next = if patience == 0 || best.as_ref().is_some_and(is_cheap) {
                None
            } else {
                self.next(&present)?
            };
            match (next, best) {
                (None, Some(best)) => return Ok(best),
                (None, None) if self.candidates(&present).is_empty() => {
                    return Err(EliminationError::TooMuchMemory {
                        needed: self.uses.bytes(&present.plan.cost),
                        limit: self.memory as u64,
                    });
                }
                (None, None) => {
                    return Err(EliminationError::TooManyOperations {
                        needed: present.plan.steps().max(MOST_STEPS),
                        limit: MOST_STEPS,
                    });
                }
                (Some(next), found) => (present, best) = (next, found),
            }
        }
    }

    /// One variable more; nothing if that leaves too much work.
    fn next(&self, present: &PricedPlan) -> Result<Option<PricedPlan>, EliminationError> {
        self.options.check_interrupt()?;
        let tried = self.candidates(present).into_iter().filter_map(|v| {
            let conditioned = [&present.plan.conditioned[..], &[v]].concat();
            let tried = self.in_order(conditioned, &present.plan.order);
            let is_done = tried.plan.slices <= MOST_SLICES && tried.plan.steps() <= MOST_STEPS;
            is_done.then_some(tried)
        });
        let score = |tried: &PricedPlan| self.score(&tried.plan);
        let Some(next) = tried.min_by(|a, b| score(a).total_cmp(&score(b))) else {
            return Ok(None);
        };
        let again = self.ordered(next.plan.conditioned.clone())?;
        Ok(Some(if score(&again) < score(&next) {
            again
        } else {
            next
        }))
    }

    /// Base-2 logarithm of the work of all slices, and of the excess of one over the memory.
    fn score(&self, plan: &SlicePlan) -> f64 {
        plan.steps().log2() + self.excess_weight * self.excess(&plan.cost).log2().max(0.0)
    }

    /// Ratio of the memory of a slice to what it may take.
    fn excess(&self, cost: &PlanCost) -> f64 {
        let bytes = self.uses.bytes(cost) / self.memory;
        bytes.max(cost.largest_table / self.options.table_budget as f64)
    }

    /// The variables of the largest messages.
    fn candidates(&self, conditioned: &PricedPlan) -> BTreeSet<VarId> {
        let size = |bucket: &Bucket| -> f64 {
            let log = |v: &VarId| (self.graph.cardinality(*v) as f64).log2();
            bucket.output.iter().map(log).sum()
        };
        let mut sized: Vec<(f64, &Bucket)> = (conditioned
            .buckets
            .iter()
            .map(|bucket| (size(bucket), bucket)))
        .collect();
        sized.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut found = BTreeSet::new();
        for (_, bucket) in sized {
            let all = bucket.output.iter().chain(&bucket.eliminated);
            found.extend(all.filter(|v| !self.keep.contains(v)));
            if found.len() >= TRIED {
                break;
            }
        }
        found
    }

    /// The best order that is found given these variables.
    fn ordered(&self, conditioned: Vec<VarId>) -> Result<PricedPlan, EliminationError> {
        let mut tables = self.conditioned(&conditioned);
        let variables = (0..self.graph.cardinalities.len() as u32).map(VarId);
        let open: Vec<VarId> = variables
            .filter(|&v| !tables.is_no_candidate(v) && tables.is_mentioned(v))
            .collect();
        eliminate_candidates(&mut tables, &open, &self.options.until)?;
        Ok(self.priced(conditioned, tables))
    }

    /// An order given these variables.
    fn in_order(&self, conditioned: Vec<VarId>, order: &[VarId]) -> PricedPlan {
        let mut tables = self.conditioned(&conditioned);
        tables.eliminate_all(order);
        self.priced(conditioned, tables)
    }

    fn conditioned(&self, variables: &[VarId]) -> SymbolicElimination {
        let mut tables = self.tables.clone();
        for &v in variables {
            tables.condition(v);
        }
        tables
    }

    fn priced(&self, conditioned: Vec<VarId>, tables: SymbolicElimination) -> PricedPlan {
        let mut buckets = tables.buckets;
        for bucket in &mut buckets {
            let all = bucket.output.iter().chain(&bucket.eliminated);
            let dense: f64 = all
                .map(|v| (self.graph.cardinality(*v) as f64).log2())
                .sum();
            bucket.joint = dense.min(bucket.joint + DISCOUNT);
        }
        let first = self.graph.factors.len();
        let budget = self.options.table_budget;
        let cost = predicted_cost(self.graph, self.keep, (&buckets, first), budget);
        let slices = conditioned.iter().fold(1_u64, |slices, &v| {
            slices.saturating_mul(self.graph.cardinality(v) as u64)
        });
        let work = buckets.iter().map(|bucket| {
            let step = match MessageLayout::of(self.graph, bucket, budget) {
                MessageLayout::Dense => 1.0,
                MessageLayout::Sparse => SPARSE_STEP,
            };
            step * bucket.joint.exp2()
        });
        let work = work.sum();
        let order = buckets.iter().flat_map(|bucket| &bucket.eliminated);
        PricedPlan {
            plan: SlicePlan {
                order: order.copied().collect(),
                conditioned,
                cost,
                slices,
                work,
            },
            buckets,
        }
    }
}
