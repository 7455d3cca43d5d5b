//! Twisted proposals of the tiles of a level: particle filters propose tiles that make it more likely that demands on the level are met.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

use figrs_core::{Constant, Element, Parents, Select};
use rustc_hash::FxHashMap;

use crate::mdmc::Tile;

/// The states of those demands on a level that the proposals take into account, in the order of the demands.
pub type TwistState = Vec<DemandState>;

/// For each column of a level, a value for each possible history; the history of a column is the list of the indices of the preceding columns.
pub type HistoryValues = Vec<FxHashMap<Vec<usize>, f64>>;

/// The tiles that can occur in a cell of a level, with their probabilities or weights.
pub type TileShares = Vec<(Tile, f64)>;

type TileFactor = Arc<dyn Fn(&TwistState, Tile) -> f64 + Send + Sync>;

/// Function that returns the factor by which demands multiply the probability of a column's tiles. The arguments of the function are the states of
/// the demands before the column, and the tiles of the column from top to bottom.
pub type ColumnFactor = Arc<dyn Fn(&TwistState, &[Tile]) -> f64 + Send + Sync>;

/// State of a demand on a level after some cells have been read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DemandState {
    /// State of the automaton that checks the demand.
    Open(Vec<u32>),
    /// States of the automata that check a demand made of several demands.
    Several(Vec<DemandState>),
    /// The demand is met.
    Met,
    /// The demand on the level can no longer be met.
    Broken,
}

figrs_core::value!(DemandState: state => match state {
    Self::Open(words) => words.heap_bytes(),
    Self::Several(states) => states.iter().map(|state| size_of::<Self>() + state.heap_bytes()).sum(),
    Self::Met | Self::Broken => 0,
});

/// Factors by which demands on a level twist (change) the probabilities with which the level's tiles are proposed. The product of all factors along a
/// level is the weight that the demands give the level; this product does not depend on the [`value`](Self::value)s of intermediate states.
pub trait TwistingFunctions: Debug + Send + Sync {
    /// Returns the number of rows of the level.
    fn height(&self) -> usize;

    /// Returns the states of the demands before the first cell of the level is read.
    fn start(&self) -> TwistState;

    /// True if a demand allows only tiles that occurred in training together with the tiles of their neighbours.
    fn seen(&self) -> bool;

    /// Returns the tile that a demand requires in the cell `cell`; `None` if no demand requires a certain tile in this cell.
    fn placed(&self, cell: (usize, usize)) -> Option<Tile>;

    /// Returns the factor by which demands multiply the probability of `tile` in `cell`, independently of earlier tiles.
    fn own(&self, cell: (usize, usize), tile: Tile) -> f64;

    /// True if the factors of the demands differ between the tiles of `cell`, or if the tile of `cell` may change the state of a demand.
    fn twists(&self, cell: (usize, usize)) -> bool;

    /// True if the tile of `cell` may change the state of a demand.
    fn moves(&self, cell: (usize, usize)) -> bool;

    /// True if some demand has a state that changes along the level, because the demand also depends on earlier tiles.
    fn has_states(&self) -> bool;

    /// Returns the states of the demands' automata after they have read `tile` in `cell`; `state` has their states before `cell`.
    fn after(&self, cell: (usize, usize), state: &TwistState, tile: Tile) -> TwistState;

    /// Returns the value of the states `state` of the demands before `cell`: the product of a value for each demand's state.
    fn value(&self, cell: (usize, usize), state: &TwistState) -> f64;

    /// Returns the factor by which demands multiply the probability of `tile` in `cell`, divided by the factor [`own`](Self::own), which is
    /// independent of earlier tiles.
    fn ahead_factor(&self, cell: (usize, usize), state: &TwistState, tile: Tile) -> f64;

    /// Returns, for a model that draws whole columns, the value of each history (the list of the preceding columns). The values of the histories are
    /// computed once and stored.
    fn histories(&self) -> &OnceLock<Arc<HistoryValues>>;

