//! Tests of counterfactuals against known answers, and against an enumeration of all chances of random models.

use figrs::prelude::*;
use figrs::{LazyVariableElimination, Predict, Sensitivity, Table, tuple};

mod random_models;

/// Pearl's firing squad: a court orders, a captain signals, and two soldiers shoot, one of them also from nerves; the prisoner dies if anyone shoots.
struct FiringSquad {
    signal: Element<bool>,
    shots: [Element<bool>; 2],
    death: Element<bool>,
}

impl FiringSquad {
    fn new(order: f64, nerves: f64) -> Self {
        let order = Flip::new(order);
        let nervous = Flip::new(nerves);
        let signal = order.map(|&order| order);
        let shots = [signal.or(&nervous), signal.map(|&signal| signal)];
        let death = shots[0].or(&shots[1]);
        Self {
            signal,
            shots,
            death,
        }
    }
}

/// Returns every algorithm that computes marginals, with its tolerance.
fn engines() -> Vec<(Box<dyn Algorithm>, f64)> {
    let exact: [Box<dyn Algorithm>; 5] = algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        JunctionTree::new(),
        Frontier::new(),
        LazyVariableElimination::new(),
    ];
    let samplers: [Box<dyn Algorithm>; 5] = algorithms![
        ImportanceSampling::new(10_000).seed(1),
        RejectionSampling::new(10_000).seed(2),
        SequentialMonteCarlo::new(1000).seed(3),
        MetropolisHastings::new(25_000).seed(4),
        Gibbs::new(5_000).seed(5),
    ];
    let exact = exact.into_iter().map(|engine| (engine, 1e-12));
    // The tolerance is five standard errors of a share in 1000 independent draws, to which the draws of the worst sampler are equivalent.
    exact
        .chain(samplers.into_iter().map(|engine| (engine, 0.08)))
        .collect()
}

/// Checks the probability of `true` in the counterfactual world by all algorithms.
fn check(had: &figrs::Counterfactual, target: &Element<bool>, expected: f64) {
    for (engine, tolerance) in engines() {
        let answer = engine.run_counterfactual(had, target);
        let answer = answer.unwrap_or_else(|error| panic!("{}: {error}", engine.name()));
        let found = match answer.bounds(target, &true) {
            Ok(bounds) => bounds.lower.midpoint(bounds.upper),
            Err(_) => answer.probability(target, &true).unwrap(),
        };
        let name = engine.name();
        assert!(
            (found - expected).abs() < tolerance,
            "{name}: {found}, exactly {expected}"
        );
    }
}

/// Pearl, *Causality*, section 7.1.2: p is the probability of an order and q that of nerves. The prisoner, who is dead, would be alive if the first
/// soldier had not shot, with probability q (1 - p) / (1 - (1 - p)(1 - q)).
#[test]
fn the_firing_squad() {
    let squad = FiringSquad::new(0.7, 0.2);
    let dead = Model::new().observe(&squad.death, true);
    let had = dead.had(&squad.shots[0], false);
    let alive = 0.2 * 0.3 / (1.0 - 0.3 * 0.8);
    check(&had, &squad.death, 1.0 - alive);
    // This is evidence in the actual world, not an intervention: the first soldier did shoot, so the second one shot as well if there was a signal.
    let shot = Model::new().observe(&squad.shots[0], true);
    check(&shot.had(&squad.shots[0], false), &squad.death, 0.7 / 0.76);
    check(&Model::new().had(&squad.signal, false), &squad.death, 0.2);
}

/// The party of Balke and Pearl: Bob comes if Ann comes, and Scott comes if Bob or Ann is there, with these probabilities.
#[test]
fn the_party() {
    // The response functions state whether each person would come, for each combination of the other persons who come.
    let [ann, bob_likes, bob_always, scott_likes] = [0.6, 0.8, 0.1, 0.7].map(Flip::new);
    let bob =
        (&ann, &bob_likes, &bob_always).map(|(ann, likes, always)| (*ann && *likes) || *always);
    let scott = (&ann, &bob, &scott_likes).map(|(ann, bob, likes)| (*ann || *bob) && *likes);
    let fight = bob.and(&scott);
    // Bob was absent and there was no fight. The question is whether there would have been a fight if Bob had been there.
    let model = Model::new().observe(&fight, false).observe(&bob, false);
    // Scott's liking is only tested where Ann came; with Bob there Scott comes if he likes, so P(likes | no Bob, no fight) = 0.7.
    check(&model.had(&bob, true), &fight, 0.7);
    // Scott was seen to stay away while Ann was there: then he does not like parties.
    let away = model.observe(&scott, false).observe(&ann, true);
    check(&away.had(&bob, true), &fight, 0.0);
}

