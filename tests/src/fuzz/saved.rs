//! The readers of what was saved: chains and trees.

use figrs::models::mdmc::{LookAheadSampler, MarkovChain};
use figrs::prelude::*;
use figrs::{Param, SavedTree};

use super::text;

/// A trained chain as JSON; levels are drawn from it.
///
/// # Panics
///
/// If it is not read back as it was written.
pub fn chain(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Ok(chain) = MarkovChain::from_json(text) else {
        return;
    };
    let saved = chain.to_json();
    let again = MarkovChain::from_json(&saved).expect("what was saved");
    assert_eq!(again.to_json(), saved);
    let sampler = LookAheadSampler::new(&chain, 2).expect("a small look-ahead");
    if let Ok(drawn) = sampler.sample(4, &mut figrs::stream(1, 0)) {
        assert_eq!(drawn.level().width(), 4);
    }
}

/// A compiled tree as JSON. One that can be restored answers.
///
/// # Panics
///
/// If it answers with something else than the tree that was saved.
pub fn tree(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Ok(saved) = serde_json::from_str::<SavedTree>(text) else {
        return;
    };
    let rain = Flip::new(Param::new("rate", 0.2));
    let drops = rain.flat_map(|&rain| {
        if rain {
            Uniform::new([1u8, 2])
        } else {
            Constant::new(0)
        }
    });
    let wet = (&rain, &drops)
        .flat_map(|(&rain, &n)| Flip::new(0.1 + 0.3 * f64::from(n + u8::from(rain))));
    let model = Model::new().condition(&drops, |&n| n < 2);
    let compiler = JunctionTree::new().varying(&wet);
    let Ok(mut tree) = compiler.restore(&model, (&rain, &drops), &saved) else {
        return;
    };
    let mut fresh = compiler
        .compile(&model, (&rain, &drops))
        .expect("a small model");
    for tree in [&mut tree, &mut fresh] {
        tree.set(&wet, true).expect("it varies");
    }
    let pair =
        [&mut tree, &mut fresh].map(|tree| tree.probability(&rain, &true).expect("possible"));
    assert!((pair[0] - pair[1]).abs() < 1e-12, "{pair:?}");
    let pair = [&mut tree, &mut fresh]
        .map(|tree| tree.most_probable().expect("possible").log_probability());
    assert!((pair[0] - pair[1]).abs() < 1e-12, "{pair:?}");
}
