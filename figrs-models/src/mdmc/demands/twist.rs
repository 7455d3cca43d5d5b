//! Proposals of a particle filter that are twisted by what demands make of each tile.

use std::sync::{Arc, OnceLock};

use figrs_core::{Constant, Element, Parents, Select};

use rustc_hash::FxHashMap;

use super::ahead::AheadValues;
use super::automata::DemandState;
use super::demand::Demand;
use super::mask::Mask;
use super::pattern::Pattern;
use super::statements::StatedDemand;
use crate::mdmc::{LevelModel, Tile};

/// States of all demands that look ahead.
pub(in crate::mdmc) type TwistState = Vec<DemandState>;

/// For each column the value of each history of columns before it.
pub(in crate::mdmc) type HistoryValues = Vec<FxHashMap<Vec<usize>, f64>>;

/// Tiles that can stand in a cell, with their shares.
pub(in crate::mdmc) type TileShares = Vec<(Tile, f64)>;

/// The factor of a tile in a cell, by the states before it.
type TileFactor = Arc<dyn Fn(&TwistState, Tile) -> f64 + Send + Sync>;

/// The factor of a column, given from the top, by the states before it.
pub(in crate::mdmc) type ColumnFactor = Arc<dyn Fn(&TwistState, &[Tile]) -> f64 + Send + Sync>;

/// Twisting functions of demands: each tile is proposed in proportion to its probability under the model times what it makes of the demands, and the
/// particle is weighed by the sum of these products.
///
/// A drawing gives each tile its factor when it is drawn. A demand with an automaton gives it the ratio of the [values](AheadValues) of the states after and
/// before it. Along a level the product of these ratios is the factor of the demand, so that the law of the weighted particles is that of the model
/// given the demands, and the estimate of the evidence stays unbiased.
///
/// **References.** Whiteley and Lee (2014), "Twisted particle filters", Annals of Statistics 42; Guarniero, Johansen and Lee (2017), "The iterated
/// auxiliary particle filter".
#[derive(Debug)]
pub(in crate::mdmc) struct TwistingFunctions {
    height: usize,
    ahead: Vec<AheadValues>,
    near: Vec<(Mask, f64)>,
    pinned: Vec<Mask>,
    shaped: Vec<(Pattern, (usize, usize))>,
    placed: Mask,
    seen: bool,
    /// Values of the histories of a model of columns.
    histories: OnceLock<Arc<HistoryValues>>,
}

impl TwistingFunctions {
    /// Those of some demands; nothing if they have none and the model draws columns by itself, if it depends on columns to the right, or if it has no
    /// probability for a tile that is placed.
    pub(super) fn new(model: &LevelModel, demands: &[StatedDemand]) -> Option<Arc<Self>> {
        model.program().reach()?;
        let mut placed = Mask::free(model.height(), model.width());
        let (mut near, mut pinned, mut shaped) = (Vec::new(), Vec::new(), Vec::new());
        let mut automata = Vec::new();
        for stated in demands {
            match (&stated.demand, &stated.steps) {
                (Demand::Placed(mask), _) => {
                    for (row, column, tile) in mask.tiles() {
                        placed.set(row, column, tile);
                    }
                }
                (Demand::Near { drawing, cost }, _) => near.push((drawing.clone(), *cost)),
                (Demand::Pinned(mask), _) => pinned.push(mask.clone()),
                (
                    Demand::Shaped {
                        pattern,
                        row,
                        column,
                    },
                    _,
                ) if pattern.forms().len() == 1 => shaped.push((pattern.clone(), (*row, *column))),
                (Demand::Preferred { weight, .. }, Some(steps)) => {
                    automata.push((Arc::clone(steps), (-weight).exp()));
                }
                (demand, Some(steps)) if is_stated(demand, model.width()) => {
                    automata.push((Arc::clone(steps), 0.0));
                }
                _ => {}
            }
        }
        let is_normalised = model.program().is_normalised();
        let has_none = near.is_empty() && shaped.is_empty() && automata.is_empty();
        let is_known = |(_, _, tile): (usize, usize, Tile)| model.program().knows(tile);
        if has_none && is_normalised || !placed.tiles().all(is_known) {
            return None;
        }
        let mut functions = Self {
            height: model.height(),
            ahead: Vec::new(),
            near,
            pinned,
            shaped,
            placed,
            seen: demands.iter().any(|stated| stated.demand == Demand::Seen),
            histories: OnceLock::new(),
        };
        let rows: Vec<Vec<(Tile, f64)>> = (0..model.height())
            .map(|row| model.program().shares(row))
            .collect();
        let shares = |cell: (usize, usize)| functions.shares(&rows[cell.0], cell);
        let ahead = automata.into_iter();
        let ahead = ahead
            .map(|(steps, unmet)| AheadValues::new(steps, unmet, model.height(), &shares))
            .collect();
        functions.ahead = ahead;
        Some(Arc::new(functions))
    }

