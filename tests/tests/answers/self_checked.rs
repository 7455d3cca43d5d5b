//! Tests of self-checked algorithms: right answers pass the check, wrong ones do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use figrs::prelude::*;
use figrs::{
    AnyElement, Bounds, Datum, Estimate, LazyVariableElimination, LogEvidence, MarginalMap,
    ModelError, MpeBranchAndBound, SelfChecked, Table, TargetBounds, TargetMarginal,
};
use figrs_tests::random_model::{build, for_random_models};
use proptest::prelude::*;

/// Returns pairs of an algorithm and the same algorithm with a check.
fn pairs(seed: u64) -> Vec<[Box<dyn Algorithm>; 2]> {
    fn pair<A: Algorithm + Clone + 'static>(algorithm: A) -> [Box<dyn Algorithm>; 2] {
        [
            Box::new(SelfChecked::new(algorithm.clone())),
            Box::new(algorithm),
        ]
    }
    vec![
        pair(Enumerate::new()),
        pair(VariableElimination::new()),
        pair(JunctionTree::new()),
        pair(Frontier::new()),
        pair(LazyVariableElimination::new()),
        pair(LazyVariableElimination::to_depth(1)),
        pair(MpeVariableElimination::new()),
        pair(MpeBranchAndBound::new()),
        pair(MarginalMap::new()),
        pair(ImportanceSampling::new(200).seed(seed)),
        pair(Gibbs::new(50).seed(seed)),
    ]
}

#[test]
fn right_answers_pass() {
    let seed = std::cell::Cell::new(0);
    let passed = std::cell::Cell::new(0);
    for_random_models(30, 77, |description| {
        seed.set(seed.get() + 1);
        let built = build(description);
        for [checked, plain] in pairs(seed.get()) {
            let plain = plain.run(&built.model, built.erased());
            let checked = checked.run(&built.model, built.erased());
            if let Err(error) = &checked {
                let reason = error.to_string();
                prop_assert!(!matches!(error, Error::NotVerified { .. }), "{}", reason);
                // If the evidence is impossible there is no answer to check; bounds may not have found out yet that it is impossible.
                let is_impossible = matches!(error, Error::ImpossibleEvidence { .. });
                prop_assert!(plain.is_err() || is_impossible, "{}", reason);
            } else {
                passed.set(passed.get() + 1);
            }
        }
        Ok(())
    });
    assert!(passed.get() > 150, "{}", passed.get());
}

/// There are many worlds, so that other algorithms check the answers, with branches and without.
#[test]
fn right_answers_about_many_worlds_pass() {
    for with_branches in [false, true] {
        let mut line = vec![Flip::new(0.3)];
        for _ in 0..24 {
            let last = line[line.len() - 1].clone();
            line.push(if with_branches {
                last.flat_map(|&on| Flip::new(if on { 0.8 } else { 0.1 }).not())
            } else {
                let both = || vec![true, false];
                Table::new([(&last, both())], both(), vec![0.8, 0.2, 0.1, 0.9])
            });
        }
        let model = Model::new().observe(&line[20], true);
        for algorithm in algorithms![
            SelfChecked::new(VariableElimination::new()),
            SelfChecked::new(JunctionTree::new())
        ] {
            let answer = algorithm.run(&model, &line).unwrap();
            assert_eq!(answer.probability(&line[20], &true).unwrap(), 1.0);
        }
    }
}

#[test]
fn observed_densities_are_checked_and_endless_models_cannot_be() {
    let mean = Select::new([(0.3, 0.0), (0.7, 1.0)]);
    let seen = mean.flat_map(|&mean| Normal::new(mean, StandardDeviation(1.0)));
    let model = Model::new().observe(&seen, 0.4);
    for algorithm in algorithms![
        SelfChecked::new(VariableElimination::new()),
        SelfChecked::new(JunctionTree::new())
    ] {
        let answer = algorithm.run(&model, &mean).unwrap();
        let odds = 0.7 / 0.3 * ((0.16f64 - 0.36) / 2.0).exp();
        let p = answer.probability(&mean, &1.0).unwrap();
        assert!((p - odds / (1.0 + odds)).abs() < 1e-12, "{p}");
    }
    let endless = tosses();
    let bounds = SelfChecked::new(LazyVariableElimination::to_depth(20));
    let error = bounds.run(&Model::new(), &endless).unwrap_err();
    assert!(matches!(error, Error::NotChecked { .. }), "{error}");
}

