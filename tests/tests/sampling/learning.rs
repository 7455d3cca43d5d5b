//! Tests of expectation-maximisation by samplers, against exact rounds, with errors that are estimated from repeated runs.

use figrs::prelude::*;
use figrs::stream;
use figrs::{Cases, ExpectationMaximization, ExpectedCounts, Learned, Precision, Stopped, fold};
use figrs_tests::learning_network::{LearningNetwork, data};

/// Number of runs, each with a different seed.
const RUNS: u64 = 16;
/// Bound of the deviation of the runs' mean in standard errors; with fifteen degrees of freedom, one in two thousand means exceeds it.
const DEVIATIONS: f64 = 4.5;

/// Checks that the mean of the runs agrees with the expected number, and that its standard error is at most `largest`.
fn assert_mean(runs: &[f64], expected: f64, largest: f64) {
    let n = runs.len() as f64;
    let mean = runs.iter().sum::<f64>() / n;
    let variance = runs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    assert!(error <= largest, "{error}: {runs:?}");
    let deviation = (mean - expected).abs();
    assert!(
        deviation <= DEVIATIONS * error + 1e-12,
        "{mean} and not {expected}, with a standard error of {error}"
    );
}

/// Checks that one round on random networks agrees with the exact round, within its errors.
fn assert_rounds<E: ExpectedCounts>(engine: impl Fn(u64) -> E, seeds: [u64; 3], largest: f64) {
    for seed in seeds {
        let mut rng = stream(seed, 0);
        let network = LearningNetwork::random(&mut rng);
        let data = data(&network, &mut rng);
        let exact = ExpectationMaximization::new(JunctionTree::new()).exact_rounds(1);
        let (.., expected) = network.fit(exact, &data);
        let runs = (0..RUNS).map(|run| {
            let sampled = ExpectationMaximization::new(engine(run)).exact_rounds(1);
            network.fit(sampled, &data).2.concat()
        });
        let runs: Vec<Vec<f64>> = runs.collect();
        assert!(!runs[0].is_empty(), "seed {seed}");
        for (i, &expected) in expected.concat().iter().enumerate() {
            let values: Vec<f64> = runs.iter().map(|run| run[i]).collect();
            assert_mean(&values, expected, largest);
        }
    }
}

#[test]
fn counts_of_gibbs_sampling_are_the_exact_ones() {
    assert_rounds(|seed| Gibbs::new(200).seed(seed), [600, 601, 602], 0.005);
}

#[test]
fn counts_of_weighted_worlds_are_the_exact_ones() {
    let engine = |seed| ImportanceSampling::new(400).seed(seed);
    assert_rounds(engine, [600, 601, 602], 0.015);
}

#[test]
fn weighted_worlds_estimate_the_probability_of_a_row() {
    let rate = Learned::beta("rate", 2.0, 3.0);
    let hidden: Vec<Element<bool>> = (0..3).map(|_| Flip::new(&rate)).collect();
    let seen = hidden
        .iter()
        .map(|hidden| If::new(hidden, Flip::new(0.9), Flip::new(0.2)));
    let seen: Vec<Element<bool>> = seen.collect();
    let cases = Cases::new(&seen).rows([[true, false, true]]);
    let exact = ExpectationMaximization::new(JunctionTree::new()).exact_rounds(0);
    let exact = exact.fit(&Model::new(), &cases).unwrap().log_likelihood();
    let runs = (0..RUNS).map(|seed| {
        let sampled = ExpectationMaximization::new(ImportanceSampling::new(500).seed(seed));
        let fit = sampled.exact_rounds(0).fit(&Model::new(), &cases).unwrap();
        fit.log_likelihood().exp()
    });
    assert_mean(&runs.collect::<Vec<f64>>(), exact.exp(), 0.003);
}

/// Groups of measurements with noise of a learned precision; each group shares a hidden normal effect, with variance one and a learned mean.
struct Effects {
    mean: f64,
    precision: f64,
}

const GROUPS: [[f64; 3]; 5] = [
    [2.1, 2.9, 2.4],
    [0.2, 0.1, 0.9],
    [1.0, 1.4, 0.7],
    [3.2, 2.2, 2.8],
    [1.9, 1.1, 1.6],
];

