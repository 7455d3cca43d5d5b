//! Order in which the join of one bucket assigns its variables.

use std::cmp::Reverse;

use super::prepare::{Domain, TableKind, TableShape};

/// If the child (last variable) of a function has a value before its parents, the function is stored as a list of rows, provided that the child has
/// at least this many values.
const LISTED_FROM: usize = 4;

/// One variable of a join, and the function table that computes the variable, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VariableTurn {
    pub(super) variable: usize,
    /// The function table that computes the variable; `None` if the join tries the values of the variable.
    pub(super) function: Option<usize>,
}

/// Orders the variables that have no fixed value so that the join finds zeros early.
///
/// The kind of a function table is set to [`TableKind::Sparse`] if the join should read it as a list of rows.
///
/// In the variable order of a join, the parents of a function table come before its child, whose value is then computed. In the variable order of a
/// join, variables of sparse tables come before variables that occur only in dense tables. Among the variables of sparse tables, variables whose
/// table already contains a variable with a value come first. Among variables that the earlier criteria for the order of a join leave equal, the
/// variable with the fewest values for each previous assignment comes first. The number of values of a variable is estimated from the number of rows
/// per value in its table. Among variables with equally few values, the one that occurs in more tables comes first, because all variables of a table
/// then have values early. The order of the variables in the largest table resolves the remaining ties between variables, because memory is then read
/// sequentially.
pub(super) fn order_variables(domain: &Domain, shapes: &mut [TableShape]) -> Vec<VariableTurn> {
    let mut search = VariableOrderSearch::new(domain, shapes);
    search.compute();
    while let Some(v) = search.cheapest() {
        search.assign(v, None);
        search.compute();
    }
    search.slots
}

struct VariableOrderSearch<'a> {
    domain: &'a Domain,
    shapes: &'a mut [TableShape],
    tables: Vec<Vec<usize>>,
    /// For each function table, the number of parents without a value; for each other table, the number of variables without a
    /// value.
    missing: Vec<usize>,
    assigned: Vec<bool>,
    waiting: Vec<usize>,
    /// The function tables whose parents all have values and whose child (last variable) may still have none.
    ready: Vec<usize>,
    rank: Vec<VariablePriority>,
    slots: Vec<VariableTurn>,
}

/// Sort key of a variable in the order of a join: the variable with the smallest key is assigned first. The sort keys of variables are compared field
/// by field, in the order in which the fields are declared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct VariablePriority {
    is_child: bool,
    support: ValueRestriction,
    /// Estimated number of values of the variable for each assignment of the previous variables, from sparse tables with an assigned variable.
    branching: usize,
    tables: Reverse<usize>,
    place: usize,
}

/// The degree to which sparse tables restrict the values of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ValueRestriction {
    Begun,
    Listed,
    Nothing,
}

impl<'a> VariableOrderSearch<'a> {
    fn new(domain: &'a Domain, shapes: &'a mut [TableShape]) -> Self {
        let n = domain.variables.len();
        let unknown = VariablePriority {
            is_child: false,
            support: ValueRestriction::Nothing,
            branching: usize::MAX,
            tables: Reverse(0),
            place: usize::MAX,
        };
        let mut this = Self {
            domain,
            tables: vec![Vec::new(); n],
            missing: vec![0; shapes.len()],
            assigned: domain.pins.iter().map(Option::is_some).collect(),
            waiting: (0..n).filter(|&v| domain.pins[v].is_none()).collect(),
            ready: Vec::new(),
            rank: vec![unknown; n],
            slots: Vec::with_capacity(n),
            shapes,
        };
        for t in 0..this.shapes.len() {
            this.add_table(t);
        }
        let largest = this.shapes.iter().max_by_key(|shape| shape.entries);
        for (place, &v) in largest
            .iter()
            .flat_map(|shape| shape.columns.iter().enumerate())
        {
            this.rank[v].place = place;
        }
        this
    }

    fn add_table(&mut self, t: usize) {
        let (begun, child_known) = {
            let columns = &self.shapes[t].columns;
            let known = |&&v: &&usize| self.assigned[v];
            (
                columns.iter().any(|v| known(&v)),
                columns.last().is_some_and(|v| known(&v)),
            )
        };
        for i in 0..self.shapes[t].columns.len() {
            let v = self.shapes[t].columns[i];
            self.tables[v].push(t);
            self.rank[v].tables.0 += 1;
            self.missing[t] += usize::from(!self.assigned[v]);
        }
        match self.shapes[t].kind {
            TableKind::Dense => {}
            TableKind::Sparse => self.support(
                t,
                if begun {
                    ValueRestriction::Begun
                } else {
                    ValueRestriction::Listed
                },
            ),
            TableKind::Function if child_known && self.missing[t] > 0 => self.list_function(t),
            TableKind::Function => {
                if let Some(&child) = self.shapes[t].columns.last() {
                    self.missing[t] -= usize::from(!child_known);
                    self.rank[child].is_child = true;
                }
                if self.missing[t] == 0 {
                    self.ready.push(t);
                }
            }
        }
    }

