//! One factor graph of a compiled model, with its contraction tree and the weights of its factors.

use std::cell::RefCell;
use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion};
use figrs_factor::Until;
use figrs_factor::graph::{
    Assignments, Factor, FactorGraph, FactorTable, ReducedGraph, Restriction, VarId, Weights,
};
use num_bigint::BigUint;
use rand::Rng;

use super::elimination_tree::{EliminationStep, EliminationTree};
use super::saved_tree::unfit;
use figrs_answer::answer::world::{EncodingDecoder, World};
use figrs_answer::error::Error;
use figrs_core::Limits;
use figrs_factor::algebra::Counting;
use figrs_factor::consistency::without_excluded;
use figrs_factor::eliminate::{EliminationError, log_weight};
use figrs_factor::tree::{
    Beliefs, BufferPool, ContractionTree, KBestQuery, MaxProductPrecision, SampleQuery,
    SumProductPrecision, TreeBeliefs,
};

/// A contraction tree from an earlier compilation, which a compilation may use again.
#[derive(Clone, Copy, Debug)]
pub enum PreviousTree<'a> {
    /// There is no earlier contraction tree.
    None,
    /// The earlier contraction tree is used again if it is valid for the new factor graph.
    IfItFits(&'a Arc<ContractionTree>),
    /// The contraction tree was loaded from a saved form; compilation ends with an error if the tree is not valid for the factor graph.
    Required(&'a Arc<ContractionTree>),
}

/// One factor graph of a compiled model, with its contraction tree and the weights of its factors.
#[derive(Clone, Debug)]
pub struct CompiledEncoding {
    reader: Arc<EncodingDecoder>,
    graph: Arc<FactorGraph>,
    tree: Arc<ContractionTree>,
    /// For each element whose evidence may change, the index of the factor for its evidence.
    statements: Vec<usize>,
    /// The map from the factor graph with all values to the graph without the values that zeros of factors exclude; `None` if no value is excluded.
    restriction: Option<Restriction>,
    sums: BufferPool<TreeBeliefs<SumProductPrecision>>,
    maxima: BufferPool<TreeBeliefs<MaxProductPrecision>>,
}

impl CompiledEncoding {
    /// Compiles a factor graph to a contraction tree.
    pub fn new(
        old: PreviousTree<'_>,
        expansion: &Arc<Expansion>,
        mut encoding: Encoding,
        varying: &[usize],
        limits: &Limits,
    ) -> Result<Self, Error> {
        let mut graph = encoding.take_graph();
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
        let mut restriction = None;
        let mut open = without_open_zeros(&graph, encoding.open_zeros());
        let planned = open.as_mut().unwrap_or(&mut graph);
        let tree = match old.tree().and_then(|tree| fitting(tree, planned)) {
            Some((tree, reduced)) => {
                if let Some(reduced) = reduced {
                    *planned = reduced.graph;
                    restriction = Some(reduced.restriction);
                }
                match old {
                    PreviousTree::Required(_) => Arc::new(loaded(tree, planned, limits)?),
                    _ => tree.clone(),
                }
            }
            None if matches!(old, PreviousTree::Required(_)) => {
                return Err(unfit(
                    "it belongs to another model, to other targets, or to evidence that excludes other values",
                ));
            }
            None => {
                let (mut tree, values) = ContractionTree::compile(planned, limits)?;
                restriction = values;
                tree.threads = limits.thread_count();
                Arc::new(tree)
            }
        };
        if let (Some(_), Some(restriction)) = (open, &restriction) {
            graph = restriction.reduce(&graph, &graph.factors);
        }
        Ok(Self {
            tree,
            reader: Arc::new(EncodingDecoder {
                expansion: expansion.clone(),
                encoding,
            }),
            graph: Arc::new(graph),
            statements,
            restriction,
            sums: BufferPool::default(),
            maxima: BufferPool::default(),
        })
    }

    /// Returns the index of the factor for the evidence on an element whose evidence may change.
    pub fn statement_factor(&self, place: usize) -> usize {
        self.statements[place]
    }

    /// Returns the table of the factor that represents evidence set on an element after compilation, given the weights of the element's values.
    pub fn statement_table(&self, place: usize, weights: Option<Weights>) -> FactorTable {
        let variable = self.graph.factors[self.statements[place]].variables[0];
        let n = self.graph.cardinality(variable);
        let left =
            (self.restriction.as_ref()).map(|restriction| &restriction.left[variable.index()]);
        let weights = weights.map(|weights| match left {
            Some(left) if left.len() < weights.len() => {
                weights.select(&left.iter().map(|&x| x as usize).collect::<Vec<_>>())
            }
            _ => weights,
        });
        evidence_table(n, weights)
    }

    /// Returns the factor graph, including the factors for the evidence that may change.
    pub fn graph(&self) -> &FactorGraph {
        &self.graph
    }

    /// Sets or removes the weights of the values of an element whose evidence may change.
    pub fn state(&mut self, place: usize, weights: Option<Weights>) {
        let at = self.statements[place];
        let table = self.statement_table(place, weights);
        Arc::make_mut(&mut self.graph).factors[at].table = table;
        if let Some(sums) = self.sums.only() {
            sums.reload(&self.tree, &self.graph, &[at]);
        }
        if let Some(maxima) = self.maxima.only() {
            maxima.reload(&self.tree, &self.graph, &[at]);
        }
    }

    /// Copies the factors. The closure `log_weight` returns the natural logarithm of the number that replaces a weight that is a parameter; its
    /// argument is the index of the outcome with this probability.
    #[must_use]
    pub fn with_log_weights(&self, log_weight: impl Fn(u32) -> Option<f64>) -> Self {
        let mut changed = self.clone();
        (changed.sums, changed.maxima) = (BufferPool::default(), BufferPool::default());
        for factor in &mut Arc::make_mut(&mut changed.graph).factors {
            set_log_weights(&mut factor.table, &log_weight);
        }
        changed
    }

    /// Returns the contraction tree, which contains no weights.
    pub fn tree(&self) -> &Arc<ContractionTree> {
        &self.tree
    }

    /// Returns the steps that sum out variables, with the names of elements in place of variables.
    pub(crate) fn elimination_tree(&self) -> EliminationTree {
        let mut names: Vec<Option<String>> = vec![None; self.graph.cardinalities.len()];
        for (position, expanded) in self.reader.expansion.elements().iter().enumerate() {
            if let Some(v) = self.reader.encoding.variable(position) {
                let label = expanded.element.label();
                let name = || {
                    let unnamed = || format!("{} {position}", label.constructor());
                    label.name.clone().unwrap_or_else(unnamed)
                };
                names[v.index()].get_or_insert_with(name);
            }
        }
        let name = |v: &VarId| {
            let name = names[v.index()].clone();
            name.unwrap_or_else(|| format!("variable {}", v.index()))
        };
        let outline = self.tree.outline();
        let sums = |at: usize| !outline[at].eliminated.is_empty();
        let mut places = vec![0; outline.len()];
        for (place, at) in (0..outline.len()).filter(|&at| sums(at)).enumerate() {
            places[at] = place;
        }
        let kept = outline.iter().filter(|step| !step.eliminated.is_empty());
        let steps = kept.map(|step| {
            let mut above = std::iter::successors(step.parent, |&at| outline[at].parent);
            EliminationStep {
                clique: step.clique.iter().map(name).collect(),
                eliminated: step.eliminated.iter().map(name).collect(),
                parent: above.find(|&at| sums(at)).map(|at| places[at]),
            }
        });
        EliminationTree {
            steps: steps.collect(),
        }
    }

    /// True if queries about single worlds need a different factor graph from the one for sums.
    pub(crate) fn is_conditional(&self) -> bool {
        self.reader.encoding.is_conditional()
    }

    /// Calls `ask` with the sum-product messages of the contraction tree.
    fn with_sums<R>(
        &self,
        ask: impl FnOnce(&mut TreeBeliefs<SumProductPrecision>, &ContractionTree, &FactorGraph) -> R,
    ) -> R {
        let new = || TreeBeliefs::new(&self.tree, &self.graph);
        (self.sums).with(new, |sums| ask(sums, &self.tree, &self.graph))
    }

    /// Computes the messages for the sum over all worlds and for the marginals of the elements with the indices `positions`.
    ///
    /// **Errors.** [`EliminationError::Interrupted`] at a deadline or an interrupt.
    pub(crate) fn prepare(
        &self,
        positions: &[usize],
        until: &Until,
    ) -> Result<(), EliminationError> {
        let variable = |&position: &usize| self.reader.encoding.variable(position);
        let mut variables = Vec::with_capacity(positions.len());
        variables.extend(positions.iter().filter_map(variable));
        self.with_sums(|sums, tree, graph| sums.prepare((tree, graph), &variables, until))
    }

    /// Returns the natural logarithm of the sum of the weights of all worlds.
    pub fn log_total(&self) -> f64 {
        self.with_sums(TreeBeliefs::log_total)
    }

    /// Returns the probabilities of the values of the elements with the indices `positions` in the expansion (the list of the model's elements and
    /// their values).
    pub fn marginals(&self, positions: &[usize]) -> Vec<Vec<f64>> {
        let variable = |&position: &usize| self.reader.encoding.variable(position);
        let mut variables: Vec<VarId> = Vec::with_capacity(positions.len());
        variables.extend(positions.iter().filter_map(variable));
        let mut marginals =
            self.with_sums(|sums, tree, graph| sums.marginals(tree, graph, &variables));
        for (marginal, (&position, &v)) in
            marginals.iter_mut().zip(positions.iter().zip(&variables))
        {
            if let Some(restriction) = &self.restriction {
                let n = self.reader.expansion.elements()[position].support.len();
                *marginal = restriction.shares_of_all(v, n, std::mem::take(marginal));
            }
        }
        marginals
    }

    /// Returns the joint probabilities of the values of the elements with the indices `positions`; `None` if no clique of the tree contains all these
    /// elements.
    pub(crate) fn joint(&self, positions: &[usize]) -> Option<Vec<f64>> {
        let variable = |&position: &usize| self.reader.encoding.variable(position);
        let variables: Option<Vec<VarId>> = positions.iter().map(variable).collect();
        let variables = variables?;
        let joint = self.with_sums(|sums, tree, graph| sums.joint(tree, graph, &variables))?;
        let support = |&position: &usize| self.reader.expansion.elements()[position].support.len();
        let reduced = Assignments::rows(variables.iter().map(|&v| self.graph.cardinality(v)));
        let all = Assignments::rows(positions.iter().map(support));
        let restriction = self.restriction.as_ref();
        let Some(Restriction { left, .. }) = restriction.filter(|_| reduced.count() < all.count())
        else {
            return Some(joint);
        };
        let mut shares = vec![0.0; all.count()];
        let mut row = vec![0; variables.len()];
        for (number, p) in joint.into_iter().enumerate() {
            for (value, (&v, x)) in row
                .iter_mut()
                .zip(variables.iter().zip(reduced.values(number)))
            {
                *value = left[v.index()][x as usize];
            }
            shares[all.number(&row)] = p;
        }
        Some(shares)
    }

    pub(crate) fn k_best(&self, count: usize) -> Vec<World> {
        let tree = &*self.tree;
        let new = || TreeBeliefs::new(tree, &self.graph);
        let ask = |maxima: &mut TreeBeliefs<MaxProductPrecision>| {
            maxima.ask(tree, &self.graph, KBestQuery { tree, count })
        };
        let best = self.maxima.with(new, ask);
        best.iter().map(|values| self.world(values)).collect()
    }

    pub(crate) fn count(&self) -> BigUint {
        let mut beliefs = Beliefs::<Counting>::new(&self.tree, &self.graph);
        beliefs.collect(&self.tree);
        beliefs.total(&self.tree).0
    }

    /// Draws a world from the posterior distribution; returns `None` if no world has a positive weight.
    pub(crate) fn sample(&self, rng: &mut impl Rng) -> Option<World> {
        let tree = &*self.tree;
        let rng = RefCell::new(&mut *rng);
        let draw = SampleQuery { tree, rng };
        let values = self.with_sums(|sums, _, graph| sums.ask(tree, graph, draw))?;
        Some(self.world(&values))
    }

    fn world(&self, values: &[u32]) -> World {
        let mut values = self.tree.world(values);
        let log_probability = log_weight(&self.graph, &values);
        if let Some(restriction) = &self.restriction {
            values = restriction.world(&values);
        }
        World::new(self.reader.clone(), values, log_probability)
    }
}

impl<'a> PreviousTree<'a> {
    fn tree(self) -> Option<&'a Arc<ContractionTree>> {
        match self {
            Self::None => None,
            Self::IfItFits(tree) | Self::Required(tree) => Some(tree),
        }
    }
}

