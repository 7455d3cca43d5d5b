//! Samplers of numbered items, such as the levels of a game.

use std::error::Error;
use std::io::{self, Write};
use std::ops::Range;

/// A sampler of numbered items, such as levels and boards of games. Each item is written to a file of its own.
///
/// **Guarantee.** An item depends only on the sampler, the seed and the index of the item. The items of a sampler are the same however the work is
/// divided among parts, processes and threads.
///
/// ```
/// # use std::io::{self, Write};
/// # use std::ops::Range;
/// # use figrs_core::{rand::RngExt, stream};
/// # use figrs_infer::ItemSampler;
/// /// Hands of five cards.
/// struct Hands;
///
/// impl ItemSampler for Hands {
///     type Item = [u8; 5];
///     type Error = io::Error;
///
///     fn items(&self, seed: u64, numbers: Range<u64>) -> io::Result<Vec<[u8; 5]>> {
///         let hand = |number| {
///             let mut random = stream(seed, number);
///             [(); 5].map(|()| random.random_range(0..52))
///         };
///         Ok(numbers.map(hand).collect())
///     }
///
///     fn write(&self, hand: &[u8; 5], out: &mut dyn Write) -> io::Result<()> {
///         writeln!(out, "{hand:?}")
///     }
/// }
///
/// assert_eq!(Hands.items(7, 0..10)?[3..5], Hands.items(7, 3..5)?);
/// # Ok::<(), io::Error>(())
/// ```
pub trait ItemSampler: Sync {
    /// The type of the items.
    type Item: Send;
    /// The type of the error if an item cannot be drawn.
    type Error: Error + Send + Sync + 'static;

    /// Returns the number of items in a batch. Drawing whole batches of items is the most efficient.
    fn batch(&self) -> u64 {
        1
    }

    /// Draws the items with the indices `numbers`: one item for each index, in order.
    ///
    /// **Errors.** The errors of the sampler that draws the items.
    fn items(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<Self::Item>, Self::Error>;

    /// Returns the extension of the names of the files into which items are written.
    fn extension(&self) -> &'static str {
        "txt"
    }

    /// Writes `item` to `out`.
    ///
    /// **Errors.** The errors of writing to `out`.
    fn write(&self, item: &Self::Item, out: &mut dyn Write) -> io::Result<()>;
}

/// Returns the range of item indices that must be drawn for one batch: from the first missing item of the batch to the last missing item. The range
/// is empty if no item of the batch is missing.
///
/// If a later run continues the drawing of the items, its batches begin at the same indices as in a single run. A run that is continued later draws
/// the same items as a single run.
///
/// ```
/// # use figrs_infer::missing_in_batch;
/// let there = [4, 6, 9];
/// let is_there = |number| there.contains(&number);
/// // The second batch of four, of numbers below ten.
/// assert_eq!(missing_in_batch((1, 4), &(0..10), is_there), 5..8);
/// assert!(missing_in_batch((4, 2), &(0..10), |_| true).is_empty());
/// ```
pub fn missing_in_batch(
    (place, batch): (u64, u64),
    numbers: &Range<u64>,
    is_there: impl Fn(u64) -> bool,
) -> Range<u64> {
    let first = place.saturating_mul(batch);
    let own = first.max(numbers.start)..first.saturating_add(batch).min(numbers.end);
    let is_missing = |number: &u64| !is_there(*number);
    let first = own.clone().find(is_missing);
    let last = own.rev().find(is_missing);
    first
        .zip(last)
        .map_or(0..0, |(first, last)| first..last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_cut_to_what_is_missing() {
        let none = |_| false;
        assert_eq!(missing_in_batch((0, 4), &(2..10), none), 2..4);
        assert_eq!(missing_in_batch((2, 4), &(2..10), none), 8..10);
        assert!(missing_in_batch((3, 4), &(2..10), none).is_empty());
        assert!(missing_in_batch((u64::MAX, 4), &(0..10), none).is_empty());
        assert_eq!(
            missing_in_batch((1, 4), &(0..8), |number| number != 6),
            6..7
        );
        assert!(missing_in_batch((1, 4), &(0..8), |_| true).is_empty());
    }
}
