//! Tests of branch and bound: it finds the most probable world, however small its tables are, and its bound holds for any budget.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use figrs_core::{Element, Flip, Model};
use figrs_infer::{
    Answer, Error, Improvement, MpeBranchAndBound, MpeVariableElimination, Run, Stopped,
};
use figrs_tests::oracle::close;
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::exact_properties::shared::{Checked, asked, enumerate, failed};
use crate::exact_properties::worlds::is_a_run;

const AMPLE: u64 = 1_000_000;

fn bounds(answer: &Answer) -> Result<(f64, f64), TestCaseError> {
    let log = answer.log_probability().map_err(failed)?;
    Ok((log, answer.upper_bound().map_err(failed)?))
}

fn searches_agree(description: &Description) -> Checked {
    let built = build(description);
    let targets = built.erased();
    let Some(expected) = asked(enumerate().most_probable_world(&built.model, targets.clone()))?
    else {
        return Ok(());
    };
    let best = match &expected {
        Ok(answer) => answer.log_probability().map_err(failed)?,
        Err(_) => f64::NEG_INFINITY,
    };
    for (table, work) in [(1, AMPLE), (6, AMPLE), (1, 0), (1, 7), (3, 40)] {
        let algorithm = MpeBranchAndBound::new().bound_table(table).work(work);
        let found = match algorithm.run(&built.model, targets.clone()) {
            Err(Error::NoWorldFound { upper_bound, .. }) => {
                prop_assert!(work < AMPLE, "nothing found with tables of {table}");
                prop_assert!(upper_bound >= best - 1e-9, "{upper_bound} is below {best}");
                continue;
            }
            other => asked(other)?.expect("no worlds are counted"),
        };
        let found = match (&expected, found) {
            (Ok(_), Ok(found)) => found,
            (Err(_), Err(_)) => continue,
            (expected, found) => {
                return Err(failed(format!(
                    "enumeration: {expected:?}\nsearch: {found:?}"
                )));
            }
        };
        let (claimed, bound) = bounds(&found)?;
        prop_assert!(
            is_a_run(&built, &found, claimed)?,
            "no run of the program has these values and this weight, {claimed}: {found:?}"
        );
        prop_assert!(
            bound >= best - 1e-9 * (1.0 + best.abs()),
            "{bound} is below {best}"
        );
        if work == AMPLE {
            prop_assert!(close(claimed, best, 1e-9), "{claimed}, not {best}");
            prop_assert!(found.is_proven().map_err(failed)?, "{claimed} {bound}");
        }
    }
    Ok(())
}

#[test]
fn the_most_probable_world_is_found_with_any_tables() {
    for_random_models(800, 11, searches_agree);
}

/// Returns a square grid of coins, whose neighbours tend to be equal or to differ.
fn square(side: usize) -> (Model, Vec<Element<bool>>) {
    let strength = |i: usize| 0.1 + ((i * 7919) % 104_729) as f64 % 97.0 / 25.0;
    let coins: Vec<_> = (0..side * side)
        .map(|i| Flip::new(0.3 + ((i * 31) % 41) as f64 / 100.0))
        .collect();
    let mut model = Model::new();
    for (i, coin) in coins.iter().enumerate() {
        let right = ((i + 1) % side != 0).then_some(i + 1);
        for j in right
            .into_iter()
            .chain((i + side < coins.len()).then_some(i + side))
        {
            let weight = strength(i * coins.len() + j);
            model = model.weigh(
                &coin.equals(&coins[j]),
                move |&same| if same { weight } else { 1.0 },
            );
        }
    }
    (model, coins)
}

#[test]
fn a_square_is_proven_and_each_step_closes_the_gap() {
    let (model, coins) = square(10);
    let exact = MpeVariableElimination::new().run(&model, &coins).unwrap();
    let found = MpeBranchAndBound::new()
        .bound_table(1 << 5)
        .run(&model, &coins)
        .unwrap();
    assert!(found.is_proven().unwrap());
    let (best, claimed) = (
        exact.log_probability().unwrap(),
        found.log_probability().unwrap(),
    );
    assert!(close(best, claimed, 1e-9), "{best} {claimed}");
    let steps = found.improvements().unwrap();
    assert!(steps.len() > 1, "{steps:?}");
    for pair in steps.windows(2) {
        let [before, after] = pair else { continue };
        assert!(before.work <= after.work, "{steps:?}");
        assert!(before.log_probability <= after.log_probability, "{steps:?}");
        assert!(before.upper_bound >= after.upper_bound - 1e-9, "{steps:?}");
    }
    assert!(steps[0].upper_bound > best + 1e-3, "{steps:?}");
}

