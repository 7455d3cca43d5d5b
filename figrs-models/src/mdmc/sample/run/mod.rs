//! The state of sampling one level with look-ahead.

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;

use crate::mdmc::level::grid::TileGrid;
use crate::mdmc::train::table::{ConfigurationEntry, ConfigurationTable};
use crate::mdmc::{GeneratedLevel, Level, MarkovChain, Tile};

/// The state of drawing one level.
pub(in crate::mdmc) struct LookAheadRun<'a> {
    chain: &'a MarkovChain,
    width: usize,
    grid: TileGrid,
    row: usize,
    /// The tables of the row's band, the first structure first.
    tables: Vec<&'a ConfigurationTable>,
    /// Number of tiles to the left that the first structure sees in its own row.
    window: usize,
    /// Memo of dead ends: for a column and the window to its left, the least depth that cannot be filled from there.
    dead: FxHashMap<(usize, u128), usize>,
    candidates: Vec<(u8, f64)>,
    unseen: usize,
    shortened: usize,
    tiles_by_structure: Vec<usize>,
}

impl<'a> LookAheadRun<'a> {
    pub(in crate::mdmc) fn new(chain: &'a MarkovChain, width: usize) -> Self {
        let structures = chain.structures();
        let first = &structures[0];
        let beside = first.offsets().iter().filter(|offset| offset.dy == 0);
        Self {
            chain,
            width,
            grid: TileGrid::new(first, chain.ids().base(), chain.height(), width),
            row: 0,
            tables: Vec::with_capacity(structures.len()),
            window: beside.map(|offset| -offset.dx).fold(0, i32::max) as usize,
            dead: FxHashMap::default(),
            candidates: Vec::new(),
            unseen: 0,
            shortened: 0,
            tiles_by_structure: vec![0; structures.len()],
        }
    }

    pub(in crate::mdmc) fn tile(&self, row: usize, column: usize) -> Tile {
        self.chain.ids().tile(self.grid.get(row, column))
    }

    pub(in crate::mdmc) fn generated(self, level: Level) -> GeneratedLevel {
        GeneratedLevel {
            level,
            unseen: self.unseen,
            tiles_by_structure: self.tiles_by_structure,
            shortened: self.shortened,
        }
    }

    /// Turns to a row; the rows below must be decided.
    pub(in crate::mdmc) fn start_row(&mut self, row: usize) {
        let band = self.chain.band(row);
        let structures = 0..self.chain.structures().len();
        self.row = row;
        self.tables.clear();
        self.tables
            .extend(structures.filter_map(|index| self.chain.table(index, band)));
        self.dead.clear();
    }

    /// Decides the tile of one cell; those to its left must be decided.
    ///
    /// Always places one: with no look-ahead the structure without neighbours has a tile.
    pub(in crate::mdmc) fn place<R: Rng + ?Sized>(
        &mut self,
        column: usize,
        depth: usize,
        rng: &mut R,
    ) {
        let first_key = self.grid.key(self.row, column);
        let mut first_known = None;
        for shorter in (0..=depth).rev() {
            for index in 0..self.tables.len() {
                let key = match index {
                    0 => first_key,
                    _ => self.chain.part_of_key(index, first_key),
                };
                if let Some(entry) = self.tables[index].by_key(key) {
                    let known = *first_known.get_or_insert(index);
                    if self.place_from(entry, column, shorter, rng) {
                        self.unseen += usize::from(known > 0);
                        self.shortened += usize::from(shorter < depth);
                        self.tiles_by_structure[index] += 1;
                        return;
                    }
                }
            }
        }
    }

    /// Draws tiles of an entry until one passes the look-ahead; false if none does.
    fn place_from<R: Rng + ?Sized>(
        &mut self,
        entry: &ConfigurationEntry,
        column: usize,
        depth: usize,
        rng: &mut R,
    ) -> bool {
        self.candidates.clear();
        self.candidates.extend_from_slice(&entry.weights);
        let mut mass = entry.mass;
        while let Some((id, count)) = draw(&mut self.candidates, mass, rng) {
            self.grid.set(self.row, column, id);
            if self.fillable(column + 1, depth) {
                return true;
            }
            mass -= count;
        }
        false
    }

    /// True if the `depth` cells from `column` on can be filled without an unseen configuration of the first structure;
    /// cells past the end of the row count as filled.
    fn fillable(&mut self, column: usize, depth: usize) -> bool {
        if depth == 0 || column >= self.width {
            return true;
        }
        let Some(entry) = self.tables[0].by_key(self.grid.key(self.row, column)) else {
            return false;
        };
        if depth == 1 {
            return true;
        }
        let state = (column, self.grid.window(self.row, column, self.window));
        if self.dead.get(&state).is_some_and(|&least| least <= depth) {
            return false;
        }
        for &(id, _) in &entry.weights {
            self.grid.set(self.row, column, id);
            if self.fillable(column + 1, depth - 1) {
                return true;
            }
        }
        self.dead.insert(state, depth);
        false
    }
}

/// Draws a candidate in proportion to its count, of which `mass` is the sum, and removes it; `None` when none is left.
pub(in crate::mdmc) fn draw<R: Rng + ?Sized>(
    candidates: &mut Vec<(u8, f64)>,
    mass: f64,
    rng: &mut R,
) -> Option<(u8, f64)> {
    let last = candidates.len().checked_sub(1)?;
    let mut rest = rng.random::<f64>() * mass;
    let index = candidates.iter().position(|&(_, count)| {
        let here = rest < count;
        rest -= count;
        here
    });
    // Rounding may leave a little after the last.
    Some(candidates.remove(index.unwrap_or(last)))
}

#[cfg(test)]
mod tests;
