//! The state of the look-ahead sampler while it draws one level.

use rand::Rng;

use super::line::{Line, LookAhead};
use crate::mdmc::level::grid::TileGrid;
use crate::mdmc::train::table::{ConfigurationEntry, ConfigurationTable};
use crate::mdmc::{GeneratedLevel, Level, MarkovChain, Tile};

/// State of the look-ahead sampler while it draws one level.
pub(in crate::mdmc) struct LookAheadRun<'a> {
    row: Row<'a>,
    look_ahead: LookAhead,
    unseen: usize,
    shortened: usize,
    tiles_by_structure: Vec<usize>,
}

struct Row<'a> {
    chain: &'a MarkovChain,
    width: usize,
    grid: TileGrid,
    index: usize,
    /// The tables of training counts for the present row's band (the rows that are trained together), one table for each network structure.
    tables: Vec<&'a ConfigurationTable>,
    /// Number of tiles to the left of a cell, in the same row, on which its tile may depend in the first network structure.
    window: usize,
}

impl<'a> Line<'a> for Row<'a> {
    fn chain(&self) -> &'a MarkovChain {
        self.chain
    }

    fn length(&self) -> usize {
        self.width
    }

    fn key(&self, column: usize) -> u64 {
        self.grid.key(self.index, column)
    }

    fn entry(&self, _column: usize, structure: usize, key: u64) -> Option<&'a ConfigurationEntry> {
        self.tables.get(structure)?.by_key(key)
    }

    fn window(&self, column: usize) -> u128 {
        self.grid.window(self.index, column, self.window)
    }

    fn set(&mut self, column: usize, id: u8) {
        self.grid.set(self.index, column, id);
    }
}

impl<'a> LookAheadRun<'a> {
    pub(in crate::mdmc) fn new(chain: &'a MarkovChain, width: usize) -> Self {
        let structures = chain.structures();
        let first = &structures[0];
        let beside = first.offsets().iter().filter(|offset| offset.dy == 0);
        Self {
            row: Row {
                chain,
                width,
                grid: TileGrid::new(first, chain.ids().base(), chain.height(), width),
                index: 0,
                tables: Vec::with_capacity(structures.len()),
                window: beside.map(|offset| -offset.dx).fold(0, i32::max) as usize,
            },
            look_ahead: LookAhead::default(),
            unseen: 0,
            shortened: 0,
            tiles_by_structure: vec![0; structures.len()],
        }
    }

    pub(in crate::mdmc) fn tile(&self, row: usize, column: usize) -> Tile {
        self.row.chain.ids().tile(self.row.grid.get(row, column))
    }

    pub(in crate::mdmc) fn generated(self, level: Level) -> GeneratedLevel {
        GeneratedLevel {
            level,
            unseen: self.unseen,
            tiles_by_structure: self.tiles_by_structure,
            shortened: self.shortened,
        }
    }

    pub(in crate::mdmc) fn start_row(&mut self, row: usize) {
        let chain = self.row.chain;
        let (band, structures) = (chain.band(row), 0..chain.structures().len());
        self.row.index = row;
        self.row.tables.clear();
        let tables = structures.filter_map(|index| chain.table(index, band));
        self.row.tables.extend(tables);
        self.look_ahead.start();
    }

    pub(in crate::mdmc) fn place<R: Rng + ?Sized>(
        &mut self,
        column: usize,
        depth: usize,
        rng: &mut R,
    ) {
        let placed = self.look_ahead.place(&mut self.row, column, depth, rng);
        if let Some(placed) = placed {
            self.unseen += usize::from(placed.known > 0);
            self.shortened += usize::from(placed.is_shortened);
            self.tiles_by_structure[placed.structure] += 1;
        }
    }
}

#[cfg(test)]
mod tests;