/// A row of a table, a branch of a `Chain` or a member of a family is the same random choice in both worlds if both worlds use it; otherwise the
/// choices are independent.
#[test]
fn chances_are_shared_where_both_worlds_come_to_them() {
    let cause = Flip::new(0.4);
    let other = Flip::new(0.5);
    let by_chain = If::new(&cause, Flip::new(0.9), Flip::new(0.2));
    let states = [&cause, &other].map(|parent| (parent, vec![false, true]));
    let rows = vec![0.8, 0.2, 0.8, 0.2, 0.1, 0.9, 0.1, 0.9];
    let by_table = Table::new(states, [false, true], rows);
    let by_family = Flip::new(cause.map(|&cause| if cause { 0.9 } else { 0.2 }));
    for effect in [&by_chain, &by_table, &by_family] {
        // The cause was true, so a counterfactual that sets it to true changes nothing.
        let model = Model::new().observe(&cause, true).observe(effect, false);
        check(&model.had(&cause, true), effect, 0.0);
        // If the cause had been false, an independent choice would decide the effect.
        check(&model.had(&cause, false), effect, 0.2);
        // If the cause is unknown, the choice is the same only if the cause had the value to which it is set: P(cause | effect) = 0.36 / 0.48.
        let seen = Model::new().observe(effect, true);
        let cause_given_effect = 0.36 / 0.48;
        check(
            &seen.had(&cause, true),
            effect,
            cause_given_effect + (1.0 - cause_given_effect) * 0.9,
        );
    }
    // The table has another parent, and the counterfactual sets that parent while the cause keeps its value.
    let model = Model::new().observe(&by_table, true).observe(&cause, true);
    check(&model.had(&other, true), &by_table, 0.5 + 0.5 * 0.9);
}

/// Functions of `Chain` elements capture elements of the model; in the counterfactual world they use the values of these elements in that world.
#[test]
fn captured_elements_are_those_of_the_same_world() {
    let (treated, frail) = (Flip::new(0.5), Flip::new(0.3));
    let strength = (&treated, &frail).map(|(treated, frail)| *treated || !frail);
    let (inner, luck) = (strength.clone(), Flip::new(0.25));
    let (chance, day) = (luck.clone(), Flip::new(0.6));
    let recovers = day.flat_map(move |&good| {
        let (strong, chance) = (inner.clone(), chance.clone());
        if good {
            Flip::new(0.5).flat_map(move |&calm| if calm { strong.clone() } else { chance.clone() })
        } else {
            strong
        }
    });
    // No evidence or target depends directly on strength, luck or calm: both worlds share them by capture.
    let model = Model::new()
        .observe(&treated, true)
        .observe(&recovers, true);
    // P(recovers | treated) = 1 unless the day is good, not calm and without luck: of what is left, strength decides on bad or calm days.
    let [by_strength, by_luck] = [0.4 + 0.3, 0.3 * 0.25];
    let without = (by_strength * 0.7 + by_luck) / (by_strength + by_luck);
    check(&model.had(&treated, false), &recovers, without);
    check(&model.had(&treated, true), &recovers, 1.0);
    // A counterfactual may set several elements.
    let had = model.had(&treated, false).had(&frail, false);
    check(&had, &recovers, 1.0);
}

