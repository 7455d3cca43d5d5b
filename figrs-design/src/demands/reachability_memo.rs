//! Memoisation of the columns that a player can cross.

use std::sync::{Mutex, PoisonError};

use figrs_core::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Reach;
use crate::play::cell_class::CellClass;

/// Memo of [`Reach`] by the state before a column and the classes of the column's cells, since the same columns recur often.
#[derive(Debug, Default)]
pub(super) struct ReachabilityMemo {
    known: Mutex<CrossingMemo>,
}

#[derive(Debug, Default)]
struct CrossingMemo {
    after: FxHashMap<(Reach, Vec<CellClass>), Option<Reach>>,
    /// The states of all results; equal states are held once.
    states: FxHashSet<Reach>,
    bytes: usize,
}

impl ReachabilityMemo {
    /// Largest number of bytes of results kept.
    const MAX_BYTES: usize = 64 << 20;

    /// The state after a column, or `None` if the level is not playable whatever follows.
    pub(super) fn after(&self, reach: &Reach, column: &[CellClass]) -> Option<Reach> {
        let key = (reach.clone(), column.to_vec());
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(next) = known().after.get(&key) {
            return next.clone();
        }
        let mut next = reach.clone();
        next.push_classes(column);
        let mut known = known();
        if known.bytes > Self::MAX_BYTES {
            *known = CrossingMemo::default();
        }
        let next = next.alive().then(|| known.held(next));
        // The state before is already held as the result of another column.
        known.bytes += 2 * size_of_val(&key) + size_of_val(column);
        known.after.insert(key, next.clone());
        next
    }
}

impl CrossingMemo {
    /// Returns the equal state that is already held, or holds this one.
    fn held(&mut self, state: Reach) -> Reach {
        if let Some(held) = self.states.get(&state) {
            return held.clone();
        }
        self.bytes += 2 * size_of_val(&state) + state.heap_bytes();
        self.states.insert(state.clone());
        state
    }
}
