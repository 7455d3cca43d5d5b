//! Measurement of the memory of the elements that a thread has created and not dropped.
//!
//! A function that a user wrote may capture elements that no traversal of the model can find. To measure the memory of captured elements, each thread
//! counts its elements when they are created and when they are dropped. The difference between a thread's element counter before and after a call is
//! the size of the elements that the call created and did not drop.

use std::cell::Cell;

/// Overhead of an allocation, beyond the requested bytes: 8 to 16 bytes on 64-bit systems.
pub const ALLOCATION: usize = 16;

/// A reading of the number of nodes and bytes that a thread has created and not dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub nodes: i64,
    pub bytes: i64,
}

thread_local! {
    static ALIVE: Cell<Footprint> = const { Cell::new(Footprint { nodes: 0, bytes: 0 }) };
}

impl Footprint {
    /// Returns the number of nodes and bytes that this thread has created and not yet dropped.
    #[inline]
    pub fn now() -> Self {
        ALIVE.with(Cell::get)
    }

    /// Returns the number of nodes and bytes that were created since the reading `self`, minus the number dropped.
    #[must_use]
    #[inline]
    pub fn since(self) -> Self {
        let now = Self::now();
        Self {
            nodes: now.nodes - self.nodes,
            bytes: now.bytes - self.bytes,
        }
    }

    /// Returns the number of bytes of elements that were created since the reading `self`, minus the bytes dropped.
    #[inline]
    pub fn bytes_since(self) -> u64 {
        self.since().bytes.max(0).unsigned_abs()
    }

    /// Returns the result of `call`, and the memory footprint of the elements that the call created and that still exist.
    #[inline]
    pub fn measured<R>(call: impl FnOnce() -> R) -> (R, Self) {
        let before = Self::now();
        let result = call();
        (result, before.since())
    }

    #[inline]
    fn count(nodes: i64, bytes: i64) {
        // The counter of a thread that is ending does not exist any more.
        let _ = ALIVE.try_with(|alive| {
            let before = alive.get();
            alive.set(Self {
                nodes: before.nodes + nodes,
                bytes: before.bytes + bytes,
            });
        });
    }

    pub(crate) fn made(bytes: usize) {
        Self::count(1, bytes.cast_signed() as i64);
    }

    pub(crate) fn named(bytes: usize) {
        Self::count(0, bytes.cast_signed() as i64);
    }

    pub(crate) fn dropped(bytes: usize) {
        Self::count(-1, -(bytes.cast_signed() as i64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Constant, Element, Flip, Uniform};
    use crate::value::Value;

    fn bytes<T: Value>(element: impl FnOnce() -> Element<T>) -> (Footprint, Element<T>) {
        let before = Footprint::now();
        let element = element();
        (before.since(), element)
    }

    #[test]
    fn captured_elements_and_values_count_until_they_are_dropped() {
        let start = Footprint::now();
        let (small, coin) = bytes(|| Flip::new(0.5));
        assert_eq!(small.nodes, 1);
        let (wide, uniform) = bytes(|| Uniform::new(0..1000_u64));
        assert!(wide.bytes > small.bytes + 8000);
        let (text, constant) = bytes(|| Constant::new("x".repeat(10_000)));
        assert!(text.bytes > small.bytes + 9000);
        let (chain, chained) = bytes(|| {
            let captured = Uniform::new(0..1000_u64);
            coin.flat_map(move |_| captured.clone())
        });
        assert_eq!(chain.nodes, 2);
        assert!(chain.bytes > wide.bytes);
        drop((coin, chained, uniform, constant));
        assert_eq!(start.since(), Footprint::default());
    }
}
