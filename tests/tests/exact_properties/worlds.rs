//! The most probable world is found, and is a world.

use figrs_infer::{MpeVariableElimination, Run};
use figrs_tests::oracle::{Erased, close};
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;

use crate::shared::{Checked, asked, enumerate, failed, is_wide};

fn most_probable_worlds_agree(description: &Description) -> Checked {
    let built = build(description);
    let targets = Erased(built.erased());
    if is_wide(&built.model, &targets)? {
        return Ok(());
    }
    let Some(expected) = asked(enumerate().most_probable_world(&built.model, targets.clone()))?
    else {
        return Ok(());
    };
    let found = asked(MpeVariableElimination::new().run(&built.model, targets.clone()))?;
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
    // What the world says of all elements outside branches holds together, at its probability.
    let mut pinned = built.model.clone();
    for element in built.elements() {
        if let Ok(code) = element.in_world(&found) {
            pinned = element.observe(pinned, code);
        }
    }
    for target in &built.targets {
        pinned = target.observe(pinned, target.in_world(&found).map_err(failed)?);
    }
    match asked(enumerate().most_probable_world(&pinned, targets))? {
        Some(Ok(world)) => {
            let real = world.log_probability().map_err(failed)?;
            prop_assert!(
                close(real, best, 1e-9),
                "the world weighs {real}, the best one {best}"
            );
        }
        Some(Err(conflict)) => return Err(failed(format!("no such world: {conflict:?}"))),
        None => {}
    }
    Ok(())
}

#[test]
fn the_most_probable_world_is_found_and_real() {
    for_random_models(20_000, 2, most_probable_worlds_agree);
}
