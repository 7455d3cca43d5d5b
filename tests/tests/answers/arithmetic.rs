//! Tests of arithmetic with elements.

use figrs::prelude::*;
use figrs::{Fault, ModelError};

#[test]
fn results_are_those_of_the_type() {
    let (seven, three) = (Uniform::new([7u32]), Constant::new(3u32));
    for (result, right) in [
        (seven.plus(&three), 10),
        (seven.minus(&three), 4),
        (seven.times(&three), 21),
        (seven.divided_by(&three), 2),
        (seven.modulo(&three), 1),
    ] {
        let answer = VariableElimination::new()
            .run(&Model::new(), &result)
            .unwrap();
        assert_eq!(answer.probability(&result, &right).unwrap(), 1.0);
    }
    let half = Constant::new(1.0).divided_by(&Constant::new(0.0));
    let answer = Enumerate::new().run(&Model::new(), &half).unwrap();
    assert_eq!(answer.mean(&half).unwrap(), f64::INFINITY);
}

#[test]
fn operators_are_the_named_operations() {
    let mean = |element: &Element<f64>| {
        let answer = Enumerate::new().run(&Model::new(), element).unwrap();
        answer.mean(element).unwrap()
    };
    let (a, b) = (Uniform::new([1.0, 5.0]), Constant::new(2.0));
    for (result, expected) in [
        (&a + &b, 5.0),
        (&a - b.clone(), 1.0),
        (a.clone() * &b, 6.0),
        (a.clone() / b.clone(), 1.5),
        (&a % &b, 1.0),
        (&a * 2.0, 6.0),
        (a.clone() - 1.0, 2.0),
        (1.0 - &a, -2.0),
        (10.0 / a.clone(), 6.0),
        (2.0 * (&a + 1.0) * &b, 16.0),
        (-&a, -3.0),
        (-(&a - 1.0) + &b, 0.0),
    ] {
        assert_eq!(mean(&result), expected, "{}", result.label());
    }
    let (p, q) = (Flip::new(0.5), Flip::new(0.25));
    for (result, expected) in [
        (&p & &q, 0.125),
        (p.clone() | q.clone(), 0.625),
        (&p ^ q.clone(), 0.5),
        (!&q, 0.75),
        (!(p.clone() & &q) | &q, 1.0),
    ] {
        let answer = Enumerate::new().run(&Model::new(), &result).unwrap();
        assert_eq!(answer.probability(&result, &true).unwrap(), expected);
    }
    let overflow = Uniform::new([200u8, 201]) + 100;
    let error = VariableElimination::new()
        .run(&Model::new(), &overflow)
        .unwrap_err();
    assert!(error.to_string().contains("200 plus 100"), "{error}");
    assert!(error.to_string().contains("arithmetic.rs"), "{error}");
    let (least, next) = (-&Constant::new(i8::MIN), -Constant::new(i8::MIN + 1));
    let answer = Enumerate::new().run(&Model::new(), &next).unwrap();
    assert_eq!(answer.probability(&next, &i8::MAX).unwrap(), 1.0);
    let error = Enumerate::new().run(&Model::new(), &least).unwrap_err();
    assert!(error.to_string().contains("-128"), "{error}");
}

/// Overflow is the same error in debug and in release builds.
#[test]
fn what_does_not_fit_the_type_is_an_error_where_it_is_reached() {
    let (a, b) = (Uniform::new([1u8, 200]), Uniform::new([0u8, 100]));
    for result in [
        a.plus(&b),
        b.minus(&a),
        a.times(&b),
        a.divided_by(&b),
        a.modulo(&b),
    ] {
        let result = result.named("result");
        for algorithm in algorithms![
            Enumerate::new(),
            VariableElimination::new(),
            ImportanceSampling::new(100)
        ] {
            let error = algorithm.run(&Model::new(), &result).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("`result`") && text.contains("u8"), "{text}");
            let Error::Model(ModelError::Function { fault, .. }) = error else {
                panic!("{text}");
            };
            assert!(matches!(fault, Fault::Arithmetic(_)));
        }
    }
    let model = Model::new().observe(&b, 100).observe(&a, 1);
    let sum = a.plus(&b);
    let answer = VariableElimination::new().run(&model, &sum).unwrap();
    assert_eq!(answer.probability(&sum, &101).unwrap(), 1.0);
}
