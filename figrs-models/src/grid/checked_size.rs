//! Checked sizes of grids from numbers and texts.

use std::str::FromStr;

use super::{GridError, Size};

impl Size {
    /// Creates a grid size of some rows and columns.
    ///
    /// **Errors.** [`GridError::Size`] if one number is zero or too large.
    pub fn new(rows: usize, columns: usize) -> Result<Self, GridError> {
        let sides = 1..=Self::MAX_SIDE;
        if sides.contains(&rows) && sides.contains(&columns) {
            return Ok(Self { rows, columns });
        }
        Err(GridError::Size { rows, columns })
    }

    /// Returns the size if all automata can read grids of this size.
    ///
    /// **Errors.** [`GridError::TooLargeForAutomata`].
    pub fn for_automata(self) -> Result<Self, GridError> {
        self.within_columns(Self::AUTOMATON_COLUMNS)
    }

    /// Returns the size if an automaton for this many columns can read grids of this size.
    pub(super) fn within_columns(self, most: usize) -> Result<Self, GridError> {
        let Self { rows, columns } = self;
        if rows <= Self::AUTOMATON_ROWS && columns <= most {
            return Ok(self);
        }
        Err(GridError::TooLargeForAutomata {
            rows,
            columns,
            most,
        })
    }
}

/// **Errors.** [`GridError::SizeText`]; [`GridError::Size`].
impl FromStr for Size {
    type Err = GridError;

    fn from_str(text: &str) -> Result<Self, GridError> {
        let (rows, columns) = text.split_once('x').unwrap_or((text, text));
        let side = |text: &str| text.parse().ok().filter(|&side: &usize| side > 0);
        let (Some(rows), Some(columns)) = (side(rows), side(columns)) else {
            return Err(GridError::SizeText);
        };
        Self::new(rows, columns)
    }
}
