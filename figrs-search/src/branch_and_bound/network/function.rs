//! The cost functions of a network: unary, binary, ternary and larger functions. The cost of two values by a binary function is an entry of a fixed
//! table minus a shift for each of the two values. The costs by a ternary function are stored as a table that the search changes.

use super::super::cost_table::{CostTable, FORBIDDEN, LARGE, ListedCosts};
use super::state::{ACTIVE, INACTIVE, Network};

pub(in super::super) const NONE: u32 = u32::MAX;

/// Number of variables (arity) of a cost function, which determines how its costs are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Arity {
    Binary,
    Ternary,
    /// A cost function of more than three variables, or with too large a table, given by its index in the list of such functions.
    Nary(u32),
}

/// A cost function of two or three variables in ascending order, or a reference to a function of more variables.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Function {
    pub(in super::super) arity: Arity,
    /// The first two or three variables of the cost function.
    pub(in super::super) scope: [u32; 3],
    /// The index of the cost function's first cost in the list of all costs.
    pub(in super::super) cells: u32,
    /// For a binary cost function, the index of each variable's first shift; the shift of a value is subtracted from all costs with this value.
    pub(in super::super) shifts: [u32; 2],
    /// For each variable of the cost function, the index of the support of the variable's first value. The support of a value in a cost function
    /// consists of values of the other variables with which the value has cost zero.
    pub(in super::super) supports: [u32; 3],
    /// For a ternary cost function, the indices of the binary functions of its first and second, its first and third, and its second and third
    /// variable.
    pub(in super::super) pairs: [u32; 3],
}

/// A cost function of more than three variables, or a cost function with too large a table. As in a binary cost function, each value of a variable
/// has a shift, which is subtracted from the stored costs with this value.
#[derive(Clone, Debug)]
pub(in super::super) struct NaryFunction {
    entries: NaryCosts,
    /// The index of the cost function in the list of all functions.
    pub(in super::super) function: u32,
    /// For each variable of the cost function, the index of the first shift of the variable's values.
    pub(in super::super) shifts: Vec<u32>,
}

/// The stored costs of an [`NaryFunction`]; a shift for each value must be subtracted from them.
#[derive(Clone, Debug)]
pub(in super::super) enum NaryCosts {
    Table(CostTable, Vec<usize>),
    Listed(ListedCosts),
}

impl NaryFunction {
    pub(in super::super) fn scope(&self) -> &[u32] {
        match &self.entries {
            NaryCosts::Table(table, _) => &table.scope,
            NaryCosts::Listed(listed) => &listed.scope,
        }
    }

    /// Returns the stored cost of the assignment `row`, without the subtraction of shifts.
    fn entry(&self, row: &[u32]) -> i64 {
        match &self.entries {
            NaryCosts::Table(table, strides) => {
                let places = row.iter().zip(strides);
                table.cells[places
                    .map(|(&x, stride)| x as usize * stride)
                    .sum::<usize>()]
            }
            NaryCosts::Listed(listed) => listed.at(row),
        }
    }
}

/// A binary cost function, seen from one of its variables (the own variable).
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Side {
    pub(in super::super) own: usize,
    pub(in super::super) other: usize,
    pub(in super::super) cells: usize,
    pub(in super::super) own_stride: usize,
    pub(in super::super) other_stride: usize,
    pub(in super::super) own_shift: usize,
    pub(in super::super) other_shift: usize,
    pub(in super::super) own_support: usize,
    pub(in super::super) other_support: usize,
}

/// Returns the sum of the stored cost `before` and the cost `added` that is moved to it. A forbidden cost stays forbidden, even if the added cost
/// `added` is negative.
fn joined(before: i64, added: i64) -> i64 {
    if before >= LARGE || added >= LARGE {
        FORBIDDEN
    } else {
        before + added
    }
}

impl Function {
    pub(in super::super) fn variables(&self) -> &[u32] {
        match self.arity {
            Arity::Binary => &self.scope[..2],
            Arity::Ternary | Arity::Nary(_) => &self.scope,
        }
    }
}

