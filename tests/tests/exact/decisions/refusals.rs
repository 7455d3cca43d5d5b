//! Tests of decision problems that are refused, and of algorithms that refuse decisions.

use figrs::eliminate::EliminationError;
use figrs::prelude::*;
use figrs::{
    BeliefPropagation, Decision, Label, LazyVariableElimination, Limits, MarginalMap,
    MaximiseUtility, ModelError, MpeBranchAndBound,
};
use figrs_tests::samplers::{Effort, SAMPLERS};

/// A problem of rain, a forecast of the rain, an umbrella, and the comfort that results.
struct Weather {
    rain: Element<bool>,
    forecast: Element<bool>,
    umbrella: Element<bool>,
    comfort: Element<f64>,
}

fn weather() -> Weather {
    let rain = Flip::new(0.3).named("rain");
    let forecast = If::new(&rain, Flip::new(0.8), Flip::new(0.1)).named("forecast");
    let umbrella = Decision::new(&forecast, [true, false]).named("umbrella");
    let comfort = (&rain, &umbrella).map(|(rain, umbrella)| match (rain, umbrella) {
        (_, true) => -1.0,
        (true, false) => -10.0,
        (false, false) => 0.0,
    });
    Weather {
        rain,
        forecast,
        umbrella,
        comfort,
    }
}

fn refused(w: &Weather, model: &Model, decisions: impl Parents) -> Error {
    let algorithm = MaximiseUtility::new();
    algorithm.run(model, [&w.comfort], decisions).unwrap_err()
}

fn short(label: &Label) -> &str {
    label.short()
}

/// An element that is no decision, a decision that is not listed, and a decision in a branch are refused.
#[test]
fn every_decision_is_listed_and_no_other() {
    let w = weather();
    let error = refused(&w, &Model::new(), (&w.umbrella, &w.rain));
    assert_eq!(error, Error::not_a_decision(w.rain.label()));
    let error = refused(&w, &Model::new(), ());
    assert!(
        matches!(&error, Error::Model(ModelError::Undecided { element }) if short(element) == "umbrella")
    );
    let inner = w
        .rain
        .flat_map(|_| Decision::new((), [1.0, 2.0]).named("inner"));
    let error = MaximiseUtility::new()
        .run(&Model::new(), [&inner], ())
        .unwrap_err();
    assert!(
        matches!(&error, Error::Model(ModelError::Undecided { element }) if short(element) == "inner")
    );
    let nothing = Decision::new((), Vec::<bool>::new());
    let worth = nothing.map(|&n| f64::from(u8::from(n)));
    let error = MaximiseUtility::new()
        .run(&Model::new(), [&worth], &nothing)
        .unwrap_err();
    assert!(
        error.to_string().contains("the decision has no options"),
        "{error}"
    );
    let plan = MaximiseUtility::new()
        .run(&Model::new(), [&w.comfort], &w.umbrella)
        .unwrap();
    let error = plan.policy(&w.rain).unwrap_err();
    assert_eq!(error, Error::not_a_decision(w.rain.label()));
}

