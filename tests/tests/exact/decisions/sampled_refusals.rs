//! Tests of problems that cannot be solved by draws, and of questions that plans fitted on draws cannot answer.

use figrs::prelude::*;
use figrs::{AnyElement, Decision, Error, ModelError, Replicate, SampledPolicies};

/// A problem with a state, a signal of the state, and the decision whether to take it.
struct Offer {
    state: Element<f64>,
    signal: Element<f64>,
    take: Element<bool>,
    gain: Element<f64>,
}

fn offer() -> Offer {
    let state = Normal::new(0.0, Variance(1.0)).named("state");
    let signal = Normal::new(&state, Variance(1.0)).named("signal");
    let take = Decision::new(&signal, [true, false]).named("take");
    let gain = (&state, &take).map(|(state, &take)| if take { *state } else { 0.0 });
    Offer {
        state,
        signal,
        take,
        gain,
    }
}

fn by(samples: u64) -> SampledPolicies<ImportanceSampling> {
    SampledPolicies::by(ImportanceSampling::new(samples).seed(1))
}

/// A sampler that drops its draws, or the draws of all but some targets.
#[derive(Clone, Debug)]
struct Forgetful {
    kept: usize,
}

impl Algorithm for Forgetful {
    fn name(&self) -> &'static str {
        "Forgetful"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let sampler = ImportanceSampling::new(100);
        if self.kept == 0 {
            return sampler.answer(model, targets);
        }
        sampler.keep_draws().answer(model, &targets[..self.kept])
    }
}

impl Replicate for Forgetful {
    fn replicate(&self, _: u64) -> Self {
        self.clone()
    }
}

#[test]
fn draws_are_needed() {
    let o = offer();
    let run = |kept| SampledPolicies::by(Forgetful { kept }).run(&Model::new(), [&o.gain], &o.take);
    let error = run(0).unwrap_err();
    assert!(
        matches!(
            error,
            Error::NotInAnswer {
                algorithm: "ImportanceSampling",
                ..
            }
        ),
        "{error}"
    );
    let error = run(1).unwrap_err();
    assert_eq!(error, Error::not_a_target(o.gain.label()));
}

#[test]
fn neighbours_are_some_and_not_more_than_there_are_draws() {
    let o = offer();
    for neighbours in [0, 101] {
        let error = by(100)
            .neighbours(neighbours)
            .run(&Model::new(), [&o.gain], &o.take);
        let Err(Error::InvalidSetting {
            setting: "neighbours",
            value,
            ..
        }) = error
        else {
            panic!("{error:?}")
        };
        assert_eq!(value, format!("{neighbours} of 100 draws"));
    }
    assert!(
        by(100)
            .neighbours(100)
            .run(&Model::new(), [&o.gain], &o.take)
            .is_ok()
    );
}

