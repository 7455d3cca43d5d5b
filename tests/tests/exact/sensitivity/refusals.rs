//! Tests of derivatives that are refused, each with its reason.

use figrs::prelude::*;
use figrs::{Atomic, BeliefPropagation, Bins, Outcomes, Query, Sensitivity};

fn coin() -> (Param, Element<bool>) {
    let rate = Param::new("rate", 0.3);
    let coin = Flip::new(&rate).named("coin");
    (rate, coin)
}

#[test]
fn an_algorithm_that_has_no_derivatives_is_named() {
    let (rate, coin) = coin();
    let query = Query::probability(&coin, true);
    let sampler = ImportanceSampling::new(100).seed(1);
    let others: [Box<dyn Algorithm>; 3] =
        algorithms![sampler, Enumerate::new(), BeliefPropagation::new()];
    for algorithm in others {
        let answer = algorithm.run(&Model::new(), &coin).unwrap();
        let error = answer.derivative(&query, &rate).unwrap_err();
        assert!(matches!(error, Error::NotInAnswer { .. }));
        let text = error.to_string();
        assert!(
            text.contains(algorithm.name()) && text.contains("JunctionTree"),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_target_or_no_parameter_is_refused() {
    let (rate, coin) = coin();
    let other = Flip::new(0.5);
    let answer = JunctionTree::new().run(&Model::new(), &coin).unwrap();
    let of_other = Query::probability(&other, true);
    let error = answer.derivative(&of_other, &rate).unwrap_err();
    assert_eq!(error, Error::not_a_target(other.label()));
    let query = Query::probability(&coin, true);
    let unread = Param::new("unread", 1.0);
    let error = answer.derivative(&query, &unread).unwrap_err();
    assert!(
        matches!(&error, Error::UnknownParameter { parameter } if parameter.contains("unread"))
    );
    let none = Query::expectation(&coin, |_| f64::NAN).named("none");
    let error = answer.derivative(&none, &rate).unwrap_err();
    assert!(
        matches!(&error, Error::NotFiniteQuery { query, .. } if query == "none"),
        "{error}"
    );
}

#[test]
fn a_parameter_that_has_changed_is_refused() {
    let (rate, coin) = coin();
    let answer = JunctionTree::new().run(&Model::new(), &coin).unwrap();
    let query = Query::probability(&coin, true);
    assert_eq!(answer.derivative(&query, &rate), Ok(1.0));
    rate.set(0.4);
    let error = answer.derivative(&query, &rate).unwrap_err();
    assert!(matches!(&error, Error::ParameterChanged { parameter } if parameter == "rate"));
    rate.set(0.3);
    assert_eq!(answer.derivative(&query, &rate), Ok(1.0));
}

#[test]
fn dependence_that_is_not_known_is_refused_and_not_estimated() {
    let mean = Param::new("mean", 0.3);
    let query = |element: &Element<f64>| Query::mean(element);
    let cells = Normal::new(&mean, Variance(1.0));
    let cells = cells
        .discretised(Bins::equal_width_clipped(-3.0, 3.0, 6))
        .named("cells");
    // The parameter is also read where its derivative is known, and this part alone would be a wrong answer.
    let coin = Flip::new(&mean);
    let both = (&cells, &coin).map(|(x, &coin)| if coin { *x } else { 0.0 });
    let answer = JunctionTree::new().run(&Model::new(), &both).unwrap();
    let error = answer.derivative(&query(&both), &mean).unwrap_err();
    assert!(
        matches!(&error, Error::UnknownDependence { element, .. } if element.name.as_deref() == Some("cells")),
        "{error}"
    );
    // The parameter is a bound of a uniform distribution, whose density at the observed value jumps.
    let lower = Param::new("lower", 0.0);
    let number = ContinuousUniform::new(&lower, 1.0);
    let model = Model::new().observe(&number, 0.0);
    let answer = JunctionTree::new().run(&model, ()).unwrap();
    let error = answer
        .derivative(&Query::log_evidence(), &lower)
        .unwrap_err();
    assert!(matches!(error, Error::UnknownDependence { .. }), "{error}");
}

/// A distribution of the user with wrong terms of its likelihood must not give a wrong derivative.
#[test]
fn terms_that_do_not_keep_the_sum_of_probabilities_are_refused() {
    #[derive(Debug)]
    struct Wrong;
    impl figrs::Family<bool> for Wrong {
        fn parameters(&self) -> &'static [&'static str] {
            &["probability"]
        }
        fn check(&self, _: &[f64]) -> Result<(), figrs::WrongParameter> {
            Ok(())
        }
        fn outcomes(&self, p: &[figrs::Number]) -> Outcomes<bool> {
            Outcomes::Finite(vec![(true, p[0].get()), (false, 1.0 - p[0].get())])
        }
        fn log_prob(&self, p: &[f64], value: &bool) -> f64 {
            if *value { p[0].ln() } else { (1.0 - p[0]).ln() }
        }
        fn sample<R: figrs::rand::Rng + ?Sized>(&self, _: &[f64], _: &mut R) -> bool {
            true
        }
        fn log_prob_derivative(&self, p: &[f64], _: usize, value: &bool) -> Option<f64> {
            value.then(|| 1.0 / p[0]).or(Some(0.0))
        }
    }
    let p = Param::new("p", 0.3);
    let element = Atomic::family(Wrong, [&p]);
    let answer = JunctionTree::new().run(&Model::new(), &element).unwrap();
    let error = answer
        .derivative(&Query::probability(&element, true), &p)
        .unwrap_err();
    assert!(matches!(error, Error::UnknownDependence { .. }), "{error}");
}

#[test]
fn ends_of_a_range_that_a_parameter_cannot_have_are_named() {
    let (rate, coin) = coin();
    let answer = JunctionTree::new().run(&Model::new(), &coin).unwrap();
    let query = Query::probability(&coin, true);
    let error = answer.tornado(&query, [(&rate, 0.1, 1.5)]).unwrap_err();
    let named = matches!(&error, Error::NoAnswerAt { value, problem, .. } if *value == 1.5 && problem.contains("coin"));
    assert!(named, "{error}");
    let model = Model::new().observe(&coin, true);
    let answer = JunctionTree::new().run(&model, &coin).unwrap();
    let error = answer.tornado(&query, [(&rate, 0.0, 0.5)]).unwrap_err();
    assert!(
        matches!(&error, Error::NoAnswerAt { value, problem, .. } if *value == 0.0 && problem.contains("impossible"))
    );
}
