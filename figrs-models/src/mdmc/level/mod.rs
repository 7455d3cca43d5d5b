//! Rectangular game levels, which consist of tiles.

pub(crate) mod error;
pub(crate) mod grid;
pub(crate) mod travel;
pub mod vglc;

use std::{fmt, str::FromStr};

use ndarray::Array2;

use figrs_reading::{Mistake, MistakeKind};

use super::{LevelError, Tile, TileSet};
use error::empty_level;

/// A level: a non-empty rectangle of tiles, with rows counted from the top and columns from the left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    tiles: Array2<Tile>,
}

impl Level {
    /// Reads a level from lines of text, with one row on each line; lines end with `\n` or `\r\n`.
    ///
    /// Empty lines at the end of the text and a byte order mark are ignored. **Errors.** [`LevelError`] if the text is empty, rows have unequal
    /// lengths, or a character is not a tile of the set; the error names `place` as the origin of the text.
    pub fn from_text(place: &str, text: &str, set: &TileSet) -> Result<Self, LevelError> {
        let text = text.trim_start_matches('\u{feff}');
        let text = text.trim_end_matches(['\n', '\r']);
        let width = text.lines().next().map_or(0, |row| row.chars().count());
        if width == 0 && text.contains(|symbol: char| !symbol.is_control()) {
            let rows = text.lines().take_while(|row| row.is_empty()).count();
            let mistake = Mistake::new(
                MistakeKind::Syntax,
                format!("the first {rows} rows are blank"),
                "fill them with the tile for air, or remove them",
            );
            return Err(mistake.at(place, (1, 1)).into());
        }
        if width == 0 {
            return Err(empty_level(place));
        }
        let mut tiles = Vec::with_capacity(text.len());
        for (line, row) in (1..).zip(text.lines()) {
            for (column, symbol) in (1..).zip(row.chars()) {
                let unknown = || {
                    let remedy = format!("use only the tiles {}", set.symbols());
                    Mistake::new(
                        MistakeKind::Unknown,
                        format!("unknown tile {symbol:?}"),
                        remedy,
                    )
                    .at(place, (line, column))
                };
                tiles.push(set.tile(symbol).ok_or_else(unknown)?);
            }
            let found = row.chars().count();
            if found != width {
                let column = found.min(width) + 1;
                let mistake = Mistake::new(
                    MistakeKind::Count,
                    format!("the row has {found} tiles, but the first row has {width}"),
                    "make all rows equally long",
                );
                return Err(mistake.at(place, (line, column)).into());
            }
        }
        let height = tiles.len() / width;
        let empty = |_| empty_level(place);
        Ok(Self {
            tiles: Array2::from_shape_vec((height, width), tiles).map_err(empty)?,
        })
    }

    /// Creates a level from an array of tiles.
    ///
    /// **Errors.** [`LevelError`] if the array has no cells or contains [`Tile::BORDER`].
    pub fn from_array(tiles: Array2<Tile>) -> Result<Self, LevelError> {
        if tiles.is_empty() {
            return Err(empty_level("array"));
        }
        match tiles
            .indexed_iter()
            .find(|&(_, &tile)| tile == Tile::BORDER)
        {
            Some(((row, column), _)) => Err(Mistake::new(
                MistakeKind::Value,
                format!("row {row}, column {column}: a level cannot contain the border tile"),
                "use a tile of the alphabet",
            )
            .into()),
            None => Ok(Self { tiles }),
        }
    }

    /// Creates a level from its columns, the leftmost column first; each column lists its tiles from top to bottom.
    ///
    /// **Errors.** [`LevelError`] if there are no cells, or if the columns have different heights; the errors of [`Level::from_array`].
    pub fn from_columns(
        columns: impl IntoIterator<Item = impl AsRef<[Tile]>>,
    ) -> Result<Self, LevelError> {
        let (mut tiles, mut expected, mut width) = (Vec::new(), None, 0);
        for column in columns {
            let (column, height) = (column.as_ref(), column.as_ref().len());
            let expected = *expected.get_or_insert(height);
            if height != expected {
                return Err(LevelError::wrong_column(height, expected));
            }
            tiles.extend_from_slice(column);
            width += 1;
        }
        let shape = (width, expected.unwrap_or_default());
        let empty = |_| empty_level("columns");
        let columns = Array2::from_shape_vec(shape, tiles).map_err(empty)?;
        Self::from_array(columns.reversed_axes())
    }