/// Evidence is refused if a decision influences it, or if it has an effect only for some choices.
#[test]
fn evidence_does_not_depend_on_decisions() {
    let w = weather();
    let wet = (&w.rain, &w.umbrella)
        .map(|(rain, umbrella)| *rain && !umbrella)
        .named("wet");
    for (model, expected) in [
        (Model::new().observe(&wet, true), "wet"),
        (
            Model::new().weigh(&wet, |&wet| if wet { 2.0 } else { 1.0 }),
            "wet",
        ),
        (Model::new().observe(&w.umbrella, true), "umbrella"),
    ] {
        let Error::DecisionInfluencesKnown {
            decision,
            element,
            known_to: None,
        } = refused(&w, &model, &w.umbrella)
        else {
            panic!()
        };
        assert_eq!((short(&decision), short(&element)), ("umbrella", expected));
    }
    // If a decision is set by intervention, evidence may depend on it.
    let set = Model::new().intervene(&w.umbrella, false);
    let plan = MaximiseUtility::new();
    let plan = plan
        .run(&set.observe(&wet, true), [&w.comfort], &w.umbrella)
        .unwrap();
    assert_eq!(plan.expected_utility(), -10.0);
    let doubted = Score::weigh(&w.rain, |&rain| if rain { 0.5 } else { 1.0 }).named("doubted");
    let rain = w.rain.clone();
    let felt = w.umbrella.flat_map(move |&umbrella| {
        if umbrella {
            rain.clone()
        } else {
            doubted.clone()
        }
    });
    let comfort = felt.map(|&felt| if felt { -1.0 } else { 0.0 });
    let error = MaximiseUtility::new().run(&Model::new(), [&comfort], &w.umbrella);
    assert!(
        matches!(
            error,
            Err(Error::DecisionInfluencesKnown { known_to: None, .. })
        ),
        "{error:?}"
    );
    // Evidence about elements before a decision is known to all decisions.
    let plan = MaximiseUtility::new();
    let model = Model::new().observe(&w.rain, true);
    let plan = plan.run(&model, [&w.comfort], &w.umbrella).unwrap();
    assert_eq!(plan.expected_utility(), -1.0);
    let model = Model::new().observe(&w.rain, true).observe(&w.rain, false);
    assert!(matches!(
        refused(&w, &model, &w.umbrella),
        Error::ImpossibleEvidence { .. }
    ));
}

#[test]
fn a_decision_does_not_influence_what_it_observes() {
    let test = Decision::new((), [true, false]).named("test");
    let result = If::new(&test, Flip::new(0.5), Constant::new(false)).named("result");
    let act = Decision::new(&result, [true, false]).named("act");
    let worth = (&test, &act).map(|(test, act)| if *test && *act { 1.0 } else { 0.0 });
    let run = |decisions: &[Element<bool>]| {
        MaximiseUtility::new().run(&Model::new(), [&worth], decisions)
    };
    let Err(Error::DecisionInfluencesKnown {
        decision,
        element,
        known_to: Some(known_to),
    }) = run(&[act.clone(), test.clone()])
    else {
        panic!()
    };
    let names = [short(&decision), short(&element), short(&known_to)];
    assert_eq!(names, ["test", "result", "act"]);
    let plan = run(&[test.clone(), act.clone()]).unwrap();
    assert_eq!(plan.expected_utility(), 1.0);
    let value = plan.value_of_information(&result);
    assert!(
        matches!(
            value,
            Err(Error::DecisionInfluencesKnown {
                known_to: Some(_),
                ..
            })
        ),
        "{value:?}"
    );
    assert_eq!(plan.value_of_information_for(&result, &act).unwrap(), 0.0);
    let other = plan.value_of_information_for(&result, &result);
    assert_eq!(other, Err(Error::not_a_decision(result.label())));
}

#[test]
fn utilities_are_numbers() {
    let w = weather();
    for wrong in [f64::NAN, f64::INFINITY, -1e301] {
        let worth = w
            .umbrella
            .map(move |&umbrella| if umbrella { wrong } else { 0.0 });
        let error = MaximiseUtility::new().run(&Model::new(), [&worth], &w.umbrella);
        assert!(
            matches!(error, Err(Error::InvalidUtility { .. })),
            "{error:?}"
        );
    }
}

/// A plan refuses questions about information that it does not know or that is impossible.
#[test]
fn plans_are_asked_about_what_is_known() {
    let w = weather();
    let plan = MaximiseUtility::new()
        .run(&Model::new(), [&w.comfort], &w.umbrella)
        .unwrap();
    let policy = plan.policy(&w.umbrella).unwrap();
    for (known, expected) in [
        (
            Model::new().observe(&w.rain, true),
            "is not known when it is decided",
        ),
        (
            Model::new().condition(&w.forecast, |&f| f),
            "is not stated by `observe`",
        ),
        (Model::new(), "the policy has no row"),
    ] {
        let error = policy.choice(&known).unwrap_err();
        assert!(matches!(error, Error::UnknownInformation { .. }));
        assert!(error.to_string().contains(expected), "{error}");
    }
    let both = Model::new()
        .observe(&w.forecast, true)
        .observe(&w.forecast, false);
    let error = plan.utility_of(&w.umbrella, &both, &true).unwrap_err();
    assert!(
        error.to_string().contains("no world has these values"),
        "{error}"
    );
    let weight = Decision::new((), [1, 2]);
    let worth = weight.map(|&weight| f64::from(weight));
    let plan = MaximiseUtility::new()
        .run(&Model::new(), [&worth], &weight)
        .unwrap();
    let error = plan.utility_of(&weight, &Model::new(), &3).unwrap_err();
    assert!(
        error.to_string().contains("3 is not one of its options"),
        "{error}"
    );
}

