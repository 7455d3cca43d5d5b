//! Tests of learning from values that have a density, against rounds computed by hand.

use figrs::prelude::*;
use figrs::{Cases, ExpectationMaximization, Learned, Multinomial, Pareto, Precision, Scale};

use super::assert_near;

/// A mixture of two normal distributions with unknown means and shares; the standard deviation is `DEVIATION`.
struct Mixture {
    share: f64,
    means: [f64; 2],
}

const DEVIATION: f64 = 1.5;

impl Mixture {
    /// Returns the natural logarithm of the density of a value, and the probability that the value belongs to the first component.
    fn of(&self, x: f64) -> (f64, f64) {
        let density = |mean: f64| {
            let z = (x - mean) / DEVIATION;
            (-0.5 * z * z).exp() / (DEVIATION * (2.0 * std::f64::consts::PI).sqrt())
        };
        let [a, b] = [
            self.share * density(self.means[0]),
            (1.0 - self.share) * density(self.means[1]),
        ];
        ((a + b).ln(), a / (a + b))
    }

    /// Returns the log-likelihood and the mixture after a round; the component of some values is known.
    fn round(&self, data: &[(f64, Option<bool>)]) -> (f64, Self) {
        let (mut log_likelihood, mut n, mut sums) = (0.0, [0.0; 2], [0.0; 2]);
        for &(x, kind) in data {
            let (log, first) = self.of(x);
            let first = match kind {
                Some(kind) => f64::from(u8::from(kind)),
                None => first,
            };
            log_likelihood += match kind {
                Some(true) => log + self.of(x).1.ln(),
                Some(false) => log + (-self.of(x).1).ln_1p(),
                None => log,
            };
            for (k, weight) in [first, 1.0 - first].into_iter().enumerate() {
                n[k] += weight;
                sums[k] += weight * x;
            }
        }
        let share = n[0] / (n[0] + n[1]);
        let means = [sums[0] / n[0], sums[1] / n[1]];
        (log_likelihood, Self { share, means })
    }
}

#[test]
fn a_mixture_of_normals() {
    let share = Learned::beta("share", 1.0, 1.0);
    let means = [-1.0, 1.0]
        .map(|mean| Learned::normal(format!("mean {mean}"), mean, StandardDeviation(10.0)));
    let is_first = Flip::new(&share);
    let [first, second] = means.clone();
    let value = is_first.flat_map(move |&is_first| {
        Normal::new(
            if is_first { &first } else { &second },
            StandardDeviation(DEVIATION),
        )
    });
    let data: Vec<(f64, Option<bool>)> = [-3.1, -2.0, 0.5, 4.0, 3.3, 3.3, -0.2, 5.5]
        .iter()
        .enumerate()
        .map(|(i, &x)| (x, (i == 3).then_some(false)))
        .collect();
    let mut mixture = Mixture {
        share: 0.5,
        means: [-1.0, 1.0],
    };
    let cases = Cases::new((&value, &is_first)).rows(data.clone());
    let rounds = 6;
    let fit = ExpectationMaximization::new(JunctionTree::new())
        .rounds(rounds)
        .tolerance(0.0);
    let fit = fit.fit(&Model::new(), &cases).unwrap();
    for round in 0..=rounds {
        let (log_likelihood, next) = mixture.round(&data);
        assert_near(fit.log_likelihoods()[round as usize], log_likelihood);
        if round < rounds {
            mixture = next;
        }
    }
    assert_near(fit.value(&share).unwrap(), mixture.share);
    for (mean, expected) in means.iter().zip(mixture.means) {
        assert_near(fit.value(mean).unwrap(), expected);
    }
    // A row without the value is informative only about the share.
    let fewer = Cases::new((&value, &is_first)).rows([
        (None, Some(true)),
        (Some(7.0), Some(false)),
        (None, Some(true)),
    ]);
    let fit = ExpectationMaximization::new(JunctionTree::new())
        .fit(&Model::new(), &fewer)
        .unwrap();
    assert_near(fit.value(&share).unwrap(), 2.0 / 3.0);
    assert_near(fit.value(&means[1]).unwrap(), 7.0);
    assert_near(fit.value(&means[0]).unwrap(), -1.0);
}

