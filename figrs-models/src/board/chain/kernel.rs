//! One Markov chain of boards.

use figrs_core::Value;
use rand::{Rng, RngExt};

use super::RuledCells;

/// A Markov chain of boards: Metropolis-Hastings steps that give a cell another value, or exchange two.
///
/// A board has the weight of its independent cells, times `exp(-penalty * violation)` with the sum of the violations of all rules. A step
/// chooses a cell and another of its values, all alike; or two cells with the same choices, anywhere or side by side. The board that results is
/// accepted with the ratio of the weights, or one if that is more. With an infinite penalty the violation never grows.
///
/// **Guarantee.** Proposals are symmetric, so that the law with these weights is stationary; with an infinite penalty from a board without violation,
/// the law given that all rules are kept. With a finite penalty, where no rule forbids a board, any board leads to any other.
pub(super) struct BoardKernel<C> {
    pub(super) ruled: RuledCells<C>,
    pub(super) cells: Vec<C>,
    /// For each cell the index of its value among those it may have.
    values: Vec<u16>,
    /// The cells with more than one.
    pub(super) free: Vec<usize>,
    /// The sum of the violations of all rules.
    pub(super) violation: u32,
    pub(super) penalty: f64,
}

/// The step that is proposed: for each cell that changes its new value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BoardMove {
    Redraw { at: usize, value: u16 },
    Exchange { at: usize, other: usize },
}

impl<C: Value> BoardKernel<C> {
    /// A chain that starts from a board; `None` if a rule forbids it, or it has another length or values that its cells may not have.
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
        Some(Self {
            violation,
            ruled,
            cells,
            values,
            free,
            penalty,
        })
    }

    /// As many steps as there are cells that may change.
    pub(super) fn sweep<R: Rng + ?Sized>(&mut self, rng: &mut R) {
        for _ in 0..self.free.len() {
            if let Some(step) = self.proposed(rng) {
                self.step(step, || rng.random());
            }
        }
    }

    fn proposed<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<BoardMove> {
        let at = self.free[rng.random_range(0..self.free.len())];
        if self.ruled.exchanges && rng.random() {
            let other = if rng.random() {
                self.free[rng.random_range(0..self.free.len())]
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

    /// Takes a step if it is accepted: with the probability of a `chance`, drawn uniformly from 0 to 1, being less than the ratio of weights.
    pub(super) fn step(&mut self, step: BoardMove, chance: impl FnOnce() -> f64) -> bool {
        let (changed, ratio) = match step {
            BoardMove::Redraw { at, value } => {
                let choice = self.ruled.choice(at);
                let (old, new) = (usize::from(self.values[at]), usize::from(value));
                let ratio = match choice.is_even {
                    true => 0.0,
                    false => choice.logs[new] - choice.logs[old],
                };
                ([(at, value); 2], ratio)
            }
            BoardMove::Exchange { at, other } => {
                let (one, two) = (self.values[at], self.values[other]);
                if one == two || self.ruled.kind_of[at] != self.ruled.kind_of[other] {
                    return false;
                }
                ([(at, two), (other, one)], 0.0)
            }
        };
        let changed = match step {
            BoardMove::Redraw { .. } => &changed[..1],
            BoardMove::Exchange { .. } => &changed[..],
        };
        // The largest violation that is accepted.
        let most = if ratio >= 0.0 && self.penalty == f64::INFINITY {
            i64::from(self.violation)
        } else {
            let log = ratio - chance().ln();
            let more = if self.penalty == f64::INFINITY {
                // With the same violation the weights of cells decide; with a smaller one nothing does.
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

    /// Changes cells if the violation is then at most this.
    fn change_within(&mut self, changed: &[(usize, u16)], most: u64) -> bool {
        let mut indices = [0; 2];
        let mut before = [0; 2];
        for (place, &(at, value)) in changed.iter().enumerate() {
            (indices[place], before[place]) = (at, self.values[at]);
            self.set(at, value);
        }
        let indices = &indices[..changed.len()];
        let (mut sum, mut read) = (0u64, 0);
        for rule in &mut self.ruled.rules {
            read += 1;
            let violation = rule.change(&self.cells, indices);
            sum = violation.map_or(u64::MAX, |violation| sum + u64::from(violation));
            if sum > most {
                break;
            }
        }
        if sum <= most {
            self.violation = u32::try_from(sum).unwrap_or(u32::MAX);
            return true;
        }
        for (&at, &value) in indices.iter().zip(&before) {
            self.set(at, value);
        }
        for rule in &mut self.ruled.rules[..read] {
            rule.undo(&self.cells, indices);
        }
        false
    }

    fn set(&mut self, at: usize, value: u16) {
        self.values[at] = value;
        self.cells[at] = self.ruled.choice(at).values[usize::from(value)].clone();
    }
}
