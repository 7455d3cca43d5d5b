//! The most probable values of all variables of a graph.

use figrs_factor::Limits;
use figrs_factor::eliminate::most_probable as most_probable_finite;
use nalgebra::DVector;

use crate::elimination::{Elimination, strides};
use crate::error::GaussianError;
use crate::hybrid_graph::HybridGraph;

/// Values of all variables of a graph for which the product of all factors is largest.
#[derive(Clone, Debug)]
pub struct MostProbable {
    /// The value of each finite variable.
    pub finite: Vec<u32>,
    /// The value of each vector.
    pub reals: Vec<DVector<f64>>,
    /// The natural logarithm of the product of all factors.
    pub log_weight: f64,
}

/// Finds the most probable values of all variables of a graph.
///
/// **Guarantee.** Exact up to rounding.
///
/// **Complexity.** An [`Elimination`] with at most `limit` assignments of the finite variables of a step, and an elimination of the finite variables that
/// maximises.
///
/// **Errors.** As [`Elimination::run`]; [`GaussianError::Elimination`] if the product of the factors is zero for all values.
pub fn most_probable(
    graph: &HybridGraph,
    limit: usize,
    limits: &Limits,
) -> Result<MostProbable, GaussianError> {
    let elimination = Elimination::maximise(graph, limit, &limits.until)?;
    let (finite, log_weight) = most_probable_finite(elimination.finite(), limits)?;
    let dimensions = graph.dimensions.iter();
    let mut reals: Vec<DVector<f64>> = dimensions.map(|&n| DVector::zeros(n)).collect();
    let conditionals = elimination.conditionals.iter();
    for (step, conditionals) in elimination.steps.iter().zip(conditionals).rev() {
        let strides = strides(graph, &step.finite, &step.finite);
        let places = step.finite.iter().zip(strides);
        let place: usize = places
            .map(|(v, stride)| stride * finite[v.index()] as usize)
            .sum();
        let above = step.separator.iter().flat_map(|real| &reals[real.index()]);
        let above: Vec<f64> = above.copied().collect();
        let dimensions = step.eliminated.iter().map(|&real| graph.dimension(real));
        let mut values = vec![0.0; dimensions.sum()];
        values.extend(above);
        let rows = conditionals[place].chunks_exact(values.len() + 1);
        for (i, row) in rows.enumerate().rev() {
            let known = row[i + 1..values.len()].iter().zip(&values[i + 1..]);
            let sum: f64 = known.map(|(coefficient, x)| coefficient * x).sum();
            values[i] = (row[values.len()] - sum) / row[i];
        }
        let mut start = 0;
        for &real in &step.eliminated {
            let end = start + graph.dimension(real);
            reals[real.index()].copy_from_slice(&values[start..end]);
            start = end;
        }
    }
    Ok(MostProbable {
        finite,
        reals,
        log_weight,
    })
}
