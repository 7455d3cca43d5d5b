//! Tabu search for a first assignment (incumbent) of the branch and bound.

use figrs_factor::Until;

use super::cost_table::{CostTables, LARGE};

/// Number of moves of the tabu search between two checks of the deadline.
const MOVES_IN_A_ROW: usize = 16;

/// Maximum number of moves of the tabu search, as a multiple of the number of variables; `LOOKS` is the maximum number of values that all moves
/// together examine.
const MOVES: usize = 20;
const LOOKS: usize = 1 << 20;

/// Minimum number of moves for which a changed variable is tabu (may not change again); a number below `MORE_REST`, which differs from move to move,
/// is added.
const LEAST_REST: usize = 5;
const MORE_REST: usize = 11;

/// State of a tabu search; each move changes the value of one variable.
struct TabuSearch<'a> {
    tables: &'a CostTables,
    /// For each variable, the indices of its cost functions; functions with dense tables have lower indices than listed functions.
    incident: Vec<Vec<usize>>,
    /// For each variable, the index of its first value in `costs`.
    first: Vec<usize>,
    /// For each variable and value, the cost by the variable's functions at this value, given the current values of the other variables.
    costs: Vec<f64>,
    values: Vec<u32>,
    /// The cost of a forbidden entry, which is far above all finite costs.
    penalty: f64,
    /// For each variable, the index of the first move of the tabu search that may change it again.
    rests_until: Vec<usize>,
}

/// Returns the best assignment that a tabu search from the assignment `values` finds. Each move of the tabu search sets one variable that is not tabu
/// to the value of smallest cost.
///
/// **Complexity.** Each move of the tabu search examines all values of all variables, and there are at most twenty moves for each variable.
///
/// **References.** Glover, *Tabu search: part I*, ORSA Journal on Computing 1(3), 1989; Galinier and Hao, *A general approach for constraint solving
/// by local search*, Journal of Mathematical Modelling and Algorithms 3, 2004 (the table of costs of moves).
pub(super) fn improved(
    tables: &CostTables,
    values: Vec<u32>,
    upper: i64,
    until: &Until,
) -> Vec<u32> {
    let mut search = TabuSearch::new(tables, values, upper as f64);
    let looks = search.costs.len().max(1);
    let mut present = 0.0;
    let mut best = (present, search.values.clone());
    for step in 0..(MOVES * tables.sizes.len()).min(LOOKS / looks) {
        if step % MOVES_IN_A_ROW == 0 && until.is_over() {
            break;
        }
        let Some((v, value, gain)) = search.best_move(step, present - best.0) else {
            break;
        };
        search.change(v, value);
        search.rests_until[v] = step + LEAST_REST + (step * 7 + v) % MORE_REST;
        present += gain;
        if present < best.0 {
            best = (present, search.values.clone());
        }
    }
    best.1
}

impl<'a> TabuSearch<'a> {
    fn new(tables: &'a CostTables, values: Vec<u32>, penalty: f64) -> Self {
        let n = tables.sizes.len();
        let mut first = Vec::with_capacity(n);
        let mut total = 0;
        for &size in &tables.sizes {
            first.push(total);
            total += size as usize;
        }
        let mut incident = vec![Vec::new(); n];
        let scopes = tables.tables.iter().map(|table| &table.scope);
        let scopes = scopes.chain(tables.listed.iter().map(|listed| &listed.scope));
        for (f, scope) in scopes.enumerate() {
            for &v in scope {
                incident[v as usize].push(f);
            }
        }
        let mut this = Self {
            tables,
            incident,
            first,
            costs: vec![0.0; total],
            values,
            penalty: 4.0 * penalty + 1.0,
            rests_until: vec![0; n],
        };
        for v in 0..n {
            for i in 0..this.incident[v].len() {
                this.add_costs(this.incident[v][i], v, 1.0);
            }
        }
        this
    }

    fn scope(&self, f: usize) -> &'a [u32] {
        match f.checked_sub(self.tables.tables.len()) {
            None => &self.tables.tables[f].scope,
            Some(listed) => &self.tables.listed[listed].scope,
        }
    }

    /// Adds the costs by the cost function `f`, multiplied by `sign`, to the costs of all values of the variable `v`.
    fn add_costs(&mut self, f: usize, v: usize, sign: f64) {
        let present = self.values[v];
        for value in 0..self.tables.sizes[v] {
            self.values[v] = value;
            let cost = match f.checked_sub(self.tables.tables.len()) {
                None => self.tables.tables[f].at(&self.tables.sizes, &self.values),
                Some(listed) => self.tables.listed[listed].at_assignment(&self.values),
            };
            let cost = if cost >= LARGE {
                self.penalty
            } else {
                cost as f64
            };
            self.costs[self.first[v] + value as usize] += sign * cost;
        }
        self.values[v] = present;
    }

    /// Returns the best change of a single variable, and the change of the total cost by it. The change of a tabu variable is allowed only if its
    /// result is better than the best known assignment; `above` is the current cost minus the cost of the best known assignment.
    fn best_move(&self, step: usize, above: f64) -> Option<(usize, u32, f64)> {
        let mut best: Option<(usize, u32, f64)> = None;
        for v in 0..self.values.len() {
            let costs = &self.costs[self.first[v]..][..self.tables.sizes[v] as usize];
            let present = self.values[v] as usize;
            let is_free = self.rests_until[v] <= step;
            for (value, cost) in costs
                .iter()
                .enumerate()
                .filter(|(value, _)| *value != present)
            {
                let gain = cost - costs[present];
                let is_better = best.is_none_or(|(_, _, least)| gain < least);
                if is_better && (is_free || above + gain < 0.0) {
                    best = Some((v, value as u32, gain));
                }
            }
        }
        best
    }

    fn change(&mut self, v: usize, value: u32) {
        for i in 0..self.incident[v].len() {
            let f = self.incident[v][i];
            let scope = self.scope(f);
            for &u in scope.iter().filter(|&&u| u as usize != v) {
                self.add_costs(f, u as usize, -1.0);
            }
        }
        self.values[v] = value;
        for i in 0..self.incident[v].len() {
            let f = self.incident[v][i];
            let scope = self.scope(f);
            for &u in scope.iter().filter(|&&u| u as usize != v) {
                self.add_costs(f, u as usize, 1.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::consistency::random_tables::{assignments, random_tables};
    use super::*;

    /// In small problems, the tabu search must find the best assignment in more than 90% of the runs, and must never return an assignment worse than
    /// its start.
    #[test]
    fn the_best_of_small_cases_is_found() {
        let (mut found, mut cases) = (0, 0);
        for seed in 0..500 {
            let tables = random_tables(seed, 2 + seed as usize % 4);
            let start = vec![0; tables.sizes.len()];
            let all = assignments(&tables.sizes);
            let best = all
                .iter()
                .map(|values| tables.cost(values))
                .min()
                .unwrap_or(0);
            let end = improved(&tables, start.clone(), 1 << 40, &Until::default());
            assert!(
                tables.cost(&end) <= tables.cost(&start),
                "seed {seed}: {end:?}"
            );
            cases += 1;
            found += usize::from(tables.cost(&end) == best);
        }
        assert!(found * 10 > cases * 9, "{found} of {cases}");
    }
}