/// Results that are cached for one counterfactual are also used by another one, which is created later and dropped later.
#[test]
fn counterfactuals_of_one_model_overlap() {
    let (treated, frail) = (Flip::new(0.5), Flip::new(0.3));
    let strength = (&treated, &frail).map(|(treated, frail)| *treated || !frail);
    let recovers = Flip::new(0.6).flat_map(move |&good| {
        let strong = strength.clone();
        let mild = Flip::new(if good { 0.5 } else { 0.2 });
        mild.flat_map(move |&mild| {
            let fever = Flip::new(if mild { 0.3 } else { 0.7 });
            (&strong, &fever).map(|(strong, fever)| *strong || !fever)
        })
    });
    let model = Model::new()
        .observe(&treated, true)
        .observe(&recovers, true);
    let first = model.had(&treated, false);
    let fever = 0.6 * (0.5 * 0.3 + 0.5 * 0.7) + 0.4 * (0.2 * 0.3 + 0.8 * 0.7);
    let expected = 0.7 + 0.3 * (1.0 - fever);
    check_exactly(&first, &recovers, expected);
    let second = model.had(&treated, false);
    check_exactly(&second, &recovers, expected);
    drop(first);
    check_exactly(&second, &recovers, expected);
    // Frailty makes no difference to treated persons, and the counterfactual changes nothing else.
    let treated_all_the_same = model.had(&treated, true).had(&frail, true);
    drop(second);
    check_exactly(&treated_all_the_same, &recovers, 1.0);
}

/// The probability that a cause was necessary and sufficient is a statement about both worlds together.
#[test]
fn both_worlds_in_one_question() {
    let (cause, works, anyway) = (Flip::new(0.5), Flip::new(0.7), Flip::new(0.1));
    let effect =
        (&cause, &works, &anyway).map(|(cause, works, anyway)| (*cause && *works) || *anyway);
    let had = Model::new().observe(&cause, true).had(&cause, false);
    let both = tuple((&had.was(&effect), &effect));
    for engine in algorithms![VariableElimination::new(), Enumerate::new()] {
        let answer = engine.run_counterfactual(&had, &both).unwrap();
        let p = |was, had| answer.probability(&both, &(was, had)).unwrap();
        assert!((p(true, false) - 0.9 * 0.7).abs() < 1e-12);
        assert!((p(true, true) - 0.1).abs() < 1e-12 && p(false, true) == 0.0);
    }
    // An element that a counterfactual has set may be set again, and elements kept from the actual world keep their values.
    let again = had.clone().had(&cause, true);
    let answer = VariableElimination::new()
        .run_counterfactual(&again, &both)
        .unwrap();
    assert!(answer.probability(&both, &(true, false)).unwrap() == 0.0);
}

/// A `Score` weighs the actual world only; an intervention holds in both worlds.
#[test]
fn scores_and_interventions_are_those_of_the_world_that_was() {
    let coin = Flip::new(0.5);
    let weighed = Score::weigh(&coin, |&heads| if heads { 3.0 } else { 1.0 });
    let shown = weighed.not();
    let had = Model::new().had(&Flip::new(0.5), true);
    check_exactly(&had, &shown, 0.25);
    let had = Model::new().had(&coin, false);
    check_exactly(&had, &shown, 1.0);
    let cause = Flip::new(0.5);
    let middle = cause.map(|&cause| cause);
    let effect = middle.map(|&middle| middle);
    let model = Model::new().intervene(&middle, true);
    check_exactly(&model.had(&cause, false), &effect, 1.0);
    check_exactly(&model.had(&middle, false), &effect, 0.0);
}

fn check_exactly(had: &figrs::Counterfactual, target: &Element<bool>, expected: f64) {
    for engine in algorithms![VariableElimination::new(), Enumerate::new()] {
        let answer = engine.run_counterfactual(had, target).unwrap();
        let found = answer.probability(target, &true).unwrap();
        assert!(
            (found - expected).abs() < 1e-12,
            "{}: {found} {expected}",
            engine.name()
        );
    }
}

/// Continuous values that do not depend on the set elements are equal in both worlds.
#[test]
fn continuous_chances_are_shared() {
    let (dose, noise) = (Flip::new(0.5), Normal::new(0.0, Variance(1.0)));
    let pressure = (&dose, &noise).map(|(dose, noise)| if *dose { noise - 1.0 } else { *noise });
    let model = Model::new()
        .observe(&dose, false)
        .condition(&pressure, |p| *p > 0.5);
    let had = model.had(&dose, true);
    let high = pressure.map(|p| *p > -0.5);
    let answer = ImportanceSampling::new(2000)
        .seed(1)
        .run_counterfactual(&had, &high)
        .unwrap();
    assert_eq!(answer.probability(&high, &true).unwrap(), 1.0);
    // A member of a family with the same parameters has the same value in both worlds.
    let mean = dose.map(|_| 2.0);
    let measured = Normal::new(&mean, Variance(1.0));
    let same = tuple((&had.was(&measured), &measured)).map(|(a, b)| a == b);
    let answer = ImportanceSampling::new(500)
        .seed(1)
        .run_counterfactual(&had, &same)
        .unwrap();
    assert_eq!(answer.probability(&same, &true).unwrap(), 1.0);
}

