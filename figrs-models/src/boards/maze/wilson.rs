//! Draws random spanning trees by loop-erased random walks.

use rand::{Rng, RngExt};

use super::{PerfectMaze, Pointer};
use crate::grid::{Board, Position};

impl PerfectMaze {
    /// Draws a random maze of any size by Wilson's algorithm.
    ///
    /// From each room that is not yet in the tree, a random walk starts; it chooses each direction with probability proportional to the direction's
    /// weight until it meets the tree. The random walk without its loops is then added to the tree of the maze. In a room with a clue, the random
    /// walk follows the known pointer.
    ///
    /// **Guarantee.** The drawn mazes are independent and have exactly the distribution given that the maze is perfect and agrees with the clues, up
    /// to the rounding of random numbers to 53 bits. For any weights of directions, the probability of a spanning tree is proportional to the product
    /// of the weights of its pointers; a known pointer counts as the only direction with positive weight. The drawn mazes are the same for each
    /// variant of [`Border`](super::Border).
    ///
    /// **Complexity.** If all directions have equal weights, the random walks take an expected number of steps of the order of `n log n` for `n`
    /// rooms. If the weights of directions differ, the number of steps is of the order of the mean time in which a random walk reaches the first
    /// room. The sampler of mazes needs a few bytes of memory for each room.
    ///
    /// **References.** D. B. Wilson (1996), "Generating random spanning trees more quickly than the cover time".
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> Board<Pointer> {
        let wheels: [DirectionCdf; 16] = std::array::from_fn(|ways| DirectionCdf::new(self, ways));
        let ways = self.ways();
        let size = self.size();
        let columns = size.columns();
        let mut pointers = vec![Pointer::Root; ways.len()];
        let mut in_tree = vec![false; ways.len()];
        in_tree[0] = true;
        for start in 1..ways.len() {
            let mut room = start;
            while !in_tree[room] {
                // A later visit of a room overwrites its pointer, and so removes the loop between the two visits.
                pointers[room] = wheels[usize::from(ways[room])].draw(rng);
                room = pointers[room].room(room, columns);
            }
            room = start;
            while !in_tree[room] {
                in_tree[room] = true;
                room = pointers[room].room(room, columns);
            }
        }
        Board::of(size, pointers)
    }

    /// Returns, for each room, the bit set of the directions in which the room may point, in the order of [`Pointer::DIRECTIONS`]; for a room with a
    /// clue, the set has one direction.
    fn ways(&self) -> Vec<u8> {
        let size = self.size();
        let ways = |at: Position| {
            let known = self.clues.get(at);
            let bits = Pointer::DIRECTIONS.into_iter().enumerate();
            bits.map(|(bit, pointer)| {
                let is_open = known.map_or_else(
                    || pointer.target(size, at).is_some(),
                    |known| known.0 == pointer,
                );
                u8::from(is_open) << bit
            })
            .sum()
        };
        size.positions().map(ways).collect()
    }
}

/// Cumulative distribution of the direction in which a room of a maze points.
struct DirectionCdf {
    ends: [f64; 4],
}

impl DirectionCdf {
    fn new(mazes: &PerfectMaze, ways: usize) -> Self {
        let mut total = 0.0;
        let mut ends = [0.0; 4];
        for (bit, pointer) in Pointer::DIRECTIONS.into_iter().enumerate() {
            if ways >> bit & 1 == 1 {
                total += mazes.weights.of(pointer);
            }
            ends[bit] = total;
        }
        // The last direction with positive weight ends at exactly one.
        Self {
            ends: ends.map(|end| end / total),
        }
    }

    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Pointer {
        let at: f64 = rng.random();
        let passed = self.ends[..3].iter().filter(|&&end| end <= at);
        Pointer::DIRECTIONS[passed.count()]
    }
}