impl Network {
    /// Returns the binary cost function `f`, seen from its first (`side` 0) or second (`side` 1) variable.
    #[inline]
    pub(in super::super) fn side(&self, f: usize, side: usize) -> Side {
        let function = &self.functions[f];
        let [x, y, _] = function.scope.map(|v| v as usize);
        let stride = self.sizes[y] as usize;
        let (own, other, own_stride, other_stride) = if side == 0 {
            (x, y, stride, 1)
        } else {
            (y, x, 1, stride)
        };
        Side {
            own,
            other,
            cells: function.cells as usize,
            own_stride,
            other_stride,
            own_shift: function.shifts[side] as usize,
            other_shift: function.shifts[1 - side] as usize,
            own_support: function.supports[side] as usize,
            other_support: function.supports[1 - side] as usize,
        }
    }

    #[inline]
    pub(in super::super) fn pair_cost(&self, side: &Side, a: usize, b: usize) -> i64 {
        let cells = &self.costs.values;
        cells[side.cells + a * side.own_stride + b * side.other_stride]
            - cells[side.own_shift + a]
            - cells[side.other_shift + b]
    }

    /// Returns the binary cost function of the variables `x` and `y`, active or not; `None` if there is none.
    pub(in super::super) fn binary_between(&self, x: u32, y: u32) -> Option<usize> {
        let (low, high) = (x.min(y), x.max(y));
        let list = |v: u32| &self.incident[v as usize];
        let shorter = if list(low).len() < list(high).len() {
            list(low)
        } else {
            list(high)
        };
        shorter.iter().map(|&f| f as usize).find(|&f| {
            let function = &self.functions[f];
            function.arity == Arity::Binary && function.scope[..2] == [low, high]
        })
    }

    /// Adds the row-major costs `added` to the binary cost function of the variables `x` and `y`, which are in ascending order. The binary cost
    /// function is created if it does not exist.
    pub(in super::super) fn add_binary(&mut self, x: u32, y: u32, added: &[i64]) -> usize {
        let f = self
            .binary_between(x, y)
            .unwrap_or_else(|| self.new_binary(x, y));
        let function = self.functions[f];
        let mut changed = false;
        for (i, &cost) in added.iter().enumerate().filter(|(_, cost)| **cost > 0) {
            changed = true;
            let at = function.cells as usize + i;
            let before = self.costs.get(at);
            self.costs.set(at, joined(before, cost));
        }
        if changed {
            if !self.is_active(f) {
                self.active.set(f, ACTIVE);
            }
            for v in [x, y] {
                self.arc_queue.insert(v as usize);
                self.directed_queue.insert(v as usize);
                self.existential_queue.insert(v as usize);
            }
        }
        f
    }

    fn new_binary(&mut self, x: u32, y: u32) -> usize {
        let (rows, columns) = (self.sizes[x as usize], self.sizes[y as usize]);
        let cells = self.costs.values.len() as u32;
        let shifts = cells + rows * columns;
        let end = shifts + rows + columns;
        self.costs.values.resize(end as usize, 0);
        let supports = self.new_supports(rows + columns);
        self.push_function(Function {
            arity: Arity::Binary,
            scope: [x, y, NONE],
            cells,
            shifts: [shifts, shifts + rows],
            supports: [supports, supports + rows, NONE],
            pairs: [NONE; 3],
        })
    }

    fn new_supports(&mut self, number: u32) -> u32 {
        let first = self.supports.len() as u32;
        self.supports.resize((first + number) as usize, 0);
        first
    }

    fn push_function(&mut self, function: Function) -> usize {
        let f = self.functions.len();
        let variables: &[u32] = match function.arity {
            Arity::Nary(i) => self.nary[i as usize].scope(),
            _ => function.variables(),
        };
        for &v in variables {
            self.incident[v as usize].push(f as u32);
        }
        self.functions.push(function);
        self.active.values.push(INACTIVE);
        self.weights.push(1);
        f
    }

