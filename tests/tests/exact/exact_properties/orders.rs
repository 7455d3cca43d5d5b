//! Tests that every elimination order gives the same answer.

use figrs_core::Limits;
use figrs_core::expand::{Encoding, Expansion};
use figrs_core::factor::{FactorGraph, VarId};
use figrs_infer::eliminate::{BarrenFactors, EliminationError, Order, most_probable, sum_product};
use figrs_tests::oracle::close;
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;

use crate::exact_properties::shared::{Checked, EXACT, failed, is_wide, takes_long};

/// Returns a permutation of the variables that a seed determines.
fn shuffled(count: usize, seed: u64) -> Vec<VarId> {
    let mut state = seed | 1;
    let mut order: Vec<VarId> = (0..count as u32).map(VarId).collect();
    for i in (1..count).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

fn orders_agree(description: &Description, seed: u64) -> Checked {
    let built = build(description);
    if is_wide(&built.model, &built.erased())? {
        return Ok(());
    }
    let expansion =
        Expansion::new(&built.model, &built.erased(), &Limits::default()).map_err(failed)?;
    if expansion.impossible().is_some() {
        return Ok(());
    }
    let small = || Limits::default().table_entries(1 << 16);
    let target = expansion.targets()[0];
    let sums = Encoding::for_sums(&expansion, &[target]).map_err(failed)?;
    let worlds = Encoding::for_worlds(&expansion).map_err(failed)?;
    let keep: Vec<VarId> = sums.variable(target).into_iter().collect();
    let Ok(expected) = sum_product(sums.graph(), &keep, &small()) else {
        return Ok(());
    };
    let best = most_probable(worlds.graph(), &small());
    for (i, barren) in [
        BarrenFactors::Prune,
        BarrenFactors::Compute,
        BarrenFactors::Prune,
    ]
    .into_iter()
    .enumerate()
    {
        let order = |graph: &FactorGraph| {
            Order::Given(shuffled(graph.cardinalities.len(), seed + i as u64))
        };
        let options = small().barren(barren).order(order(sums.graph()));
        if !takes_long(sums.graph(), &keep, &options)
            && let Ok(found) = sum_product(sums.graph(), &keep, &options)
        {
            prop_assert!(close(found.log_total, expected.log_total, EXACT));
            let pairs = found.probabilities.iter().zip(&expected.probabilities);
            let equal = pairs.clone().all(|(p, q)| (p - q).abs() <= EXACT);
            prop_assert!(equal, "{found:?} {expected:?}");
        }
        let options = small().barren(barren).order(order(worlds.graph()));
        if takes_long(worlds.graph(), &[], &options) {
            continue;
        }
        match (&best, most_probable(worlds.graph(), &options)) {
            (Ok(best), Ok(found)) => prop_assert!(close(best.1, found.1, EXACT)),
            (_, Err(EliminationError::TableTooLarge { .. }))
            | (Err(EliminationError::TableTooLarge { .. }), _)
            | (Err(EliminationError::Impossible), Err(EliminationError::Impossible)) => {}
            (a, b) => return Err(failed(format!("{a:?} {b:?}"))),
        }
    }
    Ok(())
}

#[test]
fn the_order_of_elimination_does_not_matter() {
    let seed = std::cell::Cell::new(0);
    for_random_models(800, 4, |description| {
        // The seed is computed from the model, so that a failing case keeps its order while it shrinks.
        seed.set(description.definitions.len() as u64 * 31 + description.evidence.len() as u64);
        orders_agree(description, seed.get())
    });
}
