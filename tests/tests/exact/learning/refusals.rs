//! Tests of mistakes in cases and in learned parameters.

use figrs::prelude::*;
use figrs::{Cases, ExpectationMaximization, Learned, Operand};

fn learner() -> ExpectationMaximization<JunctionTree> {
    ExpectationMaximization::new(JunctionTree::new())
}

#[test]
fn a_row_that_no_world_has_is_named() {
    let rate = Learned::beta("rate", 1.0, 1.0);
    let fault = Flip::new(&rate);
    let alarm = If::new(&fault, Flip::new(0.9), Constant::new(false));
    let cases = Cases::new((&fault, &alarm)).rows([
        (true, true),
        (false, false),
        (false, true),
        (false, true),
    ]);
    let error = learner().fit(&Model::new(), &cases).unwrap_err();
    assert!(
        matches!(error, Error::InvalidCase { row: 2, .. }),
        "{error}"
    );
    let none: Element<u8> = Select::new([(0.5, 1), (0.5, 2)]);
    let both = Cases::new((&fault, &none)).rows([(true, 1), (true, 7)]);
    let error = learner().fit(&Model::new(), &both).unwrap_err();
    assert!(
        matches!(&error, Error::InvalidCase { row: 1, problem } if problem.contains('7')),
        "{error}"
    );
}

#[test]
fn rows_of_another_length_and_weights_that_are_none_are_refused() {
    let rate = Learned::beta("rate", 1.0, 1.0);
    let throws: Vec<Element<bool>> = (0..3).map(|_| Flip::new(&rate)).collect();
    let short = Cases::new(&throws).rows([vec![true; 3], vec![true; 2]]);
    let error = learner().fit(&Model::new(), &short).unwrap_err();
    assert!(
        matches!(error, Error::InvalidCase { row: 1, .. }),
        "{error}"
    );
    for weight in [0.0, -1.0, f64::NAN] {
        let cases = Cases::new(&throws).weighted_rows([(weight, [true; 3])]);
        let error = learner().fit(&Model::new(), &cases).unwrap_err();
        assert!(
            matches!(error, Error::InvalidCase { row: 0, .. }),
            "{error}"
        );
    }
}

#[test]
fn parameters_that_have_no_closed_maximum_are_named() {
    let rate = Learned::beta("rate", 1.0, 1.0);
    let through_function = Flip::new(rate.map(|rate| 1.0 - rate));
    let twice = Select::new([(Operand::from(&rate), 1), (Operand::from(&rate), 2)]);
    let chosen = Flip::new(If::new(&Flip::new(0.5), rate.clone(), Constant::new(0.5)));
    let refused = [
        learner().fit(&Model::new(), &Cases::new(&through_function).rows([true])),
        learner().fit(&Model::new(), &Cases::new(&twice).rows([1])),
        learner().fit(&Model::new(), &Cases::new(&chosen).rows([true])),
    ];
    for error in refused.map(Result::unwrap_err) {
        assert!(
            matches!(&error, Error::NotLearnable { parameter, .. } if parameter.to_string().contains("rate")),
            "{error}"
        );
    }
}

#[test]
fn a_fit_without_parameters_or_of_others_is_refused() {
    let coin = Flip::new(0.5);
    let error = learner()
        .fit(&Model::new(), &Cases::new(&coin).rows([true]))
        .unwrap_err();
    assert_eq!(error, Error::NothingToLearn);
    let (rate, other) = (
        Learned::beta("rate", 1.0, 1.0),
        Learned::beta("other", 1.0, 1.0),
    );
    let throw = Flip::new(&rate);
    let cases = Cases::new(&throw).rows([true, false]);
    let fit = learner().fit(&Model::new(), &cases).unwrap();
    assert_eq!(fit.value(&other), Err(Error::not_learned(other.label())));
    let started = learner().start(&other, 0.5).fit(&Model::new(), &cases);
    assert_eq!(started.unwrap_err(), Error::not_learned(other.label()));
    let mix = Learned::dirichlet("mix", [1.0, 1.0]);
    let side = Select::by(&mix, [true, false]);
    let cases = Cases::new(&side).rows([true]);
    let started = learner().start(&mix, vec![1.0]).fit(&Model::new(), &cases);
    assert!(matches!(
        started,
        Err(Error::InvalidSetting {
            setting: "start",
            ..
        })
    ));
    let negative = learner().tolerance(-1.0).fit(&Model::new(), &cases);
    assert!(matches!(
        negative,
        Err(Error::InvalidSetting {
            setting: "tolerance",
            ..
        })
    ));
}

#[test]
fn a_prior_that_is_not_positive_is_refused() {
    let rate = Learned::beta("rate", 0.0, 1.0);
    let throw = Flip::new(&rate);
    let error = learner()
        .fit(&Model::new(), &Cases::new(&throw).rows([true]))
        .unwrap_err();
    assert!(
        error.to_string().contains("rate") && error.to_string().contains("positive"),
        "{error}"
    );
}

#[test]
fn evidence_that_cannot_be_learned_from_is_named() {
    let mean = Learned::normal("mean", 0.0, StandardDeviation(5.0));
    let value = Normal::new(&mean, StandardDeviation(1.0)).named("value");
    let rate = Learned::beta("rate", 1.0, 1.0);
    let throw = Flip::new(&rate);
    let mixed = If::new(&throw, value.clone(), Constant::new(5.0)).named("mixed");
    let none = Model::new;
    // The value has a probability in one branch, and a density in the other.
    let in_one_branch = learner().fit(&none(), &Cases::new(&mixed).rows([5.0]));
    let error = in_one_branch.unwrap_err();
    assert!(matches!(error, Error::NotClosedForm { .. }), "{error}");
    let refused = [
        // The cases are about the parameter itself, or have a column twice.
        learner().fit(
            &none().condition(&rate, |rate| *rate < 0.6),
            &Cases::new(&throw).rows([true]),
        ),
        learner().fit(&none(), &Cases::new((&throw, &rate)).rows([(true, 0.5)])),
        learner().fit(&none(), &Cases::new((&throw, &throw)).rows([(true, false)])),
    ];
    for (i, error) in refused.map(Result::unwrap_err).into_iter().enumerate() {
        assert!(
            matches!(error, Error::CannotLearnFrom { .. }),
            "{i}: {error}"
        );
    }
    let set = Cases::new(&throw).case(1.0, &none().intervene(&throw, true));
    let error = learner().fit(&none(), &set).unwrap_err();
    assert!(
        matches!(error, Error::InvalidCase { row: 0, .. }),
        "{error}"
    );
}

#[test]
fn a_likelihood_without_a_maximum_is_named() {
    let rate = Learned::gamma("rate", 2.0, Rate(1.0));
    let count = Poisson::new(&rate);
    let cases = Cases::new(&count).rows([0u64, 0, 0]);
    let error = learner().fit(&Model::new(), &cases).unwrap_err();
    assert!(
        matches!(
            error,
            Error::NoMaximum {
                undetermined_cases: None,
                ..
            }
        ),
        "{error}"
    );
    let fit = learner().map_estimate().fit(&Model::new(), &cases).unwrap();
    assert_eq!(fit.value(&rate).unwrap(), 0.25);
}
