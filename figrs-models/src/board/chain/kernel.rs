//! A single Markov chain of boards.

use figrs_core::Value;
use rand::{Rng, RngExt};

use super::RuledCells;

/// A Markov chain of boards, whose Metropolis-Hastings steps change one cell, exchange the values of two cells, or are [proposed](super::BoardMoves)
/// by the puzzle.
///
/// The weight of a board is the product of the weights of its cells and of `exp(-penalty * violation)`, where `violation` is the sum of the
/// violations of all rules. A step of the Markov chain uniformly chooses a cell and its new value, or two cells whose values are exchanged: two
/// adjacent cells, or two cells anywhere with different values. Two cells that exchange values must have the same possible values. The new board is
/// accepted with a probability equal to the ratio of its weight to the old board's weight, at most one. If the penalty for violated rules is
/// infinite, no accepted board violates the rules more than the board before.
///
/// **Guarantee.** The distribution with probabilities proportional to the weights of boards is stationary, because proposals are symmetric. If the
/// penalty for violated rules is infinite and the first board follows all rules, the stationary distribution is that of the boards that follow all
/// rules. If the penalty for violated rules is finite and no rule forbids a board, every board can be reached from every other board.
pub(super) struct BoardKernel<C> {
    pub(super) ruled: RuledCells<C>,
    pub(super) cells: Vec<C>,
    /// For each cell, the index of its value in the list of its possible values.
    pub(super) values: Vec<u16>,
    pub(super) free: Vec<usize>,
    /// For each kind of cell (cells with the same possible values and weights) and each value, the list of cells with this value; filled only if a
    /// step may exchange two cells.
    pools: Vec<Vec<Vec<u32>>>,
    /// For each cell, its index in that list of `pools` that contains the cell.
    places: Vec<u32>,
    pub(super) violation: u32,
    pub(super) penalty: f64,
    /// The changes that the puzzle proposes for a step of the Markov chain: cells with the indices of their new values.
    pub(super) joint: Vec<(usize, u16)>,
    /// The changes in `joint`, with the new values themselves instead of their indices.
    drawn: Vec<(usize, C)>,
    /// The cells that a step of the Markov chain changes, and the values of these cells before the step.
    indices: Vec<usize>,
    before: Vec<u16>,
}

/// Number of cells that rules can examine in the time that one proposal takes.
const LOOKED_AT: u64 = 8;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BoardMove {
    Redraw {
        at: usize,
        value: u16,
    },
    Exchange {
        at: usize,
        other: usize,
    },
    /// Makes the changes of cells that the puzzle proposes.
    Joint,
}

impl<C: Value> BoardKernel<C> {
    /// Creates a Markov chain that starts from the board `cells`; `None` if a rule forbids the board, if the number of cells is wrong, or if a cell
    /// cannot have its value.
    pub(super) fn new(mut ruled: RuledCells<C>, cells: Vec<C>, penalty: f64) -> Option<Self> {
        if cells.len() != ruled.size.cells() {
            return None;
        }
        let values = cells.iter().enumerate().map(|(at, cell)| {
            let mut values = ruled.choice(at).values.iter();
            Some(values.position(|value| value.same(cell))? as u16)
        });
        let values = values.collect::<Option<Vec<u16>>>()?;
        let free = (0..cells.len()).filter(|&at| ruled.choice(at).values.len() > 1);
        let free = free.collect();
        let mut violation = 0u32;
        for rule in &mut ruled.rules {
            violation = violation.saturating_add(rule.read(&cells)?);
        }
        let pools = ruled.kinds.iter();
        let mut chain = Self {
            pools: pools
                .map(|kind| vec![Vec::new(); kind.values.len()])
                .collect(),
            places: vec![0; cells.len()],
            violation,
            ruled,
            cells,
            values,
            free,
            penalty,
            joint: Vec::new(),
            drawn: Vec::new(),
            indices: Vec::new(),
            before: Vec::new(),
        };
        for at in 0..chain.values.len() {
            chain.pool(at);
        }
        if let Some(moves) = &mut chain.ruled.moves {
            moves.read(&chain.cells);
        }
        Some(chain)
    }

