//! Exact optimisation of the elimination order of a few vertices, by dynamic programming over subsets.

use super::interaction_graph::{FixedPoint, power};

/// A subproblem of an elimination order: a few vertices to be eliminated, and the vertices around them.
///
/// A set of vertices is a number with a bit for each vertex; the lowest bits stand for the vertices to be eliminated.
pub(super) struct Window {
    /// For each vertex to be eliminated, the set of its neighbours.
    pub(super) near: Vec<u128>,
    /// The scopes of the messages of earlier buckets.
    pub(super) messages: Vec<u128>,
    pub(super) logs: Vec<FixedPoint>,
}

impl Window {
    /// Maximum number of vertices of a window, including the vertices around the vertices to be eliminated.
    pub(super) const MAX_VERTICES: usize = u128::BITS as usize;

    /// Creates the subproblem in which the vertices of each message of `messages` are adjacent.
    pub(super) fn new(near: Vec<u128>, messages: Vec<u128>, logs: Vec<FixedPoint>) -> Self {
        let mut this = Self {
            near,
            messages,
            logs,
        };
        for &message in &this.messages {
            for (i, near) in this.near.iter_mut().enumerate() {
                if message >> i & 1 == 1 {
                    *near |= message & !(1 << i);
                }
            }
        }
        this
    }

    /// Returns the bag of `v` (the neighbours of `v` after the elimination of the vertices `gone`). The second result is `true` if an earlier bucket
    /// absorbs `v`, because the message of that bucket contains `v` and its bag.
    pub(super) fn bag(&self, v: usize, gone: u128) -> (u128, bool) {
        let mut bag = self.near[v] & !gone;
        let mut unseen = self.near[v] & gone;
        let mut hidden = gone;
        let mut parts = Vec::new();
        while unseen != 0 {
            // A connected group of eliminated vertices makes one message.
            let mut part = 0u128;
            let mut next = unseen & unseen.wrapping_neg();
            while next != 0 {
                let u = next.trailing_zeros() as usize;
                hidden &= !(1 << u);
                part |= self.near[u];
                next = part & hidden;
            }
            unseen &= hidden;
            part &= !gone;
            bag |= part;
            parts.push(part);
        }
        bag &= !(1 << v);
        let clique = bag | 1 << v;
        let is_taken = parts.contains(&clique) || self.messages.contains(&clique);
        (bag, is_taken)
    }

    pub(super) fn clique(&self, v: usize, bag: u128) -> f64 {
        let (mut size, mut rest) = (self.logs[v], bag);
        while rest != 0 {
            size += self.logs[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        power(size)
    }

    /// Returns the cheapest elimination order of the vertices if its cost is less than `bound`, and the number of examined eliminations.
    ///
    /// **Complexity.** The time is at most the number of subsets of the vertices with a cost below `bound`, times the number of vertices. The graph
    /// after the elimination of a set of vertices does not depend on their order; therefore the dynamic program has one state for each subset.
    ///
    /// **References.** Bodlaender, Fomin, Koster, Kratsch and Thilikos, *On exact algorithms for treewidth*, ACM
    /// Transactions on Algorithms 9(1), 2012.
    pub(super) fn best(&self, bound: f64) -> (Option<Vec<usize>>, u64) {
        let k = self.near.len();
        let full = (1usize << k) - 1;
        let mut price = vec![f64::INFINITY; full + 1];
        let mut last = vec![0; full + 1];
        let mut looked_at = 0;
        price[0] = 0.0;
        for gone in 0..full {
            let so_far = price[gone];
            if so_far >= bound.min(price[full]) {
                continue;
            }
            for v in (0..k).filter(|v| gone >> v & 1 == 0) {
                let next = gone | 1 << v;
                if so_far >= price[next] {
                    continue;
                }
                looked_at += 1;
                let (bag, is_taken) = self.bag(v, gone as u128);
                let more = if is_taken { 0.0 } else { self.clique(v, bag) };
                if so_far + more < price[next] {
                    price[next] = so_far + more;
                    last[next] = v;
                }
            }
        }
        if price[full] >= bound {
            return (None, looked_at);
        }
        let mut order = Vec::with_capacity(k);
        let mut gone = full;
        while gone != 0 {
            order.push(last[gone]);
            gone &= !(1 << last[gone]);
        }
        order.reverse();
        (Some(order), looked_at)
    }
}