/// An elimination that is too large is refused before it starts.
#[test]
fn large_problems_are_refused() {
    let seen: Vec<_> = (0..12).map(|_| Flip::new(0.5)).collect();
    let act = Decision::new(&seen, [0, 1]);
    let all: Vec<_> = seen
        .iter()
        .map(|seen| seen.map(|&s| i32::from(s)))
        .collect();
    let sum = all.iter().chain([&act]).cloned().collect::<Vec<_>>();
    let worth = sum.map(|all| all.iter().fold(0.0, |x: f64, &&s| (x + f64::from(s)).sin()));
    let tiny = Limits::default().table_entries(100);
    let error = MaximiseUtility::new()
        .limits(tiny)
        .run(&Model::new(), [&worth], &act);
    let Err(Error::Elimination(EliminationError::TableTooLarge { .. })) = error else {
        panic!("{error:?}")
    };
}

/// Every other algorithm names the decision in its refusal, wherever the decision is; a decision that is set by intervention is a constant.
#[test]
fn other_algorithms_refuse_decisions() {
    let w = weather();
    let inner = w.umbrella.clone();
    let branch = w
        .rain
        .flat_map(move |&rain| if rain { inner.clone() } else { Flip::new(0.5) });
    let exact: [Box<dyn Algorithm>; 9] = algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        LazyVariableElimination::new(),
        JunctionTree::new(),
        Frontier::new(),
        MpeVariableElimination::new(),
        MpeBranchAndBound::new(),
        BeliefPropagation::new(),
        MarginalMap::new(),
    ];
    let effort = Effort {
        samples: 200,
        seed: 1,
        sequence: &[],
    };
    let sampling: Vec<_> = SAMPLERS
        .iter()
        .map(|sampler| (sampler.algorithm)(effort))
        .collect();
    for algorithm in exact.iter().chain(&sampling) {
        let name = algorithm.name();
        let alone = algorithm.run(&Model::new(), &w.umbrella);
        let read = algorithm.run(&Model::new(), &w.comfort);
        let in_branch = algorithm.run(&Model::new(), &branch);
        for outcome in [alone, read, in_branch] {
            let Err(Error::Model(ModelError::Undecided { element })) = &outcome else {
                panic!("{name}: {outcome:?}")
            };
            assert_eq!(short(element), "umbrella", "{name}");
        }
        let decided = Model::new().intervene(&w.umbrella, true);
        assert!(algorithm.run(&decided, &w.comfort).is_ok(), "{name}");
    }
    // A decision that is set by intervention has one option in a plan.
    let decided = Model::new().intervene(&w.umbrella, false);
    let plan = MaximiseUtility::new()
        .run(&decided, [&w.comfort], &w.umbrella)
        .unwrap();
    assert!((plan.expected_utility() - -3.0).abs() < 1e-12);
    let message = VariableElimination::new()
        .run(&Model::new(), &w.umbrella)
        .unwrap_err();
    let message = message.to_string();
    assert!(message.contains("MaximiseUtility") && message.contains("Model::intervene"));
}

/// A comparison of algorithms shows the refusal in each row.
#[test]
fn comparisons_tell_that_nothing_decides() {
    let w = weather();
    let algorithms = algorithms![VariableElimination::new(), ImportanceSampling::new(100)];
    let comparison = figrs::compare(&Model::new(), &w.comfort, algorithms);
    assert_eq!(comparison.rows.len(), 2);
    for row in &comparison.rows {
        assert!(row.answer.is_none());
        let message = row.message.as_deref().unwrap_or_default();
        assert!(
            message.contains("a decision has no probabilities"),
            "{message}"
        );
    }
}
