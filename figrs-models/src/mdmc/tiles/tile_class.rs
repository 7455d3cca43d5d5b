//! Classes of tiles.

use std::fmt;
use std::sync::Arc;

use super::meaning::Meaning;
use super::tile::Tile;
use super::tile_set::TileSet;

/// A class of tiles: some listed tiles, or all tiles except the listed ones.
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
    /// Creates the class of the tiles `tiles`.
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

    /// Returns the class of those tiles of `set` that have the meaning `meaning`.
    pub fn meaning(set: &TileSet, meaning: Meaning) -> Self {
        Self::of(set.tiles().filter(|tile| tile.is(meaning)))
    }

    /// Returns the class of all tiles that do not belong to this class.
    #[must_use]
    pub fn complement(&self) -> Self {
        Self {
            tiles: Arc::clone(&self.tiles),
            inside: !self.inside,
        }
    }

    /// Returns the class of those tiles of `set` that belong to this class or to `other`.
    #[must_use]
    pub fn or(&self, other: &Self, set: &TileSet) -> Self {
        let belongs = |tile: &Tile| self.contains(*tile) || other.contains(*tile);
        Self::of(set.tiles().filter(belongs))
    }

    /// True if `tile` belongs to this class.
    pub fn contains(&self, tile: Tile) -> bool {
        (self.tiles.binary_search(&tile).is_ok()) == self.inside
    }

    /// True if every tile belongs to the class.
    pub fn is_any(&self) -> bool {
        !self.inside && self.tiles.is_empty()
    }
}

impl From<Tile> for TileClass {
    fn from(tile: Tile) -> Self {
        Self::of([tile])
    }
}

/// Writes the characters of the listed tiles; `not` precedes them if the class has all other tiles. Writes `any tile` for the class of all tiles.
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
