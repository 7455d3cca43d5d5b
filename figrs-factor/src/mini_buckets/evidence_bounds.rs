//! Bounds of the sum of the weights of all assignments, by a sequence of mini-bucket eliminations with increasing table sizes.

use std::ops::Range;

use crate::graph::{FactorGraph, Weights};
use crate::limits::Until;

use super::bucket_order::BucketOrder;
use super::messages::{BoundKind, MiniBuckets, fitting_partition};
use crate::bounds::Bounds;
use crate::consistency::reduce;
use crate::eliminate::{EliminationError, as_if_dense, without_barren};
use crate::order::MAX_WORK;

/// Maximum number of entries of a table, for each of the successive mini-bucket eliminations.
const TABLES: [usize; 4] = [1 << 8, 1 << 13, 1 << 18, 1 << 21];
/// Number of table sizes that [`sum_bounds`] can try.
pub const ALL_SIZES: usize = TABLES.len();
/// Number of the smallest table sizes of [`sum_bounds`], whose mini-bucket eliminations together take seconds on models with some hundred variables.
pub const QUICK_SIZES: usize = 3;
/// Maximum total number of entries of the messages in [`crude_bounds`]; with this limit, `crude_bounds` takes at most about a tenth of a second.
const CRUDE_ENTRIES: f64 = 262_144.0;
/// The mini-bucket eliminations end when the relative difference of the two bounds is at most this number.
const CLOSE: f64 = 1e-9;

/// Limits of the eliminations that bound a sum.
#[derive(Clone, Copy, Debug)]
pub struct BoundingEffort<'a> {
    /// Maximum total number of entries of the messages of one mini-bucket elimination.
    pub most: f64,
    /// Total number of entries of the messages above which a mini-bucket elimination is not run.
    pub work: f64,
    /// Deadline and interrupt.
    pub until: &'a Until,
}

/// The bounds of a sum before any elimination: minus and plus infinity.
pub const UNBOUNDED: Bounds = Bounds {
    lower: f64::NEG_INFINITY,
    upper: f64::INFINITY,
};

/// Computes bounds of the log-sum at about the cost of reading the factors. The log-sum is the natural logarithm of the sum, over all assignments, of
/// the product of all factors. The first upper bound is the product of the factors' largest entries and of the variables' cardinalities. Unless the
/// deadline has passed, a mini-bucket elimination improves the upper bound and adds a lower bound. The mini-bucket elimination eliminates the
/// variables that occur in the fewest factors first.
pub fn crude_bounds(graph: &FactorGraph, until: &Until) -> Bounds {
    let of_all = product_of_maxima(graph);
    let needed = without_barren(graph, &[]);
    let Some(reduced) = reduce(needed.as_ref().unwrap_or(graph)) else {
        return Bounds::exact(f64::NEG_INFINITY);
    };
    let graph = &reduced.graph;
    let upper = of_all.min(product_of_maxima(graph));
    if upper == f64::NEG_INFINITY {
        return Bounds::exact(upper);
    }
    let mut bounds = Bounds {
        upper: upper + slack(graph, upper),
        ..UNBOUNDED
    };
    let order = BucketOrder::fewest_factors_first(graph);
    let limits = (TABLES[0], CRUDE_ENTRIES);
    if let Ok(closer) = bounds_by(graph, &order, limits, until) {
        narrow(&mut bounds, closer);
    }
    bounds
}

/// Calls `tell` with increasingly close bounds of the natural logarithm of the sum, over all assignments, of the product of all factors. `sizes` is
/// the range of indices of the maximum table sizes to be tried. Returns the index of the first table size that was not tried.
///
/// **Errors.** The errors of an elimination without a limit on the size of tables; [`EliminationError::Interrupted`] if the run is stopped.
pub fn sum_bounds(
    graph: &FactorGraph,
    sizes: Range<usize>,
    effort: BoundingEffort<'_>,
    tell: &mut dyn FnMut(Bounds),
) -> Result<usize, EliminationError> {
    let needed = without_barren(graph, &[]);
    let Some(reduced) = reduce(needed.as_ref().unwrap_or(graph)) else {
        tell(Bounds::exact(f64::NEG_INFINITY));
        return Ok(TABLES.len());
    };
    let graph = &reduced.graph;
    let buckets = as_if_dense(graph, &[], (MAX_WORK, effort.until))?;
    let order = BucketOrder::new(graph.cardinalities.len(), &buckets);
    let mut before = 0;
    for (table, number) in TABLES.into_iter().zip(0..) {
        let (_, limit, entries) = fitting_partition(graph, &order, table, effort.most);
        if limit <= before {
            // The memory limit does not allow larger tables.
            return Ok(TABLES.len());
        }
        before = limit;
        if number < sizes.start {
            continue;
        }
        if number >= sizes.end || entries > effort.work {
            return Ok(number);
        }
        let bounds = bounds_by(graph, &order, (limit, effort.most), effort.until)?;
        tell(bounds);
        if bounds.width() <= CLOSE * (1.0 + bounds.upper.abs()) || bounds.upper == bounds.lower {
            break;
        }
    }
    Ok(TABLES.len())
}