    /// True if a demand is stated by these functions alone.
    pub(super) fn covers(stated: &StatedDemand) -> bool {
        match &stated.demand {
            Demand::Pinned(_) => false,
            Demand::Shaped { pattern, .. } if pattern.forms().len() == 1 => false,
            Demand::Near { .. } => true,
            _ => stated.steps.is_some(),
        }
    }

    /// The shares of the tiles of a cell, were it independent of others.
    fn shares(&self, row: &[(Tile, f64)], cell: (usize, usize)) -> Vec<(Tile, f64)> {
        if let Some(tile) = self.placed.get(cell.0, cell.1) {
            return vec![(tile, 1.0)];
        }
        let each = row.iter();
        let each = each.map(|&(tile, share)| (tile, share * self.own(cell, tile)));
        let mut all: Vec<(Tile, f64)> = each.filter(|&(_, share)| share > 0.0).collect();
        let sum: f64 = all.iter().map(|&(_, share)| share).sum();
        for (_, share) in &mut all {
            *share /= sum;
        }
        all
    }

    /// The factor of a tile by itself.
    pub(in crate::mdmc) fn own(&self, (row, column): (usize, usize), tile: Tile) -> f64 {
        let is_set = |mask: &Mask| mask.get(row, column).is_some_and(|set| set != tile);
        if self.pinned.iter().any(is_set) {
            return 0.0;
        }
        let is_outside = |(pattern, (top, left)): &(Pattern, (usize, usize))| {
            let cell = row.checked_sub(*top).zip(column.checked_sub(*left));
            let class = cell.and_then(|cell| pattern.forms()[0].get(cell));
            class.is_some_and(|class| !class.contains(tile))
        };
        if self.shaped.iter().any(is_outside) {
            return 0.0;
        }
        let differing = self.near.iter().filter(|(mask, _)| is_set(mask));
        differing.map(|(_, cost)| (-cost).exp()).product()
    }

    /// True if tiles of a cell have different factors, or change a state.
    fn twists(&self, (row, column): (usize, usize)) -> bool {
        let sets = |mask: &Mask| mask.get(row, column).is_some();
        let shapes = |(pattern, (top, left)): &(Pattern, (usize, usize))| {
            let cell = row.checked_sub(*top).zip(column.checked_sub(*left));
            cell.is_some_and(|cell| pattern.forms()[0].get(cell).is_some())
        };
        self.near.iter().any(|(mask, _)| sets(mask))
            || self.pinned.iter().any(sets)
            || self.shaped.iter().any(shapes)
            || self.ahead.iter().any(|ahead| ahead.moves((row, column)))
    }

    fn after(&self, cell: (usize, usize), state: &TwistState, tile: Tile) -> TwistState {
        let all = self.ahead.iter().zip(state);
        all.map(|(ahead, state)| ahead.after(cell, state, tile))
            .collect()
    }

    /// The product of the values of the states before a cell.
    fn value(&self, cell: (usize, usize), state: &TwistState) -> f64 {
        let all = self.ahead.iter().zip(state);
        all.map(|(ahead, state)| ahead.before(cell, state))
            .product()
    }

    /// The cell that is read after another.
    fn next(&self, (row, column): (usize, usize)) -> (usize, usize) {
        match row.checked_sub(1) {
            Some(above) => (above, column),
            None => (self.height - 1, column + 1),
        }
    }

    fn factor(&self, cell: (usize, usize), state: &TwistState, tile: Tile) -> f64 {
        let own = self.own(cell, tile);
        if own <= 0.0 {
            return 0.0;
        }
        own * self.ahead_factor(cell, state, tile)
    }

    /// The factor without that of the tile by itself.
    fn ahead_factor(&self, cell: (usize, usize), state: &TwistState, tile: Tile) -> f64 {
        let next = self.next(cell);
        let ratios = self.ahead.iter().zip(state).map(|(ahead, state)| {
            if !ahead.moves(cell) {
                return 1.0;
            }
            let before = ahead.before(cell, state);
            let after = ahead.before(next, &ahead.after(cell, state, tile));
            ratio(after, before)
        });
        ratios.product()
    }
}

/// One of some tiles, in proportion to their shares; any, for a particle that weighs nothing.
fn propose(shares: &TileShares) -> Element<Tile> {
    if shares.is_empty() {
        return Constant::new(Tile::EMPTY);
    }
    Select::new(shares.iter().map(|&(tile, share)| (share, tile)))
}

/// Zero where a state has no value.
fn ratio(after: f64, before: f64) -> f64 {
    if before > 0.0 { after / before } else { 0.0 }
}

/// False for a gap as wide as the level, which needs no counting.
pub(super) fn is_stated(demand: &Demand, width: usize) -> bool {
    !matches!(demand, Demand::MaximumGap(most) if *most >= width)
}

/// The states of demands along some columns that are being built.
#[derive(Debug)]
pub(in crate::mdmc) struct Twist {
    functions: Arc<TwistingFunctions>,
    state: Element<TwistState>,
}

