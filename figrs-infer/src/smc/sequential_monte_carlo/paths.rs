//! Genealogy of particles: the values that the ancestors of particles had in earlier parts of a sequence.

use figrs_core::Value;
use figrs_lower::internals::Block;

/// The values in one part of a sequence, for the ancestors of the remaining particles.
#[derive(Debug)]
struct Segment<T> {
    /// Number of random variables in this part of the sequence that belong to the trajectory.
    trajectory_len: usize,
    /// The values of each trajectory variable on all paths, one variable after another.
    values: Vec<T>,
    /// For each path, the index of the path in the preceding segment (part of the sequence) that this path continues.
    from: Vec<u32>,
}

/// The paths of particles through the parts of a sequence. Only paths that lead to present particles are stored. Soon after the end of a part of the
/// sequence, hardly more than one path through this part is stored for each population.
///
/// **References.** Jacob, Murray and Rubenthaler (2015), "Path storage in the particle filter", on the size of the tree of ancestors.
#[derive(Debug)]
pub(super) struct AncestralPaths<T> {
    segments: Vec<Segment<T>>,
    /// For each path that reaches the last segment (part of the sequence), the index of the particle at which the path ends, in ascending order.
    rows: Vec<u32>,
}

impl<T: Value> AncestralPaths<T> {
    pub(super) fn new() -> Self {
        Self {
            segments: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Appends a segment (part of the sequence) with the values of the first `trajectory_len` targets in the remaining worlds of a block.
    pub(super) fn add(&mut self, block: &mut Block, trajectory_len: usize) {
        let origins = block.origins();
        let from = if self.segments.is_empty() {
            (0..origins.len() as u32).collect()
        } else {
            let most = self.rows.last().map_or(0, |&row| row as usize + 1);
            let mut places = vec![0; most];
            for (&row, place) in self.rows.iter().zip(0..) {
                places[row as usize] = place;
            }
            origins.iter().map(|&row| places[row as usize]).collect()
        };
        let mut values = Vec::with_capacity(trajectory_len * origins.len());
        for target in 0..trajectory_len {
            let column = block.target(target).typed();
            let column = column.as_any().downcast_ref::<Vec<T>>();
            values.extend(column.into_iter().flatten().cloned());
        }
        self.rows.clear();
        block
            .weights()
            .for_each_survivor(|row| self.rows.push(row as u32));
        self.segments.push(Segment {
            trajectory_len,
            values,
            from,
        });
        self.prune();
    }

    /// Drops the paths that lead to no present particle. The segments (parts of the sequence) are pruned from the last back to the first segment in
    /// which all paths lead to a particle.
    fn prune(&mut self) {
        for later in (1..self.segments.len()).rev() {
            let (before, after) = self.segments.split_at_mut(later);
            let (Some(before), Some(after)) = (before.last_mut(), after.first_mut()) else {
                return;
            };
            let mut used = after.from.clone();
            used.sort_unstable();
            used.dedup();
            if used.len() == before.from.len() {
                return;
            }
            for from in &mut after.from {
                *from = used.partition_point(|path| path < from) as u32;
            }
            before.keep(&used);
        }
    }

    /// Returns, for each path that leads to a particle, the values in all parts of the sequence, in order.
    pub(super) fn all(&self) -> Vec<Vec<T>> {
        let paths = 0..self.rows.len();
        let length = self
            .segments
            .iter()
            .map(|segment| segment.trajectory_len)
            .sum();
        let path = |path: usize| {
            let mut places = Vec::with_capacity(self.segments.len());
            let mut at = path;
            for segment in self.segments.iter().rev() {
                places.push(at);
                at = segment.from[at] as usize;
            }
            let mut values = Vec::with_capacity(length);
            for (segment, at) in self.segments.iter().zip(places.into_iter().rev()) {
                let all = segment.values.chunks_exact(segment.from.len());
                values.extend(all.map(|of_paths| of_paths[at].clone()));
            }
            values
        };
        paths.map(path).collect()
    }
}

impl<T: Clone> Segment<T> {
    fn keep(&mut self, paths: &[u32]) {
        let mut values = Vec::with_capacity(self.trajectory_len * paths.len());
        for of_paths in self.values.chunks_exact(self.from.len().max(1)) {
            values.extend(paths.iter().map(|&path| of_paths[path as usize].clone()));
        }
        self.values = values;
        self.from = paths.iter().map(|&path| self.from[path as usize]).collect();
    }
}
