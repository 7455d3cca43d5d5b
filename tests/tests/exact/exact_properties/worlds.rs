//! Tests that the most probable world is found, and that it is a possible world.

use std::collections::HashMap;

use figrs_core::{Datum, ElementId};
use figrs_infer::{Answer, MpeVariableElimination, Run};
use figrs_lower::{Observations, Program};
use figrs_tests::oracle::{close, every_run};
use figrs_tests::random_model::{Built, Description, Target, build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::exact_properties::shared::{Checked, WORLDS, asked, enumerate, failed, is_wide};

/// True if some run of the program gives the elements outside branches the same values, and has this weight.
pub(crate) fn is_a_run(built: &Built, world: &Answer, log: f64) -> Result<bool, TestCaseError> {
    let elements = [built.elements(), built.targets.clone()].concat();
    let values: Vec<Option<u64>> = elements.iter().map(|e| e.in_world(world).ok()).collect();
    let targets = built.erased();
    let observations = Observations::Compare;
    let mut found = false;
    let visit = |program: &Program, p: f64, w: f64| {
        if found || !close(p + w, log, 1e-9) {
            return;
        }
        let run: HashMap<ElementId, &Datum> = program.world().map(|(e, v)| (e.id(), v)).collect();
        let in_run = |e: &Target| run.get(&e.erased().id()).map(|value| e.code(value));
        found = elements.iter().map(in_run).eq(values.iter().copied());
    };
    every_run(&built.model, &targets, observations, WORLDS as usize, visit).map_err(failed)?;
    Ok(found)
}

fn most_probable_worlds_agree(description: &Description) -> Checked {
    let built = build(description);
    let targets = built.erased();
    if is_wide(&built.model, &targets)? {
        return Ok(());
    }
    let Some(expected) = asked(enumerate().most_probable_world(&built.model, targets.clone()))?
    else {
        return Ok(());
    };
    let found = asked(MpeVariableElimination::new().run(&built.model, targets))?;
    let (expected, found) = match (expected, found.expect("elimination counts no worlds")) {
        (Ok(expected), Ok(found)) => (expected, found),
        (Err(_), Err(_)) => return Ok(()),
        (expected, found) => {
            return Err(failed(format!(
                "enumeration: {expected:?}\nelimination: {found:?}"
            )));
        }
    };
    let best = expected.log_probability().map_err(failed)?;
    let claimed = found.log_probability().map_err(failed)?;
    prop_assert!(
        close(best, claimed, 1e-9),
        "log-probabilities {best} {claimed}"
    );
    prop_assert!(
        is_a_run(&built, &found, claimed)?,
        "no run of the program has these values and this weight, {claimed}: {found:?}"
    );
    Ok(())
}

#[test]
fn the_most_probable_world_is_found_and_real() {
    for_random_models(1500, 2, most_probable_worlds_agree);
}
