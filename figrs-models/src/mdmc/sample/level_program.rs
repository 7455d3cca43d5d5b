//! A level as one element, and its draws.

use figrs_core::{Element, Model};
use figrs_infer::{Error, ForwardSampling, Run};
use ndarray::Array2;
use rand::Rng;

use crate::mdmc::{Level, Tile};

/// An element program of a whole level.
#[derive(Clone, Debug)]
pub struct LevelProgram {
    height: usize,
    width: usize,
    tiles: Element<Vec<Tile>>,
}

impl LevelProgram {
    /// Expects an element of `height` times `width` tiles of the alphabet.
    pub(in crate::mdmc) fn new(height: usize, width: usize, tiles: Element<Vec<Tile>>) -> Self {
        Self {
            height,
            width,
            tiles,
        }
    }

    /// The tiles of the level, row by row from the top.
    pub fn tiles(&self) -> &Element<Vec<Tile>> {
        &self.tiles
    }

    /// Draws one level of the prior, exactly.
    ///
    /// **Errors.** Those of [`ForwardSampling`].
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Result<Level, Error> {
        let answer = ForwardSampling::new(1)
            .seed(rng.next_u64())
            .keep_draws()
            .run(&Model::new(), &self.tiles)?;
        let drawn = answer.draws()?.values(&self.tiles)?;
        let tiles = drawn.first().map_or(&[][..], Vec::as_slice);
        let cell = |(row, column)| tiles.get(row * self.width + column).copied();
        let shape = (self.height, self.width);
        Ok(Level::from_tiles(Array2::from_shape_fn(shape, |at| {
            cell(at).unwrap_or(Tile::EMPTY)
        })))
    }
}
