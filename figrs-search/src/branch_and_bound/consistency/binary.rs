//! Transfers of costs between binary and unary cost functions, which raise the lower bound of the search.

use super::super::cost_table::LARGE;
use super::super::network::function::Side;
use super::super::network::{Conflict, Network};

impl Network {
    /// Projects the binary cost function `f` on its first (`side` 0) or second (`side` 1) variable: moves costs to the unary function, which makes
    /// the variable arc consistent.
    ///
    /// After the projection of a binary cost function on a variable, each value of the variable occurs in a pair of cost zero.
    pub(super) fn project_binary(&mut self, f: usize, side: usize) -> Result<(), Conflict> {
        self.looks += 1;
        self.cause = f as u32;
        let side = self.side(f, side);
        for place in (0..self.live_count(side.own)).rev() {
            let a = self.value(side.own, place);
            let support = self.supports[side.own_support + a] as usize;
            if self.is_live(side.other, support) && self.pair_cost(&side, a, support) == 0 {
                continue;
            }
            self.costs_seen += self.live_count(side.other) as u64;
            let cells = &self.costs.values;
            let (row, paid) = (side.cells + a * side.own_stride, cells[side.own_shift + a]);
            let (mut least, mut found) = (i64::MAX, 0);
            for &b in self.domain(side.other) {
                let b = b as usize;
                let cost = cells[row + b * side.other_stride] - cells[side.other_shift + b];
                if cost < least {
                    (least, found) = (cost, b as u32);
                    if cost == paid {
                        break;
                    }
                }
            }
            least -= paid;
            self.supports[side.own_support + a] = found;
            if least == 0 {
                continue;
            }
            if least + self.unary(side.own, a) >= self.gap() {
                self.remove(side.own, a)?;
            } else {
                self.shift(side.own_shift + a, least);
                self.raise(side.own, a, least);
            }
        }
        Ok(())
    }

    #[inline]
    fn shift(&mut self, place: usize, cost: i64) {
        let before = self.costs.get(place);
        self.costs.set(place, before + cost);
    }

    /// Returns true if the stored support (partner value) of the value `a` is valid: the pair of the two values has cost zero, and the partner has
    /// unary cost zero.
    #[inline]
    fn is_fully_supported(&self, side: &Side, a: usize) -> bool {
        let support = self.supports[side.own_support + a] as usize;
        self.is_live(side.other, support)
            && self.unary(side.other, support) == 0
            && self.pair_cost(side, a, support) == 0
    }

    /// Returns the smallest cost of a pair with the value `a`: the binary cost of the pair plus the unary cost of the second value.
    #[inline]
    fn cheapest_pair(&mut self, side: &Side, a: usize) -> i64 {
        self.costs_seen += self.live_count(side.other) as u64;
        let cells = &self.costs.values;
        let (row, paid) = (side.cells + a * side.own_stride, cells[side.own_shift + a]);
        let unary = self.unary_place(side.other, 0);
        let (mut least, mut found) = (i64::MAX, 0);
        for &b in self.domain(side.other) {
            let b = b as usize;
            let cost =
                cells[row + b * side.other_stride] - cells[side.other_shift + b] + cells[unary + b];
            if cost < least {
                (least, found) = (cost, b as u32);
                if cost == paid {
                    break;
                }
            }
        }
        self.supports[side.own_support + a] = found;
        least - paid
    }

    /// Returns the minimum cost of the value `a` of one variable in a binary function: the minimum, over the other variable's values, of the binary
    /// cost plus the other value's unary cost.
    pub(super) fn full_binary_cost(&mut self, f: usize, side: usize, a: usize) -> i64 {
        let side = self.side(f, side);
        if self.is_fully_supported(&side, a) {
            return 0;
        }
        self.looks += 1;
        self.cheapest_pair(&side, a)
    }

