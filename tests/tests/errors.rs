//! Every error, produced by a program that a user might write: it names the element, the number and the remedy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use figrs::eliminate::{EliminationError, Options};
use figrs::expand::Budget;
use figrs::prelude::*;
use figrs::{Atomic, Distribution, Fault, ModelError, Outcomes};
use rand::Rng;

/// The error of a run, and a check that its message says all of these.
#[track_caller]
fn says(error: Error, parts: &[&str]) -> Error {
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "no {part:?} in: {message}");
    }
    error
}

fn error<T: Value>(algorithm: &dyn Algorithm, model: &Model, target: &Element<T>) -> Error {
    algorithm.run(model, target).unwrap_err()
}

/// A mistake in a model is the same for every algorithm.
#[track_caller]
fn everywhere<T: Value>(model: &Model, target: &Element<T>, parts: &[&str]) -> Vec<Error> {
    let algorithms = algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        MpeVariableElimination::new(),
        ImportanceSampling::new(1000),
    ];
    let mut errors = Vec::new();
    for algorithm in algorithms {
        errors.push(says(error(&*algorithm, model, target), parts));
    }
    errors
}

macro_rules! all_are {
    ($errors:expr, $pattern:pat) => {
        for error in $errors {
            assert!(matches!(error, $pattern), "{error:?}");
        }
    };
}

/// 2.5 or any other number: a distribution whose outcomes nobody can list.
#[derive(Debug)]
struct Endless(Outcomes<f64>);

impl Distribution<f64> for Endless {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    fn outcomes(&self) -> Outcomes<f64> {
        self.0.clone()
    }
    fn log_prob(&self, _: &f64) -> f64 {
        0.0
    }
    fn sample(&self, _: &mut dyn Rng) -> f64 {
        2.5
    }
}

fn failures() -> Element<u32> {
    Flip::new(0.2)
        .named("success")
        .flat_map(|&stop| {
            if stop {
                Constant::new(0)
            } else {
                failures().map(|n| n + 1)
            }
        })
        .named("failures")
}

// ModelError

#[test]
fn invalid_parameter() {
    let rain = Flip::new(1.2).named("rain");
    let errors = everywhere(
        &Model::new(),
        &rain,
        &["`rain`", "Flip", "errors.rs:", "1.2", "[0, 1]"],
    );
    all_are!(errors, Error::Model(ModelError::InvalidParameter { .. }));
}

#[test]
fn invalid_parameter_of_an_element_without_a_name() {
    let line = line!() + 1;
    let die = Select::new([(1.0, "one"), (-2.0, "two")]);
    let place = format!("errors.rs:{line}:");
    everywhere(
        &Model::new(),
        &die,
        &[&place, "Select", "-2", "\"two\"", "not negative"],
    );
}

#[test]
fn invalid_parameter_of_a_table() {
    let smoker = Flip::new(0.3);
    let states = vec![true, false];
    let cough = Table::new([(&smoker, states)], ["yes", "no"], vec![0.4, 0.6, 0.1]).named("cough");
    everywhere(
        &Model::new(),
        &cough,
        &["`cough`", "3 weights", "2 rows of 2 values need 4"],
    );
}

#[test]
fn invalid_parameter_that_another_element_supplies() {
    let rate = Uniform::new([0.5, 1.5]);
    let coin = Flip::new(&rate).named("coin");
    everywhere(
        &Model::new(),
        &coin,
        &["Flip", "errors.rs:", "1.5", "[0, 1]"],
    );
}

#[test]
fn invalid_weight() {
    let rain = Flip::new(0.2).named("rain");
    let line = line!() + 1;
    let model = Model::new().weigh(&rain, |_| -2.0);
    let place = format!("errors.rs:{line}:");
    let errors = everywhere(
        &model,
        &rain,
        &["`rain`", &place, "-2", "finite and not negative"],
    );
    all_are!(errors, Error::Model(ModelError::InvalidWeight { .. }));
}

