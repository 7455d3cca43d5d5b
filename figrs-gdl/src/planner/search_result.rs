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
    /// The actions from the start to a goal, if a way was found.
    pub fn plan(&self) -> Option<&[A]> {
        self.plan.as_deref()
    }

    /// A number of steps below which there is proven to be no plan.
    pub fn at_least(&self) -> usize {
        self.at_least
    }

    /// True if the plan is proven to have the fewest steps.
    pub fn is_shortest(&self) -> bool {
        let plan = self.plan.as_ref();
        plan.is_some_and(|plan| plan.len() <= self.at_least)
    }

    /// True if it is proven that no goal can be reached in any number of steps.
    pub fn is_impossible(&self) -> bool {
        self.impossible
    }

    /// Number of states that were met.
    pub fn states(&self) -> usize {
        self.states
    }

    /// True if the memory ended the search, so that more work would not help.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Reason for the end of the search. With [`Stopped::Budget`] memory or work was used up; with [`Stopped::Finished`] and no plan, a goal is
    /// [impossible](Self::is_impossible), or takes more than the allowed number of steps.
    pub fn stopped(&self) -> Stopped {
        self.stopped
    }
}
