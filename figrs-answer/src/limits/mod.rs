//! Expansions of models within the limits of an exact algorithm.

use figrs_core::expand::{Expansion, ExpansionCache};
use figrs_core::internals::QueryKind;
use figrs_core::{AnyElement, Bytes, Limits, Model};

pub mod call_solver;
use crate::error::Error;

pub use figrs_factor::cores;

/// Parses `text`, which states an amount of memory.
///
/// **Errors.** [`Error::InvalidSetting`] if the text is not a number of bytes.
pub fn memory_of(algorithm: &'static str, text: &str) -> Result<Bytes, Error> {
    text.parse().map_err(|_| Error::InvalidSetting {
        algorithm,
        setting: "fitting",
        value: text.to_owned(),
        remedy: "write an amount of memory such as 512MiB or 6GiB",
    })
}

/// Expands a model, as far as the limits allow, for sums over its worlds.
pub fn expand(limits: &Limits, model: &Model, targets: &[AnyElement]) -> Result<Expansion, Error> {
    if let Some(depth) = limits.expanded_depth {
        let mut memory = ExpansionCache::default();
        return Ok(Expansion::to_depth(
            model,
            targets,
            limits,
            depth,
            &mut memory,
        )?);
    }
    Expansion::sharing_calls(model, targets, limits, QueryKind::Sums, |body| {
        call_solver::sums(body, limits)
    })
}

/// Expands a model for a search of its most probable world. The weight of each value of a shared recursive call is that of the
/// most probable world with this value.
pub fn expand_for_best_world(
    limits: &Limits,
    model: &Model,
    targets: &[AnyElement],
) -> Result<Expansion, Error> {
    Expansion::sharing_calls(model, targets, limits, QueryKind::BestWorld, |body| {
        call_solver::maxima(body, limits)
    })
}
