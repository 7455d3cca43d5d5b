//! Tests of strategies: answers by sub-models are the answers of the whole model, and state by what each sub-model was solved.

use std::cell::Cell;

use figrs_core::{
    Constant, Element, Flip, Limits, Model, Parents, Recursive, Uniform, fold, inject,
};
use figrs_infer::{
    Answer, AttemptOutcome, Error, ImportanceSampling, LazyVariableElimination, Quality, Run,
    Strategy as Plan, SubmodelQuality, SubmodelSolution, VariableElimination,
};
use figrs_tests::oracle::close;
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;

use crate::exact_properties::shared::{Checked, EXACT, asked, failed, is_wide};

/// Returns variable elimination that refuses more predicted operations.
fn elimination(work: f64) -> VariableElimination {
    VariableElimination::new().limits(Limits::default().work(work))
}

fn agrees(description: &Description, divided: &Cell<u32>) -> Checked {
    let built = build(description);
    let erased = built.erased();
    if is_wide(&built.model, &erased)? {
        return Ok(());
    }
    let plan = Plan::by(elimination(0.0)).otherwise(VariableElimination::new());
    let whole = asked(VariableElimination::new().run(&built.model, erased.clone()))?;
    let parts = asked(plan.run(&built.model, erased))?;
    let (Some(Ok(whole)), Some(Ok(parts))) = (&whole, &parts) else {
        prop_assert!(matches!((whole, parts), (Some(Err(_)), Some(Err(_)))));
        return Ok(());
    };
    let logs = [whole, parts].map(|answer| answer.log_evidence().unwrap().value);
    prop_assert!(close(logs[0], logs[1], EXACT), "{logs:?}");
    for target in &built.targets {
        for event in [1, 2, 4, 8, 16, 0x55] {
            let bounds = [whole, parts].map(|answer| target.bounds(answer, event).unwrap());
            let is_exact = bounds[1].width() == 0.0;
            let difference = (bounds[0].lower - bounds[1].lower).abs();
            prop_assert!(is_exact && difference <= EXACT, "{bounds:?}");
        }
    }
    let submodels = &parts.choice().ok_or_else(|| failed("no choice"))?.submodels;
    if !submodels.is_empty() {
        divided.set(divided.get() + 1);
    }
    let is_exact = (submodels.iter()).all(|s| s.quality == SubmodelQuality::Exact && s.rows > 0);
    prop_assert!(is_exact, "{submodels:?}");
    Ok(())
}

#[test]
fn sub_models_have_the_answers_of_the_whole() {
    let divided = Cell::new(0);
    for_random_models(200, 41, |description| agrees(description, &divided));
    assert!(divided.get() >= 10, "{divided:?}");
}

/// Returns whether most of nine voters agree, who vote independently given the mood of the country.
fn committee(mood: &Element<bool>) -> Element<bool> {
    let members: Vec<Element<bool>> = (0..9)
        .map(|_| mood.flat_map(|&mood| Flip::new(if mood { 0.7 } else { 0.4 })))
        .collect();
    let votes = fold(&members, 0, |votes, &yes| votes + u32::from(yes));
    votes.map(|votes| *votes > 4).named("committee")
}

fn committees() -> (Model, Element<bool>) {
    let mood = Flip::new(0.5);
    let seen = committee(&mood);
    (Model::new().observe(&seen, true), committee(&mood).not())
}

