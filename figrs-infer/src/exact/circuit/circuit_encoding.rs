//! One encoding of a compiled model, with its circuit and its numbers.

use std::sync::{Arc, OnceLock};

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::factor::{Factor, FactorGraph, FactorTable, VarId, Weights};
use figrs_core::internals::log_stored;
use num_bigint::BigUint;
use rand::Rng;
use rustc_hash::FxHashMap;

use super::circuit_worlds::CircuitWorld;
use super::decision_circuit::{CircuitNode, CircuitTrace, DecisionCircuit, ValueNumbering};
use super::decomposition::preferences;
use super::defined_atoms::DefinedAtom;
use super::literal::AtomLiteral;
use super::logical_form::{
    LogicalForm, OpenZeros, WeightSymbol, entry_symbol, for_each_stored, open_entries,
};
use super::preprocess::{complete, preprocess};
use super::scaled_number::ScaledNumber;
use super::search::{ExhaustiveSearch, SearchControl};
use crate::answer::world::{EncodingDecoder, World};
use crate::error::Error;
use crate::exact::eliminate::{EliminationError, log_weight};
use crate::exact::tree::evidence_table;

/// Largest difference of the logarithms of one weight that is held to be rounding.
const MAX_ROUNDING: f64 = 1e-14;

/// A circuit with the meaning of its leaves.
#[derive(Debug)]
pub(super) struct LabelledCircuit {
    /// `None` if zeros exclude all worlds.
    pub(super) circuit: Option<DecisionCircuit>,
    numbering: ValueNumbering,
    names: FxHashMap<WeightSymbol, u32>,
    form: LogicalForm,
    defined: Vec<DefinedAtom>,
}

impl LabelledCircuit {
    /// Searches a graph. Variables that are `kept` stay leaves of the circuit.
    pub(super) fn new(
        graph: &FactorGraph,
        open_zeros: OpenZeros<'_>,
        kept: &[bool],
        cache_bytes: u64,
        control: &SearchControl<'_>,
    ) -> Result<Self, EliminationError> {
        let mut form = LogicalForm::new(graph, open_zeros, control.options.table_budget)?;
        let numbering = ValueNumbering::new(&form.cardinalities);
        let defined = preprocess(&mut form, kept, &control.options.until)?;
        let preferences = preferences(&form, &control.options.until)?;
        let names = std::mem::take(&mut form.names);
        let one = WeightSymbol::Constant(0.0f64.to_bits());
        let one = names.get(&one).copied();
        let trace = CircuitTrace::new(numbering.clone(), names.len(), one);
        let mut search =
            ExhaustiveSearch::new(&mut form, (preferences, &defined), trace, cache_bytes);
        let root = search.run(control)?;
        let trace = search.trace;
        Ok(Self {
            circuit: root.map(|root| trace.into_circuit(root)),
            numbering,
            names,
            form,
            defined,
        })
    }

    /// Number of atoms that were eliminated beforehand.
    #[cfg(test)]
    pub(super) fn eliminated(&self) -> usize {
        self.defined.len()
    }

    /// The natural logarithm of the weight of a symbol.
    #[cfg(test)]
    pub(super) fn log_weight(&self, symbol: u32) -> f64 {
        self.form.symbol_logs[symbol as usize]
    }

    /// The variable and the value of a number.
    #[cfg(test)]
    pub(super) fn value(&self, number: u32) -> (usize, u32) {
        self.numbering.value(number)
    }

    /// The values of all variables in a world of the circuit.
    pub(super) fn values(&self, world: &CircuitWorld) -> Vec<u32> {
        let form = &self.form;
        let mut values = vec![0; form.cardinalities.len()];
        let mut is_true = vec![false; 2 * form.atoms()];
        for &number in &world.values {
            let (variable, value) = self.numbering.value(number);
            values[variable] = value;
        }
        for (v, &value) in (0..).zip(&values) {
            for atom in form.atoms_of(v) {
                let is_value = form.has_value(v, value);
                let literal = AtomLiteral::new(atom, true);
                let holds = literal == is_value;
                is_true[literal.index()] = holds;
                is_true[(!literal).index()] = !holds;
            }
        }
        complete(&self.defined, &mut is_true);
        for defined in &self.defined {
            let literal = AtomLiteral::new(defined.atom, true);
            values[form.variables[literal.atom()] as usize] = u32::from(is_true[literal.index()]);
        }
        values
    }
}

/// One encoding of a model with its circuit and its numbers.
#[derive(Clone, Debug)]
pub(super) struct CircuitEncoding {
    reader: Arc<EncodingDecoder>,
    /// The factors, then one for each varying element with the evidence set on it.
    graph: Arc<FactorGraph>,
    statements: Vec<usize>,
    pub(super) labelled: Arc<LabelledCircuit>,
    /// The weights of symbols.
    symbols: Arc<Vec<ScaledNumber>>,
    /// The weights that evidence on varying elements gives to values.
    weights: Vec<ScaledNumber>,
    sums: OnceLock<Vec<ScaledNumber>>,
    maxima: OnceLock<Vec<ScaledNumber>>,
}

