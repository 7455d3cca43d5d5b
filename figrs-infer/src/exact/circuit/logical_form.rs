//! A factor graph as clauses over value atoms and diagrams of weights.

use figrs_core::factor::{Factor, FactorGraph, FactorTable, VarId, Weights};
use figrs_core::internals::{Assignments, for_each_entry, log_stored};
use rustc_hash::FxHashMap;

use super::literal::AtomLiteral;
use super::weight_diagrams::{ResidualTable, WeightDiagrams};
use super::zero_cover::zero_cover;
use crate::exact::eliminate::EliminationError;

/// Maximum number of entries of a table whose zeros are covered by few clauses; larger ones have one for each prefix of a row.
const MAX_COVERED_ENTRIES: usize = 1 << 12;

/// A weight of the entries of factors: a number of the model, or one that may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum WeightSymbol {
    /// A constant, as the bits of its natural logarithm.
    Constant(u64),
    /// The probability of a parametric outcome.
    Origin(u32),
    /// The entry of a factor.
    Entry(u32, u32),
}

/// Entries that are zero at present only, as an [`Encoding`](figrs_core::expand::Encoding) lists them: factors, and positions in
/// the weights of each.
pub(super) type OpenZeros<'a> = &'a [(usize, Vec<u32>)];

/// A factor graph as clauses over value atoms and diagrams of weights.
///
/// A variable of two values has one atom, true for the second; of three values and more one for each value, of which exactly
/// one is true; of one value none. Zeros of factors are clauses; the other weights are symbols in diagrams.
#[derive(Clone, Debug, Default)]
pub(super) struct LogicalForm {
    pub(super) cardinalities: Vec<u32>,
    /// The first atom of each variable.
    pub(super) first_atoms: Vec<u32>,
    /// The variable of each atom.
    pub(super) variables: Vec<u32>,
    pub(super) clauses: Vec<Vec<AtomLiteral>>,
    pub(super) diagrams: WeightDiagrams,
    /// The diagrams of the factors that have other weights than one.
    pub(super) roots: Vec<ResidualTable>,
    symbols: Vec<WeightSymbol>,
    /// The natural logarithm of the weight of each symbol at present.
    pub(super) symbol_logs: Vec<f64>,
    pub(super) names: FxHashMap<WeightSymbol, u32>,
    /// Number of literals of clauses and of values of rows, and its maximum.
    size: usize,
    table_budget: usize,
    /// True if a factor is zero everywhere.
    pub(super) is_empty: bool,
}

impl LogicalForm {
    /// The logical form of a graph. Weights of `open_zeros` do not exclude their entries.
    ///
    /// **Errors.** [`EliminationError::TableTooLarge`] if there are more literals and rows than `table_budget`.
    pub(super) fn new(
        graph: &FactorGraph,
        open_zeros: OpenZeros<'_>,
        table_budget: usize,
    ) -> Result<Self, EliminationError> {
        let mut form = Self {
            table_budget,
            cardinalities: graph.cardinalities.clone(),
            ..Self::default()
        };
        for (v, &n) in (0..).zip(&graph.cardinalities) {
            let first = form.variables.len() as u32;
            form.first_atoms.push(first);
            let atoms = match n {
                0 | 1 => 0,
                2 => 1,
                n => n,
            };
            form.variables.extend((0..atoms).map(|_| v));
            if atoms > 2 {
                let some = (first..first + atoms).map(|atom| AtomLiteral::new(atom, true));
                form.clauses.push(some.collect());
            }
        }
        for number in 0..graph.factors.len() {
            form.add_factor(graph, number, open_entries(open_zeros, number))?;
        }
        Ok(form)
    }

    pub(super) fn atoms(&self) -> usize {
        self.variables.len()
    }

    /// The atoms of a variable.
    pub(super) fn atoms_of(&self, variable: u32) -> std::ops::Range<u32> {
        let first = self.first_atoms[variable as usize];
        let n = self.cardinalities[variable as usize];
        first..first + if n > 2 { n } else { n.saturating_sub(1) }
    }

    /// For each atom the range of those that exclude each other: the values of its variable.
    pub(super) fn exclusive_atoms(&self) -> Vec<(u32, u32)> {
        let range = |&v: &u32| {
            let atoms = self.atoms_of(v);
            (atoms.start, atoms.end)
        };
        self.variables.iter().map(range).collect()
    }

