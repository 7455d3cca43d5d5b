//! Cost functions as dense tables or lists of assignments, in their form before the search.

use figrs_factor::graph::Assignments;

/// A dense table with a cost for each assignment of some variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CostTable {
    pub(super) scope: Vec<u32>,
    /// The costs in lexicographic order of the assignments of the table's variables (the last variable changes fastest).
    pub(super) cells: Vec<i64>,
}

/// A cost function as a list of assignments with their costs, in lexicographic order; all other assignments are forbidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedCosts {
    pub(super) scope: Vec<u32>,
    pub(super) rows: Vec<u32>,
    pub(super) costs: Vec<i64>,
}

/// Cost functions over variables, which are given by indices; the cost of an assignment is the sum of its costs by all functions.
#[derive(Clone, Debug, Default)]
pub(super) struct CostTables {
    pub(super) sizes: Vec<u32>,
    pub(super) tables: Vec<CostTable>,
    /// Cost functions that are too large for dense tables, given as lists.
    pub(super) listed: Vec<ListedCosts>,
    /// A constant that is added to the cost of every assignment of the variables.
    pub(super) constant: i64,
}

impl CostTables {
    /// Returns the number of assignments of the variables `scope`, or the largest `usize` if there are more.
    pub(super) fn entries(&self, scope: &[u32]) -> usize {
        let sizes = scope.iter().map(|&v| self.sizes[v as usize] as usize);
        sizes.fold(1, usize::saturating_mul)
    }

    pub(super) fn scopes(&self) -> impl Iterator<Item = &[u32]> {
        let tables = self.tables.iter().map(|table| table.scope.as_slice());
        let scopes = tables.chain(self.listed.iter().map(|listed| listed.scope.as_slice()));
        scopes.filter(|scope| !scope.is_empty())
    }

    /// Returns the cost functions whose variables are all in `names`, without the constant cost; the new index of a variable is its position in
    /// `names`.
    pub(super) fn part(&self, names: &[u32]) -> Self {
        let mut place = vec![u32::MAX; self.sizes.len()];
        for (&v, i) in names.iter().zip(0..) {
            place[v as usize] = i;
        }
        let is_in = |scope: &[u32]| {
            scope
                .first()
                .is_some_and(|&v| place[v as usize] != u32::MAX)
        };
        let tables = self.tables.iter().filter(|table| is_in(&table.scope));
        let listed = self.listed.iter().filter(|listed| is_in(&listed.scope));
        Self {
            sizes: names.iter().map(|&v| self.sizes[v as usize]).collect(),
            tables: tables
                .map(|table| table.renamed(&self.sizes, |v| place[v as usize]))
                .collect(),
            listed: listed
                .map(|listed| listed.renamed(|v| place[v as usize]))
                .collect(),
            constant: 0,
        }
    }

    pub(super) fn cost(&self, values: &[u32]) -> i64 {
        let tables = self
            .tables
            .iter()
            .map(|table| table.at(&self.sizes, values));
        let listed = self
            .listed
            .iter()
            .map(|listed| listed.at_assignment(values));
        tables.chain(listed).fold(self.constant, add)
    }

    /// Returns the sum of the cost tables `tables`, as a table over their variables and the variables `scope`, in ascending order.
    pub(super) fn sum<'a>(
        &self,
        scope: &[u32],
        tables: impl Iterator<Item = &'a CostTable>,
    ) -> CostTable {
        let mut cells = vec![0; self.entries(scope)];
        let mut digits = vec![0u32; scope.len()];
        for table in tables {
            let strides = table.strides(&self.sizes, scope);
            digits.fill(0);
            let mut at = 0;
            for cell in &mut cells {
                *cell = add(*cell, table.cells[at]);
                for (i, digit) in digits.iter_mut().enumerate().rev() {
                    *digit += 1;
                    at += strides[i];
                    if *digit < self.sizes[scope[i] as usize] {
                        break;
                    }
                    at -= strides[i] * *digit as usize;
                    *digit = 0;
                }
            }
        }
        CostTable {
            scope: scope.to_vec(),
            cells,
        }
    }

    /// Returns the minimum of the cost table `table` over its variable `v`, as a table over its other variables.
    pub(super) fn minimum_over(&self, table: &CostTable, v: u32) -> CostTable {
        let place = table.scope.iter().position(|&u| u == v).unwrap_or(0);
        let size = self.sizes[v as usize] as usize;
        let inner = self.entries(&table.scope[place + 1..]);
        let mut scope = table.scope.clone();
        scope.remove(place);
        let mut cells = vec![FORBIDDEN; table.cells.len() / size];
        for (outer, block) in table.cells.chunks_exact(inner * size).enumerate() {
            for row in block.chunks_exact(inner) {
                let least = &mut cells[outer * inner..(outer + 1) * inner];
                for (least, &cost) in least.iter_mut().zip(row) {
                    *least = cost.min(*least);
                }
            }
        }
        CostTable { scope, cells }
    }
}

