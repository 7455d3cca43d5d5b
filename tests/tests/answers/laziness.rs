//! Tests of laziness: evaluation on demand, the number of calls of functions, and models with deep or infinite worlds.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use figrs::prelude::*;
use figrs::{LazyVariableElimination, Limits, ModelError, Recursive};
use figrs_tests::reference_models::failures;

/// In debug builds the function of a `Chain` runs twice for each value, to check that it is pure.
const ONCE: usize = if cfg!(debug_assertions) { 2 } else { 1 };

/// Counts the calls of a function.
#[derive(Clone, Default)]
struct Calls(Arc<AtomicUsize>);

impl Calls {
    fn note(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of calls since this method was last called.
    fn taken(&self) -> usize {
        self.0.swap(0, Ordering::Relaxed)
    }
}

/// A `Chain` that counts the calls of its function.
fn counted(parent: &Element<u32>) -> (Element<bool>, Calls) {
    let calls = Calls::default();
    let own = calls.clone();
    let chain = parent.flat_map(move |&n| {
        own.note();
        Flip::new(1.0 / f64::from(n + 2))
    });
    (chain, calls)
}

fn everyone() -> [Box<dyn Algorithm>; 5] {
    algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        LazyVariableElimination::to_width(0.0),
        MpeVariableElimination::new(),
        ImportanceSampling::new(2000).threads(NonZero::<usize>::MIN),
    ]
}

/// Number of worlds that a sampler runs first, to find the size of worlds.
const PILOT: usize = 8;

/// Checks the number of calls of a function. A sampler may call the function again in its first worlds, whose size it measures.
fn check(calls: &Calls, expected: usize, algorithm: &dyn Algorithm) {
    check_with_pilot(calls, expected, expected, algorithm);
}

/// Checks the number of calls of a function: `expected`, plus up to `first` further calls by a sampler in its first worlds, whose size it measures.
fn check_with_pilot(calls: &Calls, expected: usize, first: usize, algorithm: &dyn Algorithm) {
    let again = usize::from(algorithm.name() == "ImportanceSampling");
    let (taken, allowed) = (calls.taken(), expected..=expected + again * first);
    assert!(
        allowed.contains(&taken),
        "{}: {taken}, not {allowed:?}",
        algorithm.name()
    );
}

#[test]
fn a_function_runs_once_for_each_value() {
    let (chain, calls) = counted(&Uniform::new(0..3));
    for algorithm in everyone() {
        algorithm.run(&Model::new(), &chain).unwrap();
        check(&calls, 3 * ONCE, &*algorithm);
    }
}

#[test]
fn a_function_runs_for_the_observed_value_only() {
    let parent = Uniform::new(0..1000);
    let (chain, calls) = counted(&parent);
    let model = Model::new().observe(&parent, 7);
    for algorithm in everyone() {
        algorithm.run(&model, &chain).unwrap();
        check(&calls, ONCE, &*algorithm);
    }
}

#[test]
fn a_function_runs_for_the_intervened_value_only() {
    let parent = Uniform::new(0..1000);
    let (chain, calls) = counted(&parent);
    let (grandchild, later) = counted(&chain.map(|&b| u32::from(b)));
    let model = Model::new().intervene(&parent, 7);
    for algorithm in everyone() {
        algorithm.run(&model, &grandchild).unwrap();
        check(&calls, ONCE, &*algorithm);
        check(&later, 2 * ONCE, &*algorithm);
        algorithm
            .run(&model.clone().intervene(&chain, true), &grandchild)
            .unwrap();
        check(&calls, 0, &*algorithm);
        check(&later, ONCE, &*algorithm);
    }
}

#[test]
fn a_function_that_no_query_needs_never_runs() {
    let parent = Uniform::new(0..3);
    let (_beside, calls) = counted(&parent);
    let model = Model::new().condition(&parent, |&n| n > 0);
    for algorithm in everyone() {
        algorithm.run(&model, &parent).unwrap();
        check(&calls, 0, &*algorithm);
    }
}

