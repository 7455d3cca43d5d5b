//! Tests of continuous and countable elements under exact algorithms.

use figrs::prelude::*;
use figrs::{Bins, DiscreteUniform, Geometric};

fn exact(model: &Model, target: &Element<bool>) -> f64 {
    let answer = VariableElimination::new().run(model, target).unwrap();
    answer.probability(target, &true).unwrap()
}

fn refused<T: Value>(algorithm: &dyn Algorithm, element: &Element<T>) -> String {
    algorithm
        .run(&Model::new(), element)
        .unwrap_err()
        .to_string()
}

#[test]
fn exact_algorithms_refuse_what_is_not_finite_and_say_what_to_do() {
    let mean = ContinuousUniform::new(0.0, 5.0).named("mean");
    let count = Poisson::new(2.0).named("count");
    let coin = Flip::new(ContinuousUniform::new(0.0, 1.0).named("share"));
    let algorithms = algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        JunctionTree::new()
    ];
    for algorithm in &algorithms {
        let said = [
            refused(&**algorithm, &mean),
            refused(&**algorithm, &count),
            refused(&**algorithm, &coin),
        ];
        for (message, parts) in said.iter().zip([
            ["mean", "continuous"],
            ["count", "infinitely many"],
            ["share", "continuous"],
        ]) {
            for part in parts.into_iter().chain([
                "observe it",
                "ImportanceSampling",
                "discretise it",
                "truncate it",
            ]) {
                assert!(
                    message.contains(part),
                    "{}: no {part:?} in: {message}",
                    algorithm.name()
                );
            }
        }
    }
}

/// Cells have the probabilities that the distribution function gives, such as P(x <= 1) of a standard normal number.
#[test]
fn cells_have_their_exact_probability() {
    const RIGHT: f64 = 0.841_344_746_068_542_9;
    let normal = Normal::new(0.0, Variance(1.0));
    for bins in [
        Bins::equal_width(-8.0, 8.0, 16),
        Bins::equal_width(-9.0, 9.0, 180),
        Bins::equal_width_clipped(-1.0, 2.0, 3),
    ] {
        let x = normal.discretised(bins.clone());
        let p = exact(&Model::new(), &x.map(|&x| x < 1.0));
        assert!((p - RIGHT).abs() < 1e-9, "{bins:?}: {p}");
    }
}

#[test]
fn quantile_bins_are_equally_likely_and_have_medians_as_values() {
    let x = Exponential::new(Rate(2.0)).discretised(Bins::quantiles(4));
    let answer = VariableElimination::new().run(&Model::new(), &x).unwrap();
    for (i, (value, p)) in answer.distribution(&x).unwrap().iter().enumerate() {
        let median = -(1.0 - (i as f64 + 0.5) / 4.0_f64).ln() / 2.0;
        assert!((value - median).abs() < 1e-14, "{i}: {value}, not {median}");
        assert!((p - 0.25).abs() < 1e-15);
    }
}

#[test]
fn probability_outside_of_the_bins_is_an_error_unless_it_is_clipped() {
    let x = Normal::new(0.0, Variance(1.0)).discretised(Bins::equal_width(-1.0, 1.0, 10));
    let message = refused(&VariableElimination::new(), &x);
    for part in [
        "discretised at",
        "3.17310507",
        "from -1.0 to 1.0",
        "equal_width_clipped",
    ] {
        assert!(message.contains(part), "no {part:?} in: {message}");
    }
}

#[test]
fn a_chain_is_discretised_result_by_result() {
    let mean = Select::new([(0.25, -1.0), (0.75, 1.0)]);
    let family = Normal::new(&mean, Variance(1.0));
    let chain = mean.flat_map(|&mean| Normal::new(mean, Variance(1.0)));
    // P(mean = 1 | x in (0, 0.5)) is computed from differences of the distribution function.
    let phi = |x: f64| libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0;
    let (near, far) = (phi(-0.5) - phi(-1.0), phi(1.5) - phi(1.0));
    let right = 0.75 * near / (0.75 * near + 0.25 * far);
    for element in [family, chain] {
        let x = element.discretised(Bins::equal_width(-9.0, 9.0, 36));
        let model = Model::new().condition(&x, |&x| x == 0.25);
        let p = exact(&model, &mean.map(|&m| m > 0.0));
        assert!((p - right).abs() < 1e-12, "{p}, not {right}");
    }
}

