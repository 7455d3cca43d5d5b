//! Preprocessing of cost functions: adds up functions of the same variables, and eliminates variables with few neighbours.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use figrs_factor::Until;
use rustc_hash::FxHashMap;

use super::cost_table::{CostTable, CostTables};
use figrs_factor::eliminate::EliminationError;

/// Maximum number of neighbours of a variable that preprocessing eliminates.
const NEIGHBOURS: usize = 3;

/// Maximum number of joint values of an eliminated variable and its neighbours.
const ASSIGNMENTS: usize = 1 << 14;

/// Cost functions after preprocessing, and the eliminated variables with their cost functions.
#[derive(Debug, Default)]
pub(super) struct Preprocessed {
    pub(super) tables: CostTables,
    /// For each remaining variable, its index before preprocessing.
    pub(super) names: Vec<u32>,
    /// The eliminated variables in the order of their elimination, each with the sum of the cost functions that contained the variable.
    eliminated: Vec<(u32, CostTable)>,
}

impl Preprocessed {
    /// Extends an assignment of the remaining variables to all variables, by the best values of the eliminated variables.
    pub(super) fn complete(&self, sizes: &[u32], values: &[u32]) -> Vec<u32> {
        let mut all = vec![0; sizes.len()];
        for (&v, &value) in self.names.iter().zip(values) {
            all[v as usize] = value;
        }
        for (v, table) in self.eliminated.iter().rev() {
            let cost = |value| {
                all[*v as usize] = value;
                (table.at(sizes, &all), value)
            };
            let best = (0..sizes[*v as usize]).map(cost).min();
            all[*v as usize] = best.map_or(0, |(_, value)| value);
        }
        all
    }
}

/// The cost functions that remain during the elimination of variables.
struct Elimination {
    tables: CostTables,
    incident: Vec<BTreeSet<usize>>,
    by_scope: FxHashMap<Vec<u32>, usize>,
}

impl Elimination {
    fn new(tables: CostTables) -> Self {
        let mut this = Self {
            incident: vec![BTreeSet::new(); tables.sizes.len()],
            by_scope: FxHashMap::default(),
            tables: CostTables {
                sizes: tables.sizes,
                tables: Vec::new(),
                listed: tables.listed,
                constant: tables.constant,
            },
        };
        for table in tables.tables {
            this.add(table);
        }
        this
    }

    /// Adds the cost table `table` to the cost function of the same variables, or to the list of functions if there is no such function.
    fn add(&mut self, mut table: CostTable) {
        let least = table.take_minimum();
        self.tables.constant = super::cost_table::add(self.tables.constant, least);
        if table.scope.is_empty() || table.cells.iter().all(|&cost| cost == 0) {
            return;
        }
        if let Some(&at) = self.by_scope.get(&table.scope) {
            let cells = &mut self.tables.tables[at].cells;
            for (cell, cost) in cells.iter_mut().zip(&table.cells) {
                *cell = super::cost_table::add(*cell, *cost);
            }
            return;
        }
        let at = self.tables.tables.len();
        for &v in &table.scope {
            self.incident[v as usize].insert(at);
        }
        self.by_scope.insert(table.scope.clone(), at);
        self.tables.tables.push(table);
    }

    /// Returns the variable `v` and the variables that share cost functions with it.
    fn scope_of(&self, v: u32) -> Vec<u32> {
        let tables = self.incident[v as usize].iter();
        let mut scope: Vec<u32> = tables
            .flat_map(|&t| &self.tables.tables[t].scope)
            .copied()
            .collect();
        scope.push(v);
        scope.sort_unstable();
        scope.dedup();
        scope
    }

    /// Removes the variable `v` and its cost functions, and returns the sum of these functions.
    fn eliminate(&mut self, v: u32) -> CostTable {
        let scope = self.scope_of(v);
        let used = std::mem::take(&mut self.incident[v as usize]);
        let sum = self
            .tables
            .sum(&scope, used.iter().map(|&t| &self.tables.tables[t]));
        for t in used {
            let table = std::mem::take(&mut self.tables.tables[t].scope);
            self.tables.tables[t].cells = Vec::new();
            self.by_scope.remove(&table);
            for u in table {
                self.incident[u as usize].remove(&t);
            }
        }
        self.add(self.tables.minimum_over(&sum, v));
        sum
    }
}

