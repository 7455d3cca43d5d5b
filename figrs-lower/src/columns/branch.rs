//! Branches of Chains, and rows of conditional tables, in a block of worlds.

use std::rc::Rc;

use super::column::ColumnSlot;
use super::draw::PooledSampler;
use figrs_core::element::node::AnyElement;

/// The branches of a Chain, by the index of the combination of parent values that selects them.
pub(super) type Branches = Vec<Option<Branch>>;

/// The branch that a Chain takes for one combination of parent values.
#[derive(Clone)]
pub(super) struct Branch {
    pub(super) target: BranchTarget,
    /// The method by which values of the branch are sampled.
    drawn: BranchSampler,
}

#[derive(Clone)]
enum BranchSampler {
    /// The branch has no sampling method yet: it has parents, or no value has been drawn from it.
    Unknown,
    /// The branch is a choice among finitely many values; they are drawn for many worlds together.
    Ready(Rc<PooledSampler>),
    /// Values of the branch are drawn by the function of its own element.
    ByFunction,
}

impl Branch {
    pub(super) fn to(target: BranchTarget) -> Self {
        Self {
            target,
            drawn: BranchSampler::Unknown,
        }
    }

    /// True if only this branch refers to the element to which it leads.
    pub(super) fn is_unshared(&self) -> bool {
        matches!(
            self.target,
            BranchTarget::Unshared(_) | BranchTarget::Composite(_, true)
        )
    }

    /// True if the branch leads to an element that is not of kind `Kind::Atomic`, and no other branch is known to
    /// lead there.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.target, BranchTarget::Composite(..))
    }

    /// Sets the sampling method of the branch: the sampler `choice` or, if it is `None`, the element's own
    /// function.
    pub(super) fn drawn_by(self, choice: Option<Rc<PooledSampler>>) -> Self {
        let drawn = choice.map_or(BranchSampler::ByFunction, BranchSampler::Ready);
        Self { drawn, ..self }
    }

    pub(super) fn is_prepared(&self) -> bool {
        !matches!(self.drawn, BranchSampler::Unknown)
    }

    pub(super) fn sampler(&self) -> Option<&PooledSampler> {
        match &self.drawn {
            BranchSampler::Ready(ready) => Some(ready),
            BranchSampler::Unknown | BranchSampler::ByFunction => None,
        }
    }
}

/// Target of a branch: an element or a row of a conditional table.
#[derive(Clone)]
pub(super) enum BranchTarget {
    /// An element to which other elements may refer, given by its index.
    Slot(ColumnSlot),
    /// An element of kind `Kind::Atomic` to which only this branch refers.
    Unshared(AnyElement),
    /// An element of another kind; the flag is `true` if only this branch refers to it.
    Composite(AnyElement, bool),
    /// An element that was evaluated for single worlds and then dropped.
    Dropped,
    /// A row of a conditional table, given by the index of its first weight.
    Row(usize),
}