/// Each committee is a sub-model that reads the mood.
#[test]
fn members_of_a_collection_are_solved_apart() {
    let (model, target) = committees();
    let whole = VariableElimination::new().run(&model, &target).unwrap();
    let answer = Plan::by(elimination(200.0)).run(&model, &target).unwrap();
    let [p, q] = [&whole, &answer].map(|answer| answer.probability(&target, &true).unwrap());
    assert!((p - q).abs() < 1e-12, "{p} {q}");
    let choice = answer.choice().unwrap();
    let found: Vec<_> = (choice.submodels.iter())
        .map(|s| (s.interface, s.rows, &s.algorithms[..], s.quality))
        .collect();
    // The decision of the first committee is known.
    let apart = |n| (n, 2, &["VariableElimination"][..], SubmodelQuality::Exact);
    assert_eq!(found, [apart(4), apart(2)], "{choice}");
    assert!(matches!(
        choice.attempts[0].outcome,
        AttemptOutcome::Refused(_)
    ));
    assert_eq!(choice.attempts[1].outcome, AttemptOutcome::Answered);
    let text = choice.to_string();
    assert!(
        text.contains("committee") && text.contains("by VariableElimination (2 rows, exact)"),
        "{text}"
    );
    // An interface of one value has no room for the mood.
    let refused = Plan::by(elimination(200.0))
        .interface(1)
        .run(&model, &target);
    let Err(Error::NothingFits { tried, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(tried.attempts.len(), 1);
}

#[test]
fn an_answer_with_a_sampled_part_calls_itself_approximate() {
    // All votes are read at once, so that no part of a jury is a sub-model.
    let jury = |mood: &Element<bool>| {
        let votes: Vec<Element<bool>> = (0..9)
            .map(|_| mood.flat_map(|&mood| Flip::new(if mood { 0.7 } else { 0.4 })))
            .collect();
        inject(&votes).map(|votes| votes.iter().filter(|&&yes| yes).count() > 4)
    };
    let mood = Flip::new(0.5);
    let (seen, target) = (jury(&mood), jury(&mood).not());
    let model = Model::new().observe(&seen, true);
    let sampler = ImportanceSampling::new(20_000).seed(5);
    let plan = Plan::by(elimination(100.0))
        .otherwise(sampler)
        .interface(100);
    let answer = plan.run(&model, &target).unwrap();
    let is_sampled = |s: &SubmodelSolution| s.algorithms == ["ImportanceSampling"];
    let choice = answer.choice().unwrap();
    assert!(
        choice.submodels.len() == 2 && choice.submodels.iter().all(is_sampled),
        "{choice}"
    );
    assert_eq!(answer.quality(&target).unwrap(), Quality::Approximate);
    assert!(answer.log_evidence().is_err() && answer.log_evidence_bounds().is_err());
    let exact = VariableElimination::new().run(&model, &target).unwrap();
    let [p, q] = [&exact, &answer].map(|answer| answer.probability(&target, &true).unwrap());
    // Four rows of 20 000 draws: five standard errors, which one run in a million exceeds.
    assert!((p - q).abs() < 5.0 * 0.0071 && p != q, "{p} {q}");
}

/// True if a branching process, with a limited number of generations, has an odd number of members without children.
fn odd_leaves(generations: u32, rate: &Element<u32>) -> Element<bool> {
    let own = rate.clone();
    let has_children = rate.flat_map(|&rate| Flip::new(0.3 + 0.004 * f64::from(rate)));
    has_children.flat_map(move |&has_children| {
        if has_children && generations > 0 {
            let [a, b] = [0, 1].map(|_| odd_leaves(generations - 1, &own));
            (&a, &b).map(|(a, b)| a ^ b)
        } else {
            Constant::new(true)
        }
    })
}

#[test]
fn an_answer_with_bounds_of_a_part_encloses_the_exact_answer() {
    // The rate is inside the sub-model, and too many values of it are read by the parts of the process.
    let odd = odd_leaves(7, &Uniform::new(0..50)).named("odd");
    let die = Uniform::new(1..=6);
    let sum = (&odd, &die).map(|(&odd, &n)| n + i32::from(odd));
    let seen = sum.flat_map(|&n| Flip::new(f64::from(n) / 7.0));
    let model = Model::new().observe(&seen, true);
    let exact = VariableElimination::new().run(&model, &die).unwrap();
    let lazy = LazyVariableElimination::to_width(0.2);
    let plan = Plan::by(elimination(100.0)).otherwise(lazy).interface(20);
    let answer = plan.run(&model, &die).unwrap();
    let [found] = &answer.choice().unwrap().submodels[..] else {
        panic!("{}", answer.choice().unwrap());
    };
    assert!(found.root.contains("odd"));
    assert_eq!(found.quality, SubmodelQuality::Bounds);
    assert_eq!(found.algorithms, ["LazyVariableElimination"]);
    for value in 1..=6 {
        let p = exact.probability(&die, &value).unwrap();
        let bounds = answer.bounds(&die, &value).unwrap();
        assert!(
            bounds.contains(p) && bounds.width() > 0.0 && bounds.width() < 0.3,
            "{bounds}"
        );
    }
    let evidence = answer.log_evidence_bounds().unwrap();
    assert!(evidence.contains(exact.log_evidence().unwrap().value));
    let mean = answer
        .expectation_bounds(&die, |&n| f64::from(n), 1.0..=6.0)
        .unwrap();
    assert!(mean.contains(exact.mean(&die).unwrap()));
}

/// The body of a recursive call that an elimination refuses is solved by the other algorithms, and listed as a sub-model.
#[test]
fn bodies_of_recursive_calls_follow_the_strategy() {
    let tower = Recursive::new(|call, &n: &u32| -> Element<u32> {
        if n == 0 {
            return Uniform::new(0..12);
        }
        (&call(n - 1), &call(n - 1)).map(|(a, b)| (a * b + 1) % 12)
    });
    let top = tower.call(3);
    let exact = VariableElimination::new().run(&Model::new(), &top).unwrap();
    let limits = Limits::default().work(60.0);
    let plan = |next| {
        Plan::by(elimination(60.0))
            .otherwise(next)
            .limits(limits.clone())
    };
    let answer: Answer = plan(VariableElimination::new())
        .run(&Model::new(), &top)
        .unwrap();
    for value in 0..12 {
        let [p, q] = [&exact, &answer].map(|answer| answer.probability(&top, &value).unwrap());
        assert!((p - q).abs() < 1e-12, "{p} {q}");
    }
    assert!(!answer.choice().unwrap().submodels.is_empty());
}

/// A sampler that misses the observed value of a sub-model does not make the evidence impossible.
#[test]
fn a_sampled_part_proves_nothing_impossible() {
    let coins: Vec<Element<bool>> = (0..10).map(|_| Flip::new(0.1)).collect();
    let rare = inject(&coins).map(|coins| coins.iter().all(|&heads| heads));
    let target = (&rare, &Flip::new(0.5)).map(|(a, b)| a ^ b);
    let model = Model::new().observe(&rare, true);
    let plan = Plan::by(elimination(0.0)).otherwise(ImportanceSampling::new(10));
    match plan.run(&model, &target) {
        Ok(answer) => assert_eq!(answer.quality(&target).unwrap(), Quality::Approximate),
        Err(error) => assert!(matches!(error, Error::NothingFits { .. }), "{error}"),
    }
}
