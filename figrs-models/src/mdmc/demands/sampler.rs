//! One interface to all ways of drawing levels.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use figrs_core::stream;

use super::super::{ElementSampler, Generated, LookAheadSampler, MarkovChain, SamplingError};
use super::demand::Demand;
use super::error::SteeringError;

/// A way of drawing levels, set up for one trained chain and one width.
pub trait LevelSampler: Debug + Send + Sync {
    /// The name of the method.
    fn name(&self) -> &'static str;

    /// The distribution of the levels, in one sentence.
    fn guarantee(&self) -> String;

    /// Demands that every level meets.
    fn demands(&self) -> &[Demand] {
        &[]
    }

    /// Number of levels that are best asked for at once.
    fn batch(&self) -> u64 {
        1
    }

    /// The levels of a set that have these numbers: a level depends on the seed and its number alone, provided that ranges start at
    /// multiples of [`batch`](Self::batch).
    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<Generated>, SteeringError>;
}

/// The published [`LookAheadSampler`] for levels of one width.
#[derive(Clone, Debug)]
pub struct LookAhead {
    chain: Arc<MarkovChain>,
    depth: usize,
    width: usize,
}

impl LookAhead {
    /// Levels of some width, with a look-ahead of `depth` cells.
    ///
    /// **Errors.** [`SamplingError::LookAhead`], [`SamplingError::Width`] beyond what a [`LookAheadSampler`] draws.
    pub fn new(chain: Arc<MarkovChain>, depth: usize, width: usize) -> Result<Self, SamplingError> {
        LookAheadSampler::new(&chain, depth)?;
        LookAheadSampler::check_width(chain.height(), width)?;
        Ok(Self {
            chain,
            depth,
            width,
        })
    }
}

impl LevelSampler for LookAhead {
    fn name(&self) -> &'static str {
        "look-ahead"
    }

    fn guarantee(&self) -> String {
        "tiles drawn one by one, those that run into an unseen configuration within the look-ahead drawn again: near the \
         trained chain given that nothing is unseen, and not exactly that"
            .to_owned()
    }

    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<Generated>, SteeringError> {
        let sampler = LookAheadSampler::new(&self.chain, self.depth)?;
        numbers
            .map(|number| Ok(sampler.sample(self.width, &mut stream(seed, number))?))
            .collect()
    }
}

impl LevelSampler for ElementSampler {
    fn name(&self) -> &'static str {
        "elements"
    }

    fn guarantee(&self) -> String {
        "as look-ahead, by queries to exact inference; a tile fails where the most probable continuation is unseen".to_owned()
    }

    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<Generated>, SteeringError> {
        numbers
            .map(|number| Ok(self.sample(&mut stream(seed, number))?))
            .collect()
    }
}
