//! A level's elements with demands as evidence.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use figrs_core::{Element, Model};
use ndarray::Array2;

use super::super::{DemandError, GeneratedLevel, Level, LevelElements, MarkovChain, Tile};
use super::demand::Demand;
use super::mask::Mask;
use super::reachability_memo::ReachabilityMemo;
use super::statements::{ColumnEvidence, statement};

/// The element program of a level together with its demands, stated column by column as evidence.
///
/// Any algorithm can be run on it; [`cells`](Self::cells) are its tiles in the order of the evidence: columns from the left,
/// each from the bottom up. Both are built when they are first asked for. A demand over the whole level is a state folded over
/// columns or cells, with a condition after each column, so that a sampler learns early of failure.
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
    stated: Arc<OnceLock<ColumnModel>>,
    crossed: Arc<ReachabilityMemo>,
}

/// Some columns with their evidence.
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnModel {
    pub(super) model: Model,
    /// For each piece of evidence its column.
    columns: Vec<usize>,
    /// The tiles of the columns.
    pub(super) cells: Vec<Element<Tile>>,
}

impl SteeredLevel {
    /// States the demands about a level.
    ///
    /// An error if a mask has not the level's size, a pattern does not fit into it, a count is from more to less, two
    /// masks place different tiles in one cell, or the rules of a movement are for other tiles or another direction of travel.
    pub fn new(elements: &LevelElements, demands: &[Demand]) -> Result<Self, DemandError> {
        let (height, width) = (elements.height(), elements.width());
        for demand in demands {
            check(demand, height, width)?;
            let chain = elements.chain();
            if let Some(rules) = demand.movement()
                && !rules.fits(chain.tile_set(), chain.travel())
            {
                return Err(DemandError::Rules {
                    movement: rules.movement().name().to_owned(),
                    travel: chain.travel().name(),
                });
            }
        }
        let mut placed = Mask::free(height, width);
        for (row, column, tile) in placed_by(demands) {
            if placed.get(row, column).is_some_and(|other| other != tile) {
                return Err(DemandError::PlacedTwice { row, column });
            }
            placed.set(row, column, tile);
        }
        Ok(Self {
            elements: elements.clone(),
            demands: demands.to_vec(),
            stated: Arc::default(),
            crossed: Arc::default(),
        })
    }

    /// The evidence of each demand.
    pub(super) fn statements(&self) -> Vec<Box<dyn ColumnEvidence + '_>> {
        let (height, width) = (self.elements.height(), self.width());
        // A gap as wide as the level needs no counting.
        let is_open =
            |demand: &&Demand| !matches!(demand, Demand::MaximumGap(most) if *most >= width);
        let stated = self.demands.iter().filter(is_open);
        let all = (&self.demands[..], &self.crossed);
        let statements = stated.map(|demand| statement(demand, all, (height, width)));
        statements.collect()
    }

    /// Some columns, given by the elements of these at least, with their evidence.
    pub(super) fn state(
        &self,
        elements: &LevelElements,
        columns: Range<usize>,
        statements: &mut [Box<dyn ColumnEvidence + '_>],
    ) -> ColumnModel {
        let height = elements.height();
        let mut stated = ColumnModel::default();
        let mut model = Model::new();
        for (row, column, tile) in placed_by(&self.demands) {
            if columns.contains(&column) {
                model = model.intervene(elements.tile(row, column), tile);
            }
        }
        for column in columns {
            let rows = (0..height).rev();
            let cells = rows.map(|row| elements.tile(row, column).clone());
            stated.cells.extend(cells);
            for statement in &mut *statements {
                model = statement.on(elements, column, model);
            }
            stated.columns.resize(model.evidence().len(), column);
        }
        stated.model = model;
        stated
    }

    fn stated(&self) -> &ColumnModel {
        self.stated
            .get_or_init(|| self.state(&self.elements, 0..self.width(), &mut self.statements()))
    }

    /// The elements of the level.
    pub(super) fn elements(&self) -> &LevelElements {
        &self.elements
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
        &self.stated().cells
    }

    /// The evidence.
    pub fn model(&self) -> &Model {
        &self.stated().model
    }

    /// The level with some of the demands.
    pub(super) fn part(&self, demands: &[usize]) -> Result<Self, DemandError> {
        let some: Vec<Demand> = demands
            .iter()
            .map(|&demand| self.demands[demand].clone())
            .collect();
        let part = Self::new(&self.elements, &some)?;
        Ok(Self {
            crossed: Arc::clone(&self.crossed),
            ..part
        })
    }

    /// The evidence up to a column.
    pub(super) fn model_to(&self, last: usize) -> Model {
        let ColumnModel { model, columns, .. } = self.stated();
        model.clone().filtered(|piece| columns[piece] <= last)
    }

    /// A level with these tiles, in the order of [`cells`](Self::cells).
    pub(super) fn level(&self, tiles: &[Tile]) -> GeneratedLevel {
        let (height, width) = (self.elements.height(), self.elements.width());
        let tile = |(row, column): (usize, usize)| tiles[column * height + height - 1 - row];
        let level = Level::from_tiles(Array2::from_shape_fn((height, width), tile));
        GeneratedLevel::of(self.chain(), level)
    }
}

/// The tiles that demands place.
fn placed_by(demands: &[Demand]) -> impl Iterator<Item = (usize, usize, Tile)> {
    let masks = demands.iter().filter_map(|demand| match demand {
        Demand::Placed(mask) => Some(mask),
        _ => None,
    });
    masks.flat_map(Mask::tiles)
}

fn check(demand: &Demand, height: usize, width: usize) -> Result<(), DemandError> {
    match demand {
        Demand::Pinned(mask) | Demand::Placed(mask)
            if (mask.height(), mask.width()) != (height, width) =>
        {
            Err(DemandError::MaskShape {
                size: (mask.height(), mask.width()),
                expected: (height, width),
            })
        }
        Demand::Forbidden(pattern)
            if pattern.height() > height
                || pattern.width() > width
                || pattern.tiles().next().is_none() =>
        {
            Err(DemandError::Pattern {
                size: (pattern.height(), pattern.width()),
                level: (height, width),
            })
        }
        &Demand::Count { least, most, .. } if least > most => {
            Err(DemandError::CountRange { least, most })
        }
        _ => Ok(()),
    }
}
