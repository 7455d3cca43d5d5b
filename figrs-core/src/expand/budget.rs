//! Limits on the size of an expansion.

/// Default limit on the bytes of an expansion or a world: 2 GiB. An expansion of two million small elements needs about
/// half of it; with the overhead of the allocator, an infinite model stays below three quarters of 4 GiB.
pub const DEFAULT_BYTES: u64 = 2 << 30;

/// Budget of an expansion; an expansion that exceeds it ends with an error that names the element and the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Maximum number of entries in the table of one element: the product of the sizes of its parents' supports. Default 2^25.
    pub table_entries: u64,
    /// Maximum number of elements reached, including those created inside Chains, which count as soon as they are made. Default 8 million.
    pub elements: usize,
    /// Maximum number of bytes of the expansion and of the elements made for it: the memory of figrs itself, and values by their size and their
    /// [`heap_bytes`](crate::Value::heap_bytes); captures of functions other than elements are not counted. Default 2 GiB.
    pub bytes: u64,
    /// Maximum depth of Chains nested in branches of Chains. Default 10 000.
    pub depth: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            table_entries: 1 << 25,
            elements: 8_000_000,
            bytes: DEFAULT_BYTES,
            depth: 10_000,
        }
    }
}
