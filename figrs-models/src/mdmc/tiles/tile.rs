//! One tile of a level.

use std::fmt;

use super::meaning::{Meaning, Meanings};
use super::tile_set::TileSet;

/// A tile: its character and its [meanings](Meaning), or the special tile [`Tile::BORDER`] for cells outside a level.
///
/// Tiles come from a [`TileSet`]. In the ascending order of tiles, the border comes first, and the other tiles are sorted by
/// their characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile(Option<(char, Meanings)>);

impl Tile {
    /// Stands for a cell outside a level; no level contains the border, which has no character.
    pub const BORDER: Tile = Tile(None);

    /// The empty air of platformers, `-`.
    pub const EMPTY: Tile = Tile::new('-', Meanings::of(&[Meaning::Passable]));

    /// The ground of platformers, `X`.
    pub const GROUND: Tile = Tile::new('X', Meanings::of(&[Meaning::Solid]));

    pub(super) const fn new(character: char, meanings: Meanings) -> Self {
        Self(Some((character, meanings)))
    }

    /// Returns the [platformer](TileSet::platformer) tile with the character `symbol`; `None` for any other character.
    pub fn platformer(symbol: char) -> Option<Self> {
        TileSet::platformer().tile(symbol)
    }

    /// Returns the character of this tile, or `None` for the border.
    pub fn symbol(self) -> Option<char> {
        self.0.map(|(character, _)| character)
    }

    /// True if this tile has the meaning `meaning`.
    pub fn is(self, meaning: Meaning) -> bool {
        self.0.is_some_and(|(_, all)| all.contains(meaning))
    }

    /// Returns the meanings of this tile; none for the border, and for a tile of unknown meaning.
    pub fn meanings(self) -> impl Iterator<Item = Meaning> {
        Meaning::all().filter(move |&meaning| self.is(meaning))
    }

    /// Returns the meanings as a bit set, with a bit for each [`Meaning`]; 0 for the border.
    #[doc(hidden)]
    pub fn meaning_bits(self) -> u16 {
        self.0.map_or(0, |(_, all)| all.bits())
    }

    /// Returns a tile with the meanings `bits` and an arbitrary character.
    #[doc(hidden)]
    pub fn of_meaning_bits(bits: u16) -> Self {
        Self::new(' ', Meanings::of_bits(bits))
    }

    /// True if this tile has no known meaning; false for the border.
    pub fn is_unknown(self) -> bool {
        self.0.is_some_and(|(_, meanings)| meanings.is_empty())
    }

    /// True if a player can stand on this tile and cannot pass through it.
    ///
    /// The border is not solid, so that a player in the bottom row can fall out of the level.
    pub fn solid(self) -> bool {
        self.is(Meaning::Solid)
    }
}

/// Writes the character of the tile, and `border` for the border.
impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.symbol() {
            Some(symbol) => write!(f, "{symbol}"),
            None => f.write_str("border"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_is_a_tile_of_its_own() {
        let first = Tile::new('\u{1}', Meanings::default());
        assert!(first > Tile::BORDER);
        assert_eq!(Tile::BORDER.symbol(), None);
        assert!(!Tile::BORDER.solid() && !Tile::BORDER.is_unknown());
        assert_eq!(Tile::BORDER.to_string(), "border");
    }

    #[test]
    fn meanings_belong_to_the_tile() {
        assert!(Tile::GROUND.solid() && !Tile::EMPTY.solid());
        assert!(Tile::EMPTY.meanings().eq([Meaning::Passable]));
        let unknown = Tile::new('X', Meanings::default());
        assert!(unknown.is_unknown() && unknown != Tile::GROUND);
    }
}
