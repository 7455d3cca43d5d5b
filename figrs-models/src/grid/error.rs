//! Errors of grids and of the generators that use them.

use figrs_derive::ErrorDebug;
use std::ops::RangeInclusive;

use super::limits::{ISLAND_SIDE, WAY_CELLS, WAY_COLUMNS, WAY_STOPS};
use super::{Position, Size};
use crate::boards::maze::Pointer;

/// An error of a grid or of a generator, with the wrong number and the remedy.
#[derive(Clone, PartialEq, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum GridError {
    /// A grid cannot have this size.
    #[error(
        "a grid of {rows} rows and {columns} columns: use 1 to {} of each",
        Size::MAX_SIDE
    )]
    Size {
        /// The given number of rows.
        rows: usize,
        /// The given number of columns.
        columns: usize,
    },
    /// A text is not the size of a grid.
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
        /// The maximum number of columns.
        most: usize,
    },
    /// A direction cannot have this weight.
    #[error("the weight of pointing {direction:?} is {weight}; use a number from 1e-6 to 1e6")]
    Weight {
        /// The direction.
        direction: Pointer,
        /// Weight of the direction.
        weight: f64,
    },
    /// The pointers of a maze do not form a tree.
    #[error(
        "the room at {room} does not lead to the first one; point every room to one beside it that does"
    )]
    NotPerfect {
        /// A room from which the pointers do not lead to the first room.
        room: Position,
    },
    /// No maze meets these clues.
    #[error(
        "the clues at {} lead out of the maze, in a circle, or cut rooms off from the first one, which has no clue itself; take one of them back",
        .clues.iter().map(Position::to_string).collect::<Vec<_>>().join("; ")
    )]
    PointerClues {
        /// The rooms that have these clues.
        clues: Vec<Position>,
    },
    /// The number of cells, rows or columns in a list differs from that of the grid.
    #[error("{found} {what} for a grid that has {expected}; give one for each")]
    Length {
        /// Kind of the listed items.
        what: &'static str,
        /// Number of items that the grid needs.
        expected: usize,
        /// Number of items in the list.
        found: usize,
    },
    /// The grid is too large for bounds on the lengths of paths.
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
        /// The given number of stops.
        stops: usize,
    },
    /// A range is empty.
    #[error(
        "the range of {what} from {least} to {most} is empty; let it end at or after its start"
    )]
    EmptyRange {
        /// Description of the bounded quantity.
        what: &'static str,
        /// Start of the range.
        least: u32,
        /// End of the range.
        most: u32,
    },
    /// A chromatic maze of one tile has no room for both start and finish.
    #[error(
        "impossible: a chromatic maze of one tile has no room for start and finish; use two tiles or more"
    )]
    OneTile,
    /// A chromatic maze does not have exactly one start and one finish.
    #[error(
        "{found} ends of the way of a chromatic maze; give the tiles of a world, where there are two"
    )]
    Ends {
        /// Number of tiles that are ends.
        found: usize,
    },
    /// An island cannot have this size.
    #[error(
        "an island of {rows} by {columns} cells: use 3 to {} of each",
        ISLAND_SIDE
    )]
    IslandSize {
        /// The given number of rows.
        rows: usize,
        /// The given number of columns.
        columns: usize,
    },
    /// The centre of an island is on the border.
    #[error(
        "the centre of the island at {centre} is on the border, which is water; use a cell inside"
    )]
    CentreOnBorder {
        /// The centre.
        centre: Position,
    },
    /// A share of land is not between 0 and 1.
    #[error(
        "the share of land from {least} to {most}: use numbers from 0 to 1, the smaller one first"
    )]
    Share {
        /// The smaller share.
        least: f64,
        /// The larger share.
        most: f64,
    },
    /// No board of this size has a number in the demanded range.
    #[error(
        "impossible: {} {what}, where boards of this size have {}; use a range that meets that",
        numbers(*.least, *.most),
        steps(.possible, *.apart)
    )]
    NoSuchNumber {
        /// Description of the counted quantity.
        what: &'static str,
        /// The smallest allowed number.
        least: u32,
        /// The largest allowed number; `u32::MAX` means no bound.
        most: u32,
        /// Range of the numbers that boards can have.
        possible: RangeInclusive<u32>,
        /// Distance between two possible numbers, which are counted from the smallest.
        apart: u32,
    },
    /// The grid has no such cell.
    #[error("{at} is outside a grid of {} rows and {} columns", .size.rows(), .size.columns())]
    Outside {
        /// The cell.
        at: Position,
        /// Size of the grid.
        size: Size,
    },
}

impl GridError {
    /// Returns an error if the length of a list differs from the number of cells.
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

    /// Returns an error if a range contains none of the possible numbers, those of `possible` in steps of `apart`.
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

/// Describes a range in words.
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
