//! Reads project files of the level editor LDtk, and grids of values that LDtk exports.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::map::{Map, MapLevel, Tileset, chosen, words};
use super::map_mistakes;
use figrs_reading::FileError;

#[derive(Deserialize)]
#[serde(expecting = "a project of LDtk")]
struct Project {
    levels: Vec<ProjectLevel>,
    #[serde(default)]
    worlds: Vec<World>,
    defs: Definitions,
}

#[derive(Deserialize)]
struct World {
    levels: Vec<ProjectLevel>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProjectLevel {
    identifier: String,
    layer_instances: Option<Vec<Layer>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Layer {
    #[serde(rename = "__identifier")]
    identifier: String,
    #[serde(rename = "__cWid")]
    columns: usize,
    #[serde(rename = "__cHei")]
    rows: usize,
    #[serde(rename = "__gridSize")]
    grid_size: usize,
    #[serde(default)]
    int_grid_csv: Vec<u32>,
    #[serde(default)]
    grid_tiles: Vec<Tile>,
}

#[derive(Deserialize)]
struct Tile {
    px: (usize, usize),
    t: u32,
}

#[derive(Deserialize)]
struct Definitions {
    layers: Vec<LayerDefinition>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LayerDefinition {
    identifier: String,
    #[serde(default)]
    int_grid_values: Vec<IntGridValue>,
}

#[derive(Deserialize)]
struct IntGridValue {
    value: u32,
    identifier: Option<String>,
}

impl Layer {
    /// Returns the values of a layer of the kind `IntGrid`; for a layer of another kind, returns the number of the topmost tile in each cell, where 1
    /// is the first tile.
    fn level(&self, name: &str) -> Result<MapLevel, FileError> {
        let size = (self.rows, self.columns);
        let name = Some(name.to_owned());
        if !self.int_grid_csv.is_empty() {
            return MapLevel::new(name, &self.identifier, &self.int_grid_csv, size);
        }
        let mut cells: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        let side = self.grid_size.max(1);
        for tile in &self.grid_tiles {
            cells.insert(
                (tile.px.1 / side, tile.px.0 / side),
                tile.t.saturating_add(1),
            );
        }
        // A layer with few tiles must not take memory in proportion to a large size that it states.
        let found = cells.len();
        let is_within = |&(row, column): &(usize, usize)| row < size.0 && column < size.1;
        let most = MOST_CELLS_A_TILE
            .saturating_mul(found)
            .max(MOST_SPARSE_CELLS);
        if size.0.saturating_mul(size.1) > most || !cells.keys().all(is_within) {
            return Err(map_mistakes::wrong_cells(&self.identifier, found, size));
        }
        let places = (0..size.0).flat_map(|row| (0..size.1).map(move |column| (row, column)));
        let numbers = places.map(|at| cells.get(&at).copied().unwrap_or(0));
        MapLevel::new(name, &self.identifier, &numbers.collect::<Vec<u32>>(), size)
    }
}

/// Maximum ratio of the number of a layer's cells to the number of its tiles, for layers with more than `MOST_SPARSE_CELLS` cells.
const MOST_CELLS_A_TILE: usize = 64;

/// A layer of a map with at most this number of cells may have any number of tiles.
const MOST_SPARSE_CELLS: usize = 1 << 20;

/// Reads the levels of an LDtk project. From each level, the function reads the layer `wanted` or, if `wanted` is `None`, the first layer with
/// values, or else the first layer with tiles.
///
/// **Errors.** An error if the text is not a valid LDtk project, or if a level has no suitable layer.
pub(super) fn project(text: &str, wanted: Option<&str>) -> Result<Map, FileError> {
    let project: Project = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| map_mistakes::not_json(&error))?;
    let worlds = project.worlds.iter().flat_map(|world| &world.levels);
    let mut map = Map::default();
    let mut set = Tileset {
        first: 1,
        ..Tileset::default()
    };
    for level in project.levels.iter().chain(worlds) {
        let layers = level.layer_instances.as_ref();
        let layers = layers.ok_or_else(map_mistakes::separate_levels)?.iter();
        let mut layers: Vec<&Layer> = layers
            .filter(|layer| !(layer.int_grid_csv.is_empty() && layer.grid_tiles.is_empty()))
            .collect();
        layers.sort_by_key(|layer| layer.int_grid_csv.is_empty());
        let (layer, others) = chosen(&layers, |layer| &layer.identifier, wanted)?;
        map.levels.push(layer.level(&level.identifier)?);
        map.layer.clone_from(&layer.identifier);
        map.others.extend(others);
        if layer.int_grid_csv.is_empty() {
            continue;
        }
        let mut definitions = project.defs.layers.iter();
        let definition = definitions.find(|own| own.identifier == layer.identifier);
        for value in definition.iter().flat_map(|own| &own.int_grid_values) {
            if let (Some(place), Some(name)) = (value.value.checked_sub(1), &value.identifier) {
                set.words.insert(place, words(name, &['_']));
            }
        }
    }
    if map.levels.is_empty() {
        return Err(map_mistakes::no_layer(wanted, &[]));
    }
    map.others.sort();
    map.others.dedup();
    map.tilesets.push(set);
    Ok(map)
}

/// Reads the values of a layer of the kind `IntGrid` in the format that LDtk exports: comma-separated values, with one row of cells on each line.
///
/// **Errors.** An error if the value of a cell is not a number.
pub(super) fn values(text: &str) -> Result<Map, FileError> {
    let number = |cell: &str| {
        let cell = cell.trim();
        cell.parse()
            .map_err(|_| map_mistakes::no_number("values", cell))
    };
    let row = |line: &str| {
        let cells = line.trim().trim_end_matches(',').split(',');
        cells.map(number).collect::<Result<Vec<u32>, _>>()
    };
    let rows = text.trim_start_matches('\u{feff}').trim().lines().map(row);
    let level = MapLevel {
        name: None,
        rows: rows.collect::<Result<_, _>>()?,
    };
    Ok(Map {
        levels: vec![level],
        ..Map::default()
    })
}
