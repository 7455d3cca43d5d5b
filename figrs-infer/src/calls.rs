//! Bodies of recursive calls, solved by elimination: one weight for each value.

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::factor::VarId;
use figrs_core::weights::Weights;

use crate::eliminate::{MaxProduct, Options, eliminate, sum_weights};
use crate::error::Error;

/// The sum over the worlds with each value of the only target.
pub(crate) fn sums(body: &Expansion, options: &Options) -> Result<Weights, Error> {
    let encoding = Encoding::for_sums(body, body.targets())?;
    Ok(sum_weights(
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
