//! A map of a level editor: the tile number of each cell of each level, and for each tile the words that describe it.

use std::collections::BTreeMap;

use super::map_mistakes;
use figrs_reading::FileError;

#[derive(Debug, Default)]
pub(super) struct Map {
    pub(super) levels: Vec<MapLevel>,
    pub(super) tilesets: Vec<Tileset>,
    pub(super) layer: String,
    pub(super) others: Vec<String>,
}

/// A level of an editor's map: the tile number of each cell, where 1 is the first tile and 0 is an empty cell.
#[derive(Debug)]
pub(super) struct MapLevel {
    pub(super) name: Option<String>,
    pub(super) rows: Vec<Vec<u32>>,
}

#[derive(Debug, Default)]
pub(super) struct Tileset {
    pub(super) first: u32,
    /// Path, relative to the map file, of the file that describes the tiles; `None` if the map itself describes the tiles.
    pub(super) source: Option<String>,
    /// The words that describe each tile; the key is the index of the tile in the tileset.
    pub(super) words: BTreeMap<u32, Vec<String>>,
}

impl MapLevel {
    /// Arranges the tile numbers of a level's cells in rows.
    ///
    /// **Errors.** An error if there are more or fewer tile numbers than cells.
    pub(super) fn new(
        name: Option<String>,
        layer: &str,
        numbers: &[u32],
        (height, width): (usize, usize),
    ) -> Result<Self, FileError> {
        if height.checked_mul(width) != Some(numbers.len()) || numbers.is_empty() {
            let size = (height, width);
            return Err(map_mistakes::wrong_cells(layer, numbers.len(), size));
        }
        let rows = numbers.chunks(width).map(<[u32]>::to_vec).collect();
        Ok(Self { name, rows })
    }
}

impl Map {
    pub(super) fn tileset_of(&mut self, number: u32) -> Option<&mut Tileset> {
        let mut sets = self.tilesets.iter_mut().rev();
        sets.find(|set| set.first <= number)
    }

    pub(super) fn words(&self, number: u32) -> Vec<String> {
        let mut sets = self.tilesets.iter().rev();
        let set = sets.find(|set| set.first <= number);
        let words = set.and_then(|set| set.words.get(&(number - set.first)));
        words.cloned().unwrap_or_default()
    }
}

/// Splits `text` at the characters `separators` into words, in lower case.
pub(super) fn words(text: &str, separators: &[char]) -> Vec<String> {
    let words = text.split(separators).map(str::trim);
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Returns the layer of a map with the name `wanted` (or, if `wanted` is `None`, the first layer) and the names of the other layers.
///
/// **Errors.** An error if the map has no layer with the wanted name.
pub(super) fn chosen<'l, T>(
    layers: &'l [T],
    name: impl Fn(&T) -> &str,
    wanted: Option<&str>,
) -> Result<(&'l T, Vec<String>), FileError> {
    let place = match wanted {
        Some(wanted) => layers.iter().position(|layer| name(layer) == wanted),
        None => (!layers.is_empty()).then_some(0),
    };
    let names = layers.iter().map(|layer| name(layer).to_owned());
    let Some(place) = place else {
        let known: Vec<String> = names.collect();
        return Err(map_mistakes::no_layer(wanted, &known));
    };
    let others = (0..).zip(names).filter(|(other, _)| *other != place);
    Ok((&layers[place], others.map(|(_, name)| name).collect()))
}
