//! Sampling of levels with look-ahead, which avoids combinations of tiles without an example in training.

use std::sync::Arc;

use ndarray::Array2;
use rand::Rng;

use super::run::LookAheadRun;
use crate::mdmc::{GeneratedLevel, Level, MarkovChain, SamplingError};

/// Draws levels tile by tile: the bottom row comes first, and each row is filled from left to right. The look-ahead sampler accepts a tile only if
/// the next few cells of its row can be filled without an unseen configuration (a combination of neighbouring tiles that never occurred in training).
///
/// A tile that the look-ahead rejects is removed from its distribution, and the sampler draws another tile from the remaining ones. If no tile is
/// left, the sampler tries the next network structure, which has fewer neighbours. If the look-ahead rejects all tiles of all network structures, the
/// sampler shortens the look-ahead by one for the cell and tries all structures again.
///
/// # Guarantee
///
/// If the tiles of a cell's neighbours occurred together in training, the tiles that the look-ahead accepts have the probabilities of training,
/// renormalised. The look-ahead sampler avoids unseen configurations of tiles as far as the look-ahead reaches, but cannot exclude all of them.
///
/// # Complexity
///
/// The time of the look-ahead sampler per row is at most width × look-ahead² × tiles² × windows; in practice it is close to width × look-ahead. A
/// window is the part of the row to the left of a cell on which its tile may depend (one tile for the network structures ns1 to ns3).
///
/// # Example
///
/// ```
/// use figrs_models::mdmc::{Corpus, LookAheadSampler, MarkovChain, RowSplits, Structure};
/// use rand::SeedableRng;
///
/// let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS3, RowSplits::NONE)?;
/// let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(7);
/// let generated = LookAheadSampler::new(chain.clone(), 3, 60)?.sample(&mut rng);
/// assert_eq!(generated.unseen(), chain.unseen(generated.level()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # References
///
/// The sampler is Algorithm 2 of Snodgrass and Ontañón (2017), "Learning to Generate Video Game Maps Using Markov Models", with two corrections: the
/// look-ahead considers the full set of tiles at every cell, and no further tile is drawn from a distribution once all its tiles have been rejected.
/// The shortening of the look-ahead is an addition of figrs: the published algorithm does not define what happens if the simplest network structure
/// fails too.
#[derive(Clone, Debug)]
pub struct LookAheadSampler {
    chain: Arc<MarkovChain>,
    depth: usize,
    width: usize,
}

impl LookAheadSampler {
    /// Maximum number of cells that the sampler looks ahead.
    pub const MAX_DEPTH: usize = 32;
    /// Maximum number of columns of a level; the maximum is lower for levels that would otherwise have more than 2²⁸ cells.
    pub const MAX_WIDTH: usize = 1_000_000;

    /// Creates a sampler of levels of `width` columns that looks `depth` cells ahead.
    ///
    /// **Errors.** [`SamplingError::LookAhead`] if `depth` exceeds [`LookAheadSampler::MAX_DEPTH`]; [`SamplingError::Width`] if `width` is 0 or
    /// exceeds [`LookAheadSampler::MAX_WIDTH`].
    pub fn new(
        chain: impl Into<Arc<MarkovChain>>,
        depth: usize,
        width: usize,
    ) -> Result<Self, SamplingError> {
        let chain = chain.into();
        if depth > Self::MAX_DEPTH {
            return Err(SamplingError::LookAhead {
                depth,
                max: Self::MAX_DEPTH,
            });
        }
        Self::check_width(chain.height(), width)?;
        Ok(Self {
            chain,
            depth,
            width,
        })
    }

    pub(in crate::mdmc) fn check_width(height: usize, width: usize) -> Result<(), SamplingError> {
        let max = ((1 << 28) / height).min(Self::MAX_WIDTH);
        if width == 0 || width > max {
            return Err(SamplingError::Width { width, max });
        }
        Ok(())
    }

    pub(in crate::mdmc) fn size(&self) -> (usize, usize) {
        (self.chain.height(), self.width)
    }

    /// Draws one level.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> GeneratedLevel {
        let (height, width) = (self.chain.height(), self.width);
        let mut run = LookAheadRun::new(&self.chain, width);
        for row in (0..height).rev() {
            run.start_row(row);
            for column in 0..width {
                run.place(column, self.depth, rng);
            }
        }
        let tiles = Array2::from_shape_fn((height, width), |(row, column)| run.tile(row, column));
        run.generated(Level::from_tiles(tiles))
    }
}

#[cfg(test)]
mod tests;
