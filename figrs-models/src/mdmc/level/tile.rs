//! One tile of a level.

use std::fmt;

/// A tile of the platformer alphabet, or the sentinel [`Tile::BORDER`] that stands outside a level.
///
/// The order puts the border first and the others by their characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile(Option<char>);

/// Character, meaning and solidity of each tile.
const MEANINGS: [(char, &str, Solidity); 13] = [
    ('X', "ground or unbreakable block", Solidity::Solid),
    ('S', "breakable brick", Solidity::Solid),
    ('-', "empty air", Solidity::Passable),
    ('?', "question block, full", Solidity::Solid),
    ('Q', "question block, empty", Solidity::Solid),
    ('E', "enemy", Solidity::Passable),
    ('<', "pipe, top left", Solidity::Solid),
    ('>', "pipe, top right", Solidity::Solid),
    ('[', "pipe, left side", Solidity::Solid),
    (']', "pipe, right side", Solidity::Solid),
    ('o', "coin", Solidity::Passable),
    ('B', "cannon, top", Solidity::Solid),
    ('b', "cannon, body", Solidity::Solid),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Solidity {
    Solid,
    Passable,
}

impl Tile {
    /// The cell outside a level; no level contains it and no character stands for it.
    pub const BORDER: Tile = Tile(None);

    /// Empty air, `-`.
    pub const EMPTY: Tile = Tile(Some('-'));

    /// Ground, `X`.
    pub const GROUND: Tile = Tile(Some('X'));

    /// The characters of the alphabet, as the Video Game Level Corpus writes them.
    pub const ALPHABET: &'static str = "XS-?QE<>[]oBb";

    /// The tile that a character of the alphabet stands for, or `None` for any other character.
    pub fn from_char(symbol: char) -> Option<Self> {
        Self::ALPHABET
            .contains(symbol)
            .then_some(Self(Some(symbol)))
    }

    /// All tiles of the alphabet, without the border.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::ALPHABET.chars().map(|symbol| Self(Some(symbol)))
    }

    /// The character of this tile, or `None` for the border.
    pub fn symbol(self) -> Option<char> {
        self.0
    }

    /// Meaning of this tile, in a few words.
    pub fn meaning(self) -> &'static str {
        self.row()
            .map_or("outside of the level", |(_, meaning, _)| meaning)
    }

    /// True if a player can stand on this tile and cannot pass through it.
    ///
    /// The border is not solid: below the bottom row a player falls out of the level.
    pub fn solid(self) -> bool {
        self.row()
            .is_some_and(|(_, _, solidity)| solidity == Solidity::Solid)
    }

    fn row(self) -> Option<(char, &'static str, Solidity)> {
        MEANINGS
            .iter()
            .copied()
            .find(|&(symbol, _, _)| Some(symbol) == self.0)
    }
}

/// Writes the character of the tile, and `#` for the border.
impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.unwrap_or('#'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_meanings_covers_the_alphabet_in_order() {
        let symbols: String = MEANINGS.iter().map(|&(symbol, _, _)| symbol).collect();
        assert_eq!(symbols, Tile::ALPHABET);
    }

    #[test]
    fn characters_and_tiles_correspond_one_to_one() {
        for tile in Tile::all() {
            assert_eq!(tile.symbol().and_then(Tile::from_char), Some(tile));
        }
        assert_eq!(Tile::from_char('#'), None);
        assert_eq!(Tile::from_char(' '), None);
    }

    #[test]
    fn the_border_is_a_tile_of_its_own() {
        assert!(Tile::all().all(|tile| tile > Tile::BORDER));
        assert_eq!(Tile::BORDER.symbol(), None);
        assert!(!Tile::BORDER.solid());
        assert_eq!(Tile::BORDER.meaning(), "outside of the level");
    }

    #[test]
    fn air_coins_and_enemies_are_passable_and_nothing_else() {
        let passable: String = Tile::all()
            .filter(|tile| !tile.solid())
            .map(|tile| tile.to_string())
            .collect();
        assert_eq!(passable, "-Eo");
    }
}
