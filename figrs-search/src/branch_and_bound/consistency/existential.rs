//! Existential arc consistency: each variable has a value of unary cost zero that has, in each cost function of the variable, an extension of cost
//! zero (a support).

use super::super::network::function::Arity;
use super::super::network::{Conflict, Network};

impl Network {
    /// Returns the index of the variable `v` in the scope of the cost function `f`; `None` if directional arc consistency already moves the costs of
    /// `f` to `v`.
    fn place_against_order(&self, f: usize, v: usize) -> Option<usize> {
        let function = &self.functions[f];
        if !self.is_active(f) || matches!(function.arity, Arity::Nary(_)) {
            return None;
        }
        let place = function.place_of(v as u32);
        (place > 0).then_some(place)
    }

    /// Returns the minimum cost of the value `value` by all cost functions of the variable `v` if this cost is below `limit`; otherwise returns some
    /// cost of at least `limit`.
    fn cost_of_value(&mut self, v: usize, value: usize, limit: i64) -> i64 {
        let mut cost = self.unary(v, value);
        for i in 0..self.incident[v].len() {
            if cost >= limit {
                return cost;
            }
            let f = self.incident[v][i] as usize;
            if let Some(place) = self.place_against_order(f, v) {
                cost += match self.functions[f].arity {
                    Arity::Binary => self.full_binary_cost(f, place, value),
                    _ => self.full_ternary_cost(f, place, value),
                };
            }
        }
        cost
    }

    /// Finds a value of the variable `v` that has an extension of cost zero (a support) in all cost functions of `v`. If no value of the variable is
    /// supported by all cost functions, moves costs to the variable, which may raise the lower bound. Returns `false` if costs were moved to the
    /// variable.
    pub(super) fn make_existential(&mut self, v: usize) -> Result<bool, Conflict> {
        let limit = self.worthwhile;
        let known = self.supported[v] as usize;
        if self.is_live(v, known) && self.cost_of_value(v, known, limit) < limit {
            return Ok(true);
        }
        for place in 0..self.live_count(v) {
            let value = self.value(v, place);
            if value != known && self.cost_of_value(v, value, limit) < limit {
                self.supported[v] = value as u32;
                return Ok(true);
            }
        }
        for i in 0..self.incident[v].len() {
            let f = self.incident[v][i] as usize;
            if let Some(place) = self.place_against_order(f, v) {
                match self.functions[f].arity {
                    Arity::Binary => self.project_binary_fully(f, place)?,
                    _ => self.project_ternary_fully(f, place)?,
                }
            }
        }
        Ok(false)
    }
}
