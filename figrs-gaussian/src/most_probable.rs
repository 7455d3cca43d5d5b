//! The most probable values of all variables of a hybrid factor graph.

use figrs_factor::Limits;
use figrs_factor::eliminate::most_probable as most_probable_finite;
use nalgebra::DVector;

use crate::elimination::Elimination;
use crate::error::GaussianError;
use crate::hybrid_graph::HybridGraph;

/// Values of all variables of a hybrid factor graph at which the product of all factors is largest.
#[derive(Clone, Debug)]
pub struct MostProbable {
    /// The value of each finite variable.
    pub finite: Vec<u32>,
    /// The value of each vector.
    pub reals: Vec<DVector<f64>>,
    /// The natural logarithm of the product of all factors at the most probable values.
    pub log_weight: f64,
}

/// Finds the most probable values of all variables of a hybrid factor graph.
///
/// **Guarantee.** The values are exact up to rounding.
///
/// **Complexity.** The algorithm consists of an [`Elimination`] with at most `limit` assignments of finite variables in each step, and a maximising
/// elimination of the finite variables.
///
/// **Errors.** The same errors as [`Elimination::run`]; [`GaussianError::Elimination`] if the product of the factors is zero everywhere.
pub fn most_probable(
    graph: &HybridGraph,
    limit: usize,
    limits: &Limits,
) -> Result<MostProbable, GaussianError> {
    let elimination = Elimination::maximise(graph, limit, &limits.until)?;
    let (finite, log_weight) = most_probable_finite(elimination.finite(), limits)?;
    let reals = elimination.reals(&finite, || 0.0);
    Ok(MostProbable {
        finite,
        reals,
        log_weight,
    })
}
