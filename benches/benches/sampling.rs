//! Benchmarks of samplers of independent worlds and of particle filters, each compared with a hand-written loop that does only the necessary work.
//! The loop draws the same number of worlds, computes the sums for an estimate and its error, uses xoshiro256++ for random numbers, and runs on one
//! thread unless a line says otherwise.
//!
//! After criterion's own figures a table gives the speed of figrs relative to the loop: one means as fast as the loop, two means twice as fast. For
//! the table, figrs and the loop take turns, and the medians of the processor time of this thread are compared, so that other work on the machine has
//! little influence. `cargo bench --bench sampling -- table` prints the table alone. The line for two threads uses wall-clock time and needs a
//! machine with nothing else to do.

use std::fs;
use std::hint::black_box;
use std::num::NonZero;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group};
use figrs::prelude::*;
use figrs::rand::RngExt;
use figrs::stream;
use figrs_tests::reference_models::{burglary_network, failures, sprinkler_network};
use statrs::distribution::Normal as Gaussian;

const WORLDS: u64 = 1_000_000;
const PARTICLES: usize = 1000;
const POPULATIONS: u64 = 16;
const STEPS: usize = 50;

/// Sums of weights and of squared weights, over all worlds and over the worlds with one value.
#[derive(Default)]
struct Sums {
    all: (f64, f64),
    here: (f64, f64),
}

impl Sums {
    fn add(&mut self, weight: f64, here: bool) {
        self.all.0 += weight;
        self.all.1 += weight * weight;
        if here {
            self.here.0 += weight;
            self.here.1 += weight * weight;
        }
    }

    fn share(&self) -> f64 {
        black_box((self.all.1, self.here.1));
        self.here.0 / self.all.0
    }
}

fn importance(worlds: u64, threads: usize) -> ImportanceSampling {
    let threads = NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN);
    ImportanceSampling::new(worlds).threads(threads).seed(1)
}

fn burglary_by_hand() -> f64 {
    let mut rng = stream(1, 0);
    let mut sums = Sums::default();
    for _ in 0..WORLDS {
        let burglary = rng.random::<f64>() < 0.001;
        let earthquake = rng.random::<f64>() < 0.002;
        let p = match (burglary, earthquake) {
            (true, true) => 0.95,
            (true, false) => 0.94,
            (false, true) => 0.29,
            (false, false) => 0.001,
        };
        let rings = rng.random::<f64>() < p;
        let weight = if rings { 0.90 * 0.70 } else { 0.05 * 0.01 };
        sums.add(weight, burglary);
    }
    sums.share()
}

fn sprinkler_by_hand() -> f64 {
    let mut rng = stream(1, 0);
    let mut sums = Sums::default();
    for _ in 0..WORLDS {
        let cloudy = rng.random::<f64>() < 0.5;
        let sprinkler = rng.random::<f64>() < if cloudy { 0.1 } else { 0.5 };
        let rain = rng.random::<f64>() < if cloudy { 0.8 } else { 0.2 };
        let weight = match (sprinkler, rain) {
            (true, true) => 0.99,
            (true, false) | (false, true) => 0.9,
            (false, false) => 0.0,
        };
        sums.add(weight, rain);
    }
    sums.share()
}

fn geometric() -> (Model, Element<u32>) {
    let n = failures(0.2);
    (Model::new().condition(&n, |n| n % 2 == 0), n)
}

/// Returns the share of worlds with at least four failures among the worlds with an even number of failures.
fn geometric_by_hand() -> f64 {
    let mut rng = stream(1, 0);
    let mut counts: Vec<u64> = Vec::new();
    for _ in 0..WORLDS {
        let mut n = 0;
        while rng.random::<f64>() >= 0.2 {
            n += 1;
        }
        if n % 2 == 0 {
            if n >= counts.len() {
                counts.resize(n + 1, 0);
            }
            counts[n] += 1;
        }
    }
    let large: u64 = counts[4..].iter().sum();
    large as f64 / counts.iter().sum::<u64>() as f64
}

fn symbol(t: usize) -> u8 {
    ((t / 7 + if t % 5 == 4 { 2 } else { 0 }) % 5) as u8
}

fn near(i: u8) -> [f64; 5] {
    std::array::from_fn(|j| 1.0 / (1.0 + f64::from(i.abs_diff(j as u8))).powi(2))
}