#[test]
fn finite_branches_stay_as_they_are_and_functions_are_refused() {
    let coin = Flip::new(0.5);
    let x = If::new(&coin, Constant::new(7.0), ContinuousUniform::new(0.0, 1.0));
    let cut = x.discretised(Bins::equal_width(0.0, 1.0, 4));
    assert!((exact(&Model::new(), &cut.map(|&x| x == 7.0)) - 0.5).abs() < 1e-15);
    assert!((exact(&Model::new(), &cut.map(|&x| x == 0.125)) - 0.125).abs() < 1e-15);
    let sum = ContinuousUniform::new(0.0, 1.0).map(|x| x + 1.0);
    let message = refused(
        &VariableElimination::new(),
        &sum.discretised(Bins::quantiles(2)),
    );
    assert!(
        message.contains("is a function of other elements"),
        "{message}"
    );
}

#[test]
fn bins_that_cannot_be_are_errors() {
    let x = || Normal::new(0.0, Variance(1.0));
    for (bins, part) in [
        (Bins::equal_width(0.0, 1.0, 0), "0 bins"),
        (Bins::quantiles(0), "0 bins"),
        (Bins::quantiles(usize::MAX), "use 1 to"),
        (Bins::equal_width(1.0, 1.0, 4), "from 1.0 to 1.0"),
        (Bins::equal_width(f64::NAN, 1.0, 4), "from NaN to 1.0"),
        (
            Bins::equal_width_clipped(f64::MIN, f64::MAX, 4),
            "must be finite",
        ),
    ] {
        let message = refused(&VariableElimination::new(), &x().discretised(bins));
        assert!(message.contains(part), "no {part:?} in: {message}");
    }
    let wrong = Normal::new(0.0, Variance(-1.0)).discretised(Bins::quantiles(2));
    let message = refused(&VariableElimination::new(), &wrong);
    assert!(
        message.contains("variance -1.0 must be positive"),
        "{message}"
    );
    let unknown = Beta::new(1e6, 1e6).discretised(Bins::quantiles(2));
    let message = refused(&VariableElimination::new(), &unknown);
    assert!(
        message.contains("distribution function") && message.contains("not known"),
        "{message}"
    );
}

#[test]
fn truncated_counts_are_renormalised() {
    let count = Poisson::new(2.0).truncated(3);
    let weights = [1.0, 2.0, 2.0, 4.0 / 3.0];
    let sum: f64 = weights.iter().sum();
    let answer = VariableElimination::new()
        .run(&Model::new(), &count)
        .unwrap();
    for (k, w) in (0..4).zip(weights) {
        assert!(
            (answer.probability(&count, &k).unwrap() - w / sum).abs() < 1e-14,
            "{k}"
        );
    }
    assert!(
        refused(
            &VariableElimination::new(),
            &Poisson::new(2.0).truncated(1 << 30)
        )
        .contains("too many")
    );
    let none = Geometric::trials(0.5).truncated(0);
    assert!(refused(&VariableElimination::new(), &none).contains("no value from 0 to 0"));
    // The distribution is truncated to two bounds, also far in a tail.
    let high = Geometric::failures(0.5).truncated(2..=3);
    let far = Geometric::failures(0.5).truncated(1_000_002..=1_000_003);
    for (count, low) in [(high, 2), (far, 1_000_002)] {
        let answer = VariableElimination::new()
            .run(&Model::new(), &count)
            .unwrap();
        for (k, right) in [(low, 2.0 / 3.0), (low + 1, 1.0 / 3.0), (low - 1, 0.0)] {
            let found = answer.probability(&count, &k).unwrap();
            assert!((found - right).abs() < 1e-9, "{k}: {found}");
        }
    }
    #[allow(clippy::reversed_empty_ranges)]
    let empty = Poisson::new(2.0).truncated(3..=2);
    assert!(refused(&VariableElimination::new(), &empty).contains("no value from 3 to 2"));
}

