//! Thresholds that decide between dense and listed tables, and between methods of multiplying tables.

/// Thresholds that decide between dense and listed tables, and between products of two tables and joins of all tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Number of entries up to which a table is stored dense.
    pub small: usize,
    /// Minimum ratio of entries to non-zeros at which a table is stored as a list.
    pub listed_below: usize,
    /// Cost of one product in a contraction with a list, relative to a product in a dense loop.
    pub listed_product: f64,
    /// Minimum ratio of all entries of joint tables to their predicted non-zeros at which the zeros of dense tables are tracked.
    pub tracked: f64,
    /// Number of products of entries up to which two tables are multiplied without considering a join of all tables.
    pub few: f64,
    /// Minimum ratio of the products of two tables to the predicted non-zeros of the whole bucket at which a join of all tables
    /// is tried.
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