impl ListedCosts {
    pub(super) fn new(scope: Vec<u32>) -> Self {
        Self {
            scope,
            rows: Vec::new(),
            costs: Vec::new(),
        }
    }

    /// Adds the assignment `row` with the cost `cost` at the end of the listed cost function.
    pub(super) fn push(&mut self, row: &[u32], cost: i64) {
        self.rows.extend_from_slice(row);
        self.costs.push(cost);
    }

    pub(super) fn renamed(&self, name: impl Fn(u32) -> u32) -> Self {
        Self {
            scope: self.scope.iter().map(|&v| name(v)).collect(),
            ..self.clone()
        }
    }

    pub(super) fn at_assignment(&self, values: &[u32]) -> i64 {
        let row: Vec<u32> = self.scope.iter().map(|&v| values[v as usize]).collect();
        self.at(&row)
    }

    /// Returns the cost of the assignment `row` of the list's variables; the assignment is forbidden if the list does not contain it.
    pub(super) fn at(&self, row: &[u32]) -> i64 {
        let arity = self.scope.len();
        let (mut low, mut high) = (0, self.costs.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if &self.rows[middle * arity..(middle + 1) * arity] < row {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let is_listed = low < self.costs.len() && &self.rows[low * arity..(low + 1) * arity] == row;
        if is_listed {
            self.costs[low]
        } else {
            FORBIDDEN
        }
    }
}

impl CostTable {
    pub(super) fn at(&self, sizes: &[u32], values: &[u32]) -> i64 {
        let place = self.scope.iter().fold(0, |at, &v| {
            at * sizes[v as usize] as usize + values[v as usize] as usize
        });
        self.cells[place]
    }

    /// Returns the cost table with renamed variables, sorted by their new names.
    pub(super) fn renamed(&self, sizes: &[u32], name: impl Fn(u32) -> u32) -> Self {
        let mut pairs: Vec<(u32, u32)> = self.scope.iter().map(|&v| (name(v), v)).collect();
        pairs.sort_unstable();
        let mut digits = vec![0u32; pairs.len()];
        let old: Vec<u32> = pairs.iter().map(|&(_, v)| v).collect();
        let strides = self.strides(sizes, &old);
        let all = Assignments::rows(old.iter().map(|&v| sizes[v as usize] as usize));
        let mut cells = Vec::with_capacity(self.cells.len());
        for _ in 0..self.cells.len() {
            let places = digits.iter().zip(&strides);
            cells.push(
                self.cells[places
                    .map(|(&digit, stride)| digit as usize * stride)
                    .sum::<usize>()],
            );
            all.advance(&mut digits);
        }
        Self {
            scope: pairs.into_iter().map(|(new, _)| new).collect(),
            cells,
        }
    }

    /// Returns the stride in this cost table of each variable in `variables`; the stride is zero for a variable that the table does not have.
    pub(super) fn strides(&self, sizes: &[u32], variables: &[u32]) -> Vec<usize> {
        let mut strides = vec![0; variables.len()];
        let mut stride = 1;
        for &v in self.scope.iter().rev() {
            if let Some(place) = variables.iter().position(|&u| u == v) {
                strides[place] = stride;
            }
            stride *= sizes[v as usize] as usize;
        }
        strides
    }

    /// Subtracts the smallest cost of the table from all its costs, and returns the smallest cost.
    pub(super) fn take_minimum(&mut self) -> i64 {
        let least = self.cells.iter().copied().min().unwrap_or(0);
        if least < FORBIDDEN {
            for cell in &mut self.cells {
                if *cell < FORBIDDEN {
                    *cell -= least;
                }
            }
        }
        least
    }
}

/// Cost of a forbidden assignment. The sum of eight costs of forbidden assignments does not overflow.
pub(super) const FORBIDDEN: i64 = 1 << 59;

/// Threshold above which a cost is treated as forbidden. Finite costs stay far below the threshold for forbidden costs, even after costs have been
/// moved between functions.
pub(super) const LARGE: i64 = 1 << 58;

/// Maximum sum of all finite costs of a problem.
pub(super) const LARGEST_SUM: i64 = 1 << 56;

/// Returns the sum of two costs; the sum is forbidden if one of the costs is forbidden.
#[inline]
pub(super) fn add(a: i64, b: i64) -> i64 {
    (a + b).min(FORBIDDEN)
}
