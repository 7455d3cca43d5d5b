//! Fuzzes the readers of saved chains and trees.

use std::sync::OnceLock;

use figrs::models::mdmc::{LookAheadSampler, MarkovChain};
use figrs::prelude::*;
use figrs::{CompiledTree, Param, SavedTree};
use serde_json::Value as Json;

use super::text;
use crate::json::numbers;

/// Reads a trained chain from JSON, and draws levels from it.
///
/// # Panics
///
/// Panics if the chain differs after it is written and read again.
pub fn chain(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Ok(chain) = MarkovChain::from_json(text) else {
        return;
    };
    let saved = chain.to_json();
    let again = MarkovChain::from_json(&saved).expect("what was saved");
    assert_eq!(again.to_json(), saved);
    if let Ok(sampler) = LookAheadSampler::new(chain, 2, 4) {
        let drawn = sampler.sample(&mut figrs::stream(1, 0));
        assert_eq!(drawn.level().width(), 4);
    }
}

/// Reads a compiled tree from JSON, or else changes a saved tree: three bytes give the position and the new value of each changed number. A tree that
/// can be restored must answer, also a damaged tree whose checksums are corrected.
///
/// # Panics
///
/// Panics if a restored tree gives other answers than the tree that was saved.
pub fn tree(data: &[u8]) {
    let example = Example::new();
    let Some(saved) = text(data)
        .and_then(|text| serde_json::from_str::<SavedTree>(text).ok())
        .or_else(|| example.damaged(data))
    else {
        return;
    };
    if let Ok(mut tree) = example.restored(&saved) {
        example.compare(&mut tree);
    }
    if let Ok(mut tree) = example.restored(&saved.resealed()) {
        example.ask(&mut tree);
    }
}

/// The model for which trees are restored.
struct Example {
    model: Model,
    rain: Element<bool>,
    drops: Element<u8>,
    wet: Element<bool>,
    compiler: JunctionTree,
}

impl Example {
    fn new() -> Self {
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
        Self {
            model: Model::new().condition(&drops, |&n| n < 2),
            compiler: JunctionTree::new().varying(&wet),
            rain,
            drops,
            wet,
        }
    }

    /// Returns the saved tree of the model with some numbers changed; `None` if one of the new values does not fit the type of its number.
    fn damaged(&self, data: &[u8]) -> Option<SavedTree> {
        static SAVED: OnceLock<Json> = OnceLock::new();
        let mut json = SAVED
            .get_or_init(|| {
                let tree = self.fresh();
                tree.most_probable().expect("possible");
                serde_json::to_value(tree.save()).expect("numbers")
            })
            .clone();
        let mut all = numbers(&mut json);
        let count = all.len();
        for change in data.chunks_exact(3) {
            let place = usize::from(u16::from_le_bytes([change[0], change[1]]));
            *all[place % count] = match change[2] {
                255 => u64::MAX.into(),
                254 => u32::MAX.into(),
                253 => (u32::MAX - 1).into(),
                252 => (1u64 << 40).into(),
                small => small.into(),
            };
        }
        serde_json::from_value(json).ok()
    }

    fn fresh(&self) -> CompiledTree {
        let targets = (&self.rain, &self.drops);
        self.compiler
            .compile(&self.model, targets)
            .expect("a small model")
    }

    fn restored(&self, saved: &SavedTree) -> Result<CompiledTree, Error> {
        let targets = (&self.rain, &self.drops);
        self.compiler.restore(&self.model, targets, saved)
    }

    /// Compares the answers of a tree with those of a tree that was not saved.
    fn compare(&self, tree: &mut CompiledTree) {
        let mut fresh = self.fresh();
        for tree in [&mut *tree, &mut fresh] {
            tree.set(&self.wet, true).expect("it varies");
        }
        let pair = [&mut *tree, &mut fresh]
            .map(|tree| tree.probability(&self.rain, &true).expect("possible"));
        assert!((pair[0] - pair[1]).abs() < 1e-12, "{pair:?}");
        let pair = [tree, &mut fresh]
            .map(|tree| tree.most_probable().expect("possible").log_probability());
        assert!((pair[0] - pair[1]).abs() < 1e-12, "{pair:?}");
    }

    /// Runs all possible queries; the answers of a forged tree are not checked.
    fn ask(&self, tree: &mut CompiledTree) {
        for wet in [true, false] {
            tree.set(&self.wet, wet).expect("it varies");
            // An error also counts as an answer.
            let _ = tree.answer();
            let _ = tree.joint((&self.rain, &self.drops));
            let _ = tree.count();
            let _ = tree.most_probable();
            let _ = tree.k_best(4);
            if let Ok(samples) = tree.samples(1) {
                let _ = samples.take(4).count();
            }
        }
    }
}
