//! Tests that elimination, junction tree and enumeration give the same marginals, probability of evidence and conflicts.

use figrs_core::{AnyElement, DescribedStatement, Model, tuple};
use figrs_infer::{Algorithm, Answer, JunctionTree, Run, VariableElimination};
use figrs_tests::oracle::close;
use figrs_tests::random_model::{Built, Description, Family, Target, build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::exact_properties::shared::{Checked, EXACT, asked, enumerate, erased, failed, is_wide};

fn same_answers(targets: &[Target], a: &Answer, b: &Answer) -> Checked {
    let logs = [a, b].map(|answer| answer.log_evidence().unwrap().value);
    prop_assert!(close(logs[0], logs[1], EXACT), "log-evidence {logs:?}");
    for target in targets {
        let (p, q) = (
            target.probabilities(a).unwrap(),
            target.probabilities(b).unwrap(),
        );
        let equal = p.iter().zip(&q).all(|(p, q)| (p - q).abs() <= EXACT);
        prop_assert!(equal, "{target:?}: {p:?} {q:?}");
    }
    Ok(())
}

fn has_no_world(model: &Model, targets: &[AnyElement]) -> Result<Option<bool>, TestCaseError> {
    Ok(asked(enumerate().run(model, targets))?.map(|answer| answer.is_err()))
}

/// Checks that the evidence in a conflict is impossible, and that no piece of it can be left out.
fn is_smallest_conflict(
    model: &Model,
    targets: &[AnyElement],
    conflict: &[DescribedStatement],
) -> Checked {
    let pieces: Vec<DescribedStatement> = (0..model.evidence().len())
        .map(|i| model.describe(i))
        .collect();
    let mut positions = Vec::new();
    for text in conflict {
        let matching: Vec<usize> = (0..pieces.len()).filter(|&i| pieces[i] == *text).collect();
        match matching[..] {
            [position] => positions.push(position),
            // Scores that take part are named as well; they cannot be left out.
            [] => prop_assert!(
                text.to_string().contains("Score at"),
                "{text} is not stated anywhere"
            ),
            // Two statements of one source line about one element cannot be told apart.
            _ => return Ok(()),
        }
    }
    let whole = model.filtered(|i| positions.contains(&i));
    prop_assert!(
        has_no_world(&whole, targets)?.unwrap_or(true),
        "possible: {conflict:?}"
    );
    for &left_out in &positions {
        let rest = model.filtered(|i| i != left_out && positions.contains(&i));
        let spare = has_no_world(&rest, targets)?.unwrap_or(false);
        prop_assert!(!spare, "{} is not needed in {conflict:?}", pieces[left_out]);
    }
    Ok(())
}

/// Returns the targets, and the pair of two elements as a further target.
fn targets_and_a_joint(built: &Built) -> Vec<Target> {
    let joint = tuple((bool::pick(&built.scope, 1), u32::pick(&built.scope, 0)));
    let mut targets = built.targets.clone();
    targets.push(Target::Pair(joint));
    targets
}

fn engines_agree(description: &Description) -> Checked {
    let built = build(description);
    let targets = targets_and_a_joint(&built);
    if is_wide(&built.model, &erased(&targets))? {
        return Ok(());
    }
    let Some(expected) = asked(enumerate().run(&built.model, erased(&targets)))? else {
        return Ok(());
    };
    let engines: [&dyn Algorithm; 2] = [&VariableElimination::new(), &JunctionTree::new()];
    for engine in engines {
        agrees(engine, &built.model, &targets, expected.clone())?;
    }
    Ok(())
}

fn agrees(
    engine: &dyn Algorithm,
    model: &Model,
    targets: &[Target],
    expected: Result<Answer, Vec<DescribedStatement>>,
) -> Checked {
    let found = asked(engine.run(model, erased(targets)))?.expect("elimination counts no worlds");
    match (expected, found) {
        (Ok(expected), Ok(found)) => same_answers(targets, &expected, &found),
        (Err(conflict), Err(same)) => {
            prop_assert_eq!(&conflict, &same);
            let logs = [enumerate().log_evidence(model), engine.log_evidence(model)];
            if let [Ok(a), Ok(b)] = logs {
                prop_assert!(close(a, b, EXACT), "log-evidence without targets: {a} {b}");
            }
            is_smallest_conflict(model, &erased(targets), &conflict)
        }
        (expected, found) => Err(failed(format!(
            "enumeration: {expected:?}\n{}: {found:?}",
            engine.name()
        ))),
    }
}

#[test]
fn elimination_junction_tree_and_enumeration_agree() {
    for_random_models(1500, 1, engines_agree);
}
