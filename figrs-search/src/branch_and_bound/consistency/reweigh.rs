//! Sequential tree-reweighted transfers of costs between cost functions at a node of the search.

use super::super::network::function::Arity;
use super::super::network::{Conflict, Network};

/// Divisor of the difference between upper and lower bound: sweeps continue as long as a sweep raises the lower bound by more than the quotient.
const LEAST_GAIN: i64 = 1 << 7;

/// The direction in which a sweep of reweighting visits the variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sweep {
    Forward,
    Backward,
}

impl Network {
    /// Moves costs between cost functions in sweeps over the undecided variables of a search node, until a sweep hardly raises the lower bound.
    ///
    /// The function [`reweighted`](super::super::reweighting::reweighted) runs the same algorithm on cost tables before the search.
    ///
    /// In a sweep, each undecided variable collects the minimum costs of its values from its binary and ternary cost functions. The smallest of a
    /// variable's collected costs is added to the lower bound, and the remainder is spread over the cost functions that contain later variables. Each
    /// assignment below the upper bound keeps its cost, and all transfers of costs are undone when the search leaves the current level. Reweighting
    /// of the cost functions ends early after the allowed number of steps.
    ///
    /// **Errors.** [`Conflict`] if no assignment costs less than the upper bound.
    pub(in super::super) fn reweigh(&mut self, sweeps: usize) -> Result<(), Conflict> {
        let mut order = self.open().to_vec();
        order.sort_unstable();
        for _ in 0..sweeps {
            let before = self.lower;
            for &v in &order {
                self.reweigh_at(v as usize, Sweep::Forward)?;
            }
            for &v in order.iter().rev() {
                self.reweigh_at(v as usize, Sweep::Backward)?;
            }
            if self.work() >= self.pause_at || self.lower - before <= self.gap() / LEAST_GAIN {
                break;
            }
        }
        for &v in &order {
            if self.is_open(v as usize) {
                self.touch(v as usize);
            }
        }
        Ok(())
    }

    /// Collects the costs of the variable `v` from its cost functions, adds the smallest cost to the lower bound, and spreads the remainder over the
    /// functions with later variables.
    fn reweigh_at(&mut self, v: usize, sweep: Sweep) -> Result<(), Conflict> {
        if !self.is_open(v) || self.work() >= self.pause_at {
            return Ok(());
        }
        let (mut to_come, mut gone) = (0, 0);
        for i in 0..self.incident[v].len() {
            let f = self.incident[v][i] as usize;
            let Some((place, last)) = self.place_to_reweigh(f, v) else {
                continue;
            };
            if last == 1 {
                self.project_binary(f, place)?;
            } else {
                self.project_ternary(f, place)?;
            }
            let (before, after) = (i64::from(place > 0), i64::from(place < last));
            let (own_gone, own_to_come) = match sweep {
                Sweep::Forward => (before, after),
                Sweep::Backward => (after, before),
            };
            gone += own_gone;
            to_come += own_to_come;
        }
        self.make_node_consistent(v)?;
        if to_come == 0 || !self.is_open(v) {
            return Ok(());
        }
        let parts = to_come.max(gone);
        let mut shares = std::mem::take(&mut self.scratch);
        shares.clear();
        shares.resize(self.sizes[v] as usize, 0);
        let mut some = false;
        for i in 0..self.live_count(v) {
            let a = self.value(v, i);
            let cost = self.unary(v, a);
            shares[a] = cost / parts;
            if shares[a] > 0 {
                some = true;
                let at = self.unary_place(v, a);
                self.costs.set(at, cost - shares[a] * to_come);
            }
        }
        if some {
            for i in 0..self.incident[v].len() {
                let f = self.incident[v][i] as usize;
                let Some((place, last)) = self.place_to_reweigh(f, v) else {
                    continue;
                };
                let is_to_come = match sweep {
                    Sweep::Forward => place < last,
                    Sweep::Backward => place > 0,
                };
                if is_to_come {
                    self.extend_unary(f, place, &shares);
                }
            }
        }
        self.scratch = shares;
        Ok(())
    }

    /// Returns the index of the variable `v` in the scope of the active binary or ternary function `f`, and the last index of the scope;
    /// `None` for other functions.
    fn place_to_reweigh(&self, f: usize, v: usize) -> Option<(usize, usize)> {
        let function = &self.functions[f];
        let last = match function.arity {
            _ if !self.is_active(f) => return None,
            Arity::Binary => 1,
            Arity::Ternary => 2,
            Arity::Nary(_) => return None,
        };
        Some((function.place_of(v as u32), last))
    }

    /// Adds `shares` to the costs of the values of the variable with the index `place` in the scope of `f`, a binary or ternary function.
    fn extend_unary(&mut self, f: usize, place: usize, shares: &[i64]) {
        if self.functions[f].arity == Arity::Binary {
            let side = self.side(f, place);
            self.look(self.live_count(side.own));
            for i in 0..self.live_count(side.own) {
                let a = self.value(side.own, i);
                if shares[a] > 0 {
                    let at = side.own_shift + a;
                    let before = self.costs.get(at);
                    self.costs.set(at, before - shares[a]);
                }
            }
            return;
        }
        let side = self.ternary_side(f, place);
        self.looks += 1;
        for i in 0..self.live_count(side.own) {
            let a = self.value(side.own, i);
            if shares[a] > 0 {
                self.take_from_ternary(&side, a, -shares[a]);
            }
        }
    }
}
