//! A Markov chain of islands.

use std::collections::VecDeque;

use rand::{Rng, RngExt};

use super::{Island, Terrain};
use crate::grid::{Board, GridError, Size};

/// Initial state of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InitialIsland {
    /// With as little land as allowed, around the centre.
    Least,
    /// With as much land as allowed.
    Most,
}

/// A Markov chain of islands with any number of bays.
///
/// A step chooses a cell inside, other than the centre, and turns land into water or water into land if the result is an
/// island with an allowed amount of land.
///
/// **Guarantee.** All islands are equally likely in the long run. Steps are symmetric, and lead from any island to any other: let `T` be
/// the largest connected land around the centre that both have. While `T` is not all of the second island, it has
/// a cell beside `T` that can be made land, after another cell outside of `T` was made water if there is
/// no room for more: a connected island has a cell outside of `T` that it stays connected without. The remaining cells are
/// made water in the same way. The diagnostics of [`IslandDraws`](super::IslandDraws) show how soon the long run is reached.
///
/// **Complexity.** A step looks at the eight cells around, and where they do not decide whether the rest stays connected,
/// searches from all sides at once for as long as the smallest part lasts.
#[derive(Clone, Debug)]
pub struct IslandChain {
    size: Size,
    columns: usize,
    land: Vec<bool>,
    /// The cells that may change.
    free: Vec<usize>,
    count: usize,
    least: usize,
    most: usize,
    search: ConnectivitySearch,
}

/// Memory of a search, kept between searches.
#[derive(Clone, Debug, Default)]
struct ConnectivitySearch {
    /// For each cell the number of the search that last reached it, and from which side.
    reached: Vec<(u64, u8)>,
    now: u64,
    queues: [VecDeque<usize>; 4],
}

impl Island {
    /// A Markov chain that starts with as little land as allowed.
    ///
    /// **Errors.** [`GridError::FixedLand`] if only one amount of land is allowed.
    pub fn chain(&self) -> Result<IslandChain, GridError> {
        self.chain_from(InitialIsland::Least)
    }

    pub(super) fn chain_from(&self, start: InitialIsland) -> Result<IslandChain, GridError> {
        let inside = self.inside();
        let (least, most) = self.land.clone().map_or((1, inside), |land| {
            let (least, most) = land.into_inner();
            (least.max(1) as usize, inside.min(most as usize))
        });
        if least == most && inside > 1 {
            return Err(GridError::FixedLand { land: least as u32 });
        }
        let size = self.size();
        let (centre, cells) = (size.index(self.centre), size.cells());
        let is_inside = |cell: usize| !size.is_border(size.position(cell));
        let mut chain = IslandChain {
            size,
            columns: size.columns(),
            land: vec![false; cells],
            free: (0..cells)
                .filter(|&cell| is_inside(cell) && cell != centre)
                .collect(),
            count: 0,
            least,
            most,
            search: ConnectivitySearch {
                reached: vec![(0, 0); cells],
                ..ConnectivitySearch::default()
            },
        };
        let wanted = match start {
            InitialIsland::Least => least,
            InitialIsland::Most => most,
        };
        let mut queue = VecDeque::from([centre]);
        while let Some(cell) = queue.pop_front() {
            if chain.count < wanted && !chain.land[cell] {
                chain.land[cell] = true;
                chain.count += 1;
                let beside = chain.beside(cell);
                queue.extend(beside.into_iter().filter(|&cell| is_inside(cell)));
            }
        }
        Ok(chain)
    }
}

impl IslandChain {
    /// Number of cells of land.
    pub fn land(&self) -> usize {
        self.count
    }

    /// The present island of the chain.
    pub fn board(&self) -> Board<Terrain> {
        let terrain = |&land: &bool| if land { Terrain::Land } else { Terrain::Water };
        Board::of(self.size, self.land.iter().map(terrain).collect())
    }

    /// As many steps as there are cells that may change.
    pub fn sweep<R: Rng + ?Sized>(&mut self, rng: &mut R) {
        for _ in 0..self.free.len() {
            let cell = self.free[rng.random_range(0..self.free.len())];
            self.step(cell);
        }
    }

    /// Changes a cell, if that is allowed.
    fn step(&mut self, cell: usize) {
        if self.land[cell] {
            if self.count > self.least && self.stays_connected_without(cell) {
                self.land[cell] = false;
                self.count -= 1;
            }
        } else if self.count < self.most && self.beside(cell).iter().any(|&c| self.land[c]) {
            self.land[cell] = true;
            self.count += 1;
        }
    }

    /// The cells above, to the right, below and to the left of a cell inside.
    fn beside(&self, cell: usize) -> [usize; 4] {
        [cell - self.columns, cell + 1, cell + self.columns, cell - 1]
    }

    /// True if the land without one of its cells is connected. The land always has another cell.
    fn stays_connected_without(&mut self, cell: usize) -> bool {
        let sides = self.beside(cell);
        let corners = [sides[0] + 1, sides[2] + 1, sides[2] - 1, sides[0] - 1];
        // Land on two sides is joined around the corner between them.
        let mut parts = 0;
        for side in 0..4 {
            let next = (side + 1) % 4;
            let joined = self.land[corners[side]] && self.land[sides[next]];
            parts += usize::from(self.land[sides[side]] && !joined);
        }
        parts <= 1 || self.search(cell, sides)
    }

    /// True if all land beside a cell is connected without it. Searches from each side in turn; two searches that meet are
    /// one.
    fn search(&mut self, cell: usize, sides: [usize; 4]) -> bool {
        let columns = self.columns;
        let ConnectivitySearch {
            reached,
            now,
            queues,
        } = &mut self.search;
        *now += 1;
        reached[cell] = (*now, u8::MAX);
        // For each search the one that it has been merged into.
        let mut part = [0, 1, 2, 3];
        let mut parts = 0;
        for (side, &start) in sides.iter().enumerate() {
            queues[side].clear();
            if self.land[start] {
                queues[side].push_back(start);
                reached[start] = (*now, side as u8);
                parts += 1;
            }
        }
        while parts > 1 {
            let mut is_empty = false;
            for side in 0..4 {
                if let Some(at) = queues[side].pop_front() {
                    for next in [at - columns, at + 1, at + columns, at - 1] {
                        match reached[next] {
                            _ if !self.land[next] => {}
                            (when, _) if when < *now => {
                                reached[next] = (*now, side as u8);
                                queues[side].push_back(next);
                            }
                            (_, u8::MAX) => {}
                            (_, other) => {
                                let (from, to) = (part[usize::from(other)], part[side]);
                                if from != to {
                                    part = part.map(|p| if p == from { to } else { p });
                                    parts -= 1;
                                }
                            }
                        }
                    }
                }
                is_empty |= self.land[sides[side]] && queues[side].is_empty();
            }
            let ended = |p: usize| (0..4).all(|side| part[side] != p || queues[side].is_empty());
            let is_land = |side: &usize| self.land[sides[*side]];
            if is_empty && parts > 1 && (0..4).filter(is_land).any(|side| ended(part[side])) {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests;
