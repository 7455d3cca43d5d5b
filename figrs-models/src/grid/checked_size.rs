//! Sizes of grids from numbers and texts, checked.

use std::str::FromStr;

use super::{GridError, Size};

impl Size {
    /// A grid of some rows and columns.
    ///
    /// **Errors.** [`GridError::Size`] if there are none or too many.
    pub fn new(rows: usize, columns: usize) -> Result<Self, GridError> {
        let sides = 1..=Self::MAX_SIDE;
        if sides.contains(&rows) && sides.contains(&columns) {
            return Ok(Self { rows, columns });
        }
        Err(GridError::Size { rows, columns })
    }

    /// The size, if all automata read such grids.
    ///
    /// **Errors.** [`GridError::TooLargeForAutomata`].
    pub fn for_automata(self) -> Result<Self, GridError> {
        self.within_columns(Self::AUTOMATON_COLUMNS)
    }

    /// The size, if an automaton that reads this many columns reads such grids.
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
