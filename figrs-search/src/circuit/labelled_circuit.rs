//! A decision circuit with labels that state the value or the weight that each leaf represents.

use std::sync::Arc;

use figrs_factor::graph::{FactorGraph, FactorTable, log_stored};
use rustc_hash::FxHashMap;

use super::circuit_worlds::CircuitWorld;
use super::decision_circuit::{CircuitTrace, DecisionCircuit, ValueNumbering};
use super::decomposition::preferences;
use super::defined_atoms::DefinedAtom;
use super::determined_variables::DeterminedVariables;
use super::factor_entries::{OpenZeros, WeightSymbol, entry_symbol, for_each_stored, open_entries};
use super::literal::AtomLiteral;
use super::logical_form::LogicalForm;
use super::memory_budget::cache_share;
use super::preprocess::{complete, preprocess};
use super::scaled_number::ScaledNumber;
use super::search::{ExhaustiveSearch, SearchControl};
use super::value_atoms::ValueAtoms;
use figrs_factor::eliminate::EliminationError;

/// Maximum relative difference of two logarithms that is treated as a rounding error.
const MAX_ROUNDING: f64 = 1e-14;

/// A decision circuit with labels of its leaves: values of variables, and weights of entries of a factor graph.
#[derive(Debug)]
pub struct LabelledCircuit {
    /// The decision circuit; `None` if zeros exclude all worlds (assignments).
    pub circuit: Option<DecisionCircuit>,
    /// The numbering of all values of all variables in the circuit.
    pub numbering: ValueNumbering,
    /// For each variable, `true` if the circuit has leaves for its values.
    pub kept: Vec<bool>,
    /// The factor graph that was searched; `open_zeros` has its entries that were zero only for the parameters at that time.
    graph: Arc<FactorGraph>,
    open_zeros: Vec<(usize, Vec<u32>)>,
    names: FxHashMap<WeightSymbol, u32>,
    /// For each symbol, the natural logarithm of its weight in the searched graph.
    pub symbol_logs: Vec<f64>,
    atoms: ValueAtoms,
    defined: Vec<DefinedAtom>,
    determined: DeterminedVariables,
}

impl LabelledCircuit {
    /// Searches the factor graph `graph` and records the search as a decision circuit. The decision circuit has leaves for the values of the
    /// variables that are marked in `kept`.
    ///
    /// **Errors.** [`EliminationError::TableTooLarge`] if the clauses and decision diagrams of the graph have too many entries;
    /// [`EliminationError::TooMuchMemory`] if the search exceeds the memory; [`EliminationError::Interrupted`] at a deadline or an interrupt.
    pub fn new(
        graph: Arc<FactorGraph>,
        open_zeros: OpenZeros<'_>,
        kept: Vec<bool>,
        cache_bytes: u64,
        control: &SearchControl<'_>,
    ) -> Result<Self, EliminationError> {
        let mut form = LogicalForm::new(&graph, open_zeros, &kept, control.limits)?;
        let numbering = ValueNumbering::new(&form.atoms.cardinalities);
        let defined = preprocess(&mut form, &kept, control.limits)?;
        let preferences = preferences(&form, &control.limits.until)?;
        let one = form.names.get(&WeightSymbol::ONE).copied();
        let trace = CircuitTrace::new(numbering.clone(), form.names.len(), one);
        let cache_bytes = cache_share(cache_bytes, control.limits);
        let mut search =
            ExhaustiveSearch::new(&mut form, (preferences, &defined), trace, cache_bytes);
        let root = search.run(control)?;
        let trace = search.into_trace();
        let LogicalForm {
            atoms,
            determined,
            names,
            symbol_logs,
            ..
        } = form;
        let circuit = root.map(|root| trace.into_circuit(root));
        if let Some(circuit) = &circuit {
            let bytes = circuit.bytes() + circuit.question_bytes();
            control.limits.check_memory(bytes as f64)?;
        }
        Ok(Self {
            circuit,
            numbering,
            kept,
            graph,
            open_zeros: open_zeros.to_vec(),
            names,
            symbol_logs,
            atoms,
            defined,
            determined,
        })
    }

    /// Returns the number of variables that the search omitted, and the number of atoms (statements "variable = value") that were eliminated before
    /// the search.
    #[cfg(test)]
    pub fn left_out(&self) -> [usize; 2] {
        [self.determined.len(), self.defined.len()]
    }

    /// Returns the values of all variables in a world (assignment) of the circuit.
    pub fn values(&self, world: &CircuitWorld) -> Vec<u32> {
        let atoms = &self.atoms;
        let mut values = vec![0; atoms.cardinalities.len()];
        let mut is_true = vec![false; 2 * atoms.len()];
        for &number in &world.values {
            let (variable, value) = self.numbering.value(number);
            values[variable] = value;
        }
        for (v, &value) in (0..).zip(&values) {
            for atom in atoms.of(v) {
                let literal = AtomLiteral::new(atom, true);
                let holds = literal == atoms.has_value(v, value);
                is_true[literal.index()] = holds;
                is_true[(!literal).index()] = !holds;
            }
        }
        complete(&self.defined, &mut is_true);
        for defined in &self.defined {
            let literal = AtomLiteral::new(defined.atom, true);
            values[atoms.variable(literal) as usize] = u32::from(is_true[literal.index()]);
        }
        self.determined.complete(&self.graph, &mut values);
        values
    }

    /// Returns the weight of each symbol of the circuit in `new`, a factor graph with the same structure as the searched graph. Returns `None` if the
    /// structures of the graphs differ, if a symbol would have two weights, or if an entry of weight 1, which the circuit omits, has another weight
    /// in `new`.
    pub fn symbol_weights(&self, new: &FactorGraph) -> Option<Vec<ScaledNumber>> {
        let old = &*self.graph;
        if old.cardinalities != new.cardinalities || old.factors.len() != new.factors.len() {
            return None;
        }
        let mut logs: Vec<Option<f64>> = vec![None; self.names.len()];
        if let Some(&one) = self.names.get(&WeightSymbol::ONE) {
            logs[one as usize] = Some(0.0);
        }
        for (number, (before, after)) in old.factors.iter().zip(&new.factors).enumerate() {
            if before.variables != after.variables || !has_same_layout(&before.table, &after.table)
            {
                return None;
            }
            let open = open_entries(&self.open_zeros, number);
            let mut fits = true;
            for_each_stored(old, before, |entry, _| {
                let log = log_stored(after, entry);
                let Some(symbol) = entry_symbol(before, number, entry, open) else {
                    fits &= log == f64::NEG_INFINITY;
                    return;
                };
                let Some(&symbol) = self.names.get(&symbol) else {
                    fits = false;
                    return;
                };
                let known = logs[symbol as usize].get_or_insert(log);
                fits &= is_same_weight(*known, log);
            });
            if !fits {
                return None;
            }
        }
        let weight = |log: Option<f64>| log.map_or(ScaledNumber::ONE, ScaledNumber::from_log);
        Some(logs.into_iter().map(weight).collect())
    }
}

fn is_same_weight(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a - b).abs() <= MAX_ROUNDING * a.abs().max(1.0)
}

/// True if the graphs `old` and `new` store weights for the same entries.
fn has_same_layout(old: &FactorTable, new: &FactorTable) -> bool {
    match (old, new) {
        (FactorTable::Dense(old), FactorTable::Dense(new)) => old.len() == new.len(),
        (FactorTable::Sparse { rows: old, .. }, FactorTable::Sparse { rows: new, .. })
        | (FactorTable::Function { index: old }, FactorTable::Function { index: new }) => {
            old == new
        }
        _ => false,
    }
}
