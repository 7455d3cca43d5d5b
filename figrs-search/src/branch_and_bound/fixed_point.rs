//! Fixed-point costs of the assignments of a factor graph: negative logarithms of weights, scaled and rounded down to integers.

use figrs_factor::graph::{Factor, FactorGraph, for_each_entry, log_stored};

use super::cost_table::{CostTable, CostTables, FORBIDDEN, LARGEST_SUM, ListedCosts};
use super::outward::{above, below, difference_above, difference_below, sum_above};

/// Base-2 logarithm of the largest scale of fixed-point costs.
const FINEST: f64 = 46.0;

/// Maximum number of entries of a cost table that is always stored as a dense table. A larger table is stored as a dense table if it has at most
/// `DENSE_FOR_EACH` entries for each stored entry.
const DENSE: usize = 1 << 12;
const DENSE_FOR_EACH: usize = 16;

/// Costs of the assignments of a factor graph, as integer multiples of `1 / scale`.
///
/// The cost of an assignment is the logarithm of the product of the largest weights of all factors, minus the logarithm of the assignment's weight.
/// The fixed-point cost by each factor is rounded down. The value `best - cost / scale` is an upper bound of the logarithm of an assignment's weight.
/// The upper bound exceeds the logarithm of the assignment's weight by less than `rounded / scale`, apart from floating-point rounding, which is
/// always upwards.
#[derive(Debug)]
pub(super) struct FixedPointCosts {
    pub(super) costs: CostTables,
    pub(super) scale: f64,
    /// The sum over all factors of the logarithm of the factor's largest weight, rounded up.
    best: f64,
    /// Number of factors whose fixed-point costs may have been rounded.
    rounded: i64,
    /// The sum over all factors of the largest absolute value of a weight's logarithm.
    pub(super) magnitude: f64,
    /// The sum over all factors of the largest finite cost.
    pub(super) dearest: i64,
}

impl FixedPointCosts {
    /// Computes the fixed-point costs with the largest scale at which the sum of the costs does not overflow; returns `None` if all entries of a
    /// factor are zero.
    pub(super) fn new(graph: &FactorGraph) -> Option<Self> {
        Self::within(graph, f64::INFINITY)
    }

    /// Computes the fixed-point costs as `new` does, but forbids every entry whose logarithm is more than `limit` below the largest logarithm of its
    /// factor. Without the forbidden entries, the scale of the fixed-point costs can be larger. An assignment keeps its cost if the logarithm of its
    /// weight is at most `limit` below `best`.
    pub(super) fn within(graph: &FactorGraph, limit: f64) -> Option<Self> {
        let mut ranges = Vec::with_capacity(graph.factors.len());
        for factor in &graph.factors {
            let range = LogRange::of(graph, factor)?;
            ranges.push(range.without_below(graph, factor, limit));
        }
        let total: f64 = ranges.iter().map(|range| range.most - range.least).sum();
        let whole = (LARGEST_SUM as f64 / 2.0).log2();
        let exponent = (whole - total.clamp(1e-300, f64::MAX).log2()).floor();
        let scale = exponent.min(FINEST).exp2();
        let mut this = Self {
            costs: CostTables {
                sizes: graph.cardinalities.clone(),
                ..CostTables::default()
            },
            scale,
            best: sum_above(ranges.iter().map(|range| above(range.most))),
            rounded: 0,
            magnitude: ranges.iter().map(LogRange::magnitude).sum(),
            dearest: 0,
        };
        for (factor, range) in graph.factors.iter().zip(&ranges) {
            this.add(graph, factor, range);
        }
        Some(this)
    }

    pub(super) fn best(&self) -> f64 {
        self.best
    }

    /// Returns an upper bound of the logarithm of the weight of every assignment with a cost of at least `cost`.
    pub(super) fn log(&self, cost: i64) -> f64 {
        let mut rounded = cost as f64;
        if rounded as i64 > cost {
            rounded = rounded.next_down();
        }
        difference_above(self.best, rounded / self.scale)
    }

    /// Returns the minimum difference of the costs of two assignments for one of them to be treated as better.
    ///
    /// Returns the largest difference that rounding can make between the costs of assignments with equal weights.
    pub(super) fn slack(&self) -> i64 {
        self.rounded
    }

    fn add(&mut self, graph: &FactorGraph, factor: &Factor, range: &LogRange) {
        let cost = |entry: usize| {
            let stored = log_stored(factor, entry);
            if stored < range.least {
                return FORBIDDEN;
            }
            let distance = difference_below(below(range.most), above(stored)).max(0.0);
            (distance * self.scale) as i64
        };
        let dearest = ((range.most - range.least) * self.scale) as i64;
        self.rounded += i64::from(range.most > range.least);
        self.dearest += dearest;
        let variables: Vec<u32> = factor.variables.iter().map(|v| v.0).collect();
        let entries = graph.dense_size(&factor.variables);
        if entries > DENSE.max(factor.entries().saturating_mul(DENSE_FOR_EACH)) {
            let mut listed = ListedCosts::new(variables);
            for_each_entry(graph, factor, |entry, row| listed.push(row, cost(entry)));
            self.costs.listed.push(listed);
            return;
        }
        let mut cells = vec![FORBIDDEN; entries];
        for_each_entry(graph, factor, |entry, row| {
            let place = row.iter().zip(&factor.variables);
            let place = place.fold(0, |at, (&x, &v)| at * graph.cardinality(v) + x as usize);
            cells[place] = cost(entry);
        });
        let table = CostTable {
            scope: variables,
            cells,
        };
        self.costs
            .tables
            .push(table.renamed(&graph.cardinalities, |v| v));
    }
}