    /// Returns the factor by which demands multiply the probability of `tile` in `cell`, given the earlier tiles.
    fn factor(&self, cell: (usize, usize), state: &TwistState, tile: Tile) -> f64 {
        let own = self.own(cell, tile);
        if own <= 0.0 {
            return 0.0;
        }
        own * self.ahead_factor(cell, state, tile)
    }
}

/// Draws a tile with a probability proportional to its weight. If all weights of tiles are zero, the drawn tile is arbitrary, because the particle
/// has weight zero anyway.
fn propose(shares: &TileShares) -> Element<Tile> {
    if shares.is_empty() {
        return Constant::new(Tile::EMPTY);
    }
    Select::new(shares.iter().map(|&(tile, share)| (share, tile)))
}

fn ratio(after: f64, before: f64) -> f64 {
    if before > 0.0 { after / before } else { 0.0 }
}

/// The states of the demands after those columns of a level whose elements have been built.
#[derive(Debug)]
pub struct Twist {
    functions: Arc<dyn TwistingFunctions>,
    state: Element<TwistState>,
}

impl Twist {
    /// Creates the states of the demands before the first column of a level.
    pub fn new(functions: Arc<dyn TwistingFunctions>) -> Self {
        let state = Constant::new(functions.start());
        Self { functions, state }
    }

    /// Returns the element for the states of the demands before the next cell is read.
    pub fn state(&self) -> &Element<TwistState> {
        &self.state
    }

    /// Returns the element for the value of the demands' states before the first cell; this value multiplies the weight of the first column.
    pub fn start(&self) -> Element<f64> {
        let functions = Arc::clone(&self.functions);
        let first = (functions.height() - 1, 0);
        self.state.map(move |state| functions.value(first, state))
    }

    /// True if a demand allows only tiles that occurred in training together with the tiles of their neighbours.
    pub fn seen(&self) -> bool {
        self.functions.seen()
    }

    /// Returns the tile that a demand requires in the cell `cell`; `None` if no demand requires a certain tile in this cell.
    pub fn placed(&self, cell: (usize, usize)) -> Option<Tile> {
        self.functions.placed(cell)
    }

    /// Returns the function that gives each tile of `cell` the factor of the demands; `None` if all tiles have the same factor and change no state of
    /// a demand.
    fn factor_of(&self, cell: (usize, usize)) -> Option<TileFactor> {
        let functions = Arc::clone(&self.functions);
        let factor = move |state: &TwistState, tile| functions.factor(cell, state, tile);
        self.functions.twists(cell).then(|| Arc::new(factor) as _)
    }

    /// Returns the factor by which demands multiply the probability of `tile` in `cell`, independently of earlier tiles.
    pub fn own(&self, cell: (usize, usize), tile: Tile) -> f64 {
        self.functions.own(cell, tile)
    }

    /// Proposes the tile of `cell`, and returns the tile with the weight of the proposal. The weight of each tile in `shares` must already be the
    /// product of the model's weight and the demands' factor [`own`](Self::own).
    ///
    /// Do not call `proposed` for a cell in which a demand requires a certain tile.
    pub fn proposed(
        &mut self,
        cell: (usize, usize),
        shares: impl FnOnce() -> Element<TileShares>,
    ) -> (Element<Tile>, Element<f64>) {
        let functions = Arc::clone(&self.functions);
        let factor = move |state: &TwistState, tile| functions.ahead_factor(cell, state, tile);
        self.propose(cell, &shares(), factor)
    }

    fn propose(
        &mut self,
        cell: (usize, usize),
        shares: &Element<TileShares>,
        factor: impl Fn(&TwistState, Tile) -> f64 + Send + Sync + 'static,
    ) -> (Element<Tile>, Element<f64>) {
        let both = (shares, &self.state);
        let twisted = Parents::map(&both, move |(shares, state): (&TileShares, &TwistState)| {
            let shares = shares.iter();
            let twisted = shares.map(|&(tile, share)| (tile, share * factor(state, tile)));
            twisted.filter(|&(_, share)| share > 0.0).collect()
        });
        let weight =
            twisted.map(|shares: &TileShares| shares.iter().map(|&(_, share)| share).sum::<f64>());
        let tile = twisted.flat_map(propose);
        self.read(cell, &tile);
        (tile, weight)
    }

