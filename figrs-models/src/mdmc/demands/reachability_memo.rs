//! Memoisation of the columns that a player can cross.

use std::sync::{Mutex, PoisonError};

use figrs_core::Value;
use rustc_hash::FxHashMap;

use super::super::{Reach, Tile};

/// Memo of [`Reach`] by the state before a column and the column's solid cells: the same ground comes again and again.
#[derive(Debug, Default)]
pub(super) struct ReachabilityMemo {
    known: Mutex<CrossingMemo>,
}

#[derive(Debug, Default)]
struct CrossingMemo {
    after: FxHashMap<(Reach, Vec<bool>), Option<Reach>>,
    bytes: usize,
}

impl ReachabilityMemo {
    /// Largest number of bytes of results kept.
    const MAX_BYTES: usize = 24 << 20;

    /// The state after a column, or `None` if the player cannot reach it.
    pub(super) fn after(&self, reach: &Reach, solid: &[bool]) -> Option<Reach> {
        let key = (reach.clone(), solid.to_vec());
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(next) = known().after.get(&key) {
            return next.clone();
        }
        let tile = |&solid: &bool| if solid { Tile::GROUND } else { Tile::EMPTY };
        let column: Vec<Tile> = solid.iter().map(tile).collect();
        let mut next = reach.clone();
        let next = matches!(next.push(&column), Ok(true)).then_some(next);
        let mut known = known();
        // What was reached before is held as the result of another column.
        known.bytes += 2 * size_of_val(&key) + solid.len() + next.heap_bytes();
        if known.bytes > Self::MAX_BYTES {
            *known = CrossingMemo::default();
        }
        known.after.insert(key, next.clone());
        next
    }
}