/// Returns a hidden Markov model of five states, observed at every step.
fn hidden_markov() -> (Model, Element<u8>) {
    let mut state = Uniform::new(0..5u8);
    let mut model = Model::new();
    for t in 0..STEPS {
        if t > 0 {
            state = state.flat_map(|&i| Select::new(near(i).into_iter().zip(0..5u8)));
        }
        let seen = state
            .flat_map(|&i| Select::new((0..5u8).map(move |k| (if i == k { 0.6 } else { 0.1 }, k))));
        model = model.observe(&seen, symbol(t));
    }
    (model, state)
}

fn filter(populations: u64) -> SequentialMonteCarlo {
    let filter = SequentialMonteCarlo::new(PARTICLES).populations(populations);
    filter.threshold(1.0).threads(NonZero::<usize>::MIN).seed(1)
}

/// Systematic resampling, which replaces particles in proportion to their weights.
fn resample<T: Copy>(particles: &mut Vec<T>, weights: &[f64], sum: f64, offset: f64) {
    let scale = particles.len() as f64 / sum;
    let (mut from, mut reached) = (0, weights[0] * scale);
    let chosen = (0..particles.len()).map(|i| {
        let point = i as f64 + offset;
        while point >= reached && from + 1 < weights.len() {
            from += 1;
            reached += weights[from] * scale;
        }
        particles[from]
    });
    *particles = chosen.collect();
}

/// Returns the logarithm of the evidence, and the share of the weight of particles whose last state is one.
fn hidden_markov_by_hand(number: u64) -> (f64, f64) {
    let rows: [[f64; 5]; 5] = std::array::from_fn(|i| {
        let weights = near(i as u8);
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        weights.map(|w| {
            sum += w / total;
            sum
        })
    });
    let mut rng = stream(1, number);
    let mut states: Vec<u8> = (0..PARTICLES).map(|_| rng.random_range(0..5)).collect();
    let mut weights = vec![0.0; PARTICLES];
    let (mut log_evidence, mut share) = (0.0, 0.0);
    for t in 0..STEPS {
        let mut sum = 0.0;
        for (state, weight) in states.iter_mut().zip(&mut weights) {
            if t > 0 {
                let row = &rows[usize::from(*state)];
                let u = rng.random::<f64>();
                *state = row[..4].iter().map(|&end| u8::from(u >= end)).sum();
            }
            *weight = if *state == symbol(t) { 0.6 } else { 0.1 };
            sum += *weight;
        }
        log_evidence += (sum / PARTICLES as f64).ln();
        if t + 1 < STEPS {
            resample(&mut states, &weights, sum, rng.random());
        } else {
            let ones = states
                .iter()
                .zip(&weights)
                .filter(|(state, _)| **state == 1);
            share = ones.map(|(_, weight)| weight).sum::<f64>() / sum;
        }
    }
    (log_evidence, share)
}

fn seen(t: usize) -> f64 {
    3.0 * (t as f64 / 5.0).sin()
}

/// Returns a Gaussian random walk that is observed with noise.
fn random_walk() -> (Model, Element<f64>) {
    let mut here = Normal::new(0.0, Variance(1.0));
    let mut model = Model::new();
    for t in 1..=STEPS {
        here = Normal::new(&here, Variance(1.0));
        model = model.observe(&Normal::new(&here, Variance(1.0)), seen(t));
    }
    (model, here)
}

/// Returns the logarithm of the evidence, and the mean of the last position.
fn random_walk_by_hand(number: u64) -> (f64, f64) {
    const ROOT: f64 = 0.398_942_280_401_432_7;
    let Ok(noise) = Gaussian::new(0.0, 1.0) else {
        return (f64::NAN, f64::NAN);
    };
    let mut rng = stream(1, number);
    let mut places: Vec<f64> = (0..PARTICLES).map(|_| rng.sample(noise)).collect();
    let mut weights = vec![0.0; PARTICLES];
    let (mut log_evidence, mut mean) = (0.0, 0.0);
    for t in 1..=STEPS {
        let mut sum = 0.0;
        for (place, weight) in places.iter_mut().zip(&mut weights) {
            *place += rng.sample(noise);
            let off = seen(t) - *place;
            *weight = ROOT * (-0.5 * off * off).exp();
            sum += *weight;
        }
        log_evidence += (sum / PARTICLES as f64).ln();
        if t < STEPS {
            resample(&mut places, &weights, sum, rng.random());
        } else {
            let sums = places
                .iter()
                .zip(&weights)
                .map(|(place, weight)| place * weight);
            mean = sums.sum::<f64>() / sum;
        }
    }
    (log_evidence, mean)
}

