//! The tree of an elimination order, and its improvement a few buckets at a time.

use super::core_graph::{Core, bits};
use super::fixed::{Fixed, power};

const NONE: u32 = u32::MAX;

/// Which vertices meet when each vertex is eliminated, in some order.
pub(super) struct Tree<'a> {
    core: &'a Core,
    words: usize,
    /// The neighbours of a vertex when it is eliminated, as rows of bits.
    bags: Vec<u64>,
    /// The neighbour that is eliminated next.
    parent: Vec<u32>,
    children: Vec<Vec<u32>>,
    /// The joint values of a vertex and its bag; none if another bucket takes it along.
    cost: Vec<f64>,
    /// The joint values of a vertex and its bag.
    clique: Vec<f64>,
    pub(super) work: u64,
}

impl<'a> Tree<'a> {
    pub(super) fn new(core: &'a Core, order: &[u32]) -> Self {
        let n = core.weights.len();
        let words = n.div_ceil(64);
        let mut this = Self {
            core,
            words,
            bags: vec![0; n * words],
            parent: vec![NONE; n],
            children: vec![Vec::new(); n],
            cost: vec![0.0; n],
            clique: vec![0.0; n],
            work: (n * words) as u64,
        };
        let mut rank = vec![NONE; n];
        let mut gone = vec![0u64; words];
        for (i, &v) in order.iter().enumerate() {
            rank[v as usize] = i as u32;
        }
        let mut members = Vec::new();
        for &v in order {
            let mut bag = core.row(v).to_vec();
            for &c in &this.children[v as usize] {
                for (x, y) in bag.iter_mut().zip(this.bag(c)) {
                    *x |= y;
                }
            }
            gone[v as usize / 64] |= 1 << (v % 64);
            for (x, g) in bag.iter_mut().zip(&gone) {
                *x &= !g;
            }
            members.clear();
            members.extend(bits(&bag));
            let size: Fixed = core.weights[v as usize].log + members.iter().map(|&u| core.weights[u as usize].log).sum::<Fixed>();
            let absorbed = this.children[v as usize].iter().any(|&c| count(this.bag(c)) == members.len() + 1);
            this.clique[v as usize] = power(size);
            this.cost[v as usize] = if absorbed { 0.0 } else { power(size) };
            let parent = members.iter().copied().min_by_key(|&u| rank[u as usize]).filter(|&u| rank[u as usize] != NONE);
            if let Some(p) = parent {
                this.parent[v as usize] = p;
                this.children[p as usize].push(v);
            }
            this.bags[v as usize * words..][..words].copy_from_slice(&bag);
        }
        this
    }

    fn bag(&self, v: u32) -> &[u64] {
        &self.bags[v as usize * self.words..][..self.words]
    }

    pub(super) fn total(&self) -> f64 {
        self.cost.iter().sum()
    }

    /// The vertices in an order that has this tree; subtrees one after another.
    pub(super) fn order(&self, vertices: &[u32]) -> Vec<u32> {
        let mut out = Vec::new();
        let mut stack: Vec<u32> = vertices.iter().copied().filter(|&v| self.parent[v as usize] == NONE).collect();
        while let Some(v) = stack.pop() {
            out.push(v);
            stack.extend(&self.children[v as usize]);
        }
        out.reverse();
        out
    }

    /// Finds the best order of some buckets around each of the costliest ones.
    pub(super) fn improve(&mut self, vertices: &[u32], width: usize, budget: u64) -> bool {
        let mut better = false;
        let total = self.total();
        let mut tops: Vec<u32> = vertices.to_vec();
        tops.sort_by(|&a, &b| self.cost[b as usize].total_cmp(&self.cost[a as usize]).then(a.cmp(&b)));
        for v in tops {
            if self.work > budget { break; }
            if self.cost[v as usize] * (vertices.len() as f64) < total * 0.01 { break; }
            let window = self.window(v, width);
            if window.len() > 2 {
                better |= self.settle(&window);
            }
        }
        better
    }

    /// A connected part of the tree around `v`.
    fn window(&self, v: u32, width: usize) -> Vec<u32> {
        let mut window = vec![v];
        let mut near: Vec<u32> = Vec::new();
        let mut last = v;
        while window.len() < width {
            near.extend(&self.children[last as usize]);
            let p = self.parent[last as usize];
            if p != NONE { near.push(p); }
            near.retain(|u| !window.contains(u));
            // a vertex taken along counts as its bag
            let key = |v: u32| self.clique[v as usize];
            let Some(&best) = near.iter().max_by(|&&a, &&b| key(a).total_cmp(&key(b)).then(b.cmp(&a))) else { break };
            window.push(best);
            last = best;
        }
        window
    }

