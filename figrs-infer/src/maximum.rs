//! The largest weight that the evidence of a model may give a world.

use figrs_core::node::{Endless, FamilyOp, Kind};
use figrs_core::{AnyElement, Evidence, Model};

/// A bound of the weights of worlds that count so many densities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maximum {
    log: f64,
    densities: usize,
}

impl Maximum {
    /// That of worlds that are kept or not.
    pub(crate) const ONE: Self = Self {
        log: 0.0,
        densities: 0,
    };

    /// The product of the largest weights of all statements of a model, if all are known.
    ///
    /// Probabilities are one at most. The largest density is known of an element without parents and of a normal one whose
    /// deviation is a constant.
    pub(crate) fn of(model: &Model) -> Option<Self> {
        let mut all = Self::ONE;
        for (element, statement) in model.evidence() {
            match largest_density(element, statement) {
                Some(log) => {
                    all.log += log;
                    all.densities += 1;
                }
                None => all.log += statement.log_maximum()?,
            }
        }
        Some(all)
    }

    /// The logarithm of the bound, if it holds for worlds with so many densities of which one has this logarithm of its weight.
    ///
    /// Other densities have no known maximum, and the Scores of a model may weigh more than its evidence.
    pub(crate) fn for_worlds(self, densities: usize, log_largest: f64) -> Option<f64> {
        let holds = densities == self.densities && log_largest <= self.log + 1e-9;
        holds.then_some(self.log)
    }
}

/// The logarithm of the largest density that an observation may have, if it has densities and their maximum is known.
fn largest_density(element: &AnyElement, statement: &Evidence) -> Option<f64> {
    let observed = statement.observed()?;
    match element.kind() {
        Kind::Atomic(op) => match op.outcomes() {
            Ok(Err(Endless::Continuous)) => op.log_prob(observed.as_any()).ok(),
            _ => None,
        },
        Kind::Chain(_, op) => {
            let bell = op.family().and_then(FamilyOp::bell)?;
            Some(bell.log_prob(0.0, 0.0))
        }
        Kind::Apply(..) | Kind::Table(..) | Kind::Score(..) => None,
    }
}