impl CircuitEncoding {
    /// Compiles an encoding. The variables of the targets of the expansion stay in the circuit.
    pub(super) fn new(
        expansion: &Arc<Expansion>,
        mut encoding: Encoding,
        varying: &[usize],
        cache_bytes: u64,
        control: &SearchControl<'_>,
    ) -> Result<Self, Error> {
        let graph = encoding.take_graph();
        let mut kept = vec![false; graph.cardinalities.len()];
        for &target in expansion.targets() {
            if let Some(v) = encoding.variable(target) {
                kept[v.index()] = true;
            }
        }
        let open = encoding.open_zeros();
        let labelled = LabelledCircuit::new(&graph, open, &kept, cache_bytes, control)?;
        let logs = labelled.form.symbol_logs.iter();
        let symbols = logs.map(|&log| ScaledNumber::from_log(log)).collect();
        Ok(Self::assemble(
            expansion,
            encoding,
            graph,
            varying,
            Arc::new(labelled),
            symbols,
        ))
    }

    fn assemble(
        expansion: &Arc<Expansion>,
        encoding: Encoding,
        mut graph: FactorGraph,
        varying: &[usize],
        labelled: Arc<LabelledCircuit>,
        symbols: Vec<ScaledNumber>,
    ) -> Self {
        let mut statements = Vec::with_capacity(varying.len());
        for variable in varying
            .iter()
            .filter_map(|&position| encoding.variable(position))
        {
            statements.push(graph.factors.len());
            graph.factors.push(Factor {
                variables: vec![variable],
                table: evidence_table(graph.cardinality(variable), None),
                normalised: false,
            });
        }
        let expansion = expansion.clone();
        Self {
            reader: Arc::new(EncodingDecoder {
                expansion,
                encoding,
            }),
            graph: Arc::new(graph),
            statements,
            weights: vec![ScaledNumber::ONE; labelled.numbering.len()],
            labelled,
            symbols: Arc::new(symbols),
            sums: OnceLock::new(),
            maxima: OnceLock::new(),
        }
    }

    /// The same circuit with the weights of another encoding of the model; `None`, with the encoding, if it is not a circuit of that.
    pub(super) fn renewed(
        &self,
        expansion: &Arc<Expansion>,
        mut encoding: Encoding,
        varying: &[usize],
    ) -> Option<Self> {
        let graph = encoding.take_graph();
        let old = FactorGraph {
            cardinalities: self.graph.cardinalities.clone(),
            factors: self.graph.factors[..self.graph.factors.len() - self.statements.len()]
                .to_vec(),
        };
        let open = self.reader.encoding.open_zeros();
        let symbols = symbol_weights(&self.labelled.names, open, &old, &graph)?;
        let labelled = self.labelled.clone();
        Some(Self::assemble(
            expansion, encoding, graph, varying, labelled, symbols,
        ))
    }

    /// Sets the weights of the values of a varying element, or removes them.
    pub(super) fn state(&mut self, place: usize, weights: Option<Weights>) {
        let at = self.statements[place];
        let variable = self.graph.factors[at].variables[0];
        let n = self.graph.cardinality(variable);
        let table = evidence_table(n, weights);
        if let FactorTable::Dense(weights) = &table {
            for value in 0..n {
                let number = self.labelled.numbering.number(variable.0, value as u32);
                self.weights[number as usize] = ScaledNumber::from_log(weights.log(value));
            }
        }
        Arc::make_mut(&mut self.graph).factors[at].table = table;
        (self.sums, self.maxima) = (OnceLock::new(), OnceLock::new());
    }

    fn leaf(&self, node: CircuitNode) -> ScaledNumber {
        match node {
            CircuitNode::Value(number) => self.weights[number as usize],
            CircuitNode::Symbol(symbol) => self.symbols[symbol as usize],
            CircuitNode::Product(..) | CircuitNode::Sum(..) => ScaledNumber::ONE,
        }
    }

    fn sums(&self, circuit: &DecisionCircuit) -> &[ScaledNumber] {
        let times = |a: ScaledNumber, b: &ScaledNumber| a * *b;
        let evaluate = || {
            let plus = |a: &ScaledNumber, b: &ScaledNumber| *a + *b;
            circuit.evaluate(&ScaledNumber::ONE, |node| self.leaf(node), times, plus)
        };
        self.sums.get_or_init(evaluate)
    }

    fn maxima(&self, circuit: &DecisionCircuit) -> &[ScaledNumber] {
        let times = |a: ScaledNumber, b: &ScaledNumber| a * *b;
        let evaluate = || {
            let max = |a: &ScaledNumber, b: &ScaledNumber| a.max(*b);
            circuit.evaluate(&ScaledNumber::ONE, |node| self.leaf(node), times, max)
        };
        self.maxima.get_or_init(evaluate)
    }

