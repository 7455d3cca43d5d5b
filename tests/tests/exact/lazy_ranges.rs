//! Tests of lazy bounds for elements with infinitely many values, and of bounds of expectations.

use figrs::prelude::*;
use figrs::{Bounds, Deepening, DeepeningEnd, ModelError, Quality, Recursive};
use figrs::{Geometric, LazyVariableElimination, LogNormal, Scale};

use crate::lazy_bounds::holds;

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
    holds(answer.bounds(&sum, &16).unwrap(), poisson(16.0, 16), 1e-6);
    // Given the sum, the first number is binomial.
    let given = Model::new().observe(&sum, 20);
    let answer = LazyVariableElimination::to_width(1e-6).run(&given, &calls);
    let binomial = (0..20).map(|i| (20.0 - f64::from(i)) / (f64::from(i) + 1.0));
    let choose_18 = binomial.take(18).product::<f64>();
    let right = choose_18 * (15.0_f64 / 16.0).powi(18) * (1.0_f64 / 16.0).powi(2);
    holds(answer.unwrap().bounds(&calls, &18).unwrap(), right, 1e-6);
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
            holds(power, right, 1.0);
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
    holds(answer.bounds(&total, &0).unwrap(), right, 1e-4);
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

/// A random walk over three states that ends with some probability in each state, as a recursive function.
fn walk(rows: [[f64; 4]; 3]) -> Recursive<usize, usize> {
    Recursive::new(move |call, &state: &usize| -> Element<usize> {
        let choices = (0..4).map(|next| (rows[state][next], next));
        Select::new(choices.collect::<Vec<_>>()).flat_map(move |&next| match next {
            3 => Constant::new(state),
            _ => call(next),
        })
    })
}

/// Bounds of probabilities and of expectations in random infinite models enclose the limit of a deep truncation, and shrink with the depth.
#[test]
fn bounds_in_random_infinite_models_enclose_and_shrink() {
    let mut seed = 7u64;
    let mut random = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        (seed >> 40) as f64 / f64::from(1 << 24)
    };
    for _ in 0..30 {
        let rows = [0; 3].map(|_| {
            let row = [0; 4].map(|_| random() + 0.02);
            let sum: f64 = row.iter().sum();
            row.map(|p| p / sum)
        });
        // The probabilities of the last state, for walks of at most 3000 steps.
        let mut last_state = [[0.0; 3]; 3];
        for _ in 0..3000 {
            last_state = std::array::from_fn(|from| {
                std::array::from_fn(|end| {
                    let on = (0..3).map(|next| rows[from][next] * last_state[next][end]);
                    let here = if end == from { rows[from][3] } else { 0.0 };
                    here + on.sum::<f64>()
                })
            });
        }
        let walk = walk(rows);
        let (first, second) = (walk.call(0), walk.call(1));
        // At least one walk does not end in the last state.
        let both = (&first, &second).map(|(a, b)| (*a, *b));
        let model = Model::new().condition(&both, |&(a, b)| a < 2 || b < 2);
        let p = |a: usize, b: usize| last_state[0][a] * last_state[1][b];
        let pairs = || {
            (0..9)
                .map(|i| (i / 3, i % 3))
                .filter(|&(a, b)| a < 2 || b < 2)
        };
        let total: f64 = pairs().map(|(a, b)| p(a, b)).sum();
        let square = |a: usize| (a * a) as f64;
        let mean = pairs().map(|(a, b)| p(a, b) * square(a)).sum::<f64>() / total;
        let one = pairs().filter(|&(a, _)| a == 1).map(|(a, b)| p(a, b));
        let one = one.sum::<f64>() / total;
        let mut last = [[0.0, 1.0], [0.0, 4.0]];
        for depth in [0, 1, 2, 3, 5, 8, 30, 80] {
            let answer = LazyVariableElimination::to_depth(depth);
            let answer = answer.run(&model, &first).unwrap();
            let found = [
                answer.bounds(&first, &1).unwrap(),
                answer
                    .expectation_bounds(&first, |&a| square(a), 0.0..=4.0)
                    .unwrap(),
            ];
            for ((found, right), last) in found.iter().zip([one, mean]).zip(&mut last) {
                holds(*found, right, 4.0);
                assert!(found.lower >= last[0] - 1e-12 && found.upper <= last[1] + 1e-12);
                *last = [found.lower, found.upper];
            }
        }
        assert!(
            last.iter().all(|[lower, upper]| upper - lower < 1.0),
            "{last:?}"
        );
    }
}

/// Returns the standard normal distribution function.
fn phi(x: f64) -> f64 {
    use statrs::distribution::ContinuousCDF;
    statrs::distribution::Normal::standard().cdf(x)
}