/// Calls `each` with the name of a benchmark, the hand-written loop and the same work with figrs.
fn pairs(mut each: impl FnMut(&str, &mut dyn FnMut(), &mut dyn FnMut())) {
    let sampler = importance(WORLDS, 1);
    let (model, [target, ..]) = burglary_network();
    each(
        "burglary, likelihood weighting",
        &mut || {
            black_box(burglary_by_hand());
        },
        &mut || drop(black_box(sampler.run(&model, &target))),
    );
    let (model, [.., target]) = sprinkler_network();
    each(
        "sprinkler, likelihood weighting",
        &mut || {
            black_box(sprinkler_by_hand());
        },
        &mut || drop(black_box(sampler.run(&model, &target))),
    );
    let (model, target) = geometric();
    each(
        "recursive geometric, even",
        &mut || {
            black_box(geometric_by_hand());
        },
        &mut || drop(black_box(sampler.run(&model, &target))),
    );
    // A single population shows the cost of starting a run, which the loop does not have.
    for populations in [1, POPULATIONS] {
        let filter = filter(populations);
        let (model, target) = hidden_markov();
        each(
            &format!("hidden Markov model, particle filter ({populations})"),
            &mut || {
                for i in 0..populations {
                    black_box(hidden_markov_by_hand(i));
                }
            },
            &mut || drop(black_box(filter.run(&model, &target))),
        );
        let (model, target) = random_walk();
        each(
            &format!("random walk, particle filter ({populations})"),
            &mut || {
                for i in 0..populations {
                    black_box(random_walk_by_hand(i));
                }
            },
            &mut || drop(black_box(filter.run(&model, &target))),
        );
    }
}

fn sampling(c: &mut Criterion) {
    pairs(|name, by_hand, figrs| {
        let mut group = c.benchmark_group(name);
        group.bench_function("by hand", |b| b.iter(&mut *by_hand));
        group.bench_function("figrs", |b| b.iter(&mut *figrs));
        group.finish();
    });
}

/// Returns the processor time of this thread so far, or the elapsed time if the system does not report processor time.
fn processor_time(started: Instant) -> Duration {
    let ran = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = ran.and_then(|line| line.split(' ').next()?.parse().ok());
    ran.map_or_else(|| started.elapsed(), Duration::from_nanos)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Returns the median times of two tasks that take turns. Each task is repeated until its time is long compared with the resolution of the clock.
fn in_turns(rounds: usize, clock: impl Fn() -> Duration, work: [&mut dyn FnMut(); 2]) -> [f64; 2] {
    const LONG: f64 = 0.1;
    let repeats = |work: &mut dyn FnMut()| {
        work();
        let begun = Instant::now();
        work();
        (LONG / begun.elapsed().as_secs_f64()).ceil().max(1.0)
    };
    let time = |work: &mut dyn FnMut(), repeats: f64| {
        let before = clock();
        for _ in 0..repeats as usize {
            work();
        }
        clock().saturating_sub(before).as_secs_f64() / repeats
    };
    let [first, second] = work;
    let (one, two) = (repeats(first), repeats(second));
    let times: Vec<[f64; 2]> = (0..rounds)
        .map(|_| [time(first, one), time(second, two)])
        .collect();
    [0, 1].map(|i| median(times.iter().map(|pair| pair[i]).collect()))
}

/// Prints the speed of figrs relative to the hand-written loops.
fn table() {
    const ROUNDS: usize = 21;
    let started = Instant::now();
    println!(
        "{:40} {:>12} {:>12} {:>8}",
        "", "by hand, ms", "figrs, ms", "ratio"
    );
    let row = |name: &str, [hand, own]: [f64; 2]| {
        println!(
            "{name:40} {:12.3} {:12.3} {:8.2}",
            hand * 1e3,
            own * 1e3,
            hand / own
        );
    };
    pairs(|name, by_hand, figrs| {
        let clock = || processor_time(started);
        row(name, in_turns(ROUNDS, clock, [by_hand, figrs]));
    });
    let (model, [target, ..]) = burglary_network();
    let run = |threads| {
        drop(black_box(
            importance(10 * WORLDS, threads).run(&model, &target),
        ));
    };
    let times = in_turns(
        ROUNDS,
        || started.elapsed(),
        [&mut || run(1), &mut || run(2)],
    );
    row("burglary, one thread and two", times);
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = sampling
}

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    let mut arguments = std::env::args().skip(1);
    let plain = arguments.all(|argument| argument == "--bench" || argument == "table");
    // The table is not printed if the benchmarks are only tested, or if some of them are selected.
    if plain && std::env::args().len() > 1 {
        table();
    }
}
