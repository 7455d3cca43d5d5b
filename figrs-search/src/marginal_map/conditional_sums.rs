//! The total weight of an assignment of the maximised variables, computed by an exact elimination of all other variables.

use figrs_factor::Limits;
use figrs_factor::eliminate::{EliminationError, Plan, log_sums};
use figrs_factor::graph::{DecidedVariables, FactorGraph, Restriction, VarId};

/// Exact sums over the variables that are not maximised, given an assignment of the maximised variables.
///
/// The maximised variables have values and are removed from the graph; the treewidth for a sum may therefore be far smaller than the width of the
/// graph. The sums for all assignments use the elimination order that was found for the first sum.
#[derive(Debug)]
pub(super) struct ConditionalSums<'a> {
    graph: &'a FactorGraph,
    maximised: &'a [VarId],
    order: Vec<VarId>,
    limits: Limits,
    /// Predicted number of operations of all sums that have been computed.
    pub(super) operations: f64,
}

impl<'a> ConditionalSums<'a> {
    /// Plans the sums over the other variables for given values of the maximised variables.
    ///
    /// **Errors.** The error of a sum that exceeds the limits; [`EliminationError::Interrupted`] if the search is stopped.
    pub(super) fn new(
        graph: &'a FactorGraph,
        maximised: &'a [VarId],
        values: &[u32],
        limits: Limits,
    ) -> Result<Self, EliminationError> {
        let mut this = Self {
            graph,
            maximised,
            order: Vec::new(),
            limits,
            operations: 0.0,
        };
        let restriction = this.restriction(values, None);
        let reduced = restriction.reduce(graph, &graph.factors);
        let plan = Plan::new(&reduced, &[], &this.limits, true)?;
        let eliminated = plan.buckets.iter().flat_map(|bucket| &bucket.eliminated);
        this.order = eliminated.map(|v| restriction.open[v.index()]).collect();
        Ok(this)
    }

    /// Returns the natural logarithm of the total weight of an assignment of the maximised variables, summed over all other variables.
    pub(super) fn log_weight(&mut self, values: &[u32]) -> Result<f64, EliminationError> {
        Ok(self.logs(values, None)?[0])
    }

    /// Returns the logarithms of the total weights for all values of the maximised variable with the index `open`, given the values of the other
    /// maximised variables.
    pub(super) fn log_weights(
        &mut self,
        values: &[u32],
        open: usize,
    ) -> Result<Vec<f64>, EliminationError> {
        self.logs(values, Some(open))
    }

    fn logs(&mut self, values: &[u32], open: Option<usize>) -> Result<Vec<f64>, EliminationError> {
        let restriction = self.restriction(values, open);
        let reduced = restriction.reduce(self.graph, &self.graph.factors);
        let open = open.map(|position| self.maximised[position]);
        let keep: Vec<VarId> = open.and_then(|v| restriction.name(v)).into_iter().collect();
        let order = self.order.iter().filter_map(|&v| restriction.name(v));
        self.limits.order = figrs_factor::eliminate::Order::given(order.collect());
        let (logs, cost) = log_sums(&reduced, &keep, &self.limits)?;
        // The time for reading the factors also counts.
        self.operations += cost.operations + 8.0 * self.graph.factors.len() as f64;
        Ok(logs)
    }

    fn restriction(&self, values: &[u32], open: Option<usize>) -> Restriction {
        let all = |&n: &u32| (0..n).collect();
        let mut left: Vec<Vec<u32>> = self.graph.cardinalities.iter().map(all).collect();
        for (position, (v, &value)) in self.maximised.iter().zip(values).enumerate() {
            if open != Some(position) {
                left[v.index()] = vec![value];
            }
        }
        Restriction::new(left, DecidedVariables::LeftOut)
    }
}
