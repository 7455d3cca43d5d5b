//! Conformance cases with infinitely many worlds, for samplers and lazy bounds.

use figrs::Recursive;
use figrs::prelude::*;
use figrs_tests::reference_models::failures;

use crate::conformance::asked::{
    expectation, probability, probability_of_evidence, probability_that,
};
use crate::conformance::case::Expected::Number;

fn count_from(n: u32) -> Element<u32> {
    Flip::new(0.4).flat_map(move |&stop| {
        if stop {
            Constant::new(n)
        } else {
            count_from(n + 1)
        }
    })
}

/// For a random list, returns whether it contains an `a`, and whether it contains a `b`.
fn letters() -> Element<(bool, bool)> {
    Flip::new(0.5).flat_map(|&end| {
        if end {
            return Constant::new((false, false));
        }
        let head = Select::new([(0.6, 'a'), (0.4, 'b')]);
        (&head, &letters()).map(|(&head, &(a, b))| (a || head == 'a', b || head == 'b'))
    })
}

/// Returns how many of the failures a coin counts.
fn counted(failures: &Element<u32>) -> Element<u32> {
    failures.flat_map(|&n| Binomial::new(n, 0.5))
}

/// As `count_from`, but every step halves the weight of the world.
fn weighed_count_from(n: u32) -> Element<u32> {
    Flip::new(0.4).flat_map(move |&stop| {
        if stop {
            Constant::new(n)
        } else {
            Score::weigh_at_most(&weighed_count_from(n + 1), 0.5, |_| 0.5)
        }
    })
}

cases! {
    recursive_geometric: Number(0.0864), Endless, || {
        probability(Model::new(), &count_from(0), 3)
    };

    endless_calls: Number(0.0864), Endless, || {
        let count = Recursive::new(|call, &n: &u32| {
            Flip::new(0.4).flat_map(move |&stop| if stop { Constant::new(n) } else { call(n + 1) })
        });
        probability(Model::new(), &count.call(0), 3)
    };

    endless_calls_with_one_argument: Number(0.0864), Endless, || {
        let count = Recursive::new(|call, &(): &()| -> Element<u32> {
            Flip::new(0.4).flat_map(move |&stop| {
                if stop { Constant::new(0) } else { call(()).map(|n| n + 1) }
            })
        });
        probability(Model::new(), &count.call(()), 3)
    };

    lazy_list: Number(2.0 / 7.0), Endless, || {
        probability(Model::new(), &letters().map(|&(_, b)| b), true)
    };

    geometric_tail_given_even: Number(0.4096), Endless, || {
        let n = failures(0.2);
        probability_that(Model::new().observe(&n.map(|n| n % 2 == 0), true), &n, |&n| n >= 4)
    };

    geometric_is_even: Number(5.0 / 9.0), Endless, || {
        probability_of_evidence(Model::new().condition(&failures(0.2), |n| n % 2 == 0))
    };

    geometric_given_binomial: Number(0.1296), Endless, || {
        let n = failures(0.2);
        probability(Model::new().observe(&counted(&n), 3), &n, 3)
    };

    /// The weights are 3 for even and 1 for odd numbers, so the result is 5/9 · 3 / (5/9 · 3 + 4/9).
    geometric_weighed: Number(15.0 / 19.0), Endless, || {
        let n = failures(0.2);
        let weighed = Model::new().weigh_at_most(&n, 3.0, |n| if n % 2 == 0 { 3.0 } else { 1.0 });
        probability_that(weighed, &n, |n| n % 2 == 0)
    };

    geometric_mean_given_even: Number(32.0 / 9.0), Endless, || {
        let n = failures(0.2);
        expectation(Model::new().condition(&n, |n| n % 2 == 0), &n, |&n| f64::from(n))
    };

    geometric_then_binomial: Number(8.0 / 81.0), Endless, || {
        probability_of_evidence(Model::new().observe(&counted(&failures(0.2)), 3))
    };

    geometric_mean_given_binomial: Number(17.0 / 3.0), Endless, || {
        let n = failures(0.2);
        expectation(Model::new().observe(&counted(&n), 3), &n, |&n| f64::from(n))
    };

    geometric_with_scores: Number(0.7), Endless, || {
        probability(Model::new(), &weighed_count_from(0), 0)
    };
}
