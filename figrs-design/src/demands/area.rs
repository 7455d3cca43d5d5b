//! Rectangular areas of a game level, as ranges of rows and columns.

use std::fmt;
use std::ops::{Bound, Range, RangeBounds};

use figrs_core::wording::Counted;

use super::demand_error::count_from_zero;
use crate::DemandError;

/// A rectangle of a game level: ranges of rows and columns, counted from 0 at the top left.
///
/// ```
/// use figrs_design::Area;
///
/// let area = Area::all().rows(2..5).columns(10..);
/// assert_eq!(area.to_string(), "rows 2 to 4, columns from 10");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Area {
    rows: Range<usize>,
    columns: Range<usize>,
}

/// As the end of a range of rows or columns, this special number means the edge of the level.
const EDGE: usize = usize::MAX;

impl Default for Area {
    fn default() -> Self {
        Self::all()
    }
}

impl Area {
    /// Returns the area that covers a whole game level.
    pub fn all() -> Self {
        Self {
            rows: 0..EDGE,
            columns: 0..EDGE,
        }
    }

    /// Returns the area of one cell, given by row and column.
    pub fn cell(row: usize, column: usize) -> Self {
        Self::all().rows(row..=row).columns(column..=column)
    }

    /// Limits the area of the level to the rows `rows`.
    #[must_use]
    pub fn rows(mut self, rows: impl RangeBounds<usize>) -> Self {
        self.rows = range(&rows);
        self
    }

    /// Limits the area of the level to the columns `columns`.
    #[must_use]
    pub fn columns(mut self, columns: impl RangeBounds<usize>) -> Self {
        self.columns = range(&columns);
        self
    }

    pub(crate) fn contains(&self, row: usize, column: usize) -> bool {
        self.rows.contains(&row) && self.columns.contains(&column)
    }

    /// Returns a column. Returns the first column from which on the area contains all remaining columns or none of them.
    pub(crate) fn settled_column(&self) -> usize {
        match self.columns.end {
            EDGE => self.columns.start,
            end => end,
        }
    }

    pub(crate) fn goes_on_at(&self, column: usize) -> bool {
        self.columns.end > column
    }

    /// Returns the rows and columns of the area in a level of `height` rows and `width` columns.
    ///
    /// **Errors.** [`DemandError`] if the area contains no cell or does not lie in the level.
    pub(crate) fn within(
        &self,
        (height, width): (usize, usize),
    ) -> Result<(Range<usize>, Range<usize>), DemandError> {
        let clipped = |range: &Range<usize>, size: usize| {
            let end = if range.end == EDGE { size } else { range.end };
            range.start..end
        };
        let (rows, columns) = (clipped(&self.rows, height), clipped(&self.columns, width));
        if rows.is_empty() || columns.is_empty() || rows.end > height || columns.end > width {
            return Err(DemandError::invalid(
                format!("{self} are not an area of a level of {height} rows and {width} columns"),
                format!(
                    "give rows and columns of the level; both {}",
                    count_from_zero()
                ),
            ));
        }
        Ok((rows, columns))
    }
}

fn range(given: &impl RangeBounds<usize>) -> Range<usize> {
    let start = match given.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match given.end_bound() {
        Bound::Included(&last) => last.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => EDGE,
    };
    start..end
}

/// Writes the area as `rows 2 to 4, columns from 10`, or as `the whole level` if the area has no limits.
impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for (name, range) in [("row", &self.rows), ("column", &self.columns)] {
            let first = Counted(range.start);
            match (range.start, range.end) {
                (0, EDGE) => {}
                (_, EDGE) => parts.push(format!("{name}s from {first}")),
                (start, end) if end <= start => parts.push(format!("no {name}s")),
                (start, end) if start + 1 == end => parts.push(format!("{name} {first}")),
                (_, end) => parts.push(format!("{name}s {first} to {}", Counted(end - 1))),
            }
        }
        if parts.is_empty() {
            return f.write_str("the whole level");
        }
        f.write_str(&parts.join(", "))
    }
}
