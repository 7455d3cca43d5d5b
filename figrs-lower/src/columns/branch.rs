//! Branches of Chains, and rows of tables.

use std::rc::Rc;

use super::column::ColumnSlot;
use super::draw::PooledSampler;
use figrs_core::element::node::AnyElement;

/// The branches of a Chain, indexed by the number that the combination of parent values has.
pub(super) type Branches = Vec<Option<Branch>>;

/// The branch that a Chain takes for one combination of parent values.
#[derive(Clone)]
pub(super) struct Branch {
    pub(super) target: BranchTarget,
    /// The method by which the value of the branch is sampled.
    drawn: BranchSampler,
}

/// Sampling method of a branch.
#[derive(Clone)]
enum BranchSampler {
    /// The sampling method is not prepared: the branch is not atomic, or no value has been drawn from it yet.
    Unknown,
    /// The branch is a choice among finitely many values, and is drawn together with other branches.
    Ready(Rc<PooledSampler>),
    /// The branch is drawn by the function of its own element.
    ByFunction,
}

impl Branch {
    /// Makes a branch that leads to this target.
    pub(super) fn to(target: BranchTarget) -> Self {
        Self {
            target,
            drawn: BranchSampler::Unknown,
        }
    }

    /// True if nothing else refers to the element that the branch leads to.
    pub(super) fn is_unshared(&self) -> bool {
        matches!(
            self.target,
            BranchTarget::Unshared(_) | BranchTarget::Composite(_, true)
        )
    }

    /// True if the branch leads to an element that is not atomic and to which no other branch is known to lead.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.target, BranchTarget::Composite(..))
    }

    /// Sets the sampling method of the branch: a choice among finitely many values, or else the element's own function.
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

/// Destination of a branch.
#[derive(Clone)]
pub(super) enum BranchTarget {
    /// An element that other elements may refer to.
    Slot(ColumnSlot),
    /// An atomic element that nothing else refers to.
    Unshared(AnyElement),
    /// An element that is not atomic; the flag is `true` if nothing else refers to the element.
    Composite(AnyElement, bool),
    /// An element that was evaluated row by row for some rows and has then been dropped.
    Dropped,
    /// The row of a table; the number is the position of the row's first weight.
    Row(usize),
}
