//! Tests of bounds for discretised elements whose bins are refined: they enclose the closed forms of the continuous models, and shrink.

use figrs::prelude::*;
use figrs::{Bins, Bounds, LazyVariableElimination, ModelError, Rate};
use statrs::distribution::{Beta as BetaLaw, ContinuousCDF, Exp, Normal as NormalLaw};

const INFINITE: f64 = f64::INFINITY;

fn phi(x: f64) -> f64 {
    NormalLaw::standard().cdf(x)
}

/// Returns random numbers between zero and one.
fn numbers() -> impl FnMut() -> f64 {
    let mut seed = 5u64;
    move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f64 / f64::from(1 << 24)
    }
}

/// A continuous number with the probability of a success given the number.
struct Case {
    number: Element<f64>,
    success: fn(f64) -> f64,
    /// The probability that the number is at most `x`.
    prior: Box<dyn Fn(f64) -> f64>,
    /// The probability that the number is at most `x` and that there is a success.
    joint: Box<dyn Fn(f64) -> f64>,
    /// Interval that contains nearly all the probability.
    range: [f64; 2],
}

fn case(kind: usize, random: &mut impl FnMut() -> f64) -> Case {
    match kind {
        0 => {
            let (a, b) = (1.0 + 3.0 * random(), 1.0 + 3.0 * random());
            let law = move |a, x: f64| BetaLaw::new(a, b).unwrap().cdf(x.clamp(0.0, 1.0));
            Case {
                number: Beta::new(a, b),
                success: |x| x,
                prior: Box::new(move |x| law(a, x)),
                joint: Box::new(move |x| law(a + 1.0, x) * a / (a + b)),
                range: [0.0, 1.0],
            }
        }
        1 => {
            let rate = 0.3 + 2.0 * random();
            let law = |rate, x| Exp::new(rate).unwrap().cdf(x);
            Case {
                number: Exponential::new(Rate(rate)),
                success: |x| (-x).exp(),
                prior: Box::new(move |x| law(rate, x)),
                joint: Box::new(move |x| law(rate + 1.0, x) * rate / (rate + 1.0)),
                range: [0.0, 22.0 / rate],
            }
        }
        2 => {
            let upper = 0.2 + 0.8 * random();
            Case {
                number: ContinuousUniform::new(0.0, upper),
                success: |x| 1.0 - x,
                prior: Box::new(move |x| x.clamp(0.0, upper) / upper),
                joint: Box::new(move |x| {
                    let x = x.clamp(0.0, upper);
                    (x - x * x / 2.0) / upper
                }),
                range: [0.0, upper],
            }
        }
        _ => {
            let mean = 2.0 * random() - 1.0;
            Case {
                number: Normal::new(mean, Variance(1.0)),
                success: |x| (-x.max(0.0)).exp(),
                prior: Box::new(move |x| phi(x - mean)),
                // The density times exp(-x) is that of a normal number with a mean lower by one.
                joint: Box::new(move |x| {
                    let tilted = |x: f64| phi(x - mean + 1.0) * (0.5 - mean).exp();
                    let below = phi(x.min(0.0) - mean);
                    below + (tilted(x.max(0.0)) - tilted(0.0)).max(0.0)
                }),
                range: [mean - 9.0, mean + 9.0],
            }
        }
    }
}

/// Returns bins, and the edges of each bin.
fn bins(case: &Case, kind: usize, count: usize) -> (Bins, Vec<[f64; 2]>) {
    let [lower, upper] = case.range;
    let at = |i: usize| i as f64 / count as f64;
    let (bins, edge): (Bins, Box<dyn Fn(usize) -> f64>) = match kind {
        0 => {
            let edge = move |i| lower + (upper - lower) * at(i);
            (Bins::equal_width(lower, upper, count), Box::new(edge))
        }
        1 => {
            let [lower, upper] = [0.2, 0.9].map(|share| lower + (upper - lower) * share);
            let edge = move |i| lower + (upper - lower) * at(i);
            (
                Bins::equal_width_clipped(lower, upper, count),
                Box::new(edge),
            )
        }
        _ => {
            let edge = |i| {
                let (mut low, mut high) = (lower, upper);
                for _ in 0..80 {
                    let middle = f64::midpoint(low, high);
                    let is_below = (case.prior)(middle) < at(i);
                    *(if is_below { &mut low } else { &mut high }) = middle;
                }
                low
            };
            (Bins::quantiles(count), Box::new(edge))
        }
    };
    let end = |i| match i {
        0 => -INFINITE,
        _ if i == count => INFINITE,
        _ => edge(i),
    };
    let ends = (0..count).map(|i| [end(i), end(i + 1)]).collect();
    (bins, ends)
}

