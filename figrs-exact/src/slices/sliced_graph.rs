//! A factor graph divided into slices, in each of which some variables have fixed values.

use figrs_factor::Limits;
use figrs_factor::graph::{FactorGraph, ReducedGraph, VarId};

use super::slice_plan::{MessageUse, SlicePlan};
use figrs_factor::consistency::{reduce, reduce_given};
use figrs_factor::eliminate::{EliminationError, Order, without_barren};

/// A slice (an elimination with some fixed variables) is divided further if the ratio of its used memory to its predicted memory exceeds this number.
const MEMORY_TOLERANCE: f64 = 4.0;
/// If a slice exceeded its memory, the slices into which it is divided get this memory divided by `NESTED_MEMORY_DIVISOR`.
const NESTED_MEMORY_DIVISOR: u64 = 4;
/// Number of bytes that the messages of a slice may always take.
const LEAST_MEMORY: u64 = 1 << 16;
/// Divisor of the memory limit; the messages of a slice may always take the quotient, because no machine needs to compute more than `SLICES_AT_ONCE`
/// slices at the same time.
const SLICES_AT_ONCE: u64 = 64;
/// Maximum nesting depth of slices within slices.
const MAX_DEPTH: u32 = 8;
/// Maximum number of units of work. If there are more slices than this number, a unit of work consists of all slices with the same values of the
/// first conditioned (fixed) variables.
const MOST_UNITS: u64 = 1 << 12;

/// True if a slice (part of a sum) fixes all conditioned variables, so that a further division of the slice needs more conditioned variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IsLast(pub(super) bool);

/// A factor graph without the values that zeros exclude, and its division into slices.
#[derive(Debug)]
pub(super) struct SlicedGraph {
    /// The whole graph without the values that zeros exclude, and the map from the original graph to it.
    pub(super) whole: ReducedGraph,
    pub(super) plan: SlicePlan,
    /// The variables whose marginals are computed.
    keep: Vec<VarId>,
    uses: MessageUse,
    /// Maximum number of bytes of the messages of all slices that are computed at once.
    memory: u64,
    depth: u32,
}

/// One slice: the graph without the fixed variables, and without the variables whose values follow from zeros.
#[derive(Debug)]
pub(super) struct Slice {
    pub(super) reduced: ReducedGraph,
    pub(super) limits: Limits,
}

impl SlicedGraph {
    /// Plans the slices of a graph so that the messages of each slice fit the memory; returns `None` if zeros exclude all assignments. The sums over
    /// slices are computed for each value of the variables `keep` (those whose marginals are computed).
    ///
    /// **Errors.** The errors of [`SlicePlan::new`].
    pub(super) fn new(
        graph: &FactorGraph,
        keep: &[VarId],
        (uses, memory): (MessageUse, u64),
        limits: &Limits,
    ) -> Result<Option<Self>, EliminationError> {
        let needed = match uses {
            MessageUse::Traceback => None,
            _ => without_barren(graph, keep),
        };
        Self::at_depth(
            0,
            needed.as_ref().unwrap_or(graph),
            keep,
            (uses, memory),
            limits,
        )
    }

    /// Divides a slice that exceeded its memory into further slices, which fix more variables.
    ///
    /// **Errors.** The error of the slice, if slices are already nested too deeply; the errors of [`new`](Self::new).
    pub(super) fn of_slice(
        &self,
        slice: &FactorGraph,
        keep: &[VarId],
        limits: &Limits,
        error: EliminationError,
    ) -> Result<Option<Self>, EliminationError> {
        if self.depth == MAX_DEPTH {
            return Err(error);
        }
        let memory = self.memory_of_slice() / NESTED_MEMORY_DIVISOR;
        Self::at_depth(self.depth + 1, slice, keep, (self.uses, memory), limits)
    }

    fn at_depth(
        depth: u32,
        graph: &FactorGraph,
        keep: &[VarId],
        (uses, memory): (MessageUse, u64),
        limits: &Limits,
    ) -> Result<Option<Self>, EliminationError> {
        let Some(whole) = reduce(graph) else {
            return Ok(None);
        };
        let keep: Vec<VarId> = match uses {
            MessageUse::Once => keep
                .iter()
                .filter_map(|&v| whole.restriction.name(v))
                .collect(),
            _ => Vec::new(),
        };
        let plan = SlicePlan::new(&whole.graph, &keep, uses, memory, limits)?;
        Ok(Some(Self {
            whole,
            plan,
            keep,
            uses,
            memory,
            depth,
        }))
    }

    fn memory_of_slice(&self) -> u64 {
        let bytes = MEMORY_TOLERANCE * self.uses.bytes(&self.plan.cost);
        let least = LEAST_MEMORY.max(self.memory / SLICES_AT_ONCE);
        (bytes as u64).clamp(least, self.memory.max(least))
    }

    /// Returns the number of slices whose messages fit the memory at the same time.
    pub(super) fn at_once(&self) -> usize {
        (self.memory / self.memory_of_slice()).max(1) as usize
    }