    /// The natural logarithm of the sum of the weights of all worlds.
    pub(super) fn log_total(&self) -> f64 {
        let circuit = self.labelled.circuit.as_ref();
        circuit.map_or(f64::NEG_INFINITY, |circuit| {
            self.sums(circuit)[circuit.root as usize].ln()
        })
    }

    /// The probabilities of the values of some elements, by their positions in the expansion; the total must not be zero.
    pub(super) fn marginals(&self, positions: &[usize]) -> Vec<Vec<f64>> {
        let Some(circuit) = &self.labelled.circuit else {
            return Vec::new();
        };
        let sums = self.sums(circuit);
        let total = sums[circuit.root as usize];
        let derivatives = circuit.derivatives(sums);
        let mut shares = vec![0.0; self.weights.len()];
        for (place, &node) in circuit.nodes.iter().enumerate() {
            if let CircuitNode::Value(number) = node {
                shares[number as usize] = (derivatives[place] * sums[place]).share_of(total);
            }
        }
        let of_variable = |v: VarId| -> Vec<f64> {
            let n = self.graph.cardinality(v) as u32;
            let share = |value| shares[self.labelled.numbering.number(v.0, value) as usize];
            let all: Vec<f64> = (0..n).map(share).collect();
            let sum: f64 = all.iter().sum();
            all.into_iter().map(|share| share / sum).collect()
        };
        let encoding = &self.reader.encoding;
        let variables = positions
            .iter()
            .filter_map(|&position| encoding.variable(position));
        let elements = positions
            .iter()
            .map(|&position| &self.reader.expansion.elements()[position]);
        (variables.map(of_variable).zip(elements))
            .map(|(mut shares, element)| {
                shares.truncate(element.support.len());
                shares
            })
            .collect()
    }

    /// The worlds of the largest weights, best first.
    pub(super) fn k_best(&self, count: usize) -> Vec<World> {
        let Some(circuit) = &self.labelled.circuit else {
            return Vec::new();
        };
        let best = circuit.k_best(self.maxima(circuit), count);
        best.iter().map(|world| self.world(world)).collect()
    }

    /// Number of variables of a world.
    pub(super) fn variables(&self) -> usize {
        self.graph.cardinalities.len()
    }

    /// Bytes of a count that is as large as that of all assignments.
    pub(super) fn largest_count_bytes(&self) -> f64 {
        let bits: f64 = self
            .graph
            .cardinalities
            .iter()
            .map(|&n| f64::from(n).log2())
            .sum();
        size_of::<BigUint>() as f64 + bits / 8.0
    }

    /// Number of worlds of positive weight.
    pub(super) fn count(&self) -> BigUint {
        let Some(circuit) = &self.labelled.circuit else {
            return BigUint::ZERO;
        };
        let leaf = |node| BigUint::from(u8::from(!self.leaf(node).is_zero()));
        let mut counts = circuit.evaluate(&BigUint::from(1u8), leaf, |a, b| a * b, |a, b| a + b);
        counts.swap_remove(circuit.root as usize)
    }

    /// A random world; `None` if none has weight.
    pub(super) fn sample(&self, rng: &mut impl Rng) -> Option<World> {
        let circuit = self.labelled.circuit.as_ref()?;
        let sums = self.sums(circuit);
        let is_possible = !sums[circuit.root as usize].is_zero();
        is_possible.then(|| self.world(&circuit.sample(sums, rng)))
    }

    fn world(&self, world: &CircuitWorld) -> World {
        let values = self.labelled.values(world);
        let log_probability = log_weight(&self.graph, &values);
        World::new(self.reader.clone(), values, log_probability)
    }
}

/// The weight of each symbol in `new`, a graph with the structure of `old`; `None` if the structure is another, or a symbol
/// would have two weights.
fn symbol_weights(
    names: &FxHashMap<WeightSymbol, u32>,
    open_zeros: OpenZeros<'_>,
    old: &FactorGraph,
    new: &FactorGraph,
) -> Option<Vec<ScaledNumber>> {
    let is_same = old.cardinalities == new.cardinalities && old.factors.len() == new.factors.len();
    if !is_same {
        return None;
    }
    let mut logs: Vec<Option<f64>> = vec![None; names.len()];
    for (number, (before, after)) in old.factors.iter().zip(&new.factors).enumerate() {
        if before.variables != after.variables || !has_same_layout(&before.table, &after.table) {
            return None;
        }
        let open = open_entries(open_zeros, number);
        let mut fits = true;
        for_each_stored(old, before, |entry, _| {
            let log = log_stored(after, entry);
            let Some(symbol) = entry_symbol(before, number, entry, open) else {
                fits &= log == f64::NEG_INFINITY;
                return;
            };
            let Some(&symbol) = names.get(&symbol) else {
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

/// True if two logarithms differ by rounding at most.
fn is_same_weight(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a - b).abs() <= MAX_ROUNDING * a.abs().max(1.0)
}

/// True if two tables store weights of the same entries.
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
