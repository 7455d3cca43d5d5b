//! Bodies of recursive calls, solved by elimination: one weight for each value.

use figrs_core::expand::{Encoding, Expansion};
use figrs_factor::graph::{VarId, Weights};

use crate::error::Error;
use figrs_factor::algebra::MaxProduct;
use figrs_factor::eliminate::{Options, eliminate, share_weights};

/// The probability of each value of the only target. The body of a shared call has no evidence, so that its worlds have a
/// total of one: division by the total keeps rounding errors from growing from call to call, as they would if a call
/// contains more than one call on average.
pub fn sums(body: &Expansion, options: &Options) -> Result<Weights, Error> {
    let encoding = Encoding::for_sums(body, body.targets())?;
    Ok(share_weights(
        encoding.graph(),
        &kept(body, &encoding),
        options,
    )?)
}

/// The weight of the most probable world with each value of the only target.
pub(crate) fn maxima(body: &Expansion, options: &Options) -> Result<Weights, Error> {
    let encoding = Encoding::for_worlds(body)?;
    let keep = kept(body, &encoding);
    let outcome = eliminate::<MaxProduct>(encoding.graph(), &keep, options)?;
    Ok(Weights::from_logs(outcome.values))
}

fn kept(body: &Expansion, encoding: &Encoding) -> Vec<VarId> {
    let variable = |&position: &usize| encoding.variable(position);
    body.targets().iter().filter_map(variable).collect()
}
