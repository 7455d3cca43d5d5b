//! Tests of the bounds of `LazyVariableElimination` on models that it cannot, or does not, expand as a whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use figrs::Limits;
use figrs::prelude::*;
use figrs::{
    Bounds, Deepening, DeepeningEnd, LazyVariableElimination, ModelError, Quality, Stopped,
};
use figrs_tests::reference_models::failures;

/// True if a branching process, in which each member has two children or none, has an odd number of members without children.
fn odd_leaves(split: f64) -> Element<bool> {
    Flip::new(split).flat_map(move |&has_children| {
        if has_children {
            odd_leaves(split).xor(&odd_leaves(split))
        } else {
            Constant::new(true)
        }
    })
}

/// A recursion that flips coins without end.
fn never() -> Element<bool> {
    Flip::new(0.5).flat_map(|_| never())
}

/// Returns a coin inside this number of nested `Chain` elements.
fn nested(levels: u32) -> Element<bool> {
    Flip::new(0.5).flat_map(move |&heads| match levels {
        0 => Flip::new(0.25),
        _ if heads => Constant::new(true),
        _ => nested(levels - 1),
    })
}

fn deepening(answer: &Answer) -> Deepening {
    answer.deepening().unwrap()
}

#[track_caller]
pub(crate) fn holds(bounds: Bounds, right: f64, width: f64) {
    let slack = 1e-12 * right.abs();
    let inside = bounds.lower - slack <= right && right <= bounds.upper + slack;
    assert!(inside && bounds.width() <= width, "{bounds:?}, {right}");
}

#[test]
fn every_event_is_as_close_as_was_asked_for() {
    let n = failures(0.2);
    let even = Model::new().condition(&n, |n| n % 2 == 0);
    for width in [0.3, 1e-3, 1e-9] {
        let answer = LazyVariableElimination::to_width(width)
            .run(&even, &n)
            .unwrap();
        assert_eq!(deepening(&answer).ended, DeepeningEnd::Width);
        let Quality::Bounds { width: known } = answer.quality(&n).unwrap() else {
            panic!("only bounds are known");
        };
        assert!(known <= width);
        holds(answer.bounds(&n, &2).unwrap(), 0.36 * 0.64, width);
        holds(answer.bounds(&n, &3).unwrap(), 0.0, width);
        holds(answer.bounds_that(&n, |&n| n >= 4).unwrap(), 0.4096, width);
        // The values of the unexpanded part might not pass the test.
        holds(answer.bounds_that(&n, |_| true).unwrap(), 1.0, width);
        let evidence = answer.log_evidence_bounds().unwrap();
        holds(evidence, (5.0 / 9.0_f64).ln(), -(1.0 - width).ln() + 1e-15);
    }
}

#[test]
fn a_model_that_ends_has_exact_answers() {
    let end = nested(6);
    let model = Model::new().observe(&end, true);
    let right = VariableElimination::new().log_evidence(&model).unwrap();
    for (algorithm, ended) in [
        (
            LazyVariableElimination::to_width(0.0),
            DeepeningEnd::Complete,
        ),
        (LazyVariableElimination::to_depth(7), DeepeningEnd::Complete),
        (LazyVariableElimination::to_depth(6), DeepeningEnd::Depth),
    ] {
        let answer = algorithm.run(&model, ()).unwrap();
        assert_eq!(deepening(&answer).ended, ended);
        let bounds = answer.log_evidence_bounds().unwrap();
        if ended == DeepeningEnd::Complete {
            assert_eq!([bounds.lower, bounds.upper], [right; 2]);
            assert_eq!(answer.log_evidence().unwrap().value, right);
        } else {
            assert!(bounds.lower < right && right < bounds.upper);
        }
    }
}

/// An element that is first reached at a large depth and then at the top is expanded as far as from the top.
#[test]
fn depth_does_not_depend_on_the_order_of_the_targets() {
    let shared = nested(3);
    let mut deep = shared.clone();
    for _ in 0..4 {
        let inner = deep.clone();
        deep = Flip::new(0.5).flat_map(move |&heads| {
            if heads {
                inner.clone()
            } else {
                Constant::new(false)
            }
        });
    }
    let model = Model::new();
    for depth in 0..9 {
        let lazy = LazyVariableElimination::to_depth(depth);
        let one = lazy.run(&model, (&deep, &shared)).unwrap();
        let other = lazy.run(&model, (&shared, &deep)).unwrap();
        for element in [&deep, &shared] {
            let bounds = [&one, &other].map(|answer| answer.bounds(element, &true).unwrap());
            assert_eq!(bounds[0], bounds[1], "depth {depth}");
        }
    }
}

