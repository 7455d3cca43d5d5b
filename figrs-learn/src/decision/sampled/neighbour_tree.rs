//! A k-d tree, which finds the nearest points without examining all points.

/// Maximum number of points in a leaf of the tree; a search examines the points of a leaf one by one.
const LEAF: usize = 16;

/// Points in the order of a k-d tree. The median point of each range splits the range by one coordinate. Earlier points of the range have a smaller
/// or equal coordinate, and later points have a larger or equal coordinate.
///
/// **Complexity.** Building the tree takes *n* log² *n* steps for *n* points; with few coordinates, a search examines only a
/// few more points than it returns.
///
/// **References.** Bentley (1975), "Multidimensional binary search trees used for associative searching".
#[derive(Clone, Debug)]
pub(super) struct NeighbourTree {
    /// The coordinates of all points, one point after another. The points are listed in the order of the k-d tree.
    points: Vec<f64>,
    dimensions: usize,
    /// For each point, its index in the input. The points are listed in the order of the k-d tree.
    numbers: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct FoundPoint {
    distance: f64,
    number: u32,
}

/// A range of points in the tree that a search still has to examine.
struct OpenRange {
    from: usize,
    to: usize,
    /// Index of the coordinate by which the range of points is split.
    axis: usize,
    /// Lower bound of the squared distances from the query point to the points of the range.
    least: f64,
}

impl NeighbourTree {
    /// Builds the k-d tree of points with `dimensions` coordinates; no coordinate may be NaN.
    pub(super) fn new(points: &[f64], dimensions: usize) -> Self {
        let count = points.len().checked_div(dimensions).unwrap_or(0);
        let mut numbers: Vec<u32> = (0..count as u32).collect();
        let mut open = vec![(0, count, 0)];
        while let Some((from, to, axis)) = open.pop() {
            if to - from <= LEAF {
                continue;
            }
            let middle = usize::midpoint(from, to);
            let at = |number: u32| points[number as usize * dimensions + axis];
            numbers[from..to].select_nth_unstable_by(middle - from, |&a, &b| {
                at(a).total_cmp(&at(b)).then(a.cmp(&b))
            });
            let next = (axis + 1) % dimensions;
            open.extend([(from, middle, next), (middle + 1, to, next)]);
        }
        let point = |&number: &u32| {
            let start = number as usize * dimensions;
            points[start..start + dimensions].iter().copied()
        };
        Self {
            points: numbers.iter().flat_map(point).collect(),
            dimensions,
            numbers,
        }
    }

    /// Returns the indices, in any order, of the `count` points nearest to the point `to`, or of all points if the tree has fewer points. Of several
    /// points at equal distance, the points that come first in the input are preferred.
    pub(super) fn nearest(&self, to: &[f64], count: usize) -> Vec<u32> {
        let mut nearest = NearestPoints {
            found: Vec::with_capacity(2 * count.min(self.numbers.len())),
            count,
            most: f64::INFINITY,
        };
        let mut open = vec![OpenRange {
            from: 0,
            to: self.numbers.len(),
            axis: 0,
            least: 0.0,
        }];
        while let Some(range) = open.pop() {
            if range.least > nearest.most {
                continue;
            }
            if range.to - range.from <= LEAF {
                for place in range.from..range.to {
                    nearest.see(self.point(place, to));
                }
                continue;
            }
            let middle = usize::midpoint(range.from, range.to);
            nearest.see(self.point(middle, to));
            let beyond = to[range.axis] - self.points[middle * self.dimensions + range.axis];
            let axis = (range.axis + 1) % self.dimensions;
            let half = |(from, to): (usize, usize), least| OpenRange {
                from,
                to,
                axis,
                least,
            };
            let [before, after] = [(range.from, middle), (middle + 1, range.to)];
            let [near, far] = if beyond < 0.0 {
                [before, after]
            } else {
                [after, before]
            };
            open.push(half(far, range.least.max(beyond * beyond)));
            open.push(half(near, range.least));
        }
        nearest.keep();
        let numbers = nearest.found.into_iter().map(|found| found.number);
        numbers.collect()
    }

    /// Returns the point with the index `place` in the order of the k-d tree, and its squared distance from the point `to`.
    fn point(&self, place: usize, to: &[f64]) -> FoundPoint {
        let point = &self.points[place * self.dimensions..][..self.dimensions];
        let squares = point.iter().zip(to).map(|(a, b)| (a - b) * (a - b));
        FoundPoint {
            distance: squares.sum(),
            number: self.numbers[place],
        }
    }
}

/// The nearest points that a search has found so far, and some farther points. Whenever twice the required number of points is stored, the half that
/// is farther away is dropped.
struct NearestPoints {
    found: Vec<FoundPoint>,
    count: usize,
    /// Squared distance from the query beyond which a point is not among the nearest points.
    most: f64,
}

impl NearestPoints {
    fn see(&mut self, point: FoundPoint) {
        if point.distance <= self.most {
            self.found.push(point);
            if self.found.len() == 2 * self.count {
                self.keep();
            }
        }
    }

    fn keep(&mut self) {
        if self.found.len() > self.count {
            let last = self.count - 1;
            let by = |a: &FoundPoint, b: &FoundPoint| {
                let distance = a.distance.total_cmp(&b.distance);
                distance.then(a.number.cmp(&b.number))
            };
            let (_, farthest, _) = self.found.select_nth_unstable_by(last, by);
            self.most = farthest.distance;
            self.found.truncate(self.count);
        }
    }
}

#[cfg(test)]
mod tests {
    use figrs_core::stream;
    use rand::RngExt;

    use super::*;

    /// A test compares the distances of the points that a search returns with the sorted distances of all points. Some points in this test have equal
    /// coordinates.
    #[test]
    fn nearest_points_are_those_of_a_full_search() {
        for seed in 0..2000 {
            let mut rng = stream(seed, 0);
            let (size, dimensions) = (rng.random_range(0..400), rng.random_range(1..5));
            let count = rng.random_range(1..40);
            let mut coordinate = || f64::from(rng.random_range(-20..20i32)) / 4.0;
            let points: Vec<f64> = (0..size * dimensions).map(|_| coordinate()).collect();
            let to: Vec<f64> = (0..dimensions).map(|_| coordinate()).collect();
            let mut found = NeighbourTree::new(&points, dimensions).nearest(&to, count);
            found.sort_unstable();
            let distance = |number: usize| -> f64 {
                let point = &points[number * dimensions..][..dimensions];
                point.iter().zip(&to).map(|(a, b)| (a - b) * (a - b)).sum()
            };
            let mut all: Vec<usize> = (0..size).collect();
            all.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            let nearest = all[..count.min(size)].iter();
            let mut expected: Vec<u32> = nearest.map(|&number| number as u32).collect();
            expected.sort_unstable();
            assert_eq!(found, expected, "seed {seed}");
        }
    }
}
