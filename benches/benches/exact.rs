//! Benchmarks of exact inference whose cost depends on the structure of a model: conflicts, bounds, sparse graphs, boards and plans.

use criterion::{Criterion, criterion_group, criterion_main};
use figrs::LazyVariableElimination;
use figrs::gdl::{Length, Policy, Puzzle};
use figrs::models::board::{ConditionalSampler, Method};
use figrs::models::dungeon::Dungeon;
use figrs::models::grid::Size;
use figrs::models::yin_yang::YinYang;
use figrs::prelude::*;
use figrs::rand::RngExt;
use figrs_tests::reference_models::failures;

/// Measures the search for a conflict: a coin is observed a thousand times, once with the other side, and the error names two of the observations.
fn conflict(c: &mut Criterion) {
    let coin = Flip::new(0.5);
    let model = (0..1000).fold(Model::new(), |model, i| {
        model.observe(&coin.map(|&head| head), i != 500)
    });
    c.bench_function("conflict of 1000 observations", |b| {
        b.iter(|| VariableElimination::new().run(&model, &coin).is_err());
    });
}

fn bounds(c: &mut Criterion) {
    let lazy = LazyVariableElimination::to_width(1e-3);
    c.bench_function("lazy bounds/to a width of 1e-3", |b| {
        b.iter(|| {
            let n = failures(0.1);
            let answer = lazy.run(&Model::new(), &n).expect("no evidence");
            let bounds = answer.bounds(&n, &2).expect("a target");
            assert!(bounds.width() <= 1e-3, "{bounds:?}");
        });
    });
}

/// Returns variables of three values, each of which depends on two earlier variables drawn at random.
fn sparse(variables: usize) -> Vec<Element<u8>> {
    let mut rng = figrs::stream(11, 0);
    let mut all: Vec<Element<u8>> = vec![Uniform::new(0..3), Uniform::new(0..3)];
    while all.len() < variables {
        let [a, b] = [0, 1].map(|_| all[rng.random_range(0..all.len())].clone());
        let turn: u8 = rng.random_range(0..3);
        let next = Chain::new((&a, &b), move |(a, b): (&u8, &u8)| {
            let likely = (a + 2 * b + turn) % 3;
            Select::new((0..3).map(|v| (if v == likely { 0.7 } else { 0.15 }, v)))
        });
        all.push(next);
    }
    all
}

fn sparse_graphs(c: &mut Criterion) {
    let all = sparse(60);
    let model = Model::new().observe(&all[59], 1);
    let mut group = c.benchmark_group("sparse graph of 60 variables");
    group.bench_function("VariableElimination", |b| {
        b.iter(|| VariableElimination::new().run(&model, &all[0]));
    });
    group.bench_function("JunctionTree", |b| {
        b.iter(|| JunctionTree::new().run(&model, &all));
    });
    group.bench_function("MpeVariableElimination", |b| {
        b.iter(|| MpeVariableElimination::new().run(&model, &all[0]));
    });
}

fn boards(c: &mut Criterion) {
    let sampler = ConditionalSampler::new().among([Method::Exact]);
    let yin_yang = YinYang::new(Size::new(6, 6).expect("a small size"));
    let dungeon = Dungeon::new(Size::new(5, 5).expect("a small size"));
    let mut group = c.benchmark_group("boards");
    group.bench_function("Yin-Yang 6 by 6/compile", |b| {
        b.iter(|| sampler.exact(&yin_yang).is_ok());
    });
    group.bench_function("Yin-Yang 6 by 6/100 boards", |b| {
        let exact = sampler.exact(&yin_yang).expect("a small board");
        b.iter(|| exact.samples(1).map(|boards| boards.take(100).count()));
    });
    group.bench_function("dungeon 5 by 5/compile", |b| {
        b.iter(|| sampler.exact(&dungeon).is_ok());
    });
    group.bench_function("dungeon 5 by 5/100 boards", |b| {
        let exact = sampler.exact(&dungeon).expect("a small board");
        b.iter(|| exact.samples(1).map(|boards| boards.take(100).count()));
    });
}

fn plans(c: &mut Criterion) {
    let text = include_str!("../../tests/data/jugs.kif");
    c.bench_function("plans/jugs", |b| {
        b.iter(|| {
            let puzzle = Puzzle::parse(text).expect("rules");
            let plans = puzzle.elements(Length::AtMost(12), Policy::Blind);
            Frontier::new().compile(plans.model(), plans.moves())
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = conflict, bounds, sparse_graphs, boards, plans
}
criterion_main!(benches);
