//! Tests by simulation-based calibration: parameters are drawn from the prior, and data with these parameters; among draws from the posterior given
//! the data, the parameters have uniform ranks (Talts, Betancourt, Simpson, Vehtari and Gelman 2018).
//!
//! Ranks of the parameters alone would also be uniform if the posterior used only a part of the data, or none; ranks of the likelihood of the data
//! would not (Modrák et al. 2023). A posterior that counts the prior twice, or omits a datum, must fail the same test.

use figrs::prelude::*;
use figrs::rand::RngExt;
use figrs::{InverseGamma, Scale, inject};
use figrs_tests::significance::{CALIBRATION, largest_pearson, pearson};

/// Number of repetitions for each sampler and model.
const REPETITIONS: u64 = 900;
/// Number of draws from the posterior among which ranks are taken.
const DRAWS: usize = 19;
/// Number of quantities that are ranked, in both models together, by two samplers.
const TESTS: usize = (3 + 2) * 2;

/// A mistake in a posterior.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    None,
    PriorTwice,
    DatumForgotten,
}

type Ranked = Box<dyn Fn(&[f64]) -> f64>;

/// The elements of the parameters, and the posterior given data that were drawn with simulated parameters.
struct Simulated {
    truth: Vec<f64>,
    model: Model,
    parameters: Element<Vec<f64>>,
    /// The quantities whose ranks are taken.
    ranked: Vec<Ranked>,
}

/// Draws one world of some elements.
fn draw(elements: &[Element<f64>], seed: u64) -> Vec<f64> {
    let all = inject(elements);
    let answer = ImportanceSampling::new(1)
        .seed(seed)
        .run(&Model::new(), &all);
    answer.unwrap().most_likely_value(&all).unwrap()
}

/// Returns the logarithm of a normal density, up to a constant.
fn log_normal(x: f64, mean: f64, variance: f64) -> f64 {
    -(x - mean).powi(2) / (2.0 * variance) - variance.ln() / 2.0
}

/// Simulates three normal numbers whose mean and variance are both unknown.
fn normal(seed: u64, mistake: Mistake) -> Simulated {
    const SHAPE: f64 = 3.0;
    const SCALE: f64 = 2.0;
    let mean = Normal::new(1.0, Variance(4.0));
    let variance = InverseGamma::new(SHAPE, Scale(SCALE));
    let datum = || Normal::new(&mean, Variance(&variance));
    let data = [datum(), datum(), datum()];
    let all = [&[mean.clone(), variance.clone()], &data[..]].concat();
    let truth = draw(&all, seed);
    let seen = truth[2..].to_vec();
    let mut model = Model::new();
    for (datum, &seen) in data
        .iter()
        .zip(&seen)
        .skip(usize::from(mistake == Mistake::DatumForgotten))
    {
        model = model.observe(datum, seen);
    }
    if mistake == Mistake::PriorTwice {
        model = model
            .log_weigh(&mean, |&m| log_normal(m, 1.0, 4.0))
            .log_weigh(&variance, |v| -(SHAPE + 1.0) * v.ln() - SCALE / v);
    }
    let likelihood = move |p: &[f64]| seen.iter().map(|&x| log_normal(x, p[0], p[1])).sum();
    Simulated {
        truth,
        model,
        parameters: inject(&[mean, variance]),
        ranked: vec![Box::new(|p| p[0]), Box::new(|p| p[1]), Box::new(likelihood)],
    }
}

