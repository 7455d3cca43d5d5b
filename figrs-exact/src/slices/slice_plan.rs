//! Choice of the variables on which slices are conditioned (fixed), and of the elimination order of all other variables.

use figrs_factor::Limits;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::hash::Hasher;

use figrs_factor::graph::{FactorGraph, VarId};

use figrs_factor::eliminate::{EliminationError, MessageLayout, PlanCost, predicted_cost};
use figrs_factor::fnv::Fnv;
use figrs_factor::order::{Bucket, MAX_WORK, SymbolicElimination, eliminate_candidates};

#[cfg(test)]
mod tests;

/// Maximum number of candidates for the next conditioned variable; candidates are variables that occur in the largest messages.
const MAX_CANDIDATES: usize = 64;
/// Cost of an entry of a sparse message, relative to the cost of an entry of a dense message. The values of `SPARSE_STEP`, `DISCOUNT` and `PATIENCE`
/// were measured on linkage networks.
const SPARSE_STEP: f64 = 16.0;
/// Base-2 logarithm of the number by which the predicted reduction of the cost by zeros is divided. The predicted effect of zeros is discounted
/// because the prediction multiplies fractions of non-zero entries as if they were independent.
const DISCOUNT: f64 = 3.0;
/// Number of variables, conditioned one after another without a reduction of the work, after which the search for further conditioned variables ends.
const PATIENCE: u32 = 3;
/// Maximum number of memory words that a search for an elimination order reads during the choice of the conditioned variables. After the choice of
/// the conditioned variables, the last search for an elimination order may read the usual maximum number of memory words.
const ORDER_WORK: u64 = MAX_WORK / 16;
/// Number of entries of factor scopes (about a second of work) that symbolic eliminations read before the number of candidates for each conditioned
/// variable is reduced.
const EFFORT: u64 = 20_000_000;
/// Number of candidates for the next conditioned variable after the search has read `EFFORT` entries of factor scopes: the variables whose joint
/// tables have the most entries.
const FEW_CANDIDATES: usize = 8;
/// Exponents of the memory excess (the memory of a slice divided by its limit) in the score of a candidate for the next conditioned variable. The
/// search for the conditioned variables runs once for each exponent of the memory excess (the memory of a slice divided by its limit). A larger
/// exponent of the memory excess leads to fewer slices, but not always to less work.
const EXCESS_WEIGHTS: [f64; 2] = [1.0, 0.5];
/// No better plan is searched for if the total work of all slices of a plan is at most this number of steps.
const CHEAP_STEPS: f64 = 1e7;
/// Maximum number of slices, and maximum total work of all slices in steps; larger numbers would take too long.
const MOST_SLICES: u64 = 1 << 40;
const MOST_STEPS: f64 = 1e17;

/// The purpose for which the messages of a slice are used; it determines the time for which they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageUse {
    /// Each message is dropped after its single use.
    Once,
    /// All messages are stored for a traceback, which finds the best assignment.
    Traceback,
    /// All messages are stored, with their derivatives, for the marginals.
    Derivatives,
}

impl MessageUse {
    pub(super) fn bytes(self, cost: &PlanCost) -> f64 {
        match self {
            Self::Once => cost.memory,
            Self::Traceback => cost.memory_kept,
            Self::Derivatives => 2.0 * cost.memory_kept,
        }
    }
}

/// The variables that slices fix at each of their joint values, and the elimination order of all other variables.
#[derive(Clone, Debug)]
pub(super) struct SlicePlan {
    /// The variables that are fixed in a slice; from slice to slice, the value of the last variable changes first.
    pub(super) conditioned: Vec<VarId>,
    pub(super) order: Vec<VarId>,
    /// The predicted cost of a slice (the elimination for one joint value of the fixed variables), if no further zeros follow from the fixed values.
    pub(super) cost: PlanCost,
    pub(super) slices: u64,
    /// The predicted work of a slice in steps; one step computes one entry of a dense table.
    work: f64,
}

struct SliceSearch<'a> {
    graph: &'a FactorGraph,
    keep: &'a [VarId],
    tables: &'a SymbolicElimination,
    uses: MessageUse,
    memory: f64,
    /// Exponent `e` in the score of a candidate for the next conditioned variable. The score of a candidate variable is the work of all slices times
    /// the memory excess (the memory of a slice divided by its limit) to the power of `e`.
    excess_weight: f64,
    limits: &'a Limits,
    /// Number of entries of factor scopes that the search for conditioned variables has read.
    effort: Cell<u64>,
}

/// A plan (the variables that the slices fix), and the buckets of the elimination of one slice.
#[derive(Clone)]
struct PricedPlan {
    plan: SlicePlan,
    buckets: Vec<Bucket>,
}

