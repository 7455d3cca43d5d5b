//! Gibbs blocks whose assignments are enumerated; a block is one or a few variables, together with the variables that are functions of them.

use rustc_hash::FxHashMap;

use super::prepare::{DeterministicVariable, PreparedGraph, WeightFactor};
use figrs_factor::graph::{Assignments, FactorGraph, LogTable, VarId, log_entry};

/// Smallest sum of products that is accepted as accurate. If a sum is smaller than this bound, its products may have underflowed, and the sum is
/// computed again from logarithms.
const MIN_TRUSTED_SUM: f64 = 1e-200;

/// A table of a Gibbs block, with the strides of the table's variables that are outside the block.
#[derive(Clone, Copy, Debug)]
struct TableInput {
    table: u32,
    /// The strides of the table's variables outside the block, as a range of indices into the list `SingleVariableBlock::given`.
    given: (u32, u32),
}

/// A Gibbs block of one variable, of which no other variable is a function.
#[derive(Debug)]
pub(super) struct SingleVariableBlock {
    pub(super) variable: u32,
    values: u32,
    inputs: Vec<TableInput>,
    /// For each table, its variables outside the Gibbs block and their strides; the entries for the values of the block's variable are contiguous.
    given: Vec<(u32, u32)>,
}

/// A Gibbs block of some free variables, and of the variables that are functions of the free variables.
#[derive(Debug)]
pub(super) struct EnumeratedBlock {
    free: Assignments,
    defined: Vec<DeterministicVariable>,
    terms: Vec<BlockTerm>,
}

#[derive(Debug)]
enum BlockTerm {
    Dense { table: u32, given: Vec<(u32, u32)> },
    Factor(usize),
}

impl SingleVariableBlock {
    /// Builds the Gibbs block of `variable`; `None` if one of the variable's factors is too large to be tabulated.
    pub(super) fn new(
        prepared: &PreparedGraph<'_>,
        variable: usize,
        pieces: &[usize],
        arena: &mut Arena,
    ) -> Option<Self> {
        let graph = prepared.graph;
        let values = graph.cardinalities[variable];
        let (mut inputs, mut given) = (Vec::new(), Vec::new());
        let mut scratch = vec![0; graph.cardinalities.len()];
        for &i in pieces {
            let WeightFactor::Dense(table) = &prepared.weight_factors[i] else {
                return None;
            };
            let mut scope = table.scope.clone();
            scope.retain(|v| v.index() != variable);
            scope.push(VarId(variable as u32));
            let rows = LogTable::tabulate(graph, scope, &mut scratch, |values| table.at(values));
            let start = given.len() as u32;
            let others = rows.assignments.strides().filter(|&(v, _)| v != variable);
            given.extend(others.map(|(v, stride)| (v as u32, stride as u32)));
            inputs.push(TableInput {
                table: arena.intern(&rows.logs),
                given: (start, given.len() as u32),
            });
        }
        Some(Self {
            variable: variable as u32,
            values,
            inputs,
            given,
        })
    }

    pub(super) fn cost(&self) -> u64 {
        1 + self.given.len() as u64 + u64::from(self.values) * self.inputs.len() as u64
    }

    /// Returns the offset of the table entries for the present values of the variables outside the Gibbs block.
    fn row(&self, input: TableInput, values: &[u32]) -> usize {
        let given = &self.given[input.given.0 as usize..input.given.1 as usize];
        let mut at = input.table;
        for &(v, stride) in given {
            at += values[v as usize] * stride;
        }
        at as usize
    }

    /// Computes the weight of each value of the variable in the block, given all other variables of the graph; returns the sum of the weights.
    pub(super) fn weigh(&self, arena: &Arena, values: &[u32], weights: &mut Vec<f64>) -> f64 {
        let n = self.values as usize;
        if n == 2 {
            let (mut a, mut b) = (1.0, 1.0);
            for &input in &self.inputs {
                let at = self.row(input, values);
                let row = &arena.linear[at..at + 2];
                a *= row[0];
                b *= row[1];
            }
            if a + b >= MIN_TRUSTED_SUM {
                weights.clear();
                weights.extend([a, b]);
                return a + b;
            }
        } else {
            weights.clear();
            weights.resize(n, 1.0);
            for &input in &self.inputs {
                let at = self.row(input, values);
                let row = &arena.linear[at..at + n];
                weights.iter_mut().zip(row).for_each(|(w, x)| *w *= x);
            }
            let total: f64 = weights.iter().sum();
            if total >= MIN_TRUSTED_SUM {
                return total;
            }
        }
        weights.clear();
        weights.resize(n, 0.0);
        for &input in &self.inputs {
            let at = self.row(input, values);
            let row = &arena.logs[at..at + n];
            weights.iter_mut().zip(row).for_each(|(w, x)| *w += x);
        }
        exponentials(weights)
    }
}

