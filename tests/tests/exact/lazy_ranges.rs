//! Tests of lazy bounds for elements with infinitely many values, and of bounds of expectations.

use figrs::prelude::*;
use figrs::{Bounds, Deepening, DeepeningEnd, Recursive};
use figrs::{Geometric, LazyVariableElimination};

#[track_caller]
fn encloses(bounds: Bounds, right: f64, width: f64) {
    let slack = 1e-12 * right.abs();
    let inside = bounds.lower - slack <= right && right <= bounds.upper + slack;
    assert!(inside && bounds.width() <= width, "{bounds:?}, {right}");
}

#[test]
fn counts_have_as_many_values_as_the_width_needs() {
    let (calls, noise) = (Poisson::new(15.0), Poisson::new(1.0));
    let sum = (&calls, &noise).map(|(a, b)| a + b);
    let poisson = |rate: f64, n: u64| {
        let log = n as f64 * rate.ln() - rate - (1..=n).map(|k| (k as f64).ln()).sum::<f64>();
        log.exp()
    };
    let answer = LazyVariableElimination::to_width(1e-6)
        .run(&Model::new(), &sum)
        .unwrap();
    let Deepening { range, ended, .. } = answer.deepening().unwrap();
    assert_eq!((range, ended), (64, DeepeningEnd::Width));
    encloses(answer.bounds(&sum, &16).unwrap(), poisson(16.0, 16), 1e-6);
    // Given the sum, the first number is binomial.
    let given = Model::new().observe(&sum, 20);
    let answer = LazyVariableElimination::to_width(1e-6).run(&given, &calls);
    let binomial = (0..20).map(|i| (20.0 - f64::from(i)) / (f64::from(i) + 1.0));
    let choose_18 = binomial.take(18).product::<f64>();
    let right = choose_18 * (15.0_f64 / 16.0).powi(18) * (1.0_f64 / 16.0).powi(2);
    encloses(answer.unwrap().bounds(&calls, &18).unwrap(), right, 1e-6);
}

#[test]
fn bounds_of_expectations_enclose_and_shrink() {
    for p in [0.1, 0.5, 0.8] {
        let n = Geometric::failures(p);
        let even = Model::new().condition(&n, |n| n % 2 == 0);
        let ratio = (1.0 - p) * (1.0 - p);
        let mut last = Bounds {
            lower: 0.0,
            upper: f64::INFINITY,
        };
        for range in [1, 2, 4, 8, 16, 64, 256] {
            let answer = LazyVariableElimination::to_depth(0).range(range);
            let answer = answer.run(&even, &n).unwrap();
            // The expectation of s^n given that n is even.
            let power = answer
                .expectation_bounds(&n, |&n| 0.9_f64.powf(n as f64), 0.0..=1.0)
                .unwrap();
            let right = (1.0 - ratio) / (1.0 - 0.81 * ratio);
            encloses(power, right, 1.0);
            assert!(power.lower >= last.lower - 1e-12 && power.upper <= last.upper + 1e-12);
            last = power;
            let mean = answer.expectation_bounds(&n, |&n| n as f64, 0.0..=f64::INFINITY);
            let mean = mean.unwrap();
            let exact = 2.0 * ratio / (1.0 - ratio);
            assert!(mean.lower <= exact * (1.0 + 1e-12) && mean.upper >= exact);
        }
        assert!(last.width() < 1e-9, "{last}");
    }
}

/// A grammar with rates that are counts, in bodies of recursive calls.
#[test]
fn counts_in_recursive_calls_are_raised_too() {
    let queue = Recursive::new(|call, &(): &()| -> Element<u64> {
        let own = Poisson::new(0.5);
        Flip::new(0.4).flat_map(move |&more| {
            if more {
                (&own, &call(())).map(|(a, b)| (*a + *b).min(4))
            } else {
                own.map(|n| (*n).min(4))
            }
        })
    });
    let total = queue.call(());
    let answer = LazyVariableElimination::to_width(1e-4)
        .run(&Model::new(), &total)
        .unwrap();
    assert_eq!(answer.deepening().unwrap().ended, DeepeningEnd::Width);
    // No arrivals in N steps, where N is geometric.
    let none = (-0.5_f64).exp();
    let right = 0.6 * none / (1.0 - 0.4 * none);
    encloses(answer.bounds(&total, &0).unwrap(), right, 1e-4);
}

#[test]
fn observed_counts_need_no_range() {
    let rate = Uniform::new([1.0, 4.0]);
    let seen = Poisson::new(&rate);
    let model = Model::new().observe(&seen, 3);
    let lazy = LazyVariableElimination::new().run(&model, &rate).unwrap();
    assert_eq!(lazy.deepening().unwrap().ended, DeepeningEnd::Complete);
    let exact = VariableElimination::new().run(&model, &rate).unwrap();
    let [p, q] = [&lazy, &exact].map(|answer| answer.probability(&rate, &4.0).unwrap());
    assert!((p - q).abs() < 1e-15);
    let bounds = lazy.expectation_bounds(&rate, |r| *r, 0.0..=9.0).unwrap();
    assert_eq!(bounds.width(), 0.0);
}