#[test]
fn a_function_in_a_branch_not_taken_never_runs() {
    let test = Flip::new(0.5);
    let (inner, calls) = counted(&Uniform::new(0..3));
    let outer = If::new(&test, &inner, Constant::new(true));
    for (value, runs) in [(false, 0), (true, 3 * ONCE)] {
        let model = Model::new().observe(&test, value);
        for algorithm in everyone() {
            algorithm.run(&model, &outer).unwrap();
            // A branch that is not itself a random choice is evaluated once for each world that takes it, if few worlds do.
            let first = if value { PILOT * ONCE } else { 0 };
            check_with_pilot(&calls, runs, first, &*algorithm);
        }
    }
}

/// Returns the number of successes before a failure: here the first world that an enumeration tries never ends.
fn successes() -> Element<u32> {
    Flip::new(0.8).flat_map(|&go_on| {
        if go_on {
            successes().map(|n| n + 1)
        } else {
            Constant::new(0)
        }
    })
}

#[test]
fn sampling_answers_about_a_model_without_end() {
    let n = failures(0.2);
    let answer = ImportanceSampling::new(100_000)
        .seed(5)
        .run(&Model::new(), &n)
        .unwrap();
    for k in 0..8 {
        let right = 0.2 * 0.8_f64.powi(k);
        let k = k.unsigned_abs();
        let found = answer.probability(&n, &k).unwrap();
        // Five standard errors give one false alarm in two million pairs of a seed and a value.
        assert!(
            (found - right).abs() < 5.0 * answer.standard_error(&n, &k).unwrap(),
            "{k}: {found}"
        );
    }
    assert!((answer.mean(&n).unwrap() - 4.0).abs() < 0.08);
}

/// Returns the error of an exact algorithm on a model with infinitely many worlds, and checks that the error comes soon.
fn refusal(algorithm: &dyn Algorithm, endless: &Element<u32>) -> Error {
    const LONG: Duration = Duration::from_secs(20);
    let start = Instant::now();
    let error = algorithm.run(&Model::new(), endless).unwrap_err();
    let took = start.elapsed();
    assert!(took < LONG, "{} took {took:?}", algorithm.name());
    error
}

#[test]
fn elimination_refuses_a_model_without_end() {
    for algorithm in algorithms![VariableElimination::new(), MpeVariableElimination::new()] {
        for endless in [failures(0.2), successes()] {
            let error = refusal(&*algorithm, &endless);
            assert!(
                matches!(error, Error::Model(ModelError::TooDeep { .. })),
                "{error}"
            );
        }
    }
}

#[test]
fn enumeration_refuses_a_model_without_end() {
    let error = refusal(&Enumerate::new().max_elements(100_000), &successes());
    assert!(
        matches!(error, Error::Model(ModelError::TooManyElements { .. })),
        "{error}"
    );
    let error = refusal(&Enumerate::new().max_worlds(1000), &failures(0.2));
    assert_eq!(
        error,
        Error::TooManyWorlds {
            worlds: 1000,
            evaluations: None
        }
    );
}

/// In worlds that grow without end, the number of evaluations is limited over all worlds together.
#[test]
fn enumeration_refuses_worlds_that_grow() {
    let error = refusal(&Enumerate::new().max_evaluations(1_000_000), &failures(0.2));
    assert!(
        matches!(error, Error::TooManyWorlds { evaluations: Some(1_000_000), worlds } if worlds > 100),
        "{error}"
    );
}

/// Runs a function in a thread with a stack of the default size for threads.
fn in_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(2 << 20).spawn(run);
    thread.unwrap().join().unwrap();
}

fn run_and_drop(deep: Element<bool>, depth: usize, right: f64) {
    let limits = Limits::default().depth(depth);
    let sampling = ImportanceSampling::new(1);
    sampling.run(&Model::new(), &deep).unwrap();
    let answer = VariableElimination::new()
        .limits(limits)
        .run(&Model::new(), &deep)
        .unwrap();
    let found = answer.probability(&deep, &true).unwrap();
    assert!((found - right).abs() < 1e-9, "{found} is not {right}");
    drop((answer, deep));
}

