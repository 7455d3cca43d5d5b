//! Every finding, from a run or from an answer made by hand.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use figrs_core::{Constant, Element, Flip, Model, Uniform, Value, stream};
use rand::RngExt;

use super::*;
use crate::draws::{Draws, TargetDraws};
use crate::{ImportanceSampling, LazyVariableElimination, Run, VariableElimination};

const NO_EVIDENCE: LogEvidence = LogEvidence {
    value: 0.0,
    standard_error: 0.0,
};

/// The answer of chains of equal length that drew these values.
fn chained<T: Value>(element: &Element<T>, draws: &[T], chains: usize) -> Answer {
    let mut values = element.erased().no_values();
    let indices: Vec<u32> = draws
        .iter()
        .map(|v| values.insert(v).unwrap() as u32)
        .collect();
    let support = values.build();
    let mut probabilities = vec![0.0; support.len()];
    for &i in &indices {
        probabilities[i as usize] += 1.0 / indices.len() as f64;
    }
    let target = TargetMarginal {
        element: element.erased().clone(),
        support,
        probabilities,
        estimate: Estimate::Chains {
            indices: indices.into(),
            chains,
        },
    };
    Answer::marginals("Chains", vec![target], NO_EVIDENCE)
}

fn approximate(sampling: Sampling) -> Answer {
    let coin = Flip::new(0.5);
    let mut values = coin.erased().no_values();
    values.insert(&true);
    let target = TargetMarginal {
        element: coin.erased().clone(),
        support: values.build(),
        probabilities: vec![1.0],
        estimate: Estimate::Approximate,
    };
    Answer::marginals("Approximation", vec![target], NO_EVIDENCE).with_sampling(sampling)
}

fn uniform(count: usize, seed: u64) -> Vec<f64> {
    let mut random = stream(seed, 0);
    (0..count).map(|_| random.random()).collect()
}

fn number() -> Element<f64> {
    Constant::new(0.0).named("x")
}

fn finished() -> Sampling {
    Sampling::new(Stopped::Finished, 100, Duration::from_secs(1))
}

fn found(answer: &Answer, test: impl Fn(&Finding) -> bool) -> String {
    let diagnosis = answer.diagnose();
    let found = diagnosis.findings().iter().find(|finding| test(finding));
    found.unwrap_or_else(|| panic!("{diagnosis}")).to_string()
}

#[test]
fn good_chains_have_no_findings() {
    let answer = chained(&number(), &uniform(8000, 1), 4);
    let diagnosis = answer.diagnose();
    assert!(diagnosis.is_clean(), "{diagnosis}");
    assert!(
        diagnosis
            .to_string()
            .starts_with("nothing found: chains agree")
    );
    let coins: Vec<bool> = uniform(8000, 2).into_iter().map(|x| x < 0.3).collect();
    let diagnosis = chained(&Flip::new(0.3), &coins, 4).diagnose();
    assert!(diagnosis.is_clean(), "{diagnosis}");
}

#[test]
fn chains_in_different_places_disagree() {
    let mut draws = uniform(8000, 3);
    for x in &mut draws[..2000] {
        *x += 0.5;
    }
    let text = found(
        &chained(&number(), &draws, 4),
        |finding| matches!(finding, Finding::ChainsDisagree { r_hat, threshold, quantity } if r_hat > threshold && quantity.part == Part::Whole),
    );
    assert!(
        text.contains("`x`") && text.contains("R-hat") && text.contains("1.01"),
        "{text}"
    );
    // The second component only.
    let pairs: Vec<Vec<f64>> = draws
        .iter()
        .zip(uniform(8000, 4))
        .map(|(&a, b)| vec![b, a])
        .collect();
    let answer = chained(&Constant::new(vec![0.0]).named("w"), &pairs, 4);
    let text = found(
        &answer,
        |finding| matches!(finding, Finding::ChainsDisagree { quantity, .. } if quantity.part == Part::Component(1)),
    );
    assert!(text.contains("component 1"), "{text}");
    // Words: the chains differ in one of them.
    let words: Vec<&'static str> = (0..8000)
        .map(|i| {
            if i % 3 == 0 {
                "a"
            } else if i < 4000 {
                "b"
            } else {
                "c"
            }
        })
        .collect();
    let text = found(
        &chained(&Uniform::new(["a", "b", "c"]), &words, 4),
        |finding| matches!(finding, Finding::ChainsDisagree { .. }),
    );
    assert!(
        text.contains("= \"b\"") || text.contains("= \"c\""),
        "{text}"
    );
}