#[test]
fn bounds_of_other_unknown_targets_are_wider_and_right() {
    let (n, coin) = (failures(0.5), Flip::new(0.3));
    let lazy = LazyVariableElimination::to_depth(3);
    let alone = lazy.run(&Model::new(), &coin).unwrap();
    assert_eq!(deepening(&alone).ended, DeepeningEnd::Complete);
    // The part of `n` that is not expanded might contain a `Score`.
    let both = lazy.run(&Model::new(), (&coin, &n)).unwrap();
    let bounds = both.bounds(&coin, &true).unwrap();
    assert!(bounds.contains(0.3) && bounds.width() > 0.01 && bounds.width() <= 0.125);
}

#[test]
fn a_score_far_down_counts() {
    // At the innermost level, heads have the weight one tenth.
    fn scored(levels: u32) -> Element<bool> {
        Flip::new(0.5).flat_map(move |&heads| match levels {
            0 => Score::weigh(
                &Constant::new(heads),
                |&heads| if heads { 0.1 } else { 1.0 },
            ),
            _ => scored(levels - 1),
        })
    }
    let (model, coin) = (Model::new(), Flip::new(0.5));
    let end = (&coin, &scored(4)).map(|(a, b)| a & b);
    let right = VariableElimination::new().run(&model, &end).unwrap();
    let right = right.probability(&end, &true).unwrap();
    for depth in 0..6 {
        let answer = LazyVariableElimination::to_depth(depth)
            .run(&model, &end)
            .unwrap();
        let complete = deepening(&answer).ended == DeepeningEnd::Complete;
        assert_eq!(complete, depth == 5);
        holds(answer.bounds(&end, &true).unwrap(), right, 1.0);
    }
}

#[test]
fn the_work_budget_ends_what_never_ends() {
    let never = never();
    for work in [0, 1000, 1_000_000] {
        let answer = LazyVariableElimination::to_width(1e-6)
            .work(work)
            .run(&Model::new(), &never);
        if work == 0 {
            let error = answer.unwrap_err().to_string();
            assert!(error.contains("work is 0; allow more"), "{error}");
            continue;
        }
        let answer = answer.unwrap();
        let Deepening {
            ended, work: spent, ..
        } = deepening(&answer);
        assert!(ended == DeepeningEnd::Budget && spent <= work, "{spent}");
        let bounds = answer.bounds(&never, &true).unwrap();
        assert_eq!((bounds.lower, bounds.upper), (0.0, 1.0));
        assert!(
            answer
                .summary(&never)
                .unwrap()
                .contains("[0.000000, 1.000000]")
        );
        assert!(
            answer
                .summary(&never)
                .unwrap()
                .contains("a limit was reached")
        );
    }
}

#[test]
fn the_default_budget_ends_models_that_double_at_each_level() {
    let (lively, calm) = (odd_leaves(0.5), odd_leaves(0.4));
    // The equation q = 1/2 + 1/2 · 2q (1 - q) has only the solution 1/√2 in [0, 1]. The branching process dies out slowly.
    let lazy = LazyVariableElimination::to_width(1e-3);
    let answer = lazy.run(&Model::new(), &lively).unwrap();
    assert_eq!(deepening(&answer).ended, DeepeningEnd::Budget);
    holds(answer.bounds(&lively, &true).unwrap(), 0.5_f64.sqrt(), 0.3);
    // The equation is q = 0.6 + 0.4 · 2q (1 - q), whose branching process dies out fast.
    let right = (-0.2 + (0.04_f64 + 4.0 * 0.8 * 0.6).sqrt()) / 1.6;
    let lazy = LazyVariableElimination::to_width(0.05);
    let answer = lazy.run(&Model::new(), &calm).unwrap();
    assert_eq!(deepening(&answer).ended, DeepeningEnd::Width);
    holds(answer.bounds(&calm, &true).unwrap(), right, 0.05);
}

#[test]
fn a_chain_nested_without_end_and_without_branches_ends_at_the_depth_of_the_budget() {
    fn forever(n: u64) -> Element<u64> {
        Constant::new(n).flat_map(|&n| forever(n + 1))
    }
    let endless = forever(0);
    let answer = LazyVariableElimination::to_width(0.1)
        .run(&Model::new(), &endless)
        .unwrap();
    let Deepening { depth, ended, .. } = deepening(&answer);
    assert_eq!(
        (depth, ended),
        (Limits::default().depth, DeepeningEnd::Budget)
    );
    assert_eq!(
        answer.summary(&endless).unwrap(),
        "no value is known yet at depth 10000, where a limit was reached"
    );
}

