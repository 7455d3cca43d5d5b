//! Tests of strategies: answers by sub-models are the answers of the whole model, and state by what each sub-model was solved.

use std::cell::Cell;

use figrs_answer::answer::AnswerContent;
use figrs_core::{
    AnyElement, Constant, Element, Flip, Limits, Model, Parents, Recursive, Uniform, fold, inject,
};
use figrs_infer::{
    Algorithm, Answer, AttemptOutcome, Error, ImportanceSampling, Improvement,
    LazyVariableElimination, MpeBranchAndBound, MpeExact, MpeVariableElimination, Quality, Run,
    Strategy as Plan, SubmodelQuality, SubmodelSolution, VariableElimination,
};
use figrs_tests::oracle::close;
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;

use crate::exact_properties::shared::{Checked, EXACT, asked, enumerate, failed, is_wide};
use crate::exact_properties::worlds::is_a_run;

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

/// Returns whether most of nine voters agree; all votes are read at once, so that no part of a jury is a sub-model.
fn jury(mood: &Element<bool>) -> Element<bool> {
    let votes: Vec<Element<bool>> = (0..9)
        .map(|_| mood.flat_map(|&mood| Flip::new(if mood { 0.7 } else { 0.4 })))
        .collect();
    inject(&votes).map(|votes| votes.iter().filter(|&&yes| yes).count() > 4)
}

fn juries() -> (Model, Element<bool>) {
    let mood = Flip::new(0.5);
    let (seen, target) = (jury(&mood), jury(&mood).not());
    (Model::new().observe(&seen, true), target)
}

#[test]
fn an_answer_with_a_sampled_part_calls_itself_approximate() {
    let (model, target) = juries();
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

/// Returns max-product elimination that refuses more predicted operations.
fn maximisation(work: f64) -> MpeVariableElimination {
    MpeVariableElimination::new().limits(Limits::default().work(work))
}

fn worlds_agree(description: &Description, divided: &Cell<u32>) -> Checked {
    let built = build(description);
    let erased = built.erased();
    if is_wide(&built.model, &erased)? {
        return Ok(());
    }
    let Some(expected) = asked(enumerate().most_probable_world(&built.model, erased.clone()))?
    else {
        return Ok(());
    };
    let plan = Plan::by(maximisation(0.0)).otherwise(MpeVariableElimination::new());
    let whole = asked(MpeExact::new().run(&built.model, erased.clone()))?;
    let parts = asked(plan.run(&built.model, erased))?;
    let (Ok(expected), Some(Ok(whole)), Some(Ok(parts))) = (&expected, &whole, &parts) else {
        let are_errors = matches!((&whole, &parts), (Some(Err(_)), Some(Err(_))));
        prop_assert!(expected.is_err() && are_errors, "{whole:?} {parts:?}");
        return Ok(());
    };
    let logs = [expected, whole, parts].map(|answer| answer.log_probability().unwrap());
    let is_best = logs[1..].iter().all(|&log| close(logs[0], log, 1e-9));
    prop_assert!(is_best, "{logs:?}");
    prop_assert!(is_a_run(&built, parts, logs[2])?, "{parts:?}");
    prop_assert!(parts.is_proven().unwrap());
    let submodels = &parts.choice().ok_or_else(|| failed("no choice"))?.submodels;
    if !submodels.is_empty() {
        divided.set(divided.get() + 1);
    }
    Ok(())
}

#[test]
fn best_worlds_of_sub_models_are_the_best_world_of_the_whole() {
    let divided = Cell::new(0);
    for_random_models(40, 43, |description| worlds_agree(description, &divided));
    assert!(divided.get() >= 5, "{divided:?}");
}

/// Each committee has a most probable world for each mood and decision.
#[test]
fn best_worlds_of_members_are_found_apart() {
    let search = MpeBranchAndBound::new();
    for ((model, target), work, name) in [
        (committees(), 200.0, "MpeVariableElimination"),
        (juries(), 100.0, "MpeBranchAndBound"),
    ] {
        let whole = MpeExact::new().run(&model, &target).unwrap();
        let plan = Plan::by(maximisation(work)).otherwise(search.clone());
        let answer = plan.interface(100).run(&model, &target).unwrap();
        let [log, found] = [&whole, &answer].map(|answer| answer.log_probability().unwrap());
        assert!(close(log, found, 1e-12) && answer.is_proven().unwrap());
        let [a, b] = [&whole, &answer].map(|answer| answer.most_likely_value(&target).unwrap());
        assert_eq!(a, b);
        let choice = answer.choice().unwrap();
        let is_apart = |s: &SubmodelSolution| {
            (s.rows, s.quality) == (2, SubmodelQuality::Exact) && s.algorithms == [name]
        };
        let submodels = &choice.submodels;
        assert!(
            submodels.len() == 2 && submodels.iter().all(is_apart),
            "{choice}"
        );
    }
}

/// Max-product elimination that claims only an upper bound for its worlds, and refuses one target.
#[derive(Debug)]
struct Cautious {
    refused: AnyElement,
    slack: f64,
}

impl Algorithm for Cautious {
    fn name(&self) -> &'static str {
        "Cautious"
    }

    fn finds_world(&self) -> bool {
        true
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        if targets[0].id() == self.refused.id() {
            return Err(Error::NothingDone {
                algorithm: self.name(),
            });
        }
        let found = MpeVariableElimination::new().answer(model, targets)?;
        let log_probability = found.log_probability()?;
        let bound = Improvement {
            work: 1,
            log_probability,
            upper_bound: log_probability + self.slack,
        };
        let AnswerContent::World(values, ..) = found.content else {
            return Ok(found);
        };
        let values = values.into_values();
        Ok(Answer::searched_world(
            self.name(),
            values,
            log_probability,
            vec![bound],
        ))
    }
}