struct LogRange {
    least: f64,
    most: f64,
}

impl LogRange {
    fn of(graph: &FactorGraph, factor: &Factor) -> Option<Self> {
        let mut range = Self {
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        };
        for_each_entry(graph, factor, |entry, _| {
            let log = log_stored(factor, entry);
            range.least = range.least.min(log);
            range.most = range.most.max(log);
        });
        (range.most > f64::NEG_INFINITY).then_some(range)
    }

    /// Returns the range of the logarithms of the factor's entries that are at most `limit` below the largest one.
    fn without_below(self, graph: &FactorGraph, factor: &Factor, limit: f64) -> Self {
        let least = (self.most - limit).next_down();
        if self.least >= least {
            return self;
        }
        let mut range = Self {
            least: self.most,
            ..self
        };
        for_each_entry(graph, factor, |entry, _| {
            let log = log_stored(factor, entry);
            if log >= least {
                range.least = range.least.min(log);
            }
        });
        range
    }

    fn magnitude(&self) -> f64 {
        self.most.abs().max(self.least.abs())
    }
}

#[cfg(test)]
mod tests {
    use figrs_factor::graph::{FactorTable, VarId, Weights};
    use rand::RngExt;

    use super::super::cost_table::LARGE;
    use super::*;
    use figrs_factor::eliminate::log_weight;
    use figrs_random_graphs::{RANGES, generator, random_graph, values_of, variables};

    fn check(graph: &FactorGraph, case: &str) {
        let Some(fixed) = FixedPointCosts::new(graph) else {
            let all = variables(graph);
            let weighs = |i| log_weight(graph, &values_of(graph, &all, i)) > f64::NEG_INFINITY;
            assert!(!(0..graph.dense_size(&all)).any(weighs), "{case}");
            return;
        };
        assert!(fixed.dearest <= LARGEST_SUM, "{case}: {}", fixed.dearest);
        let all = variables(graph);
        let largest: f64 = graph
            .factors
            .iter()
            .map(|factor| {
                let range = LogRange::of(graph, factor).expect("it has weight");
                range.magnitude()
            })
            .sum();
        for i in 0..graph.dense_size(&all) {
            let values = values_of(graph, &all, i);
            let (log, cost) = (log_weight(graph, &values), fixed.costs.cost(&values));
            assert_eq!(
                log == f64::NEG_INFINITY,
                cost >= LARGE,
                "{case}: {values:?}"
            );
            if cost < LARGE {
                let above = fixed.log(cost) - log;
                let rounding = 1e-14 * (1.0 + largest);
                let unit = fixed.slack() as f64 / fixed.scale;
                assert!(
                    (-rounding..=unit + rounding).contains(&above),
                    "{case}: {values:?} is {above} below its bound, units of {}",
                    1.0 / fixed.scale
                );
            }
        }
    }

    #[test]
    fn costs_are_logarithms_rounded_down() {
        for range in RANGES {
            for seed in 0..300 {
                let graph = random_graph(&mut generator(seed), range);
                check(&graph, &format!("seed {seed}, {range:?}"));
            }
        }
    }

    /// Compares the bounds of fixed-point costs with exact integer sums, for random logarithms that are multiples of `2^-46` with 53 bits.
    #[test]
    fn bounds_are_not_below_exact_sums() {
        let unit = f64::exp2(-46.0);
        let mut below = 0;
        for seed in 0..300 {
            let mut rng = generator(seed);
            let mut graph = FactorGraph::default();
            let v = graph.add_variable(3);
            let mut exact = [0i128; 3];
            for _ in 0..rng.random_range(2..30) {
                let units: Vec<i64> = (0..3)
                    .map(|_| rng.random_range(-(1i64 << 53)..1 << 53))
                    .collect();
                for (sum, &x) in exact.iter_mut().zip(&units) {
                    *sum += i128::from(x);
                }
                let logs = units.iter().map(|&x| x as f64 * unit).collect();
                graph.factors.push(Factor {
                    variables: vec![v],
                    table: FactorTable::Dense(Weights::from_logs(logs)),
                    normalised: false,
                });
            }
            let fixed = FixedPointCosts::new(&graph).expect("it has weight");
            for (value, &sum) in (0..).zip(&exact) {
                let log = fixed.log(fixed.costs.cost(&[value]));
                let units = (log / unit).floor() as i128;
                assert!(units >= sum, "seed {seed}: {log} for {sum}");
                below += usize::from(((log_weight(&graph, &[value]) / unit).floor() as i128) < sum);
            }
        }
        assert!(below > 100, "{below}");
    }

    /// Tests weights from the smallest to the largest floating-point number, and logarithms of weights far outside that
    /// range.
    #[test]
    fn costs_of_extreme_weights_do_not_overflow() {
        let mut graph = FactorGraph::default();
        let v = graph.add_variable(4);
        let w = graph.add_variable(4);
        let mut add = |variables: &[VarId], table: Weights| {
            graph.factors.push(Factor {
                variables: variables.to_vec(),
                table: FactorTable::Dense(table),
                normalised: false,
            });
        };
        add(
            &[v],
            Weights::from_linear(vec![5e-324, 1e-300, 1e300, f64::MAX]),
        );
        add(&[w], Weights::from_linear(vec![0.0, 1e-300, 1e300, 1.0]));
        add(
            &[v],
            Weights::from_logs(vec![-1e12, 1e12, 0.0, f64::NEG_INFINITY]),
        );
        check(&graph, "extreme weights");
    }
}