#[test]
fn evidence_that_is_impossible_in_any_case_is_found() {
    let stop = Flip::new(0.5).named("stop");
    let n = stop.flat_map(|&stop| {
        if stop {
            Constant::new(0)
        } else {
            failures(0.5).map(|n| n + 1)
        }
    });
    let n = n.named("n");
    let model = Model::new().observe(&stop, true).condition(&n, |&n| n > 0);
    let lazy = LazyVariableElimination::to_width(0.01);
    let Error::ImpossibleEvidence { conflict, .. } = lazy.run(&model, &n).unwrap_err() else {
        panic!("no conflict");
    };
    assert_eq!(conflict.len(), 2, "{conflict:?}");
    assert_eq!(lazy.probability_of_evidence(&model).unwrap(), 0.0);
    // This evidence is impossible as well, but no expansion to a finite depth shows it.
    let never = Model::new().condition(&n, |_| false);
    let answer = lazy.work(1_000_000).run(&never, &n).unwrap();
    assert_eq!(deepening(&answer).ended, DeepeningEnd::Budget);
    assert_eq!(
        answer.log_evidence_bounds().unwrap().lower,
        f64::NEG_INFINITY
    );
    assert_eq!(
        answer.bounds(&n, &0).unwrap(),
        Bounds {
            lower: 0.0,
            upper: 1.0
        }
    );
}

#[test]
fn the_most_likely_value_where_it_is_certain() {
    let n = failures(0.3);
    let lazy = LazyVariableElimination::to_width(0.1)
        .run(&Model::new(), &n)
        .unwrap();
    assert_eq!(lazy.most_likely_value(&n).unwrap(), 0);
    assert!(lazy.summary(&n).unwrap().starts_with("P(0) in [0.30"));
    let shallow = LazyVariableElimination::to_depth(1)
        .run(&Model::new(), &n)
        .unwrap();
    assert!(matches!(
        shallow.most_likely_value(&n),
        Err(Error::NotInAnswer { .. })
    ));
}

#[test]
fn weights_are_bounded_by_their_maximum() {
    let n = failures(0.5);
    let weigh =
        |maximum| Model::new().weigh_at_most(&n, maximum, |&n| if n == 0 { 3.0 } else { 2.0 });
    // The total weight is 3/2 for zero and 1/2 for one, and at most 1/4 times the maximum for all other values.
    let answer = LazyVariableElimination::to_depth(2)
        .run(&weigh(4.0), &n)
        .unwrap();
    let zero = answer.bounds(&n, &0).unwrap();
    holds(zero, 1.5 / 2.5, 0.5);
    assert!((zero.lower - 1.5 / 3.0).abs() < 1e-12 && (zero.upper - 2.5 / 3.0).abs() < 1e-12);
    let evidence = answer.log_evidence_bounds().unwrap();
    holds(evidence, 2.5_f64.ln(), 1.0);
    assert!((evidence.upper - 3.0_f64.ln()).abs() < 1e-12);
}

/// A weight without a known maximum is allowed if the model can be fully expanded.
#[test]
fn weights_without_a_maximum_in_a_model_that_ends() {
    let end = nested(5);
    let model = Model::new().weigh(&end, |&v| if v { 7.0 } else { 0.5 });
    let right = VariableElimination::new().run(&model, &end).unwrap();
    let right = right.probability(&end, &true).unwrap();
    let answer = LazyVariableElimination::to_width(0.2)
        .run(&model, &end)
        .unwrap();
    assert_eq!(deepening(&answer).ended, DeepeningEnd::Complete);
    assert_eq!(answer.probability(&end, &true).unwrap(), right);
    // An element beside the unexpanded part may have any weight.
    let coin = Flip::new(0.5);
    let n = (&coin, &failures(0.5)).map(|(&coin, &n)| u32::from(coin) + n);
    let model = Model::new().weigh(&coin, |&coin| if coin { 7.0 } else { 1.0 });
    let answer = LazyVariableElimination::to_width(1e-9)
        .run(&model, &n)
        .unwrap();
    holds(answer.bounds(&n, &0).unwrap(), 1.0 / 16.0, 1e-9);
}

#[test]
fn a_function_runs_once_however_often_the_model_is_deepened() {
    fn counted(calls: Arc<AtomicUsize>) -> Element<u32> {
        Flip::new(0.5).flat_map(move |&stop| {
            calls.fetch_add(1, Ordering::Relaxed);
            if stop {
                Constant::new(0)
            } else {
                counted(Arc::clone(&calls)).map(|n| n + 1)
            }
        })
    }
    let calls = Arc::new(AtomicUsize::new(0));
    let n = counted(Arc::clone(&calls));
    let answer = LazyVariableElimination::to_width(1e-9)
        .run(&Model::new(), &n)
        .unwrap();
    // In debug builds the function of a `Chain` runs twice for each value, to check that it is pure.
    let once = if cfg!(debug_assertions) { 2 } else { 1 };
    assert_eq!(
        calls.load(Ordering::Relaxed),
        once * 2 * deepening(&answer).depth
    );
}

