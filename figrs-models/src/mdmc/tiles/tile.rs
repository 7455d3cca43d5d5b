//! Tiles of levels, and classes (sets) of tiles.

use std::fmt;
use std::sync::Arc;

use super::meaning::{Meaning, Meanings};
use super::tile_set::TileSet;

/// A tile of a level: its character and its [meanings](Meaning), or the special tile [`Tile::BORDER`] for cells outside a level.
///
/// Tiles are made by a [`TileSet`]. In the ascending order of tiles, the border tile comes first, and the other tiles are sorted by their characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile(Option<(char, Meanings)>);

impl Tile {
    /// The tile of cells outside a level; no level contains this border tile, which has no character.
    pub const BORDER: Tile = Tile(None);

    /// The empty tile of platform games (air), with the character `-`.
    pub const EMPTY: Tile = Tile::new('-', Meanings::of(&[Meaning::Passable]));

    /// The ground tile of platform games, with the character `X`.
    pub const GROUND: Tile = Tile::new('X', Meanings::of(&[Meaning::Solid]));

    pub(super) const fn new(character: char, meanings: Meanings) -> Self {
        Self(Some((character, meanings)))
    }

    /// Returns the [platformer](TileSet::platformer) tile with the character `symbol`; `None` for any other character.
    pub fn platformer(symbol: char) -> Option<Self> {
        TileSet::platformer().tile(symbol)
    }

    /// Returns the character of the tile, or `None` for the border tile.
    pub fn symbol(self) -> Option<char> {
        self.0.map(|(character, _)| character)
    }

    /// True if the tile has the meaning `meaning`.
    pub fn is(self, meaning: Meaning) -> bool {
        self.0.is_some_and(|(_, all)| all.contains(meaning))
    }

    /// Returns the meanings of the tile; the border tile and tiles of unknown meaning have none.
    pub fn meanings(self) -> impl Iterator<Item = Meaning> {
        Meaning::all().filter(move |&meaning| self.is(meaning))
    }

    /// Returns the meanings of the tile as a bit set, with a bit for each [`Meaning`]; 0 for the border tile.
    #[doc(hidden)]
    pub fn meaning_bits(self) -> u16 {
        self.0.map_or(0, |(_, all)| all.bits())
    }

    /// Returns a tile with the meanings `bits` and an arbitrary character.
    #[doc(hidden)]
    pub fn of_meaning_bits(bits: u16) -> Self {
        Self::new(' ', Meanings::of_bits(bits))
    }

    /// True if the tile has no known meaning; false for the border tile.
    pub fn is_unknown(self) -> bool {
        self.0.is_some_and(|(_, meanings)| meanings.is_empty())
    }

    /// True if a player can stand on the tile and cannot pass through it.
    ///
    /// The border tile is not solid, so that a player in the bottom row can fall out of the level.
    pub fn solid(self) -> bool {
        self.is(Meaning::Solid)
    }
}

/// Writes the character of the tile, or `border` for the border tile.
impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.symbol() {
            Some(symbol) => write!(f, "{symbol}"),
            None => f.write_str("border"),
        }
    }
}

/// A class of tiles, which consists of some listed tiles, or of all tiles except the listed ones.
///
/// ```
/// use figrs_models::mdmc::{Meaning, Tile, TileClass, TileSet};
///
/// let solid = TileClass::meaning(TileSet::platformer(), Meaning::Solid);
/// assert!(solid.contains(Tile::GROUND) && !solid.contains(Tile::EMPTY));
/// assert!(solid.complement().contains(Tile::EMPTY));
/// assert!(TileClass::any().contains(Tile::GROUND));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TileClass {
    tiles: Arc<[Tile]>,
    inside: bool,
}

impl TileClass {
    /// Creates the class that consists of the tiles `tiles`.
    pub fn of(tiles: impl IntoIterator<Item = Tile>) -> Self {
        let mut tiles: Vec<Tile> = tiles.into_iter().collect();
        tiles.sort_unstable();
        tiles.dedup();
        Self {
            tiles: tiles.into(),
            inside: true,
        }
    }

    /// Returns the class of all tiles.
    pub fn any() -> Self {
        Self::of([]).complement()
    }

    /// Returns the class of those tiles of the set `set` that have the meaning `meaning`.
    pub fn meaning(set: &TileSet, meaning: Meaning) -> Self {
        Self::of(set.tiles().filter(|tile| tile.is(meaning)))
    }

    /// Returns the class of all tiles that do not belong to the class `self`.
    #[must_use]
    pub fn complement(&self) -> Self {
        Self {
            tiles: Arc::clone(&self.tiles),
            inside: !self.inside,
        }
    }

    /// Returns the class of those tiles of the set `set` that belong to the class `self` or to the class `other`.
    #[must_use]
    pub fn or(&self, other: &Self, set: &TileSet) -> Self {
        let belongs = |tile: &Tile| self.contains(*tile) || other.contains(*tile);
        Self::of(set.tiles().filter(belongs))
    }

    /// True if the tile `tile` belongs to the class.
    pub fn contains(&self, tile: Tile) -> bool {
        (self.tiles.binary_search(&tile).is_ok()) == self.inside
    }

    /// True if every tile belongs to the class of tiles.
    pub fn is_any(&self) -> bool {
        !self.inside && self.tiles.is_empty()
    }
}

impl From<Tile> for TileClass {
    fn from(tile: Tile) -> Self {
        Self::of([tile])
    }
}

/// Writes the characters of the listed tiles of the class; `not` precedes them if the class consists of all other tiles. Writes `any tile` for the
/// class to which every tile belongs.
impl fmt::Display for TileClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_any() {
            return f.write_str("any tile");
        }
        if !self.inside {
            f.write_str("not ")?;
        }
        if self.tiles.is_empty() {
            return f.write_str("no tile");
        }
        self.tiles.iter().try_for_each(|tile| write!(f, "{tile}"))
    }
}

impl fmt::Debug for TileClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TileClass({self})")
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

    #[test]
    fn classes_have_complements_and_unions() {
        let set = TileSet::platformer();
        let solid = TileClass::meaning(set, Meaning::Solid);
        let enemy = TileClass::meaning(set, Meaning::Enemy);
        let both = solid.or(&enemy, set);
        for tile in set.tiles() {
            assert_eq!(solid.contains(tile), tile.solid());
            assert_eq!(solid.complement().contains(tile), !tile.solid());
            assert_eq!(both.contains(tile), tile.solid() || tile.is(Meaning::Enemy));
        }
        assert_eq!(solid.complement().complement(), solid);
        assert_eq!(enemy.to_string(), "E");
        assert_eq!(enemy.complement().to_string(), "not E");
        assert_eq!(TileClass::any().to_string(), "any tile");
        assert_eq!(TileClass::of([]).to_string(), "no tile");
        assert!(TileClass::any().is_any() && !enemy.is_any());
    }
}
