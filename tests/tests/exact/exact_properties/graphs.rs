//! Tests that the factor graph of a program gives worlds the same weights as the program.

use figrs_core::Limits;
use figrs_core::expand::{Encoding, Expansion};
use figrs_core::factor::{FactorGraph, FactorTable};
use figrs_lower::Observations;
use figrs_tests::oracle::{LogSum, close, every_assignment, every_run};
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;

use crate::exact_properties::shared::{Checked, EXACT, WORLDS, failed};

/// Checks that a factor that is marked as normalised sums to one over its last variable.
fn normalised_factors_sum_to_one(graph: &FactorGraph) -> Checked {
    for factor in graph.factors.iter().filter(|f| f.normalised) {
        let last = factor.variables[factor.variables.len() - 1];
        match &factor.table {
            FactorTable::Dense(weights) => {
                let columns = graph.cardinality(last);
                for row in 0..weights.len() / columns {
                    let mut sum = LogSum::default();
                    (0..columns).for_each(|c| sum.add(weights.log(row * columns + c)));
                    prop_assert!(sum.value().abs() < EXACT, "row {row} of {factor:?}");
                }
            }
            FactorTable::Function { index } => {
                let below = index
                    .iter()
                    .all(|&v| (v as usize) < graph.cardinality(last));
                prop_assert!(below, "{factor:?}");
            }
            FactorTable::Sparse { .. } => {}
        }
    }
    Ok(())
}

/// Returns the sum and the number of all assignments, and the largest weight; `None` if there are too many.
fn brute(graph: &FactorGraph) -> Option<(f64, usize, f64)> {
    let (mut sum, mut count, mut best) = (LogSum::default(), 0, f64::NEG_INFINITY);
    let done = every_assignment(graph, 200_000, |_, log| {
        sum.add(log);
        count += 1;
        best = best.max(log);
    });
    done.then_some((sum.value(), count, best))
}

fn graphs_mean_worlds(description: &Description) -> Checked {
    let built = build(description);
    let targets = built.erased();
    let (mut total, mut worlds, mut best) = (LogSum::default(), 0, f64::NEG_INFINITY);
    let done = every_run(
        &built.model,
        &targets,
        Observations::Compare,
        WORLDS as usize,
        |_, p, w| {
            total.add(p + w);
            worlds += 1;
            best = best.max(p + w);
        },
    );
    if !done.map_err(failed)? {
        return Ok(());
    }
    let expansion = Expansion::new(&built.model, &targets, &Limits::default()).map_err(failed)?;
    if expansion.impossible().is_some() {
        prop_assert_eq!(worlds, 0);
        return Ok(());
    }
    let encoding = Encoding::for_worlds(&expansion).map_err(failed)?;
    normalised_factors_sum_to_one(encoding.graph())?;
    if let Some((sum, count, largest)) = brute(encoding.graph()) {
        prop_assert!(
            close(sum, total.value(), EXACT),
            "for worlds: {sum}, not {}",
            total.value()
        );
        prop_assert_eq!(count, worlds, "assignments, worlds");
        prop_assert!(
            close(largest, best, EXACT),
            "the largest: {largest}, not {best}"
        );
    }
    let mut wanted = vec![vec![]];
    wanted.extend(expansion.targets().iter().map(|&t| vec![t]));
    wanted.push(expansion.targets().to_vec());
    for kept in wanted {
        let encoding = Encoding::for_sums(&expansion, &kept).map_err(failed)?;
        normalised_factors_sum_to_one(encoding.graph())?;
        if let Some((sum, ..)) = brute(encoding.graph()) {
            prop_assert!(
                close(sum, total.value(), EXACT),
                "for {kept:?}: {sum}, not {}",
                total.value()
            );
        }
    }
    Ok(())
}

#[test]
fn factor_graphs_weigh_worlds_as_the_program_does() {
    for_random_models(1500, 3, graphs_mean_worlds);
}
