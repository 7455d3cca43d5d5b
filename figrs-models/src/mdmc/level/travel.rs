//! Directions in which game levels are played.

use std::fmt;

use ndarray::Array2;

use super::Level;

/// The direction in which the player moves through a level, which is also the direction in which models draw the level.
///
/// Models draw levels from left to right, in *model coordinates*: a level in which the player climbs is turned clockwise by 90 degrees, so that its
/// bottom row becomes the first column, and its left column the top row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Travel {
    /// In levels of this direction, the player moves from the left to the right.
    #[default]
    Right,
    /// In levels of this direction, the player moves from the bottom to the top.
    Up,
}

impl Travel {
    /// Returns the name of the direction, `right` or `up`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Up => "up",
        }
    }

    /// Returns the direction with the name `name`; `None` if no direction has this name.
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Right, Self::Up]
            .into_iter()
            .find(|travel| travel.name() == name)
    }

    /// Turns an upright level into model coordinates, in which the player always moves to the right.
    #[must_use]
    pub fn turned(self, level: &Level) -> Level {
        Level::from_tiles(self.turned_cells(level.as_array()))
    }

    /// Turns a level from model coordinates (the player moves to the right) back into the upright level that players see.
    #[must_use]
    pub fn upright(self, level: &Level) -> Level {
        let cells = level.as_array();
        let (rows, columns) = cells.dim();
        match self {
            Self::Right => level.clone(),
            Self::Up => {
                Level::from_tiles(Array2::from_shape_fn((columns, rows), |(row, column)| {
                    cells[(column, columns - 1 - row)]
                }))
            }
        }
    }

    /// Returns the row and column that a cell of a level in model coordinates (with `columns` columns) has in the upright level.
    pub fn upright_cell(self, columns: usize, (row, column): (usize, usize)) -> (usize, usize) {
        match self {
            Self::Right => (row, column),
            Self::Up => (columns - 1 - column, row),
        }
    }

    /// Turns a rectangle of cells into model coordinates, in which the player always moves to the right.
    #[doc(hidden)]
    pub fn turned_cells<T: Clone>(self, cells: &Array2<T>) -> Array2<T> {
        let (rows, columns) = cells.dim();
        match self {
            Self::Right => cells.clone(),
            Self::Up => Array2::from_shape_fn((columns, rows), |(row, column)| {
                cells[(rows - 1 - column, row)].clone()
            }),
        }
    }
}

impl fmt::Display for Travel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upwards_the_bottom_row_comes_first() {
        let level: Level = "-X\nSE\n?o".parse().unwrap();
        let turned = Travel::Up.turned(&level);
        assert_eq!(turned.to_string(), "?S-\noEX");
        assert_eq!(Travel::Up.upright(&turned), level);
        for ((row, column), &tile) in turned.as_array().indexed_iter() {
            let (row, column) = Travel::Up.upright_cell(turned.width(), (row, column));
            assert_eq!(level.get(row, column), Some(tile));
        }
        assert_eq!(Travel::Right.turned(&level), level);
        assert_eq!(Travel::Right.upright(&level), level);
        assert_eq!(Travel::Right.upright_cell(2, (1, 0)), (1, 0));
    }

    #[test]
    fn names_are_read_back() {
        for travel in [Travel::Right, Travel::Up] {
            assert_eq!(Travel::of_name(&travel.to_string()), Some(travel));
        }
        assert_eq!(Travel::of_name("down"), None);
    }
}
