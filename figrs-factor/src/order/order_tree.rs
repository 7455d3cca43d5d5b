//! The elimination tree of an elimination order, and local improvement of the order.

use super::interaction_graph::{FixedPoint, InteractionGraph, bits, power};
use super::window::Window;

const NONE: u32 = u32::MAX;

/// Predicted number of memory words that are read for one elimination, when a few buckets are reordered.
const WORK_PER_BAG: u64 = 12;
/// The cheapest buckets are not improved if they together cost less than this fraction of the total cost.
const NEGLIGIBLE: f64 = 0.01;
/// A local change of the order is accepted if the ratio of the new cost to the old cost is at most this number, so that the saving exceeds rounding
/// errors.
const MAX_PRICE_RATIO: f64 = 1.0 - 1e-9;

/// Elimination tree of an elimination order, with the bag of each vertex (its neighbours when it is eliminated).
pub(super) struct BagTree<'a> {
    graph: &'a InteractionGraph,
    words: usize,
    bags: Vec<u64>,
    /// For each vertex, its parent: the vertex of its bag that is eliminated first.
    parent: Vec<u32>,
    children: Vec<Vec<u32>>,
    /// For each vertex, the number of joint values of the vertex and its bag (its neighbours when it is eliminated).
    clique: Vec<f64>,
    /// For each vertex, the number of entries of its joint table: the number of joint values of the vertex and its bag, or zero if an earlier bucket
    /// absorbs the vertex.
    price: Vec<f64>,
    pub(super) work: u64,
}

impl<'a> BagTree<'a> {
    /// Builds the elimination tree of `order`, a list of all vertices to be eliminated.
    ///
    /// **Complexity.** The algorithm computes a row of bits for each vertex, but no fill-in.
    pub(super) fn new(core: &'a InteractionGraph, order: &[u32]) -> Self {
        let n = core.weights.len();
        let words = n.div_ceil(64);
        let mut tree = Self {
            graph: core,
            words,
            bags: vec![0; n * words],
            parent: vec![NONE; n],
            children: vec![Vec::new(); n],
            clique: vec![0.0; n],
            price: vec![0.0; n],
            work: (n * words) as u64,
        };
        let mut rank = vec![NONE; n];
        for (i, &v) in order.iter().enumerate() {
            rank[v as usize] = i as u32;
        }
        let mut gone = vec![0u64; words];
        for &v in order {
            gone[v as usize / 64] |= 1 << (v % 64);
            let mut bag = core.row(v).to_vec();
            for &c in &tree.children[v as usize] {
                for (x, y) in bag.iter_mut().zip(tree.bag(c)) {
                    *x |= y;
                }
            }
            for (x, g) in bag.iter_mut().zip(&gone) {
                *x &= !g;
            }
            let logs = bits(&bag).map(|u| core.weights[u as usize].log);
            let size = core.weights[v as usize].log + logs.sum::<FixedPoint>();
            let is_taken = tree.is_absorbed(v, &bag);
            let parent = bits(&bag).min_by_key(|&u| rank[u as usize]);
            let parent = parent.filter(|&u| rank[u as usize] != NONE);
            tree.bags[v as usize * words..][..words].copy_from_slice(&bag);
            tree.place(v, size, is_taken, parent.unwrap_or(NONE));
        }
        tree
    }

    /// True if the bucket of a child in the elimination tree absorbs `v`, because the message of the child contains `v` and all of `bag`.
    fn is_absorbed(&self, v: u32, bag: &[u64]) -> bool {
        let more = count(bag) + 1;
        let mut children = self.children[v as usize].iter();
        children.any(|&c| count(self.bag(c)) == more)
    }

    fn place(&mut self, v: u32, size: FixedPoint, is_taken: bool, parent: u32) {
        let clique = power(size);
        self.clique[v as usize] = clique;
        self.price[v as usize] = if is_taken { 0.0 } else { clique };
        self.parent[v as usize] = parent;
        if parent != NONE {
            self.children[parent as usize].push(v);
        }
    }

    fn bag(&self, v: u32) -> &[u64] {
        &self.bags[v as usize * self.words..][..self.words]
    }

    pub(super) fn total(&self) -> f64 {
        self.price.iter().sum()
    }

