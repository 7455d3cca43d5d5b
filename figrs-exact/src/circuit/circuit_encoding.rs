//! One factor graph of a compiled model, with its decision circuit and the weights of the circuit's leaves.

use std::sync::{Arc, OnceLock};

use figrs_core::expand::{Encoding, Expansion};
use figrs_factor::graph::{FactorGraph, VarId, Weights};
use num_bigint::BigUint;
use rand::Rng;

use figrs_answer::answer::world::{EncodingDecoder, World};
use figrs_answer::error::Error;
use figrs_factor::eliminate::log_weight;
use figrs_search::circuit::{
    CircuitNode, CircuitWorld, DecisionCircuit, LabelledCircuit, ScaledNumber, SearchControl,
};

#[derive(Clone, Debug)]
pub(super) struct CircuitEncoding {
    reader: Arc<EncodingDecoder>,
    graph: Arc<FactorGraph>,
    pub(super) labelled: Arc<LabelledCircuit>,
    /// The numbers that replace the weight symbols at the leaves of the circuit.
    symbols: Arc<Vec<ScaledNumber>>,
    statements: Vec<Statement>,
    /// For each value of the varying elements (elements whose evidence may change), the weight that the current evidence gives to it.
    weights: Vec<ScaledNumber>,
    sums: OnceLock<Vec<ScaledNumber>>,
    maxima: OnceLock<Vec<ScaledNumber>>,
}

#[derive(Clone, Debug)]
struct Statement {
    variable: VarId,
    /// The weights that evidence gives to the values of an element; `None` if all weights are one.
    weights: Option<Weights>,
}

impl CircuitEncoding {
    /// Compiles a factor graph to a decision circuit. The circuit has leaves for the values of the elements `stay`, which are given by their indices
    /// in the expansion (the list of the model's elements and their values).
    pub(super) fn new(
        expansion: &Arc<Expansion>,
        mut encoding: Encoding,
        (stay, varying): (&[usize], &[usize]),
        cache_bytes: u64,
        control: &SearchControl<'_>,
    ) -> Result<Self, Error> {
        let graph = Arc::new(encoding.take_graph());
        let kept = kept_variables(stay, &encoding, &graph);
        let open = encoding.open_zeros();
        let labelled = LabelledCircuit::new(graph.clone(), open, kept, cache_bytes, control)?;
        let logs = labelled.symbol_logs.iter();
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
        graph: Arc<FactorGraph>,
        varying: &[usize],
        labelled: Arc<LabelledCircuit>,
        symbols: Vec<ScaledNumber>,
    ) -> Self {
        let variables = (varying.iter()).filter_map(|&position| encoding.variable(position));
        let unstated = |variable| Statement {
            variable,
            weights: None,
        };
        let statements = variables.map(unstated).collect();
        let expansion = expansion.clone();
        Self {
            reader: Arc::new(EncodingDecoder {
                expansion,
                encoding,
            }),
            graph,
            statements,
            weights: vec![ScaledNumber::ONE; labelled.numbering.len()],
            labelled,
            symbols: Arc::new(symbols),
            sums: OnceLock::new(),
            maxima: OnceLock::new(),
        }
    }

    /// Returns the same circuit with the weights of another factor graph of the model; `None` if the circuit is not valid for that graph.
    pub(super) fn renewed(
        &self,
        expansion: &Arc<Expansion>,
        mut encoding: Encoding,
        varying: &[usize],
    ) -> Option<Self> {
        let graph = Arc::new(encoding.take_graph());
        let labelled = self.labelled.clone();
        if kept_variables(expansion.targets(), &encoding, &graph) != labelled.kept {
            return None;
        }
        let symbols = labelled.symbol_weights(&graph)?;
        Some(Self::assemble(
            expansion, encoding, graph, varying, labelled, symbols,
        ))
    }

    /// Sets or removes the weights of the values of a varying element (an element whose evidence may change).
    pub(super) fn state(&mut self, place: usize, weights: Option<Weights>) {
        let statement = &mut self.statements[place];
        statement.weights = weights;
        for value in 0..self.graph.cardinality(statement.variable) {
            let number = (self.labelled.numbering).number(statement.variable.0, value as u32);
            self.weights[number as usize] = ScaledNumber::from_log(statement.log(value));
        }
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

    /// Returns the natural logarithm of the sum of the weights of all worlds.
    pub(super) fn log_total(&self) -> f64 {
        let circuit = self.labelled.circuit.as_ref();
        circuit.map_or(f64::NEG_INFINITY, |circuit| {
            self.sums(circuit)[circuit.root as usize].ln()
        })
    }

    /// Returns the probability of each value of some elements, which are given by their indices in the expansion (the list of all elements); the
    /// total weight must not be zero.
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

    pub(super) fn k_best(&self, count: usize) -> Vec<World> {
        let Some(circuit) = &self.labelled.circuit else {
            return Vec::new();
        };
        let best = circuit.k_best(self.maxima(circuit), count);
        best.iter().map(|world| self.world(world)).collect()
    }

    pub(super) fn variables(&self) -> usize {
        self.graph.cardinalities.len()
    }

    /// Returns the size in bytes of an integer that can hold the number of all assignments of the variables, an upper bound of the number of worlds.
    pub(super) fn largest_count_bytes(&self) -> f64 {
        let bits: f64 = self
            .graph
            .cardinalities
            .iter()
            .map(|&n| f64::from(n).log2())
            .sum();
        size_of::<BigUint>() as f64 + bits / 8.0
    }

    pub(super) fn count(&self) -> BigUint {
        let Some(circuit) = &self.labelled.circuit else {
            return BigUint::ZERO;
        };
        let leaf = |node| BigUint::from(u8::from(!self.leaf(node).is_zero()));
        let mut counts = circuit.evaluate(&BigUint::from(1u8), leaf, |a, b| a * b, |a, b| a + b);
        counts.swap_remove(circuit.root as usize)
    }

    /// Draws a world from the posterior distribution; returns `None` if no world has a positive weight.
    pub(super) fn sample(&self, rng: &mut impl Rng) -> Option<World> {
        let circuit = self.labelled.circuit.as_ref()?;
        let sums = self.sums(circuit);
        let is_possible = !sums[circuit.root as usize].is_zero();
        is_possible.then(|| self.world(&circuit.sample(sums, rng)))
    }

    fn world(&self, world: &CircuitWorld) -> World {
        let values = self.labelled.values(world);
        let stated = self.statements.iter().map(|statement| {
            let value = values[statement.variable.index()];
            statement.log(value as usize)
        });
        let log_probability = log_weight(&self.graph, &values) + stated.sum::<f64>();
        World::new(self.reader.clone(), values, log_probability)
    }
}

impl Statement {
    fn log(&self, value: usize) -> f64 {
        self.weights
            .as_ref()
            .map_or(0.0, |weights| weights.log(value))
    }
}

/// Returns, for each variable of a factor graph, `true` if it represents an element whose index is in `stay`.
fn kept_variables(stay: &[usize], encoding: &Encoding, graph: &FactorGraph) -> Vec<bool> {
    let mut kept = vec![false; graph.cardinalities.len()];
    for &position in stay {
        if let Some(v) = encoding.variable(position) {
            kept[v.index()] = true;
        }
    }
    kept
}
