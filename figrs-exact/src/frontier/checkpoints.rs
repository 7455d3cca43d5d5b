//! Checkpoints of a sweep over the elements of a model: stored frontiers (sets of joint values), to which the sweep can return.

use std::collections::VecDeque;

use super::dictionary::StateKey;
use super::state_set_cache::{FrontierPrefix, StateSetCache};

/// Number of the latest steps of a frontier sweep for which every frontier is stored. Every second frontier is stored between `LATEST` and twice
/// `LATEST` steps back, every fourth frontier up to four times `LATEST` steps back, and so on.
const LATEST: usize = 8;

/// Stored frontiers of earlier steps of a frontier sweep; older stored frontiers are further apart. If the sweep returns by `d` steps, it repeats at
/// most `2 d` steps from a stored frontier, although few frontiers are stored.
#[derive(Debug)]
pub(super) struct Checkpoints<const W: usize> {
    /// The stored frontiers, each with the index of its step, in ascending order.
    kept: VecDeque<(usize, CheckpointStates<W>)>,
    /// The size in bytes of the states of frontiers that only the checkpoints hold, and the maximum that this size may reach.
    bytes: usize,
    most: usize,
}

#[derive(Debug)]
enum CheckpointStates<const W: usize> {
    /// A frontier whose states are in the cache of frontiers, so that the checkpoint stores no copy.
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

    pub(super) fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    /// Stores the frontier `at`, which the sweep has before the step `step`. If the frontier is not in the cache, `states` contains the states of the
    /// frontier.
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

    /// Removes and returns the frontier before the step `step` of the sweep, if it is stored, and drops the frontiers of all later steps.
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

    /// Drops all checkpoints, because values have new codes and the stored states have the old codes.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.most);
    }
}
