//! Creates grid sizes from numbers and texts, and checks these sizes.

use std::str::FromStr;

use super::{GridError, Size};
use figrs_reading::Mistake;

impl Size {
    /// Creates the size of a grid with `rows` rows and `columns` columns.
    ///
    /// **Errors.** [`GridError::Invalid`] if one of the numbers is zero or too large.
    pub fn new(rows: usize, columns: usize) -> Result<Self, GridError> {
        Ok(Self::checked(rows, columns)?)
    }

    /// Returns the size of a level; a level may have more rows than other boards, and its model has checked the size.
    pub(crate) fn of_level(rows: usize, columns: usize) -> Self {
        Self { rows, columns }
    }

    pub(super) fn checked(rows: usize, columns: usize) -> Result<Self, Mistake> {
        let sides = 1..=Self::MAX_SIDE;
        if sides.contains(&rows) && sides.contains(&columns) {
            return Ok(Self { rows, columns });
        }
        Err(Mistake::value(
            format!("a grid of {rows} rows and {columns} columns"),
            format!("use 1 to {} of each", Self::MAX_SIDE),
        ))
    }

    /// Returns this size unless some automata cannot read grids of this size.
    ///
    /// **Errors.** [`GridError::TooLarge`] if the grid has too many rows or columns.
    pub fn for_automata(self) -> Result<Self, GridError> {
        self.within_columns(Self::AUTOMATON_COLUMNS)
    }

    pub(super) fn within_columns(self, most: usize) -> Result<Self, GridError> {
        let Self { rows, columns } = self;
        if rows <= Self::AUTOMATON_ROWS && columns <= most {
            return Ok(self);
        }
        let most_rows = Self::AUTOMATON_ROWS;
        Err(GridError::too_large(
            format!("a grid of {rows} rows and {columns} columns"),
            format!(
                "use 1 to {most_rows} rows and 1 to {most} columns (turn a wide grid on its side)"
            ),
        ))
    }
}

/// **Errors.** [`GridError::Invalid`] if the text is not one side or two sides; the errors of [`Size::new`].
impl FromStr for Size {
    type Err = GridError;

    fn from_str(text: &str) -> Result<Self, GridError> {
        let (rows, columns) = text.split_once('x').unwrap_or((text, text));
        let side = |text: &str| text.parse().ok().filter(|&side: &usize| side > 0);
        let (Some(rows), Some(columns)) = (side(rows), side(columns)) else {
            let write = "write a side such as 8, or rows and columns such as 8x12";
            return Err(Mistake::value(write, "").into());
        };
        Self::new(rows, columns)
    }
}
