//! Results of a search for a plan.

use figrs_factor::Stopped;

/// Result of a search by [`BestFirst`](crate::BestFirst).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult<A> {
    pub(super) plan: Option<Vec<A>>,
    pub(super) at_least: usize,
    pub(super) impossible: bool,
    pub(super) states: usize,
    pub(super) stopped: Stopped,
    pub(super) is_full: bool,
}

impl<A> SearchResult<A> {
    /// Returns the actions from the start to a goal; `None` if the search found no plan.
    pub fn plan(&self) -> Option<&[A]> {
        self.plan.as_deref()
    }

    /// Returns the number of steps below which it is proven that there is no plan.
    pub fn at_least(&self) -> usize {
        self.at_least
    }

    /// True if it is proven that no plan has fewer steps than the plan found.
    pub fn is_shortest(&self) -> bool {
        let plan = self.plan.as_ref();
        plan.is_some_and(|plan| plan.len() <= self.at_least)
    }

    /// True if it is proven that no goal can be reached in any number of steps.
    pub fn is_impossible(&self) -> bool {
        self.impossible
    }

    /// Returns the number of states that the search visited.
    pub fn states(&self) -> usize {
        self.states
    }

    /// True if the limit of memory ended the search; more work would then not help.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the reason why the search ended: [`Stopped::Budget`] if memory or work was exhausted. [`Stopped::Finished`] without a plan means that
    /// a goal is [impossible](Self::is_impossible), or needs more than the allowed number of steps.
    pub fn stopped(&self) -> Stopped {
        self.stopped
    }
}
