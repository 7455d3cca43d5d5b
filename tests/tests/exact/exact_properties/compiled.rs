//! Tests of compiled trees and circuits: they list the worlds of a model from the best one on, and accept evidence that changes.

use figrs_core::{DescribedStatement, Model};
use figrs_infer::{Answer, Circuit, Compiled, CompiledTree, Error, JunctionTree, Run};
use figrs_tests::oracle::close;
use figrs_tests::random_model::{Built, Description, Family, build, for_random_models};
use proptest::prelude::*;

use crate::exact_properties::shared::{
    Checked, EXACT, asked, enumerate, failed, is_wide, possible_runs,
};

/// Number of best worlds that are requested.
const BEST: usize = 20;

fn compiled(built: &Built) -> Result<Option<CompiledTree>, proptest::test_runner::TestCaseError> {
    let targets = built.erased();
    if is_wide(&built.model, &targets)? {
        return Ok(None);
    }
    match JunctionTree::new().compile(&built.model, targets) {
        Ok(tree) => Ok(Some(tree)),
        Err(error) => Err(failed(error)),
    }
}

/// Checks that the best worlds have the weights of the best runs of the program, and that there are as many worlds as runs.
fn best_worlds_are_the_best_runs(description: &Description) -> Checked {
    let built = build(description);
    let Some(tree) = compiled(&built)? else {
        return Ok(());
    };
    let Some(mut logs) = possible_runs(&built) else {
        return Ok(());
    };
    logs.sort_by(|a, b| b.total_cmp(a));
    list_best(&tree, &logs)?;
    let circuit = Circuit::new().compile(&built.model, built.erased());
    list_best(&circuit.map_err(failed)?, &logs)
}

/// Checks the best worlds of a compiled model, given the logarithms of the weights of all runs.
fn list_best(compiled: &impl Compiled, logs: &[f64]) -> Checked {
    prop_assert_eq!(compiled.count().map_err(failed)?, logs.len().into());
    let best = match compiled.k_best(BEST) {
        Err(Error::ImpossibleEvidence { .. }) if logs.is_empty() => return Ok(()),
        best => best.map_err(failed)?,
    };
    prop_assert_eq!(best.len(), logs.len().min(BEST));
    for (world, log) in best.iter().zip(logs) {
        let found = world.log_probability();
        prop_assert!(close(found, *log, EXACT), "{} is not {}", found, log);
    }
    Ok(())
}

/// Checks that evidence set on a compiled model has the effect of evidence that is compiled in, whatever evidence was set before.
fn evidence_may_change(description: &Description) -> Checked {
    let built = build(description);
    let targets = built.erased();
    let varying = [bool::pick(&built.scope, 0), bool::pick(&built.scope, 3)];
    let ids = varying.each_ref().map(|element| element.erased().id());
    if ids[0] == ids[1] || is_wide(&built.model, &targets)? {
        return Ok(());
    }
    let compiler = JunctionTree::new().varying(&varying[..]);
    let Ok(mut tree) = compiler.compile(&built.model, targets.clone()) else {
        return Ok(());
    };
    let compiler = Circuit::new().varying(&varying[..]);
    let compiled = compiler.compile(&built.model, targets.clone());
    let mut circuit = compiled.map_err(failed)?;
    for (i, value) in [(0, true), (1, false), (0, false), (1, true)] {
        tree.set(&varying[i], value).map_err(failed)?;
        circuit.set(&varying[i], value).map_err(failed)?;
        let other = &varying[1 - i];
        tree.clear(other).map_err(failed)?;
        circuit.clear(other).map_err(failed)?;
        // The other element remains a root without evidence.
        let model: Model = built
            .model
            .clone()
            .observe(&varying[i], value)
            .condition(other, |_| true);
        let Some(expected) = asked(enumerate().run(&model, targets.clone()))? else {
            return Ok(());
        };
        for found in [tree.answer(), circuit.answer()] {
            is_answer(&built, &expected, found)?;
        }
    }
    Ok(())
}

/// Checks the answer of a compiled model against that of enumeration.
fn is_answer(
    built: &Built,
    expected: &Result<Answer, Vec<DescribedStatement>>,
    found: Result<Answer, Error>,
) -> Checked {
    match (expected, found) {
        (Ok(expected), Ok(found)) => {
            let logs = [expected, &found].map(|a| a.log_evidence().unwrap().value);
            prop_assert!(close(logs[0], logs[1], EXACT), "log-evidence {:?}", logs);
            for target in &built.targets {
                let p = target.probabilities(expected).map_err(failed)?;
                let q = target.probabilities(&found).map_err(failed)?;
                let equal = p.iter().zip(&q).all(|(p, q)| (p - q).abs() <= EXACT);
                prop_assert!(equal, "{:?}: {:?} {:?}", target, p, q);
            }
            Ok(())
        }
        (Err(_), Err(Error::ImpossibleEvidence { .. })) => Ok(()),
        (expected, found) => Err(failed(format!("compiled in: {expected:?}\nset: {found:?}"))),
    }
}

#[test]
fn the_best_worlds_are_listed_and_counted() {
    for_random_models(1000, 5, best_worlds_are_the_best_runs);
}

#[test]
fn evidence_set_is_evidence_compiled_in() {
    for_random_models(600, 6, evidence_may_change);
}
