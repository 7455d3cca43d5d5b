//! Marginals of one variable, by an elimination, or of several variables, by a contraction tree.

use crate::graph::{FactorGraph, VarId};
use crate::limits::Limits;

use crate::algebra::SumProductPrecision;
use crate::eliminate::{EliminationError, sum_product};

use super::contraction_tree::ContractionTree;
use super::tree_beliefs::TreeBeliefs;

/// The total weight of a factor graph, and the marginals of some of its variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Marginals {
    /// The natural logarithm of the sum of the weights of all assignments; minus infinity if and only if no assignment has a positive weight.
    pub log_total: f64,
    /// For each variable, the probability of each value; all probabilities are zero if the total weight is zero.
    pub shares: Vec<Vec<f64>>,
}

/// Computes the total weight of `graph` and the marginals of `variables`. For at most one variable, an elimination computes the marginal and stores
/// no message after its use. For several variables, a contraction tree computes the marginals and stores all messages. If values that zeros exclude
/// are removed before the tree is built, `graph` is replaced by the reduced graph.
///
/// **Guarantee.** The results are exact up to rounding for weights of any magnitude.
///
/// **Errors.** Returns an error if the plan exceeds a limit, or if the factors are malformed.
pub fn marginals(
    graph: &mut FactorGraph,
    variables: &[VarId],
    limits: &Limits,
) -> Result<Marginals, EliminationError> {
    if variables.len() < 2 {
        let table = sum_product(graph, variables, limits)?;
        return Ok(Marginals {
            log_total: table.log_total,
            shares: vec![table.probabilities; variables.len()],
        });
    }
    let values: Vec<usize> = variables.iter().map(|&v| graph.cardinality(v)).collect();
    let (tree, restriction) = ContractionTree::compile(graph, limits)?;
    let mut sums = TreeBeliefs::<SumProductPrecision>::new(&tree, graph);
    sums.prepare((&tree, graph), variables, &limits.until)?;
    let log_total = sums.log_total(&tree, graph);
    let mut shares = sums.marginals(&tree, graph, variables);
    if let Some(restriction) = restriction {
        for (shares, (&v, values)) in shares.iter_mut().zip(variables.iter().zip(values)) {
            *shares = restriction.shares_of_all(v, values, std::mem::take(shares));
        }
    }
    Ok(Marginals { log_total, shares })
}