    /// Proposes the tile of `cell` with probabilities proportional to its weight in `shares` times the factor of the demands, and returns the tile
    /// with the weight of the proposal. If a demand requires a certain tile in the cell, the tile is the result of `plain`, and its weight is the
    /// factor of the demands. If no demand depends on the cell, its tile is the result of `plain`, without a weight.
    pub fn tile(
        &mut self,
        cell: (usize, usize),
        plain: impl FnOnce() -> Element<Tile>,
        shares: impl FnOnce() -> Element<TileShares>,
    ) -> (Element<Tile>, Option<Element<f64>>) {
        let Some(factor) = self.factor_of(cell) else {
            return (plain(), None);
        };
        if self.placed(cell).is_none() {
            let (tile, weight) =
                self.propose(cell, &shares(), move |state, tile| factor(state, tile));
            return (tile, Some(weight));
        }
        let tile = plain();
        let of = move |(state, &tile): (&TwistState, &Tile)| factor(state, tile);
        let weight = Parents::map(&(&self.state, &tile), of);
        self.read(cell, &tile);
        (tile, Some(weight))
    }

    fn read(&mut self, cell: (usize, usize), tile: &Element<Tile>) {
        if !self.functions.moves(cell) {
            return;
        }
        let functions = Arc::clone(&self.functions);
        self.state = Parents::map(
            &(&self.state, tile),
            move |(state, &tile): (&TwistState, &Tile)| functions.after(cell, state, tile),
        );
    }

    /// Returns, for a model that draws whole columns, the value of each history (the list of the preceding columns); `compute` computes these values
    /// on the first call.
    pub fn history_values(&self, compute: impl FnOnce() -> HistoryValues) -> Arc<HistoryValues> {
        let values = self.functions.histories();
        Arc::clone(values.get_or_init(|| Arc::new(compute())))
    }

    /// Returns the function that computes the factor by which demands multiply the probability of the level's column `column`.
    pub fn column_factor(&self, column: usize) -> ColumnFactor {
        let functions = Arc::clone(&self.functions);
        Arc::new(move |state: &TwistState, tiles: &[Tile]| {
            let (mut own, mut states) = (1.0, state.clone());
            for row in (0..functions.height()).rev() {
                let (cell, placed) = ((row, column), functions.placed((row, column)));
                let tile = placed.unwrap_or(tiles[row]);
                own *= functions.own(cell, tile);
                if own <= 0.0 {
                    return 0.0;
                }
                states = functions.after(cell, &states, tile);
            }
            let first = |column| (functions.height() - 1, column);
            let before = functions.value(first(column), state);
            own * ratio(functions.value(first(column + 1), &states), before)
        })
    }

    /// Returns the factor by which demands multiply the probability that the level's column `column` has the tiles `tiles`, independently of earlier
    /// columns.
    pub fn own_column_factor(&self, column: usize, tiles: &[Tile]) -> f64 {
        let rows = tiles.iter().enumerate();
        let own = rows.map(|(row, &tile)| {
            let tile = self.functions.placed((row, column)).unwrap_or(tile);
            self.functions.own((row, column), tile)
        });
        own.product()
    }

    /// Updates the states of the demands after the level's column `column` has been read. The element `number` is the index of the column among the
    /// columns of the training levels, and `columns` returns the tiles of the column with a given index.
    pub fn read_column(
        &mut self,
        column: usize,
        number: &Element<usize>,
        columns: impl Fn(usize) -> Vec<Tile> + Send + Sync + 'static,
    ) {
        if !self.functions.has_states() {
            return;
        }
        let functions = Arc::clone(&self.functions);
        self.state = Parents::map(
            &(&self.state, number),
            move |(state, &number): (&TwistState, &usize)| {
                let tiles = columns(number);
                let rows = (0..functions.height()).rev();
                rows.fold(state.clone(), |state, row| {
                    let placed = functions.placed((row, column));
                    functions.after((row, column), &state, placed.unwrap_or(tiles[row]))
                })
            },
        );
    }
}