/// The upper bound of the whole follows from the upper bounds of the sub-models.
#[test]
fn worlds_of_parts_that_are_not_proven_have_bounds() {
    let (model, target) = juries();
    let whole = MpeExact::new().run(&model, &target).unwrap();
    for slack in [0.25, f64::INFINITY] {
        let refused = target.erased().clone();
        let plan = Plan::by(maximisation(100.0)).otherwise(Cautious { refused, slack });
        let answer = plan.interface(100).run(&model, &target).unwrap();
        let log = answer.log_probability().unwrap();
        assert!(close(log, whole.log_probability().unwrap(), 1e-12));
        let bound = answer.upper_bound().unwrap();
        assert!(
            bound == log + 2.0 * slack || close(bound, log + 2.0 * slack, 1e-12),
            "{bound}"
        );
        let choice = answer.choice().unwrap();
        let quality = if slack == 0.25 {
            SubmodelQuality::Bounds
        } else {
            SubmodelQuality::Approximate
        };
        assert!(
            choice.submodels.iter().all(|s| s.quality == quality),
            "{choice}"
        );
        // The world is the best that was found, although it is not proven.
        let last = choice.attempts.last().unwrap();
        assert_eq!(
            (last.algorithm, &last.outcome),
            ("Strategy", &AttemptOutcome::Answered)
        );
    }
}

/// The number is in a world only if one of the branches reads it, so that a table of a branch's sub-model must not count it.
#[test]
fn elements_that_only_some_worlds_evaluate_are_no_interface() {
    let number = Uniform::new(0..10);
    let part = || {
        let own = number.clone();
        let read = Flip::new(0.3).flat_map(move |&reads| {
            if reads {
                own.map(|n| n % 3)
            } else {
                Uniform::new(0..3)
            }
        });
        (&read, &Flip::new(0.4)).map(|(n, b)| n + i32::from(*b))
    };
    let sum = (&part(), &part()).map(|(a, b)| a + b);
    let model = Model::new().condition(&sum, |sum| *sum > 2);
    let whole = MpeVariableElimination::new().run(&model, &sum).unwrap();
    let plan = Plan::by(maximisation(0.0)).otherwise(MpeVariableElimination::new());
    let parts = plan.run(&model, &sum).unwrap();
    let [p, q] = [whole, parts].map(|answer| answer.log_probability().unwrap());
    assert!(close(p, q, 1e-12), "{p} {q}");
}

/// A body that the elimination refuses is solved for each value of its root.
#[test]
fn best_worlds_of_recursive_calls_follow_the_strategy() {
    let tower = Recursive::new(|call, &n: &u32| -> Element<u32> {
        if n == 0 {
            return Uniform::new([0, 1, 1, 3]);
        }
        (&call(n - 1), &call(n - 1)).map(|(a, b)| (a * b + 1) % 5)
    });
    let top = tower.call(3);
    let whole = MpeVariableElimination::new()
        .run(&Model::new(), &top)
        .unwrap();
    let limits = Limits::default().work(30.0);
    let plan = Plan::by(maximisation(30.0))
        .otherwise(MpeExact::new())
        .limits(limits);
    let parts = plan.run(&Model::new(), &top).unwrap();
    let [p, q] = [&whole, &parts].map(|answer| answer.log_probability().unwrap());
    assert!(close(p, q, 1e-12), "{p} {q}");
}

#[test]
fn a_strategy_answers_one_kind_of_query() {
    let coin = Flip::new(0.3);
    let mixed = Plan::by(VariableElimination::new()).otherwise(MpeExact::new());
    let refused = mixed.run(&Model::new(), &coin);
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains("MpeExact and VariableElimination"),
        "{message}"
    );
}
