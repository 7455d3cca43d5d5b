//! Simulation-based calibration: parameters drawn from the prior have uniform ranks among draws from the posterior of
//! data drawn with them (Talts, Betancourt, Simpson, Vehtari and Gelman 2018).
//!
//! A posterior that counts the prior twice, or forgets a datum, must fail the same test.

use figrs::prelude::*;
use figrs::rand::RngExt;
use figrs_tests::significance::{CALIBRATION, largest_pearson, pearson};

/// Repetitions for each sampler and model.
const REPETITIONS: u64 = 600;
/// Draws from the posterior whose ranks are taken.
const DRAWS: usize = 19;
/// Models, parameters and samplers: 2 + 1 parameters by two samplers.
const TESTS: usize = 6;

/// What a mistaken posterior gets wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    None,
    PriorTwice,
    DatumForgotten,
}

/// A prior with the data it led to, and the posterior of its parameters.
struct Simulated {
    truth: Vec<f64>,
    model: Model,
    parameters: Vec<Element<f64>>,
}

/// One world of some elements.
fn draw(elements: &[Element<f64>], seed: u64) -> Vec<f64> {
    let answer = ImportanceSampling::new(1)
        .seed(seed)
        .run(&Model::new(), elements)
        .unwrap();
    let value = |element| answer.most_likely_value(element).unwrap();
    elements.iter().map(value).collect()
}

/// The mean and the variance of five normal numbers, both unknown.
fn normal(seed: u64, mistake: Mistake) -> Simulated {
    const SHAPE: f64 = 3.0;
    const SCALE: f64 = 2.0;
    let mean = Normal::new(1.0, Variance(4.0));
    let variance = InverseGamma::new(SHAPE, Scale(SCALE));
    let data: Vec<_> = (0..5)
        .map(|_| Normal::new(&mean, Variance(&variance)))
        .collect();
    let parameters = vec![mean, variance];
    let all: Vec<_> = parameters.iter().chain(&data).cloned().collect();
    let drawn = draw(&all, seed);
    let (truth, seen) = drawn.split_at(2);
    let used = if mistake == Mistake::DatumForgotten {
        4
    } else {
        5
    };
    let mut model = Model::new();
    for (datum, &seen) in data.iter().zip(seen).take(used) {
        model = model.observe(datum, seen);
    }
    if mistake == Mistake::PriorTwice {
        model = model
            .log_weigh(&parameters[0], |m| -(m - 1.0).powi(2) / 8.0)
            .log_weigh(&parameters[1], |v| -(SHAPE + 1.0) * v.ln() - SCALE / v);
    }
    Simulated {
        truth: truth.to_vec(),
        model,
        parameters,
    }
}

/// The bias of a coin flipped four times.
fn coin(seed: u64, mistake: Mistake) -> Simulated {
    let bias = Beta::new(2.0, 3.0);
    let flips: Vec<Element<bool>> = (0..4).map(|_| Flip::new(&bias)).collect();
    let numbers = flips
        .iter()
        .map(|flip| flip.map(|&head| f64::from(u8::from(head))));
    let all: Vec<_> = std::iter::once(bias.clone()).chain(numbers).collect();
    let drawn = draw(&all, seed);
    let used = if mistake == Mistake::DatumForgotten {
        3
    } else {
        4
    };
    let mut model = Model::new();
    for (flip, &seen) in flips.iter().zip(&drawn[1..]).take(used) {
        model = model.observe(flip, seen == 1.0);
    }
    if mistake == Mistake::PriorTwice {
        model = model.log_weigh(&bias, |p| p.ln() + 2.0 * (1.0 - p).ln());
    }
    Simulated {
        truth: vec![drawn[0]],
        model,
        parameters: vec![bias],
    }
}

/// How often each rank was found, for each parameter.
fn ranks(
    simulate: fn(u64, Mistake) -> Simulated,
    mistake: Mistake,
    sampler: fn(u64) -> Box<dyn Algorithm>,
) -> Vec<[u64; DRAWS + 1]> {
    let mut counts: Vec<[u64; DRAWS + 1]> = Vec::new();
    for seed in 0..REPETITIONS {
        let simulated = simulate(seed, mistake);
        counts.resize(simulated.parameters.len(), [0; DRAWS + 1]);
        let answer = sampler(seed)
            .run(&simulated.model, &simulated.parameters)
            .unwrap();
        let parameters = simulated.parameters.iter().zip(&simulated.truth);
        for ((parameter, &truth), counts) in parameters.zip(&mut counts) {
            // Independent draws from the distribution of the answer are draws from the posterior.
            let below = answer.probability_that(parameter, |&x| x < truth).unwrap();
            let mut rng = figrs::stream(seed, 1);
            let rank = (0..DRAWS).filter(|_| rng.random::<f64>() < below).count();
            counts[rank] += 1;
        }
    }
    counts
}

const MODELS: [(&str, fn(u64, Mistake) -> Simulated); 2] = [("normal", normal), ("coin", coin)];

const SAMPLERS: [(&str, fn(u64) -> Box<dyn Algorithm>); 2] = [
    ("ImportanceSampling", |seed| {
        Box::new(ImportanceSampling::new(2_000).seed(seed + 1_000_000))
    }),
    ("MetropolisHastings", |seed| {
        Box::new(
            MetropolisHastings::new(2_000)
                .chains(2)
                .seed(seed + 1_000_000),
        )
    }),
];

/// Pearson's statistic of the ranks of each parameter.
fn statistics(mistake: Mistake) -> Vec<(String, f64)> {
    let mut all = Vec::new();
    for (model, simulate) in MODELS {
        for (sampler, make) in SAMPLERS {
            for (i, counts) in ranks(simulate, mistake, make).iter().enumerate() {
                all.push((
                    format!("{model}, parameter {i}, {sampler}"),
                    pearson(counts),
                ));
            }
        }
    }
    all
}

#[test]
fn ranks_are_uniform() {
    let largest = largest_pearson(DRAWS + 1, CALIBRATION / TESTS as f64);
    let all = statistics(Mistake::None);
    println!("{all:?}, at most {largest:.1}");
    assert_eq!(all.len(), TESTS);
    for (what, statistic) in all {
        assert!(
            statistic < largest,
            "{what}: {statistic} is above {largest}"
        );
    }
}

/// The same test sees mistakes in at least one parameter of each model, by every sampler.
#[test]
fn ranks_of_mistaken_posteriors_are_not_uniform() {
    let largest = largest_pearson(DRAWS + 1, CALIBRATION / TESTS as f64);
    for mistake in [Mistake::PriorTwice, Mistake::DatumForgotten] {
        let all = statistics(mistake);
        println!("{mistake:?}: {all:?}, at most {largest:.1}");
        for (model, _) in MODELS {
            for (sampler, _) in SAMPLERS {
                let own = all
                    .iter()
                    .filter(|(what, _)| what.starts_with(model) && what.ends_with(sampler));
                let worst = own.map(|(_, statistic)| *statistic).fold(0.0, f64::max);
                assert!(
                    worst > largest,
                    "{mistake:?} of {model} by {sampler}: {worst}"
                );
            }
        }
    }
}
