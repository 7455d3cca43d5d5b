//! Lists of open states, each sorted by another score, that are taken from in turn.

use std::collections::{BTreeMap, VecDeque};

/// Advantage of the lists of preferred states after progress, in states (Richter and Westphal 2010, section 5.1, who found 1000).
const BOOST: i64 = 1000;

/// A list of open states by one score, equal ones first in, first out.
#[derive(Debug, Default)]
struct OpenList {
    by_score: BTreeMap<u64, VecDeque<u32>>,
    /// Number of states taken, less the advantage.
    turns: i64,
}

/// The open states of a greedy search: for each score a list of all, and one of the preferred.
#[derive(Debug)]
pub(super) struct OpenLists {
    /// The lists of all, and then those of the preferred.
    lists: Vec<OpenList>,
    scores: usize,
    entries: usize,
}

impl OpenLists {
    /// Empty lists for this number of scores.
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

    /// Takes a state from the list that was taken from least often; it may have been taken from another list before.
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

    /// Takes more of the preferred states for a while.
    pub(super) fn boost(&mut self) {
        for list in &mut self.lists[self.scores..] {
            list.turns -= BOOST;
        }
    }

    /// About how many bytes the lists take.
    pub(super) fn bytes(&self) -> u64 {
        // Lists have up to twice the places that they need.
        (self.entries * 2 * size_of::<u32>()) as u64
    }
}