/// Returns whether the die shows a positive number, after a number of nested levels.
fn slowly(die: Element<u32>, levels: u32) -> Element<bool> {
    match levels {
        0 => die.map(|&n| n > 0),
        _ => Constant::new(()).flat_map(move |()| slowly(die.clone(), levels - 1)),
    }
}

/// A function fails for a value that may still be excluded by the unexpanded part.
#[test]
fn failures_that_are_not_decided_yet_are_no_errors() {
    let die = Uniform::new(0..4u32).named("die");
    let share = die.map(|&n| 12 / n).named("share");
    let model = Model::new().observe(&slowly(die.clone(), 3), true);
    for depth in 0..5 {
        let answer = LazyVariableElimination::to_depth(depth)
            .run(&model, &share)
            .unwrap();
        let complete = deepening(&answer).ended == DeepeningEnd::Complete;
        assert_eq!(complete, depth >= 3);
        holds(
            answer.bounds(&share, &6).unwrap(),
            1.0 / 3.0,
            if complete { 0.0 } else { 1.0 },
        );
    }
    // If no evidence can exclude the value, the failure is an error at once, however little of the model is expanded.
    let endless = Model::new().observe(&die, 0);
    let target = (&share, &failures(0.5)).map(|(a, b)| a + b);
    let error = LazyVariableElimination::to_depth(1)
        .run(&endless, &target)
        .unwrap_err();
    assert!(
        matches!(error, Error::Model(ModelError::Function { .. })),
        "{error}"
    );
    let either = Model::new();
    let error = LazyVariableElimination::to_depth(3)
        .run(&either, &target)
        .unwrap_err();
    assert!(
        matches!(error, Error::Model(ModelError::Function { .. })),
        "{error}"
    );
}

/// Returns the number of tosses of a coin, each of which takes some time.
fn slow(moment: Duration) -> Element<u32> {
    Flip::new(0.1).flat_map(move |&stop| {
        std::thread::sleep(moment);
        if stop {
            Constant::new(0)
        } else {
            slow(moment).map(|n| n + 1)
        }
    })
}

#[test]
fn a_deadline_ends_with_the_bounds_so_far() {
    let n = slow(Duration::from_millis(1));
    let lazy = LazyVariableElimination::to_width(0.0).work(u64::MAX);
    let began = Instant::now();
    let deadline = Duration::from_millis(300);
    let answer = lazy
        .clone()
        .deadline(deadline)
        .run(&Model::new(), &n)
        .unwrap();
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(
        deepening(&answer).ended,
        DeepeningEnd::Stopped(Stopped::Deadline)
    );
    holds(answer.bounds(&n, &2).unwrap(), 0.1 * 0.9 * 0.9, 1.0);
    assert_eq!(answer.sampling().unwrap().stopped, Stopped::Deadline);
    assert!(!answer.diagnose().is_clean());
    assert!(
        answer
            .summary(&n)
            .unwrap()
            .ends_with("where it was stopped")
    );
    let none = lazy.deadline(Duration::ZERO).run(&Model::new(), &n);
    assert!(matches!(none, Err(Error::NothingDone { .. })), "{none:?}");
}

#[test]
fn an_interrupt_ends_a_depth_that_was_asked_for() {
    let lazy = LazyVariableElimination::to_depth(5);
    let lazy = lazy.interrupt(Arc::new(AtomicBool::new(true)));
    let none = lazy.run(&Model::new(), failures(0.2));
    assert!(matches!(none, Err(Error::NothingDone { .. })), "{none:?}");
}

/// Regression test: if the tables of a depth exceeded the budget there was no answer, although a smaller depth has bounds.
#[test]
fn a_depth_that_the_budget_refuses_has_the_bounds_of_the_last_that_it_allows() {
    let odd = odd_leaves(0.4);
    let bounds = |depth: usize| {
        let limits = Limits::default().elements(2_000);
        let lazy = LazyVariableElimination::to_depth(depth).limits(limits);
        let answer = lazy.run(&Model::new(), &odd).unwrap();
        let found = answer.bounds(&odd, &true).unwrap();
        (deepening(&answer), found)
    };
    let (far, last) = bounds(1 << 20);
    assert_eq!(far.ended, DeepeningEnd::Budget);
    assert!(far.depth >= 3, "{}", far.depth);
    let (near, same) = bounds(far.depth);
    assert_eq!((near.depth, near.ended), (far.depth, DeepeningEnd::Depth));
    assert_eq!(last, same);
    assert_eq!(bounds(far.depth + 1).0.depth, far.depth);
}
