//! Regression tests for mistakes that random models have found, each with the smallest program that showed it.

use figrs::prelude::*;

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12 * b.abs().max(1.0), "{a} is not {b}");
}

/// The sum over worlds was NaN if the first weight was too small for `f64`.
#[test]
fn the_first_world_may_weigh_very_little() {
    let coin = Flip::new(0.5);
    let model = Model::new().log_weigh(&coin, |_| -800.0);
    for algorithm in algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        ImportanceSampling::new(10),
    ] {
        close(algorithm.log_evidence(&model).unwrap(), -800.0);
    }
    let answer = Enumerate::new().run(&model, &coin).unwrap();
    close(answer.probability(&coin, &true).unwrap(), 0.5);
}

/// `exp(-745)` is subnormal and has one significant digit; a later factor `exp(700)` made the product look like an ordinary number.
#[test]
fn digits_lost_in_a_subnormal_weight_do_not_come_back() {
    let (a, b) = (Constant::new(1), Constant::new(2));
    let apart = Model::new()
        .log_weigh(&a, |_| -745.0)
        .log_weigh(&b, |_| 700.0);
    let together = Model::new()
        .log_weigh(&a, |_| -745.0)
        .log_weigh(&a, |_| 700.0);
    for model in [apart, together] {
        for algorithm in algorithms![
            Enumerate::new(),
            VariableElimination::new(),
            ImportanceSampling::new(10),
        ] {
            close(algorithm.log_evidence(&model).unwrap(), -45.0);
        }
    }
}

/// Variable elimination left out the `Score` elements that only other targets reach and, for the probability of evidence, the `Score` elements of
/// targets. A world includes all roots.
#[test]
fn scores_weigh_for_all_targets() {
    let coin = Flip::new(0.5);
    let heads = Score::weigh(&coin, |&heads| if heads { 0.3 } else { 0.1 });
    for algorithm in algorithms![Enumerate::new(), VariableElimination::new()] {
        let answer = algorithm.run(&Model::new(), (&coin, &heads)).unwrap();
        close(answer.probability(&coin, &true).unwrap(), 0.75);
        close(answer.log_evidence().unwrap().value, 0.2_f64.ln());
        // If the coin is the only target it is not weighed, because it does not reach the `Score`.
        let alone = algorithm.run(&Model::new(), &coin).unwrap();
        close(alone.probability(&coin, &true).unwrap(), 0.5);
    }
}

/// The conflict was searched without the targets, so a conflict with `Score` elements of targets named all evidence.
#[test]
fn a_conflict_with_a_score_of_a_target_is_small() {
    let (coin, other) = (Flip::new(0.5).named("coin"), Flip::new(0.5).named("other"));
    let heads = Score::observe(&coin, true);
    let model = Model::new().observe(&other, true).observe(&coin, false);
    for algorithm in algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        MpeVariableElimination::new(),
    ] {
        let Err(Error::ImpossibleEvidence { conflict, .. }) = algorithm.run(&model, &heads) else {
            panic!("{} finds it possible", algorithm.name());
        };
        let names = |name: &str| {
            conflict
                .iter()
                .any(|piece| piece.to_string().contains(name))
        };
        assert!(names("`coin`") && !names("`other`"), "{conflict:?}");
    }
}

#[test]
fn one_function_of_lists_of_several_lengths_is_called_for_each_length() {
    use figrs::prelude::*;

    let coins: Vec<Element<bool>> = (0..3).map(|_| Flip::new(0.5)).collect();
    let any = |parents: &[Element<bool>]| {
        Parents::flat_map(parents, |values: Vec<&bool>| {
            Flip::new(if values.into_iter().any(|v| *v) {
                0.9
            } else {
                0.1
            })
        })
    };
    let (two, three) = (any(&coins[..2]), any(&coins));
    let targets = (&two, &three);
    let sampled = ForwardSampling::new(100_000)
        .seed(1)
        .run(&Model::new(), targets)
        .unwrap();
    for (element, exact) in [(&two, 0.7), (&three, 0.8)] {
        let p = sampled.probability(element, &true).unwrap();
        // The tolerance is six standard errors.
        assert!(
            (p - exact).abs() < 6.0 * (0.25_f64 / 100_000.0).sqrt(),
            "{p}"
        );
    }
}
