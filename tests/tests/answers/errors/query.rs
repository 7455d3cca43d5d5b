//! Tests of queries that have no answer.

use figrs::eliminate::EliminationError;
use figrs::prelude::*;
use figrs::{Limits, MpeBranchAndBound, fold};

use crate::errors::{error, says};

#[test]
fn elimination_table_too_large() {
    let (a, b) = (Uniform::new(0..20), Uniform::new(0..20));
    let sum = (&a, &b).map(|(a, b)| a + b);
    let model = Model::new().weigh(&sum, |&s| f64::from(s));
    let small = VariableElimination::new().limits(Limits::default().table_entries(5));
    let found = says(
        error(&small, &model, &a),
        &["limit of 5", "Limits::table_entries", "`Exact`"],
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
    let hasty = VariableElimination::new().limits(Limits::default().work(10.0));
    let found = says(
        error(&hasty, &model, &a),
        &["limit of 1.000e1", "Limits::work"],
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
    let place = format!("query.rs:{line}:");
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
            Error::ImpossibleEvidence { conflict, .. } => {
                assert_eq!(conflict.len(), 3, "{conflict:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn impossible_evidence_inside_the_program_names_the_scores() {
    let coin = Flip::new(0.5);
    let other = coin
        .flat_map(|&heads| Score::observe(&Constant::new(heads), !heads))
        .named("other");
    for algorithm in algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        MpeVariableElimination::new()
    ] {
        let found = error(&*algorithm, &Model::new(), &other);
        says(found, &["exclude each other", "Score", "query.rs:"]);
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
        &["none of 500 worlds", "draw more", "VariableElimination"],
    );
    assert!(matches!(
        found,
        Error::NoSampleMetEvidence { tried: 500, .. }
    ));
}

#[test]
fn too_many_worlds() {
    let coins: Vec<_> = (0..40).map(|_| Flip::new(0.5)).collect();
    let heads = fold(&coins, 0, |n, &coin| n + i32::from(coin));
    let found = error(&Enumerate::new().max_worlds(1000), &Model::new(), &heads);
    let found = says(
        found,
        &[
            "more worlds than the limit of 1000",
            "VariableElimination",
            "max_worlds",
        ],
    );
    assert_eq!(
        found,
        Error::TooManyWorlds {
            worlds: 1000,
            evaluations: None
        }
    );
}

#[test]
fn too_many_evaluations() {
    let coins: Vec<_> = (0..40).map(|_| Flip::new(0.5)).collect();
    let heads = fold(&coins, 0, |n, &coin| n + i32::from(coin));
    let hasty = Enumerate::new().max_evaluations(10_000);
    let found = error(&hasty, &Model::new(), &heads);
    let found = says(found, &["10000", "VariableElimination", "max_evaluations"]);
    assert!(matches!(
        found,
        Error::TooManyWorlds {
            evaluations: Some(10_000),
            ..
        }
    ));
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
        let found = says(found, &["`wind`", "query.rs:", "add it to the targets"]);
        assert_eq!(found, Error::not_a_target(wind.label()));
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
            &["`mast`", "query.rs:", "not part of this world", "branch"],
        );
        assert_eq!(found, Error::not_in_world(mast.label()));
    }
}

/// A compiled tree can be asked about all elements of its worlds, but a frontier only about its targets.
#[test]
fn not_a_target_of_a_frontier() {
    let (rain, wind) = (Flip::new(0.2).named("rain"), Flip::new(0.3));
    let both = rain.and(&wind);
    let model = Model::new();
    let tree = JunctionTree::new().compile(&model, &both).unwrap();
    let world = tree.most_probable().unwrap();
    assert_eq!(world.value(&rain), Ok(false));
    let frontier = Frontier::new().compile(&model, &both).unwrap();
    let world = frontier.most_probable().unwrap();
    assert_eq!(world.value(&both), Ok(false));
    let found = says(
        world.value(&rain).unwrap_err(),
        &["`rain`", "query.rs:", "add it to the targets"],
    );
    assert_eq!(found, Error::not_a_target(rain.label()));
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
        (
            marginals.upper_bound().unwrap_err(),
            "VariableElimination",
            "world",
        ),
    ];
    for (found, algorithm, asked) in found {
        // Each message ends with a remedy.
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

#[test]
fn no_world_found() {
    // The evidence gives the sums modulo two of triples of coins on a ring for a planted solution; no change of a single coin repairs a wrong world.
    let count = 120;
    let coins: Vec<_> = (0..count).map(|_| Flip::new(0.5)).collect();
    let planted = |i: usize| (i * i % 7).is_multiple_of(2);
    let mut model = Model::new();
    for i in 0..count {
        let places = [i, (i + 3) % count, (i + 7) % count];
        let odd = places.iter().filter(|&&place| planted(place)).count() % 2 == 1;
        let [a, b, c] = places.map(|place| &coins[place]);
        model = model.observe(&(a, b, c).map(|(a, b, c)| a ^ b ^ c), odd);
    }
    let search = MpeBranchAndBound::new().bound_table(8).work(100);
    let found = says(
        error(&search, &model, &coins[0]),
        &[
            "found no world",
            "at most",
            "MpeBranchAndBound::work",
            "MpeBranchAndBound::bound_table",
        ],
    );
    match found {
        Error::NoWorldFound { work, upper_bound } => {
            let exact = MpeVariableElimination::new()
                .run(&model, &coins[0])
                .unwrap();
            assert!(work >= 100 && upper_bound >= exact.log_probability().unwrap() - 1e-9);
        }
        other => panic!("{other:?}"),
    }
}