/// Adds up the cost functions of the same variables, and eliminates variables with few neighbours.
///
/// **Errors.** [`EliminationError::Interrupted`] if the deadline passes or an interrupt occurs.
pub(super) fn preprocess(
    tables: CostTables,
    until: &Until,
) -> Result<Preprocessed, EliminationError> {
    let n = tables.sizes.len();
    let mut elimination = Elimination::new(tables);
    let mut queue: BinaryHeap<Reverse<(usize, u32)>> = BinaryHeap::new();
    for v in 0..n as u32 {
        queue.push(Reverse((elimination.scope_of(v).len(), v)));
    }
    let mut is_left = vec![true; n];
    let mut is_listed = vec![false; n];
    for &v in elimination
        .tables
        .listed
        .iter()
        .flat_map(|listed| &listed.scope)
    {
        is_listed[v as usize] = true;
    }
    let mut eliminated = Vec::new();
    while let Some(Reverse((size, v))) = queue.pop() {
        if size > NEIGHBOURS + 1 {
            break;
        }
        if until.is_over() {
            return Err(EliminationError::Interrupted);
        }
        if !is_left[v as usize] || is_listed[v as usize] {
            continue;
        }
        let scope = elimination.scope_of(v);
        if scope.len() > NEIGHBOURS + 1 || elimination.tables.entries(&scope) > ASSIGNMENTS {
            continue;
        }
        is_left[v as usize] = false;
        eliminated.push((v, elimination.eliminate(v)));
        for u in scope {
            if is_left[u as usize] {
                queue.push(Reverse((elimination.scope_of(u).len(), u)));
            }
        }
    }
    let names: Vec<u32> = (0..n as u32).filter(|&v| is_left[v as usize]).collect();
    let constant = elimination.tables.constant;
    Ok(Preprocessed {
        tables: CostTables {
            constant,
            ..elimination.tables.part(&names)
        },
        names,
        eliminated,
    })
}

#[cfg(test)]
mod tests {
    use super::super::consistency::random_tables::{assignments, random_tables};
    use super::super::cost_table::LARGE;
    use super::*;

    /// Tests that the cost of each assignment of the remaining variables is the cost of its best extension to all variables.
    #[test]
    fn what_is_left_costs_as_much_as_its_best_completion() {
        let (mut some, mut eliminated) = (0, 0);
        for seed in 0..2000 {
            let tables = random_tables(seed + 90_000, 2 + seed as usize % 4);
            let all: Vec<(Vec<u32>, i64)> = assignments(&tables.sizes)
                .into_iter()
                .map(|values| (values.clone(), tables.cost(&values)))
                .collect();
            let left = preprocess(tables.clone(), &Until::default()).expect("nothing stops it");
            some += usize::from(!left.names.is_empty());
            eliminated += usize::from(!left.eliminated.is_empty());
            for values in assignments(&left.tables.sizes) {
                let agrees = |world: &[u32]| {
                    let mut pairs = left.names.iter().zip(&values);
                    pairs.all(|(&v, &value)| world[v as usize] == value)
                };
                let best = all
                    .iter()
                    .filter(|(world, _)| agrees(world))
                    .map(|(_, cost)| *cost)
                    .min();
                let cost = left.tables.cost(&values);
                let same = Some(cost) == best || cost >= LARGE && best >= Some(LARGE);
                assert!(same, "seed {seed}: {values:?} cost {cost}, not {best:?}");
                let complete = left.complete(&tables.sizes, &values);
                assert!(agrees(&complete), "seed {seed}: {complete:?}");
                if cost < LARGE {
                    assert_eq!(tables.cost(&complete), cost, "seed {seed}: {complete:?}");
                }
            }
        }
        assert!(some > 150 && eliminated > 1000, "{some} {eliminated}");
    }
}
