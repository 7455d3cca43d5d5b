//! Errors of grids and of the generators of boards on grids.

use figrs_derive::ErrorDebug;
use std::ops::RangeInclusive;

use super::{Position, Size};
use figrs_reading::{Mistake, MistakeKind};

/// An error of a grid or of a generator of boards; its text states the invalid number and a remedy.
#[derive(Clone, PartialEq, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum GridError {
    /// A size, a cell, a range, a weight or a list of cells is not valid.
    #[error(transparent)]
    Invalid(#[from] Mistake),
    /// The grid is too large for automata, or for bounds on the lengths of paths.
    #[error("{0}")]
    TooLarge(Mistake),
    /// No board of the wanted size is possible, or no board has a demanded number, such as the number of walls.
    #[error("{0}")]
    Impossible(Mistake),
    /// No maze meets the clues.
    #[error(
        "the clues at {} lead out of the maze, lead in a circle, or cut rooms off from the first room, which has no clue itself; remove one of \
         them",
        .clues.iter().map(Position::to_string).collect::<Vec<_>>().join("; ")
    )]
    PointerClues {
        /// The positions of the clues that contradict each other.
        clues: Vec<Position>,
    },
}

impl GridError {
    pub(crate) fn too_large(problem: String, remedy: String) -> Self {
        Self::TooLarge(Mistake::new(MistakeKind::TooLarge, problem, remedy))
    }

    pub(crate) fn impossible(problem: &str, remedy: &str) -> Self {
        let problem = format!("impossible: {problem}");
        Self::Impossible(Mistake::new(MistakeKind::Contradiction, problem, remedy))
    }

    /// Returns an error unless the length of a list is the number of cells, rows or columns of a grid.
    pub(crate) fn same_length(what: &str, expected: usize, found: usize) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        let problem = format!("{found} {what} for a grid that has {expected}");
        Err(Mistake::new(MistakeKind::Count, problem, "give one for each").into())
    }

    pub(crate) fn inside(at: Position, size: Size) -> Result<(), Self> {
        if size.contains(at) {
            return Ok(());
        }
        let (rows, columns) = (size.rows(), size.columns());
        let problem = format!("{at} is outside a grid of {rows} rows and {columns} columns");
        Err(Mistake::value(problem, "").into())
    }

    /// Returns an error if `range` contains none of the possible numbers, which start at the first number of `possible` and have the distance `apart`
    /// from each other.
    pub(crate) fn reachable(
        what: &str,
        range: &RangeInclusive<u32>,
        possible: RangeInclusive<u32>,
        apart: u32,
    ) -> Result<(), Self> {
        let (least, most) = (*range.start(), *range.end());
        let (fewest, highest) = (*possible.start(), *possible.end());
        // The sum does not overflow, because numbers of cells and steps are far below the largest integer.
        let first = fewest
            + least
                .min(highest + 1)
                .saturating_sub(fewest)
                .next_multiple_of(apart);
        if first <= most.min(highest) {
            return Ok(());
        }
        let (numbers, possible) = (numbers(least, most), steps(&possible, apart));
        let problem = format!("{numbers} {what}, but boards of this size have {possible}");
        Err(Self::impossible(
            &problem,
            "use a range with at least one of these numbers",
        ))
    }

    /// Returns `range` if it is not empty; in the error, `what` names the number that must be in the range.
    pub fn not_empty(what: &str, range: RangeInclusive<u32>) -> Result<RangeInclusive<u32>, Self> {
        if range.is_empty() {
            let (least, most) = range.into_inner();
            return Err(Mistake::value(
                format!("the range of {what} from {least} to {most} is empty"),
                "let it end at or after its start",
            )
            .into());
        }
        Ok(range)
    }
}

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
