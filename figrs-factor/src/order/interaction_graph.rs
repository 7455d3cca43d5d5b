//! Interaction graph of a component during a symbolic elimination, stored as an adjacency matrix of bits, and the predicted densities of tables.
//!
//! Sizes are stored as logarithms in fixed-point integers, so that a sum does not depend on the order of its terms, and subtraction is exact.

/// A base-2 logarithm as a fixed-point number, in units of `1 / ONE`.
pub(super) type FixedPoint = i64;

/// The number one (the base-2 logarithm of two) as a fixed-point number.
pub(super) const ONE: FixedPoint = 1 << 20;

pub(super) fn fixed(log: f64) -> FixedPoint {
    (log * ONE as f64).round() as FixedPoint
}

pub(super) fn power(log: FixedPoint) -> f64 {
    (log as f64 / ONE as f64).exp2()
}

/// Base-2 logarithm of a discount, by which the predicted reduction of a cost by zeros is divided when elimination orders are compared. The predicted
/// effect of zeros is discounted because the prediction multiplies fractions of non-zero entries as if they were independent, and because entries of
/// sparse tables take more time.
pub(super) const DISCOUNT: FixedPoint = 3 * ONE;

const NO_PLACE: u32 = u32::MAX;

/// The weight of a vertex: the cardinality of its variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct VertexWeight {
    pub(super) card: f64,
    pub(super) log: FixedPoint,
}

/// An interaction graph from which vertices are eliminated; each elimination updates the fill-in and the clique size of the remaining vertices.
#[derive(Debug, Default)]
pub(super) struct InteractionGraph {
    words: usize,
    pub(super) weights: Vec<VertexWeight>,
    rows: Vec<u64>,
    /// The vertices of the interaction graph that have not been eliminated and may be eliminated.
    pub(super) left: Vec<u32>,
    /// For each vertex, its index in `left`, the list of remaining vertices.
    places: Vec<u32>,
    /// For each vertex, the logarithm of the number of joint values of the vertex and its neighbours.
    pub(super) size: Vec<FixedPoint>,
    /// For each vertex, its fill-in: the number of pairs of its neighbours that are not adjacent.
    pub(super) fill: Vec<u32>,
    /// For each vertex, its weighted fill-in: the sum, over the pairs of non-adjacent neighbours, of the number of joint values of the pair.
    /// Eliminations update the weighted fill-in only if `weighted` is `true`.
    heavy_fill: Vec<f64>,
    weighted: bool,
    pub(super) densities: Densities,
    /// Vertices whose fill-in may have become zero.
    pub(super) ready: Vec<u32>,
    /// Number of memory words that the search has read.
    pub(super) work: u64,
    around: Vec<u64>,
    members: Vec<u32>,
    group: Vec<u32>,
}

