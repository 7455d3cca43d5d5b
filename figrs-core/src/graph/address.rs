//! Addresses: identities of elements that are the same in every run of a program.

use std::fmt;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::value::datum::Datum;

/// Address of an element in a program: the path of parents, `Chain` elements and parent values that leads to the element from the roots (targets and
/// elements with evidence).
///
/// The same program gives the same addresses in every run and on every thread, also for elements created inside `Chain` elements. An
/// [`ElementId`](crate::ElementId), unlike an address, differs from run to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(u64);

impl Address {
    fn step(from: u64, kind: u8, detail: u64) -> Self {
        let mut hasher = FxHasher::default();
        (from, kind, detail).hash(&mut hasher);
        Self(hasher.finish())
    }

    pub(crate) fn root(position: usize) -> Self {
        Self::step(0, 0, position as u64)
    }

    pub(crate) fn parent(self, position: usize) -> Self {
        Self::step(self.0, 1, position as u64)
    }

    pub(crate) fn branch(self, values: &[Datum]) -> Self {
        let mut hasher = FxHasher::default();
        values.hash(&mut hasher);
        Self::step(self.0, 2, hasher.finish())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
