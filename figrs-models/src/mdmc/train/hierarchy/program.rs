//! The hierarchical chain as an element program.

use std::sync::Arc;

use figrs_core::{Constant, Element, Parents, Select, inject};
use ndarray::Array2;

use super::HierarchicalChain;
use crate::mdmc::{LevelElements, LevelProgram, SamplingError, Tile, TileDistribution};

impl HierarchicalChain {
    /// The level of this many columns as an element program: a Chain a section on the kind before, and a Chain a cell on
    /// its neighbours and on the kind of its section.
    ///
    /// An error if `width` is 0 or exceeds [`LevelElements::MAX_WIDTH`].
    pub fn program(self: &Arc<Self>, width: usize) -> Result<LevelProgram, SamplingError> {
        let chain = &self.chains[0];
        let height = chain.height();
        LevelElements::check_width(height, width)?;
        let kinds = self.kinds(width.div_ceil(self.section));
        let border = Constant::new(Tile::BORDER).named("border");
        let mut cells = Array2::from_elem((height, width), border.clone());
        for row in (0..height).rev() {
            let band = chain.band(row);
            for column in 0..width {
                let neighbours = chain.structures()[0].neighbours(row, column, height, width);
                let tile = |at: Option<(usize, usize)>| at.map_or(&border, |at| &cells[at]);
                let neighbours: Vec<Element<Tile>> =
                    neighbours.map(|at| tile(at).clone()).collect();
                let configuration =
                    inject(&neighbours).named(format!("configuration {row},{column}"));
                let known = Arc::clone(self);
                let tile = (&configuration, &kinds[column / self.section])
                    .flat_map(move |(tiles, &kind)| known.tile(kind, band, tiles));
                cells[(row, column)] = tile.named(format!("tile {row},{column}"));
            }
        }
        let cells: Vec<Element<Tile>> = cells.into_iter().collect();
        Ok(LevelProgram::new(height, width, inject(&cells)))
    }

    fn kinds(self: &Arc<Self>, sections: usize) -> Vec<Element<usize>> {
        let mut kinds: Vec<Element<usize>> = Vec::with_capacity(sections);
        for section in 0..sections {
            let known = Arc::clone(self);
            let kind = match kinds.last() {
                None => self.kind(None),
                Some(before) => before.flat_map(move |&before| known.kind(Some(before))),
            };
            kinds.push(kind.named(format!("kind {section}")));
        }
        kinds
    }

    fn kind(&self, before: Option<usize>) -> Element<usize> {
        let weights = self.following(before).iter().enumerate();
        let weights = weights.filter(|&(_, &weight)| weight > 0.0);
        Select::new(weights.map(|(kind, &weight)| (weight, kind)))
    }

    fn tile(&self, kind: usize, band: usize, configuration: &[Tile]) -> Element<Tile> {
        let row = self.chains[kind].row(band, configuration, 0);
        let outcomes = row.map_or(&[][..], TileDistribution::probabilities);
        Select::new(outcomes.iter().map(|&(tile, p)| (p, tile)))
    }
}
