//! Tests of the guarantees of likelihood weighting. Its estimates have the right mean, which is checked without sampling error by enumerating every
//! random choice, and its standard errors are those of its estimates.

use std::cell::{Cell, RefCell};

use figrs_infer::{Enumerate, Error, ImportanceSampling, Quality, Run};
use figrs_lower::Observations;
use figrs_tests::oracle::{LogSum, close, every_run};
use figrs_tests::random_model::{Built, Description, build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

const WORLDS: usize = 3000;
const EXACT: f64 = 1e-10;

type Checked = Result<(), TestCaseError>;

fn failed(error: impl std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

/// The weighted sums over all runs, in total and for each target and code of its value, and the number of runs.
struct Sums {
    total: LogSum,
    by_code: Vec<[LogSum; 8]>,
    runs: usize,
    /// The largest weight of a run.
    most: f64,
}

/// Returns `None` if there are too many runs.
fn sums(built: &Built, observations: Observations) -> Result<Option<Sums>, TestCaseError> {
    let mut sums = Sums {
        total: LogSum::default(),
        by_code: vec![[LogSum::default(); 8]; built.targets.len()],
        runs: 0,
        most: f64::NEG_INFINITY,
    };
    let done = every_run(
        &built.model,
        &built.erased(),
        observations,
        WORLDS,
        |program, p, w| {
            sums.total.add(p + w);
            sums.runs += 1;
            sums.most = sums.most.max(w);
            let targets = built.targets.iter().zip(program.targets());
            for ((target, &slot), by_code) in targets.zip(&mut sums.by_code) {
                let value = program
                    .value(slot)
                    .expect("targets are part of every world");
                by_code[target.code(value) as usize].add(p + w);
            }
        },
    );
    Ok(done.map_err(failed)?.then_some(sums))
}

fn weighing_has_the_right_mean(description: &Description) -> Checked {
    let built = build(description);
    let weighed = sums(&built, Observations::Weigh)?;
    let compared = sums(&built, Observations::Compare)?;
    let (Some(weighed), Some(compared)) = (weighed, compared) else {
        return Ok(());
    };
    let (a, b) = (weighed.total.value(), compared.total.value());
    prop_assert!(close(a, b, EXACT), "P(e): weighed {a}, compared {b}");
    for (target, (of_a, of_b)) in weighed.by_code.iter().zip(&compared.by_code).enumerate() {
        for (code, (x, y)) in of_a.iter().zip(of_b).enumerate() {
            let (p, q) = ((x.value() - a).exp(), (y.value() - b).exp());
            let equal = (p - q).abs() <= EXACT || (p.is_nan() && q.is_nan());
            prop_assert!(
                equal,
                "target {target}, code {code}: weighed {p}, compared {q}"
            );
        }
    }
    // Values that observations determine are not drawn, so weighing never needs more runs than rejection.
    prop_assert!(
        weighed.runs <= compared.runs,
        "{} {}",
        weighed.runs,
        compared.runs
    );
    Ok(())
}

#[test]
fn likelihood_weighting_has_the_right_mean_exactly() {
    for_random_models(2000, 11, weighing_has_the_right_mean);
}

const SAMPLES: u64 = 2000;
/// Estimates with fewer expected hits are not nearly normal.
const HITS: f64 = 50.0;
/// Estimates are not nearly normal either if a weight may be more than this many times the mean, because a rare sample would dominate.
const OUTSTANDING: f64 = 10.0;

/// Returns the error of an estimate for this model, in units of its standard error. There is one number for each model, so that the numbers are
/// independent.
fn standardised(built: &Built, seed: u64) -> Result<Option<f64>, Error> {
    let targets = built.erased();
    let tame = |runs: Sums| runs.most - runs.total.value() <= OUTSTANDING.ln();
    if !sums(built, Observations::Weigh)
        .ok()
        .flatten()
        .is_some_and(tame)
    {
        return Ok(None);
    }
    let exact = match Enumerate::new()
        .max_worlds(WORLDS as u64)
        .run(&built.model, targets.clone())
    {
        Err(Error::TooManyWorlds { .. } | Error::ImpossibleEvidence { .. }) => return Ok(None),
        exact => exact?,
    };
    let sampled = match ImportanceSampling::new(SAMPLES)
        .seed(seed)
        .run(&built.model, targets)
    {
        Err(Error::NoSampleMetEvidence { .. }) => return Ok(None),
        sampled => sampled?,
    };
    let evidence = sampled.log_evidence()?;
    let relative = evidence.standard_error;
    // P(e) is a mean of independent weights, so the error of its logarithm is the relative error of the mean if that is small.
    let log_is_normal = relative > 0.0 && relative < 0.05;
    let mut all = Vec::new();
    if log_is_normal {
        all.push((evidence.value - exact.log_evidence()?.value) / relative);
    }
    for target in &built.targets {
        let n = match target.quality(&sampled)? {
            Quality::Sampled { effective_samples } => effective_samples,
            _ => 0.0,
        };
        let (p, q) = (
            target.probabilities(&exact)?,
            target.probabilities(&sampled)?,
        );
        for code in 0..8 {
            let likely = n * p[code] * (1.0 - p[code]);
            if likely >= HITS {
                let error = target.standard_error(&sampled, code as u64)?;
                all.push((q[code] - p[code]) / error);
            }
        }
    }
    Ok(all.get(seed as usize % all.len().max(1)).copied())
}

/// With fixed seeds this test always gives the same result. With random seeds it would fail for a correct sampler with a probability of at most 1e-6.
/// The bounds allow each of three statistics 3e-7 if the estimates are normal, with a margin (a half in the spread, one in the largest score) because
/// they are only nearly normal.
#[test]
fn standard_errors_are_those_of_the_estimates() {
    let scores = RefCell::new(Vec::new());
    let seed = Cell::new(0);
    for_random_models(900, 12, |description| {
        seed.set(seed.get() + 1);
        let built = build(description);
        scores
            .borrow_mut()
            .extend(standardised(&built, seed.get()).map_err(failed)?);
        Ok(())
    });
    let scores = scores.into_inner();
    let n = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / n;
    let spread = scores.iter().map(|z| z * z).sum::<f64>() / n;
    let largest = scores
        .iter()
        .copied()
        .fold(0.0, |most: f64, z| most.max(z.abs()));
    println!("{n} scores: mean {mean:.3}, mean square {spread:.3}, largest {largest:.2}");
    assert!(n >= 300.0, "{n} scores are too few");
    // A deviation of 5.12 standard deviations is exceeded, on either side, with probability 3e-7.
    assert!(
        mean.abs() < 5.12 / n.sqrt(),
        "the mean of {n} scores is {mean}"
    );
    let slack = 5.12 * (2.0 / n).sqrt();
    assert!(
        (spread - 1.0).abs() < slack * 1.5,
        "the mean square of {n} scores is {spread}"
    );
    // By Bonferroni's inequality, one of n scores exceeds 6.5 with a probability of at most 8e-11 n.
    assert!(largest < 7.5, "the largest of {n} scores is {largest}");
}

/// The generator of random models is not trivial: most models can be enumerated, are possible, and have many worlds.
#[test]
fn random_models_are_worth_testing() {
    let (all, large, impossible, rich) = (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
    let count = |cell: &Cell<u32>| cell.set(cell.get() + 1);
    for_random_models(400, 13, |description| {
        count(&all);
        match sums(&build(description), Observations::Compare)? {
            None => count(&large),
            Some(sums) if sums.runs == 0 => count(&impossible),
            Some(sums) if sums.runs >= 8 => count(&rich),
            Some(_) => {}
        }
        Ok(())
    });
    let share = |cell: &Cell<u32>| f64::from(cell.get()) / f64::from(all.get());
    let (large, impossible, rich) = (share(&large), share(&impossible), share(&rich));
    println!("too large {large:.3}, impossible {impossible:.3}, eight worlds or more {rich:.3}");
    assert!(large < 0.1 && impossible < 0.4 && rich > 0.15);
}
