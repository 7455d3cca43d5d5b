//! Levels as arrays of tile numbers with a margin of border tiles, for training and sampling.

use crate::mdmc::{Level, Structure, Tile};

/// A numbering of tiles: 0 is the border outside the level, and 1, 2 and so on are the tiles of the training levels in ascending order.
#[derive(Clone, Debug)]
pub(in crate::mdmc) struct TileIds {
    tiles: Vec<Tile>,
}

impl TileIds {
    /// Creates the numbering of tiles from distinct tiles in ascending order.
    pub(in crate::mdmc) fn new(tiles: Vec<Tile>) -> Self {
        Self { tiles }
    }

    pub(in crate::mdmc) fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Returns the number of tiles that a neighbour of a cell can have, including the border outside the level.
    pub(in crate::mdmc) fn base(&self) -> u64 {
        self.tiles.len() as u64 + 1
    }

    pub(in crate::mdmc) fn id(&self, tile: Tile) -> u8 {
        self.tiles
            .binary_search(&tile)
            .map_or(0, |index| index as u8 + 1)
    }

    pub(in crate::mdmc) fn tile(&self, id: u8) -> Tile {
        match id {
            0 => Tile::BORDER,
            id => self.tiles[usize::from(id) - 1],
        }
    }
}

/// A level as a grid of tile numbers, with a margin of border tiles that is as wide as the distance from a cell to its farthest neighbour.
#[derive(Debug)]
pub(in crate::mdmc) struct TileGrid {
    ids: Vec<u8>,
    stride: usize,
    left: usize,
    /// For each neighbour of a cell, the index of the neighbour minus the index of the cell, where the cell's index does not include the left margin.
    ahead: Vec<usize>,
    base: u64,
}

impl TileGrid {
    pub(in crate::mdmc) fn new(
        structure: &Structure,
        base: u64,
        height: usize,
        width: usize,
    ) -> Self {
        let offsets = structure.offsets();
        let most = |sizes: &mut dyn Iterator<Item = i32>| sizes.fold(0, i32::max) as usize;
        let left = most(&mut offsets.iter().map(|offset| -offset.dx));
        let right = most(&mut offsets.iter().map(|offset| offset.dx));
        let below = most(&mut offsets.iter().map(|offset| offset.dy));
        let stride = left + width + right;
        // The sum is the shift from the left edge of the margin; the sum is not negative, because `left` is at least `-dx`.
        let shift = |dx: i32| left.saturating_add_signed(dx as isize);
        Self {
            ids: vec![0; stride * (height + below)],
            stride,
            left,
            ahead: offsets
                .iter()
                .map(|o| o.dy as usize * stride + shift(o.dx))
                .collect(),
            base,
        }
    }

    pub(in crate::mdmc) fn of(level: &Level, structure: &Structure, ids: &TileIds) -> Self {
        let mut grid = Self::new(structure, ids.base(), level.height(), level.width());
        for ((row, column), &tile) in level.as_array().indexed_iter() {
            grid.set(row, column, ids.id(tile));
        }
        grid
    }

    #[cfg(test)]
    pub(in crate::mdmc) fn ids(&self) -> &[u8] {
        &self.ids
    }

    #[cfg(test)]
    pub(in crate::mdmc) fn restore(&mut self, ids: &[u8]) {
        self.ids.copy_from_slice(ids);
    }

    pub(in crate::mdmc) fn get(&self, row: usize, column: usize) -> u8 {
        self.ids[row * self.stride + self.left + column]
    }

    pub(in crate::mdmc) fn set(&mut self, row: usize, column: usize, id: u8) {
        self.ids[row * self.stride + self.left + column] = id;
    }

    /// Returns the configuration of a cell (the tiles of its neighbours) as one number, whose digits are the numbers of the neighbours' tiles. The
    /// tile of the first neighbour is the most significant digit of the number, so that division by the base removes the last neighbour.
    pub(in crate::mdmc) fn key(&self, row: usize, column: usize) -> u64 {
        let cell = row * self.stride + column;
        self.ahead.iter().fold(0, |key, &ahead| {
            key * self.base + u64::from(self.ids[cell + ahead])
        })
    }

    /// Returns the `count` tiles to the left of a cell, at most [`Structure::MAX_REACH`], as one number with a byte for each tile.
    pub(in crate::mdmc) fn window(&self, row: usize, column: usize, count: usize) -> u128 {
        let end = row * self.stride + self.left + column;
        self.ids[end - count..end]
            .iter()
            .fold(0, |key, &id| key << 8 | u128::from(id))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ndarray::Array2;

    use super::*;
    use crate::mdmc::{Offset, TileSet};

    #[test]
    fn keys_spell_the_configuration_in_the_order_of_offsets() {
        let level: Level = "--X\nX-X".parse().unwrap();
        let wide = Structure::new([
            Offset::LEFT,
            Offset { dx: 2, dy: 1 },
            Offset { dx: -2, dy: 1 },
        ]);
        for structure in [Structure::NS0, Structure::NS3, wide.unwrap()] {
            let ids = TileIds::new(vec![Tile::EMPTY, Tile::GROUND]);
            let grid = TileGrid::of(&level, &structure, &ids);
            for row in 0..2 {
                for column in 0..3 {
                    let neighbours = structure.neighbours(row, column, 2, 3);
                    let tiles = neighbours.map(|at| at.and_then(|(r, c)| level.get(r, c)));
                    let digits = tiles.map(|tile| u64::from(ids.id(tile.unwrap_or(Tile::BORDER))));
                    let expected = digits.fold(0, |key, digit| key * 3 + digit);
                    assert_eq!(
                        grid.key(row, column),
                        expected,
                        "{structure} at {row}, {column}"
                    );
                    assert_eq!(
                        Some(ids.tile(grid.get(row, column))),
                        level.get(row, column)
                    );
                }
            }
        }
    }

    #[test]
    fn a_window_spells_the_tiles_to_the_left() {
        let ids = TileIds::new(vec![Tile::EMPTY, Tile::GROUND]);
        let two = Structure::new([Offset { dx: -2, dy: 0 }]).unwrap();
        let grid = TileGrid::of(&"-XX".parse().unwrap(), &two, &ids);
        assert_eq!(
            (
                grid.window(0, 0, 2),
                grid.window(0, 1, 2),
                grid.window(0, 2, 2)
            ),
            (0, 1, 1 << 8 | 2)
        );
    }

    /// Regression test: the number that encodes a window (several successive tiles) overflowed if the window had many tiles.
    #[test]
    fn the_widest_windows_differ_in_each_tile() {
        let symbols = || ('\u{4e00}'..).take(TileSet::MAX_TILES);
        let tiles = TileSet::unknown(symbols());
        let ids = TileIds::new(tiles.tiles().collect());
        let reach = Structure::MAX_REACH;
        let far = Structure::new([Offset { dx: -reach, dy: 0 }]).unwrap();
        let mut windows = BTreeSet::new();
        for tile in tiles.tiles() {
            for place in 0..reach as usize {
                let mut row = vec![tiles.tiles().last().unwrap(); reach as usize + 1];
                row[place] = tile;
                let level = Level::from_tiles(Array2::from_shape_vec((1, row.len()), row).unwrap());
                let grid = TileGrid::of(&level, &far, &ids);
                windows.insert(grid.window(0, reach as usize, reach as usize));
            }
        }
        assert_eq!(windows.len(), (TileSet::MAX_TILES - 1) * reach as usize + 1);
    }
}
