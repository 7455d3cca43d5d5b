//! One encoding of a compiled model, with its tree and its numbers.

use std::cell::RefCell;
use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::factor::{Factor, FactorGraph, FactorTable, VarId};
use figrs_core::weights::Weights;
use num_bigint::BigUint;
use rand::Rng;

use crate::eliminate::{Counting, log_weight};
use crate::error::Error;
use crate::junction::{Beliefs, Draw, KBest, Maxima, Numbers, Sums, Tree};
use crate::limits::Limits;
use crate::world::{Reader, World};

/// A tree that there is already.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Old<'a> {
    /// None.
    None,
    /// It is used if it fits.
    IfItFits(&'a Arc<Tree>),
    /// It was loaded, and not to fit is an error.
    Required(&'a Arc<Tree>),
}

/// One encoding of a model with its tree and its numbers.
#[derive(Debug)]
pub(crate) struct Part {
    reader: Arc<Reader>,
    graph: FactorGraph,
    tree: Arc<Tree>,
    /// The factor of each varying element that holds what is stated of it.
    statements: Vec<usize>,
    sums: Option<Numbers<Sums>>,
    maxima: Option<Numbers<Maxima>>,
}

impl Part {
    /// Compiles an encoding.
    pub(crate) fn new(
        old: Old<'_>,
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
                table: statement(graph.cardinality(variable), None),
                normalised: false,
            });
        }
        let tree = match old {
            Old::IfItFits(tree) if tree.fits(&graph) => tree.clone(),
            Old::Required(tree) => Arc::new(loaded(tree, &graph, limits)?),
            Old::IfItFits(_) | Old::None => {
                let mut tree = Tree::new(&graph, &limits.options)?;
                tree.threads = limits.threads();
                Arc::new(tree)
            }
        };
        Ok(Self {
            tree,
            reader: Arc::new(Reader {
                expansion: expansion.clone(),
                encoding,
            }),
            graph,
            statements,
            sums: None,
            maxima: None,
        })
    }

    /// States the weights of the values of a varying element, or nothing.
    pub(crate) fn state(&mut self, place: usize, weights: Option<&[f64]>) {
        let at = self.statements[place];
        let n = self.graph.cardinality(self.graph.factors[at].variables[0]);
        self.graph.factors[at].table = statement(n, weights);
        if let Some(sums) = &mut self.sums {
            sums.reload(&self.tree, &self.graph, &[at]);
        }
        if let Some(maxima) = &mut self.maxima {
            maxima.reload(&self.tree, &self.graph, &[at]);
        }
    }

    /// The tree, without numbers.
    pub(crate) fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// Whether single worlds need another encoding than sums.
    pub(crate) fn is_conditional(&self) -> bool {
        self.reader.encoding.is_conditional()
    }

    fn numbers(&mut self) -> (&mut Numbers<Sums>, &Tree, &FactorGraph) {
        let new = || Numbers::new(&self.tree, &self.graph);
        (self.sums.get_or_insert_with(new), &self.tree, &self.graph)
    }

    /// The natural logarithm of the sum of the weights of all worlds.
    pub(crate) fn log_total(&mut self) -> f64 {
        let (sums, tree, graph) = self.numbers();
        sums.log_total(tree, graph)
    }

    /// The probabilities of the values of some elements, by their positions in the expansion.
    pub(crate) fn marginals(&mut self, positions: &[usize]) -> Vec<Vec<f64>> {
        let variable = |&position: &usize| self.reader.encoding.variable(position);
        let variables: Vec<VarId> = positions.iter().filter_map(variable).collect();
        let (sums, tree, graph) = self.numbers();
        sums.marginals(tree, graph, &variables)
    }

    /// The joint probabilities of the values of some elements; `None` if no clique holds them all.
    pub(crate) fn joint(&mut self, positions: &[usize]) -> Option<Vec<f64>> {
        let variable = |&position: &usize| self.reader.encoding.variable(position);
        let variables: Option<Vec<VarId>> = positions.iter().map(variable).collect();
        let (sums, tree, graph) = self.numbers();
        sums.joint(tree, graph, &variables?)
    }

    /// The worlds of the largest weights, best first.
    pub(crate) fn k_best(&mut self, count: usize) -> Vec<World> {
        let new = || Numbers::new(&self.tree, &self.graph);
        let maxima = self.maxima.get_or_insert_with(new);
        let tree = &self.tree;
        let best = maxima.ask(tree, &self.graph, KBest { tree, count });
        best.iter().map(|values| self.world(values)).collect()
    }

    /// How many worlds have weight.
    pub(crate) fn count(&self) -> BigUint {
        let mut beliefs = Beliefs::<Counting>::new(&self.tree, &self.graph);
        beliefs.collect(&self.tree);
        beliefs.total(&self.tree).0
    }

    /// A random world; `None` if none has weight.
    pub(crate) fn sample(&mut self, rng: &mut impl Rng) -> Option<World> {
        let (sums, tree, graph) = self.numbers();
        let rng = RefCell::new(rng);
        let values = sums.ask(tree, graph, Draw { tree, rng })?;
        Some(self.world(&values))
    }

    fn world(&self, values: &[u32]) -> World {
        let values = self.tree.world(values);
        let log_probability = log_weight(&self.graph, &values);
        World::new(self.reader.clone(), values, log_probability)
    }
}

/// A tree that was saved, for a graph.
fn loaded(tree: &Tree, graph: &FactorGraph, limits: &Limits) -> Result<Tree, Error> {
    if !tree.fits(graph) {
        return Err(Error::SavedTree {
            reason: "it is that of another model, other targets, or other zeros",
        });
    }
    if !tree.is_sound(graph) {
        return Err(Error::SavedTree {
            reason: "it is damaged",
        });
    }
    // A message and its derivative for each entry.
    limits.options.admit(2.0 * tree.table_bytes() as f64)?;
    let mut tree = tree.clone();
    tree.threads = limits.threads();
    Ok(tree)
}

/// What is stated of a variable, as a table.
fn statement(values: usize, weights: Option<&[f64]>) -> FactorTable {
    let weights = weights.map_or_else(|| vec![1.0; values], <[f64]>::to_vec);
    FactorTable::Dense(Weights::from_linear(weights))
}
