//! Thresholds between dense and listed tables, and between ways to multiply them.

/// Thresholds between dense and listed tables, and between products of two tables and joins of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Size up to which tables are dense.
    pub small: usize,
    /// Divisor of the size: a table is listed if fewer entries than that share are non-zero.
    pub listed_below: usize,
    /// Cost of a product found through a list, in products of a dense loop.
    pub listed_product: f64,
    /// Entries of all joint tables, in predicted non-zeros, from which on the zeros of dense tables are kept in view.
    pub tracked: f64,
    /// Products of two tables up to which no join of all is tried.
    pub few: f64,
    /// Products of two tables, in predicted non-zeros of the whole bucket, beyond which it is.
    pub excess: f64,
    /// Entries of a join, listed or looked at, for each product of two tables that it saves.
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
    /// True if a table with so many entries, so many of which are non-zero, is dense.
    pub fn is_dense(self, size: f64, positive: usize) -> bool {
        size <= self.small as f64 || size <= positive as f64 * self.listed_below as f64
    }
}
