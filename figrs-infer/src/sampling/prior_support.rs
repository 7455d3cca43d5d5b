//! Possible values of a target, including values that no draw has.

use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Model, Support, SupportBuilder};

/// Maximum number of values of a target up to which its possible values are listed.
const MAX_VALUES: usize = 256;
/// Expected number of draws of a value from which on the value is assumed to have been drawn: the probability that no draw has it is then below
/// `5e-5`.
const MIN_EXPECTED_DRAWS: f64 = 10.0;

/// The possible values of a target, with the prior probability of each value if the probability is known. The target has no parents, has a
/// conditional table, or is Boolean.
#[derive(Clone, Debug)]
pub(crate) struct PriorSupport {
    values: Support,
    priors: Option<Vec<f64>>,
}

impl PriorSupport {
    /// Returns the possible values of a target. Returns `None` if an observation or an intervention determines the value of the target, if the target
    /// has too many values, or if finding the values would require calls of the model's functions.
    pub(crate) fn of(model: &Model, target: &AnyElement) -> Option<Self> {
        let is_target = |element: &AnyElement| element.id() == target.id();
        let mut evidence = model.evidence().iter();
        let observed =
            evidence.any(|(e, statement)| is_target(e) && statement.observed().is_some());
        if observed || model.interventions().iter().any(|(e, _)| is_target(e)) {
            return None;
        }
        let known = match target.kind() {
            Kind::Atomic(op) => {
                let outcomes = op.outcomes().ok()?.ok()?;
                Self {
                    values: outcomes.support,
                    priors: Some(outcomes.probabilities),
                }
            }
            Kind::Table(_, op) => Self {
                values: op.values().clone(),
                priors: None,
            },
            Kind::Apply(..) | Kind::Chain(..) | Kind::Score(..) => {
                let mut values = target.no_values();
                values.insert(&false)?;
                values.insert(&true)?;
                Self {
                    values: values.build(),
                    priors: None,
                }
            }
        };
        (known.values.len() <= MAX_VALUES).then_some(known)
    }

    /// Adds to `drawn` the possible values that occur in none of the `draws` draws. If the probability of such values has no bound (`is_bounded` is
    /// false), only values with fewer than [`MIN_EXPECTED_DRAWS`] expected draws are added.
    pub(crate) fn add_undrawn(&self, drawn: &mut SupportBuilder, draws: u64, is_bounded: bool) {
        for value in 0..self.values.len() {
            let prior = self.priors.as_ref().map(|priors| priors[value]);
            let was_sure = |prior: f64| !is_bounded && prior * draws as f64 >= MIN_EXPECTED_DRAWS;
            if prior.is_none_or(|prior| prior > 0.0 && !was_sure(prior)) {
                drawn.insert(self.values.any(value));
            }
        }
    }
}
