//! Twists the proposals of a particle filter: tiles that help to meet the demands (requirements on a level) are proposed more often.

use std::sync::{Arc, OnceLock};

use figrs_models::mdmc::twist::{HistoryValues, TwistState, TwistingFunctions};
use figrs_models::mdmc::{LevelModel, Tile};

use super::demand::Demand;
use super::mask::Mask;
use super::pattern::Pattern;
use super::state_values::StateValues;
use super::statements::StatedDemand;

/// Twisted proposals of tiles: each tile is proposed in proportion to its probability under the model times a factor for the demands. The weight of
/// the particle is multiplied by the sum, over all tiles, of the tile's probability times the tile's factor.
///
/// For the demand that a level resembles a drawing, the factor of a tile that differs from the drawing is exp(-cost). For a demand with an automaton,
/// the factor of a tile is the [value](StateValues) of the automaton's state after the tile, divided by the value of the state before the tile. Along
/// a level, the product of these factors (the ratios of successive values) over all tiles is the factor by which the demand multiplies the weight of
/// the level. The weighted particles of a twisted filter therefore have the model's distribution given the demands.
///
/// **References.** Whiteley and Lee (2014), "Twisted particle filters", Annals of Statistics 42; Guarniero, Johansen and Lee (2017), "The iterated
/// auxiliary particle filter".
#[derive(Debug)]
pub(super) struct TwistedDemands {
    height: usize,
    state_values: Vec<StateValues>,
    near: Vec<(Mask, f64)>,
    pinned: Vec<Mask>,
    shaped: Vec<(Pattern, (usize, usize))>,
    placed: Mask,
    seen: bool,
    histories: OnceLock<Arc<HistoryValues>>,
}

impl TwistedDemands {
    /// Creates the twisted proposals for the demands on a level. Returns `None` in three cases: no demand changes the proposals and the weights of
    /// the model sum to one; a column of the model depends on columns to its right; or the model does not know a placed tile.
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
            state_values: Vec::new(),
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
        functions.state_values = automata
            .into_iter()
            .map(|(steps, unmet)| StateValues::new(steps, unmet, model.height(), &shares))
            .collect();
        Some(Arc::new(functions))
    }

    /// True if the twisted proposals account for the demand exactly, so that the demand needs no evidence.
    pub(super) fn covers(stated: &StatedDemand) -> bool {
        match &stated.demand {
            Demand::Pinned(_) => false,
            Demand::Shaped { pattern, .. } if pattern.forms().len() == 1 => false,
            Demand::Near { .. } => true,
            _ => stated.steps.is_some(),
        }
    }

    /// Returns the probabilities of the tiles of `cell` given those factors of the demands that concern single tiles, as if cells were independent.
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

    fn next(&self, (row, column): (usize, usize)) -> (usize, usize) {
        match row.checked_sub(1) {
            Some(above) => (above, column),
            None => (self.height - 1, column + 1),
        }
    }
}

impl TwistingFunctions for TwistedDemands {
    fn height(&self) -> usize {
        self.height
    }

    fn start(&self) -> TwistState {
        self.state_values.iter().map(StateValues::start).collect()
    }

    fn seen(&self) -> bool {
        self.seen && self.placed.tiles().next().is_none()
    }

    fn placed(&self, (row, column): (usize, usize)) -> Option<Tile> {
        self.placed.get(row, column)
    }

    fn moves(&self, cell: (usize, usize)) -> bool {
        self.state_values.iter().any(|values| values.moves(cell))
    }

    fn has_states(&self) -> bool {
        !self.state_values.is_empty()
    }

    fn histories(&self) -> &OnceLock<Arc<HistoryValues>> {
        &self.histories
    }

    fn own(&self, (row, column): (usize, usize), tile: Tile) -> f64 {
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

    fn twists(&self, (row, column): (usize, usize)) -> bool {
        let sets = |mask: &Mask| mask.get(row, column).is_some();
        let shapes = |(pattern, (top, left)): &(Pattern, (usize, usize))| {
            let cell = row.checked_sub(*top).zip(column.checked_sub(*left));
            cell.is_some_and(|cell| pattern.forms()[0].get(cell).is_some())
        };
        self.near.iter().any(|(mask, _)| sets(mask))
            || self.pinned.iter().any(sets)
            || self.shaped.iter().any(shapes)
            || self.moves((row, column))
    }

    fn after(&self, cell: (usize, usize), state: &TwistState, tile: Tile) -> TwistState {
        let all = self.state_values.iter().zip(state);
        all.map(|(values, state)| values.after(cell, state, tile))
            .collect()
    }

    fn value(&self, cell: (usize, usize), state: &TwistState) -> f64 {
        let all = self.state_values.iter().zip(state);
        all.map(|(values, state)| values.before(cell, state))
            .product()
    }

    fn ahead_factor(&self, cell: (usize, usize), state: &TwistState, tile: Tile) -> f64 {
        let next = self.next(cell);
        let ratios = self.state_values.iter().zip(state).map(|(values, state)| {
            if !values.moves(cell) {
                return 1.0;
            }
            let before = values.before(cell, state);
            let after = values.before(next, &values.after(cell, state, tile));
            ratio(after, before)
        });
        ratios.product()
    }
}

fn ratio(after: f64, before: f64) -> f64 {
    if before > 0.0 { after / before } else { 0.0 }
}

/// True unless the demand limits gaps to the width of the level; every level meets that demand.
pub(super) fn is_stated(demand: &Demand, width: usize) -> bool {
    !matches!(demand, Demand::MaximumGap(most) if *most >= width)
}
