//! Cuts levels into rooms: into rooms of one size, or along rows and columns of tiles that mean "outside".

use std::ops::Range;

use ndarray::s;

use super::note::CorpusNote;
use crate::mdmc::{Level, LevelError, Meaning, TileSet};
use figrs_reading::{Mistake, MistakeKind};

/// A way to divide training levels into rooms.
///
/// Rooms that consist of [outside](Meaning::Outside) tiles only are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rooms {
    /// All rooms have one size and lie side by side, from the top left corner of a level. Rows and columns at the end of a level that do not fill a
    /// room are left out.
    Sized {
        /// Number of rows of a room.
        rows: usize,
        /// Number of columns of a room.
        columns: usize,
    },
    /// Rooms lie between the rows and columns of a level that have only tiles with the meaning "outside". Each room is divided again along rows and
    /// columns that have only outside tiles.
    Apart,
}

type Place = (Range<usize>, Range<usize>);

/// Cuts levels into rooms; levels and rooms have names. The name of a room consists of the name of its level and of the room's first row and column.
///
/// **Errors.** [`LevelError::Levels`] if levels are to be cut along outside tiles but have no such tiles, or if there is no room.
pub(super) fn cut(
    named: Vec<(String, Level)>,
    rooms: Rooms,
    set: &TileSet,
    notes: &mut Vec<CorpusNote>,
) -> Result<Vec<(String, Level)>, LevelError> {
    if rooms == Rooms::Apart && set.outside().is_empty() {
        let known = set.symbols();
        let remedy = format!("add the word \"outside\" to one of the tiles {known} in the legend");
        return Err(Mistake::new(MistakeKind::Missing, "no tile means outside", remedy).into());
    }
    let (levels, mut left_out, mut cut) = (named.len(), 0, Vec::new());
    for (name, level) in named {
        let places = match rooms {
            Rooms::Sized { rows, columns } => {
                let (places, over) = side_by_side(&level, (rows, columns));
                left_out += over;
                places
            }
            Rooms::Apart => apart(&level),
        };
        for (rows, columns) in places {
            let tiles = level.as_array().slice(s![rows.clone(), columns.clone()]);
            if tiles.iter().any(|tile| !tile.is(Meaning::Outside)) {
                let name = format!("{name}/{},{}", rows.start, columns.start);
                cut.push((name, Level::from_tiles(tiles.to_owned())));
            }
        }
    }
    if cut.is_empty() {
        let problem = format!(
            "{levels} levels contain no room: none of them is as large as a room and has a tile other than outside"
        );
        return Err(Mistake::new(MistakeKind::Missing, problem, "").into());
    }
    notes.push(CorpusNote::Rooms {
        rooms: cut.len(),
        levels,
        left_out,
    });
    Ok(cut)
}

/// Cuts a level into rooms of one size; returns the rooms, and the number of cells that belong to no room.
fn side_by_side(level: &Level, (rows, columns): (usize, usize)) -> (Vec<Place>, usize) {
    let starts = |cells: usize, side: usize| {
        let count = cells.checked_div(side).unwrap_or(0);
        (0..count).map(move |place| place * side..(place + 1) * side)
    };
    let across = || starts(level.width(), columns);
    let places = starts(level.height(), rows);
    let places = places.flat_map(|rows| across().map(move |columns| (rows.clone(), columns)));
    let places: Vec<Place> = places.collect();
    let over = level.as_array().len() - places.len() * rows * columns;
    (places, over)
}

/// Returns the rooms of a level, which lie between rows and columns of outside tiles; upper rooms come first.
fn apart(level: &Level) -> Vec<Place> {
    let is_outside = level.as_array().mapv(|tile| tile.is(Meaning::Outside));
    let mut open: Vec<Place> = vec![(0..level.height(), 0..level.width())];
    let mut places = Vec::new();
    while let Some((rows, columns)) = open.pop() {
        let cells = is_outside.slice(s![rows.clone(), columns.clone()]);
        let blank = |lines: ndarray::iter::Lanes<'_, bool, ndarray::Ix1>| {
            lines
                .into_iter()
                .map(|line| line.iter().all(|&cell| cell))
                .collect()
        };
        let of_rows = runs(blank(cells.rows()), rows.start);
        let of_columns = runs(blank(cells.columns()), columns.start);
        if of_rows == [rows.clone()] && of_columns == [columns.clone()] {
            places.push((rows, columns));
            continue;
        }
        for rows in of_rows.iter().rev() {
            for columns in of_columns.iter().rev() {
                open.push((rows.clone(), columns.clone()));
            }
        }
    }
    places
}

/// Returns the ranges of adjacent rows or columns that are not blank (blank rows have only outside tiles); `first` is the index of the first row or
/// column.
fn runs(blank: Vec<bool>, first: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (line, is_blank) in (first..).zip(blank) {
        match runs.last_mut() {
            _ if is_blank => {}
            Some(run) if run.end == line => run.end += 1,
            _ => runs.push(line..line + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rooms(text: &str, rooms: Rooms) -> Vec<(String, String)> {
        let set =
            TileSet::from_toml("[tiles]\n'#' = ['solid']\n'.' = ['passable']\n'@' = ['outside']");
        let set = set.unwrap();
        let level = Level::from_text("a", text, &set).unwrap();
        let cut = cut(vec![("a".to_owned(), level)], rooms, &set, &mut Vec::new());
        let text = |(name, level): (String, Level)| (name, level.to_string());
        cut.unwrap().into_iter().map(text).collect()
    }

    #[test]
    fn rooms_of_a_size_are_cut_from_the_top_left() {
        let level = "###@@@.\n#.#@@@.\n.#..#..\n#.#.#..\n.......";
        let found = rooms(
            level,
            Rooms::Sized {
                rows: 2,
                columns: 3,
            },
        );
        let expected = [
            ("a/0,0", "###\n#.#"),
            ("a/2,0", ".#.\n#.#"),
            ("a/2,3", ".#.\n.#."),
        ];
        assert_eq!(found, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn outside_rows_and_columns_part_rooms_again_and_again() {
        // Only the upper part has a column that separates rooms.
        let level = "@@@@@@\n##@#.@\n#.@##@\n@@@@@@\n.##@.@\n@##@@@\n@@@@@@";
        let found = rooms(level, Rooms::Apart);
        let expected = [
            ("a/1,0", "##\n#."),
            ("a/1,3", "#.\n##"),
            ("a/4,0", ".##\n@##"),
            ("a/4,4", "."),
        ];
        assert_eq!(found, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn levels_without_rooms_or_outside_tiles_are_errors() {
        let cut_one = |legend: &str, text: &str, rooms| {
            let set = TileSet::from_toml(legend).unwrap();
            let level = Level::from_text("a", text, &set).unwrap();
            cut(vec![("a".to_owned(), level)], rooms, &set, &mut Vec::new()).unwrap_err()
        };
        let error = cut_one("[tiles]\n'#' = ['solid']", "##", Rooms::Apart);
        let expected =
            "no tile means outside; add the word \"outside\" to one of the tiles # in the legend";
        assert_eq!(error.to_string(), expected);
        for size in [(2, 1), (0, 0), (1, usize::MAX)] {
            let rooms = Rooms::Sized {
                rows: size.0,
                columns: size.1,
            };
            let error = cut_one("[tiles]\n'#' = ['solid']", "##", rooms);
            assert!(
                error.to_string().starts_with("1 levels contain no room"),
                "{error}"
            );
        }
        let error = cut_one("[tiles]\n'#' = ['outside']", "##", Rooms::Apart);
        assert!(error.to_string().contains("contain no room"), "{error}");
    }
}
