//! Benchmarks of drawing levels from the multi-dimensional Markov chain, by both methods.

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use figrs::models::mdmc::{
    Corpus, ElementSampler, LevelElements, LookAheadSampler, MarkovChain, RowSplits, Structure,
    TileSelection,
};

fn levels(c: &mut Criterion) {
    let corpus = Corpus::shipped();
    let splits = RowSplits::new(14, corpus.height()).expect("as many bands as rows");
    let chain = MarkovChain::train(&corpus, &Structure::NS3, splits).expect("levels to train on");
    let chain = Arc::new(chain);
    let sampler = LookAheadSampler::new(Arc::clone(&chain), 3, 200).expect("a small look-ahead");
    let mut rng = figrs::stream(7, 0);
    c.bench_function("mdmc/LookAheadSampler/200", |b| {
        b.iter(|| sampler.sample(&mut rng));
    });
    let elements = LevelElements::new(Arc::clone(&chain), 50).expect("a small level");
    let sampler = ElementSampler::new(&elements, 3, TileSelection::Sampled);
    let sampler = sampler.expect("a small look-ahead");
    c.bench_function("mdmc/ElementSampler/50", |b| {
        b.iter(|| sampler.sample(&mut rng));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = levels
}
criterion_main!(benches);
