//! A linear function of the real vectors of a graph, and the likelihood of its value, such as a restriction of the value to an interval.

use figrs_factor::Limits;
use figrs_factor::graph::{Assignments, Factor, FactorTable, VarId, Weights};

use smallvec::smallvec;

use crate::elimination::{Elimination, logs, strides};
use crate::error::GaussianError;
use crate::expectation_propagation::{LikelihoodFactor, matching_form};
use crate::hybrid_graph::{HybridFactor, HybridGraph};
use crate::posterior::HybridPosterior;
use crate::square_root_form::SquareRootForm;
use crate::tilted::Tilted;

/// The distribution of a real number that is a linear function of the vectors of a factor, before and after multiplication by a likelihood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestrictedNumber {
    /// The index of the assignment of the factor's own finite variables.
    pub place: usize,
    /// The mean and the variance of the number without the likelihood; the distribution is normal.
    pub before: (f64, f64),
    /// The mass, the mean and the variance of the number with the likelihood.
    pub after: Tilted,
}

/// The distributions of a real number before and after multiplication by a likelihood, for each assignment of some finite variables.
#[derive(Clone, Debug)]
pub struct RestrictedNumbers {
    /// The finite variables on which the real number with the likelihood depends.
    pub scope: Vec<VarId>,
    /// For each assignment of the finite variables, row-major, the distributions of the number; `None` if the assignment is impossible.
    pub numbers: Vec<Option<RestrictedNumber>>,
}

/// Replaces the likelihood `site` by Gaussian functions, one for each assignment of all finite variables on which its real number depends.
///
/// **Guarantee.** For each assignment of the finite variables, the real number is normal before the likelihood is taken into account. With the
/// Gaussian functions in place of the likelihood, the graph has exactly the same total, probabilities of finite variables, means and covariances, if
/// no other factor of the graph replaces a likelihood.
///
/// **Complexity.** The algorithm runs two eliminations. The scope of the likelihood's factor becomes the set of all finite variables of the root of
/// its elimination tree.
///
/// **Errors.** The errors of [`Elimination::run`] and [`HybridPosterior::new`].
pub fn restrict(
    graph: &mut HybridGraph,
    site: &LikelihoodFactor<'_>,
    (limit, limits): (usize, &Limits),
) -> Result<RestrictedNumbers, GaussianError> {
    let level = levelled(graph, (limit, limits))?;
    let elimination = Elimination::run(&level, limit, &limits.until)?;
    let joint = HybridPosterior::new(&elimination, limits)?.joint_of_factor(site.factor, limit)?;
    let HybridFactor { finite, reals, .. } = &graph.factors[site.factor];
    let width = reals.iter().map(|&real| graph.dimension(real)).sum();
    let cardinalities = joint.scope.iter().map(|&v| graph.finite.cardinality(v));
    let assignments = Assignments::rows(cardinalities);
    let strides = strides(graph, &joint.scope, finite);
    let impossible = SquareRootForm::constant(width, f64::NEG_INFINITY);
    let mut forms = smallvec![impossible; assignments.count()];
    let mut numbers = vec![None; assignments.count()];
    for (values, component) in &joint.components {
        let places = strides.iter().zip(values);
        let place: usize = places.map(|(s, &value)| s * value as usize).sum();
        let projection = &site.projections[place];
        let before = component.projected(projection);
        if let Some(after) = (site.tilted)(place, before.0, before.1) {
            let index = assignments.number(values);
            forms[index] = matching_form(projection, before, &after);
            numbers[index] = Some(RestrictedNumber {
                place,
                before,
                after,
            });
        }
    }
    let factor = &mut graph.factors[site.factor];
    factor.finite.clone_from(&joint.scope);
    factor.forms = forms;
    Ok(RestrictedNumbers {
        scope: joint.scope,
        numbers,
    })
}

/// Returns a graph in which the vectors have the same distributions given the finite variables as in `graph`, and all possible assignments of the
/// finite variables of each elimination tree have the same weight. No weight underflows in the returned graph.
fn levelled(
    graph: &HybridGraph,
    (limit, limits): (usize, &Limits),
) -> Result<HybridGraph, GaussianError> {
    let elimination = Elimination::run(graph, limit, &limits.until)?;
    let mut level = graph.clone();
    level.finite.factors.clear();
    for factor in elimination.totals() {
        let turned = |log: f64| if log.is_finite() { -log } else { log };
        let logs = logs(elimination.finite(), factor)
            .into_iter()
            .map(turned)
            .collect();
        level.finite.factors.push(Factor {
            table: FactorTable::Dense(Weights::from_logs(logs)),
            ..factor.clone()
        });
    }
    Ok(level)
}
