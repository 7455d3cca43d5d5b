//! Random models of normal and finite elements, against a dense normal distribution for each joint value of the finite elements.
//! `PROPTEST_CASES` sets the number of models, and `PROPTEST_RNG_SEED` their seed.

mod program;

use std::collections::BTreeMap;

use figrs::prelude::*;
use figrs::{Algorithm, AnyElement, Error, weighted_sum};
use figrs_tests::random_model::from_environment;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use program::{Component, Program, mass};

/// The largest relative difference of each kind of result.
#[derive(Default)]
struct Differences(BTreeMap<&'static str, f64>);

impl Differences {
    /// Adds the difference between two numbers, relative to the exact one, or absolute if the exact one is below 1.
    fn check(&mut self, kind: &'static str, program: &Program, found: f64, exact: f64) {
        let apart = (found - exact).abs() / exact.abs().max(1.0);
        assert!(
            apart <= 1e-10,
            "{kind}: {found}, exactly {exact}: {program:?}"
        );
        let worst = self.0.entry(kind).or_default();
        *worst = worst.max(apart);
    }
}

/// A random program, its elements, and its model.
struct Case {
    program: Program,
    all: Vec<Component>,
    finite: Vec<Element<usize>>,
    reals: Vec<Element<f64>>,
    model: Model,
    /// The number with an interval, and whether it is above a number.
    number: Option<(Element<f64>, Element<bool>)>,
}

impl Case {
    /// Returns a random program; `None` if its evidence is impossible or ill-conditioned.
    fn random(rng: &mut SmallRng, has_interval: bool) -> Option<Self> {
        let mut program = Program::random(rng);
        if has_interval {
            program = program.with_interval(rng);
        }
        let all = program.by_hand()?;
        if all
            .iter()
            .all(|component| component.log == f64::NEG_INFINITY)
        {
            return None;
        }
        let (finite, reals) = program.elements();
        let mut model = Model::new();
        for (i, value) in &program.seen {
            model = model.observe(&reals[*i], *value);
        }
        if let Some((i, value)) = program.seen_finite {
            model = model.observe(&finite[i], value);
        }
        if let Some((i, value)) = program.set {
            model = model.intervene(&reals[i], value);
        }
        if let Some((i, value)) = program.set_finite {
            model = model.intervene(&finite[i], value);
        }
        let number = program.interval.as_ref().map(|interval| {
            let terms = interval.terms.iter().map(|&(w, i)| (w, &reals[i]));
            let number = weighted_sum(terms);
            let doubled = &number * -2.0 + 1.0;
            if interval.low > f64::NEG_INFINITY {
                let low = Constant::new(1.0 - 2.0 * interval.low);
                model = std::mem::take(&mut model).observe(&doubled.at_most(&low), true);
            }
            if interval.high < f64::INFINITY {
                let is_above = number.greater_than(&Constant::new(interval.high));
                model = std::mem::take(&mut model).condition(&is_above, |is_above| !is_above);
            }
            let is_above = number.greater_than(&Constant::new(interval.cut));
            (number, is_above)
        });
        Some(Self {
            program,
            all,
            finite,
            reals,
            model,
            number,
        })
    }

    /// Returns the answer of `algorithm` for `targets`; `None` if it refuses the model.
    fn answer(&self, algorithm: &dyn Algorithm, targets: &[AnyElement]) -> Option<Answer> {
        match algorithm.answer(&self.model, targets) {
            Ok(answer) => Some(answer),
            Err(Error::NotClosedForm { .. }) => None,
            Err(error) => panic!("{error}\n{:?}", self.program),
        }
    }
}

/// Compares answers of random models with dense algebra, and prints the largest differences.
fn compare_random_models(cases: u64, has_interval: bool) {
    let cases = from_environment("PROPTEST_CASES").unwrap_or(cases);
    let seed = from_environment("PROPTEST_RNG_SEED").unwrap_or(7);
    let mut rng = SmallRng::seed_from_u64(seed);
    let (mut answered, mut refused, mut worst) = (0, 0, Differences::default());
    while answered < cases {
        let Some(case) = Case::random(&mut rng, has_interval) else {
            continue;
        };
        let Case {
            program,
            all,
            finite,
            reals,
            ..
        } = &case;
        let is_own = |i: &usize| !program.finite[*i].is_hidden;
        let own: Vec<usize> = (0..finite.len()).filter(is_own).collect();
        let n = reals.len();
        let pairs: Vec<(usize, usize)> = (1..n).map(|i| (rng.random_range(0..i), i)).collect();
        let sums: Vec<Element<f64>> = pairs.iter().map(|&(i, j)| &reals[i] + &reals[j]).collect();
        let mut targets: Vec<AnyElement> = Vec::new();
        targets.extend(reals.iter().chain(&sums).map(|e| e.erased().clone()));
        targets.extend(own.iter().map(|&i| finite[i].erased().clone()));
        if let Some((number, is_above)) = &case.number {
            targets.extend([number.erased().clone(), is_above.erased().clone()]);
        }
        let algorithms: [&dyn Algorithm; 3] = [
            &Exact::new(),
            &VariableElimination::new(),
            &JunctionTree::new(),
        ];
        let Some(answer) = case.answer(algorithms[answered as usize % 3], &targets) else {
            refused += 1;
            continue;
        };
        answered += 1;
        let largest = all.iter().map(|w| w.log).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = all.iter().map(|w| (w.log - largest).exp()).sum();
        let log_evidence = answer.log_evidence().unwrap().value;
        let exact = largest + total.ln();
        worst.check("log-evidence", program, log_evidence, exact);
        let average = |value: &dyn Fn(&Component) -> f64| -> f64 {
            let possible = all.iter().filter(|w| w.log > f64::NEG_INFINITY);
            let parts = possible.map(|w| (w.log - largest).exp() / total * value(w));
            parts.sum()
        };
        for &i in &own {
            for value in 0..program.finite[i].rows[0].len() {
                let exact = average(&|w| f64::from(w.values[i] == value));
                let found = answer.probability(&finite[i], &value).unwrap();
                worst.check("probability", program, found, exact);
            }
        }
        let means: Vec<f64> = (0..n).map(|i| average(&|w| w.mean[i])).collect();
        let covariance = |i: usize, j: usize| {
            average(&|w| w.covariance[(i, j)] + (w.mean[i] - means[i]) * (w.mean[j] - means[j]))
        };
        for (&(i, j), sum) in pairs.iter().zip(&sums) {
            let exact = covariance(i, i) + covariance(j, j) + 2.0 * covariance(i, j);
            let mean = answer.mean(sum).unwrap();
            worst.check("mean", program, mean, means[i] + means[j]);
            worst.check("covariance", program, answer.variance(sum).unwrap(), exact);
        }
        for (i, element) in reals.iter().enumerate() {
            let mean = means[i];
            // An observed element, or one that is set, is a number for some algorithms and a mixture for others.
            worst.check("mean", program, answer.mean(element).unwrap(), mean);
            let variance = answer.variance(element).unwrap();
            worst.check("variance", program, variance, covariance(i, i));
            if has_interval {
                continue;
            }
            // A number that is known up to rounding has no density.
            let deviation = |w: &Component| match w.covariance[(i, i)] > 1e-12 {
                true => w.covariance[(i, i)].sqrt(),
                false => 0.0,
            };
            let below =
                |x: f64| average(&|w| mass((w.mean[i], deviation(w)), f64::NEG_INFINITY..x));
            let ends = [mean - 0.7, mean + 0.4].map(|x| (x, below(x)));
            let Ok(mixture) = answer.mixture(element) else {
                for (x, exact) in ends {
                    let found = answer.probability_that(element, |&y| y <= x).unwrap();
                    worst.check("cdf", program, found, exact);
                }
                continue;
            };
            for (x, exact) in ends {
                worst.check("cdf", program, mixture.cdf(x), exact);
            }
            let between = mixture.probability_between(ends[0].0, ends[1].0);
            worst.check("interval", program, between, ends[1].1 - ends[0].1);
            if all.iter().all(|w| deviation(w) > 0.0) {
                let found = below(mixture.quantile(0.3));
                worst.check("quantile", program, found, 0.3);
            }
        }
        if let (Some((number, is_above)), Some(interval)) = (&case.number, &program.interval) {
            let below = |x: f64| {
                average(&|w| {
                    let within = mass(w.number, interval.low..interval.high);
                    mass(w.number, interval.low..x.clamp(interval.low, interval.high)) / within
                })
            };
            let found = answer.probability(is_above, &true).unwrap();
            worst.check("comparison", program, found, 1.0 - below(interval.cut));
            if let Ok(truncated) = answer.family_mixture(number) {
                worst.check(
                    "cdf",
                    program,
                    truncated.cdf(interval.cut),
                    below(interval.cut),
                );
                let found = below(truncated.quantile(0.3));
                worst.check("quantile", program, found, 0.3);
            }
        }
    }
    println!(
        "{answered} models, {refused} refused, largest relative differences: {:?}",
        worst.0
    );
    assert!(
        refused * 5 < answered,
        "{answered} answered, {refused} refused"
    );
}

#[test]
fn random_models_agree_with_dense_normal_distributions() {
    compare_random_models(100, false);
}

#[test]
fn intervals_of_random_models_agree_with_dense_normal_distributions() {
    compare_random_models(60, true);
}
