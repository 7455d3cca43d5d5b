//! The built-in training levels, which are original work, drawn for figrs.

use crate::mdmc::{Level, TileSet};

pub(in crate::mdmc) const HEIGHT: usize = 14;

/// The name and the text of each built-in level; a test checks that the levels are valid.
const TEXTS: [(&str, &str); 9] = [
    (
        "01-first-steps",
        include_str!("../../../levels/01-first-steps.txt"),
    ),
    (
        "02-pipe-valley",
        include_str!("../../../levels/02-pipe-valley.txt"),
    ),
    (
        "03-brick-heights",
        include_str!("../../../levels/03-brick-heights.txt"),
    ),
    (
        "04-stair-hills",
        include_str!("../../../levels/04-stair-hills.txt"),
    ),
    (
        "05-tree-tops",
        include_str!("../../../levels/05-tree-tops.txt"),
    ),
    (
        "06-cannon-road",
        include_str!("../../../levels/06-cannon-road.txt"),
    ),
    (
        "07-coin-bridges",
        include_str!("../../../levels/07-coin-bridges.txt"),
    ),
    (
        "08-brick-cellar",
        include_str!("../../../levels/08-brick-cellar.txt"),
    ),
    (
        "09-last-walk",
        include_str!("../../../levels/09-last-walk.txt"),
    ),
];

pub(in crate::mdmc) fn levels() -> impl Iterator<Item = (String, Level)> {
    TEXTS.into_iter().filter_map(|(name, text)| {
        Some((
            name.to_owned(),
            Level::from_text(name, text, TileSet::platformer()).ok()?,
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mdmc::Tile;

    fn at(level: &Level, row: usize, column: usize) -> char {
        level.get(row, column).and_then(Tile::symbol).unwrap_or('#')
    }

    fn solid(level: &Level, row: usize, column: usize) -> bool {
        level.get(row, column).is_some_and(Tile::solid)
    }

    fn each_cell(mut check: impl FnMut(&str, &Level, usize, usize)) {
        for (name, level) in levels() {
            for row in 0..level.height() {
                for column in 0..level.width() {
                    check(&name, &level, row, column);
                }
            }
        }
    }

    #[test]
    fn every_built_in_text_is_a_level_of_the_right_size() {
        assert_eq!(levels().count(), TEXTS.len());
        for (name, level) in levels() {
            assert_eq!(level.height(), HEIGHT, "{name}");
            assert!((120..=220).contains(&level.width()), "{name}");
        }
    }

    #[test]
    fn together_they_use_the_whole_alphabet() {
        for tile in TileSet::platformer().tiles() {
            assert!(
                levels().any(|(_, level)| level.as_array().iter().any(|&t| t == tile)),
                "{tile}"
            );
        }
    }

    #[test]
    fn pipes_are_complete_and_stand_on_something() {
        each_cell(|name, level, row, column| {
            let here = (name, row, column);
            match at(level, row, column) {
                '<' => {
                    assert_eq!(at(level, row, column + 1), '>', "{here:?}");
                    assert_eq!(at(level, row + 1, column), '[', "{here:?}");
                }
                '[' => {
                    assert_eq!(at(level, row, column + 1), ']', "{here:?}");
                    assert!("<[".contains(at(level, row - 1, column)), "{here:?}");
                    assert!(
                        solid(level, row + 1, column) && solid(level, row + 1, column + 1),
                        "{here:?}"
                    );
                }
                '>' | ']' => assert!("<[".contains(at(level, row, column - 1)), "{here:?}"),
                _ => {}
            }
        });
    }

    #[test]
    fn cannons_have_a_body_down_to_the_ground() {
        each_cell(|name, level, row, column| match at(level, row, column) {
            'B' => assert_eq!(at(level, row + 1, column), 'b', "{:?}", (name, row, column)),
            'b' => assert!(
                "bX".contains(at(level, row + 1, column)),
                "{:?}",
                (name, row, column)
            ),
            _ => {}
        });
    }

    #[test]
    fn enemies_stand_on_something() {
        each_cell(|name, level, row, column| {
            if at(level, row, column) == 'E' {
                assert!(solid(level, row + 1, column), "{:?}", (name, row, column));
            }
        });
    }

    #[test]
    fn no_gap_is_wider_than_five_without_something_to_stand_on() {
        for (name, level) in levels() {
            let standable = |column| (6..HEIGHT).any(|row| solid(&level, row, column));
            let mut gap = 0;
            for column in 0..level.width() {
                gap = if standable(column) { 0 } else { gap + 1 };
                assert!(gap <= 5, "{name}, column {column}");
            }
        }
    }

    #[test]
    fn levels_begin_and_end_on_flat_ground() {
        for (name, level) in levels() {
            for column in (0..10).chain(level.width() - 10..level.width()) {
                assert_eq!(
                    at(&level, HEIGHT - 1, column),
                    'X',
                    "{name}, column {column}"
                );
                assert!(
                    (3..HEIGHT - 1).all(|row| !solid(&level, row, column)),
                    "{name}, column {column}"
                );
            }
        }
    }
}