#[test]
fn a_chain_of_two_hundred_thousand_elements() {
    in_a_small_stack(|| {
        let mut last = Flip::new(0.5);
        for _ in 0..100_000 {
            last = last.map(|&b| !b);
            last = last.flat_map(|&b| Flip::new(if b { 0.9 } else { 0.2 }));
        }
        // The expected value is the fixed point of p = 0.9 (1 - p) + 0.2 p.
        run_and_drop(last, 10, 0.9 / 1.7);
    });
}

/// True if the first coin that shows heads among `left` coins is at an even position, or if no coin shows heads.
fn even(left: u32) -> Element<bool> {
    Flip::new(0.3).flat_map(move |&heads| match left {
        _ if heads => Constant::new(left.is_multiple_of(2)),
        0 => Constant::new(true),
        _ => even(left - 1),
    })
}

const NESTED: usize = 100_000;

#[test]
fn a_hundred_thousand_chains_nested_as_they_are_reached() {
    in_a_small_stack(|| run_and_drop(even(NESTED as u32), NESTED + 10, 0.3 / (1.0 - 0.49)));
}

/// Nested calls need no recursion on the stack, neither for the function nor for the library.
#[test]
fn twenty_thousand_calls_nested() {
    const CALLS: u32 = 20_000;
    in_a_small_stack(|| {
        let even = Recursive::new(|call, &left: &u32| {
            Flip::new(0.3).flat_map(move |&heads| match left {
                _ if heads => Constant::new(left.is_multiple_of(2)),
                0 => Constant::new(true),
                _ => call(left - 1),
            })
        });
        run_and_drop(even.call(CALLS), 2 * NESTED, 0.3 / (1.0 - 0.49));
        let flipped = Recursive::new(|call, &left: &u32| match left {
            0 => Flip::new(0.25),
            _ => call(left - 1).map(|b| !b),
        });
        run_and_drop(flipped.call(CALLS), NESTED, 0.25);
    });
}

/// An exact algorithm runs a body twice for each argument, to find out which elements the body creates.
#[test]
fn a_body_runs_twice_for_each_argument() {
    const DEPTH: u32 = 40;
    let calls = Calls::default();
    let own = calls.clone();
    let sum = Recursive::new(move |call, &depth: &u32| {
        own.note();
        match depth {
            0 => Flip::new(0.5),
            _ => call(depth - 1).and(&call(depth - 1)),
        }
    });
    let all = sum.call(DEPTH);
    for algorithm in algorithms![VariableElimination::new(), MpeVariableElimination::new()] {
        algorithm.run(&Model::new(), &all).unwrap();
        assert_eq!(calls.taken(), 2 * ONCE * (DEPTH as usize + 1));
    }
}

/// The chains are eliminated once with all levels expanded, and once without the last level.
#[test]
fn lazy_elimination_of_chains_nested_deeply() {
    const LEVELS: usize = 20_000;
    in_a_small_stack(|| {
        let deep = even(LEVELS as u32);
        let limits = Limits::default().depth(LEVELS + 10);
        for depth in [LEVELS, LEVELS + 5] {
            let lazy = LazyVariableElimination::to_depth(depth)
                .limits(limits.clone())
                .work(u64::MAX);
            let answer = lazy.run(&Model::new(), &deep).unwrap();
            let bounds = answer.bounds(&deep, &true).unwrap();
            assert!((bounds.lower - 0.3 / 0.51).abs() < 1e-9 && bounds.width() < 1e-9);
        }
    });
}

#[test]
fn a_hundred_thousand_chains_nested_as_they_are_built() {
    in_a_small_stack(|| {
        let mut nested = Constant::new(true);
        for left in 0..=NESTED {
            nested = If::new(
                &Flip::new(0.3),
                Constant::new(left.is_multiple_of(2)),
                nested,
            );
        }
        run_and_drop(nested, NESTED + 10, 0.3 / (1.0 - 0.49));
    });
}

