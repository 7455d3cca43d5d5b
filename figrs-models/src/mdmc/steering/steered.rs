//! A level's elements with demands as evidence.

use std::sync::Arc;

use figrs_core::{Element, Model};
use ndarray::Array2;

use super::super::{Generated, Level, LevelElements, MarkovChain, MdmcError, Tile};
use super::demand::Demand;
use super::mask::Mask;
use super::statements::statement;

/// The element program of a level together with its demands, stated column by column as evidence.
///
/// Any algorithm can be run on it; [`cells`](Self::cells) are its tiles in the order of the evidence: columns from the left,
/// each from the bottom up. A demand over the whole level is a state folded over columns or cells, with a condition after
/// each column, so that a sampler learns early of failure.
///
/// ```
/// use std::sync::Arc;
/// use figrs_infer::Frontier;
/// use figrs_models::mdmc::{Corpus, Demand, LevelElements, MarkovChain, RowSplits, SteeredLevel, Structure};
///
/// let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS0, RowSplits::new(14, 14)?)?;
/// let elements = LevelElements::new(Arc::new(chain), 6)?;
/// let steered = SteeredLevel::new(&elements, &[Demand::MaximumGap(2)])?;
/// let compiled = Frontier::new().compile(steered.model(), steered.cells())?;
/// assert!(compiled.log_evidence().exp() < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SteeredLevel {
    elements: LevelElements,
    demands: Vec<Demand>,
    cells: Vec<Element<Tile>>,
    model: Model,
    /// For each piece of evidence its column.
    columns: Vec<usize>,
}

impl SteeredLevel {
    /// States the demands about a level.
    ///
    /// An error if a mask has not the level's size, a pattern does not fit into it, a count is from more to less, or two
    /// masks place different tiles in one cell.
    pub fn new(elements: &LevelElements, demands: &[Demand]) -> Result<Self, MdmcError> {
        let (height, width) = (elements.height(), elements.width());
        for demand in demands {
            check(demand, height, width)?;
        }
        let size = (height, width);
        // A gap as wide as the level needs no counting.
        let is_open =
            |demand: &&Demand| !matches!(demand, Demand::MaximumGap(most) if *most >= width);
        let stated = demands.iter().filter(is_open);
        let statements = stated.map(|demand| statement(demand, demands, size));
        let mut statements: Vec<_> = statements.collect();
        let mut model = Model::new();
        let mut placed = Mask::free(height, width);
        for demand in demands {
            let Demand::Placed(mask) = demand else {
                continue;
            };
            for (row, column, tile) in mask.tiles() {
                if placed.get(row, column).is_some_and(|other| other != tile) {
                    return Err(MdmcError::PlacedTwice { row, column });
                }
                placed.set(row, column, tile);
                model = model.intervene(elements.tile(row, column), tile);
            }
        }
        let mut columns = Vec::new();
        let mut cells = Vec::with_capacity(height * width);
        for column in 0..width {
            cells.extend(
                (0..height)
                    .rev()
                    .map(|row| elements.tile(row, column).clone()),
            );
            for statement in &mut statements {
                model = statement(elements, column, model);
            }
            columns.resize(model.evidence().len(), column);
        }
        Ok(Self {
            elements: elements.clone(),
            demands: demands.to_vec(),
            cells,
            model,
            columns,
        })
    }

    /// The trained chain.
    pub fn chain(&self) -> &Arc<MarkovChain> {
        self.elements.chain()
    }

    /// Columns of the level.
    pub fn width(&self) -> usize {
        self.elements.width()
    }

    /// Demands on the level.
    pub fn demands(&self) -> &[Demand] {
        &self.demands
    }

    /// The tiles: columns from the left, each from the bottom up.
    pub fn cells(&self) -> &[Element<Tile>] {
        &self.cells
    }

    /// The evidence.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The evidence of some of the demands, up to a column.
    pub(super) fn part(&self, demands: &[usize], last: usize) -> Result<Model, MdmcError> {
        let some: Vec<Demand> = demands
            .iter()
            .map(|&demand| self.demands[demand].clone())
            .collect();
        let part = Self::new(&self.elements, &some)?;
        Ok(part.model.filtered(|piece| part.columns[piece] <= last))
    }

    /// A level with these tiles, in the order of [`cells`](Self::cells).
    pub(super) fn level(&self, tiles: &[Tile]) -> Generated {
        let (height, width) = (self.elements.height(), self.elements.width());
        let tile = |(row, column): (usize, usize)| tiles[column * height + height - 1 - row];
        let level = Level::from_tiles(Array2::from_shape_fn((height, width), tile));
        Generated::of(self.chain(), level)
    }
}

fn check(demand: &Demand, height: usize, width: usize) -> Result<(), MdmcError> {
    match demand {
        Demand::Pinned(mask) | Demand::Placed(mask)
            if (mask.height(), mask.width()) != (height, width) =>
        {
            Err(MdmcError::MaskShape {
                size: (mask.height(), mask.width()),
                expected: (height, width),
            })
        }
        Demand::Forbidden(pattern)
            if pattern.height() > height
                || pattern.width() > width
                || pattern.tiles().next().is_none() =>
        {
            Err(MdmcError::Pattern {
                size: (pattern.height(), pattern.width()),
                level: (height, width),
            })
        }
        &Demand::Count { least, most, .. } if least > most => {
            Err(MdmcError::CountRange { least, most })
        }
        _ => Ok(()),
    }
}