    /// Returns an elimination order that has this elimination tree: children precede their parents, and a child that absorbs its parent directly
    /// precedes it.
    pub(super) fn order(&self, vertices: &[u32]) -> Vec<u32> {
        let is_root = |v: &&u32| self.parent[**v as usize] == NONE;
        let mut stack: Vec<u32> = vertices.iter().filter(is_root).copied().collect();
        let mut order = Vec::with_capacity(vertices.len());
        while let Some(v) = stack.pop() {
            order.push(v);
            let from = stack.len();
            stack.extend(&self.children[v as usize]);
            let more = count(self.bag(v)) + 1;
            let taker = stack[from..]
                .iter()
                .position(|&c| count(self.bag(c)) == more);
            if let Some(place) = taker {
                let last = stack.len() - 1;
                stack.swap(from + place, last);
            }
        }
        order.reverse();
        order
    }

    /// Replaces the order of up to `width` buckets around each bucket by their best order. Buckets with a high cost are reordered first, and buckets
    /// with a negligible cost are skipped. Returns `true` if the elimination tree changed.
    ///
    /// **Guarantee.** The order within a connected subset of the elimination tree does not influence the bags of other vertices. A better order
    /// within a connected subset lowers the cost of the subset. The total cost of the order may nevertheless rise, because the bucket above a
    /// reordered subset may no longer be absorbed by a bucket of the subset. Because a reordered subset may raise the total cost, the caller compares
    /// the total costs before and after the improvement.
    pub(super) fn improve(&mut self, vertices: &[u32], width: usize, end: u64) -> bool {
        let least = self.total() * NEGLIGIBLE / vertices.len() as f64;
        let dear = |v: &&u32| self.price[**v as usize] > least;
        let mut dearest: Vec<u32> = vertices.iter().filter(dear).copied().collect();
        let price = |v: u32| self.price[v as usize];
        dearest.sort_by(|&a, &b| price(b).total_cmp(&price(a)).then(a.cmp(&b)));
        let mut changed = false;
        for v in dearest {
            if self.work > end {
                break;
            }
            let few = self.connected_part(v, width);
            if few.len() > 2 {
                changed |= self.improve_part(&few);
            }
        }
        changed
    }

    /// Returns a connected subset of the tree, which starts with `v` and grows by the adjacent vertex with the largest clique.
    fn connected_part(&self, v: u32, width: usize) -> Vec<u32> {
        let clique = |v: u32| self.clique[v as usize];
        let (mut few, mut near) = (vec![v], Vec::new());
        let mut last = v;
        while few.len() < width {
            let parent = self.parent[last as usize];
            near.extend(self.children[last as usize].iter().chain([&parent]));
            near.retain(|u| *u != NONE && !few.contains(u));
            let best = near
                .iter()
                .max_by(|&&a, &&b| clique(a).total_cmp(&clique(b)).then(b.cmp(&a)));
            let Some(&best) = best else { break };
            few.push(best);
            last = best;
        }
        few
    }

    /// Reorders `few`, a connected subset of the elimination tree, if another order has a lower cost; returns `true` if the order changed.
    fn improve_part(&mut self, few: &[u32]) -> bool {
        let is_top = |v: &&u32| !few.contains(&self.parent[**v as usize]);
        let Some(&top) = few.iter().find(is_top) else {
            return false;
        };
        let mut local = few.to_vec();
        local.extend(bits(self.bag(top)));
        if local.len() > Window::MAX_VERTICES {
            return false;
        }
        let children = few.iter().flat_map(|&v| &self.children[v as usize]);
        let below: Vec<u32> = children.filter(|c| !few.contains(c)).copied().collect();
        self.work += ((few.len() + below.len()) * local.len()) as u64;
        let window = self.window(few, &local, &below);
        let price: f64 = few.iter().map(|&v| self.price[v as usize]).sum();
        let (order, looked_at) = window.best(price * MAX_PRICE_RATIO);
        self.work += looked_at * WORK_PER_BAG;
        if let Some(order) = &order {
            self.rearrange(&window, &local, top, order);
            self.attach_below(&window, &local, &below, order);
        }
        order.is_some()
    }

