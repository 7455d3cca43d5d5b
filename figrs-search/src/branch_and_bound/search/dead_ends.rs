//! Dead-end elimination: removes a value if another value of the same variable is at least as good for all values of the other variables.

use super::super::network::function::Arity;
use super::super::network::{Conflict, Network};

impl Network {
    /// Removes values of the variable `v` that its supported value dominates, that is, can replace in every assignment without increasing the cost
    /// (soft neighbourhood substitutability). During a search, dominance is tested only for the value with the largest unary cost.
    ///
    /// **References.** De Givry, Prestwich and O'Sullivan, *Dead-end elimination for weighted CSP*, CP 2013.
    pub(in super::super) fn remove_dominated(&mut self, v: usize) -> Result<(), Conflict> {
        if !self.is_open(v) || self.kept[v] {
            return Ok(());
        }
        let best = self.supported[v] as usize;
        if !self.is_live(v, best) || self.unary(v, best) > 0 {
            return Ok(());
        }
        if self.depth() > 0 {
            let dearest = self.dearest_value(v);
            if dearest != best && self.dominates(v, best, dearest) {
                self.remove(v, dearest)?;
            }
            return Ok(());
        }
        for place in (0..self.live_count(v)).rev() {
            let value = self.value(v, place);
            if value != best && self.dominates(v, best, value) {
                self.remove(v, value)?;
            }
        }
        Ok(())
    }

    fn dearest_value(&self, v: usize) -> usize {
        let values = self.domain(v).iter().map(|&a| a as usize);
        values.max_by_key(|&a| self.unary(v, a)).unwrap_or(0)
    }

    /// Returns true if `value` dominates `other`: its largest additional cost by all functions is at most the amount by which its unary cost is
    /// smaller, or every assignment with `other` costs at least the upper bound.
    fn dominates(&mut self, v: usize, value: usize, other: usize) -> bool {
        let mut rest = self.unary(v, other) - self.unary(v, value);
        for i in 0..self.incident[v].len() {
            if rest < 0 {
                return false;
            }
            let f = self.incident[v][i] as usize;
            if !self.is_active(f) {
                continue;
            }
            let loss = match self.functions[f].arity {
                Arity::Nary(_) => return false,
                Arity::Binary => self.binary_loss(f, v, (value, other), rest),
                Arity::Ternary => self.ternary_loss(f, v, (value, other), rest),
            };
            let Some(loss) = loss else {
                return true;
            };
            rest = rest.saturating_sub(loss);
        }
        rest >= 0
    }

    /// Returns the largest additional cost of `value` compared with `other` by the binary function `f`, or some additional cost above `limit`; `None`
    /// if every assignment with `other` costs at least the upper bound.
    fn binary_loss(
        &mut self,
        f: usize,
        v: usize,
        (value, other): (usize, usize),
        limit: i64,
    ) -> Option<i64> {
        let side = self.side(f, usize::from(self.functions[f].scope[0] as usize != v));
        self.look(self.live_count(side.other));
        let gap = self.gap() - self.unary(v, other);
        let mut loss = None;
        for &b in self.domain(side.other) {
            let b = b as usize;
            let before = self.pair_cost(&side, other, b);
            if before + self.unary(side.other, b) < gap {
                loss = loss.max(Some(self.pair_cost(&side, value, b) - before));
                if loss > Some(limit) {
                    return loss;
                }
            }
        }
        loss
    }

    /// Returns for the ternary function `f` what [`binary_loss`](Self::binary_loss) returns for a binary function.
    fn ternary_loss(
        &mut self,
        f: usize,
        v: usize,
        (value, other): (usize, usize),
        limit: i64,
    ) -> Option<i64> {
        let side = self.ternary_side(f, self.functions[f].place_of(v as u32));
        let [y, z] = side.others.map(|u| self.live_count(u));
        self.look(y * z);
        let gap = self.gap() - self.unary(v, other);
        let mut loss = None;
        for &b in self.domain(side.others[0]) {
            for &c in self.domain(side.others[1]) {
                let (b, c) = (b as usize, c as usize);
                let before = self.triple_cost(&side, other, b, c);
                if before < gap {
                    loss = loss.max(Some(self.triple_cost(&side, value, b, c) - before));
                    if loss > Some(limit) {
                        return loss;
                    }
                }
            }
        }
        loss
    }
}
