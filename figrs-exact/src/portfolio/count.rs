//! The number of worlds, counted by a portfolio of algorithms.

use std::rc::Rc;

use num_bigint::BigUint;

use super::attempts::Attempts;
use super::ladder::{FIRST_DECISIONS, Ladder};
use crate::circuit::Circuit;
use figrs_answer::{Algorithm, AlgorithmChoice, Error};
use figrs_factor::algebra::Counting;

/// Maximum number of predicted operations of an elimination that counts worlds before any search is tried. The maximum number of operations of an
/// elimination that counts worlds is low, because counts are integers with many digits.
const CHEAP_COUNT: f64 = 1e6;
/// Cost of one decision of an exhaustive search, as a number of operations of an elimination that counts worlds. An operation on counts takes twenty
/// times as long as an operation on floating-point numbers.
const COUNT_DECISION: f64 = 250.0;

/// Counts worlds by an elimination if the elimination is cheap, and otherwise by a circuit. If the circuit fails, an elimination of any cost counts
/// the worlds.
pub(super) fn count(attempts: Attempts<'_>) -> Result<(BigUint, AlgorithmChoice), Error> {
    let cheap = CHEAP_COUNT.min(attempts.settings.limits.work);
    let mut ladder = CountLadder(attempts);
    let count = match ladder.eliminate(cheap)? {
        None => {
            let decisions = ladder.first_decisions().max(FIRST_DECISIONS);
            match ladder.search(decisions)? {
                None => ladder.by_predicted_work()?,
                found => found,
            }
        }
        found => found,
    };
    match count {
        Some(count) => Ok((count, ladder.0.choice)),
        None => Err(ladder.0.into_error()),
    }
}

struct CountLadder<'a>(Attempts<'a>);

impl<'a> Ladder<'a> for CountLadder<'a> {
    type Found = BigUint;

    fn attempts(&mut self) -> &mut Attempts<'a> {
        &mut self.0
    }

    fn decision(&mut self) -> f64 {
        COUNT_DECISION
    }

    fn eliminate(&mut self, operations: f64) -> Result<Option<BigUint>, Error> {
        let question = Rc::clone(&self.0.question);
        let elimination = self.0.variable_elimination(operations);
        self.0.try_once(elimination.name(), None, || {
            let total = elimination.total_of::<Counting>(&question)?;
            Ok(total.values.into_iter().next().unwrap_or_default())
        })
    }

    fn search(&mut self, decisions: f64) -> Result<Option<BigUint>, Error> {
        let question = Rc::clone(&self.0.question);
        let count = |circuit: Circuit| circuit.count_of(&question);
        self.0.try_search(decisions, count)
    }
}
