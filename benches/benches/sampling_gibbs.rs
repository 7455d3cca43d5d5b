//! Benchmarks of Gibbs sampling, compared with hand-written loops: a grid of spins, and the alarm network if its file is installed.
//!
//! Each benchmark is a whole run on one thread, including the search for blocks, with enough sweeps to make the time of this search negligible; the throughput
//! is in updates of one block. The loop for the grid is specialised: it uses five probabilities, one for each number of neighbours that are up. The
//! loop for the network multiplies rows of its tables, as the library does.

use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use figrs::network::Network;
use figrs::prelude::*;
use figrs::rand::RngExt;
use figrs::stream;

const SIDE: usize = 50;
const COUPLING: f64 = 0.3;

/// Returns a grid of spins in which two neighbours have the weight `e^j` if they agree and `e^-j` if they differ.
fn grid() -> (Model, Vec<Element<bool>>) {
    let spins: Vec<_> = (0..SIDE * SIDE).map(|_| Flip::new(0.5)).collect();
    let mut model = Model::new();
    for i in 0..SIDE * SIDE {
        let right = (i % SIDE + 1 < SIDE).then(|| i + 1);
        let below = (i + SIDE < SIDE * SIDE).then(|| i + SIDE);
        for k in [right, below].into_iter().flatten() {
            let alike = spins[i].equals(&spins[k]);
            model = model.log_weigh(&alike, |&same| if same { COUPLING } else { -COUPLING });
        }
    }
    (model, spins)
}

/// Samples the grid by a hand-written loop; returns the number of sweeps after which the middle spin was up.
fn grid_by_hand(sweeps: u64) -> u64 {
    let mut rng = stream(1, 0);
    // Spins beyond the border count as neither up nor down: the difference between the numbers of up and down neighbours decides.
    let up: Vec<f64> = (0..9)
        .map(|d| 1.0 / (1.0 + (-2.0 * COUPLING * f64::from(d - 4)).exp()))
        .collect();
    let width = SIDE + 2;
    let mut spins = vec![0i8; width * width];
    for y in 1..=SIDE {
        for x in 1..=SIDE {
            spins[y * width + x] = if rng.random::<bool>() { 1 } else { -1 };
        }
    }
    let mut count = 0;
    for _ in 0..sweeps {
        for y in 1..=SIDE {
            for x in 1..=SIDE {
                let at = y * width + x;
                let sum = spins[at - 1] + spins[at + 1] + spins[at - width] + spins[at + width];
                let is_up = rng.random::<f64>() < up[(sum + 4) as usize];
                spins[at] = if is_up { 1 } else { -1 };
            }
        }
        count += u64::from(spins[(SIDE / 2) * width + SIDE / 2] == 1);
    }
    count
}

/// A table that mentions a variable, the strides of its other variables, and the stride of that variable.
type Mention<'a> = (&'a [f64], Vec<(usize, usize)>, usize);

/// Samples a network, given as tables, by a loop that is specialised to tables; returns the number of times that the first variable was in its first
/// state.
fn network_by_hand(network: &Network, sweeps: u64) -> u64 {
    let cards: Vec<usize> = network
        .variables()
        .iter()
        .map(|v| v.states().len())
        .collect();
    // For each variable, the tables that mention it.
    let mut around: Vec<Vec<Mention<'_>>> = vec![Vec::new(); cards.len()];
    for table in network.tables() {
        let mut stride = 1;
        let mut strides = Vec::new();
        for &v in table.variables().iter().rev() {
            strides.push((v, stride));
            stride *= cards[v];
        }
        for &(v, own) in &strides {
            let others = strides.iter().copied().filter(|&(u, _)| u != v).collect();
            around[v].push((table.numbers(), others, own));
        }
    }
    let mut rng = stream(1, 0);
    let mut values = vec![0usize; cards.len()];
    let (mut count, mut weights) = (0, vec![0.0; 16]);
    for _ in 0..sweeps {
        for v in 0..cards.len() {
            let weights = &mut weights[..cards[v]];
            weights.fill(1.0);
            for (numbers, others, own) in &around[v] {
                let at: usize = others.iter().map(|&(u, stride)| values[u] * stride).sum();
                for (x, weight) in weights.iter_mut().enumerate() {
                    *weight *= numbers[at + x * own];
                }
            }
            let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
            let mut chosen = 0;
            while chosen + 1 < weights.len() && left >= weights[chosen] {
                left -= weights[chosen];
                chosen += 1;
            }
            values[v] = chosen;
        }
        count += u64::from(values[0] == 0);
    }
    count
}

fn grids(c: &mut Criterion) {
    const SWEEPS: u64 = 2000;
    let (model, spins) = grid();
    let middle = &spins[SIDE * SIDE / 2 + SIDE / 2];
    // Without collapse, each spin is a block, as in the loop.
    let gibbs = Gibbs::new(SWEEPS).burn_in(0).chains(1).collapse(0);
    let mut group = c.benchmark_group("grid 50 x 50");
    group.throughput(Throughput::Elements(SWEEPS * (SIDE * SIDE) as u64));
    group.bench_function("Gibbs", |b| b.iter(|| gibbs.run(&model, middle)));
    group.bench_function("by hand", |b| b.iter(|| grid_by_hand(SWEEPS)));
    group.finish();
}

fn alarm(c: &mut Criterion) {
    const SWEEPS: u64 = 50_000;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/networks/alarm.bif");
    let Ok(network) = Network::read(&path) else {
        println!("skipped: {} is not there", path.display());
        return;
    };
    // All variables are targets, so that the sampler leaves none out.
    let gibbs = Gibbs::new(SWEEPS / 100).thin(100).burn_in(0).chains(1);
    let variables = network.elements().len() as u64;
    let mut group = c.benchmark_group("alarm");
    group.throughput(Throughput::Elements(SWEEPS * variables));
    let model = network.model();
    group.bench_function("Gibbs", |b| {
        b.iter(|| gibbs.run(&model, network.elements()));
    });
    group.bench_function("by hand", |b| b.iter(|| network_by_hand(&network, SWEEPS)));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = grids, alarm
}
criterion_main!(benches);
