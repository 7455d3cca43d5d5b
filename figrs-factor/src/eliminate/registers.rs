//! Registers of a join and their lifetimes.

use super::program::RegisterAdvance;

/// A register and its lifetime, in turns: a slot's turn is its position plus one, turn zero is before the first slot.
pub(super) struct Register {
    pub(super) base: usize,
    /// The turns that change the register, with the stride of each.
    pub(super) strides: Vec<(usize, usize)>,
    pub(super) first: usize,
    pub(super) last: usize,
    /// `true` if the register bounds a range of rows, which narrowing sets.
    pub(super) is_range: bool,
}

impl Register {
    /// A register that sums stride times value over these turns; it lives until the last of them.
    pub(super) fn new(base: usize, strides: Vec<(usize, usize)>) -> Self {
        let turns = || strides.iter().map(|s| s.0);
        let (first, last) = (turns().min().unwrap_or(0), turns().max().unwrap_or(0));
        Self {
            base,
            strides,
            first,
            last,
            is_range: false,
        }
    }

    /// A bound of a range of rows that narrows in these turns.
    pub(super) fn range(turns: &[usize]) -> Self {
        let strides = turns.iter().map(|&turn| (turn, 0)).collect();
        Self {
            is_range: true,
            ..Self::new(0, strides)
        }
    }

    /// The same register, living until another turn.
    pub(super) fn until(self, last: usize) -> Self {
        Self { last, ..self }
    }

    /// The stride of a register for the value assigned in a turn, if the turn changes it.
    pub(super) fn stride_at(&self, turn: usize) -> Option<usize> {
        self.strides.iter().find(|s| s.0 == turn).map(|s| s.1)
    }

    /// Change of an ordinary register in a turn, if it is live then.
    pub(super) fn advance(&self, register: usize, turn: usize) -> Option<RegisterAdvance> {
        let stride = self.stride_at(turn);
        let lives = self.first <= turn && turn <= self.last && !(self.is_range && stride.is_some());
        lives.then(|| RegisterAdvance {
            register,
            stride: stride.unwrap_or(0),
            start: (self.first == turn).then_some(self.base),
        })
    }
}