    /// Makes one step of the Markov chain for each cell that may change or, if the puzzle proposes the changes, as many steps as
    /// [`BoardMoves::proposals`](super::BoardMoves::proposals) returns. Returns the number of proposed changes of cells, plus one for every
    /// [`LOOKED_AT`] cells that rules and proposals of the puzzle examined. The sweep over the cells stops early once `goes_on` returns false,
    /// because a sweep of a large board may take seconds.
    pub(super) fn sweep<R: Rng + ?Sized>(
        &mut self,
        rng: &mut R,
        goes_on: &dyn Fn() -> bool,
    ) -> u64 {
        let (free, mut joint) = (self.free.len(), 0);
        let moves = self.ruled.moves.as_ref();
        let steps = moves.map_or(free, |moves| moves.proposals(free));
        for _ in 0..steps {
            if !goes_on() {
                break;
            }
            if let Some(step) = self.proposed(rng) {
                self.step(step, || rng.random());
                joint += self.joint.len();
            }
        }
        let rules = self.ruled.rules.iter_mut();
        let by_rules: u64 = rules.map(|rule| rule.looked_at()).sum();
        let moves = self.ruled.moves.as_mut();
        let by_moves = moves.map_or(0, |moves| moves.looked_at());
        steps.max(1).max(joint) as u64 + (by_rules + by_moves) / LOOKED_AT
    }

    fn proposed<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Option<BoardMove> {
        if self.ruled.moves.is_some() {
            let is_proposed = self.propose(&mut |number| rng.random_range(0..number));
            return is_proposed.then_some(BoardMove::Joint);
        }
        let at = self.free[rng.random_range(0..self.free.len())];
        if self.ruled.exchanges && rng.random() {
            let other = if rng.random() {
                self.of_another_value(at, rng)?
            } else {
                let (size, side) = (self.ruled.size, rng.random_range(0..4));
                let column = at % size.columns();
                match side {
                    0 => at.checked_sub(size.columns())?,
                    1 if column > 0 => at - 1,
                    2 if column + 1 < size.columns() => at + 1,
                    3 if at + size.columns() < size.cells() => at + size.columns(),
                    _ => return None,
                }
            };
            return Some(BoardMove::Exchange { at, other });
        }
        let values = self.ruled.choice(at).values.len() as u16;
        let turn = if values == 2 {
            1
        } else {
            rng.random_range(1..values)
        };
        let value = (self.values[at] + turn) % values;
        Some(BoardMove::Redraw { at, value })
    }

    /// Requests a proposal from the puzzle, with `choose` as the source of random numbers; returns false if the puzzle proposes nothing, or an
    /// impossible value.
    pub(super) fn propose(&mut self, choose: &mut dyn FnMut(usize) -> usize) -> bool {
        self.drawn.clear();
        self.joint.clear();
        if let Some(moves) = &mut self.ruled.moves {
            moves.propose(&self.cells, choose, &mut self.drawn);
        }
        for (at, value) in &self.drawn {
            let mut values = self.ruled.choice(*at).values.iter();
            let Some(value) = values.position(|known| known.same(value)) else {
                return false;
            };
            self.joint.push((*at, value as u16));
        }
        !self.joint.is_empty()
    }

    /// Draws a random cell, uniformly, of the same kind as the cell `at` but with another value. The exchange of two cells' values is as likely as
    /// its reverse, because it does not change the number of cells with each value.
    fn of_another_value<R: Rng + ?Sized>(&self, at: usize, rng: &mut R) -> Option<usize> {
        let pools = &self.pools[self.ruled.kind_of[at] as usize];
        let others = || {
            let pools = pools.iter().enumerate();
            pools.filter(|&(value, _)| value != usize::from(self.values[at]))
        };
        let all: usize = others().map(|(_, pool)| pool.len()).sum();
        if all == 0 {
            return None;
        }
        let mut chosen = rng.random_range(0..all);
        for (_, pool) in others() {
            match pool.get(chosen) {
                Some(&other) => return Some(other as usize),
                None => chosen -= pool.len(),
            }
        }
        None
    }

