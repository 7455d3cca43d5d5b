//! Masks: rectangles in which some cells have a tile and the other cells are free.

use std::path::Path;

use ndarray::Array2;

use figrs_models::mdmc::{Level, LevelError, Tile, TileSet, Travel, vglc};

/// A rectangle in which some cells have a tile and the other cells are free.
///
/// The text of a mask has a line for each row; in it, each tile is written as its character, and a free cell as `_`. If `_` is the character of a
/// tile, the first of `~`, `*` and `:` that is not a tile's character stands for a free cell.
///
/// ```
/// use figrs_models::mdmc::{Tile, TileSet};
/// use figrs_design::Mask;
///
/// let stairs = Mask::from_text("stairs", "___X\n__XX\n_XXX\nXXXX", TileSet::platformer())?;
/// assert_eq!(stairs.get(0, 3), Some(Tile::GROUND));
/// assert_eq!(stairs.get(0, 0), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask {
    cells: Array2<Option<Tile>>,
}

impl Mask {
    /// Returns the character that stands for a free cell of a mask: the first of `_`, `~`, `*` and `:` that is not the character of a tile of the
    /// set.
    pub fn free_symbol(set: &TileSet) -> char {
        let mut symbols = ['_', '~', '*', ':'].into_iter();
        symbols
            .find(|&symbol| set.tile(symbol).is_none())
            .unwrap_or('_')
    }

    /// Creates a mask in which all cells are free.
    pub fn free(height: usize, width: usize) -> Self {
        Self {
            cells: Array2::from_elem((height, width), None),
        }
    }

    /// Creates a mask for redrawing a part of a level: the columns `free` are free, and all other cells have the tiles of the level `level`.
    pub fn around(level: &Level, free: std::ops::Range<usize>) -> Self {
        let mut mask = Self::free(level.height(), level.width());
        for ((row, column), &tile) in level.as_array().indexed_iter() {
            if !free.contains(&column) {
                mask.set(row, column, tile);
            }
        }
        mask
    }

    /// Reads a mask from lines of text; error messages name `place` as the origin of the text.
    ///
    /// **Errors.** The same errors as [`Level::from_text`], if the text is not a mask.
    pub fn from_text(place: &str, text: &str, set: &TileSet) -> Result<Self, LevelError> {
        let free = Self::free_symbol(set);
        // The reader treats the character of free cells as a further tile, and then replaces this tile.
        let with_free = set.clone().and_unknown([free]);
        let level = Level::from_text(place, text, &with_free)?;
        let tile = |tile: &Tile| Some(*tile).filter(|tile| tile.symbol() != Some(free));
        Ok(Self {
            cells: level.as_array().map(tile),
        })
    }

    /// Reads a mask from a file.
    ///
    /// **Errors.** The same errors as [`vglc::read_level`](figrs_models::mdmc::vglc::read_level), with the place of the error in the file.
    pub fn read(path: impl AsRef<Path>, set: &TileSet) -> Result<Self, LevelError> {
        let path = path.as_ref();
        Self::from_text(&path.display().to_string(), &vglc::read_text(path)?, set)
    }

    /// Returns the mask in model coordinates: for levels in which the player climbs, the mask is turned on its side; see [`Travel`].
    #[must_use]
    pub fn turned(&self, travel: Travel) -> Self {
        Self {
            cells: travel.turned_cells(&self.cells),
        }
    }

    pub(super) fn with_cells(
        &self,
        change: impl Fn(&Array2<Option<Tile>>) -> Array2<Option<Tile>>,
    ) -> Self {
        Self {
            cells: change(&self.cells),
        }
    }

    /// Sets the tile of the mask's cell in `row` and `column`. Setting a cell outside the mask causes a panic.
    pub fn set(&mut self, row: usize, column: usize, tile: Tile) {
        self.cells[(row, column)] = Some(tile);
    }

    /// Returns the tile of the cell in `row` and `column`; `None` if the cell is free or outside the mask.
    pub fn get(&self, row: usize, column: usize) -> Option<Tile> {
        self.cells.get((row, column)).copied().flatten()
    }

    /// Returns the number of rows of the mask.
    pub fn height(&self) -> usize {
        self.cells.nrows()
    }

    /// Returns the number of columns of the mask.
    pub fn width(&self) -> usize {
        self.cells.ncols()
    }

    /// Returns the cells of the mask that have a tile, each with its row, column and tile.
    pub fn tiles(&self) -> impl Iterator<Item = (usize, usize, Tile)> + '_ {
        let cells = self.cells.indexed_iter();
        cells.filter_map(|((row, column), tile)| Some((row, column, (*tile)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(place: &str, text: &str) -> Result<Mask, LevelError> {
        Mask::from_text(place, text, TileSet::platformer())
    }

    #[test]
    fn underscores_are_free_and_every_tile_is_itself() {
        let mask = mask("mask", "_?\nX-").unwrap();
        assert_eq!(mask.get(0, 0), None);
        assert_eq!(mask.get(0, 1), Tile::platformer('?'));
        assert_eq!(mask.get(1, 1), Some(Tile::EMPTY));
        assert_eq!(mask.tiles().count(), 3);
        assert_eq!((mask.height(), mask.width()), (2, 2));
    }

    #[test]
    fn another_character_is_free_where_underscores_are_tiles() {
        let set = TileSet::unknown("_~#".chars());
        assert_eq!(Mask::free_symbol(&set), '*');
        let mask = Mask::from_text("mask", "_*~", &set).unwrap();
        assert_eq!(mask.get(0, 0), set.tile('_'));
        assert_eq!(mask.get(0, 1), None);
    }

    #[test]
    fn a_mask_around_a_range_frees_its_columns() {
        let level: Level = "---\nXXX".parse().unwrap();
        let mask = Mask::around(&level, 1..2);
        assert_eq!(mask.tiles().count(), 4);
        assert_eq!(mask.get(0, 1), None);
    }

    /// Regression test: the error for a file that is not UTF-8 wrongly advised to check permissions.
    #[test]
    fn a_file_that_is_not_utf8_is_told_with_its_place() {
        let file = std::env::temp_dir().join(format!("figrs-mask-{}.txt", std::process::id()));
        std::fs::write(&file, b"_X\n_\xe9\n").unwrap();
        let read = Mask::read(&file, TileSet::platformer());
        std::fs::remove_file(&file).unwrap();
        let error = read.unwrap_err();
        assert!(error.to_string().contains(":2:2: not UTF-8"), "{error}");
    }

    #[test]
    fn errors_name_the_place() {
        let error = mask("mask.txt", "__\n_é").unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("mask.txt:2:2: unknown tile 'é'"),
            "{error}"
        );
    }
}