#[track_caller]
fn narrows(bounds: Bounds, last: &mut Bounds, right: f64) {
    let is_inside = bounds.lower - 1e-9 <= right && right <= bounds.upper + 1e-9;
    assert!(is_inside, "{bounds:?}, {right}");
    let is_within = last.lower - 1e-9 <= bounds.lower && bounds.upper <= last.upper + 1e-9;
    assert!(is_within, "{bounds:?}, {last:?}");
    *last = bounds;
}

const OPEN: Bounds = Bounds {
    lower: 0.0,
    upper: 1.0,
};

#[test]
fn random_models_with_bins_are_enclosed_and_narrowed() {
    let mut random = numbers();
    for model in 0..12 {
        let case = case(model % 4, &mut random);
        let count = 1 + (random() * 6.0) as usize;
        let (bins, ends) = bins(&case, model / 4 % 3, count);
        let x = case.number.discretised(bins);
        let success = case.success;
        let seen = Flip::new(x.map(move |x| success(*x)));
        let given = Model::new().observe(&seen, true);
        // The values of bins that have positive probability.
        let binned = VariableElimination::new().run(&Model::new(), &x).unwrap();
        let binned = binned.distribution(&x).unwrap();
        let values: Vec<f64> = binned.iter().map(|(value, _)| *value).collect();
        let mass = |of: &dyn Fn(f64) -> f64, [left, right]: [f64; 2]| of(right) - of(left);
        let ends = ends.into_iter();
        let ends: Vec<[f64; 2]> = ends.filter(|&e| mass(&case.prior, e) > 1e-12).collect();
        assert_eq!(ends.len(), values.len(), "{model}");
        let total = mass(&case.joint, [-INFINITE, INFINITE]);
        let mut last = vec![OPEN; values.len() + 1];
        for cells in [1, 8, 64] {
            let lazy = LazyVariableElimination::to_depth(4)
                .range(cells)
                .refine_bins();
            let prior = lazy.run(&Model::new(), &x).unwrap();
            let success = lazy.run(&Model::new(), &seen).unwrap();
            let success = success.bounds(&seen, &true).unwrap();
            narrows(success, &mut last[values.len()], total);
            let answer = lazy.run(&given, &x).unwrap();
            for ((value, &ends), last) in values.iter().zip(&ends).zip(&mut last) {
                // Without evidence, a bin has the exact sum of its cells.
                let known = prior.bounds(&x, value).unwrap();
                let right = mass(&case.prior, ends);
                assert!(
                    known.width() < 1e-9 && (known.lower - right).abs() < 1e-9,
                    "{model} {cells}: {known:?} {right}"
                );
                let bin = answer.bounds(&x, value).unwrap();
                narrows(bin, last, mass(&case.joint, ends) / total);
                // The edges of quantiles are known only up to rounding.
                if model / 4 % 3 < 2 {
                    let [left, right] = ends;
                    let within = answer.bounds_that(&x, |x| left <= *x && *x < right);
                    let within = within.unwrap();
                    let is_same = (within.lower - bin.lower).abs() < 1e-12
                        && (within.upper - bin.upper).abs() < 1e-12;
                    assert!(is_same, "{model} {ends:?}: {within:?} {bin:?}");
                }
            }
            assert_eq!(answer.bounds(&x, &-77.0).unwrap().upper, 0.0);
        }
        let widest = last.iter().map(|bounds| bounds.width()).fold(0.0, f64::max);
        assert!(widest < 0.06, "{model}: {widest}");
    }
}

#[test]
fn a_width_holds_for_sets_of_bins() {
    let x = Normal::new(0.0, Variance(1.0)).discretised(Bins::equal_width(-9.0, 9.0, 6));
    let y = Normal::new(1.0, Variance(1.0)).discretised(Bins::quantiles(3));
    let seen = Flip::new(x.map(|x| phi(*x)));
    let model = Model::new().observe(&seen, true);
    let lazy = LazyVariableElimination::to_width(3e-3).refine_bins();
    let answer = lazy.run(&model, (&x, &y)).unwrap();
    // A second normal number is below the first in a success, so that both orders of the numbers and their signs count.
    let right = 0.25;
    let negative = answer.bounds_that(&x, |x| *x < 0.0).unwrap();
    assert!(
        negative.contains(right) && negative.width() <= 3e-3,
        "{negative}"
    );
    let least = answer.bounds_that(&y, |y| *y < 0.5).unwrap();
    assert!(least.contains(phi(-0.5)), "{least}");
    // Without refinement, the answer is that of the bins.
    let plain = LazyVariableElimination::new().run(&model, &x).unwrap();
    let binned = VariableElimination::new().run(&model, &x).unwrap();
    let [p, q] = [plain, binned].map(|answer| answer.probability(&x, &-1.5).unwrap());
    assert_eq!(p, q);
}