    /// Creates the subproblem (window) in which only the order of the vertices `few` is changed. `local` lists `few` and the vertices of their bags;
    /// `below` lists the children of `few` that are not in `few`.
    fn window(&self, few: &[u32], local: &[u32], below: &[u32]) -> Window {
        let mask = |row: &[u64]| {
            let bit = |&u: &u32| u128::from(row[u as usize / 64] >> (u % 64) & 1);
            local.iter().rev().fold(0, |mask, u| mask << 1 | bit(u))
        };
        Window::new(
            few.iter().map(|&v| mask(self.graph.row(v))).collect(),
            below.iter().map(|&c| mask(self.bag(c))).collect(),
            local
                .iter()
                .map(|&u| self.graph.weights[u as usize].log)
                .collect(),
        )
    }

    /// Applies a new order to the vertices of a window; `top` is the uppermost of these vertices in the old tree.
    fn rearrange(&mut self, window: &Window, local: &[u32], top: u32, order: &[usize]) {
        let above = self.parent[top as usize];
        if above != NONE {
            self.children[above as usize].retain(|&c| c != top);
        }
        for &i in order {
            self.children[local[i] as usize].clear();
        }
        let mut gone = 0;
        for (rank, &i) in order.iter().enumerate() {
            let v = local[i];
            let (bag, is_taken) = window.bag(i, gone);
            gone |= 1 << i;
            let row = &mut self.bags[v as usize * self.words..][..self.words];
            row.fill(0);
            let mut size = window.logs[i];
            for (j, &u) in local.iter().enumerate() {
                if bag >> j & 1 == 1 {
                    row[u as usize / 64] |= 1 << (u % 64);
                    size += window.logs[j];
                }
            }
            let next = order[rank + 1..].iter().find(|&&j| bag >> j & 1 == 1);
            let parent = next.map_or(above, |&j| local[j]);
            self.place(v, size, is_taken, parent);
        }
        if above != NONE {
            let is_taken = self.is_absorbed(above, self.bag(above));
            let clique = self.clique[above as usize];
            self.price[above as usize] = if is_taken { 0.0 } else { clique };
        }
    }

    /// Attaches each subtree below a window to the vertex of the window that is eliminated first of the vertices in the message of the subtree.
    fn attach_below(&mut self, window: &Window, local: &[u32], below: &[u32], order: &[usize]) {
        for (&c, &message) in below.iter().zip(&window.messages) {
            if let Some(&j) = order.iter().find(|&&j| message >> j & 1 == 1) {
                self.parent[c as usize] = local[j];
                self.children[local[j] as usize].push(c);
            }
        }
    }
}

fn count(row: &[u64]) -> usize {
    row.iter().map(|word| word.count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::order::greedy::{GreedyCriterion, ScoreNoise, greedy};
    use crate::order::interaction_graph::tests::random;

    #[test]
    fn improved_trees_are_those_of_their_orders() {
        let mut improved = 0;
        for seed in 0..60 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let n = 10 + seed as usize;
            let mut core = random(n, n - n / 10, 2 * n, &mut rng);
            let mut start = InteractionGraph::default();
            start.copy_from(&core);
            let (noise, mut order) = (ScoreNoise::none(n), Vec::new());
            let price = greedy(
                &mut core,
                GreedyCriterion::Size,
                &noise,
                f64::INFINITY,
                &mut order,
            );
            let mut tree = BagTree::new(&start, &order);
            let before = tree.total();
            // The tree may absorb a bucket that the order does not absorb; the cost of the tree is then lower.
            assert!(before <= price.expect("no limit") * (1.0 + 1e-9));
            for width in [3, 6, 9] {
                while tree.improve(&start.left, width, u64::MAX) {
                    let fresh = BagTree::new(&start, &tree.order(&start.left));
                    assert_eq!(fresh.bags, tree.bags, "seed {seed}");
                    let totals = [fresh.total(), tree.total()];
                    assert!((totals[0] / totals[1] - 1.0).abs() < 1e-9, "seed {seed}");
                }
            }
            let after = BagTree::new(&start, &tree.order(&start.left)).total();
            improved += usize::from(after < before * 0.999);
        }
        assert!(improved > 20, "{improved}");
    }
}
