//! Logical form of a factor graph: clauses over atoms of the form "variable = value", and decision diagrams of weights.

use figrs_factor::graph::{FactorGraph, VarId, log_stored};
use figrs_factor::{Limits, MemoryAccount};
use rustc_hash::FxHashMap;

use super::determined_variables::DeterminedVariables;
use super::factor_entries::{
    OpenZeros, WeightSymbol, count_entries, entry_symbol, for_each_stored, open_entries,
};
use super::literal::AtomLiteral;
use super::memory_budget::{MAX_POSITIONS, UNCHECKED_GROWTH, check_positions};
use super::value_atoms::ValueAtoms;
use super::weight_diagrams::{ResidualTable, WeightDiagrams};
use super::zero_cover::zero_cover;
use figrs_factor::eliminate::EliminationError;

/// Maximum number of entries of a table for whose zeros the program computes a small cover by clauses. A table with more entries gets one clause for
/// each prefix of its rows.
const MAX_COVERED_ENTRIES: usize = 1 << 12;
/// Number of bytes of a clause without its literals; `SYMBOL_BYTES` is the number of bytes of a weight symbol with its name.
const CLAUSE_BYTES: usize = 40;
const SYMBOL_BYTES: usize = 80;
/// Number of bytes of a table row, without its values, during the construction of a factor's decision diagram.
const ROW_BYTES: usize = 16;

/// A factor graph as clauses over atoms of the form "variable = value", and as decision diagrams of weights.
///
/// Zeros of factors become clauses, and the weights of all other entries become symbols in the factors' decision diagrams.
#[derive(Clone, Debug, Default)]
pub(super) struct LogicalForm {
    pub(super) atoms: ValueAtoms,
    pub(super) clauses: Vec<Vec<AtomLiteral>>,
    pub(super) diagrams: WeightDiagrams,
    /// The decision diagrams of those factors that have weights other than 1.
    pub(super) roots: Vec<ResidualTable>,
    pub(super) determined: DeterminedVariables,
    symbols: Vec<WeightSymbol>,
    /// For each weight symbol, the natural logarithm of its current weight.
    pub(super) symbol_logs: Vec<f64>,
    pub(super) names: FxHashMap<WeightSymbol, u32>,
    /// Total number of literals in clauses and of values in table rows.
    size: usize,
    memory: MemoryAccount,
    pub(super) is_empty: bool,
}

impl LogicalForm {
    /// Creates the logical form (clauses and decision diagrams) of `graph`. Variables that are functions of others are omitted, unless they are
    /// marked in `is_kept`. The zeros listed in `open_zeros` yield no clauses, because they may become positive for other parameters.
    ///
    /// **Errors.** [`EliminationError::TableTooLarge`] if the number of literals and row values exceeds the limit on table entries;
    /// [`EliminationError::TooMuchMemory`] if they exceed the memory; [`EliminationError::Interrupted`] at a deadline or an interrupt.
    pub(super) fn new(
        graph: &FactorGraph,
        open_zeros: OpenZeros<'_>,
        is_kept: &[bool],
        limits: &Limits,
    ) -> Result<Self, EliminationError> {
        let determined = DeterminedVariables::of(graph, is_kept);
        let atoms = ValueAtoms::new(&determined.cardinalities(graph));
        let mut form = Self {
            clauses: atoms.some_value().collect(),
            atoms,
            determined,
            ..Self::default()
        };
        check_positions(form.atoms.len(), form.bytes())?;
        for number in 0..graph.factors.len() {
            limits.check_interrupt()?;
            if !form.determined.is_skipped(number) {
                form.add_factor(graph, number, open_zeros, limits)?;
            }
        }
        check_positions(form.diagrams.positions(), form.bytes())?;
        limits.check_memory(form.bytes() as f64)?;
        Ok(form)
    }

    /// Returns the approximate memory of the clauses and decision diagrams in bytes, including the clauses before simplification.
    pub(super) fn bytes(&self) -> usize {
        self.diagrams.bytes()
            + self.atoms.bytes()
            + self.size * size_of::<AtomLiteral>()
            + self.clauses.len() * CLAUSE_BYTES
            + self.symbols.len() * SYMBOL_BYTES
    }

