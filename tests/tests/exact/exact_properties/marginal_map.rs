//! Tests that marginal MAP finds the values of the targets with the largest total weight over all runs.

use std::collections::BTreeMap;
use std::time::Duration;

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{Flip, Model, Parents};
use figrs_infer::eliminate::EliminationError;
use figrs_infer::{Error, Limits, MarginalMap, Run, Stopped, VariableElimination};
use figrs_lower::Observations;
use figrs_tests::oracle::{LogSum, close, every_run};
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;

use crate::exact_properties::shared::{Checked, WORLDS, asked, failed, takes_long};

fn best_values_agree(description: &Description) -> Checked {
    let built = build(description);
    let targets = built.erased();
    let expansion =
        Expansion::new(&built.model, &targets.elements(), &Limits::default()).map_err(failed)?;
    if expansion.impossible().is_none() {
        let encoding = Encoding::for_sums(&expansion, expansion.targets()).map_err(failed)?;
        if takes_long(encoding.graph(), &[], &Limits::default()) {
            return Ok(());
        }
    }
    // The map has the code of each target's value, and the total weight of the runs with these values.
    let mut totals: BTreeMap<Vec<u64>, LogSum> = BTreeMap::new();
    let done = every_run(
        &built.model,
        &targets.elements(),
        Observations::Compare,
        WORLDS as usize,
        |program, p, w| {
            let world: Vec<_> = program.world().collect();
            let code = |target: &figrs_tests::random_model::Target| {
                let own = world.iter().find(|(e, _)| e.id() == target.erased().id());
                target.code(own.expect("a target is reached").1)
            };
            let codes = built.targets.iter().map(code).collect();
            totals.entry(codes).or_default().add(p + w);
        },
    );
    if !done.map_err(failed)? {
        return Ok(());
    }
    let found = asked(MarginalMap::new().run(&built.model, targets))?;
    let answer = match found.expect("elimination counts no worlds") {
        Ok(answer) => answer,
        Err(conflict) => {
            prop_assert!(totals.is_empty(), "{conflict:?}, but {totals:?}");
            return Ok(());
        }
    };
    let value = |target: &figrs_tests::random_model::Target| target.in_world(&answer);
    let values: Result<Vec<u64>, Error> = built.targets.iter().map(value).collect();
    let values = values.map_err(failed)?;
    let claimed = answer.log_probability().map_err(failed)?;
    let own = totals.get(&values).map(LogSum::value);
    prop_assert!(
        own.is_some_and(|own| close(own, claimed, 1e-9)),
        "{values:?} have {own:?}, not {claimed}"
    );
    let best = totals
        .values()
        .map(LogSum::value)
        .fold(f64::NEG_INFINITY, f64::max);
    prop_assert!(
        close(best, claimed, 1e-9),
        "{best}, not {claimed} of {values:?}"
    );
    Ok(())
}

#[test]
fn the_best_values_of_the_targets_are_found() {
    for_random_models(1200, 7, best_values_agree);
}

/// Returns a hidden chain with a noisy reading of each state; the readings are the targets.
fn hidden_chain(length: usize) -> (Model, Vec<figrs_core::Element<bool>>) {
    let mut state = Flip::new(0.5);
    let mut readings = Vec::new();
    for _ in 0..length {
        readings.push(state.flat_map(|&s| Flip::new(if s { 0.8 } else { 0.3 })));
        state = state.flat_map(|&s| Flip::new(if s { 0.7 } else { 0.4 }));
    }
    (Model::new().observe(&state, true), readings)
}

#[test]
fn many_targets_make_no_joint_table() {
    let (model, states) = {
        let mut states = vec![Flip::new(0.5)];
        let mut model = Model::new();
        for i in 0..300 {
            let state = states[i].flat_map(|&s| Flip::new(if s { 0.7 } else { 0.4 }));
            let seen = state.flat_map(|&s| Flip::new(if s { 0.8 } else { 0.3 }));
            let noise = seen.flat_map(|&s| Flip::new(if s { 0.9 } else { 0.2 }));
            model = model.observe(&noise, i % 3 == 0);
            states.push(state);
        }
        (model, states)
    };
    let map = MarginalMap::new();
    let cost = map.cost(&model, &states).unwrap();
    assert!(cost.sum.width <= 2 && cost.maximum.width <= 2, "{cost:?}");
    let answer = map.run(&model, &states).unwrap();
    let mut stated = model;
    for state in &states {
        stated = stated.observe(state, answer.most_likely_value(state).unwrap());
    }
    let log = VariableElimination::new().log_evidence(&stated).unwrap();
    assert!(close(log, answer.log_probability().unwrap(), 1e-9));
}

#[test]
fn what_does_not_fit_is_searched_and_bounded() {
    let (model, readings) = hidden_chain(60);
    let small = Limits::default().table_entries(16);
    let map = MarginalMap::new().limits(small).search_work(0.0);
    // Summing out the states combines all readings in one table.
    let cost = map.cost(&model, &readings).unwrap();
    assert!(cost.sum.largest_table >= 2f64.powi(59), "{cost:?}");
    let answer = map.run(&model, &readings).unwrap();
    let log = answer.log_probability().unwrap();
    assert!(!answer.is_proven().unwrap() && answer.upper_bound().unwrap() > log);
    assert!(answer.algorithm().starts_with("MarginalMap") && answer.algorithm() != "MarginalMap");
    assert_eq!(answer.sampling().unwrap().stopped, Stopped::Budget);
    let mut stated = model.clone();
    for reading in &readings {
        stated = stated.observe(reading, answer.most_likely_value(reading).unwrap());
    }
    let own = VariableElimination::new().log_evidence(&stated).unwrap();
    assert!(close(own, log, 1e-9), "{own} {log}");
    let again = map.run(&model, &readings).unwrap();
    assert_eq!(
        again.improvements().unwrap(),
        answer.improvements().unwrap()
    );
    let longer = map.clone().search_work(1e5).run(&model, &readings).unwrap();
    assert!(longer.log_probability().unwrap() >= log);
    assert!(longer.upper_bound().unwrap() <= answer.upper_bound().unwrap());

    let late = map.clone().deadline(Duration::ZERO);
    assert!(matches!(
        late.run(&model, &readings),
        Err(Error::NothingDone {
            algorithm: "MarginalMap"
        })
    ));
    let narrow = map.limits(Limits::default().table_entries(1));
    assert!(matches!(
        narrow.run(&model, &readings),
        Err(Error::Elimination(EliminationError::TableTooLarge { needed, .. }))
            if needed == cost.sum.largest_table
    ));

    let map = MarginalMap::new();
    let (model, readings) = hidden_chain(10);
    let cost = map.cost(&model, &readings).unwrap();
    assert!(
        cost.sum.operations <= 2f64.powi(13) && cost.maximum.width == 10,
        "{cost:?}"
    );
    let exact = map.run(&model, &readings).unwrap();
    let searched = map.limits(Limits::default().table_entries(64));
    let searched = searched.run(&model, &readings).unwrap();
    assert_eq!(exact.algorithm(), "MarginalMap");
    assert_eq!(searched.algorithm(), "MarginalMapBranchAndBound");
    assert!(searched.is_proven().unwrap());
    let logs = [exact, searched].map(|answer| answer.log_probability().unwrap());
    assert!(close(logs[0], logs[1], 1e-9), "{logs:?}");
}
