//! Look-ahead along a line of cells: along a row from the left, or along a column from the bottom.

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;

use crate::mdmc::MarkovChain;
use crate::mdmc::train::table::ConfigurationEntry;

/// A line of cells of a level (a row or a column), to which a sampler gives tiles one after another.
pub(in crate::mdmc) trait Line<'a> {
    fn chain(&self) -> &'a MarkovChain;

    fn length(&self) -> usize;

    /// Returns the configuration of a cell (the tiles of its neighbours in the first network structure) as one number, which is a key of tables.
    fn key(&self, place: usize) -> u64;

    /// Returns the tiles that occurred in training together with the configuration that has the key `key` in the network structure `structure`, with
    /// their counts.
    fn entry(&self, place: usize, structure: usize, key: u64) -> Option<&'a ConfigurationEntry>;

    /// Returns the earlier tiles in the line on which a cell's tile may depend, encoded as one number.
    fn window(&self, place: usize) -> u128;

    fn set(&mut self, place: usize, id: u8);
}

pub(in crate::mdmc) struct Placement {
    pub(in crate::mdmc) structure: usize,
    pub(in crate::mdmc) known: usize,
    pub(in crate::mdmc) is_shortened: bool,
}

/// Looks ahead along a line of cells: a tile is accepted only if the next `depth` cells can be filled without an unseen configuration (one that never
/// occurred in training).
#[derive(Debug, Default)]
pub(in crate::mdmc) struct LookAhead {
    /// Cache of dead ends. The key of a dead end is a cell and the earlier tiles on which it depends; the value is the smallest number of following
    /// cells that cannot be filled without an unseen configuration.
    dead: FxHashMap<(usize, u128), usize>,
    candidates: Vec<(u8, f64)>,
}

impl LookAhead {
    /// Begins another line of cells, and clears the cache of dead ends.
    pub(in crate::mdmc) fn start(&mut self) {
        self.dead.clear();
    }

    /// Decides the tile of the cell with the index `place`, after all earlier cells of the line have tiles.
    ///
    /// The look-ahead always accepts some tile, because without look-ahead the network structure without neighbours allows any of its tiles.
    pub(in crate::mdmc) fn place<'a, R: Rng + ?Sized>(
        &mut self,
        line: &mut impl Line<'a>,
        place: usize,
        depth: usize,
        rng: &mut R,
    ) -> Option<Placement> {
        let chain = line.chain();
        let first_key = line.key(place);
        let mut first_known = None;
        for shorter in (0..=depth).rev() {
            for structure in 0..chain.structures().len() {
                let key = match structure {
                    0 => first_key,
                    _ => chain.part_of_key(structure, first_key),
                };
                if let Some(entry) = line.entry(place, structure, key) {
                    let known = *first_known.get_or_insert(structure);
                    if self.place_from(line, entry, (place, shorter), rng) {
                        return Some(Placement {
                            structure,
                            known,
                            is_shortened: shorter < depth,
                        });
                    }
                }
            }
        }
        None
    }

    fn place_from<'a, R: Rng + ?Sized>(
        &mut self,
        line: &mut impl Line<'a>,
        entry: &ConfigurationEntry,
        (place, depth): (usize, usize),
        rng: &mut R,
    ) -> bool {
        self.candidates.clear();
        self.candidates.extend_from_slice(&entry.weights);
        let mut mass = entry.mass;
        while let Some((id, count)) = draw(&mut self.candidates, mass, rng) {
            line.set(place, id);
            if self.fillable(line, place + 1, depth) {
                return true;
            }
            mass -= count;
        }
        false
    }

    /// True if the `depth` cells from the index `place` on, up to the end of the line at most, can be filled without an unseen configuration of
    /// tiles.
    pub(in crate::mdmc) fn fillable<'a>(
        &mut self,
        line: &mut impl Line<'a>,
        place: usize,
        depth: usize,
    ) -> bool {
        if depth == 0 || place >= line.length() {
            return true;
        }
        let Some(entry) = line.entry(place, 0, line.key(place)) else {
            return false;
        };
        if depth == 1 {
            return true;
        }
        let state = (place, line.window(place));
        if self.dead.get(&state).is_some_and(|&least| least <= depth) {
            return false;
        }
        for &(id, _) in &entry.weights {
            line.set(place, id);
            if self.fillable(line, place + 1, depth - 1) {
                return true;
            }
        }
        self.dead.insert(state, depth);
        false
    }
}

/// Draws a tile with a probability proportional to its count, and removes it from the candidates; `mass` is the sum of the counts. Returns `None` if
/// no candidate tiles are left.
fn draw<R: Rng + ?Sized>(
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
    Some(candidates.remove(index.unwrap_or(last)))
}
