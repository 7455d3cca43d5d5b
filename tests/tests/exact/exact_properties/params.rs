//! Tests that changes of parameters after a model is built have an effect.

use figrs_infer::{Algorithm, Run, VariableElimination};
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;

use crate::exact_properties::shared::{Checked, asked, enumerate, failed, is_wide};

fn changes_are_seen(description: &Description) -> Checked {
    let built = build(description);
    let targets = built.erased();
    if is_wide(&built.model, &targets)? {
        return Ok(());
    }
    let engines: [Box<dyn Algorithm>; 2] =
        figrs_infer::algorithms![enumerate(), VariableElimination::new()];
    let before: Vec<_> = engines
        .iter()
        .map(|e| e.run(&built.model, targets.clone()))
        .collect();
    built.change_params();
    let mut changed = description.clone();
    for (now, later) in &mut changed.params {
        *now = *later;
    }
    let fresh = build(&changed);
    for (engine, before) in engines.iter().zip(before) {
        let again = asked(engine.run(&built.model, targets.clone()))?;
        let expected = asked(engine.run(&fresh.model, fresh.erased()))?;
        match (again, expected) {
            (Some(Ok(again)), Some(Ok(expected))) => {
                for (old, new) in built.targets.iter().zip(&fresh.targets) {
                    let (p, q) = (old.probabilities(&again), new.probabilities(&expected));
                    let (p, q) = (p.map_err(failed)?, q.map_err(failed)?);
                    prop_assert_eq!(p, q, "{} before: {:?}", engine.name(), before);
                }
            }
            (Some(Err(again)), Some(Err(expected))) => prop_assert_eq!(again, expected),
            (None, None) => {}
            (again, expected) => return Err(failed(format!("{again:?}\n{expected:?}"))),
        }
    }
    Ok(())
}

#[test]
fn changed_parameters_are_seen() {
    for_random_models(500, 5, changes_are_seen);
}
