//! Look-ahead along a line of cells: along a row from the left, or along a column from the bottom.

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;

use crate::mdmc::MarkovChain;
use crate::mdmc::train::table::ConfigurationEntry;

/// A line of cells that are decided one after another.
pub(in crate::mdmc) trait Line<'a> {
    /// Returns the Markov chain from which tiles are drawn.
    fn chain(&self) -> &'a MarkovChain;

    /// Returns the number of cells.
    fn length(&self) -> usize;

    /// Returns the tiles of a cell's neighbours in the first network structure, as one number (key).
    fn key(&self, place: usize) -> u64;

    /// Returns the tiles that occurred in training together with the neighbours' tiles of the key `key`, in the network structure `structure`.
    fn entry(&self, place: usize, structure: usize, key: u64) -> Option<&'a ConfigurationEntry>;

    /// Returns the earlier tiles in the line on which a cell's tile may depend, as one number.
    fn window(&self, place: usize) -> u128;

    /// Puts the tile with the number `id` into the cell `place`.
    fn set(&mut self, place: usize, id: u8);
}

/// The network structure and the look-ahead with which a tile was drawn.
pub(in crate::mdmc) struct Placement {
    pub(in crate::mdmc) structure: usize,
    /// Index of the first network structure whose neighbours have tiles that occurred together in training.
    pub(in crate::mdmc) known: usize,
    /// True if the look-ahead was shorter than requested.
    pub(in crate::mdmc) is_shortened: bool,
}

/// Look-ahead along a line: a tile is accepted only if the next `depth` cells can be filled without an unseen configuration.
#[derive(Debug, Default)]
pub(in crate::mdmc) struct LookAhead {
    /// Cache of dead ends: for a cell and the earlier tiles on which it depends, the smallest number of following cells that cannot be filled without
    /// an unseen configuration.
    dead: FxHashMap<(usize, u128), usize>,
    candidates: Vec<(u8, f64)>,
}

impl LookAhead {
    /// Begins another line; the cache of dead ends is cleared.
    pub(in crate::mdmc) fn start(&mut self) {
        self.dead.clear();
    }

    /// Decides the tile of the cell `place`; the earlier cells of the line must already have tiles.
    ///
    /// Some tile is always decided: without look-ahead, the network structure without neighbours always has a tile.
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

    /// Draws tiles from the distribution `entry` until one passes the look-ahead; returns false if none does.
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

    /// True if the `depth` cells from the index `place` on can be filled without an unseen configuration; cells beyond the end of the line count as
    /// filled.
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

/// Draws a tile in proportion to its count and removes it from the candidates; `mass` is the sum of the counts. Returns `None` if no tile is left.
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
    // Rounding may leave a small remainder after the last candidate.
    Some(candidates.remove(index.unwrap_or(last)))
}
