//! A common budget of work of several computations.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of steps that several computations may still do together; all clones share this number.
///
/// Unlike a deadline, a budget ends the work at the same step on every machine.
#[derive(Clone, Debug)]
pub struct WorkBudget(Arc<AtomicU64>);

impl WorkBudget {
    /// Creates a budget of `steps` steps.
    #[must_use]
    pub fn new(steps: u64) -> Self {
        Self(Arc::new(AtomicU64::new(steps)))
    }

    /// Returns the number of remaining steps.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Subtracts `steps` from the remaining budget and returns `true`. If fewer steps remain, sets the
    /// remaining budget to zero and returns `false`.
    #[must_use]
    pub fn spend(&self, steps: u64) -> bool {
        let take = |left: u64| Some(left.saturating_sub(steps));
        let before = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        before.is_ok_and(|before| steps <= before)
    }
}

#[cfg(test)]
mod tests {
    use super::WorkBudget;

    #[test]
    fn clones_share_what_is_left() {
        let budget = WorkBudget::new(10);
        let other = budget.clone();
        assert!(budget.spend(7) && other.spend(3) && budget.spend(0));
        assert!(!other.spend(1));
        let budget = WorkBudget::new(10);
        assert!(!budget.spend(11) && budget.left() == 0);
    }
}