#[test]
fn few_effective_samples_are_counted() {
    // Every draw stands a hundred times.
    let sticky: Vec<f64> = uniform(160, 5).into_iter().flat_map(|x| [x; 100]).collect();
    let answer = chained(&number(), &sticky, 4);
    for measure in [Measure::Bulk, Measure::Tail] {
        let text = found(&answer, |finding| {
            matches!(finding, Finding::FewEffectiveSamples { measure: m, effective_samples, threshold, .. }
                if *m == measure && *effective_samples < 300.0 && *threshold == 400.0)
        });
        assert!(text.contains("draw more"), "{text}");
    }
    let eight = chained(&number(), &uniform(480, 6), 8);
    found(
        &eight,
        |finding| matches!(finding, Finding::FewEffectiveSamples { threshold, .. } if *threshold == 800.0),
    );
    // Chains too short to be judged.
    found(
        &chained(&number(), &uniform(6, 7), 2),
        |finding| matches!(finding, Finding::FewEffectiveSamples { effective_samples, .. } if *effective_samples == 2.0),
    );
}

#[test]
fn a_value_that_never_changed_and_a_single_chain_are_named() {
    let answer = chained(&Flip::new(0.5).named("stuck"), &[true; 500], 1);
    let text = found(&answer, |finding| {
        matches!(finding, Finding::NeverChanged { draws: 500, .. })
    });
    assert!(
        text.contains("`stuck`") && text.contains("all 500 draws are true"),
        "{text}"
    );
    found(&answer, |finding| *finding == Finding::SingleChain);
    assert_eq!(answer.diagnose().findings().len(), 2);
}

#[test]
fn degenerate_weights_are_found_and_doubted() {
    let rare = Flip::new(0.002);
    let model = Model::new().condition(&rare, |&rare| rare);
    let answer = ImportanceSampling::new(2000).run(&model, &rare).unwrap();
    found(
        &answer,
        |finding| matches!(finding, Finding::WeightDegeneracy { draws: 2000, threshold, .. } if *threshold == 100.0),
    );
    let summary = answer.summary(&rare).unwrap();
    assert!(
        summary.ends_with("too few effective samples to trust, see `diagnose`"),
        "{summary}"
    );
    // Weights that grow so fast that one sample outweighs all others.
    let size = Uniform::new(0..100_000);
    let model = Model::new().log_weigh(&size, |&i| f64::from(i).powi(2));
    let answer = ImportanceSampling::new(50)
        .seed(3)
        .run(&model, &size)
        .unwrap();
    found(&answer, |finding| {
        matches!(finding, Finding::UncertainEvidence { .. })
    });
    let best = answer.most_likely_value(&size).unwrap();
    assert!(answer.standard_error(&size, &best).unwrap() > 0.2);
    assert_eq!(answer.log_evidence().unwrap().standard_error, f64::INFINITY);
}

/// An answer of weighted draws that keeps them.
fn weighted(logs: Vec<f64>) -> Answer {
    let x = number();
    let mut values = x.erased().no_values();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    let indices: Vec<u32> = (0..logs.len())
        .map(|i| values.insert(&(i as f64)).unwrap() as u32)
        .collect();
    let support = values.build();
    let target = TargetMarginal {
        element: x.erased().clone(),
        support: support.clone(),
        probabilities: weights.iter().map(|w| w / total).collect(),
        estimate: Estimate::Weighted(weights.iter().map(|w| (w / total).powi(2)).collect()),
    };
    let draws = Draws {
        chains: 1,
        length: logs.len(),
        targets: vec![TargetDraws {
            element: x.erased().clone(),
            support,
            indices: indices.into(),
        }],
        log_weights: Some(logs),
    };
    Answer::marginals("Weighted", vec![target], NO_EVIDENCE).with_draws(draws)
}

