//! Thresholds that decide between dense and listed tables, and between methods to multiply tables.

/// Thresholds between dense and listed tables, and between products of two tables and joins of all tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Size up to which tables are dense.
    pub small: usize,
    /// A table is listed (stored as a sparse list) if its number of non-zeros is below its size divided by this number.
    pub listed_below: usize,
    /// Cost of one product of a listed contraction, in units of a product in a dense loop.
    pub listed_product: f64,
    /// Ratio of the entries of all joint tables to their predicted non-zeros above which the zeros of dense tables are
    /// tracked.
    pub tracked: f64,
    /// No join of all tables is tried if the product of two tables takes at most this number of products of entries.
    pub few: f64,
    /// A join of all tables is tried if the number of products of two tables exceeds the predicted non-zeros of the whole bucket by
    /// more than this factor.
    pub excess: f64,
    /// Maximum number of entries that a join of all tables may list or visit for each product of two tables that the join
    /// saves.
    pub joined: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            small: 64,
            listed_below: 5,
            listed_product: 8.0,
            tracked: 64.0,
            few: 256.0,
            excess: 1.0,
            joined: 3.0,
        }
    }
}

impl Thresholds {
    /// True if a table of `size` entries, of which `positive` are non-zero, is stored dense.
    pub fn is_dense(self, size: f64, positive: usize) -> bool {
        size <= self.small as f64 || size <= positive as f64 * self.listed_below as f64
    }
}
