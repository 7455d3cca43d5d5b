//! Models that have no closed form, each refused by a typed error that names the element; and mistakes in models.

use figrs::prelude::*;
use figrs::{Covariance, Error, ModelError, MultivariateNormal};

/// The error of the three exact algorithms; it is the same for all of them.
fn refused(model: &Model, target: &Element<f64>) -> Error {
    let error = VariableElimination::new().run(model, target).unwrap_err();
    for other in [
        Exact::new().run(model, target).unwrap_err(),
        JunctionTree::new().run(model, target).unwrap_err(),
    ] {
        assert_eq!(other.to_string(), error.to_string());
    }
    error
}

fn x() -> Element<f64> {
    Normal::new(0.0, Variance(1.0)).named("x")
}

/// Checks that the error is about the element of this name, and has these words.
fn about(error: &Error, name: &str, words: &str) {
    let Error::NotClosedForm { element, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(element.name.as_deref(), Some(name), "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn functions_that_are_not_linear() {
    let x = x();
    let square = (&x * &x).named("square");
    about(&refused(&Model::new(), &square), "square", "`+`, `-`");
    let mapped = x.map(|x| x + 1.0).named("mapped");
    about(&refused(&Model::new(), &mapped), "mapped", "`+`, `-`");
}

#[test]
fn finite_elements_that_read_real_ones() {
    let x = x();
    let large = x.map(|&x| x > 1.0).named("large");
    about(
        &refused(&Model::new().observe(&large, true), &x),
        "large",
        "linear",
    );
    let share = ContinuousUniform::new(0.0, 1.0).named("share");
    let coin = Flip::new(&share).named("coin");
    let model = Model::new().observe(&coin, true);
    // A model without normal elements and parameters is refused as before.
    let error = refused(&model, &share);
    assert!(
        matches!(error, Error::Model(ModelError::NotFinite { .. })),
        "{error}"
    );
    let chosen = x
        .flat_map(|&x| Normal::new(x.abs(), Variance(1.0)))
        .named("chosen");
    about(
        &refused(&Model::new(), &chosen),
        "chosen",
        "real values of `x`",
    );
}

#[test]
fn spreads_that_are_real_elements() {
    let spread = Normal::new(4.0, Variance(0.01));
    let y = Normal::new(0.0, Variance(&spread)).named("y");
    let error = refused(&Model::new(), &y);
    // The open variance is checked as if it were zero.
    assert!(
        matches!(
            error,
            Error::Model(ModelError::InvalidParameter { .. }) | Error::NotClosedForm { .. }
        ),
        "{error}"
    );
}

#[test]
fn evidence_that_is_no_value() {
    let x = x();
    let model = Model::new().condition(&x, |x| *x > 0.0);
    about(
        &refused(&model, &x),
        "x",
        "the only evidence that it supports",
    );
    let model = Model::new().weigh(&x, |x| x.abs());
    about(
        &refused(&model, &x),
        "x",
        "the only evidence that it supports",
    );
    let list = MultivariateNormal::new([0.0, 0.0], Covariance::diagonal([1.0, 1.0])).named("list");
    let moved = list
        .affine([[1.0, 0.0], [1.0, 1.0]], [0.0, 0.0])
        .named("moved");
    let model = Model::new().observe(&moved, vec![1.0]);
    about(&refused(&model, &list.entry(0)), "moved", "as many numbers");
}

/// The refusal names the element without a closed form, not the normal element that finite algorithms cannot enumerate.
#[test]
fn sums_with_a_number_that_is_not_normal() {
    let (x, share) = (x(), ContinuousUniform::new(0.0, 1.0).named("share"));
    for sum in [&x + &share, &share + &x] {
        let error = refused(&Model::new(), &sum);
        assert!(error.to_string().contains("`share`"), "{error}");
    }
}

#[test]
fn entries_that_a_list_does_not_have() {
    let list = MultivariateNormal::new([0.0, 0.0], Covariance::diagonal([1.0, 1.0]));
    let sixth = list.entry(5).named("sixth");
    let wide = list.affine([[1.0, 0.0, 2.0]], [0.0]).named("wide");
    let uneven = list.affine([[1.0, 0.0]], [0.0, 0.0]).named("uneven");
    for (element, words) in [
        (&sixth, "`sixth`"),
        (&sixth, "index 5 of a list of 2 numbers"),
        (&wide.entry(0), "index 2 of a list of 2 numbers"),
        (&uneven.entry(0), "an offset of 2 numbers"),
    ] {
        let sampled = ImportanceSampling::new(10).run(&Model::new(), element);
        for error in [refused(&Model::new(), element), sampled.unwrap_err()] {
            assert!(
                matches!(error, Error::Model(ModelError::Function { .. })),
                "{error}"
            );
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}

#[test]
fn wrong_parameters_and_values() {
    for variance in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
        let y = Normal::new(0.0, Variance(variance));
        let error = refused(&Model::new(), &y);
        assert!(
            matches!(error, Error::Model(ModelError::InvalidParameter { .. })),
            "{error}"
        );
        let z = Normal::new(x(), Variance(variance));
        let error = refused(&Model::new(), &z);
        assert!(
            matches!(error, Error::Model(ModelError::InvalidParameter { .. })),
            "{error}"
        );
    }
    let flat = MultivariateNormal::new([0.0, 0.0], Covariance::rows([[1.0, 1.0], [1.0, 1.0]]));
    let error = refused(&Model::new(), &flat.entry(0));
    assert!(
        matches!(error, Error::Model(ModelError::InvalidParameter { .. })),
        "{error}"
    );
    for value in [f64::NAN, f64::INFINITY] {
        let x = x();
        let y = Normal::new(&x, Variance(1.0));
        let error = refused(&Model::new().observe(&y, value), &x);
        assert!(matches!(error, Error::ImpossibleEvidence { .. }), "{error}");
    }
}

#[test]
fn evidence_that_excludes_every_world() {
    let kind = Flip::new(0.5);
    let (kind_is, x) = (kind.clone(), x());
    let y = kind.flat_map(move |&kind| Normal::new(if kind { 1.0 } else { -1.0 }, Variance(1.0)));
    let both = (&kind_is, &Flip::new(0.0)).map(|(a, b)| *a && *b);
    let model = Model::new().observe(&both, true).observe(&y, 1.0);
    let error = refused(&model, &x);
    assert!(matches!(error, Error::ImpossibleEvidence { .. }), "{error}");
}