    /// Projects a binary cost function, together with the unary costs of one of its variables, on the other variable, that is, moves costs to that
    /// variable's values. After the projection, each value of the variable to which costs are moved occurs in a pair of cost zero whose other value
    /// has unary cost zero (directional arc consistency). In the projection of a binary cost function on one of its variables, the unary costs of the
    /// other variable decrease only by the necessary amount.
    pub(super) fn project_binary_fully(&mut self, f: usize, side: usize) -> Result<(), Conflict> {
        self.cause = f as u32;
        let side = self.side(f, side);
        let count = self.live_count(side.own);
        if (0..count).all(|place| self.is_fully_supported(&side, self.value(side.own, place))) {
            return Ok(());
        }
        self.looks += 1;
        let gain_of = |net: &mut Self, a| {
            (!net.is_fully_supported(&side, a)).then(|| net.cheapest_pair(&side, a))
        };
        self.move_gains(side.own, gain_of, |net, gains| {
            net.extend_and_project(&side, gains);
        })
    }

    /// Computes the costs that can be moved to the values of the variable `own`, as [`gains`](Self::gains) does; if some cost can be moved, calls
    /// `move_all`, which moves the costs.
    pub(super) fn move_gains(
        &mut self,
        own: usize,
        gain_of: impl FnMut(&mut Self, usize) -> Option<i64>,
        move_all: impl FnOnce(&mut Self, &[i64]),
    ) -> Result<(), Conflict> {
        let mut gains = std::mem::take(&mut self.scratch);
        gains.clear();
        gains.resize(self.sizes[own] as usize, 0);
        let projected = self.gains(own, &mut gains, gain_of);
        if projected == Ok(true) {
            move_all(self, &gains);
        }
        self.scratch = gains;
        projected.map(|_| ())
    }

    /// Computes the cost that can be moved to each value of the variable `own`, and removes values whose unary cost then reaches the upper bound.
    /// Returns `true` if some cost can be moved to a value. The function `gain_of` returns the cost that can be moved to a value; `None` if the value
    /// does not need this cost.
    fn gains(
        &mut self,
        own: usize,
        gains: &mut [i64],
        mut gain_of: impl FnMut(&mut Self, usize) -> Option<i64>,
    ) -> Result<bool, Conflict> {
        let mut some = false;
        for place in (0..self.live_count(own)).rev() {
            let a = self.value(own, place);
            let Some(gain) = gain_of(self, a) else {
                continue;
            };
            if gain + self.unary(own, a) >= self.gap() {
                self.remove(own, a)?;
            } else {
                gains[a] = gain;
                some |= gain > 0;
            }
        }
        Ok(some)
    }

    fn extend_and_project(&mut self, side: &Side, gains: &[i64]) {
        self.costs_seen += (self.live_count(side.own) * self.live_count(side.other)) as u64;
        for place in 0..self.live_count(side.other) {
            let b = self.value(side.other, place);
            let cells = &self.costs.values;
            let (column, paid) = (
                side.cells + b * side.other_stride,
                cells[side.other_shift + b],
            );
            let (mut needed, mut support) = (0, None);
            for &a in self.domain(side.own) {
                let i = a as usize;
                let cost = cells[column + i * side.own_stride] - cells[side.own_shift + i] - paid;
                if gains[i] - cost > needed {
                    (needed, support) = (gains[i] - cost, Some(a));
                }
            }
            let Some(support) = support else {
                continue;
            };
            let at = self.unary_place(side.other, b);
            let before = self.costs.get(at);
            debug_assert!(before >= needed && needed < LARGE, "{before} {needed}");
            self.costs.set(at, before - needed);
            self.shift(side.other_shift + b, -needed);
            self.supports[side.other_support + b] = support;
        }
        for place in 0..self.live_count(side.own) {
            let a = self.value(side.own, place);
            if gains[a] > 0 {
                self.shift(side.own_shift + a, gains[a]);
                self.raise(side.own, a, gains[a]);
            }
        }
    }
}
