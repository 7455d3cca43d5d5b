//! Every finding, from a run or from an answer made by hand.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use figrs_core::{
    Constant, Element, Flip, If, Model, Normal, Parents, StandardDeviation, Uniform, Value, stream,
    tuple,
};
use rand::RngExt;

use super::*;
use crate::draws::{Draws, TargetDraws};
use crate::{
    BeliefPropagation, Error, ForwardSampling, ImportanceSampling, LazyVariableElimination,
    MetropolisHastings, Quality, Run, SequentialMonteCarlo, SimulatedAnnealing,
    VariableElimination, algorithms,
};

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
    let settled = approximate(run.clone()).diagnose();
    assert_eq!(settled.findings(), [Finding::Approximation]);
    run.residual = Some(f64::NAN);
    found(&approximate(run), |finding| {
        matches!(finding, Finding::NotConverged { .. })
    });
}

/// A triangle whose sides may differ at a price.
#[test]
fn messages_that_go_round_loops_are_an_approximation() {
    let corners = [(); 3].map(|()| Flip::new(0.4));
    let price = |&(a, b): &(bool, bool)| if a == b { 0.9 } else { 0.2 };
    let [a, b, c] = &corners;
    let open = Model::new()
        .weigh(&tuple((a, b)), price)
        .weigh(&tuple((b, c)), price);
    let answer = BeliefPropagation::new().run(&open, a).unwrap();
    assert!(answer.diagnose().is_clean(), "{}", answer.diagnose());
    let closed = open.weigh(&tuple((c, a)), price);
    let answer = BeliefPropagation::new().run(&closed, a).unwrap();
    let text = found(&answer, |finding| *finding == Finding::Approximation);
    assert!(text.contains("round loops"), "{text}");
    assert_eq!(answer.diagnose().findings().len(), 1);
    let exact = VariableElimination::new().run(&closed, a).unwrap();
    let error = answer.probability(a, &true).unwrap() - exact.probability(a, &true).unwrap();
    assert!((1e-3..0.1).contains(&error.abs()), "{error}");
}

#[test]
fn few_samples_are_asked_for_more() {
    let die = Uniform::new(1..=6);
    for samples in [1, 50] {
        let sampler = ForwardSampling::new(samples).keep_draws();
        let diagnosis = sampler.run(&Model::new(), &die).unwrap().diagnose();
        let threshold = 100.0;
        assert_eq!(
            diagnosis.findings(),
            [Finding::FewSamples { samples, threshold }]
        );
        assert!(diagnosis.to_string().ends_with("below 100; draw more"));
    }
    let enough = ForwardSampling::new(100).run(&Model::new(), &die).unwrap();
    assert!(enough.diagnose().is_clean());
}

/// A normal mean, whose posterior is known, seen through three numbers.
fn continuous() -> (Model, Element<f64>) {
    let mean = Normal::new(0.0, StandardDeviation(2.0)).named("mean");
    let model = [1.0, 2.0, 1.5]
        .into_iter()
        .fold(Model::new(), |model, seen| {
            model.observe(&Normal::new(&mean, StandardDeviation(1.0)), seen)
        });
    (model, mean)
}

#[test]
fn populations_of_numbers_are_worth_their_error() {
    let (model, mean) = continuous();
    // The posterior has precision 3 + 1/4.
    let (expected, deviation) = (4.5 / 3.25, 3.25_f64.sqrt().recip());
    for seed in 0..20 {
        let sampler = SequentialMonteCarlo::new(1000).seed(seed);
        let answer = sampler.run(&model, &mean).unwrap();
        let diagnosis = answer.diagnose();
        assert!(diagnosis.is_clean(), "{diagnosis}");
        let marginal = answer.distribution(&mean).unwrap();
        let Quality::Sampled { effective_samples } = marginal.quality() else {
            panic!("{marginal}");
        };
        // The error has 15 degrees of freedom, so its square is within a factor of 4 all but once in 10⁴ runs.
        let error = marginal.standard_error_of(|&x| x);
        let square = (deviation / error).powi(2);
        assert!((effective_samples / square - 1.0).abs() < 0.2);
        assert!((1_500.0..40_000.0).contains(&effective_samples));
        // Beyond 6.5 errors a t of 15 degrees lies once in 10⁵ runs.
        assert!((marginal.mean() - expected).abs() < 6.5 * error);
    }
    let few = SequentialMonteCarlo::new(3).run(&model, &mean).unwrap();
    found(&few, |finding| {
        matches!(finding, Finding::FewEffectiveSamples { .. })
    });
}

#[test]
fn single_values_of_continuous_targets_are_refused() {
    let (model, mean) = continuous();
    let list = (&mean, &mean.map(|x| x * x)).map(|(&a, &b)| vec![a, b]);
    let samplers = algorithms![
        ImportanceSampling::new(10_000),
        SequentialMonteCarlo::new(1000),
        SequentialMonteCarlo::new(1000).keep_trajectories(),
        MetropolisHastings::new(2000)
    ];
    for sampler in samplers {
        let answer = sampler.run(&model, (&mean, &list)).unwrap();
        let name = sampler.name();
        let refused = |error: Error| {
            assert!(matches!(error, Error::NoRepeatedValue { .. }), "{name}");
            let text = error.to_string();
            assert!(text.contains("probability_that"), "{text}");
        };
        refused(answer.most_likely_value(&mean).unwrap_err());
        refused(answer.probability(&mean, &1.0).unwrap_err());
        refused(answer.standard_error(&mean, &1.0).unwrap_err());
        refused(answer.most_likely_value(&list).unwrap_err());
        let above = answer.probability_that(&mean, |&x| x > 0.0).unwrap();
        assert!(above > 0.9, "{name}: {above}");
        let summary = answer.summary(&mean).unwrap();
        assert!(
            summary.starts_with("mean 1.") && summary.contains("MCSE"),
            "{name}: {summary}"
        );
        let summary = answer.summary(&list).unwrap();
        assert!(
            summary.starts_with("[0]: mean 1.") && summary.contains("; [1]: mean 2."),
            "{name}: {summary}"
        );
    }
    // A number that is continuous in some worlds only has a value that is drawn again and again.
    let spike = If::new(&Flip::new(0.4), Constant::new(0.0), &mean);
    let answer = ImportanceSampling::new(1000).run(&Model::new(), &spike);
    let answer = answer.unwrap();
    assert_eq!(answer.most_likely_value(&spike).unwrap(), 0.0);
    let error = answer.probability(&spike, &0.0).unwrap() - 0.4;
    assert!(error.abs() < 5.0 * answer.standard_error(&spike, &0.0).unwrap());
    // A value that is observed is the only one.
    let seen = Model::new().observe(&mean, 1.5);
    let answer = ImportanceSampling::new(10).run(&seen, &mean).unwrap();
    assert_eq!(answer.most_likely_value(&mean).unwrap(), 1.5);
}

#[test]
fn searches_without_a_bound_say_so() {
    let (model, mean) = continuous();
    let world = SimulatedAnnealing::new(500).run(&model, &mean).unwrap();
    let text = found(
        &world,
        |finding| matches!(finding, Finding::NotProven { gap } if *gap == f64::INFINITY),
    );
    assert!(text.starts_with("nothing bounds"), "{text}");
    let summary = world.summary(&mean).unwrap();
    assert!(summary.ends_with("no bound is known)"), "{summary}");
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