    fn support(&mut self, t: usize, support: ValueRestriction) {
        let TableShape {
            columns, entries, ..
        } = &self.shapes[t];
        let known = columns.iter().filter(|&&v| self.assigned[v]);
        let assignments = known.fold(1usize, |n, &v| n.saturating_mul(self.domain.cards[v]));
        let left = entries.div_ceil(assignments.max(1));
        for &v in columns {
            let rank = &mut self.rank[v];
            rank.support = rank.support.min(support);
            if support == ValueRestriction::Begun {
                rank.branching = rank.branching.min(left).min(self.domain.cards[v]);
            }
        }
    }

    fn list_function(&mut self, t: usize) {
        self.shapes[t].kind = TableKind::Sparse;
        self.support(t, ValueRestriction::Begun);
    }

    fn cheapest(&self) -> Option<usize> {
        let waiting = self.waiting.iter().copied().filter(|&v| !self.assigned[v]);
        waiting.min_by_key(|&v| (self.rank[v], v))
    }

    /// Appends to the variable order the child (last variable) of each function table whose parents all have values.
    fn compute(&mut self) {
        while let Some(t) = self.ready.pop() {
            if let Some(&child) = self.shapes[t].columns.last()
                && !self.assigned[child]
            {
                self.assign(child, Some(t));
            }
        }
    }

    fn assign(&mut self, v: usize, function: Option<usize>) {
        self.assigned[v] = true;
        self.waiting.retain(|&u| u != v);
        self.slots.push(VariableTurn {
            variable: v,
            function,
        });
        for t in std::mem::take(&mut self.tables[v]) {
            let is_child = self.shapes[t].columns.last() == Some(&v);
            match self.shapes[t].kind {
                TableKind::Dense => {}
                TableKind::Sparse => self.support(t, ValueRestriction::Begun),
                TableKind::Function if is_child => {
                    if self.missing[t] > 0 && self.domain.cards[v] >= LISTED_FROM {
                        self.list_function(t);
                    }
                }
                TableKind::Function => {
                    self.missing[t] -= 1;
                    if self.missing[t] == 0 {
                        self.ready.push(t);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::VarId;

    use super::*;

    fn order(
        cards: &[usize],
        pins: &[Option<u32>],
        shapes: &mut [TableShape],
    ) -> Vec<(usize, Option<usize>)> {
        let domain = Domain {
            variables: (0..cards.len() as u32).map(VarId).collect(),
            cards: cards.to_vec(),
            pins: pins.to_vec(),
        };
        let slots = order_variables(&domain, shapes);
        slots.iter().map(|s| (s.variable, s.function)).collect()
    }

    fn shape(kind: TableKind, columns: &[usize], entries: usize) -> TableShape {
        TableShape {
            kind,
            columns: columns.to_vec(),
            entries,
        }
    }

    #[test]
    fn parents_come_before_the_child_they_compute() {
        let mut shapes = [
            shape(TableKind::Dense, &[1], 5),
            shape(TableKind::Function, &[1, 0, 2], 20),
            shape(TableKind::Dense, &[2], 9),
        ];
        let slots = order(&[4, 5, 9], &[None; 3], &mut shapes);
        assert_eq!(slots, [(1, None), (0, None), (2, Some(1))]);
    }

    #[test]
    fn a_variable_that_others_determine_comes_before_one_of_more_tables() {
        // After the first variable is assigned, one row of the first table and five rows of the second table remain.
        let mut shapes = [
            shape(TableKind::Sparse, &[0, 1], 4),
            shape(TableKind::Sparse, &[0, 2], 20),
            shape(TableKind::Dense, &[2], 9),
        ];
        let slots = order(&[4, 9, 9], &[Some(0), None, None], &mut shapes);
        assert_eq!(slots, [(1, None), (2, None)]);
    }

    #[test]
    fn a_second_function_of_the_same_child_is_listed() {
        let mut shapes = [
            shape(TableKind::Function, &[0, 2], 50),
            shape(TableKind::Function, &[1, 2], 40),
        ];
        let slots = order(&[50, 40, 9], &[None; 3], &mut shapes);
        assert_eq!(slots, [(0, None), (2, Some(0)), (1, None)]);
        assert_eq!(shapes[1].kind, TableKind::Sparse);
    }

    #[test]
    fn a_pinned_child_lists_its_function() {
        let mut shapes = [shape(TableKind::Function, &[0, 1], 3)];
        assert_eq!(order(&[3, 2], &[None, Some(1)], &mut shapes), [(0, None)]);
        assert_eq!(shapes[0].kind, TableKind::Sparse);
        let mut shapes = [shape(TableKind::Function, &[0, 1], 3)];
        assert_eq!(
            order(&[3, 2], &[Some(2), None], &mut shapes),
            [(1, Some(0))]
        );
    }
}
