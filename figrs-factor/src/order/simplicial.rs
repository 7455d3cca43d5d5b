//! Elimination of simplicial and almost simplicial vertices, which precedes the search for an order.

use super::interaction_graph::{DISCOUNT, InteractionGraph, bits, power};

impl InteractionGraph {
    /// Eliminates simplicial vertices, and almost simplicial vertices with a clique of at most `cheap` joint values. Adds the eliminated vertices to
    /// `order`, and returns the total cost of their elimination.
    ///
    /// **Guarantee.** Each vertex that `reduce` eliminates adds at most the size of its own clique to the cost of the best order. After the
    /// elimination of a simplicial vertex, a subgraph of the graph remains. The elimination of a simplicial vertex adds nothing to the cost, unless a
    /// larger clique would otherwise absorb the clique of the vertex. In small random graphs, the early elimination of simplicial vertices increases
    /// the cost by a third of a percent on average. All neighbours of an almost simplicial vertex except one are pairwise adjacent. An almost
    /// simplicial vertex is eliminated only if its one exceptional neighbour does not have more values than the vertex. The contraction of an almost
    /// simplicial vertex into its one exceptional neighbour makes no clique larger. A vertex is not eliminated before the search if the zeros of its
    /// tables predict a lower cost for a later elimination.
    ///
    /// **Complexity.** Each round of the reduction tests all pairs of neighbours of a vertex for adjacency.
    ///
    /// **References.** Bodlaender, Koster and van den Eijkhof, *Preprocessing rules for triangulation of probabilistic
    /// networks*, Computational Intelligence 21(3), 2005; van den Eijkhof, Bodlaender and Koster, *Safe reduction rules
    /// for weighted treewidth*, Algorithmica 47, 2007.
    pub(super) fn reduce(&mut self, cheap: f64, order: &mut Vec<u32>) -> f64 {
        let mut price = 0.0;
        loop {
            while let Some(v) = self.ready.pop() {
                if self.is_simplicial(v) && self.is_dense(v) {
                    price += self.eliminate(v, order);
                }
            }
            let (mut i, before) = (0, order.len());
            while let Some(&v) = self.left.get(i) {
                let is_cheap = power(self.size[v as usize]) <= cheap && self.is_dense(v);
                if is_cheap && self.is_almost_simplicial(v) {
                    price += self.eliminate(v, order);
                }
                i += 1;
            }
            if order.len() == before {
                return price;
            }
        }
    }

    /// True if the zeros of the tables of `v` are predicted to save no more than the factor `DISCOUNT`.
    fn is_dense(&self, v: u32) -> bool {
        self.joint(v) + DISCOUNT >= self.size[v as usize]
    }

    /// True if all neighbours of `v` except one are pairwise adjacent, and this one neighbour has no more values than `v`.
    fn is_almost_simplicial(&mut self, v: u32) -> bool {
        let own = self.row(v);
        let (fill, card) = (self.fill[v as usize], self.weights[v as usize].card);
        let mut looked_at = 0;
        let found = bits(own).any(|u| {
            looked_at += own.len();
            let rows = own.iter().zip(self.row(u));
            let apart: u32 = rows.map(|(x, y)| (x & !y).count_ones()).sum();
            // The bit of `u` is in the row of `v`, but not in the row of `u`.
            apart == fill + 1 && self.weights[u as usize].card <= card
        });
        self.work += looked_at as u64;
        found
    }

    /// Returns the graph of the vertices that have not been eliminated, with new indices, and the old index of each vertex.
    pub(super) fn compact(&self) -> (Self, Vec<u32>) {
        let mut names = self.left.clone();
        names.sort_unstable();
        let free = names.len();
        let mut renamed = vec![u32::MAX; self.weights.len()];
        for (i, &v) in names.iter().enumerate() {
            renamed[v as usize] = i as u32;
        }
        let mut edges: Vec<[u32; 2]> = Vec::new();
        for i in 0..free {
            for u in bits(self.row(names[i])) {
                if renamed[u as usize] == u32::MAX {
                    renamed[u as usize] = names.len() as u32;
                    names.push(u);
                }
                edges.push([i as u32, renamed[u as usize]]);
            }
        }
        for (i, &v) in names.iter().enumerate().skip(free) {
            let others = bits(self.row(v)).map(|u| renamed[u as usize]);
            edges.extend(others.filter(|&u| u != u32::MAX).map(|u| [i as u32, u]));
        }
        let weights = names.iter().map(|&v| self.weights[v as usize]).collect();
        let mut core = Self::new(weights, free, edges.iter().map(<[u32; 2]>::as_slice));
        for (scope, density) in self.densities.remaining() {
            let scope = scope.iter().map(|&v| renamed[v as usize]);
            let scope: Vec<u32> = scope.filter(|&v| v != u32::MAX).collect();
            core.densities.add(scope, density, names.len());
        }
        (core, names)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::order::interaction_graph::tests::random;
    use crate::order::window::Window;

    fn optimum(core: &InteractionGraph) -> f64 {
        let mask = |v| bits(core.row(v)).fold(0, |mask, u| mask | 1u128 << u);
        let near = core.left.iter().map(|&v| mask(v)).collect();
        let logs = core.weights.iter().map(|weight| weight.log).collect();
        let window = Window::new(near, Vec::new(), logs);
        let (order, _) = window.best(f64::INFINITY);
        let (mut gone, mut price) = (0, 0.0);
        for v in order.expect("no bound") {
            let (bag, is_taken) = window.bag(v, gone);
            gone |= 1 << v;
            price += if is_taken { 0.0 } else { window.clique(v, bag) };
        }
        price
    }

    #[test]
    fn simplicial_vertices_cost_little() {
        let (mut more, mut excess) = (0, 0.0);
        for seed in 0..300 {
            let mut core = random(9, 8, 11, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
            let before = optimum(&core);
            let mut order = Vec::new();
            let price = core.reduce(0.0, &mut order);
            let rest = optimum(&core.compact().0);
            assert!(rest <= before * (1.0 + 1e-9), "seed {seed}");
            excess += (price + rest) / before - 1.0;
            more += usize::from(price + rest > before * (1.0 + 1e-9));
        }
        assert_eq!(more, 51);
        assert!(excess < 300.0 * 0.004, "{excess}");
    }

    #[test]
    fn almost_simplicial_vertices_cost_their_cliques_at_most() {
        let mut found = 0;
        for seed in 0..300 {
            let mut core = random(9, 8, 14, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
            core.reduce(0.0, &mut Vec::new());
            let mut core = core.compact().0;
            let before = optimum(&core);
            let almost = (0..core.left.len()).find(|&i| core.is_almost_simplicial(core.left[i]));
            if let Some(i) = almost {
                let price = core.eliminate(core.left[i], &mut Vec::new());
                assert!(
                    optimum(&core.compact().0) <= before * (1.0 + 1e-9),
                    "seed {seed}"
                );
                assert!(price > 0.0);
                found += 1;
            }
        }
        assert!(found > 100, "{found}");
    }
}