    fn settle(&mut self, window: &[u32]) -> bool {
        let top = window.iter().copied().find(|&v| !window.contains(&self.parent[v as usize])).unwrap_or(window[0]);
        let before: f64 = window.iter().map(|&v| self.cost[v as usize]).sum();
        let mut local = window.to_vec();
        local.extend(bits(self.bag(top)));
        if local.len() > 128 { return false; }
        let mut cut: Vec<u32> = Vec::new();
        for &v in window { cut.extend(self.children[v as usize].iter().filter(|c| !window.contains(c))); }
        let mask = |row: &[u64]| -> u128 {
            local.iter().enumerate().filter(|&(_, &u)| row[u as usize / 64] >> (u % 64) & 1 == 1).fold(0, |m, (i, _)| m | 1 << i)
        };
        let k = window.len();
        let mut small = Small {
            near: window.iter().map(|&v| mask(self.core.row(v))).collect(),
            messages: cut.iter().map(|&c| mask(self.bag(c))).collect(),
            logs: local.iter().map(|&u| self.core.weights[u as usize].log).collect(),
        };
        for &m in &small.messages {
            for (i, near) in small.near.iter_mut().enumerate() {
                if m >> i & 1 == 1 { *near |= m & !(1 << i); }
            }
        }
        let (found, evaluated) = small.best(before * 0.999_999);
        self.work += evaluated * 12 + (local.len() * (k + cut.len())) as u64;
        let Some(order) = found else { return false };
        let outer = self.parent[top as usize];
        let old: Vec<u32> = window.to_vec();
        let mut gone = 0u128;
        let mut rank = vec![0; k];
        for (r, &i) in order.iter().enumerate() { rank[i] = r; }
        for &v in &old { self.children[v as usize].clear(); }
        if outer != NONE { self.children[outer as usize].retain(|&c| c != top); }
        for &i in &order {
            let v = window[i];
            let (bag, absorbed) = small.reach(i, gone);
            gone |= 1 << i;
            let row = &mut self.bags[v as usize * self.words..][..self.words];
            row.fill(0);
            let mut size = small.logs[i];
            for (j, &u) in local.iter().enumerate() {
                if bag >> j & 1 == 1 { row[u as usize / 64] |= 1 << (u % 64); size += small.logs[j]; }
            }
            self.clique[v as usize] = power(size);
            self.cost[v as usize] = if absorbed { 0.0 } else { power(size) };
            let inner = (0..k).filter(|&j| bag >> j & 1 == 1).min_by_key(|&j| rank[j]);
            let parent = inner.map_or(outer, |j| window[j]);
            self.parent[v as usize] = parent;
            if parent != NONE { self.children[parent as usize].push(v); }
        }
        for (&c, &m) in cut.iter().zip(&small.messages) {
            let inner = (0..k).filter(|&j| m >> j & 1 == 1).min_by_key(|&j| rank[j]);
            if let Some(j) = inner {
                self.parent[c as usize] = window[j];
                self.children[window[j] as usize].push(c);
            }
        }
        true
    }
}

fn count(row: &[u64]) -> usize {
    row.iter().map(|w| w.count_ones() as usize).sum()
}

/// A few vertices to be eliminated, and what is around them.
struct Small {
    near: Vec<u128>,
    messages: Vec<u128>,
    logs: Vec<Fixed>,
}

impl Small {
    /// The neighbours of `v` once the vertices of `gone` are eliminated, and whether another bucket takes `v` along.
    fn reach(&self, v: usize, gone: u128) -> (u128, bool) {
        let mut bag = self.near[v];
        let mut seen = 0u128;
        let mut parts = [0u128; 16];
        let mut n = 0;
        loop {
            let next = bag & gone & !seen;
            if next == 0 { break; }
            let mut part = 0u128;
            let mut todo = next & next.wrapping_neg();
            while todo != 0 {
                let u = todo.trailing_zeros() as usize;
                seen |= 1 << u;
                part |= self.near[u];
                todo = part & gone & !seen;
            }
            bag |= part;
            parts[n] = part & !gone;
            n += 1;
        }
        bag &= !gone & !(1 << v);
        let clique = bag | 1 << v;
        let absorbed = parts[..n].contains(&clique) || self.messages.iter().any(|&m| m == clique);
        (bag, absorbed)
    }

    fn size(&self, v: usize, bag: u128) -> f64 {
        let mut size = self.logs[v];
        let mut rest = bag;
        while rest != 0 { size += self.logs[rest.trailing_zeros() as usize]; rest &= rest - 1; }
        power(size)
    }

    /// The best order, if it costs less than `bound`, and how many eliminations were looked at.
    fn best(&self, bound: f64) -> (Option<Vec<usize>>, u64) {
        let k = self.near.len();
        let mut cost = vec![f64::INFINITY; 1 << k];
        let mut last = vec![0u8; 1 << k];
        let mut looked = 0;
        cost[0] = 0.0;
        let full = (1usize << k) - 1;
        for gone in 0..full {
            let so_far = cost[gone];
            if so_far >= bound || so_far >= cost[full] { continue; }
            for v in 0..k {
                if gone >> v & 1 == 1 { continue; }
                let next = gone | 1 << v;
                if so_far >= cost[next] { continue; }
                looked += 1;
                let (bag, absorbed) = self.reach(v, gone as u128);
                let total = so_far + if absorbed { 0.0 } else { self.size(v, bag) };
                if total < cost[next] { cost[next] = total; last[next] = v as u8; }
            }
        }
        if cost[full] >= bound { return (None, looked); }
        let mut order = Vec::new();
        let mut at = full;
        while at != 0 { let v = last[at] as usize; order.push(v); at &= !(1 << v); }
        order.reverse();
        (Some(order), looked)
    }
}

