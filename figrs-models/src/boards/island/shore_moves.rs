//! Proposals of the Markov chain whose states are islands: a proposal moves one cell of land to another place on the shore. The proposals of
//! `ShoreMoves` leave the amount of land the same.

use super::Terrain;
use crate::board::BoardMoves;
use crate::grid::Size;

/// A proposal that turns a land cell into water, and a water cell beside the remaining land into land.
///
/// A proposal removes a uniformly chosen land cell; let `S` be the remaining land. A uniformly chosen water cell beside the remaining land `S` then
/// becomes land. The removed land cell must be beside the remaining land `S`, too, so that the reverse proposal has the same probability.
#[derive(Clone, Debug)]
pub(super) struct ShoreMoves {
    size: Size,
    land: Vec<u32>,
    places: Vec<u32>,
}

impl ShoreMoves {
    pub(super) fn new(size: Size) -> Self {
        Self {
            size,
            land: Vec::new(),
            places: vec![0; size.cells()],
        }
    }

    fn beside(&self, at: usize, side: usize) -> Option<usize> {
        let columns = self.size.columns();
        match side {
            0 => at.checked_sub(columns),
            1 => (!at.is_multiple_of(columns)).then(|| at - 1),
            2 => (!(at + 1).is_multiple_of(columns)).then_some(at + 1),
            _ => Some(at + columns).filter(|&below| below < self.size.cells()),
        }
    }
}

impl BoardMoves<Terrain> for ShoreMoves {
    fn propose(
        &mut self,
        cells: &[Terrain],
        choose: &mut dyn FnMut(usize) -> usize,
        changes: &mut Vec<(usize, Terrain)>,
    ) {
        if self.land.len() < 2 {
            return;
        }
        let taken = choose(self.land.len());
        let other = choose(self.land.len() - 1);
        let other = self.land[other + usize::from(other >= taken)] as usize;
        let taken = self.land[taken] as usize;
        let Some(made) = self.beside(other, choose(4)) else {
            return;
        };
        let rest = |at: usize| {
            let beside = self.size.beside(at);
            let land = beside.filter(|&cell| cell != taken && cells[cell] == Terrain::Land);
            land.count()
        };
        if cells[made] == Terrain::Land || rest(taken) == 0 || choose(rest(made)) != 0 {
            return;
        }
        changes.extend([(taken, Terrain::Water), (made, Terrain::Land)]);
    }

    fn read(&mut self, cells: &[Terrain]) {
        self.land.clear();
        for at in (0..cells.len()).filter(|&at| cells[at] == Terrain::Land) {
            self.places[at] = self.land.len() as u32;
            self.land.push(at as u32);
        }
    }

    fn follow(&mut self, cells: &[Terrain], changed: &[usize]) {
        for &at in changed {
            let place = self.places[at] as usize;
            let was_land = self.land.get(place) == Some(&(at as u32));
            match (cells[at] == Terrain::Land, was_land) {
                (true, false) => {
                    self.places[at] = self.land.len() as u32;
                    self.land.push(at as u32);
                }
                (false, true) => {
                    self.land.swap_remove(place);
                    if let Some(&moved) = self.land.get(place) {
                        self.places[moved as usize] = place as u32;
                    }
                }
                _ => {}
            }
        }
    }
}
