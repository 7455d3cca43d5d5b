//! Tests that stated errors are those of the estimates: neither too small nor too large.

use figrs::prelude::*;
use figrs_tests::asked::{Reading, Scale};
use figrs_tests::reference_models::{Quantity, Question, questions};
use figrs_tests::samplers::{Effort, SAMPLERS, Sampler};
use figrs_tests::significance::{Law, SPREAD, sum_of_squares};

/// Number of scores of each sampler; the smallest and the largest number of its runs on one question follow.
const SCORES: usize = 130;
const FEWEST: u64 = 4;
const MOST: u64 = 10;
/// Divisor by which such a run has fewer samples than the question states.
const SHARE: u64 = 10;
/// Estimates with a smaller variance in units of samples, `n p (1 − p)`, are not nearly normal.
const HITS: f64 = 50.0;

/// True if estimates of runs with this many samples are nearly normal, judged by a pilot run with [`SHARE`] times as many samples.
fn is_near_normal(quantity: &Quantity, pilot: &Reading, samples: u64) -> bool {
    let exact = quantity.exact;
    let error = pilot.standard_error * (SHARE as f64).sqrt();
    match pilot.scale {
        Scale::Probability => {
            let spread = exact * (1.0 - exact);
            let effective = (spread / (error * error)).min(samples as f64);
            effective * spread >= HITS
        }
        Scale::Expectation => true,
        // If all weights are equal there is only a rounding error.
        Scale::Weight => (1e-9..0.1).contains(&(error / exact)),
        Scale::LogWeight => (1e-9..0.1).contains(&error),
    }
}

/// Returns one standardised score for each run, so that all scores are independent: the error of an estimate in units of its stated error.
fn scores(sampler: &Sampler, question: &Question, runs: u64) -> Result<Vec<f64>, Error> {
    let samples = question.samples / SHARE;
    let run = |samples, seed| {
        let algorithm = (sampler.algorithm)(Effort {
            samples,
            seed,
            sequence: &question.sequence,
        });
        algorithm.answer(&question.model, &question.targets)
    };
    // A separate pilot run decides which estimates are scored, because a decision by each run itself would depend on chance in that run.
    let pilot = run(question.samples, 0)?;
    let mut usable = Vec::new();
    for quantity in sampler.quantities(question) {
        if is_near_normal(quantity, &quantity.read(&pilot)?, samples) {
            usable.push(quantity);
        }
    }
    if usable.is_empty() {
        return Ok(Vec::new());
    }
    let score = |seed: u64| {
        let quantity = usable[seed as usize % usable.len()];
        let found = quantity.read(&run(samples, seed)?)?;
        let score = (found.number - quantity.exact) / found.standard_error;
        Ok(sampler.law.as_normal(score))
    };
    (1..=runs).map(score).collect()
}

#[test]
fn stated_errors_are_those_of_the_estimates() {
    // There are two tests for each sampler: of the mean and of the spread of the scores.
    let alpha = SPREAD / (2 * SAMPLERS.len()) as f64;
    let questions = questions();
    let mut wrong = Vec::new();
    for sampler in SAMPLERS {
        let mut scores = Vec::new();
        let able: Vec<&Question> = questions.iter().filter(|q| sampler.is_able(q)).collect();
        let runs = (SCORES.div_ceil(able.len()) as u64).clamp(FEWEST, MOST);
        for question in able {
            match self::scores(sampler, question, runs) {
                Ok(own) => scores.extend(own),
                Err(error) => wrong.push(format!("{} on {}: {error}", sampler.name, question.name)),
            }
        }
        let n = scores.len();
        let mean = scores.iter().sum::<f64>() / n as f64;
        let squares = scores.iter().map(|z| z * z).sum::<f64>();
        let (low, high) = sum_of_squares(n, alpha);
        let off = Law::Normal.two_sided(alpha) / (n as f64).sqrt();
        let name = sampler.name;
        println!(
            "{name}: {n} scores, mean {mean:.3} (±{off:.3}), mean square {:.3} ({:.3} to {:.3})",
            squares / n as f64,
            low / n as f64,
            high / n as f64
        );
        if n < 80 {
            wrong.push(format!("{name}: {n} scores are too few"));
        }
        if mean.abs() > off {
            wrong.push(format!("{name}: the mean of {n} scores is {mean}"));
        }
        if !(low..=high).contains(&squares) {
            wrong.push(format!(
                "{name}: the sum of {n} squared scores is {squares}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
