//! Markov chain proposals that open one passage of a perfect maze and close another: the basis exchange walk on spanning trees.

use super::Pointer;
use crate::board::BoardMoves;
use crate::grid::Size;

/// Removes a wall between two rooms of a maze, and closes a passage of the cycle that the new passage creates.
///
/// A proposal uniformly chooses a pair of adjacent rooms, and then a passage on the path of the maze between these two rooms. The reverse proposal
/// has the same cycle, and therefore the same probability. A proposal reverses the pointers of the rooms between the opened wall and the closed
/// passage.
///
/// **Complexity.** The time is proportional to the length of the cycle that the new passage creates.
///
/// **References.** T. Feder and M. Mihail, "Balanced matroids", STOC 1992; Anari, Liu, Oveis Gharan and Vinzant, "Log-concave polynomials II", STOC
/// 2019, for the speed of the walk on all trees.
pub(super) struct PassageMoves {
    size: Size,
    pair: WaysFromPair,
    ways: [Vec<usize>; 2],
    looked_at: u64,
}

impl PassageMoves {
    pub(super) fn new(size: Size) -> Self {
        Self {
            size,
            pair: WaysFromPair::new(size.cells()),
            ways: Default::default(),
            looked_at: 0,
        }
    }

    fn rooms(&self, number: usize) -> [usize; 2] {
        let (columns, down) = (self.size.columns(), self.size.cells() - self.size.columns());
        match number.checked_sub(down) {
            None => [number, number + columns],
            Some(number) => {
                let one = number / (columns - 1) * columns + number % (columns - 1);
                [one, one + 1]
            }
        }
    }
}

impl BoardMoves<Pointer> for PassageMoves {
    fn propose(
        &mut self,
        cells: &[Pointer],
        choose: &mut dyn FnMut(usize) -> usize,
        changes: &mut Vec<(usize, Pointer)>,
    ) {
        let (rows, columns) = (self.size.rows(), self.size.columns());
        let pairs = 2 * self.size.cells() - rows - columns;
        if pairs == 0 {
            return;
        }
        let pair = self.rooms(choose(pairs));
        let target = |room: usize| cells[room].room(room, columns);
        if target(pair[0]) == pair[1] || target(pair[1]) == pair[0] {
            return;
        }
        self.pair.meet(pair, target, &mut self.ways);
        let passages = [self.ways[0].len(), self.ways[1].len()];
        self.looked_at += (passages[0] + passages[1]) as u64;
        let chosen = choose(passages[0] + passages[1]);
        // Chooses a room on one of the two paths; the passage from this room towards the first room is closed.
        let (side, last) = match chosen.checked_sub(passages[0]) {
            None => (0, chosen),
            Some(chosen) => (1, chosen),
        };
        let mut before = pair[1 - side];
        for &room in &self.ways[side][..=last] {
            changes.push((room, Pointer::between(room, before, columns)));
            before = room;
        }
    }

    fn looked_at(&mut self) -> u64 {
        std::mem::take(&mut self.looked_at)
    }
}

/// Finds the room of a maze where the paths from two rooms to the first room meet.
#[derive(Clone, Debug)]
pub(super) struct WaysFromPair {
    /// For each room, the index of the last search that visited the room, and the room's index on the path of that search.
    seen: Vec<(u32, u32)>,
    now: u32,
}

impl WaysFromPair {
    pub(super) fn new(rooms: usize) -> Self {
        Self {
            seen: vec![(0, 0); rooms],
            now: 0,
        }
    }

    /// Collects the rooms on the paths from the rooms `pair` to the first room, up to the room where the paths meet. The paths from the two rooms of
    /// `pair` have to lead to the first room.
    ///
    /// The search advances on the paths of both rooms in turn; its work is therefore proportional to the length of the longer path to the meeting
    /// point.
    pub(super) fn meet(
        &mut self,
        pair: [usize; 2],
        target: impl Fn(usize) -> usize,
        ways: &mut [Vec<usize>; 2],
    ) -> usize {
        if self.now >= u32::MAX - 2 {
            self.seen.fill((0, 0));
            self.now = 0;
        }
        let first = self.now + 1;
        self.now += 2;
        ways.iter_mut().for_each(Vec::clear);
        let mut at = pair;
        loop {
            for side in 0..2 {
                let room = at[side];
                let (by, place) = self.seen[room];
                if by == first + 1 - side as u32 {
                    ways[1 - side].truncate(place as usize);
                    return room;
                }
                if by == first + side as u32 {
                    continue;
                }
                self.seen[room] = (first + side as u32, ways[side].len() as u32);
                if room != 0 {
                    ways[side].push(room);
                    at[side] = target(room);
                }
            }
        }
    }
}
