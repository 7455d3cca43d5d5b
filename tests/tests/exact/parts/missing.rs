//! Tests of parts that not all objects have, and of references that lead to themselves.

use figrs::prelude::*;
use figrs::{Fault, ModelError, PartError, Parts, Recursive};

use super::{Person, exact, person};

/// A vehicle, of which only some kinds have a load.
#[derive(Clone, Debug, Parts, Value)]
#[value(parts)]
enum Vehicle {
    Car {
        driver: Person,
    },
    Truck {
        driver: Person,
        load: Element<u32>,
        spare: Option<Element<u32>>,
    },
}

fn truck() -> Vehicle {
    Vehicle::Truck {
        driver: person(30),
        load: Uniform::new([1, 2]),
        spare: None,
    }
}

/// The error of a part that the values of an element do not have.
#[track_caller]
fn part_error(error: &figrs::Error) -> &PartError {
    match error {
        figrs::Error::Model(ModelError::Function {
            fault: Fault::Part(error),
            ..
        }) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn a_member_that_never_exists_is_an_error() {
    let which = Uniform::new([
        Vehicle::Car { driver: person(20) },
        Vehicle::Car { driver: person(40) },
    ]);
    let load = which.find::<u32>("load").unwrap();
    let model = Model::new().observe(&load, 1);
    let all = exact().into_iter().chain(algorithms![
        ImportanceSampling::new(100),
        MetropolisHastings::new(100)
    ]);
    for algorithm in all {
        let error = algorithm
            .run(&model, which.find::<u32>("driver.age").unwrap())
            .unwrap_err();
        let expected = PartError::UnknownName {
            path: "load".into(),
            at: String::new(),
            type_name: Some("Vehicle::Car".into()),
            name: "load".into(),
            near: vec!["driver".into()],
        };
        assert_eq!(part_error(&error), &expected, "{}", algorithm.name());
        let message = error.to_string();
        assert!(message.contains("`load`: the object is of type `Vehicle::Car`, which has no field `load`; did you mean `driver`?"), "{message}");
        assert!(
            message.ends_with("or exclude these values by evidence"),
            "{message}"
        );
    }
    // A member that no object has, and an option that is `None`.
    let which = Constant::new(truck());
    let unknown = Model::new().observe_path(&which, "cargo", 1);
    assert!(matches!(unknown, Err(PartError::UnknownName { .. })));
    let spare = which.find::<u32>("spare").unwrap();
    let error = VariableElimination::new()
        .run(&Model::new(), &spare)
        .unwrap_err();
    assert!(
        matches!(part_error(&error), PartError::NoPart { problem, .. } if problem.contains("`None`")),
        "{error}"
    );
}

#[test]
fn a_member_that_some_values_lack_needs_evidence_that_excludes_them() {
    let which = Uniform::new([Vehicle::Car { driver: person(20) }, truck(), truck()]);
    let (load, age) = (
        which.find::<u32>("load").unwrap(),
        which.find::<u32>("driver.age").unwrap(),
    );
    let is_truck = which.map(|vehicle| matches!(vehicle, Vehicle::Truck { .. }));
    for algorithm in exact() {
        let error = algorithm
            .run(&Model::new().observe(&load, 1), &age)
            .unwrap_err();
        assert!(
            matches!(part_error(&error), PartError::UnknownName { .. }),
            "{error}"
        );
        let model = Model::new().observe(&is_truck, true).observe(&load, 1);
        let model = model.observe_path(&which, "load", 1).unwrap();
        let answer = algorithm.run(&model, &age).unwrap();
        assert!((answer.probability(&age, &31).unwrap() - 0.5).abs() < 1e-12);
        assert!((answer.log_evidence().unwrap().value - (1.0_f64 / 3.0).ln()).abs() < 1e-12);
    }
}

/// A person whose boss is uncertain.
#[derive(Clone, Debug, Parts, Value)]
#[value(parts)]
struct Worker {
    boss: Element<Worker>,
    rank: Element<u32>,
}

#[test]
fn a_cycle_of_uncertain_references_is_an_error() {
    // Each of two workers is the boss of whoever the other one is.
    let workers =
        Recursive::new(|call, &number: &u32| call(1 - number).part(|worker: &Worker| &worker.boss));
    let rank = workers.call(0).find::<u32>("boss.rank").unwrap();
    for algorithm in algorithms![VariableElimination::new(), JunctionTree::new()] {
        let error = algorithm.run(&Model::new(), &rank).unwrap_err();
        let found = matches!(error, figrs::Error::Model(ModelError::CyclicCall { .. }));
        assert!(found, "{}: {error}", algorithm.name());
    }
}
