//! The number of worlds by a portfolio of algorithms.

use num_bigint::BigUint;

use super::attempts::{Attempts, DECISION};
use super::choice::AlgorithmChoice;
use crate::algorithm::Algorithm;
use crate::error::Error;
use crate::exact::algebra::Counting;
use crate::exact::variable_elimination::VariableElimination;

/// Number of predicted operations up to which an elimination counts before a search. Its numbers have many digits.
const CHEAP_COUNT: f64 = 1e6;

/// Counts by an elimination if that is cheap, else by a circuit, else by any elimination.
pub(super) fn count(mut attempts: Attempts<'_>) -> Result<(BigUint, AlgorithmChoice), Error> {
    let work = attempts.settings.work;
    let mut count = eliminate(&mut attempts, CHEAP_COUNT.min(work))?;
    let whole = attempts.refused_operations();
    if count.is_none() {
        let (model, targets) = (attempts.model, attempts.targets);
        count = attempts.try_search(whole.min(work) / DECISION, |circuit| {
            circuit.count(model, targets.to_vec())
        })?;
    }
    if count.is_none() && whole.is_finite() && whole <= work {
        count = eliminate(&mut attempts, work)?;
    }
    match count {
        Some(count) => Ok((count, attempts.choice)),
        None => Err(attempts.into_error()),
    }
}

/// An elimination of at most so many predicted operations.
fn eliminate(attempts: &mut Attempts<'_>, operations: f64) -> Result<Option<BigUint>, Error> {
    let options = attempts.settings.elimination(operations, attempts.run);
    let budget = attempts.settings.budget;
    let elimination = VariableElimination::new().budget(budget).options(options);
    let (model, targets) = (attempts.model, attempts.targets);
    attempts.try_once(elimination.name(), None, || {
        let total = elimination.total::<Counting>(model, targets.to_vec())?;
        Ok(total.values.into_iter().next().unwrap_or_default())
    })
}