impl EnumeratedBlock {
    pub(super) fn new(
        prepared: &PreparedGraph<'_>,
        free: &[usize],
        defined: &[usize],
        pieces: &[usize],
        arena: &mut Arena,
    ) -> Self {
        let term = |&i: &usize| match &prepared.weight_factors[i] {
            WeightFactor::Dense(table) => {
                let given = table.assignments.strides();
                BlockTerm::Dense {
                    table: arena.intern(&table.logs),
                    given: given.map(|(v, s)| (v as u32, s as u32)).collect(),
                }
            }
            WeightFactor::Factor(i) => BlockTerm::Factor(*i),
        };
        let terms = pieces.iter().map(term).collect();
        let defined = defined
            .iter()
            .filter_map(|&v| prepared.definitions[v].clone());
        Self {
            free: Assignments::within(prepared.graph, free.iter().copied()),
            defined: defined.collect(),
            terms,
        }
    }

    /// Returns the number of operations that compute the weight of one assignment of the Gibbs block.
    pub(super) fn cost(&self) -> u64 {
        let term = |term: &BlockTerm| match term {
            BlockTerm::Dense { given, .. } => 1 + given.len() as u64,
            BlockTerm::Factor(_) => 16,
        };
        let defined = self.defined.iter().map(|d| 1 + d.parents.len() as u64);
        self.terms.iter().map(term).chain(defined).sum::<u64>() + 1
    }

    /// Computes the weights of all assignments of the free variables in the Gibbs block, in row-major order, given all variables outside the block.
    /// Sets the block's variables in `values` to the first assignment of the Gibbs block, and returns the sum of the weights.
    pub(super) fn weigh(
        &self,
        graph: &FactorGraph,
        arena: &Arena,
        values: &mut [u32],
        weights: &mut Vec<f64>,
    ) -> f64 {
        let linear = |graph: &FactorGraph, i: usize, values: &[u32]| {
            log_entry(graph, &graph.factors[i], values).exp()
        };
        let times = |a: f64, b: f64| a * b;
        self.enumerate(graph, values, weights, (&arena.linear, 1.0), linear, times);
        let total: f64 = weights.iter().sum();
        if (MIN_TRUSTED_SUM..f64::INFINITY).contains(&total) {
            return total;
        }
        let log = |graph: &FactorGraph, i: usize, values: &[u32]| {
            log_entry(graph, &graph.factors[i], values)
        };
        let plus = |a: f64, b: f64| a + b;
        self.enumerate(graph, values, weights, (&arena.logs, 0.0), log, plus);
        exponentials(weights)
    }

    fn enumerate(
        &self,
        graph: &FactorGraph,
        values: &mut [u32],
        weights: &mut Vec<f64>,
        (tables, one): (&[f64], f64),
        factor: impl Fn(&FactorGraph, usize, &[u32]) -> f64,
        times: impl Fn(f64, f64) -> f64,
    ) {
        weights.clear();
        self.free.reset(values);
        loop {
            self.set_determined(values);
            let mut weight = one;
            for term in &self.terms {
                let next = match term {
                    BlockTerm::Dense { table, given } => {
                        let at = given.iter().map(|&(v, s)| values[v as usize] * s);
                        tables[(table + at.sum::<u32>()) as usize]
                    }
                    BlockTerm::Factor(i) => factor(graph, *i, values),
                };
                weight = times(weight, next);
            }
            weights.push(weight);
            if self.free.advance(values).is_none() {
                return;
            }
        }
    }

    /// Computes the variables of the Gibbs block that are functions of the free variables of the block.
    fn set_determined(&self, values: &mut [u32]) {
        for definition in &self.defined {
            values[definition.child] = definition.value(values);
        }
    }

    /// Sets the variables of the Gibbs block to the assignment with the index `number`.
    pub(super) fn choose(&self, number: usize, values: &mut [u32]) {
        self.free.assign(number, values);
        self.set_determined(values);
    }
}

/// Replaces logarithms by their exponentials, scaled such that the largest exponential is one; returns the sum of the exponentials.
fn exponentials(weights: &mut [f64]) -> f64 {
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for weight in weights {
        *weight = (*weight - most).exp();
        total += *weight;
    }
    total
}

/// Tables in contiguous memory, with each entry stored both as a number and as its logarithm.
#[derive(Debug, Default)]
pub(super) struct Arena {
    pub(super) linear: Vec<f64>,
    pub(super) logs: Vec<f64>,
    known: FxHashMap<Vec<u64>, u32>,
}

impl Arena {
    /// Stores the table whose entries have the logarithms `logs`, and returns its offset in the arena. Tables with the same entries share one offset.
    pub(super) fn intern(&mut self, logs: &[f64]) -> u32 {
        let key: Vec<u64> = logs.iter().map(|log| log.to_bits()).collect();
        *self.known.entry(key).or_insert_with(|| {
            let start = self.logs.len() as u32;
            self.logs.extend(logs);
            self.linear.extend(logs.iter().map(|log| log.exp()));
            start
        })
    }
}
