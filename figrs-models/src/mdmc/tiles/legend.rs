//! Reads and writes legends, which are the texts of tile sets: characters with the meanings of tiles.

use figrs_reading::{Mistake, MistakeKind, mistakes};
use indexmap::IndexMap;
use serde::Deserialize;

use super::meaning::Meanings;
use super::tile::Tile;
use super::tile_set::{NamedTile, TileSet, can_be_tile};

#[derive(Deserialize)]
#[serde(expecting = "a legend of tiles")]
struct Legend {
    tiles: IndexMap<String, LegendEntry>,
}

/// An entry of a legend for one tile: the words that describe the tile, or an object with these words and the number of a picture.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a list of words, or a table of \"meaning\" and \"picture\""
)]
enum LegendEntry {
    Words(Vec<String>),
    Pictured {
        meaning: Vec<String>,
        picture: usize,
    },
}

impl TileSet {
    /// Reads a legend (a text with the meanings of tiles) in the format of the Video Game Level Corpus: `{"tiles": {"#": ["solid", "ground"], ..}}`.
    ///
    /// A word of the legend that is the name of a [`Meaning`](crate::mdmc::Meaning), in upper or lower case, gives this meaning to the tile; the tile
    /// set keeps all words. The entry of a tile in the legend may also be `{"meaning": ["solid"], "picture": 3}`, where the number is the index (from
    /// 0) of the tile's picture on a sheet of pictures.
    ///
    /// **Errors.** An error if the text is not a legend (a text with the meanings of tiles).
    pub fn from_json(text: &str) -> Result<Self, Mistake> {
        let legend = serde_json::from_str(text).map_err(|error| {
            let remedy = "write {\"tiles\": {\"#\": [\"solid\"], ..}}";
            mistakes::json("not a legend", &error, remedy)
        })?;
        Self::of_legend(legend)
    }

    /// Reads a legend (a text with the meanings of tiles) in TOML: lines below `[tiles]`, such as `"#" = ["solid", "ground"]` or
    /// `"#" = { meaning = ["solid"], picture = 3 }`.
    ///
    /// **Errors.** An error if the text is not a legend (a text with the meanings of tiles).
    ///
    /// ```
    /// use figrs_models::mdmc::{Meaning, TileSet};
    ///
    /// let tiles = TileSet::from_toml("[tiles]\n'#' = ['solid', 'brick']\n'.' = ['passable']")?;
    /// let brick = tiles.tile('#').unwrap();
    /// assert!(brick.is(Meaning::Solid));
    /// assert_eq!(tiles.description(brick), "solid, brick");
    /// # Ok::<(), figrs_reading::Mistake>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, Mistake> {
        let legend = toml::from_str(text).map_err(|error| {
            let remedy = "write lines as \"#\" = [\"solid\"] below [tiles]";
            mistakes::toml("not a legend", &error, remedy)
        })?;
        Self::of_legend(legend)
    }

    fn of_legend(legend: Legend) -> Result<Self, Mistake> {
        let count = legend.tiles.len();
        if count == 0 || count > Self::MAX_TILES {
            let problem = format!("a legend of {count} tiles");
            let remedy = format!("give 1 to {}", Self::MAX_TILES);
            return Err(Mistake::new(MistakeKind::Count, problem, remedy));
        }
        let tiles = legend.tiles.into_iter().map(|(key, entry)| {
            let mut symbols = key.chars();
            let (Some(symbol), None) = (symbols.next(), symbols.next()) else {
                return Err(no_tile(&key));
            };
            if !can_be_tile(symbol) {
                return Err(no_tile(&key));
            }
            let (words, picture) = match entry {
                LegendEntry::Words(words) => (words, None),
                LegendEntry::Pictured { meaning, picture } => (meaning, Some(picture)),
            };
            let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
            let meanings = Meanings::of_words(words.iter().map(String::as_str));
            Ok(NamedTile {
                tile: Tile::new(symbol, meanings),
                words,
                picture,
            })
        });
        Ok(Self::of_named(tiles.collect::<Result<_, _>>()?))
    }

    /// Returns the tile set as JSON that [`from_json`](Self::from_json) reads.
    pub fn to_json(&self) -> serde_json::Value {
        let entry = |tile: Tile| {
            let words = self.words(tile);
            let value = match self.picture(tile) {
                None => serde_json::json!(words),
                Some(picture) => serde_json::json!({"meaning": words, "picture": picture}),
            };
            Some((tile.symbol()?.to_string(), value))
        };
        let tiles: serde_json::Map<_, _> = self.tiles().filter_map(entry).collect();
        serde_json::json!({ "tiles": tiles })
    }
}

fn no_tile(key: &str) -> Mistake {
    let problem = format!("the tile {key:?} is neither a single visible character nor a blank");
    let remedy = "name each tile by its character in the levels";
    Mistake::new(MistakeKind::Unknown, problem, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mdmc::Meaning;

    #[test]
    fn json_and_toml_say_the_same() {
        let json = r##"{"tiles": {"#": ["Solid", "ground"], "T": {"meaning": ["solidtop"], "picture": 4}}, "more": 1}"##;
        let toml =
            "[tiles]\n'#' = ['solid', 'ground']\nT = { meaning = ['solidtop'], picture = 4 }";
        let set = TileSet::from_json(json).unwrap();
        assert_eq!(set, TileSet::from_toml(toml).unwrap());
        assert_eq!(set, TileSet::from_json(&set.to_json().to_string()).unwrap());
        let platform = set.tile('T').unwrap();
        assert!(platform.is(Meaning::SolidTop) && !platform.solid());
        assert_eq!(set.picture(platform), Some(4));
    }

    #[test]
    fn what_is_no_legend_is_an_error() {
        let json = |text| TileSet::from_json(text).unwrap_err();
        assert_eq!(json("{\"jumps\": []}").kind, MistakeKind::Syntax);
        let long = json(r#"{"tiles": {"ab": []}}"#);
        assert_eq!(long.kind, MistakeKind::Unknown);
        assert!(long.to_string().contains("\"ab\""), "{long}");
        assert_eq!(json(r#"{"tiles": {"\t": []}}"#).kind, MistakeKind::Unknown);
        assert_eq!(json(r#"{"tiles": {}}"#).kind, MistakeKind::Count);
        let toml = TileSet::from_toml("[tiles]\n'#' = 3").unwrap_err();
        assert_eq!(toml.kind, MistakeKind::Syntax);
        assert!(toml.to_string().starts_with("not a legend: line 2"));
    }
}
