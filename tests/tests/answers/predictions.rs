//! Tests of posteriors as new elements, and of posterior predictive draws.

use std::cell::Cell;

use figrs::prelude::*;
use figrs::{Predict, tuple};
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::{TestCaseError, prop_assert};

const DRAWS: usize = 20_000;

fn exact<T: Value>(model: &Model, element: &Element<T>, value: &T) -> f64 {
    let answer = VariableElimination::new().run(model, element).unwrap();
    answer.probability(element, value).unwrap()
}

/// Checks that the share of a value among predictive draws is within 4.5 standard errors of its probability.
fn check<T: Value>(answer: &Answer, element: &Element<T>, value: &T, expected: f64) {
    let draws = answer.predict(element).unwrap().draws(DRAWS, 7).unwrap();
    assert_eq!(draws.len(), DRAWS);
    let share = draws.iter().filter(|v| v.same(value)).count() as f64 / DRAWS as f64;
    let error = (expected * (1.0 - expected) / DRAWS as f64).sqrt();
    assert!(
        (share - expected).abs() < 4.5 * error,
        "{share}, exactly {expected} ± {error}"
    );
}

/// Returns a hidden Markov model of five days, with weather observed on three of them, and the next day.
fn weather() -> (Model, Vec<Element<bool>>, Element<bool>) {
    let mut rain = vec![Flip::new(0.3).named("rain 0")];
    for day in 1..6 {
        let next = If::new(&rain[day - 1], Flip::new(0.7), Flip::new(0.2));
        rain.push(next.named(format!("rain {day}")));
    }
    let mut model = Model::new();
    for (day, &umbrella) in [true, true, false].iter().enumerate() {
        let seen = If::new(&rain[day], Flip::new(0.9), Flip::new(0.1));
        model = model.observe(&seen, umbrella);
    }
    let umbrella = If::new(&rain[5], Flip::new(0.9), Flip::new(0.1));
    (model, rain, umbrella)
}

#[test]
fn predictions_of_exact_answers_follow_the_exact_posterior() {
    let (model, rain, umbrella) = weather();
    let expected = exact(&model, &umbrella, &true);
    for target in [2, 3, 5] {
        let answer = VariableElimination::new()
            .run(&model, &rain[target])
            .unwrap();
        check(&answer, &umbrella, &true, expected);
        check(
            &answer,
            &rain[target],
            &true,
            answer.probability(&rain[target], &true).unwrap(),
        );
    }
}

#[test]
fn targets_that_do_not_decide_are_refused_with_those_that_do() {
    let (model, rain, umbrella) = weather();
    let answer = VariableElimination::new().run(&model, &rain[0]).unwrap();
    let error = answer.predict(&umbrella).unwrap_err();
    // The error names the nearest element above the prediction that depends on the evidence.
    let named =
        matches!(&error, Error::NotPredictable { missing, .. } if missing.contains("rain 5"));
    assert!(named, "{error}");
    let both = tuple((&rain[0], &rain[5]));
    let answer = VariableElimination::new().run(&model, &both).unwrap();
    check(&answer, &umbrella, &true, exact(&model, &umbrella, &true));
    // An element on which the evidence depends directly must be a target, too.
    let error = answer.predict(&rain[1]).unwrap_err();
    let named =
        matches!(&error, Error::NotPredictable { missing, .. } if missing.contains("rain 1"));
    assert!(named, "{error}");
}

#[test]
fn marginals_of_dependent_targets_are_no_joint_posterior() {
    let (a, b) = (Flip::new(0.5).named("a"), Flip::new(0.4).named("b"));
    let differ = a.differs(&b);
    let model = Model::new().observe(&differ, true);
    let answer = JunctionTree::new().run(&model, (&a, &b)).unwrap();
    let next = (&a, &b).flat_map(|(a, b)| Flip::new(if *a && *b { 0.9 } else { 0.2 }));
    let error = answer.predict(&next).unwrap_err();
    assert!(matches!(error, Error::NotInAnswer { .. }), "{error}");
    assert!(error.to_string().contains("tuple"), "{error}");
    let answer = JunctionTree::new().run(&model, tuple((&a, &b))).unwrap();
    check(&answer, &next, &true, 0.2);
    // Draws of several targets are joint without a tuple.
    let sampler = ImportanceSampling::new(50_000).seed(3).keep_draws();
    let answer = sampler.run(&model, (&a, &b)).unwrap();
    check(&answer, &next, &true, 0.2);
    // Without the evidence the targets are independent, and marginals are enough.
    let answer = JunctionTree::new().run(&Model::new(), (&a, &b)).unwrap();
    check(&answer, &next, &true, 0.2 + 0.7 * 0.2);
}

#[test]
fn an_element_that_a_target_depends_on_is_drawn_given_the_target() {
    let ill = Flip::new(0.1);
    let fever = If::new(&ill, Flip::new(0.8), Flip::new(0.1));
    let measured = If::new(&fever, Flip::new(0.95), Flip::new(0.05));
    let model = Model::new().observe(&measured, true);
    let answer = VariableElimination::new().run(&model, &fever).unwrap();
    check(&answer, &ill, &true, exact(&model, &ill, &true));
}