#[test]
fn every_option_is_drawn() {
    let act = Decision::new((), 0..1000).named("act");
    let worth = act.map(|&act| f64::from(act));
    let error = by(100).run(&Model::new(), [&worth], &act).unwrap_err();
    assert!(matches!(&error, Error::OptionNotDrawn { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("`act`") && text.contains("draw more"),
        "{text}"
    );
}

#[test]
fn known_values_have_finite_distances() {
    let refused = |element: &Element<f64>| {
        let act = Decision::new(element, [true, false]);
        let worth = act.map(|&act| f64::from(u8::from(act)));
        by(200).run(&Model::new(), [&worth], &act).unwrap_err()
    };
    let o = offer();
    for wrong in [f64::NAN, f64::INFINITY] {
        let known = o
            .state
            .map(move |&x| if x > 1.0 { wrong } else { x })
            .named("known");
        let error = refused(&known);
        let Error::NoDistance {
            element, problem, ..
        } = &error
        else {
            panic!("{error:?}")
        };
        assert_eq!(element.name.as_deref(), Some("known"));
        assert!(problem.contains("not finite"), "{problem}");
    }
    let text = o.state.map(|x| format!("{x}")).named("text");
    let act = Decision::new(&text, [true, false]);
    let worth = (&o.state, &act).map(|(x, &act)| if act { *x } else { 0.0 });
    let run = |by: SampledPolicies<ImportanceSampling>| by.run(&Model::new(), [&worth], &act);
    let error = run(by(200)).unwrap_err();
    assert!(matches!(&error, Error::NoDistance { .. }), "{error}");
    assert!(
        error.to_string().contains("define `coordinates`"),
        "{error}"
    );
    let given = by(200).coordinates(&text, |text| vec![text.parse().unwrap_or(0.0)]);
    assert!(run(given).is_ok());
    let uneven = by(200).coordinates(&text, |text| vec![0.0; text.len()]);
    let error = run(uneven).unwrap_err();
    assert!(error.to_string().contains("of equal length"), "{error}");
    let panicking = by(200).coordinates(&text, |_| panic!("no coordinates today"));
    let error = run(panicking).unwrap_err();
    assert!(
        matches!(&error, Error::Model(ModelError::Function { .. })),
        "{error}"
    );
    assert!(
        error.to_string().contains("no coordinates today"),
        "{error}"
    );
}

#[test]
fn utilities_of_draws_are_numbers() {
    let o = offer();
    let wrong = o
        .state
        .map(|&x| if x > 2.0 { f64::NAN } else { x })
        .named("wrong");
    for utilities in [vec![&o.gain, &wrong], vec![&wrong]] {
        let error = by(2000).run(&Model::new(), utilities, &o.take).unwrap_err();
        let Error::InvalidUtility { element, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(element.name.as_deref(), Some("wrong"));
    }
    // The problem has nothing to gain, so the expected utility is zero.
    let plan = by(100)
        .run(&Model::new(), Vec::<&Element<f64>>::new(), &o.take)
        .unwrap();
    assert_eq!((plan.expected_utility(), plan.standard_error()), (0.0, 0.0));
}

#[test]
fn decisions_are_listed_and_no_others() {
    let o = offer();
    let run = |decisions: &[AnyElement]| by(100).run(&Model::new(), [&o.gain], decisions.to_vec());
    let error = run(&[o.state.erased().clone()]).unwrap_err();
    assert_eq!(error, Error::not_a_decision(o.state.label()));
    let error = run(&[]).unwrap_err();
    assert!(
        matches!(error, Error::Model(ModelError::Undecided { .. })),
        "{error}"
    );
    let plan = run(&[o.take.erased().clone(), o.take.erased().clone()]).unwrap();
    let error = plan.policy(&o.state).unwrap_err();
    assert_eq!(error, Error::not_a_decision(o.state.label()));
    // A decision that is set by intervention has one option.
    let set = Model::new().intervene(&o.take, false);
    let plan = by(100).run(&set, [&o.gain], &o.take).unwrap();
    assert_eq!((plan.expected_utility(), plan.standard_error()), (0.0, 0.0));
}

/// Decisions must not influence evidence or their own information, in models without branches, in finite models, and in other models, in which some
/// drawn worlds show it.
#[test]
fn decisions_influence_neither_evidence_nor_what_they_know() {
    let influences_known = |error: Result<_, Error>, names: [&str; 3]| {
        let Err(Error::DecisionInfluencesKnown {
            decision,
            element,
            known_to: Some(known_to),
        }) = error
        else {
            panic!()
        };
        assert_eq!([decision.short(), element.short(), known_to.short()], names);
    };
    let influences_evidence = |error: Result<_, Error>, names: [&str; 2]| {
        let Err(Error::DecisionInfluencesKnown {
            decision,
            element,
            known_to: None,
        }) = error
        else {
            panic!()
        };
        assert_eq!([decision.short(), element.short()], names);
    };
    for kind in ["family", "finite", "endless"] {
        let first = Decision::new((), [0.0, 1.0]).named("first");
        let seen = match kind {
            "family" => Normal::new(&first, Variance(1.0)),
            "finite" => first.flat_map(|&x| Select::new([(0.5, x), (0.5, 2.0)])),
            _ => first.flat_map(|&x| Normal::new(x, Variance(1.0))),
        };
        let seen = seen.named("seen");
        let second = Decision::new(&seen, [0.0, 1.0]).named("second");
        let worth = (&first, &second).map(|(first, second)| first * second);
        let run = |model: &Model, decisions: [&Element<f64>; 2]| {
            by(1000).run(model, [&worth], decisions.map(Clone::clone))
        };
        influences_known(
            run(&Model::new(), [&second, &first]),
            ["first", "seen", "second"],
        );
        assert!(run(&Model::new(), [&first, &second]).is_ok(), "{kind}");
        let model = Model::new().condition(&seen, |&x| x > 0.5);
        influences_evidence(run(&model, [&first, &second]), ["first", "seen"]);
        let model = Model::new().observe(&second, 1.0);
        influences_evidence(run(&model, [&first, &second]), ["second", "second"]);
        // If a decision is set by intervention, evidence may depend on it.
        let set = Model::new().intervene(&first, 1.0);
        assert!(
            run(&set.condition(&seen, |&x| x > 0.5), [&first, &second]).is_ok(),
            "{kind}"
        );
    }
    let o = offer();
    let scored = Score::weigh(&o.gain, |&gain| if gain > 0.0 { 2.0 } else { 1.0 }).named("scored");
    influences_evidence(
        by(100).run(&Model::new(), [&scored], &o.take),
        ["take", "scored"],
    );
}

#[test]
fn plans_of_draws_are_asked_about_what_is_known() {
    let bit = Flip::new(0.5).named("bit");
    let o = offer();
    let act = Decision::new((&o.signal, &bit), [1, 2]).named("act");
    let worth = (&o.gain, &act).map(|(gain, &act)| gain * f64::from(act));
    let plan = by(2000)
        .run(&Model::new(), [&worth], (&o.take, &act))
        .unwrap();
    let policy = plan.policy(&act).unwrap();
    let all = Model::new().observe(&o.signal, 1.0).observe(&o.take, true);
    for (known, expected) in [
        (
            Model::new().observe(&o.state, 1.0),
            "is not known when it is decided",
        ),
        (
            Model::new().condition(&o.signal, |&x| x > 0.0),
            "is not stated by `observe`",
        ),
        (
            all.clone(),
            "is not stated; state values of signal, take, bit",
        ),
        (
            all.clone().observe(&o.signal, 2.0),
            "is stated to have two values",
        ),
        (
            Model::new()
                .observe(&o.signal, f64::NAN)
                .observe(&o.take, true)
                .observe(&bit, true),
            "not finite",
        ),
    ] {
        let error = policy.choice(&known).unwrap_err();
        assert!(matches!(error, Error::UnknownInformation { .. }));
        assert!(error.to_string().contains(expected), "{error}");
    }
    let known = all.observe(&bit, true);
    assert!(policy.choice(&known).is_ok());
    let error = policy.utility_of(&known, &3).unwrap_err();
    assert!(
        error.to_string().contains("3 is not one of its options"),
        "{error}"
    );
    // For values that no draw has, the policy takes the option that is best on average, and states no utility.
    let rare = Select::new([(1e-9, "never"), (0.5, "left"), (0.5 - 1e-9, "right")]).named("rare");
    let act = Decision::new(&rare, [1.0, 2.0]).named("act");
    let worth = act.map(|&act| act);
    let plan = by(500).run(&Model::new(), [&worth], &act).unwrap();
    let policy = plan.policy(&act).unwrap();
    let never = Model::new().observe(&rare, "never");
    assert_eq!(policy.choice(&never).unwrap(), 2.0);
    let error = policy.utility_of(&never, &2.0).unwrap_err();
    assert!(
        error.to_string().contains("no draw has these values"),
        "{error}"
    );
}

/// In some worlds a decision influences what it knows, but these worlds are too rare to be among the first draws; every run ends nevertheless.
#[test]
fn rare_worlds_in_which_a_decision_knows_itself_end_in_errors() {
    let state = ContinuousUniform::new(0.0, 1.0);
    let act = Decision::new((), [0.0, 1.0]);
    for (at, width) in [
        (0.1, 1e-4),
        (0.3, 3e-5),
        (0.5, 3e-5),
        (0.7, 3e-5),
        (0.9, 3e-5),
    ] {
        let later = act.clone();
        let known = state.flat_map(move |&x| {
            if (x - at).abs() < width {
                later.clone()
            } else {
                Constant::new(x)
            }
        });
        let second = Decision::new(&known, [0.0, 1.0]).named("second");
        let worth = (&act, &second, &state).map(|(a, b, x)| a * b * x);
        let by = by(60_000).neighbours(10);
        let error = by.run(&Model::new(), [&worth], (&second, &act));
        let Err(Error::DecisionInfluencesKnown {
            decision,
            known_to: Some(_),
            ..
        }) = error
        else {
            panic!("{error:?}")
        };
        assert_eq!(decision, act.label());
    }
}