impl SlicePlan {
    /// Plans slices that fit the memory and the limit on table entries, by a greedy search for a small total work. The search adds one conditioned
    /// variable after another: the candidate with the smallest product of the work and a power of the memory excess. After the choice of a
    /// conditioned variable, the search finds a new elimination order. The search adds conditioned variables as long as the total work decreases:
    /// slices repeat some work, but zeros and small tables may save more.
    ///
    /// The first plan of slices uses the elimination order of the whole graph, without comparing candidates. An interrupted search returns the best
    /// plan found so far.
    ///
    /// **Complexity.** Each conditioned variable requires one short search for an elimination order, and up to 64 symbolic eliminations (up to 8
    /// after 2e7 entries of factor scopes have been read).
    ///
    /// **Errors.** [`EliminationError::TooMuchMemory`] if the factors alone do not fit the memory; [`EliminationError::TooManyOperations`] if slices
    /// that fit the memory would be too many; [`EliminationError::Interrupted`] if the search is stopped before it has a plan.
    pub(super) fn new(
        graph: &FactorGraph,
        keep: &[VarId],
        uses: MessageUse,
        memory: u64,
        limits: &Limits,
    ) -> Result<Self, EliminationError> {
        let live = vec![true; graph.factors.len()];
        let tables = SymbolicElimination::new(graph, &live, keep);
        let search = SliceSearch {
            uses,
            memory: memory as f64,
            ..SliceSearch::new(graph, keep, &tables, limits)
        };
        let whole = search.ordered(Vec::new(), MAX_WORK)?;
        search.best_plan(&whole)
    }

    /// Creates a plan with a single slice, which eliminates the variables of the whole graph in a given order.
    pub(super) fn in_order(
        graph: &FactorGraph,
        keep: &[VarId],
        order: &[VarId],
        limits: &Limits,
    ) -> Self {
        let live = vec![true; graph.factors.len()];
        let tables = SymbolicElimination::new(graph, &live, keep);
        let search = SliceSearch::new(graph, keep, &tables, limits);
        search.in_order(Vec::new(), order).plan
    }

    /// Returns a hash of a plan: of its conditioned variables and its elimination order.
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

    fn steps(&self) -> f64 {
        self.work * self.slices as f64
    }
}

fn keep_better(best: &mut Option<SlicePlan>, other: SlicePlan) {
    if best
        .as_ref()
        .is_none_or(|best| other.steps() < best.steps())
    {
        *best = Some(other);
    }
}

impl<'a> SliceSearch<'a> {
    /// Creates a search for conditioned variables without a limit of memory.
    fn new(
        graph: &'a FactorGraph,
        keep: &'a [VarId],
        tables: &'a SymbolicElimination,
        limits: &'a Limits,
    ) -> Self {
        Self {
            graph,
            keep,
            tables,
            uses: MessageUse::Once,
            memory: f64::INFINITY,
            excess_weight: EXCESS_WEIGHTS[0],
            limits,
            effort: Cell::new(0),
        }
    }

    /// Runs one search for conditioned variables for each exponent of the memory excess, and returns the best plan that was found before an
    /// interrupt.
    fn best_plan(mut self, whole: &PricedPlan) -> Result<SlicePlan, EliminationError> {
        let mut best = self.first_plan(whole);
        let mut refusal = None;
        for excess_weight in EXCESS_WEIGHTS {
            if best
                .as_ref()
                .is_some_and(|best| best.steps() <= CHEAP_STEPS)
            {
                break;
            }
            self.excess_weight = excess_weight;
            self.effort.set(0);
            match self.plan(whole) {
                Ok(found) => keep_better(&mut best, found),
                Err(error) => refusal = Some(error),
            }
        }
        let Some(mut best) = best else {
            return Err(refusal.unwrap_or(EliminationError::Interrupted));
        };
        if best.steps() > CHEAP_STEPS
            && !best.conditioned.is_empty()
            && let Ok(again) = self.ordered(best.conditioned.clone(), MAX_WORK)
            && self.excess(&again.plan.cost) <= 1.0
            && again.plan.steps() < best.steps()
        {
            best = again.plan;
        }
        Ok(best)
    }

    /// Returns a plan that keeps the elimination order of the whole graph, and conditions on the variables with the most table entries; `None` if the
    /// plan takes too much work.
    fn first_plan(&self, whole: &PricedPlan) -> Option<SlicePlan> {
        let mut present = self.in_order(Vec::new(), &whole.plan.order);
        loop {
            if self.excess(&present.plan.cost) <= 1.0 {
                return Some(present.plan);
            }
            let v = *self.weightiest(&present).first()?;
            let conditioned = [&present.plan.conditioned[..], &[v]].concat();
            present = self.in_order(conditioned, &whole.plan.order);
            if present.plan.slices > MOST_SLICES || present.plan.steps() > MOST_STEPS {
                return None;
            }
        }
    }