impl InteractionGraph {
    /// Creates a graph in which the vertices of each table are adjacent; only the first `free` vertices may be eliminated.
    pub(super) fn new<'t>(
        weights: Vec<VertexWeight>,
        free: usize,
        tables: impl Iterator<Item = &'t [u32]>,
    ) -> Self {
        let n = weights.len();
        let words = n.div_ceil(64);
        let place = |v| if v < free { v as u32 } else { NO_PLACE };
        let mut core = Self {
            words,
            rows: vec![0; n * words],
            left: (0..free as u32).collect(),
            places: (0..n).map(place).collect(),
            size: weights.iter().map(|w| w.log).collect(),
            fill: vec![0; n],
            heavy_fill: vec![0.0; n],
            around: vec![0; words],
            // If all weights are equal, the weighted fill-in is a multiple of the fill-in.
            weighted: weights.windows(2).any(|pair| pair[0].log != pair[1].log),
            weights,
            ..Self::default()
        };
        for scope in tables {
            if let &[a, b] = scope {
                core.rows[a as usize * words + b as usize / 64] |= 1 << (b % 64);
                core.rows[b as usize * words + a as usize / 64] |= 1 << (a % 64);
                continue;
            }
            core.around.fill(0);
            for &v in scope {
                core.around[v as usize / 64] |= 1 << (v % 64);
            }
            for &v in scope {
                let row = &mut core.rows[v as usize * words..][..words];
                for (x, y) in row.iter_mut().zip(&core.around) {
                    *x |= y;
                }
                row[v as usize / 64] &= !(1 << (v % 64));
            }
        }
        core.count();
        core
    }

    fn count(&mut self) {
        let mut members = Vec::new();
        for v in 0..self.weights.len() {
            members.clear();
            members.extend(bits(self.row(v as u32)));
            let (mut missing, mut heavy) = (0, 0.0);
            for &a in &members {
                let weight = self.weights[a as usize];
                let apart = self.difference(v, a as usize);
                missing += apart.0 - 1;
                heavy += (apart.1 - weight.card) * weight.card;
                self.size[v] += weight.log;
            }
            self.work += (members.len() * self.words) as u64;
            // The loop counted each pair twice.
            self.fill[v] = missing / 2;
            self.heavy_fill[v] = heavy / 2.0;
            if missing == 0 {
                self.ready.push(v as u32);
            }
        }
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.words = other.words;
        self.weights.clone_from(&other.weights);
        self.rows.clone_from(&other.rows);
        self.left.clone_from(&other.left);
        self.places.clone_from(&other.places);
        self.size.clone_from(&other.size);
        self.fill.clone_from(&other.fill);
        self.heavy_fill.clone_from(&other.heavy_fill);
        self.weighted = other.weighted;
        self.around.clone_from(&other.around);
        self.ready.clone_from(&other.ready);
        self.densities.copy_from(&other.densities);
        self.work += (other.rows.len() + 4 * other.weights.len()) as u64;
    }

    pub(super) fn forget_weights(&mut self) {
        self.weighted = false;
    }

    /// Returns the weighted fill-in of `v`: the sum, over the pairs of non-adjacent neighbours, of the number of joint values of the pair.
    pub(super) fn heavy_fill(&self, v: u32) -> f64 {
        if self.weighted {
            self.heavy_fill[v as usize]
        } else {
            f64::from(self.fill[v as usize])
        }
    }

    pub(super) fn is_remaining(&self, v: u32) -> bool {
        self.places[v as usize] != NO_PLACE
    }

    /// True if `v` is simplicial (its neighbours are pairwise adjacent) and has not been eliminated.
    pub(super) fn is_simplicial(&self, v: u32) -> bool {
        self.is_remaining(v) && self.fill[v as usize] == 0
    }

    /// Returns the neighbours of `v`, as a row of bits.
    pub(super) fn row(&self, v: u32) -> &[u64] {
        &self.rows[v as usize * self.words..][..self.words]
    }

    /// Returns the logarithm of the predicted number of non-zero entries of the joint table of `v`.
    pub(super) fn joint(&self, v: u32) -> FixedPoint {
        (self.size[v as usize] + self.densities.of(v)).max(0)
    }

    /// Eliminates `v`, and the neighbours of `v` that are adjacent only to `v` and to other neighbours of `v`. Adds the eliminated vertices to
    /// `order`.
    ///
    /// Returns the cost of the elimination: the number of entries of the joint table, reduced by the predicted fraction of zeros.
    pub(super) fn eliminate(&mut self, v: u32, order: &mut Vec<u32>) -> f64 {
        let words = self.words;
        let size = self.size[v as usize];
        let mut members = std::mem::take(&mut self.members);
        let mut group = std::mem::take(&mut self.group);
        let mut around = std::mem::take(&mut self.around);
        around.copy_from_slice(self.row(v));
        members.clear();
        members.extend(bits(&around));
        self.work += ((members.len() + 1) * words) as u64;
        group.clear();
        group.push(v);
        around[v as usize / 64] |= 1 << (v % 64);
        for &u in &members {
            let is_within = || self.row(u).iter().zip(&around).all(|(r, a)| r & !a == 0);
            if self.is_remaining(u) && is_within() {
                group.push(u);
            }
        }
        if group.len() > 1 {
            members.retain(|u| !group.contains(u));
        }
        for &u in &group {
            self.remove_vertex(u);
            around[u as usize / 64] &= !(1 << (u % 64));
        }
        order.extend_from_slice(&group);
        let price = self.merge(size, &group, &members);
        for &u in &members {
            self.detach(u, &group);
        }
        self.work += (members.len() * group.len() * words) as u64;
        for &a in &members {
            let from = a as usize / 64;
            for (k, around) in around.iter().enumerate().skip(from) {
                for b in set_bits(around & !self.rows[a as usize * words + k], k) {
                    if b > a {
                        self.connect(a as usize, b as usize);
                    }
                }
            }
        }
        for &u in &members {
            if self.is_simplicial(u) {
                self.ready.push(u);
            }
        }
        (self.members, self.group, self.around) = (members, group, around);
        power(price)
    }

    /// Multiplies the tables of the vertices `group` to a message over `members`. Returns the logarithm of the cost of the product; `size` is the
    /// logarithm of the size of the joint table.
    fn merge(&mut self, size: FixedPoint, group: &[u32], members: &[u32]) -> FixedPoint {
        if self.densities.is_empty() {
            return size;
        }
        let promised: FixedPoint = group.iter().map(|&u| self.densities.remove_vertex(u)).sum();
        let joint = (size + promised).max(0);
        let logs = members.iter().map(|&u| self.weights[u as usize].log);
        let density = joint - logs.sum::<FixedPoint>();
        let n = self.weights.len();
        self.densities.add(members.to_vec(), density, n);
        size.min(joint + DISCOUNT)
    }

    fn remove_vertex(&mut self, v: u32) {
        let place = self.places[v as usize] as usize;
        self.left.swap_remove(place);
        if let Some(&moved) = self.left.get(place) {
            self.places[moved as usize] = place as u32;
        }
        self.places[v as usize] = NO_PLACE;
    }

    fn detach(&mut self, u: u32, group: &[u32]) {
        let u = u as usize;
        for &g in group {
            let word = &mut self.rows[u * self.words + g as usize / 64];
            let bit = 1 << (g % 64);
            if *word & bit == 0 {
                continue;
            }
            *word &= !bit;
            let (apart, weight) = self.difference(u, g as usize);
            self.fill[u] -= apart;
            self.heavy_fill[u] -= weight * self.weights[g as usize].card;
            self.size[u] -= self.weights[g as usize].log;
        }
    }

    fn connect(&mut self, a: usize, b: usize) {
        let words = self.words;
        let pair = self.weights[a].card * self.weights[b].card;
        let (mut only_a, mut only_b) = ((0, 0.0), (0, 0.0));
        for k in 0..words {
            let (x, y) = (self.rows[a * words + k], self.rows[b * words + k]);
            self.add(&mut only_a, x & !y, k);
            self.add(&mut only_b, y & !x, k);
            for c in set_bits(x & y, k) {
                let fill = &mut self.fill[c as usize];
                *fill -= 1;
                if *fill == 0 {
                    self.ready.push(c);
                }
                self.heavy_fill[c as usize] -= pair;
            }
        }
        self.rows[a * words + b / 64] |= 1 << (b % 64);
        self.rows[b * words + a / 64] |= 1 << (a % 64);
        for (v, other, only) in [(a, b, only_a), (b, a, only_b)] {
            self.fill[v] += only.0;
            self.heavy_fill[v] += only.1 * self.weights[other].card;
            self.size[v] += self.weights[other].log;
        }
        self.work += 2 * words as u64;
    }

    /// Returns the number and the total weight of the neighbours of `a` that are not neighbours of `b`.
    fn difference(&self, a: usize, b: usize) -> (u32, f64) {
        let rows = |v: usize| &self.rows[v * self.words..][..self.words];
        let mut sum = (0, 0.0);
        for (k, (x, y)) in rows(a).iter().zip(rows(b)).enumerate() {
            self.add(&mut sum, x & !y, k);
        }
        sum
    }

    fn add(&self, sum: &mut (u32, f64), word: u64, k: usize) {
        sum.0 += word.count_ones();
        if !self.weighted {
            return;
        }
        let cards = set_bits(word, k).map(|v| self.weights[v as usize].card);
        sum.1 += cards.sum::<f64>();
    }
}

