//! Gibbs blocks drawn by variable elimination: they have too many assignments to enumerate, but a small junction tree.

use figrs_factor::Limits;
use figrs_factor::graph::{
    Assignments, Factor, FactorGraph, FactorTable, LogTable, VarId, Weights,
};
use figrs_factor::tree::{
    ContractionTree, EnumerationQuery, SampleQuery, SumProductPrecision, TreeBeliefs,
};
use std::cell::RefCell;
use std::collections::BTreeMap;

use rand::Rng;

use super::prepare::{DeterministicVariable, PreparedGraph, WeightFactor};

/// Factor in the maximum number of operations for drawing a Gibbs block by elimination: the maximum is this factor times the entries of the largest
/// table allowed.
const OPERATIONS: f64 = 64.0;
/// Maximum number of bytes of the messages in the elimination of a Gibbs block. The memory limit is a constant, because Gibbs blocks must be the same
/// on all machines.
const MEMORY: u64 = 1 << 26;

/// A factor whose table depends on the values of variables outside the Gibbs block.
#[derive(Debug)]
struct ConditionedFactor {
    factor: usize,
    /// The assignments of the factor's variables inside the Gibbs block, in the order of the entries of the factor's table.
    inside: Assignments,
    weigh: ConditionedTable,
}

#[derive(Debug)]
enum ConditionedTable {
    Table(LogTable),
    Definition(DeterministicVariable),
}

/// A Gibbs block of variables, with the junction tree that eliminates them.
#[derive(Debug)]
pub(super) struct EliminationBlock {
    /// The indices, in the whole graph, of the variables of the Gibbs block, in the order of the variables in the block's own graph.
    pub(super) variables: Vec<usize>,
    graph: FactorGraph,
    tree: ContractionTree,
    open: Vec<ConditionedFactor>,
    pub(super) cost: u64,
}

/// Buffers with which a Markov chain draws the variables of a Gibbs block.
#[derive(Debug)]
pub(super) struct BlockMessages {
    graph: FactorGraph,
    sums: TreeBeliefs<SumProductPrecision>,
    /// An assignment of all variables of the graph that serves as scratch memory.
    values: Vec<u32>,
}

impl EliminationBlock {
    /// Builds a Gibbs block of the variables `variables`, some of which may be functions of other variables. Returns `None` if the elimination needs
    /// a table of more than `limit` entries, or more than `most` operations.
    pub(super) fn new(
        prepared: &PreparedGraph<'_>,
        variables: Vec<usize>,
        pieces: &[usize],
        limit: usize,
        most: f64,
    ) -> Option<Self> {
        let mut graph = FactorGraph::default();
        let mut names: BTreeMap<usize, VarId> = BTreeMap::new();
        for &v in &variables {
            names.insert(
                v,
                graph.add_variable(prepared.graph.cardinalities[v] as usize),
            );
        }
        let mut open = Vec::new();
        let all = prepared.graph;
        let mut add =
            |scope: Vec<usize>, table: Option<FactorTable>, weigh: Option<ConditionedTable>| {
                let inside: Vec<usize> = scope
                    .iter()
                    .copied()
                    .filter(|v| names.contains_key(v))
                    .collect();
                let assignments = Assignments::within(all, inside.iter().copied());
                let entries = assignments.count();
                if weigh.is_some() {
                    open.push(ConditionedFactor {
                        factor: graph.factors.len(),
                        inside: assignments,
                        weigh: weigh?,
                    });
                }
                // With a dense table, the shape of the tree does not depend on the values of variables outside the block.
                let table = match table {
                    Some(table) => table,
                    None if entries <= limit => FactorTable::Dense(vec![1.0; entries].into()),
                    None => return None,
                };
                graph.factors.push(Factor {
                    variables: inside.iter().map(|v| names[v]).collect(),
                    table,
                    normalised: false,
                });
                Some(())
            };
        let is_inside = |scope: &[usize]| scope.iter().all(|v| names.contains_key(v));
        for &v in &variables {
            let Some(definition) = &prepared.definitions[v] else {
                continue;
            };
            let mut scope = definition.parents.clone();
            scope.push(v);
            if is_inside(&scope) {
                let index = definition.index.clone();
                add(scope, Some(FactorTable::Function { index }), None)?;
            } else {
                add(
                    scope,
                    None,
                    Some(ConditionedTable::Definition(definition.clone())),
                )?;
            }
        }
        for &i in pieces {
            let scope = prepared.scope(&prepared.weight_factors[i]);
            match (&prepared.weight_factors[i], is_inside(&scope)) {
                (WeightFactor::Dense(table), true) => {
                    let weights = Weights::from_logs(table.logs.clone());
                    add(scope, Some(FactorTable::Dense(weights)), None)?;
                }
                (WeightFactor::Dense(table), false) => {
                    add(scope, None, Some(ConditionedTable::Table(table.clone())))?;
                }
                (WeightFactor::Factor(f), true) => {
                    add(scope, Some(all.factors[*f].table.clone()), None)?;
                }
                (WeightFactor::Factor(_), false) => return None,
            }
        }
        let options = Limits::default()
            .table_entries(limit)
            .work(most.min(OPERATIONS * limit as f64))
            .memory(MEMORY);
        let (mut tree, left) = ContractionTree::compile(&mut graph, &options).ok()?;
        tree.threads = 1;
        let cost = tree.cost.operations as u64 + variables.len() as u64;
        left.is_none().then_some(Self {
            variables,
            graph,
            tree,
            open,
            cost,
        })
    }