#[test]
fn invalid_weight_of_a_score() {
    let rain = Score::weigh(&Flip::new(0.2), |_| f64::NAN).named("rain");
    everywhere(
        &Model::new(),
        &rain,
        &["`rain`", "NaN", "finite and not negative"],
    );
}

#[test]
fn not_finite() {
    for (outcomes, kind) in [
        (Outcomes::Continuous, "continuous"),
        (Outcomes::Infinite, "infinitely many"),
    ] {
        let height = Atomic::new(Endless(outcomes)).named("height");
        for algorithm in algorithms![
            Enumerate::new(),
            VariableElimination::new(),
            MpeVariableElimination::new()
        ] {
            let found = error(&*algorithm, &Model::new(), &height);
            let found = says(found, &["`height`", kind, "ImportanceSampling"]);
            assert!(matches!(found, Error::Model(ModelError::NotFinite { .. })));
        }
    }
}

#[test]
fn table_too_large() {
    let digit = || Uniform::new(0..1000);
    let number = (digit(), digit(), digit())
        .map(|(a, b, c)| a + b + c)
        .named("number");
    let parts = ["`number`", "1000000000", "33554432", "fold"];
    let found = says(
        error(&VariableElimination::new(), &Model::new(), &number),
        &parts,
    );
    assert!(matches!(
        found,
        Error::Model(ModelError::TableTooLarge { .. })
    ));
}

#[test]
fn too_deep() {
    let shallow = VariableElimination::new().budget(Budget {
        depth: 50,
        ..Budget::default()
    });
    let parts = [
        "errors.rs:",
        "50 deep",
        "infinite",
        "sampling algorithm",
        "larger budget",
    ];
    let found = says(error(&shallow, &Model::new(), &failures()), &parts);
    assert!(matches!(
        found,
        Error::Model(ModelError::TooDeep { limit: 50, .. })
    ));
}

#[test]
fn too_many_elements() {
    let mut total = Constant::new(0);
    for _ in 0..100 {
        total = total.map(|n| n + 1).named("total");
    }
    let small = Budget {
        elements: 30,
        ..Budget::default()
    };
    for algorithm in algorithms![
        VariableElimination::new().budget(small),
        MpeVariableElimination::new().budget(small),
        Enumerate::new().max_elements(30),
        ImportanceSampling::new(1000).max_elements(30),
    ] {
        let found = error(&*algorithm, &Model::new(), &total);
        let found = says(
            found,
            &["`total`", "more than 30 elements", "larger budget"],
        );
        assert!(matches!(
            found,
            Error::Model(ModelError::TooManyElements { .. })
        ));
    }
}

// Fault

fn fault(error: &Error) -> &Fault {
    match error {
        Error::Model(ModelError::Function { fault, .. }) => fault,
        other => panic!("no fault: {other:?}"),
    }
}

#[test]
fn panicked() {
    let die = Uniform::new(0..=5);
    let share = die.map(|&n| {
        assert!(n != 0, "nobody to share {n} cakes");
        60 / n
    });
    let share = share.named("share");
    for found in everywhere(
        &Model::new(),
        &share,
        &["`share`", "map at", "nobody to share 0 cakes"],
    ) {
        assert!(matches!(fault(&found), Fault::Panicked(_)));
    }
}

#[test]
fn panicked_in_a_chain_and_in_evidence() {
    let die = Uniform::new(1..=6).named("die");
    let next = die
        .flat_map(|&n| Uniform::new([1, 2, 3].map(|i| i / (6 - n))))
        .named("next");
    everywhere(&Model::new(), &next, &["`next`", "divide by zero"]);
    let model = Model::new().condition(&die, |&n| [false; 5][n]);
    everywhere(&model, &die, &["`die`", "the len is 5 but the index is 5"]);
}

#[test]
fn row_missing() {
    let (rain, wind) = (Flip::new(0.2), Flip::new(0.3));
    let rows = [
        ((true, true), Flip::new(0.9)),
        ((false, false), Flip::new(0.1)),
    ];
    let late = Cpd::new((&rain, &wind), rows).named("late");
    let model = Model::new().observe(&rain, true);
    for found in everywhere(
        &model,
        &late,
        &["`late`", "Cpd", "no row for (true, false)", "add one"],
    ) {
        assert!(matches!(fault(&found), Fault::Row(_)));
    }
}

