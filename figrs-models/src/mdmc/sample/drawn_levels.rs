//! Levels that a level sampler draws, as boards for the conditional sampler.

use std::fmt;

use figrs_core::Stream;

use crate::board::{BoardElements, BoardError, Generator, OwnSampler};
use crate::grid::Size;
use crate::mdmc::{ElementSampler, GeneratedLevel, LookAheadSampler, Tile};

type Draw = dyn Fn(&mut Stream) -> Result<GeneratedLevel, BoardError> + Send + Sync;

/// Independent levels that a level sampler, such as the sampler with look-ahead, draws; [`ConditionalSampler`](crate::board::ConditionalSampler)
/// returns them as numbered boards.
///
/// ```
/// use figrs_infer::ItemSampler;
/// use figrs_models::board::ConditionalSampler;
/// use figrs_models::mdmc::{Corpus, DrawnLevels, LookAheadSampler, MarkovChain, RowSplits, Structure};
///
/// let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS3, RowSplits::NONE)?;
/// let levels = DrawnLevels::from(LookAheadSampler::new(chain, 3, 60)?);
/// let numbered = ConditionalSampler::new().numbered(&levels)?;
/// assert_eq!(numbered.items(7, 0..3)?[1..], numbered.items(7, 1..3)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DrawnLevels {
    name: &'static str,
    size: Size,
    draw: Box<Draw>,
}

impl fmt::Debug for DrawnLevels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DrawnLevels").field(&self.name).finish()
    }
}

impl DrawnLevels {
    /// Creates a sampler of levels of `height` rows and `width` columns from the name of a method and a function that draws a level by this method.
    pub fn new(
        name: &'static str,
        (height, width): (usize, usize),
        draw: impl Fn(&mut Stream) -> Result<GeneratedLevel, BoardError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            size: Size::of_level(width, height),
            draw: Box::new(draw),
        }
    }
}

impl From<LookAheadSampler> for DrawnLevels {
    fn from(sampler: LookAheadSampler) -> Self {
        Self::new("look-ahead", sampler.size(), move |random| {
            Ok(sampler.sample(random))
        })
    }
}

impl From<ElementSampler> for DrawnLevels {
    fn from(sampler: ElementSampler) -> Self {
        Self::new("elements", sampler.size(), move |random| {
            Ok(sampler.sample(random)?)
        })
    }
}

impl Generator for DrawnLevels {
    type Cell = Tile;
    type Board = GeneratedLevel;

    fn size(&self) -> Size {
        self.size
    }

    fn elements(&self) -> Result<BoardElements<Tile>, BoardError> {
        let what = "the levels of another sampler";
        Err(BoardError::NoElements { what })
    }

    fn board(&self, _tiles: Vec<Tile>) -> Result<GeneratedLevel, BoardError> {
        Err(BoardError::NoMethod)
    }

    fn sampler(&self) -> Option<OwnSampler<'_, GeneratedLevel>> {
        Some(OwnSampler {
            name: self.name,
            draw: Box::new(|random| (self.draw)(random).map(Some)),
            tries: None,
        })
    }
}
