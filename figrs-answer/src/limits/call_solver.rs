//! Elimination of the bodies of shared recursive calls, which gives one weight for each value of a call.

use figrs_core::expand::{Encoding, Expansion};
use figrs_factor::Limits;
use figrs_factor::graph::{VarId, Weights};

use crate::error::Error;
use figrs_factor::algebra::MaxProduct;
use figrs_factor::eliminate::{eliminate, share_weights};

/// Returns the probability of each value of an expansion's only target, and the number of operations. If the target may be unknown, the last
/// probability is that of the value `unknown`. The body of a shared recursive call has no evidence; the weights of its worlds therefore sum to one.
/// The weights are nevertheless divided by their sum, because rounding errors would otherwise grow from call to call.
pub fn sums(body: &Expansion, limits: &Limits) -> Result<(Weights, f64), Error> {
    let encoding = Encoding::for_upper_sums(body, body.targets())?;
    let keep = kept(body, &encoding);
    let (weights, cost) = share_weights(encoding.graph(), &keep, limits)?;
    Ok((weights, cost.operations))
}

/// Returns, for each value of an expansion's only target, the weight of the most probable world with this value.
pub(crate) fn maxima(body: &Expansion, limits: &Limits) -> Result<Weights, Error> {
    let encoding = Encoding::for_worlds(body)?;
    let keep = kept(body, &encoding);
    let outcome = eliminate::<MaxProduct>(encoding.graph(), &keep, limits)?;
    Ok(Weights::from_logs(outcome.values))
}

fn kept(body: &Expansion, encoding: &Encoding) -> Vec<VarId> {
    let variable = |&position: &usize| encoding.variable(position);
    body.targets().iter().filter_map(variable).collect()
}
