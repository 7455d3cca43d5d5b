//! A plan fitted on draws.

use std::fmt;
use std::sync::Arc;

use figrs_core::{Element, Value};

use super::fitted_policy::FittedPolicy;
use super::sampled_policy::{SampledPolicy, write_fitted};
use figrs_answer::{Error, guarded};
use figrs_factor::bounds::six_decimals;

/// Policies that were fitted on draws, and an estimate of their expected utility from other draws.
///
/// The algorithm [`SampledPolicies`](crate::SampledPolicies) computes a sampled plan. A later change of a [`Param`](figrs_core::Param) does not
/// change the plan, because the plan stores its draws. The printed text of a sampled plan has the estimate of the expected utility and a table for
/// each decision.
#[derive(Clone, Debug)]
pub struct SampledPlan {
    sampler: &'static str,
    expected_utility: f64,
    standard_error: f64,
    policies: Vec<Arc<FittedPolicy>>,
}

impl SampledPlan {
    pub(super) fn new(
        sampler: &'static str,
        (expected_utility, standard_error): (f64, f64),
        policies: Vec<Arc<FittedPolicy>>,
    ) -> Self {
        Self {
            sampler,
            expected_utility,
            standard_error,
            policies,
        }
    }

    /// Returns an estimate of the expected sum of the utilities if all decisions follow the policies of the plan, given the evidence.
    ///
    /// The draws of the estimate are not those on which the policies were fitted; the choice of options therefore does not bias the estimate. The
    /// best possible policies may have a larger expected utility than the policies of this plan.
    pub fn expected_utility(&self) -> f64 {
        self.expected_utility
    }

    /// Returns the standard error of [`expected_utility`](Self::expected_utility), as the sampler estimates it.
    pub fn standard_error(&self) -> f64 {
        self.standard_error
    }

    /// Returns the policy of the decision `decision`.
    ///
    /// **Errors.** [`Error::UnknownElement`] if the plan has no policy for `decision`.
    pub fn policy<T: Value>(&self, decision: &Element<T>) -> Result<SampledPolicy<T>, Error> {
        let id = decision.erased().id();
        let mut policies = self.policies.iter();
        let found = policies.find(|policy| policy.decision.element.id() == id);
        let found = found.ok_or_else(|| Error::not_a_decision(decision.label()))?;
        guarded(|| Ok(SampledPolicy::new(found.clone())))
    }
}

impl fmt::Display for SampledPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "expected utility {:.6} ± {:.6}, an estimate by {}",
            six_decimals(self.expected_utility),
            self.standard_error,
            self.sampler
        )?;
        for policy in &self.policies {
            writeln!(f)?;
            write_fitted(f, policy)?;
        }
        Ok(())
    }
}
