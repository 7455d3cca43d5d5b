//! Transfers of costs between ternary cost functions and functions of fewer variables.

use super::super::network::function::Function;
use super::super::network::{Conflict, Network};

/// A ternary cost function, seen from one of its variables (the own variable).
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct TernarySide {
    pub(in super::super) own: usize,
    /// The two other variables of the ternary function, in ascending order.
    pub(in super::super) others: [usize; 2],
    cells: usize,
    own_stride: usize,
    strides: [usize; 2],
    support: usize,
    /// The active binary functions among the three variables: one for the own variable and each of the other variables, and one for the two other
    /// variables.
    pairs: [Option<u32>; 3],
}

impl Function {
    pub(in super::super) fn place_of(&self, v: u32) -> usize {
        self.scope.iter().position(|&u| u == v).unwrap_or(0)
    }
}

impl Network {
    pub(in super::super) fn ternary_side(&self, f: usize, place: usize) -> TernarySide {
        let function = &self.functions[f];
        let [x, y, z] = function.scope.map(|v| v as usize);
        let strides = [
            (self.sizes[y] * self.sizes[z]) as usize,
            self.sizes[z] as usize,
            1,
        ];
        let [xy, xz, yz] = function
            .pairs
            .map(|g| self.is_active(g as usize).then_some(g));
        let (own, others, pairs) = match place {
            0 => (x, [y, z], [xy, xz, yz]),
            1 => (y, [x, z], [xy, yz, xz]),
            _ => (z, [x, y], [xz, yz, xy]),
        };
        let rest = match place {
            0 => [1, 2],
            1 => [0, 2],
            _ => [0, 1],
        };
        TernarySide {
            own,
            others,
            cells: function.cells as usize,
            own_stride: strides[place],
            strides: rest.map(|i| strides[i]),
            support: function.supports[place] as usize,
            pairs,
        }
    }

    /// Returns the number of pairs of remaining values of the ternary function's two other variables.
    fn others_count(&self, side: &TernarySide) -> u64 {
        let [y, z] = side.others.map(|v| self.live_count(v) as u64);
        y * z
    }

    #[inline]
    fn triple_place(side: &TernarySide, a: usize, b: usize, c: usize) -> usize {
        side.cells + a * side.own_stride + b * side.strides[0] + c * side.strides[1]
    }

    #[inline]
    pub(in super::super) fn triple_cost(
        &self,
        side: &TernarySide,
        a: usize,
        b: usize,
        c: usize,
    ) -> i64 {
        self.costs.values[Self::triple_place(side, a, b, c)]
    }

    /// Projects the ternary cost function `f` on the variable with the index `place` in its scope, that is, moves costs to the variable's values.
    pub(super) fn project_ternary(&mut self, f: usize, place: usize) -> Result<(), Conflict> {
        self.looks += 1;
        self.cause = f as u32;
        let side = self.ternary_side(f, place);
        for place in (0..self.live_count(side.own)).rev() {
            let a = self.value(side.own, place);
            let least = self.cheapest_triple(&side, a, |net, b, c| net.triple_cost(&side, a, b, c));
            let Some(least) = least else {
                continue;
            };
            if least == 0 {
                continue;
            }
            if least + self.unary(side.own, a) >= self.gap() {
                self.remove(side.own, a)?;
            } else {
                self.take_from_ternary(&side, a, least);
                self.raise(side.own, a, least);
            }
        }
        Ok(())
    }

    /// Subtracts `cost` from all entries of a ternary cost function that contain the value `a`.
    pub(super) fn take_from_ternary(&mut self, side: &TernarySide, a: usize, cost: i64) {
        self.costs_seen += self.others_count(side);
        for i in 0..self.live_count(side.others[0]) {
            let b = self.value(side.others[0], i);
            for j in 0..self.live_count(side.others[1]) {
                let c = self.value(side.others[1], j);
                let at = Self::triple_place(side, a, b, c);
                let before = self.costs.get(at);
                self.costs.set(at, before - cost);
            }
        }
    }

