//! Literals over atoms: an atom states that a variable has a certain value, and a literal is an atom or its negation.

use std::ops::Not;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct AtomLiteral(u32);

impl AtomLiteral {
    /// Returns the literal that is true if and only if the atom has the truth value `value`.
    pub(super) fn new(atom: u32, value: bool) -> Self {
        Self(atom << 1 | u32::from(!value))
    }

    pub(super) fn atom(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// True if the literal is a positive atom; false if it is the negation of an atom.
    pub(super) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// Returns the index of the literal in lists with an entry for each literal; the two literals of an atom are adjacent.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

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