/// Returns the vertices whose bits are set in `word`, which is word number `k` of a row of the adjacency matrix.
fn set_bits(mut word: u64, k: usize) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros();
            word &= word - 1;
            k as u32 * 64 + bit
        })
    })
}

pub(super) fn bits(row: &[u64]) -> impl Iterator<Item = u32> + '_ {
    let words = row.iter().enumerate();
    words.flat_map(|(k, &word)| set_bits(word, k))
}

#[cfg(test)]
pub(super) mod tests {
    use rand::seq::SliceRandom;
    use rand::{Rng, RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::order::interaction_graph::fixed;

    /// Returns a random graph whose first `free` vertices may be eliminated.
    pub(crate) fn random(
        n: usize,
        free: usize,
        edges: usize,
        rng: &mut impl Rng,
    ) -> InteractionGraph {
        let card = |rng: &mut dyn FnMut() -> f64| {
            let card = (2.0 + rng() * 60.0).floor();
            VertexWeight {
                card,
                log: fixed(card.log2()),
            }
        };
        let weights = (0..n).map(|_| card(&mut || rng.random())).collect();
        let tables: Vec<Vec<u32>> = (0..edges)
            .map(|_| {
                let mut all: Vec<u32> = (0..n as u32).collect();
                all.shuffle(rng);
                all.truncate(if rng.random_bool(0.2) { 3 } else { 2 });
                all
            })
            .collect();
        InteractionGraph::new(weights, free, tables.iter().map(Vec::as_slice))
    }

    #[test]
    fn counts_stay_those_of_a_new_graph() {
        for seed in 0..100 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let n = rng.random_range(2..90);
            let mut core = random(n, n - n / 8, 2 * n, &mut rng);
            let mut order = Vec::new();
            while !core.left.is_empty() {
                let v = core.left[rng.random_range(0..core.left.len())];
                core.eliminate(v, &mut order);
                let (fresh, names) = core.compact();
                for (i, &v) in names.iter().enumerate() {
                    let i = i as u32;
                    assert_eq!(core.is_remaining(v), fresh.is_remaining(i));
                    if core.is_remaining(v) {
                        assert_eq!(core.fill[v as usize], fresh.fill[i as usize], "seed {seed}");
                        assert_eq!(core.size[v as usize], fresh.size[i as usize], "seed {seed}");
                        let heavy = [core.heavy_fill[v as usize], fresh.heavy_fill[i as usize]];
                        assert_eq!(heavy[0], heavy[1], "seed {seed}");
                        assert!(!core.is_simplicial(v) || core.ready.contains(&v));
                    }
                }
            }
            order.sort_unstable();
            assert!(order.iter().copied().eq(0..(n - n / 8) as u32));
        }
    }
}