#[test]
fn row_given_twice() {
    let rain = Flip::new(0.2);
    let rows = [0.9, 0.1, 0.2].map(Flip::new);
    let late = Cpd::new(&rain, [true, false, true].into_iter().zip(rows)).named("late");
    everywhere(
        &Model::new(),
        &late,
        &["`late`", "2 rows for", "true", "keep one"],
    );
}

#[test]
fn row_that_no_clause_accepts() {
    let die = Uniform::new(1..=6);
    let clauses = [
        (one_of([6]), Flip::new(0.9)),
        (none_of([1, 6]), Flip::new(0.5)),
    ];
    let win = RichCpd::new(&die, clauses).named("win");
    everywhere(
        &Model::new(),
        &win,
        &["`win`", "RichCpd", "2 clauses", "add one"],
    );
}

#[test]
fn row_of_a_table_for_an_unlisted_state() {
    let die = Uniform::new(1..=3);
    let win = Table::new(
        [(&die, vec![1, 2])],
        [true, false],
        vec![0.5, 0.5, 0.1, 0.9],
    )
    .named("win");
    everywhere(
        &Model::new(),
        &win,
        &[
            "`win`",
            "Table",
            "parent 0",
            "not among its states",
            "add it",
        ],
    );
}

#[test]
fn impure() {
    if !cfg!(debug_assertions) {
        return;
    }
    let count = Arc::new(AtomicU32::new(1));
    let coin = Flip::new(0.5).flat_map(move |_| {
        let n = count.fetch_add(1, Ordering::Relaxed);
        Flip::new(1.0 / f64::from(n + 1))
    });
    let coin = coin.named("coin");
    let parts = [
        "`coin`",
        "two different elements",
        "Flip(0.",
        "depend on its arguments alone",
    ];
    for found in everywhere(&Model::new(), &coin, &parts) {
        assert!(matches!(fault(&found), Fault::Impure(_)));
    }
}

// Error