/// Computes a lower and an upper bound, each by one mini-bucket elimination; `limits` has the maximum numbers of entries of a table and of all
/// messages together.
fn bounds_by(
    graph: &FactorGraph,
    order: &BucketOrder,
    limits: (usize, f64),
    until: &Until,
) -> Result<Bounds, EliminationError> {
    let bound = |kind| -> Result<f64, EliminationError> {
        Ok(MiniBuckets::new(graph, order, limits, kind, until)?.bound(graph))
    };
    let above = bound(BoundKind::SumAbove)?;
    if above == f64::NEG_INFINITY {
        return Ok(Bounds::exact(above));
    }
    let below = bound(BoundKind::SumBelow)?;
    let mut bounds = UNBOUNDED;
    if above < f64::INFINITY {
        bounds.upper = above + slack(graph, above);
    }
    if below > f64::NEG_INFINITY {
        bounds.lower = below - slack(graph, below);
    }
    Ok(bounds)
}

/// Returns an upper bound of the rounding errors of all additions of an elimination.
fn slack(graph: &FactorGraph, log: f64) -> f64 {
    let additions = (graph.factors.len() + 2 * graph.cardinalities.len()) as f64;
    4.0 * additions * f64::EPSILON * (1.0 + log.abs())
}

/// Intersects `bounds` with other bounds of the same number.
pub fn narrow(bounds: &mut Bounds, other: Bounds) {
    bounds.lower = bounds.lower.max(other.lower);
    bounds.upper = bounds.upper.min(other.upper);
}

/// Returns the logarithm of a product: the largest entries of all factors, times the cardinalities of all variables. Normalised factors and their
/// last variables are omitted, because the sum of the products of these factors is one.
pub fn product_of_maxima(graph: &FactorGraph) -> f64 {
    let (is_left_out, is_summed) = normalised_factors(graph);
    let values = graph.cardinalities.iter().zip(is_summed);
    let values = values.filter(|(_, is_summed)| !is_summed);
    let values = values.map(|(&n, _)| f64::from(n).ln());
    let largest = |weights: &Weights| {
        let logs = (0..weights.len()).map(|entry| weights.log(entry));
        logs.fold(f64::NEG_INFINITY, f64::max)
    };
    let factors = graph.factors.iter().zip(is_left_out);
    let factors = factors.filter(|(_, is_left_out)| !is_left_out);
    let factors = factors.map(|(factor, _)| factor.table.weights().map_or(0.0, largest));
    values.chain(factors).sum()
}

/// Selects normalised factors whose dependencies have no directed cycle, at most one for each last variable. Returns marks of the selected factors
/// and of their last variables. The product of the selected factors sums to one if each of their last variables is summed out before the variables on
/// which it depends.
fn normalised_factors(graph: &FactorGraph) -> (Vec<bool>, Vec<bool>) {
    let n = graph.cardinalities.len();
    let mut factor_of: Vec<Option<usize>> = vec![None; n];
    for (number, factor) in graph.factors.iter().enumerate() {
        if let (true, Some(v)) = (factor.normalised, factor.variables.last()) {
            factor_of[v.index()].get_or_insert(number);
        }
    }
    let parents = |number: usize| graph.factors[number].variables.iter().rev().skip(1);
    let mut children = vec![0_u32; n];
    for &number in factor_of.iter().flatten() {
        for v in parents(number) {
            children[v.index()] += 1;
        }
    }
    let mut ready: Vec<usize> = (0..n).filter(|&v| children[v] == 0).collect();
    let mut is_left_out = vec![false; graph.factors.len()];
    let mut is_summed = vec![false; n];
    while let Some(v) = ready.pop() {
        let Some(number) = factor_of[v] else {
            continue;
        };
        (is_left_out[number], is_summed[v]) = (true, true);
        for v in parents(number) {
            children[v.index()] -= 1;
            if children[v.index()] == 0 {
                ready.push(v.index());
            }
        }
    }
    (is_left_out, is_summed)
}