    pub(super) fn units(&self) -> u64 {
        self.plan.slices / self.slices_of_unit()
    }

    pub(super) fn slices_of_unit(&self) -> u64 {
        let last = self.plan.conditioned[self.variables_of_units()..].iter();
        last.map(|&v| self.whole.graph.cardinality(v) as u64)
            .product()
    }

    /// Returns the number of conditioned variables that have the same values in all slices of a unit of work.
    fn variables_of_units(&self) -> usize {
        let mut units = 1;
        let first = self.plan.conditioned.iter().take_while(|v| {
            units *= self.whole.graph.cardinality(**v) as u64;
            units <= MOST_UNITS
        });
        first.count()
    }

    /// Calls the closure `each` with the slices of a unit of work, except the slices that zeros exclude. If zeros exclude some values of the first
    /// conditioned variables, all slices with these values are skipped. If the messages for some values of the first conditioned variables fit the
    /// memory, all slices with these values are computed as one slice.
    ///
    /// **Errors.** The errors of the closure `each`; [`EliminationError::Interrupted`].
    pub(super) fn for_each_slice(
        &self,
        unit: u64,
        limits: &Limits,
        mut each: impl FnMut(&mut Slice, IsLast) -> Result<(), EliminationError>,
    ) -> Result<(), EliminationError> {
        let mut rest = unit;
        let variables = self.plan.conditioned[..self.variables_of_units()].iter();
        let last_first = variables.rev().map(|&v| {
            let values = self.whole.graph.cardinality(v) as u64;
            let value = rest % values;
            rest /= values;
            (v, value as u32)
        });
        let mut given: Vec<(VarId, u32)> = last_first.collect();
        given.reverse();
        self.visit(&mut given, limits, &mut each)
    }

    /// Visits all slices in which the first conditioned variables have the values `given`.
    fn visit(
        &self,
        given: &mut Vec<(VarId, u32)>,
        limits: &Limits,
        each: &mut impl FnMut(&mut Slice, IsLast) -> Result<(), EliminationError>,
    ) -> Result<(), EliminationError> {
        limits.check_interrupt()?;
        let Some(reduced) = reduce_given(&self.whole.graph, given) else {
            return Ok(());
        };
        let mut slice = self.slice(reduced, limits);
        let Some(&next) = self.plan.conditioned.get(given.len()) else {
            return each(&mut slice, IsLast(true));
        };
        if self.is_predicted_to_fit(&slice) {
            match each(&mut slice, IsLast(false)) {
                Err(error) if error.is_budget() => {}
                done => return done,
            }
        }
        drop(slice);
        for value in 0..self.whole.graph.cardinality(next) as u32 {
            given.push((next, value));
            self.visit(given, limits, each)?;
            given.pop();
        }
        Ok(())
    }

    /// True if the messages of a slice are predicted to fit the memory of one slice.
    fn is_predicted_to_fit(&self, slice: &Slice) -> bool {
        let restriction = &slice.reduced.restriction;
        let keep: Vec<VarId> = (self.keep.iter())
            .filter_map(|&v| restriction.name(v))
            .collect();
        let order = self.plan.order.iter();
        let order: Vec<VarId> = order.filter_map(|&v| restriction.name(v)).collect();
        let memory = self.memory_of_slice();
        let plan = SlicePlan::in_order(&slice.reduced.graph, &keep, &order, &slice.limits);
        self.uses.bytes(&plan.cost) <= memory as f64
    }

    fn slice(&self, reduced: ReducedGraph, limits: &Limits) -> Slice {
        let order = self.plan.order.iter();
        let order = order.filter_map(|&v| reduced.restriction.name(v)).collect();
        let memory = self.memory_of_slice();
        let limits = limits.clone().order(Order::given(order));
        Slice {
            limits: limits
                .memory(memory)
                .table_entries((memory / size_of::<f64>() as u64) as usize),
            reduced,
        }
    }
}

#[cfg(test)]
mod tests {
    use figrs_factor::graph::{Factor, FactorTable, Weights};
    use rand::RngExt;

    use super::*;
    use figrs_factor::eliminate::{most_probable, sum_product};
    use figrs_random_graphs::{RANGES, generator, random_graph};