/// Samplers give the same numbers: draws and densities of the finite element agree with its list of values.
#[test]
fn finite_elements_are_sampled_too() {
    let rate = Select::new([(0.5, 1.0), (0.5, 4.0)]);
    let count = Poisson::new(&rate).truncated(6);
    let model = Model::new().observe(&count, 5);
    let right = exact(&model, &rate.map(|&r| r > 2.0));
    let high = rate.map(|&r| r > 2.0);
    let answer = ImportanceSampling::new(20_000)
        .seed(3)
        .run(&model, &high)
        .unwrap();
    let error = answer.standard_error(&high, &true).unwrap();
    let away = (answer.probability(&high, &true).unwrap() - right).abs();
    assert!(away < 5.0 * error && error < 0.01, "{away} ± {error}");
}

/// A program draws from a family given the values of its parents, and creates no element for each of these values.
#[test]
fn families_need_no_elements_for_values_of_their_parents() {
    use figrs::lower::{Choice, Chooser, Observations, Program};
    use figrs::{AnyElement, Datum, ModelError, stream};

    struct Draw<R>(R, usize);
    impl<R: figrs::rand::Rng> Chooser for Draw<R> {
        fn choose(
            &mut self,
            element: &AnyElement,
            choice: Choice<'_>,
        ) -> Result<Datum, ModelError> {
            let drawn = match choice {
                Choice::Atomic(op) => op.sample(&mut self.0),
                Choice::Family(family, arguments) => {
                    self.1 += 1;
                    family.sample(arguments, &mut self.0)
                }
                Choice::Row(..) => panic!("there is no table"),
            };
            drawn.map_err(|fault| element.fault(fault))
        }
    }

    let mean = Normal::new(0.0, Variance(1.0));
    let next = Normal::new(&mean, Variance(1.0));
    let seen = Normal::new(&next, Variance(1.0));
    let model = Model::new().observe(&seen, 0.5);
    let mut program = Program::new(&model, &[next.erased().clone()], 100).unwrap();
    let mut draw = Draw(stream(1, 0), 0);
    for run in 1..=1000 {
        program.run(&mut draw, Observations::Weigh).unwrap();
        assert_eq!(
            (program.evaluated(), program.densities(), draw.1),
            (3, 1, run)
        );
    }
    assert!(
        format!("{program:?}").contains("instructions: 3"),
        "{program:?}"
    );
}

/// Counts may be elements: a die determines the number of coins that are thrown.
#[test]
fn integers_may_be_elements() {
    let die = DiscreteUniform::new(1, 6);
    let heads = Binomial::new(&die, 0.5);
    let right = (1..=6).map(|n| 0.5_f64.powi(n)).sum::<f64>() / 6.0;
    for algorithm in algorithms![Enumerate::new(), VariableElimination::new()] {
        let answer = algorithm.run(&Model::new(), &heads).unwrap();
        assert!((answer.probability(&heads, &0).unwrap() - right).abs() < 1e-14);
    }
    let other = DiscreteUniform::new(&die, 6);
    let right = (1..=6)
        .map(|lower| 1.0 / (7.0 - f64::from(lower)))
        .sum::<f64>()
        / 6.0;
    for algorithm in algorithms![Enumerate::new(), VariableElimination::new()] {
        let answer = algorithm.run(&Model::new(), &other).unwrap();
        assert!((answer.probability(&other, &6).unwrap() - right).abs() < 1e-14);
    }
    let sampled = ImportanceSampling::new(10_000).seed(5);
    let answer = sampled.run(&Model::new().observe(&heads, 6), &die).unwrap();
    assert!((answer.probability(&die, &6).unwrap() - 1.0).abs() < 1e-12);
}