#[test]
fn rates_precisions_and_means_of_what_is_observed() {
    let rate = Learned::gamma("rate", 2.0, Rate(3.0));
    let count = Poisson::new(&rate);
    let map = || ExpectationMaximization::new(JunctionTree::new()).map_estimate();
    let fit = map()
        .fit(&Model::new(), &Cases::new(&count).rows([3u64, 0, 4, 4]))
        .unwrap();
    assert_near(fit.value(&rate).unwrap(), (11.0 + 2.0 - 1.0) / (4.0 + 3.0));
    let time = Exponential::new(Rate(&rate));
    let fit = map()
        .fit(&Model::new(), &Cases::new(&time).rows([0.5, 1.25]))
        .unwrap();
    assert_near(fit.value(&rate).unwrap(), (2.0 + 2.0 - 1.0) / (1.75 + 3.0));
    let shape = Learned::gamma("shape", 2.0, Rate(3.0));
    let size = Pareto::new(&shape, Scale(1.5));
    let fit = map()
        .fit(&Model::new(), &Cases::new(&size).rows([3.0, 1.5, 6.0]))
        .unwrap();
    let logs = 2.0_f64.ln() + 4.0_f64.ln();
    assert_near(fit.value(&shape).unwrap(), (3.0 + 2.0 - 1.0) / (logs + 3.0));
    let shares = Learned::dirichlet("shares", [2.0, 1.0, 3.0]);
    let votes = Multinomial::new(4, &shares);
    let rows = [vec![4, 0, 0], vec![1, 2, 1]];
    let fit = map()
        .fit(&Model::new(), &Cases::new(&votes).rows(rows))
        .unwrap();
    for (found, right) in fit.value(&shares).unwrap().iter().zip([6.0, 2.0, 3.0]) {
        assert_near(*found, right / 11.0);
    }
    // Both parameters of a normal distribution are learned: each round sets the mean, then the precision.
    let (mean, precision) = (
        Learned::normal("mean", 0.0, StandardDeviation(1.0)),
        Learned::gamma("precision", 1.0, Rate(1.0)),
    );
    let value = Normal::new(&mean, Precision(&precision));
    let data = [1.0, 2.0, 4.0, 4.5];
    let fit = ExpectationMaximization::new(JunctionTree::new()).tolerance(0.0);
    let fit = fit
        .fit(&Model::new(), &Cases::new(&value).rows(data))
        .unwrap();
    let average = data.iter().sum::<f64>() / 4.0;
    let variance = data.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 4.0;
    assert_near(fit.value(&mean).unwrap(), average);
    assert_near(fit.value(&precision).unwrap(), variance.recip());
}

#[test]
fn a_mean_of_values_whose_deviation_is_another_element() {
    let mean = Learned::normal("mean", 0.0, StandardDeviation(5.0));
    let deviation = Select::new([(0.5, 1.0), (0.5, 2.0)]);
    let value = Normal::new(&mean, StandardDeviation(&deviation));
    let learner = || ExpectationMaximization::new(JunctionTree::new()).tolerance(1e-15);
    let known = Cases::new((&value, &deviation)).rows([(1.0, 1.0), (4.0, 2.0), (-2.0, 2.0)]);
    let fit = learner().fit(&Model::new(), &known).unwrap();
    assert_near(
        fit.value(&mean).unwrap(),
        (1.0 + 4.0 / 4.0 - 2.0 / 4.0) / 1.5,
    );
    // If the precision is unknown, each value counts with its expected precision, and at the fixed point the mean is the average with these weights.
    let data = [1.0, 4.0, -2.0];
    let fit = learner()
        .fit(&Model::new(), &Cases::new(&value).rows(data))
        .unwrap();
    let found = fit.value(&mean).unwrap();
    let precision = |x: f64| {
        let [narrow, wide] = [1.0, 2.0].map(|d: f64| (-0.5 * ((x - found) / d).powi(2)).exp() / d);
        (narrow + wide / 4.0) / (narrow + wide)
    };
    let pull: f64 = data.iter().map(|&x| precision(x) * (x - found)).sum();
    assert!(pull.abs() < 1e-6, "{found} {pull}");
}
