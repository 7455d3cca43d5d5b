//! Sequential tree-reweighted transfers of costs between functions, which raise the lower bound before the search begins.

use figrs_factor::Until;

use super::cost_table::{CostTable, CostTables, FORBIDDEN, LARGE};

/// Maximum number of sweeps of reweighting; `LOOKS` is the maximum number of costs that all sweeps together read.
const SWEEPS: usize = 400;
const LOOKS: usize = 1 << 24;

/// Divisor of the gain of all sweeps so far: reweighting continues as long as a sweep raises the lower bound by more than the quotient.
const LEAST_GAIN: i64 = 1 << 10;

/// Cost functions during a reweighting, which moves costs between unary functions and functions of several variables.
struct Reweighting {
    sizes: Vec<u32>,
    unary: Vec<Vec<i64>>,
    tables: Vec<CostTable>,
    incident: Vec<Vec<Incidence>>,
    constant: i64,
}

/// A cost function that contains a given variable, with the position of the variable in the function.
#[derive(Clone, Copy)]
struct Incidence {
    table: usize,
    /// The difference of the indices of two costs at consecutive values of the given variable.
    stride: usize,
    /// True if the cost function contains a later variable; `has_earlier` is true if it contains an earlier variable.
    has_later: bool,
    has_earlier: bool,
}

/// Returns the maximum number of reweighting sweeps for cost functions with the total size of `tables`.
pub(super) fn affordable_sweeps(tables: &CostTables) -> usize {
    let looks = tables
        .tables
        .iter()
        .map(|table| table.cells.len() * table.scope.len());
    SWEEPS.min(LOOKS / (looks.sum::<usize>() + 1))
}

/// Moves costs between functions until a sweep hardly raises the constant (the lower bound of the cost), or the deadline has passed.
///
/// In a sweep of reweighting, each variable takes the minimum cost of each of its values from all its cost functions. The smallest of a variable's
/// collected costs is added to the constant (the lower bound), and the remainder is spread evenly over the functions with later variables. Every
/// second sweep of reweighting visits the variables in reverse order. Reweighting keeps the cost of each assignment, and makes no cost negative. With
/// enough sweeps, pairwise functions become virtually arc consistent: the pairs and values of cost zero contain an arc-consistent subset.
///
/// **References.** Kolmogorov, *Convergent tree-reweighted message passing for energy minimization*, IEEE Transactions on Pattern Analysis and
/// Machine Intelligence 28(10), 2006; Cooper, de Givry, Sanchez, Schiex, Zytnicki and Werner, *Soft arc consistency revisited*, Artificial
/// Intelligence 174, 2010 (virtual arc consistency).
pub(super) fn reweighted(tables: &CostTables, sweeps: usize, until: &Until) -> CostTables {
    let mut this = Reweighting::new(tables);
    let start = this.constant;
    'sweeps: for _ in 0..sweeps {
        let before = this.constant;
        for v in 0..this.sizes.len() {
            if until.is_over() {
                break 'sweeps;
            }
            this.visit(v, |at| (at.has_later, at.has_earlier));
        }
        for v in (0..this.sizes.len()).rev() {
            if until.is_over() {
                break 'sweeps;
            }
            this.visit(v, |at| (at.has_earlier, at.has_later));
        }
        if this.constant >= LARGE || this.constant - before <= (this.constant - start) / LEAST_GAIN
        {
            break;
        }
    }
    this.collect_from_large();
    this.into_tables(tables)
}

impl Reweighting {
    fn new(tables: &CostTables) -> Self {
        let mut this = Self {
            sizes: tables.sizes.clone(),
            unary: tables
                .sizes
                .iter()
                .map(|&size| vec![0; size as usize])
                .collect(),
            tables: Vec::new(),
            incident: vec![Vec::new(); tables.sizes.len()],
            constant: tables.constant,
        };
        for table in &tables.tables {
            match *table.scope.as_slice() {
                [] => this.constant = super::cost_table::add(this.constant, table.cells[0]),
                [v] => {
                    for (cost, &cell) in this.unary[v as usize].iter_mut().zip(&table.cells) {
                        *cost = super::cost_table::add(*cost, cell);
                    }
                }
                _ => this.add(table),
            }
        }
        this
    }

    fn add(&mut self, table: &CostTable) {
        let mut stride = table.cells.len();
        let (first, last) = (table.scope[0], table.scope[table.scope.len() - 1]);
        for &v in &table.scope {
            stride /= self.sizes[v as usize] as usize;
            self.incident[v as usize].push(Incidence {
                table: self.tables.len(),
                stride,
                has_later: v != last,
                has_earlier: v != first,
            });
        }
        self.tables.push(table.clone());
    }