impl Effects {
    /// Returns the log-likelihood and the values after a round; the posterior of an effect is normal.
    fn round(&self) -> (f64, Self) {
        let (mut log_likelihood, mut effects, mut squares) = (0.0, 0.0, 0.0);
        for group in GROUPS {
            let n = group.len() as f64;
            let posterior = 1.0 + n * self.precision;
            let effect = (self.mean + self.precision * group.iter().sum::<f64>()) / posterior;
            effects += effect;
            squares += group
                .iter()
                .map(|x| (x - effect).powi(2) + 1.0 / posterior)
                .sum::<f64>();
            // The likelihood is computed as the density at the effect's mean, by Bayes' rule.
            let log_normal = |x: f64, mean: f64, precision: f64| {
                0.5 * (precision / std::f64::consts::TAU).ln()
                    - 0.5 * precision * (x - mean).powi(2)
            };
            log_likelihood += log_normal(effect, self.mean, 1.0)
                - log_normal(effect, effect, posterior)
                + group
                    .iter()
                    .map(|x| log_normal(*x, effect, self.precision))
                    .sum::<f64>();
        }
        let mean = effects / GROUPS.len() as f64;
        let precision = (3 * GROUPS.len()) as f64 / squares;
        (log_likelihood, Self { mean, precision })
    }
}

#[test]
fn a_continuous_hidden_element() {
    let mean = Learned::normal("mean", 1.0, StandardDeviation(2.0));
    let precision = Learned::gamma("precision", 2.0, Rate(2.0));
    let effect = Normal::new(&mean, StandardDeviation(1.0));
    let values: Vec<Element<f64>> = (0..3)
        .map(|_| Normal::new(&effect, Precision(&precision)))
        .collect();
    let cases = || Cases::new(&values).rows(GROUPS);
    let rounds = 3;
    let mut effects = Effects {
        mean: 1.0,
        precision: 1.0,
    };
    let first = effects.round().0;
    for _ in 0..rounds {
        effects = effects.round().1;
    }
    let mut runs: [Vec<f64>; 3] = Default::default();
    for seed in 0..RUNS {
        let sampled = ImportanceSampling::new(1500).seed(seed);
        let learner = ExpectationMaximization::new(sampled).exact_rounds(rounds);
        let fit = learner.fit(&Model::new(), &cases()).unwrap();
        runs[0].push(fit.value(&mean).unwrap());
        runs[1].push(fit.value(&precision).unwrap());
        runs[2].push(fit.log_likelihoods()[0]);
    }
    assert_mean(&runs[0], effects.mean, 0.015);
    assert_mean(&runs[1], effects.precision, 0.07);
    assert_mean(&runs[2], first, 0.03);
    // The closed form of the same rounds.
    let learner = ExpectationMaximization::new(JunctionTree::new()).exact_rounds(rounds);
    let exact = learner.fit(&Model::new(), &cases()).unwrap();
    for (found, expected) in [
        (exact.value(&mean).unwrap(), effects.mean),
        (exact.value(&precision).unwrap(), effects.precision),
        (exact.log_likelihoods()[0], first),
    ] {
        assert!(
            (found - expected).abs() < 1e-9 * expected.abs(),
            "{found}, not {expected}"
        );
    }
}

#[test]
fn counts_without_end_that_are_hidden() {
    let rate = Learned::gamma("rate", 4.0, Rate(1.0));
    let all = Poisson::new(&rate);
    let seen = all.flat_map(|&n| Binomial::new(u32::try_from(n).unwrap(), 0.5));
    let data = [3, 1, 4, 2, 2];
    let cases = Cases::new(&seen).rows(data);
    // The unobserved events have a Poisson distribution with half the rate.
    let mut expected = 4.0;
    for _ in 0..2 {
        expected = data
            .iter()
            .map(|&k| f64::from(k) + expected / 2.0)
            .sum::<f64>()
            / 5.0;
    }
    let runs = (0..RUNS).map(|seed| {
        let sampled = ExpectationMaximization::new(ImportanceSampling::new(2000).seed(seed));
        let fit = sampled.exact_rounds(2).fit(&Model::new(), &cases).unwrap();
        fit.value(&rate).unwrap()
    });
    assert_mean(&runs.collect::<Vec<f64>>(), expected, 0.02);
}

#[test]
fn parameters_of_one_element_end_where_each_is_best_given_the_other() {
    let (mean, precision) = (
        Learned::normal("mean", 0.0, StandardDeviation(1.0)),
        Learned::gamma("precision", 1.0, Rate(1.0)),
    );
    let value = Normal::new(&mean, Precision(&precision));
    let data = [1.0, 2.0, 4.0, 4.5];
    // Nothing is hidden, so one world is enough.
    let learner = ExpectationMaximization::new(ImportanceSampling::new(1)).exact_rounds(2);
    let fit = learner
        .fit(&Model::new(), &Cases::new(&value).rows(data))
        .unwrap();
    let average = data.iter().sum::<f64>() / 4.0;
    let variance = data.iter().map(|x| (x - average).powi(2)).sum::<f64>() / 4.0;
    assert!((fit.value(&mean).unwrap() - average).abs() < 1e-12);
    assert!((fit.value(&precision).unwrap() - variance.recip()).abs() < 1e-12);
}