/// A mixture of two normal numbers whose weight has a Beta prior, given that the number is positive.
fn refined() -> (Model, Element<f64>, f64) {
    let weight = Beta::new(2.0, 3.0);
    let first = Flip::new(&weight);
    let number = If::new(
        &first,
        Normal::new(0.0, Variance(1.0)),
        Normal::new(1.0, Variance(1.0)),
    );
    let model = Model::new().condition(&number, |x| *x > 0.0);
    let mean = (0.5 * 0.2 + phi(1.0) * 0.2) / (0.5 * 0.4 + phi(1.0) * 0.6);
    (model, weight, mean)
}

#[test]
fn finer_cells_close_in_on_a_continuous_posterior() {
    let (model, weight, mean) = refined();
    assert!((mean - 0.380_628).abs() < 1e-6);
    let mut last = Bounds {
        lower: 0.0,
        upper: 1.0,
    };
    for cells in [1, 4, 16, 64, 256] {
        let lazy = LazyVariableElimination::to_depth(10).range(cells);
        let answer = lazy.run(&model, &weight).unwrap();
        let bounds = answer
            .expectation_bounds(&weight, |w| *w, 0.0..=1.0)
            .unwrap();
        holds(bounds, mean, 1.0);
        assert!(bounds.lower >= last.lower - 1e-12 && bounds.upper <= last.upper + 1e-12);
        last = bounds;
        let small = answer.bounds_that(&weight, |&w| w < 0.5).unwrap();
        let Quality::Bounds { width } = answer.quality(&weight).unwrap() else {
            panic!("the answer has bounds");
        };
        assert!(small.width() <= width + 1e-12, "{small} {width}");
        assert_eq!(answer.bounds(&weight, &2.0).unwrap().upper, 0.0);
    }
    assert!(last.width() < 0.02, "{last}");
}

/// The probability of a success is unknown and continuous, and a function without end counts failures modulo three.
#[test]
fn an_expectation_in_an_infinite_and_continuous_model_is_enclosed() {
    fn failures(p: &Element<f64>) -> Element<u32> {
        let own = p.clone();
        Flip::new(p).flat_map(move |&success| {
            if success {
                Constant::new(0)
            } else {
                failures(&own).map(|n| (n + 1) % 3)
            }
        })
    }
    let p = Beta::new(1.0, 5.0);
    let model = Model::new().observe(&failures(&p), 0);
    let (mut sum, mut total) = (0.0, 0.0);
    for i in 0..100_000 {
        let x = (f64::from(i) + 0.5) / 1e5;
        let q = 1.0 - x;
        let weight = q.powi(4) / (1.0 + q + q * q);
        (sum, total) = (sum + weight * x, total + weight);
    }
    let mut last = 1.0;
    for (depth, cells) in [(4, 8), (12, 16), (24, 32)] {
        let lazy = LazyVariableElimination::to_depth(depth).range(cells);
        let answer = lazy.run(&model, &p).unwrap();
        let bounds = answer.expectation_bounds(&p, |p| *p, 0.0..=1.0).unwrap();
        holds(bounds, sum / total, 0.99 * last);
        last = bounds.width();
    }
}

#[test]
fn functions_of_continuous_elements_are_enclosed() {
    let (x, y) = (
        Normal::new(0.0, Variance(1.0)),
        Normal::new(0.5, Variance(1.0)),
    );
    let larger = x.less_than(&y);
    let answer = LazyVariableElimination::to_depth(5)
        .range(32)
        .run(&Model::new(), &larger);
    let right = phi(0.5 / 2.0_f64.sqrt());
    holds(answer.unwrap().bounds(&larger, &true).unwrap(), right, 0.1);
    // Counts whose rate is continuous: a Gamma mixture of Poisson numbers is negative binomial.
    let rate = Gamma::new(2.0, Scale(1.0));
    let calls = Poisson::new(&rate);
    let lazy = LazyVariableElimination::to_depth(5).range(128);
    let answer = lazy.run(&Model::new(), &calls).unwrap();
    for (n, right) in [(0, 0.25), (1, 0.25), (2, 3.0 / 16.0)] {
        holds(answer.bounds(&calls, &n).unwrap(), right, 0.1);
    }
    // Given two calls, the rate has a Gamma distribution with mean two.
    let seen = Model::new().observe(&calls, 2);
    let answer = lazy.run(&seen, &rate).unwrap();
    let tail = answer.bounds_that(&rate, |&r| r > 2.0).unwrap();
    let right = (-4.0_f64).exp() * (1.0 + 4.0 + 8.0 + 64.0 / 6.0);
    holds(tail, right, 0.3);
}

/// A density of an observed number has no bounds over a cell, so that the element is refused as before.
#[test]
fn densities_over_cells_are_refused() {
    let mean = Normal::new(0.0, Variance(1.0)).named("mean");
    let seen = Normal::new(&mean, Variance(1.0));
    let model = Model::new().observe(&seen, 0.3);
    let refused = LazyVariableElimination::to_depth(5).run(&model, &mean);
    let is_refused = matches!(&refused, Err(Error::Model(ModelError::NotFinite { .. })));
    assert!(is_refused, "{refused:?}");
    // A soft weight that differs within a cell needs a maximum.
    let weighed = Model::new().weigh(&mean, |x| 1.0 / (1.0 + x * x));
    let refused = LazyVariableElimination::to_depth(5).run(&weighed, &mean);
    let is_refused = matches!(&refused, Err(Error::Model(ModelError::Unbounded { .. })));
    assert!(is_refused, "{refused:?}");
}

