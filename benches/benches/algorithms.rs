//! Benchmarks of the algorithms on small standard models: expansion, elimination, sampling.

use criterion::{Criterion, criterion_group, criterion_main};
use figrs::prelude::*;
use figrs::{LazyVariableElimination, algorithms};
use figrs_tests::captured_lists as lists;
use figrs_tests::captured_shapes::captured_shapes;
use figrs_tests::reference_models::burglary_network;

/// Returns a hidden Markov model of five states with a symbol observed at every step.
fn hmm(steps: usize) -> (Model, Element<u8>) {
    let near = |i: u8| {
        let weight = move |j: u8| 1.0 / f64::from(1 + i.abs_diff(j)).powi(2);
        Select::new((0..5u8).map(move |j| (weight(j), j)))
    };
    let emit = |i: u8| Select::new((0..5u8).map(move |k| (if i == k { 0.6 } else { 0.1 }, k)));
    let mut state = Uniform::new(0..5u8);
    let mut model = Model::new();
    for t in 0..steps {
        if t > 0 {
            state = state.flat_map(move |&i| near(i));
        }
        model = model.observe(&state.flat_map(move |&i| emit(i)), (t / 7 % 5) as u8);
    }
    (model, state)
}

fn algorithms(c: &mut Criterion) {
    let (model, [target, ..]) = burglary_network();
    c.bench_function("burglary/VariableElimination", |b| {
        b.iter(|| VariableElimination::new().run(&model, &target));
    });
    c.bench_function("burglary/MpeVariableElimination", |b| {
        b.iter(|| MpeVariableElimination::new().run(&model, &target));
    });
    c.bench_function("burglary/Enumerate", |b| {
        b.iter(|| Enumerate::new().run(&model, &target));
    });
    c.bench_function("burglary/ImportanceSampling/10000", |b| {
        b.iter(|| ImportanceSampling::new(10_000).run(&model, &target));
    });
    c.bench_function("burglary/JunctionTree", |b| {
        b.iter(|| JunctionTree::new().run(&model, &target));
    });
    let (model, last) = hmm(500);
    c.bench_function("hmm500/JunctionTree", |b| {
        b.iter(|| JunctionTree::new().run(&model, &last));
    });
    c.bench_function("hmm500/VariableElimination", |b| {
        b.iter(|| VariableElimination::new().run(&model, &last));
    });
    c.bench_function("hmm500/MpeVariableElimination", |b| {
        b.iter(|| MpeVariableElimination::new().run(&model, &last));
    });
}

/// Returns a grid of tiles of four kinds; each tile is a `Chain` on its left, lower and lower left neighbours.
fn tiles(side: usize) -> Vec<Element<u8>> {
    let mut tiles: Vec<Element<u8>> = Vec::new();
    for at in 0..side * side {
        let (x, y) = (at % side, at / side);
        let near = |dx: usize, dy: usize| {
            let inside = dx <= x && dy <= y;
            inside.then(|| tiles[at - dx - dy * side].clone())
        };
        let given = [near(1, 0), near(0, 1), near(1, 1)];
        let given: Vec<Element<u8>> = given.into_iter().flatten().collect();
        let tile = given.flat_map(|near| {
            let sum = near.iter().fold(1, |sum, &&x| 5 * sum + u32::from(x));
            Select::new((0..4u8).map(move |v| (1.0 + f64::from((sum + 7 * u32::from(v)) % 13), v)))
        });
        tiles.push(tile);
    }
    tiles
}

/// Measures the compilation of a tree, and many queries to one compiled tree.
fn trees(c: &mut Criterion) {
    let tiles = tiles(8);
    let compiler = JunctionTree::new().varying(&tiles[63]);
    c.bench_function("tiles8/JunctionTree/compile", |b| {
        b.iter(|| compiler.compile(&Model::new(), &tiles));
    });
    c.bench_function("tiles8/JunctionTree/marginals", |b| {
        b.iter(|| JunctionTree::new().run(&Model::new(), &tiles));
    });
    let Ok(mut tree) = compiler.compile(&Model::new(), &tiles) else {
        return;
    };
    c.bench_function("tiles8/CompiledTree/new evidence, one marginal", |b| {
        let mut value = 0;
        b.iter(|| {
            value = (value + 1) % 4;
            tree.set(&tiles[63], value)?;
            tree.distribution(&tiles[0])
        });
    });
    let mut rng = figrs::stream(1, 0);
    c.bench_function("tiles8/CompiledTree/sample", |b| {
        b.iter(|| tree.sample(&mut rng));
    });
    let Ok(fresh) = JunctionTree::new().compile(&Model::new(), &tiles) else {
        return;
    };
    c.bench_function("tiles8/CompiledTree/most probable", |b| {
        b.iter(|| fresh.most_probable());
    });
}

/// Measures models of `Chain` elements over lists of captured elements, at seeds with wide buckets. The products of two tables of such a bucket are
/// far larger than the joint table of the whole bucket.
fn captured_lists(c: &mut Criterion) {
    let lists = [(79, 2), (81, 2), (100, 2), (26, 4), (40, 4), (74, 4)];
    let lists =
        lists.map(|(seed, values)| ("lists", seed, values, lists::captured_lists(seed, values)));
    let shapes = [(56, 3), (97, 3), (100, 3)];
    let shapes =
        shapes.map(|(seed, values)| ("shapes", seed, values, captured_shapes(seed, values)));
    let mut group = c.benchmark_group("captured");
    for (kind, seed, values, case) in lists.into_iter().chain(shapes) {
        let targets = [&case.last, &case.captured[0]];
        let engines: [Box<dyn Algorithm>; 5] = algorithms![
            VariableElimination::new(),
            JunctionTree::new(),
            MpeVariableElimination::new(),
            LazyVariableElimination::new(),
            Frontier::new()
        ];
        for engine in engines {
            let name = format!("{kind} {seed} of {values} values/{}", engine.name());
            group.bench_function(name, |b| b.iter(|| engine.run(&case.model, targets)));
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = algorithms, trees, captured_lists
}
criterion_main!(benches);
