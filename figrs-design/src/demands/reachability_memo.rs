//! Caches the results of playability tests column by column.

use std::sync::{Mutex, PoisonError};

use figrs_core::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Reach;
use crate::play::cell_class::CellClass;

/// A cache of [`Reach`] states after a column. The key is the state before the column and the classes of the column's cells. The cache saves time
/// because the same columns recur often.
#[derive(Debug, Default)]
pub(super) struct ReachabilityMemo {
    known: Mutex<CrossingMemo>,
}

#[derive(Debug, Default)]
struct CrossingMemo {
    after: FxHashMap<(Reach, Vec<CellClass>), Option<Reach>>,
    /// The states of all cached results; equal states are stored once.
    states: FxHashSet<Reach>,
    bytes: usize,
}

impl ReachabilityMemo {
    const MAX_BYTES: usize = 64 << 20;

    /// Returns the state after the column `column`; `None` if the level is not playable, whatever columns follow.
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
        // The cache already stores the state before the column as the result of another column, so the heap memory of this state is not counted
        // again.
        known.bytes += 2 * size_of_val(&key) + size_of_val(column);
        known.after.insert(key, next.clone());
        next
    }
}

impl CrossingMemo {
    fn held(&mut self, state: Reach) -> Reach {
        if let Some(held) = self.states.get(&state) {
            return held.clone();
        }
        self.bytes += 2 * size_of_val(&state) + state.heap_bytes();
        self.states.insert(state.clone());
        state
    }
}