#[test]
fn continuous_predictions_have_the_exact_mean_and_variance() {
    let mean = Normal::new(0.0, Variance(4.0));
    let seen: Vec<_> = (0..5).map(|_| Normal::new(&mean, Variance(1.0))).collect();
    let values = [1.1, 0.2, 2.0, 1.4, 0.8];
    let model = seen
        .iter()
        .zip(values)
        .fold(Model::new(), |model, (e, x)| model.observe(e, x));
    let answer = Gibbs::new(1).run(&model, &mean);
    assert!(answer.is_err(), "a sampler of finite elements");
    let answer = MetropolisHastings::new(40_000)
        .seed(5)
        .run(&model, &mean)
        .unwrap();
    let next = Normal::new(&mean, Variance(1.0));
    let draws = answer.predict(&next).unwrap().draws(4000, 11).unwrap();
    // The posterior of the mean has precision 1/4 + 5.
    let (centre, variance) = (5.5 / 5.25, 1.0 + 1.0 / 5.25);
    let n = draws.len() as f64;
    let found = draws.iter().sum::<f64>() / n;
    let spread = draws.iter().map(|x| (x - found).powi(2)).sum::<f64>() / n;
    // The standard error includes the error of the posterior, whose draws are equivalent to at least a tenth as many independent draws.
    let error = (variance / n + 1.0 / 5.25 / 4000.0).sqrt();
    assert!((found - centre).abs() < 4.5 * error, "{found} {centre}");
    assert!(
        (spread / variance - 1.0).abs() < 4.5 * (2.0 / n).sqrt() + 0.05,
        "{spread} {variance}"
    );
}

#[test]
fn posteriors_are_elements_to_build_on() {
    let (model, rain, _) = weather();
    let answer = VariableElimination::new().run(&model, &rain[2]).unwrap();
    let today = answer.element(&rain[2]).unwrap();
    let tomorrow = If::new(&today, Flip::new(0.7), Flip::new(0.2));
    let expected = exact(&model, &rain[3], &true);
    assert!((exact(&Model::new(), &tomorrow, &true) - expected).abs() < 1e-12);
    // The joint posterior of several elements is the posterior of their tuple.
    let days = tuple((&rain[0], &rain[1]));
    let joint = JunctionTree::new().run(&model, &days).unwrap();
    let joint = joint.element(&days).unwrap();
    let same = joint.map(|(a, b)| a == b);
    let expected = exact(&model, &rain[0].equals(&rain[1]), &true);
    assert!((exact(&Model::new(), &same, &true) - expected).abs() < 1e-12);
    let world = MpeVariableElimination::new().run(&model, &rain[2]).unwrap();
    assert!(matches!(
        world.element(&rain[2]),
        Err(Error::NotInAnswer { .. })
    ));
    assert!(matches!(
        world.predict(&rain[3]),
        Err(Error::NotInAnswer { .. })
    ));
    let bare = VariableElimination::new()
        .answer(&model, &[rain[2].erased().clone()])
        .unwrap();
    assert!(matches!(
        bare.predict(&rain[3]),
        Err(Error::NotInAnswer { .. })
    ));
}

fn predictions_are_posteriors(
    description: &Description,
    checked: &Cell<u32>,
) -> Result<(), TestCaseError> {
    const COUNT: usize = 2000;
    let built = build(description);
    let target = built.targets[0].coded();
    let Ok(answer) = VariableElimination::new().run(&built.model, &target) else {
        return Ok(());
    };
    let typed = built.targets[0].erased();
    let Ok(direct) = VariableElimination::new().run(&built.model, vec![typed]) else {
        return Ok(());
    };
    for element in built.elements().iter().rev().take(4) {
        for answer in [&answer, &direct] {
            let shares = match element.predicted(answer, COUNT, 3) {
                Ok(shares) => shares,
                Err(Error::NotPredictable { .. }) => continue,
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            };
            let roots = vec![built.targets[0].erased(), element.erased()];
            let Ok(exact) = VariableElimination::new().run(&built.model, roots) else {
                continue;
            };
            let exact = element
                .probabilities(&exact)
                .map_err(|e| TestCaseError::fail(e.to_string()))?;
            for (share, p) in shares.iter().zip(exact) {
                let error = (p * (1.0 - p) / COUNT as f64).max(0.0).sqrt();
                let near = (share - p).abs() <= 5.5 * error + 10.0 / COUNT as f64;
                prop_assert!(near, "{element:?}: {share}, exactly {p}");
            }
            checked.set(checked.get() + 1);
        }
    }
    Ok(())
}

#[test]
fn predictions_of_random_models_follow_the_posterior() {
    let checked = Cell::new(0);
    for_random_models(60, 33, |description| {
        predictions_are_posteriors(description, &checked)
    });
    assert!(checked.get() > 60, "{} predictions", checked.get());
}

#[test]
fn a_score_that_only_the_element_reaches_is_refused() {
    let sunny = Flip::new(0.5);
    let weighed = Score::weigh(&sunny, |&sunny| if sunny { 3.0 } else { 1.0 });
    let not = weighed.not();
    let answer = VariableElimination::new()
        .run(&Model::new(), &sunny)
        .unwrap();
    assert!(matches!(
        answer.predict(&not),
        Err(Error::NotPredictable { .. })
    ));
    // An answer that has this element as a target can predict it.
    let answer = VariableElimination::new()
        .run(&Model::new(), tuple((&sunny, &not)))
        .unwrap();
    check(&answer, &not, &true, 0.25);
}
