//! Tests of rare and impossible evidence and of degenerate runs: samplers report them truthfully.

use figrs::prelude::*;
use figrs::{Quality, tuple};
use figrs_tests::reference_models::questions;
use figrs_tests::samplers::{Effort, SAMPLERS};

/// Returns two events of probability 0.001 each, whose joint occurrence is the evidence.
fn coins() -> [Element<bool>; 2] {
    [Flip::new(0.001), Flip::new(0.001)]
}

#[test]
fn rare_observations_are_weighed() {
    let [a, b] = coins();
    let both = a.and(&b);
    let each = Model::new().observe(&a, true).observe(&b, true);
    let pair = Model::new().observe(&tuple((&a, &b)), (true, true));
    for model in [each, Model::new().observe(&both, true), pair] {
        let answer = ImportanceSampling::new(1000)
            .seed(1)
            .run(&model, &a)
            .unwrap();
        let evidence = answer.log_evidence().unwrap();
        assert!((evidence.value.exp() / 1e-6 - 1.0).abs() < 1e-12);
        // All weights are equal to the largest possible weight, so the remaining error is that of samples which have not failed yet.
        assert!(evidence.standard_error <= 3.001 / 1000.0, "{evidence:?}");
        assert_eq!(answer.probability(&a, &true).unwrap(), 1.0);
    }
}

/// A function of both events cannot be weighed before both are known: with probability 0.98 none of 20 000 worlds meets it, and the answer is an
/// error. Otherwise the answer is an estimate with a truthful error.
#[test]
fn rare_conditions_are_not_found_or_found_with_their_error() {
    const SAMPLES: u64 = 20_000;
    let [a, b] = coins();
    let both = (&a, &b).map(|(&a, &b)| a && b);
    let pair = tuple((&a, &b));
    let forms = [
        Model::new().observe(&both, true),
        Model::new().condition(&both, |&both| both),
        Model::new().condition(&pair, |&(a, b)| a && b),
        Model::new().weigh(&pair, |&(a, b)| f64::from(u8::from(a && b))),
    ];
    let (mut missed, mut found) = (0, 0);
    for seed in 0..64 {
        let model = &forms[seed % forms.len()];
        let sampling = ImportanceSampling::new(SAMPLES).seed(seed as u64);
        match sampling.run(model, &a) {
            Err(error) => {
                let missed_all =
                    matches!(error, Error::NoSampleMetEvidence { tried, .. } if tried == SAMPLES);
                assert!(missed_all, "{error}");
                missed += 1;
            }
            Ok(answer) => {
                // There are one or two hits: the estimate is fifty times too large, and its error includes zero.
                let evidence = answer.log_evidence().unwrap();
                assert!(evidence.standard_error > 0.6, "{evidence:?}");
                let Quality::Sampled { effective_samples } =
                    answer.distribution(&a).unwrap().quality()
                else {
                    panic!("estimates are not exact");
                };
                assert!(effective_samples <= 2.0);
                found += 1;
            }
        }
    }
    println!("missed by {missed} runs, found by {found}");
    // The probability that more than 10 of 64 runs find the evidence is 1e-8.
    assert!(missed >= 54, "{missed}");
}

/// These processes are exceptions of the tests of importance sampling, because nearly all weight is on one world; the sampler must report that.
#[test]
fn degenerate_runs_say_so() {
    let sampler = SAMPLERS
        .iter()
        .find(|s| s.name == "ImportanceSampling")
        .unwrap();
    let mut degenerate = 0;
    for question in questions() {
        if question.sequence.is_empty() {
            continue;
        }
        for seed in 0..5 {
            let effort = Effort {
                samples: question.samples,
                seed,
                sequence: &[],
            };
            let answer = (sampler.algorithm)(effort)
                .answer(&question.model, &question.targets)
                .unwrap();
            let diagnosis = answer.diagnose();
            assert!(!diagnosis.is_clean(), "{} with seed {seed}", question.name);
            degenerate += 1;
        }
    }
    assert!(degenerate >= 15, "{degenerate}");
}

/// Returns models with impossible evidence, which needs more and more sampling to detect.
fn impossible() -> Vec<(&'static str, Model, Element<bool>)> {
    let (a, b) = (Flip::new(0.3), Flip::new(0.6));
    let both = (&a, &b).map(|(&a, &b)| a && b);
    let either = (&a, &b).map(|(&a, &b)| a || b);
    let never = (&a, &b).map(|_| false);
    let certain = If::new(&a, Flip::new(1.0), Constant::new(true));
    let observed = Model::new().observe(&both, true).observe(&either, false);
    vec![
        ("two functions", observed, a.clone()),
        (
            "a condition",
            Model::new().condition(&never, |&x| x),
            a.clone(),
        ),
        (
            "a weight",
            Model::new().weigh_at_most(&b, 1.0, |_| 0.0),
            a.clone(),
        ),
        (
            "a certain element",
            Model::new().observe(&certain, false),
            a,
        ),
    ]
}

#[test]
fn impossible_evidence_ends_within_the_budget() {
    const SAMPLES: u64 = 40_000;
    for (what, model, target) in impossible() {
        for sampler in SAMPLERS.iter().filter(|s| s.takes(&model)) {
            let algorithm = (sampler.algorithm)(Effort {
                samples: SAMPLES,
                seed: 3,
                sequence: &[],
            });
            match algorithm.run(&model, &target) {
                // Each of four chains may search for a first world, but none may try more worlds than it was asked to draw.
                Err(Error::NoSampleMetEvidence { tried, .. }) => {
                    assert!(
                        (1..=SAMPLES).contains(&tried),
                        "{what}: {} tried {tried}",
                        sampler.name
                    );
                }
                // Algorithms that analyse the whole model detect that the evidence is impossible.
                Err(Error::ImpossibleEvidence { .. }) => {}
                other => panic!("{what}: {} gave {other:?}", sampler.name),
            }
        }
    }
}
