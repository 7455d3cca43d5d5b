//! Models of game levels, which build the elements for the tiles column by column.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use figrs_core::{AnyElement, Datum, Element, Model, Select};
use ndarray::Array2;

use crate::grid::Size;
use crate::mdmc::sample::twist::Twist;
use crate::mdmc::{
    LevelElements, LevelProgram, MarkovChain, Tile, TileFieldElements, TileSet, Travel,
};

/// A model of levels of one size, with an element for each tile: a trained Markov chain of tiles, n-grams of columns, a hierarchical chain or a
/// Markov random field.
///
/// Demands on levels, such as a number of enemies, can be added to each kind of model (`figrs_design::DemandedLevel`). The models of levels draw
/// columns from the left; each column depends on a few columns before it or, for some structures of Markov chains, on all of them. Rows are counted
/// from the top and columns from the left, in model coordinates (the player moves to the right); for levels in which the player climbs see
/// [`Travel`].
///
/// ```
/// use std::sync::Arc;
/// use figrs_models::mdmc::{ColumnNGrams, Corpus, LevelModel};
///
/// let ngrams = Arc::new(ColumnNGrams::train(&Corpus::shipped(), 3)?);
/// let model = LevelModel::from(&ngrams.program(40)?);
/// assert_eq!((model.height(), model.width()), (14, 40));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LevelModel {
    program: Arc<dyn ColumnProgram>,
    whole: Arc<OnceLock<LevelColumns>>,
}

/// A model of levels that can build the elements of any range of a level's columns, given the few columns before this range.
pub trait ColumnProgram: Debug + Send + Sync {
    /// Returns the name of the model with an article, such as "the trained chain".
    fn name(&self) -> &'static str;

    /// Returns the number of rows of the levels that the model describes.
    fn height(&self) -> usize;

    /// Returns the number of columns of the levels that the model describes.
    fn width(&self) -> usize;

    /// Returns the set of the tiles that the model uses.
    fn tile_set(&self) -> &Arc<TileSet>;

    /// Returns the direction in which levels of the model are played.
    fn travel(&self) -> Travel;

    /// Returns the trained Markov chain if the model is a Markov chain of tiles.
    fn chain(&self) -> Option<&Arc<MarkovChain>> {
        None
    }

    /// Returns the number of columns to the left on which a column of the level may depend; `None` if it also depends on columns to the right.
    fn reach(&self) -> Option<usize>;

    /// Builds the elements (random variables) for the tiles of the level's columns `columns`. The tiles of the first `known` columns of the range are
    /// inputs, if later columns depend on these tiles.
    fn columns(&self, columns: Range<usize>, known: usize) -> LevelColumns;

    /// Builds the elements of columns as [`columns`](Self::columns) does, but draws tiles from proposals that later demands change (see [`Twist`]),
    /// with weights that correct the proposals. Only models of levels whose columns do not depend on columns to the right need to support `twisted`.
    fn twisted(&self, columns: Range<usize>, known: usize, twist: &mut Twist) -> LevelColumns;

    /// True if the weights that the model gives to levels sum to one over all levels.
    fn is_normalised(&self) -> bool {
        true
    }

    /// True if the model can have the tile `_tile` in a cell in which a demand on the level requires it.
    fn knows(&self, _tile: Tile) -> bool {
        true
    }

    /// Returns the tiles that can occur in the level's row `row`, with their probabilities.
    fn shares(&self, row: usize) -> Vec<(Tile, f64)>;

    /// Returns the tiles that can occur in the level's row `row`.
    fn possible(&self, row: usize) -> Vec<Tile> {
        self.shares(row).into_iter().map(|(tile, _)| tile).collect()
    }

    /// Builds the elements of a rectangle of a level, in which the cells around the rectangle may have any possible tiles. If demands on a level are
    /// impossible in a rectangle whose surroundings may have any tiles, they are impossible in the whole level. Returns `None` if the model cannot
    /// build the elements of a rectangle without those of the rest of the level.
    fn window(&self, _rows: Range<usize>, _columns: Range<usize>) -> Option<LevelColumns> {
        None
    }
}

/// The event that the value of a cell or column of a level occurred in training, given its neighbours.
#[derive(Clone, Debug)]
pub struct SeenStatement {
    /// The element (random variable) whose value decides whether the event occurs.
    pub element: AnyElement,
    /// The value that the element `element` has if the event occurs.
    pub value: Datum,
    /// The cells whose tiles decide whether the event occurs, by row and column.
    pub cells: Vec<(usize, usize)>,
}

/// The elements (random variables) of consecutive columns of a level.
#[derive(Clone, Debug)]
pub struct LevelColumns {
    pub(in crate::mdmc) first: usize,
    pub(in crate::mdmc) tiles: Array2<Element<Tile>>,
    /// For each column, the elements of this column on which later columns depend.
    pub(in crate::mdmc) state: Vec<Vec<AnyElement>>,
    pub(in crate::mdmc) weights: Vec<Vec<Element<f64>>>,
    /// For each column, the events that the column's tiles occurred in training together with their neighbours' tiles.
    pub(in crate::mdmc) seen: Vec<Vec<SeenStatement>>,
}

impl LevelColumns {
    /// Creates the elements of columns for a model of levels in which later columns depend on earlier columns only by their tiles.
    pub(in crate::mdmc) fn of_tiles(first: usize, tiles: Array2<Element<Tile>>) -> Self {
        let column = |column: usize| {
            let tiles = tiles.column(column);
            tiles.iter().map(|tile| tile.erased().clone()).collect()
        };
        let columns = tiles.ncols();
        Self {
            first,
            state: (0..columns).map(column).collect(),
            weights: vec![Vec::new(); columns],
            seen: vec![Vec::new(); columns],
            tiles,
        }
    }

