//! The draws of a run that have positive weights.

use figrs_core::AnyElement;

use crate::decision::problem::valid_utility;
use figrs_answer::{Draws, Error, TargetDraws};

#[derive(Debug)]
pub(super) struct WeightedDraws<'d> {
    draws: &'d Draws,
    /// The index and the weight of each draw of positive weight; the largest weight is one.
    pub(super) weights: Vec<(usize, f64)>,
}

impl<'d> WeightedDraws<'d> {
    pub(super) fn new(draws: &'d Draws) -> Self {
        let count = draws.chains * draws.length;
        let weights = match &draws.log_weights {
            None => (0..count).map(|draw| (draw, 1.0)).collect(),
            Some(logs) => {
                let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let weights = logs.iter().map(|log| (log - largest).exp());
                let weights = weights.enumerate();
                weights.filter(|(_, weight)| *weight > 0.0).collect()
            }
        };
        Self { draws, weights }
    }

    /// Returns the draws of the target (queried variable) `element`.
    ///
    /// **Errors.** [`Error::UnknownElement`] if the sampler has no draws of `element`.
    pub(super) fn target(&self, element: &AnyElement) -> Result<&'d TargetDraws, Error> {
        let mut targets = self.draws.targets.iter();
        let found = targets.find(|target| target.element.id() == element.id());
        found.ok_or_else(|| Error::not_a_target(element.label()))
    }

    /// Returns the values of the utility `element` in the draws that have positive weight.
    ///
    /// **Errors.** [`Error::InvalidUtility`] if a value is NaN or too large; [`Error::UnknownElement`] if the sampler has no draws of `element`.
    pub(super) fn utilities(&self, element: &AnyElement) -> Result<Vec<f64>, Error> {
        let drawn = self.target(element)?;
        let mut utilities = Vec::with_capacity(self.weights.len());
        for &(draw, _) in &self.weights {
            let utility = drawn.support.get::<f64>(drawn.indices[draw] as usize);
            let utility = utility.copied().unwrap_or(f64::NAN);
            utilities.push(valid_utility(element, utility)?);
        }
        Ok(utilities)
    }
}
