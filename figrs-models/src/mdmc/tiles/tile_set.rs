//! Sets of the tiles that levels consist of, one set for each game.

use std::sync::{Arc, LazyLock};

use super::meaning::{Meaning, Meanings};
use super::tile::Tile;

/// The tiles of a game: a tile for each character, with the words by which the legend (a file with the meanings of tiles) describes the tile.
///
/// A set of tiles comes from a legend ([`from_json`](Self::from_json), [`from_toml`](Self::from_toml)), is that of the built-in
/// [platformer](Self::platformer) tiles, or is made of characters of [unknown](Self::unknown) meaning.
///
/// ```
/// use figrs_models::mdmc::{Level, Meaning, TileSet};
///
/// let tiles = TileSet::from_json(r##"{"tiles": {"#": ["solid"], ".": ["passable", "empty"], "H": ["climbable", "ladder"]}}"##)?;
/// let level = Level::from_text("shaft", "..H\n##H", &tiles)?;
/// assert!(level.get(0, 2).is_some_and(|tile| tile.is(Meaning::Climb)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileSet {
    tiles: Vec<NamedTile>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedTile {
    pub(super) tile: Tile,
    pub(super) words: Vec<String>,
    pub(super) picture: Option<usize>,
}

/// The platformer tiles of the Video Game Level Corpus, described by words that are chosen for figrs.
const PLATFORMER: [(char, &str, &[Meaning]); 13] = [
    ('X', "ground or unbreakable block", &[Meaning::Solid]),
    ('S', "breakable brick", &[Meaning::Solid]),
    ('-', "empty air", &[Meaning::Passable]),
    (
        '?',
        "question block, full",
        &[Meaning::Solid, Meaning::Reward],
    ),
    ('Q', "question block, empty", &[Meaning::Solid]),
    ('E', "enemy", &[Meaning::Passable, Meaning::Enemy]),
    ('<', "pipe, top left", &[Meaning::Solid]),
    ('>', "pipe, top right", &[Meaning::Solid]),
    ('[', "pipe, left side", &[Meaning::Solid]),
    (']', "pipe, right side", &[Meaning::Solid]),
    ('o', "coin", &[Meaning::Passable, Meaning::Collectable]),
    ('B', "cannon, top", &[Meaning::Solid, Meaning::Shooter]),
    ('b', "cannon, body", &[Meaning::Solid]),
];

impl TileSet {
    /// Maximum number of tiles that a set of tiles can have.
    pub const MAX_TILES: usize = 250;

