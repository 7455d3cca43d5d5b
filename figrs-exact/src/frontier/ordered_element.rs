//! One element of the order in which a frontier meets them.

use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Datum, Evidence};

/// One element; its place is its index in the list of all elements.
#[derive(Debug)]
pub(super) struct OrderedElement {
    pub(super) element: AnyElement,
    /// The places of the parents, then the places of the elements that branches turned out to be.
    pub(super) reads: Vec<usize>,
    pub(super) evidence: Vec<Evidence>,
    /// The value that an intervention sets.
    pub(super) fixed: Option<Datum>,
    /// `true` if only a branch needs the element, so that it is not part of every world.
    pub(super) optional: bool,
}

impl OrderedElement {
    /// True if several outcomes are possible for one assignment of the elements it reads.
    pub(super) fn is_random(&self) -> bool {
        self.fixed.is_none()
            && matches!(
                self.element.kind(),
                Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..)
            )
    }

    /// The value that the element is observed to have.
    pub(super) fn observed(&self) -> Option<&Datum> {
        self.evidence.iter().find_map(Evidence::observed)
    }

    /// Number of places in `reads` that belong to the parents of the element; they come first.
    pub(super) fn parents(&self) -> usize {
        match self.fixed {
            Some(_) => 0,
            None => self.element.parents().len(),
        }
    }

    /// True if branches may turn out to be elements from outside the Chain.
    pub(super) fn may_capture(&self) -> bool {
        self.fixed.is_none()
            && matches!(self.element.kind(), Kind::Chain(_, op) if op.family().is_none())
    }
}
