//! What every model must have, between exact engines: on random models they say the same.

use figrs_core::expand::{Budget, Encoding, Expansion};
use figrs_core::factor::{FactorGraph, FactorTable, VarId};
use figrs_core::lower::Observations;
use figrs_core::{Model, tuple};
use figrs_infer::eliminate::{
    Barren, EliminationError, Options, Order, most_probable, sum_product,
};
use figrs_infer::{
    Algorithm, Answer, Enumerate, Error, MpeVariableElimination, Run, VariableElimination,
};
use figrs_tests::oracle::{Erased, LogSum, close, every_assignment, every_run};
use figrs_tests::random_model::{Built, Description, Family, Target, build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

const WORLDS: u64 = 3000;
const EXACT: f64 = 1e-10;

type Checked = Result<(), TestCaseError>;

fn failed(error: impl std::fmt::Display) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}

fn enumerate() -> Enumerate {
    Enumerate::new().max_worlds(WORLDS)
}

/// The answer, or the conflict if the evidence is impossible; nothing if there are too many worlds.
fn asked(run: Result<Answer, Error>) -> Result<Option<Result<Answer, Vec<String>>>, TestCaseError> {
    match run {
        Ok(answer) => Ok(Some(Ok(answer))),
        Err(Error::ImpossibleEvidence { conflict }) => Ok(Some(Err(conflict))),
        Err(Error::TooManyWorlds { .. }) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

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

fn has_no_world(model: &Model, targets: &Erased) -> Result<Option<bool>, TestCaseError> {
    Ok(asked(enumerate().run(model, targets.clone()))?.map(|answer| answer.is_err()))
}

/// The conflict is impossible, and no piece of it can be left out.
fn is_smallest_conflict(model: &Model, targets: &Erased, conflict: &[String]) -> Checked {
    let pieces: Vec<String> = (0..model.evidence().len())
        .map(|i| model.describe(i))
        .collect();
    let mut positions = Vec::new();
    for text in conflict {
        let matching: Vec<usize> = (0..pieces.len()).filter(|&i| pieces[i] == *text).collect();
        match matching[..] {
            [position] => positions.push(position),
            [] => return Err(failed(format!("{text} is not a piece of evidence"))),
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

/// The targets, and two elements together.
fn targets_and_a_joint(built: &Built) -> Vec<Target> {
    let joint = tuple((bool::pick(&built.scope, 1), u32::pick(&built.scope, 0)));
    let mut targets = built.targets.clone();
    targets.push(Target::Pair(joint));
    targets
}

fn erased(targets: &[Target]) -> Erased {
    Erased(targets.iter().map(Target::erased).collect())
}

fn engines_agree(description: &Description) -> Checked {
    let built = build(description);
    let targets = targets_and_a_joint(&built);
    let Some(expected) = asked(enumerate().run(&built.model, erased(&targets)))? else {
        return Ok(());
    };
    let found = VariableElimination::new().run(&built.model, erased(&targets));
    let found = asked(found)?.expect("elimination counts no worlds");
    match (expected, found) {
        (Ok(expected), Ok(found)) => same_answers(&targets, &expected, &found),
        (Err(conflict), Err(same)) => {
            prop_assert_eq!(&conflict, &same);
            let logs = [
                enumerate().log_evidence(&built.model),
                VariableElimination::new().log_evidence(&built.model),
            ];
            if let [Ok(a), Ok(b)] = logs {
                prop_assert!(close(a, b, EXACT), "log-evidence without targets: {a} {b}");
            }
            is_smallest_conflict(&built.model, &erased(&targets), &conflict)
        }
        (expected, found) => Err(failed(format!(
            "enumeration: {expected:?}\nelimination: {found:?}"
        ))),
    }
}

#[test]
fn variable_elimination_and_enumeration_agree() {
    for_random_models(4000, 1, engines_agree);
}

fn most_probable_worlds_agree(description: &Description) -> Checked {
    let built = build(description);
    let targets = Erased(built.erased());
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
    for_random_models(4000, 2, most_probable_worlds_agree);
}

/// Where a factor is said to be normalised it sums to one over its last variable.
fn normalised_factors_sum_to_one(graph: &FactorGraph) -> Checked {
    for factor in graph.factors.iter().filter(|f| f.normalised) {
        let last = factor.variables[factor.variables.len() - 1];
        match &factor.table {
            FactorTable::Dense(weights) => {
                let columns = graph.cardinality(last);
                for row in 0..weights.len() / columns {
                    let mut sum = LogSum::default();
                    (0..columns).for_each(|c| sum.add(weights.log(row * columns + c)));
                    prop_assert!(sum.value().abs() < EXACT, "row {row} of {factor:?}");
                }
            }
            FactorTable::Function { index } => {
                let below = index
                    .iter()
                    .all(|&v| (v as usize) < graph.cardinality(last));
                prop_assert!(below, "{factor:?}");
            }
            FactorTable::Sparse { .. } => {}
        }
    }
    Ok(())
}

/// The sum and the number of all assignments, and the largest.
fn brute(graph: &FactorGraph) -> Option<(f64, usize, f64)> {
    let (mut sum, mut count, mut best) = (LogSum::default(), 0, f64::NEG_INFINITY);
    let done = every_assignment(graph, 200_000, |_, log| {
        sum.add(log);
        count += 1;
        best = best.max(log);
    });
    done.then_some((sum.value(), count, best))
}

fn graphs_mean_worlds(description: &Description) -> Checked {
    let built = build(description);
    let targets = built.erased();
    let (mut total, mut worlds, mut best) = (LogSum::default(), 0, f64::NEG_INFINITY);
    let done = every_run(
        &built.model,
        &targets,
        Observations::Compare,
        WORLDS as usize,
        |_, p, w| {
            total.add(p + w);
            worlds += 1;
            best = best.max(p + w);
        },
    );
    if !done.map_err(failed)? {
        return Ok(());
    }
    let expansion = Expansion::new(&built.model, &targets, Budget::default()).map_err(failed)?;
    if expansion.impossible().is_some() {
        prop_assert_eq!(worlds, 0);
        return Ok(());
    }
    let encoding = Encoding::for_worlds(&expansion).map_err(failed)?;
    normalised_factors_sum_to_one(encoding.graph())?;
    if let Some((sum, count, largest)) = brute(encoding.graph()) {
        prop_assert!(
            close(sum, total.value(), EXACT),
            "for worlds: {sum}, not {}",
            total.value()
        );
        prop_assert_eq!(count, worlds, "assignments, worlds");
        prop_assert!(
            close(largest, best, EXACT),
            "the largest: {largest}, not {best}"
        );
    }
    let mut wanted = vec![vec![]];
    wanted.extend(expansion.targets().iter().map(|&t| vec![t]));
    wanted.push(expansion.targets().to_vec());
    for kept in wanted {
        let encoding = Encoding::for_sums(&expansion, &kept).map_err(failed)?;
        normalised_factors_sum_to_one(encoding.graph())?;
        if let Some((sum, ..)) = brute(encoding.graph()) {
            prop_assert!(
                close(sum, total.value(), EXACT),
                "for {kept:?}: {sum}, not {}",
                total.value()
            );
        }
    }
    Ok(())
}

#[test]
fn factor_graphs_weigh_worlds_as_the_program_does() {
    for_random_models(3000, 3, graphs_mean_worlds);
}

/// A permutation of the variables, by a seed.
fn shuffled(count: usize, seed: u64) -> Vec<VarId> {
    let mut state = seed | 1;
    let mut order: Vec<VarId> = (0..count as u32).map(VarId).collect();
    for i in (1..count).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

fn orders_agree(description: &Description, seed: u64) -> Checked {
    let built = build(description);
    let expansion =
        Expansion::new(&built.model, &built.erased(), Budget::default()).map_err(failed)?;
    if expansion.impossible().is_some() {
        return Ok(());
    }
    let small = || Options::default().table_budget(1 << 16);
    let target = expansion.targets()[0];
    let sums = Encoding::for_sums(&expansion, &[target]).map_err(failed)?;
    let worlds = Encoding::for_worlds(&expansion).map_err(failed)?;
    let keep: Vec<VarId> = sums.variable(target).into_iter().collect();
    let Ok(expected) = sum_product(sums.graph(), &keep, &small()) else {
        return Ok(());
    };
    let best = most_probable(worlds.graph(), &small());
    for (i, barren) in [Barren::Prune, Barren::Compute, Barren::Prune]
        .into_iter()
        .enumerate()
    {
        let order = |graph: &FactorGraph| {
            Order::Given(shuffled(graph.cardinalities.len(), seed + i as u64))
        };
        let options = small().barren(barren).order(order(sums.graph()));
        if let Ok(found) = sum_product(sums.graph(), &keep, &options) {
            prop_assert!(close(found.log_total, expected.log_total, EXACT));
            let pairs = found.probabilities.iter().zip(&expected.probabilities);
            let equal = pairs.clone().all(|(p, q)| (p - q).abs() <= EXACT);
            prop_assert!(equal, "{found:?} {expected:?}");
        }
        let options = small().barren(barren).order(order(worlds.graph()));
        match (&best, most_probable(worlds.graph(), &options)) {
            (Ok(best), Ok(found)) => prop_assert!(close(best.1, found.1, EXACT)),
            (_, Err(EliminationError::TableTooLarge { .. }))
            | (Err(EliminationError::TableTooLarge { .. }), _)
            | (Err(EliminationError::Impossible), Err(EliminationError::Impossible)) => {}
            (a, b) => return Err(failed(format!("{a:?} {b:?}"))),
        }
    }
    Ok(())
}

#[test]
fn the_order_of_elimination_does_not_matter() {
    let seed = std::cell::Cell::new(0);
    for_random_models(2000, 4, |description| {
        // The seed follows from the model, so that a failure shrinks at one order.
        seed.set(description.definitions.len() as u64 * 31 + description.evidence.len() as u64);
        orders_agree(description, seed.get())
    });
}

fn changes_are_seen(description: &Description) -> Checked {
    let built = build(description);
    let targets = Erased(built.erased());
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
        let expected = asked(engine.run(&fresh.model, Erased(fresh.erased())))?;
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
    for_random_models(1000, 5, changes_are_seen);
}
