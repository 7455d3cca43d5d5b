//! Limits on the lists of a search: their size in bytes, and the length of a list with 32-bit indices.

use figrs_factor::Limits;
use figrs_factor::eliminate::EliminationError;

/// A data structure's size is compared with the memory limit again after it has grown by this number of bytes.
pub(super) const UNCHECKED_GROWTH: u64 = 1 << 20;
/// Maximum length of a list with 32-bit indices. The 32-bit indices above this length are reserved for elements that are added between two checks of
/// the length.
pub(super) const MAX_POSITIONS: usize = (u32::MAX / 2) as usize;

/// Returns the maximum size in bytes of a cache that may use `bytes` bytes: at most half of the memory limit, because the search needs the rest.
pub(super) fn cache_share(bytes: u64, limits: &Limits) -> u64 {
    limits.memory.map_or(bytes, |budget| bytes.min(budget / 2))
}

/// Returns an error if the longest list, which has `longest` elements, is too long for 32-bit indices; `bytes` is the size of all lists together.
pub(super) fn check_positions(longest: usize, bytes: usize) -> Result<(), EliminationError> {
    if longest <= MAX_POSITIONS {
        return Ok(());
    }
    let share = MAX_POSITIONS as f64 / longest as f64;
    Err(EliminationError::TooMuchMemory {
        needed: bytes as f64,
        limit: (bytes as f64 * share) as u64,
    })
}

/// Returns the size in bytes of a hash table for `capacity` entries of type `T`; an eighth of its slots stay free.
pub(super) fn hash_table_bytes<T>(capacity: usize) -> usize {
    capacity.div_ceil(7) * 8 * (size_of::<T>() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_stay_within_32_bits() {
        assert_eq!(check_positions(MAX_POSITIONS, 1 << 40), Ok(()));
        let limit = 1 << 39;
        let refused = check_positions(2 * MAX_POSITIONS, 2 * limit as usize);
        let needed = 2.0 * limit as f64;
        assert_eq!(
            refused,
            Err(EliminationError::TooMuchMemory { needed, limit })
        );
    }
}