    /// Returns the set of the thirteen tiles of Super Mario levels in the Video Game Level Corpus.
    pub fn platformer() -> &'static Arc<Self> {
        static SET: LazyLock<Arc<TileSet>> = LazyLock::new(|| {
            let tiles = PLATFORMER
                .iter()
                .map(|&(symbol, name, meanings)| NamedTile {
                    tile: Tile::new(symbol, Meanings::of(meanings)),
                    words: vec![name.to_owned()],
                    picture: None,
                });
            Arc::new(TileSet {
                tiles: tiles.collect(),
            })
        });
        &SET
    }

    /// Creates a set of tiles of unknown meaning, one for each character that can be a tile; other characters and repetitions are ignored.
    ///
    /// Control characters and white space other than the blank cannot be characters of tiles.
    pub fn unknown(symbols: impl IntoIterator<Item = char>) -> Self {
        Self { tiles: Vec::new() }.and_unknown(symbols)
    }

    /// Adds a tile of unknown meaning for each character of `symbols` that can be a tile and is not in the set yet.
    #[must_use]
    pub fn and_unknown(mut self, symbols: impl IntoIterator<Item = char>) -> Self {
        for symbol in symbols {
            if can_be_tile(symbol) && self.tile(symbol).is_none() {
                self.tiles.push(NamedTile {
                    tile: Tile::new(symbol, Meanings::default()),
                    words: Vec::new(),
                    picture: None,
                });
            }
        }
        self
    }

    /// Adds to the set the tile with the character `symbol` from the set `other`, unless a tile of the set already has this character.
    #[must_use]
    pub(in crate::mdmc) fn and_tile_of(mut self, other: &Self, symbol: char) -> Self {
        let mut others = other.tiles.iter();
        let new = others.find(|named| named.tile.symbol() == Some(symbol));
        if let Some(new) = new.filter(|_| self.tile(symbol).is_none()) {
            self.tiles.push(new.clone());
        }
        self
    }

    #[must_use]
    pub(in crate::mdmc) fn and_words(mut self, symbol: char, words: Vec<String>) -> Self {
        if self.tile(symbol).is_none() {
            let meanings = Meanings::of_words(words.iter().map(String::as_str));
            self.tiles.push(NamedTile {
                tile: Tile::new(symbol, meanings),
                words,
                picture: None,
            });
        }
        self
    }

    pub(in crate::mdmc) fn pictured(&self, number: u32) -> Option<Tile> {
        let mut tiles = self.tiles.iter();
        let named = tiles.find(|named| named.picture == Some(number as usize));
        named.map(|named| named.tile)
    }

    /// Returns the tile whose picture on a sheet of pictures has the index `number`. If no tile of the set has a picture, returns the tile with the
    /// index `number` in the legend.
    pub(in crate::mdmc) fn numbered(&self, number: u32) -> Option<Tile> {
        if self.tiles.iter().any(|named| named.picture.is_some()) {
            return self.pictured(number);
        }
        self.tiles().nth(number as usize)
    }

    /// Removes the tiles `tiles` from the set. The remaining tiles of the set keep the indices of their pictures.
    #[must_use]
    pub(in crate::mdmc) fn without(&self, tiles: &[Tile]) -> Self {
        let is_numbered = self.tiles.iter().any(|named| named.picture.is_some());
        let placed = self
            .tiles
            .iter()
            .enumerate()
            .map(|(place, named)| NamedTile {
                picture: if is_numbered {
                    named.picture
                } else {
                    Some(place)
                },
                ..named.clone()
            });
        Self {
            tiles: placed
                .filter(|named| !tiles.contains(&named.tile))
                .collect(),
        }
    }

    pub(super) fn of_named(tiles: Vec<NamedTile>) -> Self {
        Self { tiles }
    }

    /// Returns the tile of the set with the character `symbol`; `None` if no tile has this character.
    pub fn tile(&self, symbol: char) -> Option<Tile> {
        self.tiles().find(|tile| tile.symbol() == Some(symbol))
    }

    /// Returns the tiles of the set, in the order of the legend.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> + '_ {
        self.tiles.iter().map(|named| named.tile)
    }

    /// Returns the words by which the legend (the text with the meanings of tiles) describes `tile`.
    pub fn words(&self, tile: Tile) -> &[String] {
        self.named(tile).map_or(&[], |named| &named.words)
    }

    /// Returns the index, from 0, of the picture of `tile` on a sheet of pictures, if the legend states this index.
    pub fn picture(&self, tile: Tile) -> Option<usize> {
        self.named(tile)?.picture
    }

    /// Returns the words that describe `tile` in one line, or `unknown` if no words describe the tile.
    pub fn description(&self, tile: Tile) -> String {
        match self.words(tile) {
            [] if tile == Tile::BORDER => "outside of the level".to_owned(),
            [] => "unknown".to_owned(),
            words => words.join(", "),
        }
    }

    /// Returns the tile of empty cells: the first tile with the word "empty", or the first tile that a player can enter and that has no other
    /// meaning.
    pub fn empty(&self) -> Option<Tile> {
        let is_empty = |named: &&NamedTile| named.words.iter().any(|word| word == "empty");
        let called = self.tiles.iter().find(is_empty).map(|named| named.tile);
        called.or_else(|| {
            self.tiles()
                .find(|tile| tile.meanings().eq([Meaning::Passable]))
        })
    }

    pub(in crate::mdmc) fn outside(&self) -> Vec<Tile> {
        self.tiles()
            .filter(|tile| tile.is(Meaning::Outside))
            .collect()
    }

    /// Gives the meaning [outside](Meaning::Outside) to each tile that has one of the words `words`, unless the set already has tiles with this
    /// meaning.
    #[must_use]
    pub(in crate::mdmc) fn with_outside(mut self, words: &[&str]) -> Self {
        let is_named = |named: &&mut NamedTile| {
            let mut own = named.words.iter();
            own.any(|word| words.contains(&word.as_str()))
        };
        if self.outside().is_empty() {
            for named in self.tiles.iter_mut().filter(is_named) {
                named.words.push(Meaning::Outside.name().to_owned());
                let meanings = Meanings::of_words(named.words.iter().map(String::as_str));
                named.tile = Tile::new(named.tile.symbol().unwrap_or_default(), meanings);
            }
        }
        self
    }

    /// Returns the characters of all tiles of the set, in the order of the legend.
    pub fn symbols(&self) -> String {
        self.tiles().filter_map(Tile::symbol).collect()
    }

    /// True if each tile has the character of a [platformer](Self::platformer) tile and is solid exactly if the platformer tile is solid; sets of
    /// such tiles have built-in pictures.
    pub fn is_platformer(&self) -> bool {
        let is_drawn = |tile: Tile| {
            let own = tile.symbol().and_then(Tile::platformer);
            own.is_some_and(|own| own.solid() == tile.solid())
        };
        self.tiles().all(is_drawn)
    }

    fn named(&self, tile: Tile) -> Option<&NamedTile> {
        self.tiles.iter().find(|named| named.tile == tile)
    }
}

pub(super) fn can_be_tile(symbol: char) -> bool {
    symbol == ' ' || !(symbol.is_whitespace() || symbol.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_platformer_has_air_coins_and_enemies_that_can_be_entered() {
        let tiles = TileSet::platformer();
        assert_eq!(tiles.symbols(), "XS-?QE<>[]oBb");
        let entered: String = tiles
            .tiles()
            .filter(|tile| !tile.solid())
            .map(|tile| tile.to_string())
            .collect();
        assert_eq!(entered, "-Eo");
        assert_eq!(tiles.tile('-'), Some(Tile::EMPTY));
        assert_eq!(tiles.tile('X'), Some(Tile::GROUND));
        assert_eq!(tiles.empty(), Some(Tile::EMPTY));
        assert_eq!(tiles.tile('#'), None);
        assert_eq!(tiles.description(Tile::BORDER), "outside of the level");
    }

    #[test]
    fn characters_without_a_legend_are_tiles_of_unknown_meaning() {
        let tiles = TileSet::unknown("W F\nW\t\u{7}".chars());
        assert_eq!(tiles.symbols(), "W F");
        assert!(tiles.tiles().all(Tile::is_unknown));
        assert_eq!(tiles.empty(), None);
        let wall = tiles.tile('W').unwrap();
        assert_eq!(tiles.description(wall), "unknown");
        assert!(tiles.words(wall).is_empty() && tiles.picture(wall).is_none());
        let more = TileSet::clone(TileSet::platformer()).and_unknown("X~".chars());
        assert_eq!(more.symbols(), "XS-?QE<>[]oBb~");
        assert!(!more.is_platformer() && TileSet::platformer().is_platformer());
        assert!(!TileSet::unknown("-X".chars()).is_platformer());
    }
}
