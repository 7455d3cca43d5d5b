//! Tests that worlds run side by side are the worlds of the scalar program. Each row of a block has the values and the weight of one run of the
//! program, and occurs as often as that run is probable, whatever was run before and whichever rows other rows continue.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use figrs_core::{AnyElement, Flip, If, Model, Normal, StandardDeviation, Stream, stream};
use figrs_lower::internals::{Block, PopulationWeights};
use figrs_lower::{EvidenceOrder, Observations};
use figrs_tests::oracle::every_run;
use figrs_tests::random_model::{Built, Description, Target, build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use rand::RngExt;
use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, Normal as Gaussian};

const RUNS: usize = 2000;
/// Number of rows, which is not a multiple of the 64 rows of a machine word.
const ROWS: usize = 1000;
const EXACT: f64 = 1e-9;
/// The logarithm of the smallest ratio to the largest weight that a number still represents with all its digits.
const LEAST: f64 = -600.0;
const LIMIT: usize = 1_000_000;

type Checked = Result<(), TestCaseError>;

fn failed(error: impl std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

/// The values of all elements outside branches, as codes.
type Values = Vec<u64>;
/// For each combination of values, the logarithms of the weights that worlds with these values may have, each with the probability of drawing it.
type Worlds = BTreeMap<Values, Vec<(f64, f64)>>;

fn worlds(built: &Built, elements: &[Target]) -> Result<Option<Worlds>, TestCaseError> {
    let mut worlds = Worlds::new();
    let erased: Vec<AnyElement> = elements.iter().map(Target::erased).collect();
    let visit = |program: &figrs_lower::Program, p: f64, weight: f64| {
        let value = |(target, &slot): (&Target, _)| {
            target.code(program.value(slot).expect("targets are in every world"))
        };
        let values = elements.iter().zip(program.targets()).map(value).collect();
        let weights = worlds.entry(values).or_default();
        match weights.iter_mut().find(|(w, _)| (w - weight).abs() < EXACT) {
            Some((_, all)) => *all += p.exp(),
            None => weights.push((weight, p.exp())),
        }
    };
    let all = every_run(&built.model, &erased, Observations::Weigh, RUNS, visit);
    Ok(all.map_err(failed)?.then_some(worlds))
}

/// The rows of a block.
#[derive(Debug, PartialEq)]
struct Rows {
    /// The remaining rows, with their values and the logarithms of their weights.
    left: Vec<(usize, Values, f64)>,
    /// Logarithm of the weight below which weights are negligible compared with the largest and may underflow to zero.
    least: f64,
}

fn rows(block: &mut Block, elements: &[Target]) -> Rows {
    let plain = block.weights().plain();
    let weights = plain.rows(block.width());
    let mut rows = Vec::new();
    block.weights().for_each_survivor(|row| {
        rows.push((row, Vec::new(), weights[row].ln() + plain.log_scale));
    });
    for (i, element) in elements.iter().enumerate() {
        let column = block.target(i);
        let all = column.typed();
        for (at, (row, values, _)) in rows.iter_mut().enumerate() {
            assert_eq!(column.rows()[at] as usize, *row);
            values.push(element.code_of(all.any(at)));
        }
    }
    Rows {
        left: rows,
        least: plain.log_scale + LEAST,
    }
}

fn block(model: &Model, elements: &[Target]) -> Result<Block, TestCaseError> {
    let erased: Vec<AnyElement> = elements.iter().map(Target::erased).collect();
    let order = EvidenceOrder::ObservationsFirst;
    Block::new(model, &erased, Observations::Weigh, order, LIMIT).map_err(failed)
}

/// Returns the index of a row's weight among the possible weights of its values. The row had the weight `before` when its weight was reset to one.
fn place(
    worlds: &Worlds,
    values: &Values,
    (before, weight): (f64, f64),
    least: f64,
) -> Result<usize, TestCaseError> {
    let Some(weights) = worlds.get(values) else {
        return Err(failed(format!("{values:?} is no possible world")));
    };
    let same = |&(right, _): &(f64, f64)| {
        let right = right - before;
        (right - weight).abs() < EXACT || (right < least && weight < least)
    };
    weights.iter().position(same).ok_or_else(|| {
        failed(format!(
            "{values:?} weighs {}, not one of {weights:?} (log, probability)",
            before + weight
        ))
    })
}

/// Returns Pearson's statistic and its degrees of freedom; rare worlds are counted together.
fn pearson(counts: &[(f64, f64)]) -> (f64, f64) {
    const FEW: f64 = 10.0;
    let (mut statistic, mut classes, mut rest) = (0.0, 0.0, (0.0, 0.0));
    let mut add = |(count, expected): (f64, f64)| {
        statistic += (count - expected).powi(2) / expected;
        classes += 1.0;
    };
    for &(count, expected) in counts {
        if expected >= FEW {
            add((count, expected));
        } else {
            rest.0 += count;
            rest.1 += expected;
        }
    }
    if rest.1 >= FEW {
        add(rest);
    }
    (statistic, f64::max(classes - 1.0, 0.0))
}

/// With fixed seeds this test always gives the same result. With random seeds it would fail for a correct engine with a probability of about 1e-6.
/// The sum of the statistics of all models is nearly normal and may deviate by 5 standard deviations; the statistic of each model must not be in its
/// 1e-10 tail. That is a thousand times more than a model's share, because statistics of few expected counts have heavier tails.
fn compare_with_runs(cases: u32, width: usize, seed_of_models: u64) {
    let (models, seed) = (Cell::new(0), Cell::new(0));
    let sums = RefCell::new((0.0, 0.0));
    for_random_models(
        cases,
        seed_of_models,
        |description: &Description| -> Checked {
            let built = build(description);
            let elements = built.elements();
            let Some(worlds) = worlds(&built, &elements)? else {
                return Ok(());
            };
            let logs = worlds.values().flatten().map(|(weight, _)| *weight);
            let (least, most) = logs.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
            // The index of a very small weight can be found only if the block contains the largest weight.
            if width < ROWS && most - least > -LEAST {
                return Ok(());
            }
            seed.set(seed.get() + 1);
            let mut block = block(&built.model, &elements)?;
            let mut counts: BTreeMap<(Values, usize), f64> = BTreeMap::new();
            for number in 0..ROWS / width {
                let mut rng = stream(seed.get(), number as u64);
                block.run(width, &mut rng).map_err(failed)?;
                let rows = rows(&mut block, &elements);
                for (_, values, weight) in rows.left {
                    let which = place(&worlds, &values, (0.0, weight), rows.least)?;
                    *counts.entry((values, which)).or_default() += 1.0;
                }
            }
            let mut compared = Vec::new();
            let mut possible = 0.0;
            for (values, weights) in &worlds {
                for (which, (_, p)) in weights.iter().enumerate() {
                    let count = counts.get(&(values.clone(), which)).copied();
                    let count = count.unwrap_or(0.0);
                    compared.push((count, p * ROWS as f64));
                    possible += p;
                }
            }
            let lost = ROWS as f64 - counts.values().sum::<f64>();
            let expected = (1.0 - possible).max(0.0) * ROWS as f64;
            prop_assert!(lost == 0.0 || expected > 1e-9, "{lost} rows were lost");
            compared.push((lost, expected));
            let (statistic, freedom) = pearson(&compared);
            if freedom > 0.0 {
                models.set(models.get() + 1);
                let tail = ChiSquared::new(freedom).map_err(failed)?.sf(statistic);
                prop_assert!(
                    tail > 1e-10,
                    "{statistic} with {freedom} degrees of freedom"
                );
                sums.borrow_mut().0 += statistic;
                sums.borrow_mut().1 += freedom;
            }
            Ok(())
        },
    );
    let (statistic, freedom) = sums.into_inner();
    println!(
        "{statistic} with {freedom} degrees of freedom, {} models",
        models.get()
    );
    assert!(models.get() > cases / 5);
    let score = (statistic - freedom) / (2.0 * freedom).sqrt();
    assert!(score.abs() < 5.0, "{score} standard deviations");
}

#[test]
fn rows_are_possible_worlds_as_often_as_they_are_likely() {
    compare_with_runs(600, ROWS, 41);
}

/// There are so few rows that most of them follow the branches of their `Chain` elements one by one.
#[test]
fn rows_of_narrow_blocks_are_worlds_as_often_as_they_are_likely() {
    compare_with_runs(300, 20, 44);
}

/// After each statement, lets the rows of some populations of `size` rows continue other rows, and returns the weights that the rows had before.
/// Populations without a row of positive weight are dropped.
fn run_with_copies(
    block: &mut Block,
    rng: &mut Stream,
    size: usize,
) -> Result<Option<Vec<f64>>, TestCaseError> {
    let mut before = vec![0.0; 3 * size];
    block.start(before.len());
    for root in 0..block.roots() {
        block.run_root(root, rng).map_err(failed)?;
        if root >= block.statements() {
            continue;
        }
        let PopulationWeights { weights, log_units } = block.weights().of_populations(size);
        let (mut ancestors, mut replaced, mut after) = (Vec::new(), Vec::new(), Vec::new());
        for (unit, start) in log_units.into_iter().zip((0..).step_by(size)) {
            let left: Vec<usize> = (start..start + size)
                .filter(|&row| weights[row].ln() > LEAST)
                .collect();
            if left.is_empty() {
                continue;
            }
            replaced.push(rng.random::<bool>());
            for row in start..start + size {
                if replaced.ends_with(&[true]) {
                    let row = left[rng.random_range(0..left.len())];
                    let unit = unit.expect("random models have no densities");
                    ancestors.push(row as u32);
                    after.push(before[row] + weights[row].ln() + unit);
                } else {
                    ancestors.push(row as u32);
                    after.push(before[row]);
                }
            }
        }
        if replaced.is_empty() {
            return Ok(None);
        }
        before = after;
        block.resample_populations(ancestors, size, &replaced);
    }
    Ok(Some(before))
}

#[test]
fn rows_that_continue_others_stay_possible_worlds() {
    let (seed, checked) = (Cell::new(0), Cell::new(0));
    for_random_models(600, 42, |description: &Description| -> Checked {
        let built = build(description);
        let elements = built.elements();
        let Some(worlds) = worlds(&built, &elements)? else {
            return Ok(());
        };
        seed.set(seed.get() + 1);
        let mut block = block(&built.model, &elements)?;
        let mut rng = stream(seed.get(), 1);
        let Some(before) = run_with_copies(&mut block, &mut rng, 50)? else {
            return Ok(());
        };
        let rows = rows(&mut block, &elements);
        for (row, values, weight) in &rows.left {
            place(&worlds, values, (before[*row], *weight), rows.least)?;
        }
        checked.set(checked.get() + usize::from(block.statements() > 1));
        Ok(())
    });
    assert!(checked.get() > 70, "{}", checked.get());
}

#[test]
fn a_block_does_not_depend_on_those_before() {
    let seed = Cell::new(0);
    for_random_models(400, 43, |description: &Description| -> Checked {
        let built = build(description);
        let elements = built.elements();
        seed.set(seed.get() + 1);
        let mut used = block(&built.model, &elements)?;
        for (before, width) in [(1, 64), (2, 7), (3, 130)] {
            used.run(width, &mut stream(seed.get(), before))
                .map_err(failed)?;
        }
        run_with_copies(&mut used, &mut stream(seed.get(), 4), 90)?;
        let mut fresh = block(&built.model, &elements)?;
        for block in [&mut used, &mut fresh] {
            block.run(200, &mut stream(seed.get(), 5)).map_err(failed)?;
        }
        let (used, fresh) = (rows(&mut used, &elements), rows(&mut fresh, &elements));
        prop_assert_eq!(used, fresh);
        Ok(())
    });
}

#[test]
fn rows_weigh_the_densities_at_their_values() {
    let place = Normal::new(1.0, StandardDeviation(2.0));
    let wide = Flip::new(0.3);
    let seen = If::new(
        &wide,
        Normal::new(&place, StandardDeviation(5.0)),
        Normal::new(&place, StandardDeviation(0.5)),
    );
    let model = Model::new()
        .observe(&seen, 1.5)
        .log_weigh(&place, |x| -x * x);
    let targets = [place.erased().clone(), wide.erased().clone()];
    let order = EvidenceOrder::ObservationsFirst;
    let mut block = Block::new(&model, &targets, Observations::Weigh, order, LIMIT).unwrap();
    block.run(ROWS, &mut stream(9, 0)).unwrap();
    assert_eq!(block.weights().survivors(), ROWS);
    let plain = block.weights().plain();
    let weights = plain.rows(ROWS);
    let (wide, places) = (block.target(1).typed(), block.target(0).typed());
    let wide = wide.as_any().downcast_ref::<Vec<bool>>().unwrap();
    let places = places.as_any().downcast_ref::<Vec<f64>>().unwrap();
    for row in 0..ROWS {
        let deviation = if wide[row] { 5.0 } else { 0.5 };
        let density = Gaussian::new(places[row], deviation).unwrap().ln_pdf(1.5);
        let right = density - places[row].powi(2);
        let found = weights[row].ln() + plain.log_scale;
        // A weight far below the largest may underflow to zero.
        let near = right - plain.log_scale > LEAST;
        assert!(
            !near || (found - right).abs() < EXACT,
            "row {row}: {found}, not {right}"
        );
    }
    // The mean of the places has a standard error of 2 / sqrt(1000). Six standard errors are allowed, which one in 5e8 exceeds.
    let mean = places.iter().sum::<f64>() / ROWS as f64;
    assert!((mean - 1.0).abs() < 12.0 / (ROWS as f64).sqrt(), "{mean}");
    // The number of wide rows is within six standard deviations of its mean as well.
    let count = wide.iter().filter(|&&wide| wide).count() as f64;
    let deviation = (0.21 * ROWS as f64).sqrt();
    assert!(
        (count - 0.3 * ROWS as f64).abs() < 6.0 * deviation,
        "{count}"
    );
}
