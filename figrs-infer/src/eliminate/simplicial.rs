//! Vertices that may go first whatever comes after.

use super::core_graph::{Core, DISCOUNT, bits};
use super::fixed::power;

impl Core {
    /// Eliminates simplicial vertices, and almost simplicial ones whose clique has at most `cheap` joint values; adds
    /// them to `order` and returns their price.
    ///
    /// **Guarantee.** Some best order begins with the simplicial vertices. An almost simplicial vertex (all its
    /// neighbours but one meet) that has at least as many values as that one neighbour costs at most its own clique
    /// more than the best order: contracting it into the neighbour does not make any clique larger. Vertices whose
    /// tables promise zeros worth having are left alone.
    ///
    /// **Complexity.** For each round of almost simplicial vertices found, the pairs of neighbours.
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

    /// Whether the tables of `v` promise no zeros worth having.
    fn is_dense(&self, v: u32) -> bool {
        self.joint(v) + DISCOUNT >= self.size[v as usize]
    }

    /// Whether all neighbours of `v` meet but for one that has no more values than `v`.
    fn is_almost_simplicial(&mut self, v: u32) -> bool {
        let own = self.row(v);
        let (fill, card) = (self.fill[v as usize], self.weights[v as usize].card);
        let mut looked_at = 0;
        let found = bits(own).any(|u| {
            looked_at += own.len();
            let rows = own.iter().zip(self.row(u));
            let apart: u32 = rows.map(|(x, y)| (x & !y).count_ones()).sum();
            // The neighbour itself is none of its own neighbours.
            apart == fill + 1 && self.weights[u as usize].card <= card
        });
        self.work += looked_at as u64;
        found
    }

    /// The graph of what is left, and the old names of its vertices.
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
        for (scope, density) in self.densities.left() {
            let scope = scope.iter().map(|&v| renamed[v as usize]);
            let scope: Vec<u32> = scope.filter(|&v| v != u32::MAX).collect();
            core.densities.add(scope, density, names.len());
        }
        (core, names)
    }
}