    /// Makes the step `step` of the Markov chain if the number `chance`, drawn uniformly from 0 to 1, is less than the ratio of the new board's
    /// weight to the old board's weight.
    pub(super) fn step(&mut self, step: BoardMove, chance: impl FnOnce() -> f64) -> bool {
        let mut changed = [(0, 0); 2];
        let joint = std::mem::take(&mut self.joint);
        let (changed, ratio) = match step {
            BoardMove::Redraw { at, value } => {
                changed[0] = (at, value);
                (&changed[..1], self.log_ratio(at, value))
            }
            BoardMove::Exchange { at, other } => {
                let (one, two) = (self.values[at], self.values[other]);
                if one == two || self.ruled.kind_of[at] != self.ruled.kind_of[other] {
                    return false;
                }
                changed = [(at, two), (other, one)];
                (&changed[..], 0.0)
            }
            BoardMove::Joint => {
                let logs = joint.iter();
                let logs = logs.map(|&(at, value)| self.log_ratio(at, value));
                (&joint[..], logs.sum())
            }
        };
        let is_taken = self.weigh(changed, ratio, chance);
        self.joint = joint;
        is_taken
    }

    /// Returns the logarithm of the ratio of the weight of `value` in the cell `at` to the weight of the cell's present value.
    fn log_ratio(&self, at: usize, value: u16) -> f64 {
        let choice = self.ruled.choice(at);
        if choice.is_even {
            return 0.0;
        }
        choice.logs[usize::from(value)] - choice.logs[usize::from(self.values[at])]
    }

    /// Decides by Metropolis's rule whether the changes `changed` are accepted, and makes accepted changes; `ratio` is the logarithm of the ratio of
    /// the new weights of the changed cells to their old weights.
    fn weigh(
        &mut self,
        changed: &[(usize, u16)],
        ratio: f64,
        chance: impl FnOnce() -> f64,
    ) -> bool {
        // The largest violation at which the new board is accepted.
        let most = if ratio >= 0.0 && self.penalty == f64::INFINITY {
            i64::from(self.violation)
        } else {
            let log = ratio - chance().ln();
            let more = if self.penalty == f64::INFINITY {
                // At an equal violation the weights of the cells decide; a board with a smaller violation is always accepted.
                if log > 0.0 { 0.0 } else { -1.0 }
            } else {
                (log / self.penalty).floor().clamp(-1e15, 1e15)
            };
            i64::from(self.violation) + more as i64
        };
        if most < 0 {
            return false;
        }
        self.change_within(changed, most as u64)
    }

    /// Makes the changes `changed` of cells unless the new board's violation of the rules exceeds `most`.
    fn change_within(&mut self, changed: &[(usize, u16)], most: u64) -> bool {
        let mut indices = std::mem::take(&mut self.indices);
        indices.clear();
        self.before.clear();
        for &(at, value) in changed {
            indices.push(at);
            self.before.push(self.values[at]);
            self.set(at, value);
        }
        let (mut sum, mut read) = (0u64, 0);
        for rule in &mut self.ruled.rules {
            read += 1;
            let violation = rule.change(&self.cells, &indices);
            sum = violation.map_or(u64::MAX, |violation| sum + u64::from(violation));
            if sum > most {
                break;
            }
        }
        let is_taken = sum <= most;
        if is_taken {
            self.violation = u32::try_from(sum).unwrap_or(u32::MAX);
            if let Some(moves) = &mut self.ruled.moves {
                moves.follow(&self.cells, &indices);
            }
        } else {
            let before = std::mem::take(&mut self.before);
            for (&at, &value) in indices.iter().zip(&before) {
                self.set(at, value);
            }
            self.before = before;
            for rule in &mut self.ruled.rules[..read] {
                rule.undo(&self.cells, &indices);
            }
        }
        self.indices = indices;
        is_taken
    }

    fn set(&mut self, at: usize, value: u16) {
        if self.ruled.exchanges {
            let pool = &mut self.pools[self.ruled.kind_of[at] as usize];
            let pool = &mut pool[usize::from(self.values[at])];
            let place = self.places[at];
            pool.swap_remove(place as usize);
            if let Some(&moved) = pool.get(place as usize) {
                self.places[moved as usize] = place;
            }
        }
        self.values[at] = value;
        self.cells[at] = self.ruled.choice(at).values[usize::from(value)].clone();
        self.pool(at);
    }

    fn pool(&mut self, at: usize) {
        if self.ruled.exchanges {
            let pool = &mut self.pools[self.ruled.kind_of[at] as usize];
            let pool = &mut pool[usize::from(self.values[at])];
            self.places[at] = pool.len() as u32;
            pool.push(at as u32);
        }
    }
}
