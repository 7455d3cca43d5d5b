//! Checkpoints: frontiers of earlier steps, for backtracking.

use std::collections::VecDeque;

use super::dictionary::StateKey;
use super::set_transition::FrontierPrefix;
use super::state_set_cache::StateSetCache;

/// Number of latest steps whose frontiers are all kept; of the steps up to twice as far back every second frontier is kept, and so on.
const LATEST: usize = 8;

/// Frontiers before some earlier steps: most of the latest steps, few of the oldest. Backtracking costs at most twice
/// the distance, and few are kept.
#[derive(Debug)]
pub(super) struct Checkpoints<const W: usize> {
    /// The frontiers kept, each with the number of its step, ascending.
    kept: VecDeque<(usize, CheckpointStates<W>)>,
    /// The bytes of states that only these frontiers hold, and their maximum.
    bytes: usize,
    most: usize,
}

#[derive(Debug)]
enum CheckpointStates<const W: usize> {
    /// A frontier whose states are in the cache.
    Known(FrontierPrefix),
    Own(Vec<StateKey<W>>),
}

impl<const W: usize> CheckpointStates<W> {
    fn bytes(&self) -> usize {
        match self {
            Self::Known(_) => 0,
            Self::Own(keys) => size_of_val(&keys[..]),
        }
    }
}

impl<const W: usize> Checkpoints<W> {
    pub(super) fn new(most: usize) -> Self {
        Self {
            kept: VecDeque::new(),
            bytes: 0,
            most,
        }
    }

    /// The bytes of states that only these frontiers hold.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    /// Keeps the frontier before a step: its place in the cache, or its states if they are not cached.
    pub(super) fn store(
        &mut self,
        step: usize,
        at: FrontierPrefix,
        states: Option<Vec<StateKey<W>>>,
    ) {
        let frontier = states.map_or(CheckpointStates::Known(at), CheckpointStates::Own);
        self.bytes += frontier.bytes();
        self.kept.push_back((step, frontier));
        let mut bytes = 0;
        self.kept.retain(|(earlier, frontier)| {
            let apart = ((step - earlier) / LATEST).max(1).ilog2();
            let is_kept = earlier % (1 << apart) == 0;
            bytes += if is_kept { frontier.bytes() } else { 0 };
            is_kept
        });
        self.bytes = bytes;
        while self.bytes > self.most {
            let Some((_, oldest)) = self.kept.pop_front() else {
                break;
            };
            self.bytes -= oldest.bytes();
        }
    }

    /// Takes out the frontier before a step, if it is kept, and drops the frontiers of later steps.
    pub(super) fn take(
        &mut self,
        step: usize,
        frontiers: &mut StateSetCache<W>,
    ) -> Option<FrontierPrefix> {
        while let Some((kept, _)) = self.kept.back()
            && *kept >= step
        {
            let (kept, frontier) = self.kept.pop_back()?;
            self.bytes -= frontier.bytes();
            match frontier {
                _ if kept > step => {}
                CheckpointStates::Known(at) => return frontiers.is_stored(at).then_some(at),
                CheckpointStates::Own(states) => return Some(frontiers.resume(states)),
            }
        }
        None
    }

    /// Drops all checkpoints, because values were renumbered.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.most);
    }
}