/// An observed value of a discretised element means that its source is in the bin, also for the functions of the element.
#[test]
fn observed_bins_are_refined() {
    let high = Flip::new(0.3);
    let [low, top] = [0.0, 1.0].map(|mean| Normal::new(mean, Variance(1.0)));
    let x = If::new(&high, top, low).discretised(Bins::equal_width(-10.0, 10.0, 20));
    let seen = Flip::new(x.map(|x| (-x.max(0.0)).exp()));
    let model = Model::new().observe(&x, 0.5);
    let bin = |mean: f64| phi(1.0 - mean) - phi(-mean);
    let total = 0.3 * bin(1.0) + 0.7 * bin(0.0);
    // For a positive number, the density times exp(-x) is normal with a mean lower by one.
    let tilted = |mean: f64| bin(mean - 1.0) * (0.5 - mean).exp();
    let right = (0.3 * tilted(1.0) + 0.7 * tilted(0.0)) / total;
    let mut last = OPEN;
    for cells in [1, 8, 64, 256] {
        let lazy = LazyVariableElimination::to_depth(4)
            .range(cells)
            .refine_bins();
        let answer = lazy.run(&model, &seen).unwrap();
        narrows(answer.bounds(&seen, &true).unwrap(), &mut last, right);
        let answer = lazy.run(&model, (&high, &x)).unwrap();
        let cause = answer.bounds(&high, &true).unwrap();
        let right = 0.3 * bin(1.0) / total;
        assert!(
            cause.width() < 1e-9 && (cause.lower - right).abs() < 1e-9,
            "{cause:?} {right}"
        );
        assert_eq!(answer.bounds(&x, &0.5).unwrap(), Bounds::exact(1.0));
    }
    assert!(last.width() < 0.02, "{last}");
    let nothing = Model::new().observe(&x, 0.6);
    let lazy = LazyVariableElimination::to_depth(4).refine_bins();
    let impossible = lazy.run(&nothing, &seen);
    assert!(
        matches!(impossible, Err(Error::ImpossibleEvidence { .. })),
        "{impossible:?}"
    );
}

/// The parameter of a discretised element is in a cell, too.
#[test]
fn bins_with_refined_parameters_are_enclosed() {
    let mean = ContinuousUniform::new(0.0, 1.0).discretised(Bins::equal_width(0.0, 1.0, 2));
    let x = Normal::new(&mean, Variance(1.0)).discretised(Bins::equal_width(-12.0, 12.0, 8));
    let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let sum = |x: f64| x * phi(x) + density(x);
    // The probability that the number is below `c` and the mean is below `m`.
    let joint = |c: f64, m: f64| sum(c) - sum(c - m);
    let bin = |m: f64| joint(3.0, m) - joint(0.0, m);
    let seen = Model::new().observe(&x, 1.5);
    let mut last = [OPEN; 2];
    for cells in [2, 8, 32] {
        let lazy = LazyVariableElimination::to_depth(4)
            .range(cells)
            .refine_bins();
        let answer = lazy.run(&Model::new(), &x).unwrap();
        narrows(answer.bounds(&x, &1.5).unwrap(), &mut last[0], bin(1.0));
        let answer = lazy.run(&seen, &mean).unwrap();
        narrows(
            answer.bounds(&mean, &0.25).unwrap(),
            &mut last[1],
            bin(0.5) / bin(1.0),
        );
    }
    assert!(last.iter().all(|bounds| bounds.width() < 0.05), "{last:?}");
}

/// The number of a bin has a probability in one branch, and a density in the other.
#[test]
fn a_bin_and_a_density_have_no_common_measure() {
    let first = Flip::new(0.5);
    let normal = || Normal::new(0.0, Variance(1.0));
    let bins = Bins::equal_width(-10.0, 10.0, 20);
    let y = If::new(&first, normal().discretised(bins), normal());
    let lazy = LazyVariableElimination::to_depth(4);
    for lazy in [lazy.clone(), lazy.refine_bins()] {
        let found = lazy.run(&Model::new().observe(&y, 0.5), &first);
        let is_mixed = matches!(
            found,
            Err(Error::Model(ModelError::MixedObservation { .. }))
        );
        assert!(is_mixed, "{found:?}");
        // No bin has this value.
        let answer = lazy.run(&Model::new().observe(&y, 0.6), &first).unwrap();
        assert_eq!(answer.bounds(&first, &false).unwrap().lower, 1.0);
    }
}

/// The bins of an element differ between the values of its parameter.
#[test]
fn different_bins_in_a_cell_are_not_common_bins() {
    let unit = || ContinuousUniform::new(0.0, 1.0);
    let u = unit();
    let y = u.flat_map(move |&u| {
        let count = if u < 0.3 { 2 } else { 3 };
        ContinuousUniform::new(0.0, 1.0).discretised(Bins::equal_width(0.0, 1.0, count))
    });
    let low = u.map(|u| *u < 0.3);
    let lazy = LazyVariableElimination::to_depth(4).refine_bins();
    let model = Model::new().observe(&y, 0.25);
    if let Ok(answer) = lazy.run(&model, &low) {
        assert!(answer.bounds(&low, &true).unwrap().contains(1.0));
    }
}
