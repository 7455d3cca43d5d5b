//! Bounds, derived from the model, on worlds that no sample has: the largest weight of such a world, and the possible values of the targets.

use figrs_core::{AnyElement, Model};

use super::prior_support::PriorSupport;
use super::weight_bound::WeightBound;
use figrs_answer::answer::LogEvidence;
use figrs_answer::answer::estimate::unseen_share;

/// Bounds on worlds that weighted samples may have missed, derived from the model alone.
#[derive(Clone, Debug)]
pub(crate) struct UnseenWorlds {
    /// `true` if the model has no evidence. If, in addition, all samples have equal weights, the log-evidence is certain.
    certain: bool,
    maximum: Option<WeightBound>,
    pub(crate) possible: Vec<Option<PriorSupport>>,
}

impl UnseenWorlds {
    /// Returns the bounds on the unseen worlds of `model` and on the unseen values of `targets`. `maximum` is an upper bound of the weights of the
    /// model's worlds, if a bound is known.
    pub(crate) fn of(model: &Model, targets: &[AnyElement], maximum: Option<WeightBound>) -> Self {
        let possible = targets.iter().map(|target| PriorSupport::of(model, target));
        Self {
            certain: model.evidence().is_empty(),
            maximum,
            possible: possible.collect(),
        }
    }

    /// Returns an object without bounds and without targets, for a model that is only partly known.
    pub(crate) fn unknown() -> Self {
        Self {
            certain: false,
            maximum: None,
            possible: Vec::new(),
        }
    }

    /// Returns an upper bound of the probability of the values that no sample has: see [`unseen_share`]. `log_mean` is the logarithm of the mean
    /// weight of the `samples` samples. `log_largest` is the logarithm of the weight of the heaviest sample, and `densities` is the number of density
    /// factors in this weight.
    pub(crate) fn share(
        &self,
        samples: u64,
        log_mean: f64,
        (densities, log_largest): (usize, f64),
    ) -> f64 {
        let bound = self.maximum;
        let log_maximum = bound.and_then(|bound| bound.for_worlds(densities, log_largest));
        unseen_share(samples, log_maximum, log_mean)
    }

    /// Returns the log-evidence. `spread` is the standard error computed from the weights of the samples, and `unseen` is the upper bound of the
    /// probability of unseen values.
    pub(crate) fn evidence(&self, log_mean: f64, spread: f64, unseen: f64) -> LogEvidence {
        LogEvidence {
            value: log_mean,
            // If all samples have the same weight, the weights say nothing about worlds that were not drawn; the upper bound then replaces the
            // standard error.
            standard_error: if self.certain || spread > 0.0 {
                spread
            } else {
                unseen
            },
        }
    }
}
