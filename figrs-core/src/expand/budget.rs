//! Limits on the size of an expansion.

/// What an expansion may use before it ends with an error that names the element and the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Entries in the table of one element: the product of its parents' supports. Default 2^25.
    pub table_entries: u64,
    /// Elements reached, those created inside Chains included. Default 8 million.
    pub elements: usize,
    /// Chains nested in branches of Chains. Default 10 000.
    pub depth: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            table_entries: 1 << 25,
            elements: 8_000_000,
            depth: 10_000,
        }
    }
}
