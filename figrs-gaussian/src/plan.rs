//! The plan of an elimination of real numbers: the order of the vectors, and the variables of each step.

use figrs_factor::Until;
use figrs_factor::graph::VarId;
use figrs_factor::order::{MAX_WORK, SymbolicElimination, eliminate_candidates};
use smallvec::SmallVec;

use crate::error::GaussianError;
use crate::hybrid_graph::{HybridGraph, RealId};

/// Largest base-2 logarithm of a cardinality in the search for an elimination order, which treats vectors as finite variables.
const MAX_BITS: usize = 30;

/// A factor or a message that an elimination step multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A factor of the graph that contains vectors.
    Factor(u32),
    /// A factor of the graph that contains only finite variables.
    Finite(u32),
    Message(u32),
}

/// One elimination step, which integrates some vectors out of a product of factors and messages.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) eliminated: SmallVec<[RealId; 4]>,
    /// The vectors of the step's message, in the order in which later steps eliminate them.
    pub(crate) separator: SmallVec<[RealId; 4]>,
    /// The finite variables of the step's factors and messages, sorted.
    pub(crate) finite: Vec<VarId>,
    /// The finite variables over which the step sums; `kept` contains the finite variables of the step's message.
    pub(crate) summed: Vec<VarId>,
    pub(crate) kept: Vec<VarId>,
    pub(crate) inputs: SmallVec<[Input; 4]>,
    /// The elimination step that multiplies the message of this step; `None` if the message has no vectors and becomes a factor of the finite graph.
    pub(crate) parent: Option<usize>,
}

/// Returns the elimination steps in the order of their computation.
///
/// **Guarantee.** All vectors are eliminated before the finite variables (a strong elimination order).
///
/// With a strong elimination order, no step sums over components with different normal distributions; therefore the result is exact.
///
/// **References.** Leimer, *Triangulated graphs with marked vertices*, 1989; Lauritzen 1992, section 4.
pub(crate) fn plan(graph: &HybridGraph, until: &Until) -> Result<Vec<Step>, GaussianError> {
    // The time of a step is exponential in its finite variables, but only polynomial in its real numbers. Therefore a graph without finite variables
    // needs no search for a better elimination order.
    let is_real = graph.factors.iter().all(|factor| factor.finite.is_empty());
    plan_with(graph, if is_real { 0 } else { MAX_WORK }, until)
}

/// Returns elimination steps as [`plan`] does, in the first order that is found, without a search for a better order.
pub(crate) fn first_plan(graph: &HybridGraph, until: &Until) -> Result<Vec<Step>, GaussianError> {
    plan_with(graph, 0, until)
}

fn plan_with(
    graph: &HybridGraph,
    max_work: u64,
    until: &Until,
) -> Result<Vec<Step>, GaussianError> {
    let finite = graph.finite.cardinalities.len() as u32;
    let reals = graph.dimensions.len() as u32;
    let of_real = |real: RealId| VarId(finite + real.0);
    let mut cardinalities = graph.finite.cardinalities.clone();
    let bits = |&dimension: &usize| 1 << dimension.min(MAX_BITS);
    cardinalities.extend(graph.dimensions.iter().map(bits));
    let scopes = graph.factors.iter().map(|factor| {
        let reals = factor.reals.iter().map(|&real| of_real(real));
        factor.finite.iter().copied().chain(reals).collect()
    });
    let all: Vec<VarId> = (0..finite).map(VarId).collect();
    let mut symbolic = SymbolicElimination::of_scopes(&cardinalities, scopes, &all);
    let candidates: Vec<VarId> = (0..reals).map(|r| of_real(RealId(r))).collect();
    if let Some(v) = candidates.iter().find(|&&v| !symbolic.is_mentioned(v)) {
        return Err(GaussianError::Improper(RealId(v.0 - finite)));
    }
    eliminate_candidates(&mut symbolic, &candidates, max_work, until)?;
    Ok(steps(graph, &symbolic))
}

fn steps(graph: &HybridGraph, symbolic: &SymbolicElimination) -> Vec<Step> {
    let finite = graph.finite.cardinalities.len() as u32;
    let as_real = |v: VarId| v.0.checked_sub(finite).map(RealId);
    let mut turn = vec![0; graph.dimensions.len()];
    for (i, bucket) in symbolic.buckets.iter().enumerate() {
        for &v in &bucket.eliminated {
            if let Some(real) = as_real(v) {
                turn[real.index()] = i;
            }
        }
    }
    let factors = graph.factors.len() as u32;
    let mut parents = vec![None; symbolic.buckets.len()];
    let mut steps = Vec::with_capacity(symbolic.buckets.len());
    for (i, bucket) in symbolic.buckets.iter().enumerate() {
        let input = |&input: &u32| match input.checked_sub(factors) {
            None => Input::Factor(input),
            Some(step) => Input::Message(step),
        };
        let inputs: SmallVec<[Input; 4]> = bucket.inputs.iter().map(input).collect();
        for input in &inputs {
            if let &Input::Message(step) = input {
                parents[step as usize] = Some(i);
            }
        }
        let reals = bucket.output.iter().filter_map(|&v| as_real(v));
        let mut separator: SmallVec<[RealId; 4]> = reals.collect();
        separator.sort_by_key(|real| (turn[real.index()], *real));
        let is_finite = |v: &&VarId| v.0 < finite;
        let finite: Vec<VarId> = bucket.output.iter().filter(is_finite).copied().collect();
        steps.push(Step {
            eliminated: bucket
                .eliminated
                .iter()
                .filter_map(|&v| as_real(v))
                .collect(),
            separator,
            summed: Vec::new(),
            kept: finite.clone(),
            finite,
            inputs,
            parent: None,
        });
    }
    for (step, parent) in steps.iter_mut().zip(parents) {
        step.parent = parent;
    }
    steps
}
