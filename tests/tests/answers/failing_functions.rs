//! Tests of functions that fail for some values: there is an error exactly if some possible world calls the function with such a value.

use figrs::prelude::*;
use figrs::{Fault, LazyVariableElimination, ModelError};

fn marginals<T: Value>(model: &Model, element: &Element<T>) -> Vec<Result<Vec<(T, f64)>, Error>> {
    algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        LazyVariableElimination::to_width(0.0),
        ImportanceSampling::new(2_000)
    ]
    .iter()
    .map(|algorithm| {
        let marginal = algorithm.run(model, element)?.distribution(element)?;
        Ok(marginal.iter().map(|(v, p)| (v.clone(), p)).collect())
    })
    .collect()
}

/// A list and an index into it depend on each other, so that most pairs of their values do not occur together.
#[test]
fn parents_that_depend_on_each_other() {
    let length = Uniform::new(1..=3usize);
    let list = length.map(|&n| (0..n).collect::<Vec<usize>>());
    let index = length.flat_map(|&n| Uniform::new(0..n));
    let model = Model::new();
    let picked = (&list, &index).map(|(list, &i)| list[i]);
    let chained = (&list, &index).flat_map(|(list, &i)| Flip::new(1.0 / (list[i] + 1) as f64));
    for exact in &marginals(&model, &picked)[..2] {
        let p0 = exact
            .as_ref()
            .unwrap()
            .iter()
            .find(|(v, _)| *v == 0)
            .unwrap()
            .1;
        assert!((p0 - (1.0 + 0.5 + 1.0 / 3.0) / 3.0).abs() < 1e-12);
    }
    let all = marginals(&model, &chained);
    let (a, b) = (all[0].as_ref().unwrap(), all[1].as_ref().unwrap());
    for (value, p) in a {
        let q = b.iter().find(|(v, _)| v == value).unwrap().1;
        assert!((p - q).abs() < 1e-12);
    }
    let world = MpeVariableElimination::new()
        .run(&model, (&picked, &length))
        .unwrap();
    assert_eq!(world.most_likely_value(&picked).unwrap(), 0);
}

/// A division is in a branch that is taken only if the divisor is not zero, and weights are in such a branch as well.
#[test]
fn branches_taken_for_some_values_only() {
    let x = Uniform::new(0..4i32);
    let (a, b) = (x.clone(), x.clone());
    let quotient = x.flat_map(move |&v| match v {
        0 => Constant::new(0),
        1 => Score::weigh(&a, |&v| if v == 1 { 2.0 } else { f64::NAN }),
        _ => b.map(|&v| 12 / v).map(|&q| q),
    });
    for all in &marginals(&Model::new(), &quotient)[..2] {
        let all = all.as_ref().unwrap();
        let p = |value| {
            all.iter()
                .find(|(v, _)| *v == value)
                .map_or(0.0, |found| found.1)
        };
        assert!((p(0) - 0.2).abs() < 1e-12 && (p(1) - 0.4).abs() < 1e-12);
        assert!((p(6) - 0.2).abs() < 1e-12 && (p(4) - 0.2).abs() < 1e-12);
    }
}

/// The same mistakes are errors if a possible world reaches them.
#[test]
fn failures_that_happen_are_errors() {
    let x = Uniform::new(0..4i32).named("x");
    let quotient = x.map(|&v| 12 / v).named("quotient");
    let after = quotient.flat_map(|&q| {
        if q > 3 {
            Flip::new(0.5)
        } else {
            Flip::new(7.0)
        }
    });
    for result in marginals(&Model::new(), &quotient) {
        let Err(Error::Model(ModelError::Function { element, fault })) = result else {
            panic!("no error");
        };
        assert_eq!(element.name.as_deref(), Some("quotient"));
        assert!(matches!(fault, Fault::Panicked(message) if message.contains("zero")));
    }
    // Evidence that excludes the failure makes it harmless.
    let model = Model::new().condition(&x, |&v| v != 0);
    for result in marginals(&model, &quotient) {
        assert_eq!(result.unwrap().len(), 3);
    }
    // The parameters in a branch would be invalid, but 12 / 3 = 4 is the least quotient, so the branch is never taken.
    for result in marginals(&model, &after) {
        assert_eq!(result.unwrap().len(), 2);
    }
    let harsh = quotient.flat_map(|&q| {
        if q > 4 {
            Flip::new(0.5)
        } else {
            Flip::new(7.0)
        }
    });
    for result in marginals(&model, &harsh) {
        assert!(matches!(
            result,
            Err(Error::Model(ModelError::InvalidParameter { .. }))
        ));
    }
}

/// If two functions fail for the same value, both failures are reported.
#[test]
fn failures_do_not_hide_each_other() {
    let x = Uniform::new(0..2i32);
    let (a, b) = (x.map(|&x| 1 / x), x.map(|&x| 2 / x));
    for algorithm in algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        MpeVariableElimination::new()
    ] {
        let error = algorithm.run(&Model::new(), (&a, &b, &x)).unwrap_err();
        assert!(
            matches!(error, Error::Model(ModelError::Function { .. })),
            "{error}"
        );
    }
    // A contradiction in a branch that is not taken is harmless as well.
    let y = Uniform::new(0..2i32);
    let z = y.flat_map(|&y| match y {
        0 => panic!("zero"),
        _ => Score::observe(&Constant::new(true), false),
    });
    for algorithm in algorithms![Enumerate::new(), VariableElimination::new()] {
        let error = algorithm.run(&Model::new(), &z).unwrap_err();
        assert!(
            matches!(error, Error::Model(ModelError::Function { .. })),
            "{error}"
        );
    }
}

/// A failure of a branch of one `Chain` is not remembered, so that branches of another `Chain` do not fail.
#[test]
fn a_failed_branch_is_forgotten() {
    for _ in 0..20 {
        let (a, b) = (Uniform::new(0..3u8), Uniform::new(0..50u8));
        let bad = a.flat_map(|&a| Flip::new(if a == 2 { 2.0 } else { 0.5 }));
        let good = b.flat_map(|_| Flip::new(0.5));
        let model = Model::new().condition(&a, |&a| a < 2).observe(&bad, true);
        let answer = VariableElimination::new().run(&model, &good).unwrap();
        assert!((answer.probability(&good, &true).unwrap() - 0.5).abs() < 1e-12);
    }
}
