//! Expansion of models (the listing of the possible values of their elements) within the limits of an exact algorithm, and the solver of shared
//! recursive calls.

use figrs_core::expand::{Encoding, Expansion, ExpansionCache};
use figrs_core::internals::QueryKind;
use figrs_core::{AnyElement, Limits, Model};

use crate::error::Error;
use figrs_factor::algebra::MaxProduct;
use figrs_factor::eliminate::{eliminate, share_weights};
use figrs_factor::graph::{VarId, Weights};

/// Lists the possible values of a model's elements, within `limits`, for sums of weights over the worlds of the model.
pub fn expand(limits: &Limits, model: &Model, targets: &[AnyElement]) -> Result<Expansion, Error> {
    if let Some(depth) = limits.expanded_depth {
        let mut memory = ExpansionCache::default();
        return expand_to_depth(limits, model, targets, depth, &mut memory, &mut 0.0);
    }
    Expansion::sharing_calls(model, targets, limits, QueryKind::Sums, |body| {
        Ok(sums(body, limits)?.0)
    })
}

/// Expands a model to a nesting depth of `Chain` elements, within `limits`, to compute bounds of sums of weights over the worlds of the model. The
/// operations of the eliminations that solve shared recursive calls are added to `operations`, and count toward the limit of work.
pub fn expand_to_depth(
    limits: &Limits,
    model: &Model,
    targets: &[AnyElement],
    depth: usize,
    memory: &mut ExpansionCache,
    operations: &mut f64,
) -> Result<Expansion, Error> {
    let work = limits.work;
    let mut limits_of_call = limits.clone();
    Expansion::sharing_calls_to_depth(model, targets, limits, depth, memory, |body| {
        limits_of_call.work = work - *operations;
        let (weights, own) = sums(body, &limits_of_call)?;
        *operations += own;
        Ok(weights)
    })
}

/// Expands a model (lists the possible values of its elements) for a search for its most probable world. The weight of each value of a shared
/// recursive call is the weight of the most probable world with this value.
pub fn expand_for_best_world(
    limits: &Limits,
    model: &Model,
    targets: &[AnyElement],
) -> Result<Expansion, Error> {
    Expansion::sharing_calls(model, targets, limits, QueryKind::BestWorld, |body| {
        maxima(body, limits)
    })
}

/// Returns the probability of each value of an expansion's only target, and the number of operations of the elimination. If the target may be
/// unknown, the last probability is that of the value `unknown`. The body of a shared recursive call has no evidence; the weights of its worlds
/// therefore sum to one. The weights of a shared recursive call are nevertheless divided by their sum, because rounding errors would otherwise grow
/// from call to call.
pub fn sums(body: &Expansion, limits: &Limits) -> Result<(Weights, f64), Error> {
    let encoding = Encoding::for_upper_sums(body, body.targets())?;
    let keep = kept(body, &encoding);
    let (weights, cost) = share_weights(encoding.graph(), &keep, limits)?;
    Ok((weights, cost.operations))
}

/// Returns, for each value of an expansion's only target, the weight of the most probable world with this value.
pub fn maxima(body: &Expansion, limits: &Limits) -> Result<Weights, Error> {
    let encoding = Encoding::for_worlds(body)?;
    let keep = kept(body, &encoding);
    let outcome = eliminate::<MaxProduct>(encoding.graph(), &keep, limits)?;
    Ok(Weights::from_logs(outcome.values))
}

fn kept(body: &Expansion, encoding: &Encoding) -> Vec<VarId> {
    let variable = |&position: &usize| encoding.variable(position);
    body.targets().iter().filter_map(variable).collect()
}