#[test]
fn evidence_of_any_kind_weighs_worlds_as_it_weighs_factors() {
    let rate = Learned::beta("rate", 2.0, 2.0);
    let mix = Learned::dirichlet("mix", [2.0, 1.0, 1.0]);
    let bad = Flip::new(&rate);
    let kind = Select::by(&mix, [1, 2, 3]);
    let beeps = If::new(&bad, Flip::new(0.8), Flip::new(0.1));
    let model = Model::new().weigh(&bad, |bad| if *bad { 2.0 } else { 1.0 });
    let cases = Cases::new((&beeps, &kind))
        .weighted_rows([(2.0, (true, Some(1))), (1.5, (false, None))])
        .case(1.0, &Model::new().condition(&kind, |kind| *kind > 1))
        .case(
            3.0,
            &Model::new()
                .observe(&bad, true)
                .log_weigh(&kind, |&k| f64::from(k)),
        );
    let exact = ExpectationMaximization::new(JunctionTree::new()).map_estimate();
    let exact = exact.exact_rounds(1).fit(&model, &cases).unwrap();
    let mut runs: [Vec<f64>; 3] = Default::default();
    for seed in 0..RUNS {
        let sampled = ExpectationMaximization::new(ImportanceSampling::new(1500).seed(seed));
        let fit = sampled.map_estimate().exact_rounds(1);
        let fit = fit.fit(&model, &cases).unwrap();
        runs[0].push(fit.value(&rate).unwrap());
        runs[1].push(fit.value(&mix).unwrap()[1]);
        runs[2].push(fit.log_likelihoods()[0]);
    }
    assert_mean(&runs[0], exact.value(&rate).unwrap(), 0.005);
    assert_mean(&runs[1], exact.value(&mix).unwrap()[1], 0.005);
    assert_mean(&runs[2], exact.log_likelihoods()[0], 0.03);
}

#[test]
fn fits_by_samplers_are_the_same_on_any_number_of_threads() {
    let mut rng = stream(603, 0);
    let network = LearningNetwork::random(&mut rng);
    let data = data(&network, &mut rng);
    let by = |threads: usize| {
        let threads = threads.try_into().unwrap();
        let gibbs = ExpectationMaximization::new(Gibbs::new(50).seed(3)).threads(threads);
        let worlds = ImportanceSampling::new(2500).seed(3).threads(threads);
        let worlds = ExpectationMaximization::new(worlds).threads(threads);
        let (fit, _, worlds) = network.fit(worlds.exact_rounds(2), &data);
        (
            network.fit(gibbs.exact_rounds(2), &data).2,
            worlds,
            fit.log_likelihoods().to_vec(),
        )
    };
    assert_eq!(by(1), by(3));
}

#[test]
fn gibbs_sampling_has_no_log_likelihood_but_of_complete_rows() {
    let rate = Learned::beta("rate", 1.0, 1.0);
    let fault = Flip::new(&rate);
    let alarm = If::new(&fault, Flip::new(0.9), Flip::new(0.2));
    let learner = || ExpectationMaximization::new(Gibbs::new(100).seed(1));
    let hidden = Cases::new((&fault, &alarm)).rows([(None, true), (Some(false), false)]);
    let fit = learner()
        .tolerance(1e-3)
        .fit(&Model::new(), &hidden)
        .unwrap();
    assert!(fit.log_likelihood().is_nan());
    assert!(fit.to_string().contains("no log-likelihood"), "{fit}");
    assert_eq!(fit.ended(), Stopped::Finished);
    let known = Cases::new((&fault, &alarm)).rows([(true, true), (false, false)]);
    let fit = learner().fit(&Model::new(), &known).unwrap();
    assert_eq!(fit.value(&rate).unwrap(), 0.5);
    let expected = (0.5f64 * 0.9).ln() + (0.5f64 * 0.8).ln();
    assert!((fit.log_likelihood() - expected).abs() < 1e-12);
}

fn by_worlds(samples: u64) -> ExpectationMaximization<ImportanceSampling> {
    ExpectationMaximization::new(ImportanceSampling::new(samples))
}

#[test]
fn what_worlds_cannot_teach_is_refused() {
    let rate = Learned::beta("rate", 1.0, 1.0);
    let through_function = Flip::new(rate.map(|rate| 1.0 - rate));
    let refused = by_worlds(10).fit(&Model::new(), &Cases::new(&through_function).rows([true]));
    assert!(
        matches!(refused, Err(Error::NotLearnable { .. })),
        "{refused:?}"
    );
    let throw = Flip::new(&rate);
    let stated = Model::new().condition(&rate, |rate| *rate < 0.6);
    let refused = by_worlds(10).fit(&stated, &Cases::new(&throw).rows([true]));
    assert!(
        matches!(refused, Err(Error::CannotLearnFrom { .. })),
        "{refused:?}"
    );
    let coin = Flip::new(0.5);
    let refused = by_worlds(10).fit(&Model::new(), &Cases::new(&coin).rows([true]));
    assert_eq!(refused.unwrap_err(), Error::NothingToLearn);
    let prior = Flip::new(Learned::beta("none", 0.0, 1.0));
    let refused = by_worlds(10).fit(&Model::new(), &Cases::new(&prior).rows([true]));
    assert!(matches!(refused, Err(Error::Model(_))), "{refused:?}");
}

