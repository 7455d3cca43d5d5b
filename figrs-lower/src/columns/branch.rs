//! Branches of Chains, and rows of conditional tables, in a block of worlds.

use std::rc::Rc;

use super::column::ColumnSlot;
use super::draw::PooledSampler;
use figrs_core::element::node::AnyElement;

/// The branches of a Chain, indexed by the number of the combination of parent values.
pub(super) type Branches = Vec<Option<Branch>>;

/// The branch that a Chain takes for one combination of parent values.
#[derive(Clone)]
pub(super) struct Branch {
    pub(super) target: BranchTarget,
    /// The method by which values of the branch are sampled.
    drawn: BranchSampler,
}

/// Sampling method of a branch of a Chain.
#[derive(Clone)]
enum BranchSampler {
    /// The branch has no sampling method yet: it is not atomic, or no value has been drawn from it.
    Unknown,
    /// The branch is a choice among finitely many values, which are drawn for many worlds together.
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

    /// True if only this branch refers to its element.
    pub(super) fn is_unshared(&self) -> bool {
        matches!(
            self.target,
            BranchTarget::Unshared(_) | BranchTarget::Composite(_, true)
        )
    }

    /// True if the branch leads to an element that is not atomic, and no other branch is known to lead there.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.target, BranchTarget::Composite(..))
    }

    /// Sets the sampling method of the branch: a choice among finitely many values, or the element's own function.
    pub(super) fn drawn_by(self, choice: Option<Rc<PooledSampler>>) -> Self {
        let drawn = choice.map_or(BranchSampler::ByFunction, BranchSampler::Ready);
        Self { drawn, ..self }
    }

    /// True if the branch has a sampling method.
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
    /// An atomic element to which only this branch refers.
    Unshared(AnyElement),
    /// An element that is not atomic; the flag is `true` if only this branch refers to it.
    Composite(AnyElement, bool),
    /// An element that was evaluated for single worlds and then dropped.
    Dropped,
    /// A row of a conditional table, given by the index of its first weight.
    Row(usize),
}