    /// Collects the costs of the variable `v` from its cost functions, and spreads them over the functions with later variables. The function `ahead`
    /// returns two marks of a cost function: `true` if the function contains variables that the sweep visits later, and `true` if it contains
    /// variables that the sweep visited earlier.
    fn visit(&mut self, v: usize, ahead: impl Fn(&Incidence) -> (bool, bool)) {
        if self.constant >= LARGE {
            return;
        }
        let size = self.sizes[v] as usize;
        let (mut to_come, mut gone) = (0, 0);
        for at in &self.incident[v] {
            let (is_to_come, is_gone) = ahead(at);
            to_come += i64::from(is_to_come);
            gone += i64::from(is_gone);
            take(
                &mut self.tables[at.table].cells,
                &mut self.unary[v],
                size,
                at.stride,
            );
        }
        let least = self.unary[v].iter().copied().min().unwrap_or(0);
        if least >= LARGE {
            self.constant = FORBIDDEN;
            return;
        }
        self.constant += least;
        let parts = to_come.max(gone).max(1);
        for (value, cost) in self.unary[v].iter_mut().enumerate() {
            if *cost >= LARGE {
                continue;
            }
            *cost -= least;
            let share = *cost / parts;
            if share == 0 {
                continue;
            }
            for at in &self.incident[v] {
                if ahead(at).0 {
                    *cost -= share;
                    let cells = &mut self.tables[at.table].cells;
                    for i in places(cells.len(), size, at.stride, value) {
                        if cells[i] < LARGE {
                            cells[i] += share;
                        }
                    }
                }
            }
        }
    }

    /// Moves costs from functions of many variables back to unary functions, because the search itself cannot move costs out of functions of many
    /// variables.
    fn collect_from_large(&mut self) {
        for v in 0..self.sizes.len() {
            for at in &self.incident[v] {
                if self.tables[at.table].scope.len() > 3 {
                    let size = self.sizes[v] as usize;
                    take(
                        &mut self.tables[at.table].cells,
                        &mut self.unary[v],
                        size,
                        at.stride,
                    );
                }
            }
        }
    }

    fn into_tables(self, before: &CostTables) -> CostTables {
        let unary = self.unary.into_iter().zip(0..).map(|(cells, v)| CostTable {
            scope: vec![v],
            cells,
        });
        CostTables {
            sizes: self.sizes,
            tables: unary.chain(self.tables).collect(),
            listed: before.listed.clone(),
            constant: self.constant,
        }
    }
}

/// Moves the minimum cost of each value of a variable from the cost table `cells` to the unary cost of the value.
fn take(cells: &mut [i64], unary: &mut [i64], size: usize, stride: usize) {
    for (value, cost) in unary.iter_mut().enumerate() {
        let least = places(cells.len(), size, stride, value)
            .map(|i| cells[i])
            .min();
        let least = least.unwrap_or(0);
        if least >= LARGE {
            *cost = FORBIDDEN;
        } else if least > 0 && *cost < LARGE {
            *cost += least;
            for i in places(cells.len(), size, stride, value) {
                if cells[i] < LARGE {
                    cells[i] -= least;
                }
            }
        }
    }
}

/// Returns the indices of the costs at the value `value` of a variable in a table of `cells` costs.
fn places(cells: usize, size: usize, stride: usize, value: usize) -> impl Iterator<Item = usize> {
    let blocks = (0..cells).step_by(stride * size);
    blocks.flat_map(move |block| {
        let start = block + value * stride;
        start..start + stride
    })
}

#[cfg(test)]
mod tests {
    use super::super::consistency::random_tables::{assignments, random_tables};
    use super::*;

    #[test]
    fn costs_of_assignments_stay_and_none_is_negative() {
        let mut raised = 0;
        for seed in 0..2000 {
            let tables = random_tables(seed + 7_000, 2 + seed as usize % 4);
            let moved = reweighted(&tables, SWEEPS, &Until::default());
            for values in assignments(&tables.sizes) {
                let (before, after) = (tables.cost(&values), moved.cost(&values));
                let same = before == after || before >= LARGE && after >= LARGE;
                assert!(same, "seed {seed}: {values:?} cost {before}, then {after}");
                assert!(moved.constant <= before, "seed {seed}: {values:?}");
            }
            let costs = moved.tables.iter().flat_map(|table| &table.cells);
            assert!(costs.clone().all(|&cost| cost >= 0), "seed {seed}");
            raised += usize::from(moved.constant > tables.constant);
        }
        assert!(raised > 500, "{raised}");
    }

    /// Tests that, on a chain of variables, reweighting raises the constant to the best cost, up to a difference too small for another sweep.
    #[test]
    fn the_bound_of_a_chain_is_its_best_cost() {
        for seed in 0..100i64 {
            let mut tables = CostTables {
                sizes: vec![3; 6],
                ..CostTables::default()
            };
            for v in 0..5u32 {
                let cost = |i: i64| (seed * 31 + i64::from(v) * 17 + i * 7919) % 1009;
                tables.tables.push(CostTable {
                    scope: vec![v, v + 1],
                    cells: (0..9).map(cost).collect(),
                });
            }
            let all = assignments(&tables.sizes);
            let best = all.iter().map(|values| tables.cost(values)).min();
            assert_eq!(
                Some(reweighted(&tables, SWEEPS, &Until::default()).constant),
                best,
                "seed {seed}"
            );
        }
    }
}
