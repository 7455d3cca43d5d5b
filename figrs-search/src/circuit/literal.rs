//! Literals over atoms: statements that a variable has a value, and their negations.

use std::ops::Not;

/// An atom or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct AtomLiteral(u32);

impl AtomLiteral {
    /// The literal of an atom that is true if and only if the atom is `value`.
    pub(super) fn new(atom: u32, value: bool) -> Self {
        Self(atom << 1 | u32::from(!value))
    }

    pub(super) fn atom(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// True for an atom, false for a negation.
    pub(super) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// Position in lists of all literals; the two literals of an atom are neighbours.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal at a position.
    pub(super) fn at(index: usize) -> Self {
        Self(index as u32)
    }
}

impl Not for AtomLiteral {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}
