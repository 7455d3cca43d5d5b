//! Node consistency: each variable has a value of unary cost zero, and no value whose unary cost plus the lower bound
//! reaches the upper bound.

use super::super::cost_table::LARGE;
use super::super::network::function::Arity;
use super::super::network::state::INACTIVE;
use super::super::network::{Conflict, Network};

impl Network {
    /// Increases the unary cost of the value `value` of a variable by `cost`; the value must not have been removed.
    #[inline]
    pub(in super::super) fn raise(&mut self, v: usize, value: usize, cost: i64) {
        let place = self.unary_place(v, value);
        let before = self.costs.get(place);
        self.costs.set(place, before + cost);
        if before == 0 {
            self.directed_queue.insert(v);
            self.existential_queue.insert(v);
        }
        self.queue_without_zero(v);
    }

    /// Puts the variable `v` into the queue if no value of `v` with unary cost zero is known. The stored value of unary cost zero may be outdated,
    /// because it may come from a search level that was undone.
    #[inline]
    pub(in super::super) fn queue_without_zero(&mut self, v: usize) {
        let cheapest = self.cheapest[v] as usize;
        if !self.is_live(v, cheapest) || self.unary(v, cheapest) > 0 {
            self.node_queue.insert(v);
        }
    }

    /// Moves the smallest unary cost of the variable `v` to the lower bound. Afterwards, removes the values whose unary cost plus the lower bound
    /// reaches the upper bound.
    pub(super) fn make_node_consistent(&mut self, v: usize) -> Result<(), Conflict> {
        self.look(self.live_count(v));
        let (mut least, mut cheapest) = (i64::MAX, 0);
        for &value in self.domain(v) {
            let cost = self.unary(v, value as usize);
            if cost < least {
                (least, cheapest) = (cost, value);
            }
        }
        self.cheapest[v] = cheapest;
        if least >= self.gap() {
            return Err(Conflict);
        }
        if least > 0 {
            self.lower += least;
            for place in 0..self.live_count(v) {
                let at = self.unary_place(v, self.value(v, place));
                let cost = self.costs.get(at);
                self.costs.set(at, cost - least);
            }
        }
        self.remove_costly(v)
    }

    /// Removes the values of the variable `v` whose unary cost plus the lower bound reaches the upper bound.
    fn remove_costly(&mut self, v: usize) -> Result<(), Conflict> {
        let gap = self.gap();
        self.costs_seen += self.live_count(v) as u64;
        for place in (0..self.live_count(v)).rev() {
            let value = self.value(v, place);
            if self.unary(v, value) >= gap {
                self.remove(v, value)?;
            }
        }
        Ok(())
    }

    /// Removes from all variables the values whose unary cost plus the lower bound reaches the upper bound, if the bounds have changed since the last
    /// call.
    pub(super) fn sweep(&mut self) -> Result<(), Conflict> {
        if self.swept == (self.lower, self.upper) {
            return Ok(());
        }
        self.swept = (self.lower, self.upper);
        let mut place = 0;
        while place < self.open().len() {
            let v = self.open()[place] as usize;
            self.remove_costly(v)?;
            // If the variable was assigned, another variable has taken its position in the list; the position is therefore visited again.
            place += usize::from(self.is_open(v));
        }
        Ok(())
    }

    /// Removes the variable `v`, which has a value, from its cost functions, which become functions of their other variables.
    pub(super) fn project_assigned(&mut self, v: usize) -> Result<(), Conflict> {
        let value = self.value(v, 0);
        for i in 0..self.incident[v].len() {
            let f = self.incident[v][i] as usize;
            if !self.is_active(f) {
                continue;
            }
            self.looks += 1;
            self.cause = f as u32;
            match self.functions[f].arity {
                Arity::Binary => {
                    self.active.set(f, INACTIVE);
                    let side = self.side(f, usize::from(self.functions[f].scope[0] != v as u32));
                    self.costs_seen += self.live_count(side.other) as u64;
                    for place in (0..self.live_count(side.other)).rev() {
                        let other = self.value(side.other, place);
                        let cost = self.pair_cost(&side, value, other);
                        if cost + self.unary(side.other, other) >= self.gap() {
                            self.remove(side.other, other)?;
                        } else if cost > 0 {
                            self.raise(side.other, other, cost);
                        }
                    }
                    self.loosened.insert(side.other);
                }
                Arity::Ternary => self.condition_ternary(f, v, value),
                Arity::Nary(place) => self.nary_queue.insert(place as usize),
            }
        }
        Ok(())
    }

    /// Replaces the ternary cost function `f` by a binary function of two of its variables; the third variable `v` has the value `value`.
    fn condition_ternary(&mut self, f: usize, v: usize, value: usize) {
        self.active.set(f, INACTIVE);
        let function = self.functions[f];
        let side = self.ternary_side(f, function.place_of(v as u32));
        let (x, y) = (side.others[0], side.others[1]);
        let (rows, columns) = (self.sizes[x] as usize, self.sizes[y] as usize);
        self.costs_seen += (rows * columns) as u64;
        let mut added = std::mem::take(&mut self.scratch);
        added.clear();
        added.resize(rows * columns, 0);
        for &b in self.domain(x) {
            for &c in self.domain(y) {
                let cost = self.triple_cost(&side, value, b as usize, c as usize);
                added[b as usize * columns + c as usize] = cost.min(LARGE);
            }
        }
        self.add_binary(x as u32, y as u32, &added);
        self.scratch = added;
        self.loosened.insert(x);
        self.loosened.insert(y);
    }
}