    /// Returns the cost of the values `a` and `b` in the binary function `f`; 0 if there is no active binary function.
    #[inline]
    fn pair_within(&self, f: Option<u32>, v: usize, a: usize, b: usize) -> i64 {
        match f {
            None => 0,
            Some(f) => {
                let f = f as usize;
                let side = self.side(f, usize::from(self.functions[f].scope[0] as usize != v));
                self.pair_cost(&side, a, b)
            }
        }
    }

    /// Returns the cost of three values by a ternary cost function and all smaller functions of its variables, except the unary cost of the first
    /// value.
    fn full_triple_cost(&self, side: &TernarySide, a: usize, b: usize, c: usize) -> i64 {
        let [y, z] = side.others;
        self.triple_cost(side, a, b, c)
            + self.pair_within(side.pairs[0], side.own, a, b)
            + self.pair_within(side.pairs[1], side.own, a, c)
            + self.pair_within(side.pairs[2], y, b, c)
            + self.unary(y, b)
            + self.unary(z, c)
    }

    /// Returns the minimum cost of the value `a` by a ternary cost function, the binary functions of its variables, and the unary costs of the other
    /// two variables.
    pub(super) fn full_ternary_cost(&mut self, f: usize, place: usize, a: usize) -> i64 {
        let side = self.ternary_side(f, place);
        self.cheapest_full_triple(&side, a)
    }

    fn cheapest_full_triple(&mut self, side: &TernarySide, a: usize) -> i64 {
        let cost = |net: &Self, b, c| net.full_triple_cost(side, a, b, c);
        let Some(least) = self.cheapest_triple(side, a, cost) else {
            return 0;
        };
        self.looks += 1;
        least
    }

