//! Branches of Chains, and rows of conditional tables, in a block of worlds.

use std::rc::Rc;

use super::column::ColumnSlot;
use super::draw::PooledSampler;
use figrs_core::element::node::AnyElement;

/// The branches of a Chain, by the index of the combination of parent values.
pub(super) type Branches = Vec<Option<Branch>>;

#[derive(Clone)]
pub(super) struct Branch {
    pub(super) target: BranchTarget,
    drawn: BranchSampler,
}

#[derive(Clone)]
enum BranchSampler {
    /// The branch has no sampler yet, because its element has parents, or because no value has been drawn from it.
    Unknown,
    /// The branch has finitely many values; they are drawn for many worlds together.
    Ready(Rc<PooledSampler>),
    /// The values of the branch are drawn by the function of its element.
    ByFunction,
}

impl Branch {
    pub(super) fn to(target: BranchTarget) -> Self {
        Self {
            target,
            drawn: BranchSampler::Unknown,
        }
    }

    pub(super) fn is_unshared(&self) -> bool {
        matches!(
            self.target,
            BranchTarget::Unshared(_) | BranchTarget::Composite(_, true)
        )
    }

    /// True if the element of the branch is not atomic and has no index yet.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.target, BranchTarget::Composite(..))
    }

    /// Sets the sampler of the branch to `choice`, or to the function of the element if `choice` is `None`.
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

/// The element of a branch, or its row of a conditional table.
#[derive(Clone)]
pub(super) enum BranchTarget {
    /// An element with an index, to which other elements may refer.
    Slot(ColumnSlot),
    /// An atomic element to which only this branch refers.
    Unshared(AnyElement),
    /// An element that is not atomic; the flag is `true` if only this branch refers to it.
    Composite(AnyElement, bool),
    /// An element that was evaluated for single worlds and dropped afterwards.
    Dropped,
    /// A row of a conditional table, by the index of its first weight.
    Row(usize),
}
