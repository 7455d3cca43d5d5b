//! Elimination of variables with few neighbours during the search.

use super::super::cost_table::{FORBIDDEN, LARGE, add};
use super::super::network::function::Arity;
use super::super::network::state::ELIMINATED;
use super::super::network::{Conflict, Network};

/// Maximum number of joint values of an eliminated variable and its neighbours.
const ASSIGNMENTS: usize = 1 << 12;

/// Maximum number of entries of the binary cost function of two neighbours, including entries of removed values.
const LINK: usize = 1 << 18;

impl Network {
    /// Eliminates the undecided variable `v` if it shares cost functions with at most two other variables.
    ///
    /// **References.** Larrosa and Dechter, *Boosting search with variable elimination in constraint optimization and constraint
    /// satisfaction problems*, Constraints 8, 2003.
    pub(in super::super) fn eliminate_if_easy(&mut self, v: usize) -> Result<(), Conflict> {
        if !self.is_open(v) || self.kept[v] {
            return Ok(());
        }
        let Some((neighbours, count)) = self.few_neighbours(v) else {
            return Ok(());
        };
        let neighbouring = neighbours[..count].iter().map(|&u| u as usize);
        let joint = neighbouring.clone().map(|u| self.live_count(u));
        let assignments = joint.fold(self.live_count(v), usize::saturating_mul);
        let sizes = neighbouring.map(|u| self.sizes[u] as usize);
        let link = sizes.fold(1, usize::saturating_mul);
        if assignments > ASSIGNMENTS || count == 2 && link > LINK {
            return Ok(());
        }
        self.look(assignments + if count == 2 { link } else { 0 });
        match neighbours[..count] {
            [x] => self.eliminate_leaf(v, x as usize)?,
            [x, y] => self.eliminate_link(v, x.min(y) as usize, x.max(y) as usize),
            _ => {}
        }
        self.close(v);
        self.eliminated.push(v as u32);
        for i in 0..self.incident[v].len() {
            let f = self.incident[v][i] as usize;
            if self.is_active(f) {
                self.active.set(f, ELIMINATED + v as u32);
            }
        }
        for &u in &neighbours[..count] {
            self.loosened.insert(u as usize);
        }
        Ok(())
    }

    /// Returns the neighbours of the variable `v` and their number; `None` if there are more than two.
    fn few_neighbours(&self, v: usize) -> Option<([u32; 2], usize)> {
        let (mut found, mut count) = ([0; 2], 0);
        for &f in &self.incident[v] {
            let f = f as usize;
            if !self.is_active(f) {
                continue;
            }
            let function = &self.functions[f];
            if matches!(function.arity, Arity::Nary(_)) {
                return None;
            }
            for &u in function.variables() {
                if u as usize == v || found[..count].contains(&u) {
                    continue;
                }
                if count == 2 {
                    return None;
                }
                found[count] = u;
                count += 1;
            }
        }
        Some((found, count))
    }

    /// Returns the cost of the value `a` of the variable `v` and the values `others` of its neighbours, by all cost functions of `v`.
    fn cost_with(&self, v: usize, a: usize, others: &[(usize, usize)]) -> i64 {
        let mut cost = self.unary(v, a);
        for &f in &self.incident[v] {
            let f = f as usize;
            if !self.is_active(f) {
                continue;
            }
            cost += self.cost_in(f, v, a, others);
            if cost >= LARGE {
                return FORBIDDEN;
            }
        }
        cost
    }

    /// Returns the cost of the value `a` of the variable `v` and the values `others` of other variables, by the cost function `f`.
    pub(in super::super) fn cost_in(
        &self,
        f: usize,
        v: usize,
        a: usize,
        others: &[(usize, usize)],
    ) -> i64 {
        let function = &self.functions[f];
        let value = |u: usize| {
            let found = others.iter().find(|(other, _)| *other == u);
            found.map_or(0, |(_, value)| *value)
        };
        if function.arity == Arity::Binary {
            let side = self.side(f, usize::from(function.scope[0] as usize != v));
            return self.pair_cost(&side, a, value(side.other));
        }
        let side = self.ternary_side(f, function.place_of(v as u32));
        self.triple_cost(&side, a, value(side.others[0]), value(side.others[1]))
    }

    fn least_with(&self, v: usize, others: &[(usize, usize)]) -> i64 {
        let costs = self
            .domain(v)
            .iter()
            .map(|&a| self.cost_with(v, a as usize, others));
        costs.min().unwrap_or(FORBIDDEN)
    }

    /// Eliminates the variable `v`, whose only neighbour is `x`, and adds the costs minimised over `v` to the unary costs of `x`.
    fn eliminate_leaf(&mut self, v: usize, x: usize) -> Result<(), Conflict> {
        for place in (0..self.live_count(x)).rev() {
            let b = self.value(x, place);
            let cost = self.least_with(v, &[(x, b)]);
            if cost + self.unary(x, b) >= self.gap() {
                self.remove(x, b)?;
            } else if cost > 0 {
                self.raise(x, b, cost);
            }
        }
        Ok(())
    }

    /// Eliminates the variable `v`, whose neighbours are `x` and `y`, and adds the costs minimised over `v` to the binary cost function of `x` and
    /// `y`.
    fn eliminate_link(&mut self, v: usize, x: usize, y: usize) {
        let columns = self.sizes[y] as usize;
        let mut added = std::mem::take(&mut self.scratch);
        added.clear();
        added.resize(self.sizes[x] as usize * columns, 0);
        for &b in self.domain(x) {
            for &c in self.domain(y) {
                let (b, c) = (b as usize, c as usize);
                added[b * columns + c] = self.least_with(v, &[(x, b), (y, c)]);
            }
        }
        // If this call creates the binary function of the two neighbours, the search undoes the function together with the current search level.
        self.add_binary(x as u32, y as u32, &added);
        self.scratch = added;
    }

    /// Returns the values of all variables if no variable is undecided; eliminated variables get their best values.
    pub(in super::super) fn complete_assignment(&self) -> Vec<u32> {
        let mut values: Vec<u32> = (0..self.sizes.len())
            .map(|v| self.value(v, 0) as u32)
            .collect();
        for &v in self.eliminated.iter().rev() {
            let best = self.domain(v as usize).iter().map(|&a| {
                values[v as usize] = a;
                (self.eliminated_cost(v, &values), a)
            });
            values[v as usize] = best.min().map_or(0, |(_, a)| a);
        }
        values
    }

    /// Returns the cost of the assignment `values` by the cost functions that were eliminated with the variable `v`.
    fn eliminated_cost(&self, v: u32, values: &[u32]) -> i64 {
        let v = v as usize;
        let own = self.incident[v].iter().map(|&f| f as usize);
        let own = own.filter(|&f| self.active.get(f) == ELIMINATED + v as u32);
        let costs = own.map(|f| {
            let value = |u: &u32| (*u as usize, values[*u as usize] as usize);
            let mut others = [(usize::MAX, 0); 3];
            let scope = self.functions[f].variables();
            for (other, u) in others.iter_mut().zip(scope) {
                *other = value(u);
            }
            self.cost_in(f, v, values[v] as usize, &others[..scope.len()])
        });
        costs.fold(self.unary(v, values[v] as usize), add)
    }
}