    pub(super) fn messages(&self, variables: usize) -> BlockMessages {
        BlockMessages {
            graph: self.graph.clone(),
            sums: TreeBeliefs::new(&self.tree, &self.graph),
            values: vec![0; variables],
        }
    }

    /// Computes the tables of the factors that depend on variables outside the Gibbs block, for the present values of these variables.
    fn load(&self, messages: &mut BlockMessages, values: &[u32]) {
        messages.values.copy_from_slice(values);
        let mut loaded = Vec::with_capacity(self.open.len());
        for open in &self.open {
            let scratch = &mut messages.values;
            open.inside.reset(scratch);
            let mut logs = Vec::with_capacity(open.inside.count());
            loop {
                logs.push(match &open.weigh {
                    ConditionedTable::Table(table) => table.at(scratch),
                    ConditionedTable::Definition(of) if of.value(scratch) == scratch[of.child] => {
                        0.0
                    }
                    ConditionedTable::Definition(_) => f64::NEG_INFINITY,
                });
                if open.inside.advance(scratch).is_none() {
                    break;
                }
            }
            open.inside.assign(open.inside.number(values), scratch);
            messages.graph.factors[open.factor].table =
                FactorTable::Dense(Weights::from_logs(logs));
            loaded.push(open.factor);
        }
        messages.sums.reload(&self.tree, &messages.graph, &loaded);
    }

    /// Draws new values of the variables in the Gibbs block, given all other variables of the graph.
    pub(super) fn update(
        &self,
        messages: &mut BlockMessages,
        values: &mut [u32],
        rng: &mut impl Rng,
    ) {
        self.load(messages, values);
        let rng = RefCell::new(rng);
        let tree = &self.tree;
        let drawn = messages
            .sums
            .ask(tree, &messages.graph, SampleQuery { tree, rng });
        // The present assignment has positive weight; the block therefore always has an assignment that can be drawn.
        for (&v, value) in self
            .variables
            .iter()
            .zip(drawn.iter().flat_map(|w| tree.world(w)))
        {
            values[v] = value;
        }
    }

    /// Returns each assignment of the Gibbs block that [`update`](Self::update) may draw, with its probability.
    pub(super) fn outcomes(&self, values: &[u32]) -> Vec<(Vec<u32>, f64)> {
        let mut messages = self.messages(values.len());
        self.load(&mut messages, values);
        let tree = &self.tree;
        let every = messages
            .sums
            .ask(tree, &messages.graph, EnumerationQuery { tree });
        let outcome = |(drawn, p): (Vec<u32>, f64)| {
            let mut next = values.to_vec();
            for (&v, value) in self.variables.iter().zip(tree.world(&drawn)) {
                next[v] = value;
            }
            (next, p)
        };
        every.into_iter().map(outcome).collect()
    }
}
