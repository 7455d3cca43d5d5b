//! Finds the spanning tree with the largest weight among the spanning trees of a grid that are directed to the first room.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::boards::maze::{PerfectMaze, Pointer};

/// Returns the pointers of the maze with the largest product of weights; among mazes with equal products, the choice is deterministic.
///
/// At the start of the algorithm, each room is a group of its own. Each group of rooms takes its cheapest pointer to another group, and groups whose
/// pointers form a cycle are joined into one group. At the end, the joined groups of rooms are separated in reverse order; the pointer that leaves a
/// joined group replaces one pointer of the cycle.
///
/// **Complexity.** `O(n log(n)^2)` for `n` rooms: the pointers are stored in heaps, and a smaller heap is merged into a larger one.
///
/// **References.** J. Edmonds, "Optimum branchings", Journal of Research of the National Bureau of Standards 71B (1967); R. E. Tarjan, "Finding optimum branchings", Networks 7 (1977).
pub(super) fn heaviest(maze: &PerfectMaze) -> Vec<Pointer> {
    let size = maze.size();
    let rooms = size.cells();
    let mut heaps: Vec<Offset> = (0..rooms).map(|_| Offset::default()).collect();
    for (room, heap) in heaps.iter_mut().enumerate().skip(1) {
        for pointer in Pointer::DIRECTIONS {
            if let Some(target) = pointer.target(size, size.position(room)) {
                let cost = -maze.weights.of(pointer).ln();
                let target = size.index(target);
                heap.costs.push(Reverse(Costed {
                    cost,
                    room,
                    target,
                    pointer,
                }));
            }
        }
    }
    let mut groups = Groups::new(rooms);
    // For each group, the start of the walk that last visited the group.
    let mut seen = vec![usize::MAX; rooms];
    seen[0] = 0;
    let mut taken: Vec<Option<Costed>> = vec![None; rooms];
    let mut cycles: Vec<Cycle> = Vec::new();
    for start in 1..rooms {
        let mut walk: Vec<(usize, Costed)> = Vec::new();
        let mut group = groups.of(start);
        while seen[group] == usize::MAX {
            let Some(least) = heaps[group].pop() else {
                break;
            };
            seen[group] = start;
            walk.push((group, least));
            group = groups.of(least.target);
            if seen[group] != start {
                continue;
            }
            // The walk has returned to one of its groups, so this group and the later groups of the walk form a cycle and are joined.
            let time = groups.time();
            let first = walk.iter().position(|(other, _)| *other == group);
            let cycle: Vec<(usize, Costed)> = walk.drain(first.unwrap_or(0)..).collect();
            let mut heap = Offset::default();
            for &(member, _) in &cycle {
                heap = heap.joined(std::mem::take(&mut heaps[member]));
                groups.join(group, member);
            }
            group = groups.of(group);
            heaps[group] = heap;
            seen[group] = usize::MAX;
            let pointers = cycle.into_iter().map(|(_, costed)| costed).collect();
            cycles.push(Cycle {
                group,
                time,
                pointers,
            });
        }
        for (_, costed) in walk {
            taken[groups.of(costed.room)] = Some(costed);
        }
    }
    while let Some(cycle) = cycles.pop() {
        groups.undo(cycle.time);
        let out = taken[cycle.group];
        for costed in cycle.pointers {
            taken[groups.of(costed.room)] = Some(costed);
        }
        if let Some(out) = out {
            taken[groups.of(out.room)] = Some(out);
        }
    }
    let pointer = |costed: &Option<Costed>| costed.map_or(Pointer::Root, |costed| costed.pointer);
    taken.iter().map(pointer).collect()
}

#[derive(Clone, Copy, Debug)]
struct Costed {
    cost: f64,
    room: usize,
    target: usize,
    pointer: Pointer,
}

impl Ord for Costed {
    fn cmp(&self, other: &Self) -> Ordering {
        let cost = self.cost.total_cmp(&other.cost);
        cost.then(self.room.cmp(&other.room))
            .then(self.target.cmp(&other.target))
    }
}

impl PartialOrd for Costed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Costed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Costed {}

/// Groups of rooms that were joined because their pointers form a cycle, and the pointers of this cycle.
struct Cycle {
    group: usize,
    /// Number of joins of two groups that were made before the groups of this cycle were joined.
    time: usize,
    pointers: Vec<Costed>,
}

/// The pointers of a group of rooms as a heap, with the cheapest pointer first. The cost of a pointer in the heap is its stored cost minus `less`.
#[derive(Debug, Default)]
struct Offset {
    costs: BinaryHeap<Reverse<Costed>>,
    less: f64,
}

impl Offset {
    /// Removes the cheapest pointer from the heap, and subtracts its cost from the costs of all other pointers.
    fn pop(&mut self) -> Option<Costed> {
        let Reverse(least) = self.costs.pop()?;
        self.less = least.cost;
        Some(least)
    }

    fn joined(self, other: Self) -> Self {
        let (mut large, small) = match self.costs.len() < other.costs.len() {
            true => (other, self),
            false => (self, other),
        };
        let shift = large.less - small.less;
        large
            .costs
            .extend(small.costs.into_iter().map(|Reverse(costed)| {
                let cost = costed.cost + shift;
                Reverse(Costed { cost, ..costed })
            }));
        large
    }
}

/// A partition of the rooms into groups, as a union-find structure that can undo unions: union by size without path compression.
struct Groups {
    parent: Vec<usize>,
    sizes: Vec<usize>,
    joins: Vec<usize>,
}

impl Groups {
    fn new(rooms: usize) -> Self {
        Self {
            parent: (0..rooms).collect(),
            sizes: vec![1; rooms],
            joins: Vec::new(),
        }
    }

    fn of(&self, mut room: usize) -> usize {
        while self.parent[room] != room {
            room = self.parent[room];
        }
        room
    }

    fn time(&self) -> usize {
        self.joins.len()
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.of(one), self.of(other));
        if one == other {
            return;
        }
        let (small, large) = match self.sizes[one] < self.sizes[other] {
            true => (one, other),
            false => (other, one),
        };
        self.parent[small] = large;
        self.sizes[large] += self.sizes[small];
        self.joins.push(small);
    }

    fn undo(&mut self, time: usize) {
        while self.joins.len() > time {
            if let Some(small) = self.joins.pop() {
                let large = self.parent[small];
                self.sizes[large] -= self.sizes[small];
                self.parent[small] = small;
            }
        }
    }
}
