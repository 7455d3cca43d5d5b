//! Messages of a contraction tree in scaled numbers, or in logarithms if a scaled number overflows or underflows.

use crate::graph::{FactorGraph, VarId, is_wide};
use crate::limits::Until;

use crate::algebra::{NumberForm, Precision, Semiring};
use crate::eliminate::EliminationError;

use super::beliefs::Beliefs;
use super::contraction_tree::ContractionTree;
use super::tensor::Rank;

/// The messages of a contraction tree. The messages are scaled numbers until a number overflows or underflows, and logarithms afterwards.
#[derive(Debug)]
pub struct TreeBeliefs<P: Precision> {
    scaled: Option<Beliefs<P::Scaled>>,
    logs: Option<Beliefs<P::Logs>>,
}

impl<P: Precision> TreeBeliefs<P> {
    /// Loads the weights of the factors into the contraction tree.
    pub fn new(tree: &ContractionTree, graph: &FactorGraph) -> Self {
        let scaled = !graph.factors.iter().any(is_wide);
        Self {
            scaled: scaled.then(|| Beliefs::new(tree, graph)),
            logs: (!scaled).then(|| Beliefs::new(tree, graph)),
        }
    }

    /// Loads the new weights of the factors with the indices `factors`.
    pub fn reload(&mut self, tree: &ContractionTree, graph: &FactorGraph, factors: &[usize]) {
        // Numbers that overflowed or underflowed with the old weights may be in range with the new weights.
        let wide = factors.iter().any(|&i| is_wide(&graph.factors[i]));
        match &mut self.scaled {
            Some(scaled) if !wide && !scaled.is_out_of_range() => {
                scaled.load(tree, graph, factors);
            }
            _ => *self = Self::new(tree, graph),
        }
    }

    /// Computes the messages that are needed for the total weight and the marginals of `variables`.
    ///
    /// **Errors.** [`EliminationError::Interrupted`] if the run is stopped.
    pub fn prepare(
        &mut self,
        (tree, graph): (&ContractionTree, &FactorGraph),
        variables: &[VarId],
        until: &Until,
    ) -> Result<(), EliminationError> {
        let mut ranks: Vec<Rank> = Vec::with_capacity(variables.len());
        ranks.extend(variables.iter().filter_map(|v| tree.ranks[v.index()]));
        if let Some(scaled) = &mut self.scaled {
            scaled.prepare(tree, &ranks, until)?;
            if !scaled.is_out_of_range() {
                return Ok(());
            }
        }
        self.scaled = None;
        let logs = self.logs.get_or_insert_with(|| Beliefs::new(tree, graph));
        logs.prepare(tree, &ranks, until)
    }

    /// Runs a query in scaled numbers, or in logarithms if a scaled number overflows or underflows.
    pub fn ask<R>(
        &mut self,
        tree: &ContractionTree,
        graph: &FactorGraph,
        ask: impl BeliefQuery<R>,
    ) -> R {
        if let Some(scaled) = &mut self.scaled {
            scaled.collect(tree);
            if !scaled.is_out_of_range() {
                let answer = ask.ask(scaled, NumberForm::Scaled);
                if !scaled.is_out_of_range() {
                    return answer;
                }
            }
        }
        self.scaled = None;
        let logs = self.logs.get_or_insert_with(|| Beliefs::new(tree, graph));
        logs.collect(tree);
        ask.ask(logs, NumberForm::Logs)
    }

    /// Returns the natural logarithm of the total weight; minus infinity if and only if no assignment has a positive weight.
    pub fn log_total(&mut self, tree: &ContractionTree, graph: &FactorGraph) -> f64 {
        self.ask(tree, graph, TotalQuery { tree })
    }

    /// Returns the probability of each value of each of `variables`; all probabilities are zero if the total weight is zero.
    pub fn marginals(
        &mut self,
        tree: &ContractionTree,
        graph: &FactorGraph,
        variables: &[VarId],
    ) -> Vec<Vec<f64>> {
        self.ask(
            tree,
            graph,
            MarginalsQuery {
                tree,
                graph,
                variables,
            },
        )
    }

    /// Returns the probability of each assignment of the distinct `variables`, row-major in their order; `None` if no clique of the tree contains all
    /// of them.
    pub fn joint(
        &mut self,
        tree: &ContractionTree,
        graph: &FactorGraph,
        variables: &[VarId],
    ) -> Option<Vec<f64>> {
        let scope: Option<Vec<Rank>> = variables.iter().map(|v| tree.ranks[v.index()]).collect();
        let scope = &scope?[..];
        self.ask(tree, graph, JointQuery { tree, scope })
    }
}

/// A query to the messages of a contraction tree, in scaled numbers or logarithms.
pub trait BeliefQuery<R> {
    /// Returns the answer of the query from messages in the representation `form`.
    fn ask<S: Semiring<Value = f64>>(&self, beliefs: &mut Beliefs<S>, form: NumberForm) -> R;
}

struct JointQuery<'a> {
    tree: &'a ContractionTree,
    scope: &'a [Rank],
}

impl BeliefQuery<Option<Vec<f64>>> for JointQuery<'_> {
    fn ask<S: Semiring<Value = f64>>(
        &self,
        beliefs: &mut Beliefs<S>,
        form: NumberForm,
    ) -> Option<Vec<f64>> {
        Some(form.shares(beliefs.joint(self.tree, self.scope)?))
    }
}

struct TotalQuery<'a> {
    tree: &'a ContractionTree,
}

impl BeliefQuery<f64> for TotalQuery<'_> {
    fn ask<S: Semiring<Value = f64>>(&self, beliefs: &mut Beliefs<S>, form: NumberForm) -> f64 {
        let (total, scale) = beliefs.total(self.tree);
        form.log(total) + scale
    }
}

struct MarginalsQuery<'a> {
    tree: &'a ContractionTree,
    graph: &'a FactorGraph,
    variables: &'a [VarId],
}

impl BeliefQuery<Vec<Vec<f64>>> for MarginalsQuery<'_> {
    fn ask<S: Semiring<Value = f64>>(
        &self,
        beliefs: &mut Beliefs<S>,
        form: NumberForm,
    ) -> Vec<Vec<f64>> {
        let one = |&v: &VarId| {
            let values = beliefs.marginal_of(self.tree, self.graph, v);
            form.shares(values)
        };
        self.variables.iter().map(one).collect()
    }
}
