//! Benchmark of single-site Metropolis-Hastings on a mixture of two Gaussians, compared with a hand-written loop that makes random walks and draws
//! from the prior and does only the necessary work. Both run on one thread and make the same number of steps.

use std::hint::black_box;
use std::num::NonZero;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use figrs::prelude::*;
use figrs::rand::{Rng, RngExt};
use figrs::{MetropolisHastings, stream};

const POINTS: usize = 20;
const SWEEP: u64 = POINTS as u64 + 2;
const DRAWS: u64 = 5000;
const STEPS: u64 = DRAWS * SWEEP;
const PRIOR: [f64; 2] = [0.0, 5.0];

fn density(mean: f64, deviation: f64, x: f64) -> f64 {
    const LOG_ROOT: f64 = 0.918_938_533_204_672_8;
    let z = (x - mean) / deviation;
    -0.5 * z * z - deviation.ln() - LOG_ROOT
}

/// Draws a normal number by the polar method.
fn draw<R: Rng + ?Sized>(mean: f64, deviation: f64, rng: &mut R) -> f64 {
    loop {
        let u = 2.0 * rng.random::<f64>() - 1.0;
        let v = 2.0 * rng.random::<f64>() - 1.0;
        let s = u * u + v * v;
        if s > 0.0 && s < 1.0 {
            return mean + deviation * u * (-2.0 * s.ln() / s).sqrt();
        }
    }
}

fn data() -> [f64; POINTS] {
    let mut rng = stream(3, 0);
    std::array::from_fn(|i| draw(if i % 2 == 0 { -2.0 } else { 2.0 }, 1.0, &mut rng))
}

fn mixture() -> (Model, [Element<f64>; 2]) {
    let means = [(); 2].map(|()| Normal::new(PRIOR[0], StandardDeviation(PRIOR[1])));
    let mut model = Model::new();
    for x in data() {
        let mean = If::new(&Flip::new(0.5), &means[0], &means[1]);
        model = model.observe(&Normal::new(&mean, Variance(1.0)), x);
    }
    (model, means)
}

/// Returns the sum of the draws of the first mean.
fn by_hand(seed: u64) -> f64 {
    let mut rng = stream(seed, 0);
    let points = data();
    let mut means = [0.0; 2].map(|_: f64| draw(PRIOR[0], PRIOR[1], &mut rng));
    let mut first = [false; POINTS].map(|_| rng.random::<f64>() < 0.5);
    let log_flip = [0.5_f64.ln(), (1.0 - 0.5_f64).ln()];
    let mut sum = 0.0;
    for step in 1..=STEPS {
        let site = rng.random_range(0..POINTS + 2);
        if site < 2 {
            let old = means[site];
            let drift = rng.random::<f64>() < 0.5;
            let new = if drift {
                let (a, b) = (
                    draw(PRIOR[0], PRIOR[1], &mut rng),
                    draw(PRIOR[0], PRIOR[1], &mut rng),
                );
                old + 0.2 * (a - b)
            } else {
                draw(PRIOR[0], PRIOR[1], &mut rng)
            };
            let mut log = 0.0;
            if drift {
                log += density(PRIOR[0], PRIOR[1], new) - density(PRIOR[0], PRIOR[1], old);
            }
            for (x, &own) in points.iter().zip(&first) {
                if own == (site == 0) {
                    log += density(new, 1.0, *x) - density(old, 1.0, *x);
                }
            }
            if rng.random::<f64>() < log.exp() {
                means[site] = new;
            }
        } else {
            let i = site - 2;
            let now = usize::from(!first[i]);
            let log = log_flip[1 - now] - log_flip[now] + density(means[1 - now], 1.0, points[i])
                - density(means[now], 1.0, points[i]);
            if rng.random::<f64>() < log.exp() {
                first[i] = !first[i];
            }
        }
        if step % SWEEP == 0 {
            sum += means[0];
        }
    }
    sum
}

fn gaussian_mixture(c: &mut Criterion) {
    let mut group = c.benchmark_group("mixture");
    group.throughput(Throughput::Elements(STEPS));
    group.bench_function("by hand", |b| b.iter(|| by_hand(black_box(1))));
    let (model, [first, _]) = mixture();
    let one = NonZero::<usize>::MIN;
    let sampler = MetropolisHastings::new(DRAWS).thin(SWEEP).burn_in(0);
    let sampler = sampler.chains(1).threads(one).seed(1);
    group.bench_function("MetropolisHastings", |b| {
        b.iter(|| sampler.run(&model, &first));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = gaussian_mixture
}
criterion_main!(benches);