#[test]
fn a_budget_that_is_too_small_leaves_a_world_and_a_gap() {
    let (model, coins) = square(14);
    let search = MpeBranchAndBound::new().bound_table(1 << 3).work(2000);
    let found = search.run(&model, &coins).unwrap();
    let (claimed, bound) = (
        found.log_probability().unwrap(),
        found.upper_bound().unwrap(),
    );
    assert!(!found.is_proven().unwrap());
    let summary = found.summary(&coins[0]).unwrap();
    assert!(
        summary.contains("best world found") && summary.contains("no world is above"),
        "{summary}"
    );
    let exact = MpeVariableElimination::new().run(&model, &coins).unwrap();
    let best = exact.log_probability().unwrap();
    assert!(
        claimed <= best + 1e-9 && best <= bound,
        "{claimed} {best} {bound}"
    );
    // Variable elimination proves that its world is optimal, which the search with its budget could not.
    assert_eq!(exact.upper_bound().unwrap(), best);
    assert!(exact.is_proven().unwrap() && exact.improvements().unwrap().is_empty());
    let again = search.run(&model, &coins).unwrap();
    assert_eq!(again.improvements().unwrap(), found.improvements().unwrap());
}

#[test]
fn a_deadline_ends_with_the_best_world_so_far() {
    let (model, coins) = square(20);
    let search = MpeBranchAndBound::new().bound_table(1 << 3);
    let began = Instant::now();
    search.clone().work(2000).run(&model, &coins).unwrap();
    // The deadline leaves as much time again as the search takes to begin.
    let deadline = 2 * began.elapsed() + Duration::from_millis(100);
    let search = search.work(u64::MAX);
    let began = Instant::now();
    let found = search
        .clone()
        .deadline(deadline)
        .run(&model, &coins)
        .unwrap();
    let took = began.elapsed();
    assert!(took < 10 * deadline, "{took:?}, not {deadline:?}");
    assert!(!found.is_proven().unwrap());
    assert!(found.log_probability().unwrap() <= found.upper_bound().unwrap());
    assert_eq!(found.sampling().unwrap().stopped, Stopped::Deadline);
    assert!(!found.diagnose().is_clean());
    let none = search.deadline(Duration::ZERO).run(&model, &coins);
    assert!(matches!(none, Err(Error::NothingDone { .. })), "{none:?}");
}

/// Each improvement is reported when it is made. An interrupt at any of them gives a world, and a bound on the probability of the best one.
#[test]
fn an_interrupt_at_any_improvement_leaves_a_sound_bound() {
    let (model, coins) = square(14);
    let exact = MpeVariableElimination::new().run(&model, &coins).unwrap();
    let best = exact.log_probability().unwrap();
    let search = MpeBranchAndBound::new().bound_table(1 << 3).work(100_000);
    let steps = search.run(&model, &coins).unwrap();
    let steps = steps.improvements().unwrap().to_vec();
    assert!(steps.len() > 2, "{steps:?}");
    for stop_after in 1..=steps.len() {
        let message: Arc<Mutex<Vec<Improvement>>> = Arc::default();
        let flag = Arc::new(AtomicBool::new(false));
        let (heard, raised) = (Arc::clone(&message), Arc::clone(&flag));
        let found = search
            .clone()
            .interrupt(flag)
            .on_improvement(move |step| {
                let mut heard = heard.lock().unwrap();
                heard.push(*step);
                raised.store(heard.len() >= stop_after, Ordering::Relaxed);
            })
            .run(&model, &coins)
            .unwrap();
        let message = message.lock().unwrap();
        assert_eq!(*message, found.improvements().unwrap());
        assert_eq!(message[..stop_after], steps[..stop_after]);
        for step in message.iter() {
            assert!(step.log_probability <= best + 1e-9, "{step:?} {best}");
            assert!(step.upper_bound >= best - 1e-9, "{step:?} {best}");
        }
        let reason = found.sampling().map(|run| run.stopped);
        let is_last = stop_after == steps.len();
        assert!(
            is_last || reason == Some(Stopped::Interrupted),
            "{reason:?}"
        );
    }
}

#[test]
fn without_memory_for_open_nodes_the_search_ends_all_the_same() {
    let (model, coins) = square(9);
    let exact = MpeVariableElimination::new().run(&model, &coins).unwrap();
    let search = MpeBranchAndBound::new().bound_table(1 << 3).memory(0);
    let found = search.run(&model, &coins).unwrap();
    assert!(found.is_proven().unwrap());
    let (best, claimed) = (
        exact.log_probability().unwrap(),
        found.log_probability().unwrap(),
    );
    assert!(close(best, claimed, 1e-9), "{best} {claimed}");
}
