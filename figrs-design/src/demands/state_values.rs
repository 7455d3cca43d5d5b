//! Estimates, for each state of the automaton of a demand (a requirement on a level), the probability that the rest of a level meets the demand, as
//! if cells were independent.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::statements::Steps;
use figrs_models::mdmc::Tile;
use figrs_models::mdmc::twist::DemandState;

/// Result of a backward pass over a demand's automaton: for each cell and each state of the automaton before this cell, the estimated probability
/// that the level meets the demand, as if cells were independent.
///
/// If a demand's automaton has too many states, the backward pass follows only the most probable states, and gives all other states the mean value of
/// these states. The target distribution of a twisted particle filter does not depend on the estimated probabilities, as long as they are positive;
/// better estimates make the weights of particles more even.
#[derive(Debug)]
pub(super) struct StateValues {
    steps: Arc<Steps>,
    height: usize,
    /// Factor that multiplies the weight of a level that does not meet the soft demand.
    unmet: f64,
    /// The estimated probabilities for the automaton's states before each cell, in the order in which cells are read; adjacent cells with equal
    /// estimates share one entry.
    before: Vec<Arc<PositionValues>>,
}

#[derive(Debug, Default)]
struct PositionValues {
    known: FxHashMap<DemandState, f64>,
    /// The estimated probability for all states of the automaton that are not keys of `known`.
    other: f64,
}

impl StateValues {
    /// Maximum product of the numbers of cells, automaton states and tiles in the backward pass for one demand.
    const WORK: usize = 3_000_000;
    /// Maximum number of automaton states that the backward pass follows.
    const STATES: usize = 256;
    /// Smallest estimated probability for a state of the automaton from which the demand may still be met.
    const LEAST: f64 = 1e-200;

    /// Computes the estimated probabilities for a level of `height` rows; `shares` returns the probabilities of the tiles in a cell.
    pub(super) fn new(
        steps: Arc<Steps>,
        unmet: f64,
        height: usize,
        shares: &dyn Fn((usize, usize)) -> Vec<(Tile, f64)>,
    ) -> Self {
        let mut state_values = Self {
            steps,
            height,
            unmet,
            before: Vec::new(),
        };
        let span = state_values.steps.reader().span();
        let cells: Vec<(usize, usize)> = span
            .flat_map(|column| (0..height).rev().map(move |row| (row, column)))
            .collect();
        let moves = cells
            .iter()
            .filter(|&&cell| state_values.moves(cell))
            .count();
        let tiles = cells.first().map_or(1, |&cell| shares(cell).len().max(1));
        let most = (Self::WORK / (moves * tiles).max(1)).clamp(16, Self::STATES);
        // The forward pass finds the states that the backward pass follows.
        let mut states = vec![(state_values.steps.reader().start(), 1.0)];
        let mut followed: Vec<Vec<(DemandState, f64)>> = Vec::with_capacity(moves);
        for &cell in cells.iter().filter(|&&cell| state_values.moves(cell)) {
            let mut places: FxHashMap<DemandState, usize> = FxHashMap::default();
            let mut next: Vec<(DemandState, f64)> = Vec::new();
            let shares = shares(cell);
            for (state, mass) in &states {
                for &(tile, share) in &shares {
                    let after = state_values.after(cell, state, tile);
                    if !is_open(&after) {
                        continue;
                    }
                    let place = *places.entry(after.clone()).or_insert_with(|| {
                        next.push((after, 0.0));
                        next.len() - 1
                    });
                    next[place].1 += mass * share;
                }
            }
            next.sort_by(|one, other| other.1.total_cmp(&one.1));
            next.truncate(most);
            followed.push(std::mem::replace(&mut states, next));
        }
        let mut values = Arc::new(PositionValues::default());
        let mut before = vec![Arc::clone(&values)];
        for &cell in cells.iter().rev() {
            if state_values.moves(cell) {
                let followed = followed.pop().unwrap_or_default();
                let shares = shares(cell);
                let (mut known, mut sums) = (FxHashMap::default(), (0.0, 0.0));
                for (state, mass) in followed {
                    let of = |&(tile, share): &(Tile, f64)| {
                        share * state_values.value(&values, &state_values.after(cell, &state, tile))
                    };
                    let mut value: f64 = shares.iter().map(of).sum();
                    if value > 0.0 {
                        value = value.max(Self::LEAST);
                    }
                    sums = (sums.0 + mass * value, sums.1 + mass);
                    known.insert(state, value);
                }
                let mean = if sums.1 > 0.0 { sums.0 / sums.1 } else { 0.0 };
                let other = mean.max(Self::LEAST);
                values = Arc::new(PositionValues { known, other });
            }
            before.push(Arc::clone(&values));
        }
        before.reverse();
        state_values.before = before;
        state_values
    }

    pub(super) fn moves(&self, (row, column): (usize, usize)) -> bool {
        let reader = self.steps.reader();
        reader.span().contains(&column) && (row == 0 || reader.reads(row, column))
    }

    pub(super) fn start(&self) -> DemandState {
        self.steps.reader().start()
    }

    /// Returns the automaton's state after reading the tile `tile`; if this tile is the last of its column, the state after the end of the column.
    pub(super) fn after(
        &self,
        (row, column): (usize, usize),
        state: &DemandState,
        tile: Tile,
    ) -> DemandState {
        let reader = self.steps.reader();
        if !reader.span().contains(&column) {
            return state.clone();
        }
        let read = reader.read((row, column), state, tile);
        if row == 0 {
            reader.end(column, &read)
        } else {
            read
        }
    }

    /// Returns the estimated probability for the automaton state `state` before a cell, or after the last column if the column of the cell is the
    /// width of the level.
    pub(super) fn before(&self, (row, column): (usize, usize), state: &DemandState) -> f64 {
        let span = self.steps.reader().span();
        let read = column.saturating_sub(span.start) * self.height + self.height - 1 - row;
        let read = if column < span.start { 0 } else { read };
        self.value(&self.before[read.min(self.before.len() - 1)], state)
    }

    fn value(&self, values: &PositionValues, state: &DemandState) -> f64 {
        match state {
            DemandState::Met => 1.0,
            DemandState::Broken => self.unmet,
            open => values.known.get(open).copied().unwrap_or(values.other),
        }
    }
}

fn is_open(state: &DemandState) -> bool {
    !matches!(state, DemandState::Met | DemandState::Broken)
}