/// Simulates a coin of unknown bias that is flipped twice.
fn coin(seed: u64, mistake: Mistake) -> Simulated {
    let bias = Beta::new(2.0, 3.0);
    let flip = || Flip::new(&bias);
    let flips = [flip(), flip()];
    let number = |flip: &Element<bool>| flip.map(|&head| f64::from(u8::from(head)));
    let all = [
        std::slice::from_ref(&bias),
        &flips.each_ref().map(number)[..],
    ]
    .concat();
    let truth = draw(&all, seed);
    let seen: Vec<bool> = truth[1..].iter().map(|&head| head == 1.0).collect();
    let mut model = Model::new();
    for (flip, &seen) in flips
        .iter()
        .zip(&seen)
        .skip(usize::from(mistake == Mistake::DatumForgotten))
    {
        model = model.observe(flip, seen);
    }
    if mistake == Mistake::PriorTwice {
        model = model.log_weigh(&bias, |p| p.ln() + 2.0 * (-p).ln_1p());
    }
    let likelihood = move |p: &[f64]| {
        let of = |&head: &bool| if head { p[0].ln() } else { (-p[0]).ln_1p() };
        seen.iter().map(of).sum()
    };
    Simulated {
        truth,
        model,
        parameters: inject(&[bias]),
        ranked: vec![Box::new(|p| p[0]), Box::new(likelihood)],
    }
}

type Simulate = fn(u64, Mistake) -> Simulated;
type Make = fn(u64) -> Box<dyn Algorithm>;

/// Returns the rank histogram of each quantity.
fn ranks(simulate: Simulate, mistake: Mistake, sampler: Make) -> Vec<[u64; DRAWS + 1]> {
    let mut counts: Vec<[u64; DRAWS + 1]> = Vec::new();
    for seed in 0..REPETITIONS {
        let Simulated {
            truth,
            model,
            parameters,
            ranked,
        } = simulate(seed, mistake);
        counts.resize(ranked.len(), [0; DRAWS + 1]);
        let answer = sampler(seed).run(&model, &parameters).unwrap();
        let mut rng = figrs::stream(seed, 1);
        for (number, counts) in ranked.iter().zip(&mut counts) {
            let truth = number(&truth);
            // Independent draws from the distribution of the answer are draws from the posterior.
            let below = answer
                .probability_that(&parameters, |p| number(p) < truth)
                .unwrap();
            let rank = (0..DRAWS).filter(|_| rng.random::<f64>() < below).count();
            counts[rank] += 1;
        }
    }
    counts
}

const MODELS: [(&str, Simulate); 2] = [("normal", normal), ("coin", coin)];

const SAMPLERS: [(&str, Make); 2] = [
    ("ImportanceSampling", |seed| {
        Box::new(ImportanceSampling::new(2_000).seed(seed + 1_000_000))
    }),
    ("MetropolisHastings", |seed| {
        Box::new(
            MetropolisHastings::new(500)
                .chains(2)
                .seed(seed + 1_000_000),
        )
    }),
];

/// Returns Pearson's statistics of the ranks of each quantity, by model and sampler.
fn statistics(mistake: Mistake, samplers: &[(&str, Make)]) -> Vec<(String, Vec<f64>)> {
    let mut all = Vec::new();
    for (model, simulate) in MODELS {
        for &(sampler, make) in samplers {
            let counts = ranks(simulate, mistake, make);
            let statistics = counts.iter().map(|counts| pearson(counts));
            all.push((format!("{model} by {sampler}"), statistics.collect()));
        }
    }
    println!("{mistake:?}: {all:.1?}");
    all
}

fn largest() -> f64 {
    largest_pearson(DRAWS + 1, CALIBRATION / TESTS as f64)
}

#[test]
fn ranks_are_uniform() {
    let all = statistics(Mistake::None, &SAMPLERS);
    assert_eq!(all.iter().map(|(_, own)| own.len()).sum::<usize>(), TESTS);
    for (what, own) in all {
        assert!(
            own.iter().all(|&s| s < largest()),
            "{what}: {own:?}, {}",
            largest()
        );
    }
}

#[test]
fn ranks_are_not_uniform_if_the_prior_counts_twice() {
    // A mistake in the model is detected with any sampler.
    for (what, own) in statistics(Mistake::PriorTwice, &SAMPLERS[..1]) {
        assert!(
            own.iter().any(|&s| s > largest()),
            "{what}: {own:?}, {}",
            largest()
        );
    }
}

#[test]
fn ranks_are_not_uniform_if_a_datum_is_forgotten() {
    for (what, own) in statistics(Mistake::DatumForgotten, &SAMPLERS[..1]) {
        assert!(
            own.iter().any(|&s| s > largest()),
            "{what}: {own:?}, {}",
            largest()
        );
    }
}