#[test]
fn heavy_tails_and_dominating_weights_are_found_in_draws() {
    let even = weighted(vec![-3.0; 1000]).diagnose();
    assert!(even.is_clean(), "{even}");
    // Weights u^(-1.5) have no mean.
    let heavy = weighted(
        uniform(4000, 8)
            .into_iter()
            .map(|u| -1.5 * (1.0 - u).ln())
            .collect(),
    );
    found(
        &heavy,
        |finding| matches!(finding, Finding::HeavyTailedWeights { k, threshold } if k > threshold),
    );
    found(
        &heavy,
        |finding| matches!(finding, Finding::DominatingWeight { share, .. } if *share > 0.1),
    );
    let mut run = finished();
    run.largest_share = Some(0.5);
    let text = found(&weighted(vec![0.0; 1000]).with_sampling(run), |finding| {
        matches!(finding, Finding::DominatingWeight { .. })
    });
    assert!(text.contains("50.0 %"), "{text}");
}

#[test]
fn populations_are_counted() {
    let coin = Flip::new(0.5);
    let answer = |groups: Vec<Vec<(u32, f64)>>| {
        let mut values = coin.erased().no_values();
        values.insert(&true);
        values.insert(&false);
        let target = TargetMarginal {
            element: coin.erased().clone(),
            support: values.build(),
            probabilities: vec![0.5, 0.5],
            estimate: Estimate::Groups(groups),
        };
        Answer::marginals("Groups", vec![target], NO_EVIDENCE)
    };
    found(&answer(vec![vec![(0, 0.5), (1, 0.5)]]), |finding| {
        *finding == Finding::SinglePopulation
    });
    let apart = answer(vec![vec![(0, 0.5)], vec![(1, 0.5)]]);
    found(&apart, |finding| {
        matches!(finding, Finding::FewEffectiveSamples { .. })
    });
    let close = (0..10).map(|i| {
        vec![
            (0, 0.0499 + 0.0002 * f64::from(i % 2)),
            (1, 0.0501 - 0.0002 * f64::from(i % 2)),
        ]
    });
    let diagnosis = answer(close.collect()).diagnose();
    assert!(diagnosis.is_clean(), "{diagnosis}");
}

#[test]
fn runs_that_ended_early_say_so() {
    let coin = Flip::new(0.5);
    let flag = Arc::new(AtomicBool::new(false));
    let raise = flag.clone();
    let sampler = ImportanceSampling::new(1 << 40)
        .interrupt(flag)
        .on_progress(move |progress| {
            raise.store(progress.done > 5000, std::sync::atomic::Ordering::Relaxed);
        });
    let answer = sampler.run(&Model::new(), &coin).unwrap();
    let text = found(&answer, |finding| {
        matches!(
            finding,
            Finding::StoppedEarly {
                why: Stopped::Interrupted,
                asked: Some(_),
                ..
            }
        )
    });
    assert!(text.starts_with("interrupted after"), "{text}");
    let late = ImportanceSampling::new(1 << 40).deadline(Duration::from_millis(30));
    let text = found(&late.run(&Model::new(), &coin).unwrap(), |finding| {
        matches!(
            finding,
            Finding::StoppedEarly {
                why: Stopped::Deadline,
                ..
            }
        )
    });
    assert!(text.contains("deadline"), "{text}");
}

#[test]
fn iterations_that_did_not_come_to_rest_say_so() {
    let mut run = finished();
    (run.residual, run.tolerance) = (Some(1e-3), Some(1e-4));
    found(&approximate(run.clone()), |finding| {
        *finding
            == Finding::NotConverged {
                residual: 1e-3,
                tolerance: 1e-4,
            }
    });
    run.residual = Some(1e-5);
    assert!(approximate(run.clone()).diagnose().is_clean());
    run.residual = Some(f64::NAN);
    assert!(!approximate(run).diagnose().is_clean());
}