    pub(super) fn clause_literals(&self) -> usize {
        self.clauses.iter().map(Vec::len).sum()
    }

    /// Adds `numbers` to the count of literals and of values in table rows, and returns an error if the count exceeds its limit.
    fn take_room(&mut self, numbers: usize, limits: &Limits) -> Result<(), EliminationError> {
        self.size += numbers;
        let limit = limits.table_entries.min(MAX_POSITIONS);
        if self.size > limit {
            return Err(EliminationError::TableTooLarge {
                needed: self.size as f64,
                limit,
            });
        }
        Ok(())
    }

    fn add_clause(
        &mut self,
        clause: Vec<AtomLiteral>,
        limits: &Limits,
    ) -> Result<(), EliminationError> {
        self.is_empty |= clause.is_empty();
        self.take_room(clause.len() + 4, limits)?;
        self.clauses.push(clause);
        Ok(())
    }

    fn add_factor(
        &mut self,
        graph: &FactorGraph,
        number: usize,
        open_zeros: OpenZeros<'_>,
        limits: &Limits,
    ) -> Result<(), EliminationError> {
        let factor = &graph.factors[number];
        let values = |v: VarId| self.atoms.cardinalities[v.index()];
        let places: Vec<usize> = (0..factor.variables.len())
            .filter(|&i| values(factor.variables[i]) > 1)
            .collect();
        let variables: Vec<u32> = places.iter().map(|&i| factor.variables[i].0).collect();
        let cards: Vec<u32> = places
            .iter()
            .map(|&i| values(factor.variables[i]))
            .collect();
        let count = count_entries(factor, open_entries(open_zeros, number));
        let numbers = count * (places.len() + 1);
        self.take_room(numbers, limits)?;
        let bytes = self.bytes() + numbers * size_of::<u32>() + count * ROW_BYTES;
        self.memory.set(bytes as u64);
        self.memory.check_growth(limits, UNCHECKED_GROWTH)?;
        if count == 0 {
            self.is_empty = true;
            return Ok(());
        }
        let rows = FactorRows::read(self, graph, number, &places, open_zeros);
        let size = cards
            .iter()
            .fold(1_usize, |size, &n| size.saturating_mul(n as usize));
        if rows.symbols.len() < size {
            if size <= MAX_COVERED_ENTRIES {
                self.add_cover(&variables, &cards, &rows, limits)?;
            } else {
                self.add_prefixes(&variables, &cards, &rows, limits)?;
            }
        }
        let is_one = |&s: &u32| self.symbols[s as usize] == WeightSymbol::ONE;
        if !rows.symbols.iter().all(is_one) {
            let (diagrams, until) = (&mut self.diagrams, &limits.until);
            let table = diagrams.table(&variables, &cards, (&rows.values, &rows.symbols), until)?;
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

    /// Adds clauses that exclude the zeros of a factor; no clause of this cover is redundant.
    fn add_cover(
        &mut self,
        variables: &[u32],
        cards: &[u32],
        rows: &FactorRows,
        limits: &Limits,
    ) -> Result<(), EliminationError> {
        let mut zeros = vec![true; cards.iter().map(|&n| n as usize).product()];
        for i in 0..rows.symbols.len() {
            let number = rows
                .row(i, cards.len())
                .iter()
                .zip(cards)
                .fold(0, |n, (&x, &c)| n * c as usize + x as usize);
            zeros[number] = false;
        }
        for cube in zero_cover(&zeros, cards) {
            let mut clause = Vec::with_capacity(cube.len());
            for (place, values) in cube {
                self.atoms.exclude(variables[place], &values, &mut clause);
            }
            self.add_clause(clause, limits)?;
        }
        Ok(())
    }

    /// For each prefix of a table row, adds a clause that allows only the next values that follow the prefix in some row.
    fn add_prefixes(
        &mut self,
        variables: &[u32],
        cards: &[u32],
        rows: &FactorRows,
        limits: &Limits,
    ) -> Result<(), EliminationError> {
        let row = |i| rows.row(i, variables.len());
        let count = rows.symbols.len();
        for depth in 0..variables.len() {
            limits.check_interrupt()?;
            let mut at = 0;
            while at < count {
                let prefix = &row(at)[..depth];
                let mut values = Vec::new();
                while at < count && &row(at)[..depth] == prefix {
                    if values.last() != Some(&row(at)[depth]) {
                        values.push(row(at)[depth]);
                    }
                    at += 1;
                }
                if values.len() == cards[depth] as usize {
                    continue;
                }
                let mut clause = Vec::with_capacity(depth + values.len());
                let before = variables.iter().zip(prefix);
                clause.extend(before.map(|(&v, &x)| !self.atoms.has_value(v, x)));
                let after = values
                    .iter()
                    .map(|&x| self.atoms.has_value(variables[depth], x));
                clause.extend(after);
                self.add_clause(clause, limits)?;
            }
        }
        Ok(())
    }
}

/// The entries of a factor that are not zero, as rows of values. Each entry has the values of the variables that are not fixed, and the index of the
/// symbol for its weight.
#[derive(Debug, Default)]
struct FactorRows {
    values: Vec<u32>,
    symbols: Vec<u32>,
}

impl FactorRows {
    fn read(
        form: &mut LogicalForm,
        graph: &FactorGraph,
        number: usize,
        places: &[usize],
        open_zeros: OpenZeros<'_>,
    ) -> Self {
        let (mut rows, factor) = (Self::default(), &graph.factors[number]);
        let weighing = form.determined.weights_of(number);
        // The weights of a function's values get symbols, even for values that the function never takes.
        let named: Vec<Option<u32>> = weighing.map_or_else(Vec::new, |number| {
            let mut named = Vec::new();
            let weights = &graph.factors[number];
            for_each_stored(graph, weights, |entry, _| {
                let open = open_entries(open_zeros, number);
                let symbol = entry_symbol(weights, number, entry, open);
                let log = log_stored(weights, entry);
                named.push(symbol.map(|symbol| form.symbol(symbol, log)));
            });
            named
        });
        let open = open_entries(open_zeros, number);
        for_each_stored(graph, factor, |entry, row| {
            let own = entry_symbol(factor, number, entry, open);
            let own = own.map(|symbol| form.symbol(symbol, log_stored(factor, entry)));
            let symbol = match (weighing, row.last()) {
                (Some(_), Some(&value)) => named[value as usize],
                _ => own,
            };
            if let Some(symbol) = symbol {
                rows.values.extend(places.iter().map(|&i| row[i]));
                rows.symbols.push(symbol);
            }
        });
        rows
    }

    fn row(&self, i: usize, arity: usize) -> &[u32] {
        &self.values[i * arity..(i + 1) * arity]
    }
}

#[cfg(test)]
mod tests {
    use figrs_factor::graph::{Factor, FactorTable, Weights};

    use super::*;

    #[test]
    fn numbers_are_positions_of_32_bits() {
        let limits = Limits::default().table_entries(usize::MAX);
        let mut form = LogicalForm {
            size: MAX_POSITIONS - 1,
            ..LogicalForm::default()
        };
        assert_eq!(form.take_room(1, &limits), Ok(()));
        let refused = EliminationError::TableTooLarge {
            needed: MAX_POSITIONS as f64 + 1.0,
            limit: MAX_POSITIONS,
        };
        assert_eq!(form.take_room(1, &limits), Err(refused));
    }

    #[test]
    fn tables_are_counted_before_they_are_read() {
        // Half of the million entries of the table are zero.
        let n = 1 << 20;
        let weights = (0..n).map(|i| f64::from(i % 2)).collect();
        let graph = FactorGraph {
            cardinalities: vec![n as u32],
            factors: vec![Factor {
                variables: vec![VarId(0)],
                table: FactorTable::Dense(Weights::from_linear(weights)),
                normalised: false,
            }],
        };
        let limits = Limits::default().table_entries(n as usize - 1);
        let refused = LogicalForm::new(&graph, &[], &[false], &limits).err();
        let expected = EliminationError::TableTooLarge {
            needed: f64::from(n),
            limit: n as usize - 1,
        };
        assert_eq!(refused, Some(expected));
        let limits = Limits::default().memory(1 << 21);
        let refused = LogicalForm::new(&graph, &[], &[false], &limits).err();
        assert!(matches!(
            refused,
            Some(EliminationError::TooMuchMemory { .. })
        ));
    }
}