/// A table with zeros, and its predicted density.
#[derive(Debug)]
struct TableDensity {
    scope: Vec<u32>,
    /// The logarithm of the density of the table (its fraction of non-zero entries).
    density: FixedPoint,
}

/// For each vertex of the interaction graph, the tables with zeros that contain the vertex; the lists are empty if no table has zeros.
#[derive(Debug, Default)]
pub(super) struct Densities {
    tables: Vec<Option<TableDensity>>,
    /// For each vertex, the tables that contain the vertex, including removed tables.
    of: Vec<Vec<u32>>,
    /// For each vertex, the sum of the log-densities of the tables that contain the vertex and have not been removed.
    total: Vec<FixedPoint>,
}

impl Densities {
    pub(super) fn add(&mut self, scope: Vec<u32>, density: FixedPoint, vertices: usize) {
        if density >= 0 {
            return;
        }
        if self.total.is_empty() {
            self.total.resize(vertices, 0);
            self.of.resize_with(vertices, Vec::new);
        }
        for &v in &scope {
            self.total[v as usize] += density;
            self.of[v as usize].push(self.tables.len() as u32);
        }
        self.tables.push(Some(TableDensity { scope, density }));
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    pub(super) fn of(&self, v: u32) -> FixedPoint {
        self.total.get(v as usize).copied().unwrap_or(0)
    }

    /// Removes the tables that contain `v`, and returns the sum of their log-densities.
    pub(super) fn remove_vertex(&mut self, v: u32) -> FixedPoint {
        let mut sum = 0;
        let Some(tables) = self.of.get_mut(v as usize) else {
            return sum;
        };
        for t in std::mem::take(tables) {
            if let Some(promise) = self.tables[t as usize].take() {
                sum += promise.density;
                for u in promise.scope {
                    self.total[u as usize] -= promise.density;
                }
            }
        }
        sum
    }

    /// Returns the tables that have not been removed, with their log-densities.
    pub(super) fn remaining(&self) -> impl Iterator<Item = (&[u32], FixedPoint)> {
        let left = self.tables.iter().flatten();
        left.map(|promise| (promise.scope.as_slice(), promise.density))
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        let vertices = other.total.len();
        self.clear();
        for (scope, density) in other.remaining() {
            self.add(scope.to_vec(), density, vertices);
        }
    }
}