    /// The literal that a variable of at least two values has this one.
    pub(super) fn has_value(&self, variable: u32, value: u32) -> AtomLiteral {
        let first = self.first_atoms[variable as usize];
        if self.cardinalities[variable as usize] == 2 {
            AtomLiteral::new(first, value == 1)
        } else {
            AtomLiteral::new(first + value, true)
        }
    }

    /// The variable and the value that a literal says it has; `None` for one that excludes one of several values.
    pub(super) fn value_of(&self, literal: AtomLiteral) -> Option<(u32, u32)> {
        let variable = self.variables[literal.atom()];
        let is_binary = self.cardinalities[variable as usize] == 2;
        if is_binary {
            return Some((variable, u32::from(literal.is_positive())));
        }
        let value = literal.atom() as u32 - self.first_atoms[variable as usize];
        literal.is_positive().then_some((variable, value))
    }

    /// The literals of "the variable has none of these values".
    fn excludes(&self, variable: u32, values: &[u32], clause: &mut Vec<AtomLiteral>) {
        let n = self.cardinalities[variable as usize];
        if let [value] = *values {
            clause.push(!self.has_value(variable, value));
        } else {
            let others = (0..n).filter(|value| !values.contains(value));
            clause.extend(others.map(|value| self.has_value(variable, value)));
        }
    }

    /// Counts numbers that are to be stored.
    fn take_room(&mut self, numbers: usize) -> Result<(), EliminationError> {
        self.size += numbers;
        if self.size > self.table_budget {
            return Err(EliminationError::TableTooLarge {
                needed: self.size as f64,
                limit: self.table_budget,
            });
        }
        Ok(())
    }

    fn add_clause(&mut self, clause: Vec<AtomLiteral>) -> Result<(), EliminationError> {
        self.is_empty |= clause.is_empty();
        self.take_room(clause.len() + 4)?;
        self.clauses.push(clause);
        Ok(())
    }

    fn add_factor(
        &mut self,
        graph: &FactorGraph,
        number: usize,
        open: &[u32],
    ) -> Result<(), EliminationError> {
        let factor = &graph.factors[number];
        let places: Vec<usize> = (0..factor.variables.len())
            .filter(|&i| graph.cardinality(factor.variables[i]) > 1)
            .collect();
        let variables: Vec<u32> = places.iter().map(|&i| factor.variables[i].0).collect();
        let cards: Vec<u32> = variables
            .iter()
            .map(|&v| graph.cardinality(VarId(v)) as u32)
            .collect();
        let mut rows = FactorRows::default();
        rows.read(self, graph, (number, factor), &places, open);
        self.take_room(rows.values.len() + rows.symbols.len())?;
        if rows.symbols.is_empty() {
            self.is_empty = true;
            return Ok(());
        }
        let size = graph.dense_size(&factor.variables);
        if rows.symbols.len() < size {
            if size <= MAX_COVERED_ENTRIES {
                self.add_cover(&variables, &cards, &rows, size)?;
            } else {
                self.add_prefixes(&variables, &cards, &rows)?;
            }
        }
        let one = WeightSymbol::Constant(0.0f64.to_bits());
        if (rows.symbols.iter()).any(|&s| self.symbols[s as usize] != one) {
            let table = (self.diagrams).table(&variables, &cards, &rows.values, &rows.symbols);
            self.roots.push(table);
        }
        Ok(())
    }

    fn symbol(&mut self, symbol: WeightSymbol, log: f64) -> u32 {
        let (symbols, logs) = (&mut self.symbols, &mut self.symbol_logs);
        *self.names.entry(symbol).or_insert_with(|| {
            symbols.push(symbol);
            logs.push(log);
            symbols.len() as u32 - 1
        })
    }

    /// Clauses of an irredundant cover of the zeros.
    fn add_cover(
        &mut self,
        variables: &[u32],
        cards: &[u32],
        rows: &FactorRows,
        size: usize,
    ) -> Result<(), EliminationError> {
        let mut zeros = vec![true; size];
        for row in rows.rows(variables.len()) {
            let number = row
                .iter()
                .zip(cards)
                .fold(0, |n, (&x, &c)| n * c as usize + x as usize);
            zeros[number] = false;
        }
        for cube in zero_cover(&zeros, cards) {
            let mut clause = Vec::with_capacity(cube.len());
            for (place, values) in cube {
                self.excludes(variables[place], &values, &mut clause);
            }
            self.add_clause(clause)?;
        }
        Ok(())
    }

