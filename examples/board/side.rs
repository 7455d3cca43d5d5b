//! Sizes of boards.

use std::str::FromStr;

use figrs::models::grid::Size;

use super::Failure;

/// Size of a board: its numbers of rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl From<Size> for Side {
    fn from(size: Size) -> Self {
        Self {
            rows: size.rows(),
            columns: size.columns(),
        }
    }
}

impl FromStr for Side {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let side = |text: &str| text.parse().ok().filter(|&side: &usize| side > 0);
        let (rows, columns) = text.split_once('x').unwrap_or((text, text));
        let (Some(rows), Some(columns)) = (side(rows), side(columns)) else {
            return Err("write a side such as 8, or rows and columns such as 8x12".into());
        };
        Ok(Self { rows, columns })
    }
}
