//! Errors of grids and of the generators on them.

use figrs_derive::ErrorDebug;
use std::ops::RangeInclusive;

use super::limits::{ISLAND_SIDE, WAY_CELLS, WAY_COLUMNS, WAY_STOPS};
use super::{Position, Size};
use crate::boards::maze::Pointer;

/// An error of a grid or of a generator on one, with the number and the remedy.
#[derive(Clone, PartialEq, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum GridError {
    /// A grid cannot be of this size.
    #[error(
        "a grid of {rows} rows and {columns} columns: use 1 to {} of each",
        Size::MAX_SIDE
    )]
    Size {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
    },
    /// A text is not a size.
    #[error("write a side such as 8, or rows and columns such as 8x12")]
    SizeText,
    /// Automata cannot read a grid of this size.
    #[error(
        "a grid of {rows} rows and {columns} columns: use 1 to {} rows and 1 to {most} columns (turn a wide grid on its side)",
        Size::AUTOMATON_ROWS
    )]
    TooLargeForAutomata {
        /// Rows of the grid.
        rows: usize,
        /// Columns of the grid.
        columns: usize,
        /// The most columns.
        most: usize,
    },
    /// A direction cannot have this weight.
    #[error("the weight of pointing {direction:?} is {weight}; use a number from 1e-6 to 1e6")]
    Weight {
        /// The direction.
        direction: Pointer,
        /// Its weight.
        weight: f64,
    },
    /// The pointers of a maze do not form a tree.
    #[error(
        "the room at {room} does not lead to the first one; point every room to one beside it that does"
    )]
    NotPerfect {
        /// A room that does not lead to the first.
        room: Position,
    },
    /// No maze meets some clues.
    #[error(
        "the clues at {} lead out of the maze, in a circle, or cut rooms off from the first one, which has no clue itself; take one of them back",
        .clues.iter().map(Position::to_string).collect::<Vec<_>>().join("; ")
    )]
    PointerClues {
        /// The rooms of these clues.
        clues: Vec<Position>,
    },
    /// The number of cells, rows or columns in a list is not that of the grid.
    #[error("{found} {what} for a grid that has {expected}; give one for each")]
    Length {
        /// The kind of the items.
        what: &'static str,
        /// Number that the grid needs.
        expected: usize,
        /// Number of items given.
        found: usize,
    },
    /// The lengths of ways cannot be followed on a grid of this size.
    #[error(
        "lengths of ways on {rows} rows and {columns} columns: use at most {} columns and {} cells, or no bounds on lengths",
        WAY_COLUMNS,
        WAY_CELLS
    )]
    TooLargeForDistances {
        /// Rows of the grid.
        rows: usize,
        /// Columns of the grid.
        columns: usize,
    },
    /// A walk cannot have this many stops.
    #[error("a walk between {stops} marks; use 2 to {}", WAY_STOPS)]
    Stops {
        /// Marks asked for.
        stops: usize,
    },
    /// A range has no number in it.
    #[error(
        "the range of {what} from {least} to {most} is empty; let it end at or after its start"
    )]
    EmptyRange {
        /// The bounded quantity.
        what: &'static str,
        /// Its start.
        least: u32,
        /// Its end.
        most: u32,
    },
    /// A maze needs a start and a finish.
    #[error(
        "impossible: a chromatic maze of one tile has no room for start and finish; use two tiles or more"
    )]
    OneTile,
    /// A chromatic maze has one start and one finish.
    #[error(
        "{found} ends of the way of a chromatic maze; give the tiles of a world, where there are two"
    )]
    Ends {
        /// Number of tiles that are ends.
        found: usize,
    },
    /// An island cannot be of this size.
    #[error(
        "an island of {rows} by {columns} cells: use 3 to {} of each",
        ISLAND_SIDE
    )]
    IslandSize {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
    },
    /// The centre of an island must not be on the border.
    #[error(
        "the centre of the island at {centre} is on the border, which is water; use a cell inside"
    )]
    CentreOnBorder {
        /// The centre.
        centre: Position,
    },
    /// A share is not a number between 0 and 1.
    #[error(
        "the share of land from {least} to {most}: use numbers from 0 to 1, the smaller one first"
    )]
    Share {
        /// The smaller share.
        least: f64,
        /// The larger share.
        most: f64,
    },
    /// No board has a number in the demanded range.
    #[error(
        "impossible: {} {what}, where boards of this size have {}; use a range that meets that",
        numbers(*.least, *.most),
        steps(.possible, *.apart)
    )]
    NoSuchNumber {
        /// The counted quantity.
        what: &'static str,
        /// The smallest number that is allowed.
        least: u32,
        /// The largest number that is allowed; `u32::MAX` without a bound.
        most: u32,
        /// The numbers that boards can have.
        possible: RangeInclusive<u32>,
        /// Step between the possible numbers, from the smallest on.
        apart: u32,
    },
    /// The grid has no such cell.
    #[error("{at} is outside a grid of {} rows and {} columns", .size.rows(), .size.columns())]
    Outside {
        /// The cell.
        at: Position,
        /// The grid.
        size: Size,
    },
}

impl GridError {
    /// Returns an error if the length of a list is not the number of cells.
    pub(crate) fn same_length(what: &'static str, size: Size, found: usize) -> Result<(), Self> {
        let expected = size.cells();
        if found == expected {
            return Ok(());
        }
        Err(Self::Length {
            what,
            expected,
            found,
        })
    }

    /// Returns an error if a range holds none of the possible numbers: `possible`, in steps of `apart`.
    pub(crate) fn reachable(
        what: &'static str,
        range: &RangeInclusive<u32>,
        possible: RangeInclusive<u32>,
        apart: u32,
    ) -> Result<(), Self> {
        let (least, most) = (*range.start(), *range.end());
        let (fewest, highest) = (*possible.start(), *possible.end());
        // No overflow: numbers of cells and steps on a grid are far below the largest.
        let first = fewest
            + least
                .min(highest + 1)
                .saturating_sub(fewest)
                .next_multiple_of(apart);
        if first <= most.min(highest) {
            return Ok(());
        }
        Err(Self::NoSuchNumber {
            what,
            least,
            most,
            possible,
            apart,
        })
    }

    /// Returns the range if it is not empty.
    pub(crate) fn not_empty(
        what: &'static str,
        range: RangeInclusive<u32>,
    ) -> Result<RangeInclusive<u32>, Self> {
        if range.is_empty() {
            let (least, most) = range.into_inner();
            return Err(Self::EmptyRange { what, least, most });
        }
        Ok(range)
    }
}

/// A range in words.
fn numbers(least: u32, most: u32) -> String {
    match (least, most) {
        (least, u32::MAX) => format!("at least {least}"),
        (0, most) => format!("at most {most}"),
        (least, most) if least == most => format!("exactly {most}"),
        (least, most) => format!("{least} to {most}"),
    }
}

fn steps(possible: &RangeInclusive<u32>, apart: u32) -> String {
    let (fewest, highest) = (possible.start(), possible.end());
    match apart {
        _ if fewest == highest => fewest.to_string(),
        1 => format!("{fewest} to {highest}"),
        _ => format!("{fewest} to {highest} in steps of {apart}"),
    }
}
