//! Obstacles: reasons why a player cannot get through a level.

use std::fmt;

use figrs_core::wording::Counted;

use super::field::Field;

/// An obstacle in a level that stops the player. In levels that are played from left to right, the obstacle is the first one after the last column in
/// which the player can get to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Obstacle {
    /// A gap: adjacent columns without a cell in which a player could stand.
    Gap {
        /// First column of the gap.
        column: usize,
        /// Number of columns of the gap.
        width: usize,
        /// Rise over the gap, in rows: from the last cell before the gap in which the player can stand to the nearest such cell behind the gap; 0 if
        /// the cell behind the gap is not higher.
        rise: usize,
    },
    /// A wall: solid tiles on top of one another, higher than any jump.
    Wall {
        /// Column of the wall.
        column: usize,
        /// Number of solid tiles of the wall, counted upwards from the row where the player stands.
        height: usize,
    },
    /// The player has no room to move on to a cell in which a player could stand.
    Blocked {
        /// First column that has a cell in which a player could stand, but that the player cannot reach.
        column: usize,
    },
    /// In a level in which the player climbs, the player cannot get beyond a certain row.
    Ceiling {
        /// The highest row that the player reaches, from 0 at the top.
        row: usize,
    },
    /// A goal cell that the player cannot reach.
    Unreached {
        /// Row of the unreached goal cell, from 0 at the top.
        row: usize,
        /// Column of the goal cell.
        column: usize,
    },
    /// An area of a route that the player cannot pass after passing the areas before it.
    WayPoint {
        /// Number of areas of the route that the player passes.
        passed: usize,
    },
    /// The level has no cell that is a goal.
    NoGoal,
    /// The level has no place where the player can start.
    NoStart,
}

impl Obstacle {
    /// Returns the obstacle after the last column in which the player can get to stand. The argument `last` is the row and column of the highest cell
    /// of that column in which the player can stand; `None` if the player can stand nowhere. The argument `jump_height` is the greatest rise of a
    /// jump, in rows.
    pub(super) fn after(
        field: &Field<'_>,
        last: Option<(usize, usize)>,
        start: usize,
        jump_height: usize,
    ) -> Self {
        let (height, width) = (field.height(), field.width());
        let column = last.map_or(start, |(_, column)| column + 1);
        let footings = |column| (0..height).filter(move |&row| field.footing((row, column)));
        if let Some((row, _)) = last.filter(|_| column < width) {
            let stacked = (0..=row).rev();
            let stacked = stacked
                .take_while(|&row| field.blocked((row, column)))
                .count();
            if stacked > jump_height || stacked == row + 1 {
                return Self::Wall {
                    column,
                    height: stacked,
                };
            }
        }
        let gap = (column..width).take_while(|&column| footings(column).next().is_none());
        let gap = gap.count();
        if gap == 0 {
            return Self::Blocked { column };
        }
        let beyond = (column + gap < width).then(|| footings(column + gap).max());
        let rise = last.zip(beyond.flatten());
        Self::Gap {
            column,
            width: gap,
            rise: rise.map_or(0, |((row, _), next)| row.saturating_sub(next)),
        }
    }
}

/// Writes the obstacle and its position; rows and columns are numbered in the way that [`Counted`] defines.
impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Gap {
                column,
                width,
                rise,
            } => {
                let columns = if width == 1 { "column" } else { "columns" };
                write!(f, "gap of {width} {columns} at column {}", Counted(column))?;
                match rise {
                    0 => Ok(()),
                    rise => write!(f, ", then {rise} up"),
                }
            }
            Self::Wall { column, height } => {
                write!(f, "wall of height {height} at column {}", Counted(column))
            }
            Self::Blocked { column } => write!(f, "no path through column {}", Counted(column)),
            Self::Ceiling { row } => write!(f, "no path up from row {}", Counted(row)),
            Self::Unreached { row, column } => {
                let (row, column) = (Counted(row), Counted(column));
                write!(f, "no path to row {row}, column {column}")
            }
            Self::WayPoint { passed } => {
                write!(f, "no path through area {} of the route", passed + 1)
            }
            Self::NoGoal => f.write_str("no goal"),
            Self::NoStart => f.write_str("no place to start"),
        }
    }
}
