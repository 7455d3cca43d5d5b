//! Possible values of a target, including values that no draw has.

use figrs_core::internals::Kind;
use figrs_core::{AnyElement, Model, Support, SupportBuilder};

/// Maximum number of possible values of a target that are enumerated.
const MAX_VALUES: usize = 256;
/// A value with at least this expected number of draws is assumed to have been drawn: the probability that no draw has it is below
/// `5e-5`.
const MIN_EXPECTED_DRAWS: f64 = 10.0;

/// The possible values of a target, with the prior probability of each value if the probability is known. The target is an atomic element, a table or
/// a Boolean.
#[derive(Clone, Debug)]
pub(crate) struct PriorSupport {
    values: Support,
    priors: Option<Vec<f64>>,
}

impl PriorSupport {
    /// Returns the possible values of a target. The result is `None` if evidence or an intervention sets the value, if there are too many values, or
    /// if finding them would call functions of the model.
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

    /// Adds to `drawn` the possible values that none of the `draws` draws has. If the probability of undrawn values has no bound, the method adds
    /// only values that the draws may have missed.
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