    /// Returns the number of rows of the level.
    pub fn height(&self) -> usize {
        self.tiles.nrows()
    }

    /// Returns the element for the tile of a cell, given its row and the index of its column in the level.
    pub fn tile(&self, row: usize, column: usize) -> &Element<Tile> {
        &self.tiles[(row, column - self.first)]
    }

    /// Returns those elements of the columns `columns` on which later columns of the level depend.
    pub fn state_of(&self, columns: Range<usize>) -> Vec<AnyElement> {
        let columns = columns.start - self.first..columns.end - self.first;
        let mut all: Vec<AnyElement> = Vec::new();
        for element in self.state[columns].iter().flatten() {
            if all.iter().all(|other| other.id() != element.id()) {
                all.push(element.clone());
            }
        }
        all
    }

    /// Adds to `model` the weights of the level's column `column`, which multiply the probability of a level.
    pub fn weigh(&self, column: usize, model: Model) -> Model {
        let weights = &self.weights[column - self.first];
        weights
            .iter()
            .fold(model, |model, weight| model.weigh(weight, |weight| *weight))
    }

    /// Returns the events that the tiles of the column `column` occurred in training together with their neighbours' tiles.
    pub fn seen(&self, column: usize) -> &[SeenStatement] {
        &self.seen[column - self.first]
    }
}

impl LevelModel {
    pub(in crate::mdmc) fn new(program: Arc<dyn ColumnProgram>) -> Self {
        Self {
            program,
            whole: Arc::default(),
        }
    }

    /// Returns a model of levels with independent cells: each cell has the tiles that are possible in its row.
    #[doc(hidden)]
    #[must_use]
    pub fn without_neighbours(&self) -> Self {
        Self::new(Arc::new(IndependentTiles(Arc::clone(&self.program))))
    }

    /// Returns the program that builds the elements of the model's columns.
    #[doc(hidden)]
    pub fn program(&self) -> &dyn ColumnProgram {
        &*self.program
    }

    /// Returns the elements of all columns of the level.
    #[doc(hidden)]
    pub fn whole(&self) -> &LevelColumns {
        let build = || self.program.columns(0..self.width(), 0);
        self.whole.get_or_init(build)
    }

    /// True if the elements of the level have been built.
    #[doc(hidden)]
    pub fn is_built(&self) -> bool {
        self.whole.get().is_some()
    }

    /// Returns the number of rows of the level.
    pub fn height(&self) -> usize {
        self.program.height()
    }

    /// Returns the number of columns of the model's levels.
    pub fn width(&self) -> usize {
        self.program.width()
    }

    /// Returns the size of the board that a level becomes when it is laid on its left side: the board has a row for each column of the level, and a
    /// column for each row.
    pub fn lying_size(&self) -> Size {
        Size::of_level(self.width(), self.height())
    }

    /// Returns the set of tiles of the training levels.
    pub fn tile_set(&self) -> &Arc<TileSet> {
        self.program.tile_set()
    }

    /// Returns the direction in which the model's levels are played.
    pub fn travel(&self) -> Travel {
        self.program.travel()
    }

    /// Returns the name of the model with an article, such as "the trained chain".
    pub fn name(&self) -> &'static str {
        self.program.name()
    }
}

impl From<&LevelElements> for LevelModel {
    fn from(elements: &LevelElements) -> Self {
        Self::new(Arc::new(elements.clone()))
    }
}

impl From<&LevelProgram> for LevelModel {
    fn from(program: &LevelProgram) -> Self {
        program.model().clone()
    }
}

impl From<&TileFieldElements> for LevelModel {
    fn from(elements: &TileFieldElements) -> Self {
        elements.columns().clone()
    }
}

impl From<&Self> for LevelModel {
    fn from(model: &Self) -> Self {
        model.clone()
    }
}

/// A model of levels in which each cell has one of the tiles that another model allows in this cell, with equal probabilities.
#[derive(Debug)]
struct IndependentTiles(Arc<dyn ColumnProgram>);

impl ColumnProgram for IndependentTiles {
    fn name(&self) -> &'static str {
        "any tiles"
    }

    fn height(&self) -> usize {
        self.0.height()
    }

    fn width(&self) -> usize {
        self.0.width()
    }

    fn tile_set(&self) -> &Arc<TileSet> {
        self.0.tile_set()
    }

    fn travel(&self) -> Travel {
        self.0.travel()
    }

    fn reach(&self) -> Option<usize> {
        Some(0)
    }

    fn columns(&self, columns: Range<usize>, _known: usize) -> LevelColumns {
        let rows: Vec<Vec<Tile>> = (0..self.height()).map(|row| self.possible(row)).collect();
        let tiles = Array2::from_shape_fn((self.height(), columns.len()), |(row, _)| {
            any_of(&rows[row])
        });
        LevelColumns::of_tiles(columns.start, tiles)
    }

    fn twisted(&self, columns: Range<usize>, known: usize, _twist: &mut Twist) -> LevelColumns {
        self.columns(columns, known)
    }

    fn shares(&self, row: usize) -> Vec<(Tile, f64)> {
        self.0.shares(row)
    }
}

pub(in crate::mdmc) fn any_of(tiles: &[Tile]) -> Element<Tile> {
    Select::new(tiles.iter().map(|&tile| (1.0, tile)))
}
