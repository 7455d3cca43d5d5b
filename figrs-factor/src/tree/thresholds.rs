//! Thresholds for the choice between dense tables and lists, and between two methods of multiplying tables.

/// Thresholds for the choice between dense tables and lists of entries, and between products of two tables and a join of all tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Number of entries up to which a table is stored dense.
    pub small: usize,
    /// Minimum ratio of all entries to non-zero entries at which a table is stored as a list.
    pub listed_below: usize,
    /// Time of one product in a contraction with a list of products, relative to a product in a dense loop.
    pub listed_product: f64,
    /// Minimum ratio of all entries of joint tables to their predicted non-zero entries at which the zeros of dense tables are recorded.
    pub tracked: f64,
    /// Number of products of entries up to which two tables are multiplied without an attempt to join all tables.
    pub few: f64,
    /// Minimum ratio of the products of two tables to the predicted non-zero entries of the whole bucket at which a join of all tables is tried.
    pub excess: f64,
    /// Maximum number of entries that a join of all tables may list or visit, for each product of two entries that the join saves.
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
    /// True if a table of `size` entries, of which `positive` are not zero, is stored dense.
    pub fn is_dense(self, size: f64, positive: usize) -> bool {
        size <= self.small as f64 || size <= positive as f64 * self.listed_below as f64
    }
}
