//! Partitions into disjoint sets that can be joined.

/// A partition of the numbers from zero on into disjoint sets that can be joined (union-find).
#[derive(Clone, Debug)]
pub struct DisjointSets(Vec<usize>);

impl DisjointSets {
    /// Creates `count` sets of one number each.
    pub fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// Returns the smallest number in the set of `number`, and shortens the path to it.
    pub fn root(&mut self, mut number: usize) -> usize {
        while self.0[number] != number {
            self.0[number] = self.0[self.0[number]];
            number = self.0[number];
        }
        number
    }

    /// Joins the sets of two numbers; returns `false` if both numbers are in the same set already.
    pub fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
        a != b
    }
}
