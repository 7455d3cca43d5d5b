//! Tiles that are set, and cells that are free.

use std::path::Path;

use ndarray::Array2;

use super::super::level::vglc;
use super::super::{Level, LevelError, Tile};

/// A rectangle in which some cells have a tile and the others are free.
///
/// As text, one row a line: `?` is free, and every other character is a tile, except that a full question block is written `!`.
///
/// ```
/// use figrs_models::mdmc::{Mask, Tile};
///
/// let stairs = Mask::from_text("stairs", "???X\n??XX\n?XXX\nXXXX")?;
/// assert_eq!(stairs.get(0, 3), Some(Tile::GROUND));
/// assert_eq!(stairs.get(0, 0), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    cells: Array2<Option<Tile>>,
}

impl Mask {
    /// The character of a free cell.
    pub const FREE: char = '?';

    /// The character of a full question block.
    pub const QUESTION_BLOCK: char = '!';

    /// All cells free.
    pub fn free(height: usize, width: usize) -> Self {
        Self {
            cells: Array2::from_elem((height, width), None),
        }
    }

    /// A level of which the columns `free` are free and the others set: to draw a part of it again.
    pub fn around(level: &Level, free: std::ops::Range<usize>) -> Self {
        let mut mask = Self::free(level.height(), level.width());
        for ((row, column), &tile) in level.as_array().indexed_iter() {
            if !free.contains(&column) {
                mask.set(row, column, tile);
            }
        }
        mask
    }

    /// Reads lines of text; `place` names them in errors.
    ///
    /// Errors as [`Level::from_text`].
    pub fn from_text(place: &str, text: &str) -> Result<Self, LevelError> {
        // A free cell is read as air first, and a question block by its own character.
        let air = Tile::EMPTY.symbol().unwrap_or_default();
        let tiles: String = text
            .chars()
            .map(|symbol| match symbol {
                Self::FREE => air,
                Self::QUESTION_BLOCK => Self::FREE,
                other => other,
            })
            .collect();
        let level = Level::from_text(place, &tiles)?;
        let mut mask = Self::free(level.height(), level.width());
        for (row, line) in text.lines().enumerate() {
            for (column, symbol) in line.chars().enumerate() {
                if symbol != Self::FREE {
                    mask.cells[(row, column)] = level.get(row, column);
                }
            }
        }
        Ok(mask)
    }

    /// Reads a file.
    ///
    /// Errors as [`vglc::read_level`](super::super::level::vglc::read_level), with the places of the file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, LevelError> {
        let path = path.as_ref();
        Self::from_text(&path.display().to_string(), &vglc::read_text(path)?)
    }

    /// Sets a tile. Panics outside the mask, as indexing does.
    pub fn set(&mut self, row: usize, column: usize, tile: Tile) {
        self.cells[(row, column)] = Some(tile);
    }

    /// The tile of a cell; `None` where the cell is free or outside.
    pub fn get(&self, row: usize, column: usize) -> Option<Tile> {
        self.cells.get((row, column)).copied().flatten()
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.cells.nrows()
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.cells.ncols()
    }

    /// The cells that are set, by row and column.
    pub fn tiles(&self) -> impl Iterator<Item = (usize, usize, Tile)> + '_ {
        let cells = self.cells.indexed_iter();
        cells.filter_map(|((row, column), tile)| Some((row, column, (*tile)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_marks_are_free_and_exclamation_marks_are_question_blocks() {
        let mask = Mask::from_text("mask", "?!\nX-").unwrap();
        assert_eq!(mask.get(0, 0), None);
        assert_eq!(mask.get(0, 1), Tile::from_char('?'));
        assert_eq!(mask.get(1, 1), Some(Tile::EMPTY));
        assert_eq!(mask.tiles().count(), 3);
        assert_eq!((mask.height(), mask.width()), (2, 2));
    }

    #[test]
    fn a_mask_around_a_range_frees_its_columns() {
        let level: Level = "---\nXXX".parse().unwrap();
        let mask = Mask::around(&level, 1..2);
        assert_eq!(mask.tiles().count(), 4);
        assert_eq!(mask.get(0, 1), None);
    }

    /// The remedy was to check permissions.
    #[test]
    fn a_file_that_is_not_utf8_is_told_with_its_place() {
        let file = std::env::temp_dir().join(format!("figrs-mask-{}.txt", std::process::id()));
        std::fs::write(&file, b"?X\n?\xe9\n").unwrap();
        let read = Mask::read(&file);
        std::fs::remove_file(&file).unwrap();
        assert!(matches!(
            read,
            Err(LevelError::NotUtf8 {
                line: 2,
                column: 2,
                ..
            })
        ));
    }

    #[test]
    fn errors_name_the_place() {
        let error = Mask::from_text("mask.txt", "??\n?é").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("mask.txt:2:2: unknown tile 'é'"),
            "{error}"
        );
    }
}