    /// Returns the variables whose joint tables have the most entries; of variables with equally many entries, the first.
    fn weightiest(&self, present: &PricedPlan) -> Vec<VarId> {
        let mut entries = vec![0.0; self.graph.cardinalities.len()];
        for bucket in &present.buckets {
            for v in bucket.output.iter().chain(&bucket.eliminated) {
                entries[v.index()] += bucket.joint.exp2();
            }
        }
        let variables = (0..entries.len() as u32).map(VarId);
        let mut open: Vec<VarId> = variables
            .filter(|v| {
                entries[v.index()] > 0.0 && self.graph.cardinality(*v) > 1 && !self.keep.contains(v)
            })
            .collect();
        open.sort_by(|a, b| entries[b.index()].total_cmp(&entries[a.index()]));
        open.truncate(FEW_CANDIDATES);
        open
    }

    fn plan(&self, whole: &PricedPlan) -> Result<SlicePlan, EliminationError> {
        let mut present = whole.clone();
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
                match self.next(&present) {
                    Err(EliminationError::Interrupted) if best.is_some() => None,
                    next => next?,
                }
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

    /// Returns the best plan of slices with one more conditioned variable; `None` if every such plan takes too much work.
    fn next(&self, present: &PricedPlan) -> Result<Option<PricedPlan>, EliminationError> {
        self.limits.check_interrupt()?;
        let candidates = if self.effort.get() < EFFORT {
            self.candidates(present)
        } else {
            self.weightiest(present).into_iter().collect()
        };
        let tried = candidates.into_iter().filter_map(|v| {
            let conditioned = [&present.plan.conditioned[..], &[v]].concat();
            let tried = self.in_order(conditioned, &present.plan.order);
            let is_done = tried.plan.slices <= MOST_SLICES && tried.plan.steps() <= MOST_STEPS;
            is_done.then_some(tried)
        });
        let score = |tried: &PricedPlan| self.score(&tried.plan);
        let Some(next) = tried.min_by(|a, b| score(a).total_cmp(&score(b))) else {
            return Ok(None);
        };
        let again = self.ordered(next.plan.conditioned.clone(), ORDER_WORK)?;
        Ok(Some(if score(&again) < score(&next) {
            again
        } else {
            next
        }))
    }

    /// Returns the base-2 logarithm of the score of a plan of slices: the work of all slices times a power of the memory excess.
    fn score(&self, plan: &SlicePlan) -> f64 {
        plan.steps().log2() + self.excess_weight * self.excess(&plan.cost).log2().max(0.0)
    }

    /// Returns the memory excess: the memory of a slice divided by its limit, or the size of the largest table divided by its limit, whichever is
    /// larger.
    fn excess(&self, cost: &PlanCost) -> f64 {
        let bytes = self.uses.bytes(cost) / self.memory;
        bytes.max(cost.largest_table / self.limits.table_entries as f64)
    }

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
            if found.len() >= MAX_CANDIDATES {
                break;
            }
        }
        found
    }

    /// Returns the plan that conditions on `conditioned`, with the best elimination order that a search finds while it reads at most `work` memory
    /// words.
    fn ordered(&self, conditioned: Vec<VarId>, work: u64) -> Result<PricedPlan, EliminationError> {
        let mut tables = self.conditioned(&conditioned);
        let variables = (0..self.graph.cardinalities.len() as u32).map(VarId);
        let open: Vec<VarId> = variables
            .filter(|&v| !tables.is_no_candidate(v) && tables.is_mentioned(v))
            .collect();
        eliminate_candidates(&mut tables, &open, work, &self.limits.until)?;
        Ok(self.priced(conditioned, tables))
    }

    /// Returns the plan that conditions on `conditioned` and eliminates in the order `order`.
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
        let scopes = buckets
            .iter()
            .map(|bucket| bucket.output.len() + bucket.inputs.len());
        let scopes = scopes.sum::<usize>() as u64;
        self.effort.set(self.effort.get() + scopes);
        for bucket in &mut buckets {
            let all = bucket.output.iter().chain(&bucket.eliminated);
            let dense: f64 = all
                .map(|v| (self.graph.cardinality(*v) as f64).log2())
                .sum();
            bucket.joint = dense.min(bucket.joint + DISCOUNT);
        }
        let first = self.graph.factors.len();
        let budget = self.limits.table_entries;
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