    /// For each prefix of a row the clause that one of the values follows that some row has there.
    fn add_prefixes(
        &mut self,
        variables: &[u32],
        cards: &[u32],
        rows: &FactorRows,
    ) -> Result<(), EliminationError> {
        let arity = variables.len();
        for depth in 0..arity {
            let mut at = 0;
            let all: Vec<&[u32]> = rows.rows(arity).collect();
            while at < all.len() {
                let prefix = &all[at][..depth];
                let mut values = Vec::new();
                while at < all.len() && &all[at][..depth] == prefix {
                    if values.last() != Some(&all[at][depth]) {
                        values.push(all[at][depth]);
                    }
                    at += 1;
                }
                if values.len() == cards[depth] as usize {
                    continue;
                }
                let mut clause = Vec::with_capacity(depth + values.len());
                let before = variables.iter().zip(prefix);
                clause.extend(before.map(|(&v, &x)| !self.has_value(v, x)));
                let after = values.iter().map(|&x| self.has_value(variables[depth], x));
                clause.extend(after);
                self.add_clause(clause)?;
            }
        }
        Ok(())
    }
}

/// The entries of a factor that are not excluded: values of the variables that have several, and symbols.
#[derive(Debug, Default)]
struct FactorRows {
    values: Vec<u32>,
    symbols: Vec<u32>,
}

impl FactorRows {
    fn rows(&self, arity: usize) -> impl Iterator<Item = &[u32]> {
        (0..self.symbols.len()).map(move |i| &self.values[i * arity..(i + 1) * arity])
    }

    fn read(
        &mut self,
        form: &mut LogicalForm,
        graph: &FactorGraph,
        (number, factor): (usize, &Factor),
        places: &[usize],
        open: &[u32],
    ) {
        for_each_stored(graph, factor, |entry, row| {
            if let Some(symbol) = entry_symbol(factor, number, entry, open) {
                self.values.extend(places.iter().map(|&i| row[i]));
                let log = log_stored(factor, entry);
                self.symbols.push(form.symbol(symbol, log));
            }
        });
    }
}

/// The entries of a factor that are zero at present only.
pub(super) fn open_entries(open_zeros: OpenZeros<'_>, factor: usize) -> &[u32] {
    let place = open_zeros.binary_search_by_key(&factor, |(factor, _)| *factor);
    place.map_or(&[], |place| open_zeros[place].1.as_slice())
}

/// The symbol of a stored entry; `None` for one that is always zero.
pub(super) fn entry_symbol(
    factor: &Factor,
    number: usize,
    entry: usize,
    open: &[u32],
) -> Option<WeightSymbol> {
    let (FactorTable::Dense(weights) | FactorTable::Sparse { weights, .. }) = &factor.table else {
        return Some(WeightSymbol::Constant(0.0f64.to_bits()));
    };
    let is_zero = weights.is_zero(entry);
    if is_zero && open.binary_search(&(entry as u32)).is_err() {
        return None;
    }
    let origin = weights.origins().map(|origins| origins[entry]);
    Some(
        match origin.filter(|&origin| origin != Weights::NO_ORIGIN) {
            Some(origin) => WeightSymbol::Origin(origin),
            None if is_zero => WeightSymbol::Entry(number as u32, entry as u32),
            // Negative zero is zero.
            None => WeightSymbol::Constant((weights.log(entry) + 0.0).to_bits()),
        },
    )
}

/// Calls `visit` with the number and the values of each stored entry, zeros included; of a function, of those that are not zero.
pub(super) fn for_each_stored(
    graph: &FactorGraph,
    factor: &Factor,
    mut visit: impl FnMut(usize, &[u32]),
) {
    let arity = factor.variables.len();
    match &factor.table {
        FactorTable::Dense(weights) => {
            let cards = factor.variables.iter().map(|&v| graph.cardinality(v));
            let rows = Assignments::rows(cards);
            let mut row = vec![0; arity];
            for entry in 0..weights.len() {
                visit(entry, &row);
                rows.advance(&mut row);
            }
        }
        FactorTable::Sparse { rows, weights } => {
            for entry in 0..weights.len() {
                visit(entry, &rows[entry * arity..(entry + 1) * arity]);
            }
        }
        FactorTable::Function { .. } => for_each_entry(graph, factor, visit),
    }
}