#[test]
fn low_acceptance_is_found() {
    let mut run = finished();
    run.acceptance = Some(0.001);
    let text = found(&approximate(run), |finding| {
        matches!(finding, Finding::LowAcceptance { .. })
    });
    assert!(
        text.contains("0.10 %") && text.contains("below 1 %"),
        "{text}"
    );
}

#[test]
fn exact_answers_say_that_they_are() {
    let coin = Flip::new(0.3).named("coin");
    let answer = VariableElimination::new()
        .run(&Model::new(), &coin)
        .unwrap();
    assert_eq!(
        answer.diagnose().to_string(),
        "nothing found: exact up to rounding"
    );
    assert_eq!(
        answer.to_string(),
        "coin: P(true) = 0.300000 exact\nVariableElimination: nothing found: exact up to rounding"
    );
}

fn geometric() -> Element<u32> {
    Flip::new(0.5).flat_map(|&stop| {
        if stop {
            Constant::new(0)
        } else {
            geometric().map(|n| n + 1)
        }
    })
}

#[test]
fn worlds_and_bounds_say_what_is_open() {
    let coin = Flip::new(0.3).named("coin");
    let value = || [(coin.erased().clone(), figrs_core::Datum::new(false))];
    let known = Answer::world("Search", value(), 0.7_f64.ln());
    assert!(known.diagnose().is_clean());
    let improvement = crate::Improvement {
        work: 1,
        log_probability: 0.7_f64.ln(),
        upper_bound: 0.7_f64.ln() + 0.5,
    };
    let open = Answer::searched_world("Search", value(), 0.7_f64.ln(), vec![improvement]);
    found(
        &open,
        |finding| matches!(finding, Finding::NotProven { gap } if (gap - 0.5).abs() < 1e-12),
    );
    assert!(
        open.to_string()
            .starts_with("coin = false\nlog-probability -0.3567\nSearch: a world"),
        "{open}"
    );

    let n = geometric().named("n");
    let cut = LazyVariableElimination::to_width(1e-12)
        .work(2000)
        .run(&Model::new(), &n)
        .unwrap();
    found(&cut, |finding| {
        matches!(finding, Finding::BudgetSpent { .. })
    });
    assert!(
        cut.to_string().contains("where the budget ended\n"),
        "{cut}"
    );
}

#[test]
fn answers_are_printed_with_their_quality() {
    let answer = chained(&number(), &uniform(8000, 9), 4);
    let text = answer.to_string();
    let (line, diagnosis) = text.split_once('\n').unwrap();
    assert!(
        line.starts_with("x: mean 0.5") || line.starts_with("x: mean 0.4"),
        "{line}"
    );
    for word in [
        "sd 0.2",
        "MCSE 0.00",
        "ESS ",
        "(bulk)",
        "(tail)",
        "R-hat 1.00",
    ] {
        assert!(line.contains(word), "{word}: {line}");
    }
    assert!(
        diagnosis.starts_with("Chains: nothing found"),
        "{diagnosis}"
    );
    let pairs = vec![[vec![1.0, 2.0], vec![3.0, 4.0]]; 2000].concat();
    let text = chained(&Constant::new(vec![0.0]).named("w"), &pairs, 4).to_string();
    assert!(
        text.starts_with("w[0]: mean 2.0000, sd 1.0000") && text.contains("w[1]: mean 3.0000"),
        "{text}"
    );
    let die = Uniform::new(1..=6).named("die");
    let text = ImportanceSampling::new(10_000)
        .run(&Model::new(), &die)
        .unwrap()
        .to_string();
    assert!(
        text.contains("MCSE 0.0171, ESS 10000") || text.contains("MCSE 0.0170, ESS 10000"),
        "{text}"
    );
    let text = VariableElimination::new()
        .run(&Model::new(), &die)
        .unwrap()
        .to_string();
    assert!(
        text.starts_with("die: mean 3.5000, sd 1.7078 exact\n"),
        "{text}"
    );
}