#[test]
fn evidence_that_no_draw_meets_is_named_by_its_row() {
    let rate = Learned::beta("rate", 1.0, 1.0);
    let bits: Vec<Element<bool>> = (0..30).map(|_| Flip::new(&rate)).collect();
    let ones = fold(&bits, 0u32, |ones, &bit| ones + u32::from(bit));
    let cases = Cases::new((&bits[0], &ones)).rows([(Some(true), Some(15)), (None, Some(30))]);
    let error = by_worlds(100).fit(&Model::new(), &cases).unwrap_err();
    assert!(
        matches!(&error, Error::InvalidCase { row: 1, problem } if problem.contains("100")),
        "{error}"
    );
    // The evidence consists of parities, which neither forward draws nor the elimination for a first world can meet.
    let wide: Vec<Element<bool>> = (0..60).map(|_| Flip::new(&rate)).collect();
    let mut rng = stream(1, 0);
    let mut row = Model::new();
    for _ in 0..48 {
        let mut picked = wide.clone();
        figrs::rand::seq::SliceRandom::shuffle(&mut picked[..], &mut rng);
        picked.truncate(8);
        let odd = fold(&picked, false, |odd, &bit| *odd != bit);
        row = row.observe(&odd, true);
    }
    let cases = Cases::new(&wide[0]).rows([true]).case(1.0, &row);
    let learner = ExpectationMaximization::new(Gibbs::new(10));
    let error = learner.fit(&Model::new(), &cases).unwrap_err();
    assert!(
        matches!(&error, Error::InvalidCase { row: 1, problem } if problem.contains("Gibbs")),
        "{error}"
    );
}

#[test]
fn a_parameter_that_is_met_too_late_is_named() {
    let often = Learned::beta("often", 1.0, 1.0);
    let rare = Learned::beta("rare", 1.0, 1.0);
    let seen = If::new(&Flip::new(&often), Flip::new(&rare), Flip::new(&often));
    let cases = Cases::new(&seen).rows([true, false]);
    let errors = (0..40).filter_map(|seed| {
        let sampled = ExpectationMaximization::new(ImportanceSampling::new(1).seed(seed));
        sampled.fit(&Model::new(), &cases).err()
    });
    let errors: Vec<Error> = errors.collect();
    let late = |error: &Error| {
        error.to_string().contains("rare") && error.to_string().contains("draw more")
    };
    assert!(errors.iter().any(late), "{errors:?}");
    let fit = by_worlds(200).fit(&Model::new(), &cases).unwrap();
    assert!(fit.value(&rare).is_ok());
}

#[test]
fn further_cases_are_learned_from_by_worlds_too() {
    let rate = Learned::gamma("rate", 2.0, Rate(3.0));
    let count = Poisson::new(&rate);
    let mut fit = by_worlds(2)
        .map_estimate()
        .fit(&Model::new(), &Cases::new(&count).rows([3u64, 0]))
        .unwrap();
    fit.update(&Cases::new(&count).rows([4u64, 4])).unwrap();
    let expected = (11.0 + 2.0 - 1.0) / (4.0 + 3.0);
    assert!((fit.value(&rate).unwrap() - expected).abs() < 1e-12);
    let error = fit.standard_errors().unwrap_err();
    assert!(
        matches!(&error, Error::NoStandardErrors { reason } if reason.contains("exact expected counts")),
        "{error}"
    );
}

#[test]
fn starts_are_not_compared_without_a_log_likelihood() {
    let rate = Learned::beta("rate", 1.0, 1.0);
    let seen = If::new(&Flip::new(&rate), Flip::new(0.9), Flip::new(0.2));
    let cases = Cases::new(&seen).rows([true, false]);
    let learner = ExpectationMaximization::new(Gibbs::new(20)).starts(2);
    let error = learner.fit(&Model::new(), &cases).unwrap_err();
    assert!(
        matches!(
            error,
            Error::InvalidSetting {
                setting: "starts",
                ..
            }
        ),
        "{error}"
    );
    let fit = by_worlds(50).starts(2).rounds(3).fit(&Model::new(), &cases);
    assert_eq!(fit.unwrap().starts().len(), 2);
}