    /// Adds a cost table over two or more variables to the network of cost functions.
    pub(in super::super) fn add_table(&mut self, table: &CostTable) {
        match *table.scope.as_slice() {
            [x, y] => {
                self.add_binary(x, y, &table.cells);
            }
            [x, y, z] => {
                if let Some(f) = self.active_ternary([x, y, z]) {
                    self.add_to_ternary(f, &table.cells);
                    return;
                }
                let mut pair = |x, y| {
                    let found = self.binary_between(x, y);
                    found.unwrap_or_else(|| self.new_binary(x, y)) as u32
                };
                let pairs = [pair(x, y), pair(x, z), pair(y, z)];
                let sizes = [x, y, z].map(|v| self.sizes[v as usize]);
                let cells = self.costs.values.len() as u32;
                self.costs.values.extend_from_slice(&table.cells);
                let supports = self.new_supports(sizes.iter().sum());
                let f = self.push_function(Function {
                    arity: Arity::Ternary,
                    scope: [x, y, z],
                    cells,
                    shifts: [NONE; 2],
                    supports: [
                        supports,
                        supports + sizes[0],
                        supports + sizes[0] + sizes[1],
                    ],
                    pairs,
                });
                self.active.set(f, ACTIVE);
                for v in [x, y, z] {
                    self.touch(v as usize);
                }
            }
            _ => {
                let strides = table.strides(&self.sizes, &table.scope);
                self.add_nary(NaryCosts::Table(table.clone(), strides));
            }
        }
    }

    /// Returns the active ternary cost function of the variables `scope`, which are in ascending order; `None` if there is none.
    fn active_ternary(&self, scope: [u32; 3]) -> Option<usize> {
        let own = self.incident[scope[0] as usize].iter().map(|&f| f as usize);
        let mut ternary = own.filter(|&f| self.functions[f].arity == Arity::Ternary);
        ternary.find(|&f| self.is_active(f) && self.functions[f].scope == scope)
    }

    /// Adds the row-major costs `added` to the ternary cost function `f`.
    fn add_to_ternary(&mut self, f: usize, added: &[i64]) {
        let function = self.functions[f];
        for (i, &cost) in added.iter().enumerate().filter(|(_, cost)| **cost > 0) {
            let at = function.cells as usize + i;
            let before = self.costs.get(at);
            self.costs.set(at, joined(before, cost));
        }
        for v in function.scope {
            self.touch(v as usize);
        }
    }

    /// Adds a cost function whose costs are stored in an [`NaryFunction`].
    pub(in super::super) fn add_nary(&mut self, entries: NaryCosts) {
        let mut nary = NaryFunction {
            entries,
            function: self.functions.len() as u32,
            shifts: Vec::new(),
        };
        let mut scope = [NONE; 3];
        for (own, &v) in scope.iter_mut().zip(nary.scope()) {
            *own = v;
        }
        let mut end = self.costs.values.len() as u32;
        for &v in &nary.scope().to_vec() {
            nary.shifts.push(end);
            end += self.sizes[v as usize];
        }
        self.costs.values.resize(end as usize, 0);
        let place = self.nary.len();
        self.nary.push(nary);
        let f = self.push_function(Function {
            arity: Arity::Nary(place as u32),
            scope,
            cells: NONE,
            shifts: [NONE; 2],
            supports: [NONE; 3],
            pairs: [NONE; 3],
        });
        self.active.set(f, ACTIVE);
        self.nary_queue.insert(place);
    }

    /// Returns the cost of the assignment `row` by an [`NaryFunction`], after the subtraction of its shifts.
    pub(in super::super) fn nary_cost(&self, place: usize, row: &[u32]) -> i64 {
        let nary = &self.nary[place];
        let shifts = nary.shifts.iter().zip(row);
        let paid: i64 = shifts
            .map(|(&first, &x)| self.costs.get((first + x) as usize))
            .sum();
        nary.entry(row) - paid
    }
}
