//! Constraint on the number of cells of a grid whose value is `true`.

use std::ops::RangeInclusive;

use super::{Automaton, Position, Size};

/// Bounds on the number of cells of a grid with the value `true`. The state of the automaton is the number of `true` cells read so far.
///
/// **Complexity.** The automaton has one state for each number of `true` cells read so far from which the bounds can still be met.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    least: u32,
    most: u32,
    /// The number up to which the state of the automaton counts `true` cells; all larger numbers lead to the same state.
    enough: u32,
}

impl Count {
    /// Accepts any number of `true` cells. The state of the automaton is the number of `true` cells, so that queries can ask for this number.
    pub fn any() -> Self {
        Self::between(0, u32::MAX)
    }

    /// Requires exactly `count` cells with the value `true`.
    pub fn exactly(count: u32) -> Self {
        Self::between(count, count)
    }

    /// Requires at least `count` cells with the value `true`. The state of the automaton counts `true` cells up to `count` only.
    pub fn at_least(count: u32) -> Self {
        Self {
            enough: count,
            ..Self::between(count, u32::MAX)
        }
    }

    /// Requires at most `count` cells with the value `true`.
    pub fn at_most(count: u32) -> Self {
        Self::between(0, count)
    }

    /// Requires at least `least` and at most `most` cells with the value `true`. If `most` is `u32::MAX`, the state of the automaton counts all
    /// `true` cells.
    pub fn between(least: u32, most: u32) -> Self {
        Self {
            least,
            most,
            enough: u32::MAX,
        }
    }

    /// Requires that the number of `true` cells among `cells` cells is in `range`.
    pub fn within(range: &RangeInclusive<u32>, cells: usize) -> Self {
        let (least, most) = (*range.start(), *range.end());
        if most as usize >= cells {
            Self::at_least(least)
        } else {
            Self::between(least, most)
        }
    }
}

impl Automaton<bool> for Count {
    type State = u32;

    fn start(&self) -> u32 {
        0
    }

    fn step(&self, _: Position, count: &u32, cell: &bool) -> Option<u32> {
        let count = count.saturating_add(u32::from(*cell)).min(self.enough);
        (count <= self.most).then_some(count)
    }

    fn accepts(&self, count: &u32) -> bool {
        (self.least..=self.most).contains(count)
    }

    fn most_columns(&self) -> usize {
        Size::AUTOMATON_ROWS
    }
}