/// Returns a contraction tree with the factor graph for which it is valid (`graph`, or `graph` without excluded values); `None` if the tree is valid
/// for neither graph.
fn fitting<'a>(
    tree: &'a Arc<ContractionTree>,
    graph: &FactorGraph,
) -> Option<(&'a Arc<ContractionTree>, Option<ReducedGraph>)> {
    if !tree.is_reduced {
        return tree.fits(graph).then_some((tree, None));
    }
    let reduced = without_excluded(graph)?;
    tree.fits(&reduced.graph).then_some((tree, Some(reduced)))
}

/// Checks that the indices of a saved tree are valid, and returns a copy of the tree.
fn loaded(
    tree: &ContractionTree,
    graph: &FactorGraph,
    limits: &Limits,
) -> Result<ContractionTree, Error> {
    if !tree.is_sound(graph) {
        return Err(unfit("it is damaged"));
    }
    // Each entry needs memory for a message and for a derivative.
    limits.check_memory(2.0 * tree.table_bytes() as f64)?;
    let mut tree = tree.clone();
    tree.threads = limits.thread_count();
    Ok(tree)
}

/// Gives each weight of `table` that is a parameter the value that `log_weight` states. The argument of `log_weight` is the index of the outcome
/// whose probability is the weight; the result of `log_weight` is the natural logarithm of the new weight.
pub fn set_log_weights(table: &mut FactorTable, log_weight: impl Fn(u32) -> Option<f64>) {
    if let Some(weights) = table.weights_mut()
        && weights.origins().is_some()
    {
        *weights = weights.with_log_weights(log_weight);
    }
}

fn evidence_table(values: usize, weights: Option<Weights>) -> FactorTable {
    FactorTable::Dense(weights.unwrap_or_else(|| Weights::from_linear(vec![1.0; values])))
}

/// Replaces weights that are zero only for the current values of parameters by one; `listed` has the indices of these weights in the tables of the
/// factors. Returns `None` if `listed` contains no weight. The replacement of zeros by ones is needed because a contraction tree omits zeros, but may
/// omit only entries that are zero for all values of the parameters.
fn without_open_zeros(graph: &FactorGraph, listed: &[(usize, Vec<u32>)]) -> Option<FactorGraph> {
    if listed.is_empty() {
        return None;
    }
    let mut graph = graph.clone();
    for (factor, entries) in listed {
        if let Some(weights) = graph.factors[*factor].table.weights_mut() {
            let one = |i| f64::from(u8::from(!weights.is_zero(i)));
            let mut ones: Vec<f64> = (0..weights.len()).map(one).collect();
            for &entry in entries {
                ones[entry as usize] = 1.0;
            }
            *weights = Weights::from_linear(ones);
        }
    }
    Some(graph)
}
