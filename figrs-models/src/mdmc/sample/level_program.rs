//! A probabilistic program whose result is a whole level, and levels drawn from this program.

use figrs_core::{Element, Model, inject};
use figrs_infer::{Error, ForwardSampling, Run};
use ndarray::Array2;
use rand::Rng;

use super::level_model::LevelModel;
use crate::mdmc::{Level, Tile};

/// A probabilistic program of a whole level, in which the level is one element (a random list of tiles).
#[derive(Clone, Debug)]
pub struct LevelProgram {
    model: LevelModel,
    tiles: Element<Vec<Tile>>,
}

impl LevelProgram {
    pub(in crate::mdmc) fn new(model: LevelModel) -> Self {
        let tiles: Vec<Element<Tile>> = model.whole().tiles.iter().cloned().collect();
        Self {
            model,
            tiles: inject(&tiles),
        }
    }

    /// Returns the model of the level, which has an element for each tile.
    pub fn model(&self) -> &LevelModel {
        &self.model
    }

    /// Returns the element for the list of the level's tiles, row by row from the top.
    pub fn tiles(&self) -> &Element<Vec<Tile>> {
        &self.tiles
    }

    /// Draws one level exactly from the prior distribution of the program.
    ///
    /// **Errors.** The errors of the algorithm [`ForwardSampling`].
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Result<Level, Error> {
        let answer = ForwardSampling::new(1)
            .seed(rng.next_u64())
            .keep_draws()
            .run(&Model::new(), &self.tiles)?;
        let drawn = answer.draws()?.values(&self.tiles)?;
        let tiles = drawn.first().map_or(&[][..], Vec::as_slice);
        let (height, width) = (self.model.height(), self.model.width());
        let cell = |(row, column)| tiles.get(row * width + column).copied();
        let shape = (height, width);
        Ok(Level::from_tiles(Array2::from_shape_fn(shape, |at| {
            cell(at).unwrap_or(Tile::EMPTY)
        })))
    }
}