    /// Creates a level from an array that is known to have cells and to have no border tile.
    #[doc(hidden)]
    pub fn from_tiles(tiles: Array2<Tile>) -> Self {
        Self { tiles }
    }

    /// Returns the number of rows of the level, which is at least 1.
    pub fn height(&self) -> usize {
        self.tiles.nrows()
    }

    /// Returns the number of columns of the level, which is at least 1.
    pub fn width(&self) -> usize {
        self.tiles.ncols()
    }

    /// Returns the tile at a row from the top and a column from the left, or `None` outside the level.
    pub fn get(&self, row: usize, column: usize) -> Option<Tile> {
        self.tiles.get((row, column)).copied()
    }

    /// Returns the tiles of the level as an array.
    pub fn as_array(&self) -> &Array2<Tile> {
        &self.tiles
    }
}

/// Reads a level of [platformer](TileSet::platformer) tiles as [`Level::from_text`] does; errors name `text` as the origin of the text.
impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Self, LevelError> {
        Self::from_text("text", text, TileSet::platformer())
    }
}

/// Writes the level as text, with one row on each line and no line end after the last row.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, row) in self.tiles.rows().into_iter().enumerate() {
            let line: String = row.iter().filter_map(|tile| tile.symbol()).collect();
            write!(f, "{}{line}", if index == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_level_correspond_with_either_line_end() {
        let unix: Level = "--\n?X\n".parse().unwrap();
        let windows: Level = "--\r\n?X\r\n".parse().unwrap();
        assert_eq!(unix, windows);
        assert_eq!(unix.to_string(), "--\n?X");
        assert_eq!((unix.height(), unix.width()), (2, 2));
        assert_eq!(unix.get(1, 0), TileSet::platformer().tile('?'));
        assert_eq!((unix.get(2, 0), unix.get(0, 2)), (None, None));
    }

    #[test]
    fn columns_make_the_level_that_rows_make() {
        let level: Level = "--S\nXXX".parse().unwrap();
        let columns = level.as_array().columns().into_iter();
        let columns: Vec<Vec<Tile>> = columns.map(|column| column.to_vec()).collect();
        assert_eq!(Level::from_columns(&columns).unwrap(), level);
        let none = Level::from_columns(Vec::<Vec<Tile>>::new()).unwrap_err();
        assert!(none.to_string().contains("the level is empty"), "{none}");
        let error = Level::from_columns([&columns[0][..], &columns[1][..1]]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the column has 1 tiles; give one for each of the 2 rows"
        );
    }

    #[test]
    fn empty_text_is_an_error() {
        let blank = "\r\n\n--".parse::<Level>().unwrap_err();
        assert!(
            blank.to_string().contains("the first 2 rows are blank"),
            "{blank}"
        );
        for text in ["", "\n", "\r\n\r\n"] {
            let error = text.parse::<Level>().unwrap_err();
            assert!(
                error.to_string().contains("the level is empty"),
                "{text:?}: {error}"
            );
        }
    }

    #[test]
    fn a_row_of_another_length_is_an_error_where_the_shorter_one_ends() {
        for (text, at, length) in [("---\n--\n", 3, 2), ("--\n---", 3, 3), ("--\n\n--", 1, 0)] {
            let error = text.parse::<Level>().unwrap_err();
            let words = format!(":2:{at}: the row has {length} tiles");
            assert!(error.to_string().contains(&words), "{text:?}: {error}");
        }
    }

    #[test]
    fn an_unknown_character_is_an_error_at_its_place() {
        let error = Level::from_text("castle.txt", "--\n-é", TileSet::platformer()).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("castle.txt:2:2: unknown tile 'é'")
        );
    }

    #[test]
    fn arrays_must_have_cells_and_no_border() {
        let none = Level::from_array(Array2::from_elem((3, 0), Tile::EMPTY)).unwrap_err();
        assert!(none.to_string().contains("the level is empty"), "{none}");
        let mut tiles = Array2::from_elem((2, 3), Tile::EMPTY);
        tiles[(1, 2)] = Tile::BORDER;
        let border = Level::from_array(tiles).unwrap_err();
        assert!(
            border.to_string().starts_with("row 1, column 2:"),
            "{border}"
        );
    }
}