#[test]
fn bounds_that_rely_on_monotone_functions_say_so() {
    let assumes = |model: &Model, target: &Element<bool>| {
        let answer = LazyVariableElimination::to_width(0.1).run(model, target);
        answer.unwrap().deepening().unwrap().assumes_monotone
    };
    let x = ContinuousUniform::new(0.0, 1.0);
    let half = Constant::new(0.5);
    // Linear functions and comparisons of elements are known to be monotone; of a closure nothing is known.
    assert!(!assumes(&Model::new(), &(&x * 2.0).less_than(&half)));
    assert!(assumes(&Model::new(), &x.map(|x| (x * 9.0).sin() > 0.0)));
    let answer = LazyVariableElimination::to_width(0.1)
        .run(&Model::new(), x.map(|x| *x > 0.3))
        .unwrap();
    assert!(answer.to_string().contains("if functions are monotone"));
}

/// At the points that are tried, the evidence does not hold; this proves nothing.
#[test]
fn evidence_between_the_points_of_cells_is_not_called_impossible() {
    let x = ContinuousUniform::new(0.0, 1.0);
    let model = Model::new().condition(&x, |x| (x - 0.3337).abs() < 1e-4);
    for answer in [
        LazyVariableElimination::to_depth(3).run(&model, &x),
        LazyVariableElimination::to_depth(3).run(&model, ()),
    ] {
        let is_open = matches!(&answer, Err(Error::NoSampleMetEvidence { tried: 256, .. }));
        assert!(is_open, "{answer:?}");
    }
    let above = x.map(|x| *x > 0.3);
    let lazy = LazyVariableElimination::to_width(0.2);
    let answer = lazy.run(&model, &above).unwrap();
    assert!(answer.bounds(&above, &true).unwrap().contains(1.0));
}

/// The parameter of the last cell is wrong, and nothing is known about the value there.
#[test]
fn wrong_parameters_in_a_part_of_a_cell_are_unknown() {
    let rate = LogNormal::new(0.0, Variance(1.0));
    let none = Poisson::new(&rate).map(|n| *n == 0);
    let answer = LazyVariableElimination::to_width(0.05)
        .run(&Model::new(), &none)
        .unwrap();
    let bounds = answer.bounds(&none, &true).unwrap();
    // The expectation of exp(-rate), by the trapezoidal rule over the logarithm of the rate.
    let step = 1e-3;
    let term = |i: i32| {
        let z = f64::from(i) * step;
        (-z.exp() - z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() * step
    };
    let exact: f64 = (-10_000..=10_000).map(term).sum();
    assert!(bounds.contains(exact) && bounds.width() <= 0.05, "{bounds}");
    let wrong = Poisson::new(ContinuousUniform::new(-3.0, -1.0));
    assert!(
        LazyVariableElimination::new()
            .run(&Model::new(), &wrong)
            .is_err()
    );
}

/// The cells of a sum overlap, so that the end of a half-line divides several cells.
#[test]
fn a_width_counts_all_cells_that_a_number_divides() {
    let (x, y) = (
        Normal::new(0.0, Variance(1.0)),
        Normal::new(0.3, Variance(2.0)),
    );
    let sum = (&x, &y).map(|(x, y)| x + y);
    let lazy = LazyVariableElimination::to_width(0.2);
    let answer = lazy.run(&Model::new(), &sum).unwrap();
    let Deepening { ended, .. } = answer.deepening().unwrap();
    assert_eq!(ended, DeepeningEnd::Width);
    let exact = 0.5;
    holds(
        answer.bounds_that(&sum, |sum| *sum < 0.3).unwrap(),
        exact,
        0.2,
    );
    for threshold in [-2.0, -0.5, 0.1, 1.0, 3.0] {
        let bounds = answer.bounds_that(&sum, |sum| *sum < threshold).unwrap();
        assert!(bounds.width() <= 0.2, "{threshold}: {bounds}");
    }
}

/// The function of a value that evidence excludes is not used.
#[test]
fn impossible_values_have_no_part_in_an_expectation() {
    let n = Geometric::failures(0.5);
    let model = Model::new().observe(&n.map(|n| *n > 0), true);
    let answer = LazyVariableElimination::to_width(1e-9)
        .run(&model, &n)
        .unwrap();
    let bounds = answer.expectation_bounds(&n, |&n| 1.0 / n as f64, 0.0..=1.0);
    holds(bounds.unwrap(), std::f64::consts::LN_2, 1e-8);
}
