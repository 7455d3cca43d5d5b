//! Calculations with elements.

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

/// The same in debug and in release builds.
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
