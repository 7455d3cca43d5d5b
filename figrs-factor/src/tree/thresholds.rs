//! Thresholds between dense and listed tables, and between ways to multiply them.

/// Thresholds between dense and listed tables, and between products of two tables and joins of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Size up to which tables are dense.
    pub small: usize,
    /// A table is listed if it has fewer non-zeros than its size divided by this.
    pub listed_below: usize,
    /// Cost of a product found through a list, in products of a dense loop.
    pub listed_product: f64,
    /// Ratio of the entries of all joint tables to their predicted non-zeros from which the zeros of dense tables are tracked.
    pub tracked: f64,
    /// Number of products of two tables up to which no join of all tables is tried.
    pub few: f64,
    /// Ratio of the products of two tables to the predicted non-zeros of the whole bucket beyond which a join of all tables is tried.
    pub excess: f64,
    /// Number of entries of a join, listed or looked at, that are allowed for each product of two tables that it saves.
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
    /// True if a table of `size` entries, `positive` of them non-zero, is dense.
    pub fn is_dense(self, size: f64, positive: usize) -> bool {
        size <= self.small as f64 || size <= positive as f64 * self.listed_below as f64
    }
}