/// The limit on elements holds for each world, not for the number of different elements that all worlds reach together.
#[test]
fn the_limit_on_elements_is_of_one_world() {
    let n = Uniform::new(0..1000u32);
    let coin = n.flat_map(|&n| Flip::new(f64::from(n) / 1000.0));
    for algorithm in algorithms![
        Enumerate::new().max_elements(100),
        ImportanceSampling::new(5000).max_elements(100)
    ] {
        assert!(algorithm.run(&Model::new(), &coin).is_ok());
    }
}

/// A value that contains elements.
#[derive(Clone, Debug, Value)]
enum List {
    Empty,
    Cons(Element<char>, Element<List>),
}

/// The lazy list of Figaro, in which the rest of the list is in the value of a Constant.
fn letters() -> Element<List> {
    Flip::new(0.5).flat_map(|&empty| {
        Constant::new(if empty {
            List::Empty
        } else {
            List::Cons(Select::new([(0.6, 'a'), (0.4, 'b')]), letters())
        })
    })
}

fn holds(wanted: char, list: &Element<List>) -> Element<bool> {
    list.flat_map(move |list| match list {
        List::Empty => Constant::new(false),
        List::Cons(head, tail) => {
            If::new(&head.is(wanted), Constant::new(true), holds(wanted, tail))
        }
    })
}

/// The probability satisfies p = 0.5 (0.4 + 0.6 p), so p = 2/7.
#[test]
fn lists_in_values_are_drawn_as_far_as_worlds_reach() {
    let found = holds('b', &letters());
    for algorithm in algorithms![
        ForwardSampling::new(20_000).seed(1).max_bytes(100 << 20),
        ImportanceSampling::new(20_000).seed(2).max_bytes(100 << 20),
    ] {
        let answer = algorithm.run(&Model::new(), &found).unwrap();
        let p = answer.probability(&found, &true).unwrap();
        // Five standard errors give a false alarm in one of two million seeds.
        let allowed = 5.0 * (2.0 / 7.0 * 5.0 / 7.0 / 20_000.0_f64).sqrt();
        assert!((p - 2.0 / 7.0).abs() < allowed, "{}: {p}", algorithm.name());
    }
}

/// A function that captures nothing creates different elements at each call, even if the elements are contained in values.
#[test]
fn elements_in_values_are_each_their_own() {
    let coin = || {
        Flip::new(0.5).flat_map(|&empty| {
            Constant::new(if empty {
                List::Empty
            } else {
                let letter = Select::new([(0.5, 'a'), (0.5, 'b')]);
                List::Cons(letter, Constant::new(List::Empty))
            })
        })
    };
    let letter = |list: &Element<List>| {
        list.flat_map(|list| match list {
            List::Empty => Constant::new('-'),
            List::Cons(head, _) => head.clone(),
        })
    };
    let (a, b) = (letter(&coin()), letter(&coin()));
    let pair = (&a, &b).map(|(a, b)| format!("{a}{b}"));
    let exact = |pair: &str| {
        pair.chars()
            .map(|c| if c == '-' { 0.5 } else { 0.25 })
            .product::<f64>()
    };
    for (algorithm, allowed) in [
        (&VariableElimination::new() as &dyn Algorithm, 1e-12),
        (&Enumerate::new(), 1e-12),
        // Five standard errors at most give a false alarm in one of two million seeds.
        (
            &ForwardSampling::new(20_000).seed(3),
            5.0 * (0.25 / 20_000.0_f64).sqrt(),
        ),
    ] {
        let answer = algorithm.run(&Model::new(), &pair).unwrap();
        for text in ["--", "-a", "aa", "ab", "bb"] {
            let p = answer.probability(&pair, &text.to_string()).unwrap();
            assert!(
                (p - exact(text)).abs() < allowed,
                "{}: {text} {p}",
                algorithm.name()
            );
        }
    }
}