    /// Stores the pair of values of a ternary function's other two variables with the smallest `cost`, and returns this cost. Returns `None` if the
    /// pair of values that is already stored still has cost zero.
    fn cheapest_triple(
        &mut self,
        side: &TernarySide,
        a: usize,
        cost: impl Fn(&Self, usize, usize) -> i64,
    ) -> Option<i64> {
        let columns = self.sizes[side.others[1]];
        let support = self.supports[side.support + a];
        let (b, c) = ((support / columns) as usize, (support % columns) as usize);
        if self.is_live(side.others[0], b)
            && self.is_live(side.others[1], c)
            && cost(self, b, c) == 0
        {
            return None;
        }
        self.costs_seen += self.others_count(side);
        let (mut least, mut found) = (i64::MAX, 0);
        'search: for &b in self.domain(side.others[0]) {
            for &c in self.domain(side.others[1]) {
                let cost = cost(self, b as usize, c as usize);
                if cost < least {
                    (least, found) = (cost, b * columns + c);
                    if cost == 0 {
                        break 'search;
                    }
                }
            }
        }
        self.supports[side.support + a] = found;
        Some(least)
    }

    /// Projects a ternary cost function and all smaller functions of its variables on one of the variables; the costs of smaller functions decrease
    /// only by the necessary amount.
    pub(super) fn project_ternary_fully(&mut self, f: usize, place: usize) -> Result<(), Conflict> {
        self.cause = f as u32;
        let side = self.ternary_side(f, place);
        let gain_of = |net: &mut Self, a| Some(net.cheapest_full_triple(&side, a));
        self.move_gains(side.own, gain_of, |net, gains| {
            net.extend_to_ternary(&side, gains);
            for place in 0..net.live_count(side.own) {
                let a = net.value(side.own, place);
                if gains[a] > 0 {
                    net.take_from_ternary(&side, a, gains[a]);
                    net.raise(side.own, a, gains[a]);
                }
            }
        })
    }

    /// Moves costs from smaller functions to a ternary cost function, until the ternary function can raise the cost of each value of a variable by
    /// the amount in `gains`. In this transfer, a smaller cost function contributes only the cost that is missing if all smaller functions after it
    /// contribute all their costs.
    fn extend_to_ternary(&mut self, side: &TernarySide, gains: &[i64]) {
        let [y, z] = side.others;
        // The loops visit all triples for each of the three pairs and for each of the two single values.
        self.costs_seen += 5 * self.live_count(side.own) as u64 * self.others_count(side);
        for (pair, first, second) in [(2, y, z), (0, side.own, y), (1, side.own, z)] {
            let Some(f) = side.pairs[pair] else {
                continue;
            };
            for i in 0..self.live_count(first) {
                for j in 0..self.live_count(second) {
                    let (p, q) = (self.value(first, i), self.value(second, j));
                    let given = self.missing(side, gains, pair, (p, q));
                    let within = self.pair_within(Some(f), first, p, q);
                    if given > 0 && within > 0 {
                        self.extend_pair(side, (f, pair, first), (p, q), given.min(within));
                    }
                }
            }
        }
        for (other, v) in [(0, y), (1, z)] {
            for i in 0..self.live_count(v) {
                let value = self.value(v, i);
                let given = self.missing(side, gains, 3 + other, (value, 0));
                let at = self.unary_place(v, value);
                let before = self.costs.get(at);
                if given > 0 && before > 0 {
                    self.costs.set(at, before - given.min(before));
                    let third = side.others[1 - other];
                    for a in 0..self.live_count(side.own) {
                        let a = self.value(side.own, a);
                        for c in 0..self.live_count(third) {
                            let c = self.value(third, c);
                            let (b, c) = if other == 0 { (value, c) } else { (c, value) };
                            self.add_to_triple(side, (a, b, c), given.min(before));
                        }
                    }
                }
            }
        }
    }

    fn add_to_triple(&mut self, side: &TernarySide, (a, b, c): (usize, usize, usize), cost: i64) {
        let at = Self::triple_place(side, a, b, c);
        let before = self.costs.get(at);
        self.costs.set(at, before + cost);
    }

    /// Moves the cost of the pair of values `p` and `q` to all triples of the ternary cost function that contain the pair.
    fn extend_pair(
        &mut self,
        side: &TernarySide,
        (f, pair, first): (u32, usize, usize),
        (p, q): (usize, usize),
        cost: i64,
    ) {
        let function = self.functions[f as usize];
        let columns = self.sizes[function.scope[1] as usize] as usize;
        let (row, column) = if function.scope[0] as usize == first {
            (p, q)
        } else {
            (q, p)
        };
        let at = function.cells as usize + row * columns + column;
        let before = self.costs.get(at);
        // The cost of a forbidden pair does not decrease; the pair remains forbidden.
        if before < super::super::cost_table::LARGE {
            self.costs.set(at, before - cost);
        }
        let third = match pair {
            0 => side.others[1],
            1 => side.others[0],
            _ => side.own,
        };
        for i in 0..self.live_count(third) {
            let value = self.value(third, i);
            let triple = match pair {
                0 => (p, q, value),
                1 => (p, value, q),
                _ => (value, p, q),
            };
            self.add_to_triple(side, triple, cost);
        }
    }

    /// Returns the largest cost that is missing at a triple with the values `p` and `q` (or only `p`), if all later cost functions contribute all
    /// their costs. To a ternary function, smaller cost functions contribute in this order: the binary function of the two other variables, the
    /// binary functions of the own variable, the unary costs.
    fn missing(
        &self,
        side: &TernarySide,
        gains: &[i64],
        step: usize,
        (p, q): (usize, usize),
    ) -> i64 {
        let [y, z] = side.others;
        let mut most = 0;
        let mut see = |a: usize, b: usize, c: usize| {
            let mut given = self.triple_cost(side, a, b, c);
            if step == 2 {
                given += self.pair_within(side.pairs[0], side.own, a, b);
            }
            if step == 2 || step == 0 {
                given += self.pair_within(side.pairs[1], side.own, a, c);
            }
            if step < 3 {
                given += self.unary(y, b);
            }
            if step < 4 {
                given += self.unary(z, c);
            }
            most = most.max(gains[a] - given);
        };
        match step {
            0 => self.domain(z).iter().for_each(|&c| see(p, q, c as usize)),
            1 => self.domain(y).iter().for_each(|&b| see(p, b as usize, q)),
            2 => self
                .domain(side.own)
                .iter()
                .for_each(|&a| see(a as usize, p, q)),
            3 => {
                for &a in self.domain(side.own) {
                    self.domain(z)
                        .iter()
                        .for_each(|&c| see(a as usize, p, c as usize));
                }
            }
            _ => {
                for &a in self.domain(side.own) {
                    self.domain(y)
                        .iter()
                        .for_each(|&b| see(a as usize, b as usize, p));
                }
            }
        }
        most
    }
}