#[test]
fn elimination_table_too_large() {
    let (a, b) = (Uniform::new(0..20), Uniform::new(0..20));
    let sum = (&a, &b).map(|(a, b)| a + b);
    let model = Model::new().weigh(&sum, |&s| f64::from(s));
    let small = VariableElimination::new().options(Options::default().table_budget(5));
    let found = says(
        error(&small, &model, &a),
        &["budget is 5", "Options::table_budget", "sampler"],
    );
    let table = EliminationError::TableTooLarge {
        needed: 0.0,
        limit: 5,
    };
    match found {
        Error::Elimination(found) => {
            assert_eq!(
                std::mem::discriminant(&found),
                std::mem::discriminant(&table)
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn elimination_too_many_operations() {
    let (a, b) = (Uniform::new(0..20), Uniform::new(0..20));
    let sum = (&a, &b).map(|(a, b)| a + b);
    let model = Model::new().weigh(&sum, |&s| f64::from(s));
    let hasty = VariableElimination::new().options(Options::default().operation_budget(10.0));
    let found = says(
        error(&hasty, &model, &a),
        &["budget is 1.000e1", "Options::operation_budget"],
    );
    assert!(matches!(
        found,
        Error::Elimination(EliminationError::TooManyOperations { .. })
    ));
}

#[test]
fn impossible_evidence_names_what_conflicts_and_nothing_else() {
    let switches: Vec<_> = (0..20)
        .map(|i| Flip::new(0.5).named(format!("switch {i}")))
        .collect();
    let lamp = (&switches[3], &switches[17])
        .map(|(a, b)| a != b)
        .named("lamp");
    let mut model = Model::new();
    for switch in &switches {
        model = model.observe(switch, true);
    }
    let line = line!() + 1;
    let model = model.observe(&lamp, true);
    let place = format!("errors.rs:{line}:");
    for algorithm in algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        MpeVariableElimination::new()
    ] {
        let parts = [
            "`switch 3`",
            "`switch 17`",
            "`lamp`",
            "= true",
            &place,
            "exclude each other",
        ];
        match says(error(&*algorithm, &model, &switches[0]), &parts) {
            Error::ImpossibleEvidence { conflict } => assert_eq!(conflict.len(), 3, "{conflict:?}"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn no_sample_met_evidence() {
    let hay: Vec<_> = (0..40).map(|_| Flip::new(0.5)).collect();
    let needle = fold(&hay, 0, |n, &hay| n + i32::from(hay)).named("needle");
    let model = Model::new().condition(&needle, |&n| n == 40);
    let found = error(&ImportanceSampling::new(500), &model, &needle);
    let found = says(
        found,
        &["none of 500 samples", "more samples", "VariableElimination"],
    );
    assert_eq!(found, Error::NoSampleMetEvidence { tried: 500 });
}

#[test]
fn too_many_worlds() {
    let coins: Vec<_> = (0..40).map(|_| Flip::new(0.5)).collect();
    let heads = fold(&coins, 0, |n, &coin| n + i32::from(coin));
    let found = error(&Enumerate::new().max_worlds(1000), &Model::new(), &heads);
    let found = says(
        found,
        &["more than 1000 worlds", "VariableElimination", "max_worlds"],
    );
    assert_eq!(found, Error::TooManyWorlds { limit: 1000 });
}

#[test]
fn not_a_target() {
    let (rain, wind) = (Flip::new(0.2), Flip::new(0.3).named("wind"));
    for algorithm in algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        ImportanceSampling::new(10)
    ] {
        let answer = algorithm.run(&Model::new(), &rain).unwrap();
        let found = answer.probability(&wind, &true).unwrap_err();
        let found = says(found, &["`wind`", "errors.rs:", "add it to the targets"]);
        assert!(matches!(found, Error::NotATarget { .. }));
    }
}

#[test]
fn not_in_world() {
    let storm = Flip::new(0.1);
    let mast = Flip::new(0.7).named("mast");
    let holds = If::new(&storm, &mast, Constant::new(true));
    for answer in [
        MpeVariableElimination::new()
            .run(&Model::new(), &holds)
            .unwrap(),
        Enumerate::new()
            .most_probable_world(&Model::new(), &holds)
            .unwrap(),
    ] {
        assert!(answer.most_likely_value(&holds).unwrap());
        let found = answer.most_likely_value(&mast).unwrap_err();
        let found = says(
            found,
            &["`mast`", "errors.rs:", "not part of this world", "branch"],
        );
        assert!(matches!(found, Error::NotInWorld { .. }));
    }
}

#[test]
fn not_in_answer() {
    let rain = Flip::new(0.2);
    let world = MpeVariableElimination::new()
        .run(&Model::new(), &rain)
        .unwrap();
    let marginals = VariableElimination::new()
        .run(&Model::new(), &rain)
        .unwrap();
    let found = [
        (
            world.distribution(&rain).unwrap_err(),
            "MpeVariableElimination",
            "distribution",
        ),
        (
            world.log_evidence().unwrap_err(),
            "MpeVariableElimination",
            "evidence",
        ),
        (
            marginals.log_probability().unwrap_err(),
            "VariableElimination",
            "world",
        ),
    ];
    for (found, algorithm, asked) in found {
        // Each message ends with what to do instead.
        let remedy = if asked == "distribution" {
            "ask for"
        } else {
            "use "
        };
        let found = says(found, &[algorithm, asked, remedy]);
        assert!(matches!(found, Error::NotInAnswer { .. }));
    }
}

#[test]
fn invalid_setting() {
    let found = error(&ImportanceSampling::new(0), &Model::new(), &Flip::new(0.2));
    let found = says(
        found,
        &["ImportanceSampling", "samples", "0", "draw at least one"],
    );
    assert!(matches!(found, Error::InvalidSetting { .. }));
}