/// A function fails only after elimination, when the drawn worlds are run.
#[test]
fn worlds_that_fail_when_they_are_run_do_not_pass() {
    let calls = Arc::new(AtomicUsize::new(0));
    let limit = Arc::new(AtomicUsize::new(usize::MAX));
    let run = || {
        // There are more worlds than the check enumerates.
        let (a, b) = (Uniform::new(0..400_u32), Uniform::new(0..400_u32));
        let (calls, limit) = (calls.clone(), limit.clone());
        let is_even = (&a, &b).map(move |(&a, &b)| {
            let call = calls.fetch_add(1, Ordering::Relaxed);
            assert!(call < limit.load(Ordering::Relaxed), "call {call}");
            (a + b).is_multiple_of(2)
        });
        SelfChecked::new(VariableElimination::new()).run(&Model::new(), (&a, &b, &is_even))
    };
    run().unwrap();
    // The last calls of the function are made when worlds are run.
    limit.store(calls.swap(0, Ordering::Relaxed) - 1, Ordering::Relaxed);
    let error = run().unwrap_err();
    assert!(
        matches!(error, Error::Model(ModelError::Function { .. })),
        "{error}"
    );
}

fn tosses() -> Element<u32> {
    Flip::new(0.5).flat_map(|&again| {
        if again {
            tosses().map(|n| n + 1)
        } else {
            Constant::new(0)
        }
    })
}

/// An algorithm whose answers are wrong in one way.
#[derive(Debug)]
enum Faulty {
    Probability,
    Evidence,
    MissingValue,
    World,
    ImpossibleWorld,
    Bounds,
    Seed(AtomicUsize),
}

impl Algorithm for Faulty {
    fn name(&self) -> &'static str {
        "Faulty"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let run = |seed| {
            ImportanceSampling::new(10_000)
                .seed(seed)
                .answer(model, targets)
        };
        let (rain, wet) = (&targets[0], &targets[1]);
        let marginal = |element: &AnyElement, values: &[bool], probabilities: &[f64]| {
            let mut support = element.no_values();
            for value in values {
                support.insert(value);
            }
            TargetMarginal {
                element: element.clone(),
                support: support.build(),
                probabilities: probabilities.to_vec(),
                estimate: Estimate::Exact,
            }
        };
        let (p, evidence) = (0.18 / 0.26, 0.26_f64);
        let (rains, evidence) = match self {
            Self::Probability => (
                marginal(rain, &[true, false], &[p + 1e-6, 1.0 - p - 1e-6]),
                evidence,
            ),
            Self::Evidence => (
                marginal(rain, &[true, false], &[p, 1.0 - p]),
                evidence * 1.000_001,
            ),
            Self::MissingValue => (marginal(rain, &[true], &[p]), evidence),
            Self::World => {
                let values = [rain, wet].map(|element| (element.clone(), Datum::new(true)));
                return Ok(Answer::world("Faulty", values, 0.19f64.ln()));
            }
            Self::ImpossibleWorld => {
                let values = [
                    (rain.clone(), Datum::new(true)),
                    (wet.clone(), Datum::new(false)),
                ];
                return Ok(Answer::world("Faulty", values, 0.18f64.ln()));
            }
            Self::Bounds => {
                let bounds = [0.5, 0.6].map(|p: f64| p.ln());
                let found = [
                    marginal(rain, &[true], &[1.0]),
                    marginal(wet, &[true], &[1.0]),
                ];
                let targets = found.map(|found| TargetBounds {
                    element: found.element,
                    support: found.support,
                    cells: Vec::new(),
                    bins: Vec::new(),
                    log_lower: vec![bounds[0]],
                    log_upper: vec![bounds[1]],
                    log_unknown: f64::NEG_INFINITY,
                });
                let evidence = Bounds {
                    lower: bounds[0],
                    upper: bounds[1],
                };
                return Ok(Answer::bounded_marginals(
                    "Faulty",
                    targets.into(),
                    evidence,
                ));
            }
            Self::Seed(next) => return run(next.fetch_add(1, Ordering::Relaxed) as u64),
        };
        let marginals = vec![rains, marginal(wet, &[true], &[1.0])];
        let value = LogEvidence::exact(evidence.ln());
        Ok(Answer::marginals("Faulty", marginals, value))
    }
}

#[test]
fn wrong_answers_do_not_pass() {
    let rain = Flip::new(0.2).named("rain");
    let wet = rain
        .flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }))
        .named("wet");
    let model = Model::new().observe(&wet, true);
    for (faulty, message) in [
        (Faulty::Probability, "`rain`"),
        (Faulty::Evidence, "log-evidence"),
        (Faulty::MissingValue, "`rain`"),
        (Faulty::World, "log-probability of the world"),
        (Faulty::ImpossibleWorld, "log-probability of the world"),
        (Faulty::Bounds, "the lower bound of the log-evidence"),
        (Faulty::Seed(AtomicUsize::new(0)), "log-evidence"),
    ] {
        let name = format!("{faulty:?}");
        let error = SelfChecked::new(faulty)
            .run(&model, (&rain, &wet))
            .unwrap_err();
        assert!(
            matches!(error, Error::NotVerified { .. }),
            "{name}: {error}"
        );
        assert!(error.to_string().contains(message), "{name}: {error}");
    }
}