impl Twist {
    pub(super) fn new(functions: &Arc<TwistingFunctions>) -> Self {
        let start: TwistState = functions.ahead.iter().map(AheadValues::start).collect();
        Self {
            functions: Arc::clone(functions),
            state: Constant::new(start),
        }
    }

    /// The states before the next cell.
    pub(in crate::mdmc) fn state(&self) -> &Element<TwistState> {
        &self.state
    }

    /// The factor of the states before the first cell, which belongs to the first column.
    pub(in crate::mdmc) fn start(&self) -> Element<f64> {
        let functions = Arc::clone(&self.functions);
        let first = (functions.height - 1, 0);
        self.state.map(move |state| functions.value(first, state))
    }

    /// True if all must be as training showed it.
    pub(in crate::mdmc) fn seen(&self) -> bool {
        self.functions.seen && self.functions.placed.tiles().next().is_none()
    }

    /// The tile that is placed in a cell.
    pub(in crate::mdmc) fn placed(&self, (row, column): (usize, usize)) -> Option<Tile> {
        self.functions.placed.get(row, column)
    }

    /// The factor of the tiles of a cell; nothing if it is the same for all, and they change no state.
    fn factor_of(&self, cell: (usize, usize)) -> Option<TileFactor> {
        let functions = Arc::clone(&self.functions);
        let factor = move |state: &TwistState, tile| functions.factor(cell, state, tile);
        self.functions.twists(cell).then(|| Arc::new(factor) as _)
    }

    /// The factor of a tile by itself.
    pub(in crate::mdmc) fn own(&self, cell: (usize, usize), tile: Tile) -> f64 {
        self.functions.own(cell, tile)
    }

    /// The tile of a cell, and the weight that its proposal takes, from tiles with shares in which the factors by [themselves](Self::own) are already, as
    /// are those that the model weighs it with.
    ///
    /// Nothing is proposed for a tile that is placed.
    pub(in crate::mdmc) fn proposed(
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

    /// The tile of a cell, and the weight that its proposal takes: from the tiles that its parents give with their shares, or as the model draws it
    /// where no demand looks at the cell.
    pub(in crate::mdmc) fn tile(
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

    /// Goes on with the tile of a cell.
    fn read(&mut self, cell: (usize, usize), tile: &Element<Tile>) {
        if !self.functions.ahead.iter().any(|ahead| ahead.moves(cell)) {
            return;
        }
        let functions = Arc::clone(&self.functions);
        self.state = Parents::map(
            &(&self.state, tile),
            move |(state, &tile): (&TwistState, &Tile)| functions.after(cell, state, tile),
        );
    }

    /// The values of the histories of a model of columns, computed once.
    pub(in crate::mdmc) fn history_values(
        &self,
        compute: impl FnOnce() -> HistoryValues,
    ) -> Arc<HistoryValues> {
        let values = &self.functions.histories;
        Arc::clone(values.get_or_init(|| Arc::new(compute())))
    }

    /// The factor of a column.
    pub(in crate::mdmc) fn column_factor(&self, column: usize) -> ColumnFactor {
        let functions = Arc::clone(&self.functions);
        Arc::new(move |state: &TwistState, tiles: &[Tile]| {
            let (mut own, mut states) = (1.0, state.clone());
            for row in (0..functions.height).rev() {
                let (cell, placed) = ((row, column), functions.placed.get(row, column));
                let tile = placed.unwrap_or(tiles[row]);
                own *= functions.own(cell, tile);
                if own <= 0.0 {
                    return 0.0;
                }
                states = functions.after(cell, &states, tile);
            }
            let first = |column| (functions.height - 1, column);
            let before = functions.value(first(column), state);
            own * ratio(functions.value(first(column + 1), &states), before)
        })
    }

    /// The factor of a column by itself.
    pub(in crate::mdmc) fn own_column_factor(&self, column: usize, tiles: &[Tile]) -> f64 {
        let rows = tiles.iter().enumerate();
        let own = rows.map(|(row, &tile)| {
            let tile = self.functions.placed.get(row, column).unwrap_or(tile);
            self.functions.own((row, column), tile)
        });
        own.product()
    }

    /// Goes on with a column, given by its number among some.
    pub(in crate::mdmc) fn read_column(
        &mut self,
        column: usize,
        number: &Element<usize>,
        columns: impl Fn(usize) -> Vec<Tile> + Send + Sync + 'static,
    ) {
        if self.functions.ahead.is_empty() {
            return;
        }
        let functions = Arc::clone(&self.functions);
        self.state = Parents::map(
            &(&self.state, number),
            move |(state, &number): (&TwistState, &usize)| {
                let tiles = columns(number);
                let rows = (0..functions.height).rev();
                rows.fold(state.clone(), |state, row| {
                    let placed = functions.placed.get(row, column);
                    functions.after((row, column), &state, placed.unwrap_or(tiles[row]))
                })
            },
        );
    }
}