#[test]
fn too_many_remembered_elements_are_an_error() {
    let (cause, number) = (Flip::new(0.5), ContinuousUniform::new(0.0, 1.0));
    let effect = (&cause, &number).flat_map(|(cause, x)| Flip::new(if *cause { *x } else { 0.5 }));
    let had = Model::new().had(&cause, false).max_elements(100);
    let error = ImportanceSampling::new(5000)
        .run_counterfactual(&had, &effect)
        .unwrap_err();
    let named = matches!(
        &error,
        Error::Model(figrs::ModelError::Function {
            fault: figrs::Fault::TooManyBranches(100),
            ..
        })
    );
    assert!(named, "{error}");
    let had = Model::new().had(&cause, false);
    let answer = ImportanceSampling::new(5000)
        .seed(2)
        .run_counterfactual(&had, &effect)
        .unwrap();
    assert!((answer.probability(&effect, &true).unwrap() - 0.5).abs() < 0.04);
}

/// The copies of long chains for the second world are built, traversed and dropped without recursion.
#[test]
fn long_chains_need_no_stack() {
    let first = Flip::new(0.5);
    let mut last = first.clone();
    for _ in 0..20_000 {
        last = last.map(|&v| !v);
    }
    let had = Model::new().observe(&last, true).had(&first, false);
    let answer = VariableElimination::new()
        .run_counterfactual(&had, &last)
        .unwrap();
    assert_eq!(answer.probability(&last, &true).unwrap(), 0.0);
}

/// After a counterfactual is dropped, no results are cached, and models answer as before.
#[test]
fn counterfactuals_leave_no_trace() {
    let cause = Flip::new(0.4);
    let [a, b] = [0, 1].map(|_| cause.flat_map(|&cause| Flip::new(if cause { 0.9 } else { 0.2 })));
    let both = a.and(&b);
    let before = VariableElimination::new()
        .run(&Model::new(), &both)
        .unwrap();
    let sampler = ImportanceSampling::new(1000).seed(9);
    let draws = |model: &Model| {
        let answer = sampler.run(model, &both).unwrap();
        answer.probability(&both, &true).unwrap()
    };
    let drawn = draws(&Model::new());
    for _ in 0..2 {
        let had = Model::new().had(&cause, true);
        check_exactly(&had, &both, 0.81);
        let during = VariableElimination::new()
            .run(&Model::new(), &both)
            .unwrap();
        assert!(
            (during.probability(&both, &true).unwrap() - before.probability(&both, &true).unwrap())
                .abs()
                < 1e-15
        );
    }
    assert_eq!(draws(&Model::new()), drawn);
}

/// Answers about the counterfactual world also have derivatives and most probable worlds.
#[test]
fn derivatives_and_worlds_of_counterfactuals() {
    let (order, nerves) = (
        figrs::Param::new("order", 0.7),
        figrs::Param::new("nerves", 0.2),
    );
    let (ordered, nervous) = (Flip::new(&order), Flip::new(&nerves));
    let shots = [ordered.or(&nervous), ordered.map(|&signal| signal)];
    let death = shots[0].or(&shots[1]);
    let had = Model::new().observe(&death, true).had(&shots[0], false);
    let answer = JunctionTree::new()
        .run_counterfactual(&had, &death)
        .unwrap();
    let query = figrs::Query::probability(&death, true);
    // The derivative of p / (1 - (1 - p)(1 - q)) by p is q / (1 - (1 - p)(1 - q))².
    let slope = answer.derivative(&query, &order).unwrap();
    assert!((slope - 0.2 / 0.76f64.powi(2)).abs() < 1e-12, "{slope}");
    assert!(matches!(
        answer.predict(&death),
        Err(Error::NotInAnswer { .. })
    ));
    let world = MpeVariableElimination::new()
        .run_counterfactual(&had, &death)
        .unwrap();
    assert!(world.most_likely_value(&death).unwrap());
}
