//! Open lists of states, each sorted by a different score, from which a greedy search takes states in turn.

use std::collections::{BTreeMap, VecDeque};

/// Number of additional states that the search may take from the lists of preferred states after progress (Richter and Westphal 2010, section 5.1,
/// who recommend 1000).
const BOOST: i64 = 1000;

/// A list of open states sorted by one score; states with equal scores are taken in the order of insertion.
#[derive(Debug, Default)]
struct OpenList {
    by_score: BTreeMap<u64, VecDeque<u32>>,
    /// Number of states taken from this open list, minus the bonus: the number of additional states that the search may take from the list after
    /// progress.
    turns: i64,
}

/// The open states of a greedy search: for each score, a list of all states and a list of the preferred states.
#[derive(Debug)]
pub(super) struct OpenLists {
    /// The open lists of all states (one for each score), followed by the open lists of preferred states.
    lists: Vec<OpenList>,
    scores: usize,
    entries: usize,
}

impl OpenLists {
    pub(super) fn new(scores: usize) -> Self {
        Self {
            lists: (0..2 * scores).map(|_| OpenList::default()).collect(),
            scores,
            entries: 0,
        }
    }

    pub(super) fn push(&mut self, state: u32, scores: &[u64], is_preferred: bool) {
        let lists = if is_preferred { 2 } else { 1 };
        let keys = scores.iter().cycle().take(lists * self.scores);
        for (list, &score) in self.lists.iter_mut().zip(keys) {
            list.by_score.entry(score).or_default().push_back(state);
            self.entries += 1;
        }
    }

    /// Takes a state from the open list with the smallest number `turns`; the state may already have been taken from another list.
    pub(super) fn pop(&mut self) -> Option<u32> {
        let open = self
            .lists
            .iter_mut()
            .filter(|list| !list.by_score.is_empty());
        let list = open.min_by_key(|list| list.turns)?;
        list.turns += 1;
        let mut best = list.by_score.first_entry()?;
        let state = best.get_mut().pop_front();
        if best.get().is_empty() {
            best.remove();
        }
        self.entries -= 1;
        state
    }

    pub(super) fn boost(&mut self) {
        for list in &mut self.lists[self.scores..] {
            list.turns -= BOOST;
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        // A list may have allocated twice the memory that its entries need.
        (self.entries * 2 * size_of::<u32>()) as u64
    }
}
