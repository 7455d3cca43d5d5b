//! Starts and goals of a movement (the rules of a player's moves) in model coordinates, in which a level where the player climbs lies on its side.

use super::movement::{Goal, Movement, Side, Start};
use super::movement_error::MovementError;
use figrs_models::mdmc::Travel;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameStart {
    Cell { row: usize, column: usize },
    Ground,
    FirstColumn,
    LastColumn,
    FirstRow,
    LastRow,
    FirstTile,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameGoal {
    LastColumn,
    /// The player must reach the last column, or a goal tile in the last `within` columns.
    LastColumnOr {
        within: u8,
    },
    FirstColumn,
    FirstRow,
    LastRow,
    AnyTile,
    AllTiles,
}

impl FrameStart {
    /// Returns the player's start by the rules of `movement`, in levels with the direction of travel `travel`.
    ///
    /// **Errors.** [`MovementError`] if the start depends on columns that are drawn after the column of the start.
    pub(super) fn of(movement: &Movement, travel: Travel) -> Result<Self, MovementError> {
        Ok(match &movement.start {
            Start::Cell(..) if travel == Travel::Up => {
                return Err(refused(
                    movement,
                    "a start at a cell whose row is counted from the top",
                    travel,
                    "use \"ground\", an edge or tiles",
                ));
            }
            &Start::Cell(row, column) => Self::Cell { row, column },
            Start::Ground => Self::Ground,
            Start::Tiles(_) => Self::FirstTile,
            Start::Edge(side) => match side.in_frame(travel) {
                FrameSide::FirstColumn => Self::FirstColumn,
                FrameSide::LastColumn => Self::LastColumn,
                FrameSide::FirstRow => Self::FirstRow,
                FrameSide::LastRow => Self::LastRow,
            },
        })
    }
}

impl FrameGoal {
    /// Returns the player's goal by the rules of `movement`, in levels with the direction of travel `travel`.
    ///
    /// **Errors.** [`MovementError`] if the goal depends on columns that are drawn after the column of the goal.
    pub(super) fn of(movement: &Movement, travel: Travel) -> Result<Self, MovementError> {
        Ok(match &movement.goal {
            Goal::Edge(side) => match side.in_frame(travel) {
                FrameSide::FirstColumn => Self::FirstColumn,
                FrameSide::LastColumn => Self::LastColumn,
                FrameSide::FirstRow => Self::FirstRow,
                FrameSide::LastRow => Self::LastRow,
            },
            &Goal::EdgeOr { edge, within, .. }
                if edge.in_frame(travel) == FrameSide::LastColumn =>
            {
                Self::LastColumnOr { within }
            }
            Goal::EdgeOr { .. } => {
                return Err(refused(
                    movement,
                    "a goal within some cells of this edge",
                    travel,
                    "use the right edge for levels that are played to the right, and the top edge for levels that are played up",
                ));
            }
            Goal::Any(_) => Self::AnyTile,
            Goal::All(_) => Self::AllTiles,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameSide {
    FirstColumn,
    LastColumn,
    FirstRow,
    LastRow,
}

impl Side {
    fn in_frame(self, travel: Travel) -> FrameSide {
        match (self, travel) {
            (Self::Left, Travel::Right) | (Self::Bottom, Travel::Up) => FrameSide::FirstColumn,
            (Self::Right, Travel::Right) | (Self::Top, Travel::Up) => FrameSide::LastColumn,
            (Self::Top, Travel::Right) | (Self::Left, Travel::Up) => FrameSide::FirstRow,
            (Self::Bottom, Travel::Right) | (Self::Right, Travel::Up) => FrameSide::LastRow,
        }
    }
}

pub(super) fn refused(
    movement: &Movement,
    what: &str,
    travel: Travel,
    remedy: &str,
) -> MovementError {
    let problem = format!(
        "{}: {what} does not fit levels that are played {}",
        movement.name,
        travel.name()
    );
    MovementError::invalid(problem, remedy)
}