    /// Returns the slices of a graph for a memory limit that most eliminations would exceed.
    fn sliced(
        graph: &FactorGraph,
        keep: &[VarId],
        uses: MessageUse,
        memory: u64,
    ) -> Option<SlicedGraph> {
        let limits = Limits::default();
        match SlicedGraph::new(graph, keep, (uses, memory), &limits) {
            Ok(sliced) => sliced,
            // The memory is too small for the factors, even if each assignment is a slice of its own, and is therefore increased.
            Err(EliminationError::TooMuchMemory { .. }) => sliced(graph, keep, uses, memory * 4),
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns the sum over all slices: the logarithm of the total, and the fraction of each value of the variables `keep`.
    fn total(sliced: &SlicedGraph, graph: &FactorGraph, keep: &[VarId]) -> (f64, Vec<Vec<f64>>) {
        let values = keep.iter().map(|&v| (Some(v), graph.cardinality(v)));
        let targets: Vec<(Option<VarId>, usize)> = values.collect();
        let total = sliced.total(0..sliced.units(), &targets, &Limits::default());
        let total = total.unwrap();
        (total.log_total, total.shares)
    }

    fn assert_close(a: f64, b: f64) {
        let is_same = a == b || (a - b).abs() <= 1e-9 * (1.0 + a.abs());
        assert!(is_same, "{a} and {b}");
    }

    /// Calls `test` with random graphs, each with several amounts of memory for its slices.
    fn for_each_graph(test: impl Fn(&FactorGraph, u64, &[VarId])) {
        let mut rng = generator(11);
        for round in 0..600 {
            let graph = random_graph(&mut rng, RANGES[round % RANGES.len()]);
            let all: Vec<VarId> = (0..graph.cardinalities.len() as u32).map(VarId).collect();
            test(&graph, [64, 256, 1024][round % 3], &all);
        }
    }

    #[test]
    fn slices_sum_to_the_whole() {
        let slices = std::cell::Cell::new(0);
        for_each_graph(|graph, memory, all| {
            for (uses, keep) in [
                (MessageUse::Once, &all[..0]),
                (MessageUse::Once, &all[..1]),
                (MessageUse::Derivatives, all),
            ] {
                let whole = sum_product(graph, &[], &Limits::default()).unwrap();
                let Some(sliced) = sliced(graph, keep, uses, memory) else {
                    assert_eq!(whole.log_total, f64::NEG_INFINITY);
                    continue;
                };
                slices.set(slices.get() + sliced.plan.slices);
                let (log_total, shares) = total(&sliced, graph, keep);
                assert_close(log_total, whole.log_total);
                if log_total == f64::NEG_INFINITY {
                    continue;
                }
                for (v, shares) in keep.iter().zip(shares) {
                    let expected = sum_product(graph, &[*v], &Limits::default()).unwrap();
                    for (share, expected) in shares.iter().zip(expected.probabilities) {
                        assert_close(*share, expected);
                    }
                }
            }
        });
        assert!(slices.get() > 1000, "{}", slices.get());
    }

    #[test]
    fn the_best_of_the_slices_is_the_best_of_all() {
        for_each_graph(|graph, memory, _| {
            let whole = most_probable(graph, &Limits::default());
            let best = sliced(graph, &[], MessageUse::Traceback, memory).and_then(|sliced| {
                let found = sliced
                    .best(0..sliced.units(), &Limits::default())
                    .unwrap()?;
                Some(figrs_factor::eliminate::log_weight(graph, &found.values))
            });
            match (whole, best) {
                (Ok((_, log_weight)), Some(best)) => assert_close(log_weight, best),
                (Err(EliminationError::Impossible), None) => {}
                (whole, best) => panic!("{whole:?}, {best:?}"),
            }
        });
    }

    #[test]
    fn a_slice_that_outgrows_its_prediction_is_sliced_in_turn() {
        let mut rng = generator(12);
        for _ in 0..2 {
            // In a grid of seven by seven variables, messages have 4^7 entries.
            let mut graph = FactorGraph::default();
            let all: Vec<VarId> = (0..49).map(|_| graph.add_variable(4)).collect();
            let right = (0..49).filter(|i| i % 7 < 6).map(|i| (i, i + 1));
            for (i, j) in right.chain((0..42).map(|i| (i, i + 7))) {
                let weights = (0..16).map(|_| rng.random_range(0.1..1.0));
                graph.factors.push(Factor {
                    variables: vec![all[i], all[j]],
                    table: FactorTable::Dense(Weights::from_linear(weights.collect())),
                    normalised: false,
                });
            }
            let expected = sum_product(&graph, &[all[3]], &Limits::default()).unwrap();
            let (_, log_weight) = most_probable(&graph, &Limits::default()).unwrap();
            for uses in [MessageUse::Once, MessageUse::Traceback] {
                let mut sliced = sliced(&graph, &[all[3]], uses, 1 << 24).unwrap();
                sliced.memory = 1 << 18;
                (sliced.plan.cost.memory, sliced.plan.cost.memory_kept) = (1.0, 1.0);
                let limits = Limits::default();
                let alone = sliced.for_each_slice(0, &limits, |slice, _| {
                    sum_product(&slice.reduced.graph, &[], &slice.limits).map(drop)
                });
                assert!(alone.is_err_and(|error| error.is_budget()));
                if uses == MessageUse::Traceback {
                    let best = sliced.best(0..sliced.units(), &limits);
                    let best = best.unwrap().unwrap().values;
                    let found = figrs_factor::eliminate::log_weight(&graph, &best);
                    assert_close(found, log_weight);
                } else {
                    let (log_total, shares) = total(&sliced, &graph, &[all[3]]);
                    assert_close(log_total, expected.log_total);
                    for (share, expected) in shares[0].iter().zip(&expected.probabilities) {
                        assert_close(*share, *expected);
                    }
                }
            }
        }
    }
}
