//! Bounds of the sum over all assignments, by mini-bucket eliminations of growing tables.

use figrs_core::Until;
use figrs_core::factor::FactorGraph;

use super::bucket_order::BucketOrder;
use super::messages::{BoundKind, MiniBuckets};
use crate::answer::bounds::Bounds;
use crate::exact::consistency::reduce;
use crate::exact::eliminate::{EliminationError, as_if_dense_within, without_barren};
use crate::exact::order::MAX_WORK;

/// Entries of the tables of the eliminations, one after another.
const TABLES: [usize; 3] = [1 << 8, 1 << 13, 1 << 18];

/// Bounds of the natural logarithm of the sum, over all assignments, of the product of all factors, with messages of `most` entries together.
///
/// Work that is stopped leaves the bounds found by then, at worst infinite ones.
///
/// **Errors.** Those of an elimination with tables of any size, but for interrupts.
pub(crate) fn sum_bounds(
    graph: &FactorGraph,
    most: f64,
    until: &Until,
) -> Result<Bounds, EliminationError> {
    sum_bounds_by(graph, (&TABLES, most), (MAX_WORK, until))
}

/// The first of these [bounds](sum_bounds) alone, in the order of a short search.
///
/// **Errors.** Those of an elimination.
pub(crate) fn coarse_sum_bounds(
    graph: &FactorGraph,
    most: f64,
    until: &Until,
) -> Result<Bounds, EliminationError> {
    sum_bounds_by(graph, (&TABLES[..1], most), (0, until))
}

/// Bounds by tables of these entries, `most` together, in an order that is searched with so much work.
fn sum_bounds_by(
    graph: &FactorGraph,
    (tables, most): (&[usize], f64),
    (order_work, until): (u64, &Until),
) -> Result<Bounds, EliminationError> {
    let needed = without_barren(graph, &[]);
    let Some(reduced) = reduce(needed.as_ref().unwrap_or(graph)) else {
        return Ok(Bounds::exact(f64::NEG_INFINITY));
    };
    let mut bounds = Bounds {
        lower: f64::NEG_INFINITY,
        upper: f64::INFINITY,
    };
    let tightened = as_if_dense_within(&reduced.graph, order_work, until).and_then(|buckets| {
        let order = BucketOrder::new(reduced.graph.cardinalities.len(), &buckets);
        let limits = (tables, most);
        tighten(&reduced.graph, &order, limits, &mut bounds, until)
    });
    match tightened {
        Ok(()) | Err(EliminationError::Interrupted) => Ok(bounds),
        Err(error) => Err(error),
    }
}

fn tighten(
    graph: &FactorGraph,
    order: &BucketOrder,
    (tables, most): (&[usize], f64),
    bounds: &mut Bounds,
    until: &Until,
) -> Result<(), EliminationError> {
    for &table in tables {
        let bound = |kind| -> Result<f64, EliminationError> {
            let limits = (table, most);
            Ok(MiniBuckets::new(graph, order, limits, kind, until)?.bound(graph))
        };
        // More than all additions may have rounded off.
        let additions = (graph.factors.len() + 2 * graph.cardinalities.len()) as f64;
        let slack = |log: f64| 4.0 * additions * f64::EPSILON * (1.0 + log.abs());
        let above = bound(BoundKind::SumAbove)?;
        if above == f64::NEG_INFINITY {
            *bounds = Bounds::exact(above);
            return Ok(());
        }
        let below = bound(BoundKind::SumBelow)?;
        bounds.upper = bounds.upper.min(above + slack(above));
        if below > f64::NEG_INFINITY {
            bounds.lower = bounds.lower.max(below - slack(below));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::eliminate::tests::{RANGES, generator, random_graph};
    use crate::exact::eliminate::{Options, as_if_dense, most_probable, sum_product};

    #[test]
    fn every_bound_encloses_the_sum_and_the_maximum() {
        let (mut loose, mut finite) = (0, 0);
        for seed in 0..600 {
            let graph = random_graph(&mut generator(seed), RANGES[seed as usize % RANGES.len()]);
            let until = Until::default();
            let buckets = as_if_dense(&graph, &until).unwrap();
            let order = BucketOrder::new(graph.cardinalities.len(), &buckets);
            let sum = sum_product(&graph, &[], &Options::default()).unwrap();
            let sum = sum.log_total;
            let best = most_probable(&graph, &Options::default());
            let best = best.map_or(f64::NEG_INFINITY, |(_, log)| log);
            for table in [1, 2, 4, 16] {
                let [above, below, maximum] = [
                    BoundKind::SumAbove,
                    BoundKind::SumBelow,
                    BoundKind::MaximumAbove,
                ]
                .map(|kind| {
                    let limits = (table, 1e6);
                    let messages = MiniBuckets::new(&graph, &order, limits, kind, &until).unwrap();
                    messages.bound(&graph)
                });
                let slack = 1e-9 * (1.0 + sum.abs());
                let is_above = sum == f64::NEG_INFINITY || above >= sum - slack;
                let is_below = sum == f64::NEG_INFINITY || below <= sum + slack;
                assert!(is_above && is_below, "{below} {sum} {above}");
                assert!(best == f64::NEG_INFINITY || maximum >= best - slack);
                loose += usize::from(above > sum + 1e-3);
                finite += usize::from(below.is_finite() && below < sum - 1e-3);
            }
            let bounds = sum_bounds(&graph, 1e6, &until).unwrap();
            let close =
                |bound: f64| bound == sum || (bound - sum).abs() <= 1e-9 * (1.0 + sum.abs());
            assert!(close(bounds.lower) && close(bounds.upper), "{bounds} {sum}");
        }
        assert!(loose > 100 && finite > 20, "{loose} {finite}");
    }

    #[test]
    fn work_that_is_stopped_leaves_sound_bounds() {
        let graph = random_graph(&mut generator(3), RANGES[0]);
        let until = Until {
            deadline: Some(std::time::Instant::now()),
            interrupt: None,
        };
        let bounds = sum_bounds(&graph, 1e6, &until).unwrap();
        let sum = sum_product(&graph, &[], &Options::default()).unwrap();
        assert!(bounds.lower <= sum.log_total + 1e-9 && bounds.upper >= sum.log_total - 1e-9);
    }
}
