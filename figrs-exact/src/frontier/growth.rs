//! Predicted memory of growing vectors and hash tables.

/// Minimum capacity of a vector or hash table whose growth is predicted; smaller vectors and tables take little memory.
const LARGE: usize = 1 << 10;

/// Returns the size in bytes of a vector after it receives `more` further entries. If the vector has no room for the further entries, all entries are
/// moved to a vector at least twice as large, and for a moment both vectors exist.
pub(super) fn vector<T>(entries: &Vec<T>, more: usize) -> usize {
    grown_capacity(entries.len(), entries.capacity(), more) * size_of::<T>()
}

/// Returns the size in bytes of a hash table after it receives `more` further entries of the given size. An eighth of the
/// slots of a hash table remains empty, and each slot takes one additional byte. The hash table grows as a [`vector`] does.
pub(super) fn table(each: usize, (length, capacity): (usize, usize), more: usize) -> usize {
    grown_capacity(length, capacity, more) * 8 / 7 * (each + 1)
}

fn grown_capacity(length: usize, capacity: usize, more: usize) -> usize {
    let room = capacity - length;
    let grows = room < more && (room == 0 || capacity >= LARGE);
    if grows { 3 * capacity } else { capacity }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{LARGE, table, vector};

    /// Number of entries that a list may receive before its bytes are counted again.
    const MORE: usize = 100;

    /// Checks that the predicted number of bytes suffices for all entries that are inserted before the bytes are counted again. The closure `count`
    /// inserts an entry into a vector or hash table, and returns the capacity and the predicted bytes.
    #[track_caller]
    fn is_counted_ahead(each: usize, mut count: impl FnMut(u32) -> (usize, usize)) {
        let counted: Vec<(usize, usize)> = (0..200_000).map(&mut count).collect();
        for (at, pair) in counted.windows(2).enumerate() {
            let &[(before, _), (after, _)] = pair else {
                continue;
            };
            // While a list grows, the old list and the new list exist at the same time.
            let old = if after > before { before } else { 0 };
            let needed = (old + after) * each;
            for (_, bytes) in &counted[at.saturating_sub(MORE - 1)..=at] {
                let is_small = after <= 2 * LARGE;
                assert!(is_small || *bytes >= needed, "{at}: {bytes} < {needed}");
            }
        }
    }

    #[test]
    fn growth_is_counted_before_it_happens() {
        let mut list = Vec::new();
        is_counted_ahead(4, |n| {
            list.push(n);
            (list.capacity(), vector(&list, MORE))
        });
        assert_eq!(vector(&list[..7].to_vec(), 0), 28);
        let mut set = HashSet::new();
        is_counted_ahead(5, |n| {
            set.insert(n);
            let capacity = set.capacity();
            (capacity * 8 / 7, table(4, (set.len(), capacity), MORE))
        });
    }
}
