//! Prior knowledge of worlds that no sample shows: largest weight, possible values of the targets.

use figrs_core::{AnyElement, Model};

use super::prior_support::PriorSupport;
use super::weight_bound::WeightBound;
use figrs_answer::answer::LogEvidence;
use figrs_answer::answer::estimate::unseen_share;

/// Bounds, from the model alone, on worlds that weighted samples may have missed.
#[derive(Debug)]
pub(crate) struct UnseenWorlds {
    /// `true` if the model has no evidence, so that samples of equal weight leave no doubt about it.
    certain: bool,
    maximum: Option<WeightBound>,
    pub(crate) possible: Vec<Option<PriorSupport>>,
}

impl UnseenWorlds {
    /// The bounds of a model whose worlds weigh at most `maximum`, if that is known.
    pub(crate) fn of(model: &Model, targets: &[AnyElement], maximum: Option<WeightBound>) -> Self {
        let possible = targets.iter().map(|target| PriorSupport::of(model, target));
        Self {
            certain: model.evidence().is_empty(),
            maximum,
            possible: possible.collect(),
        }
    }

    /// The bounds of a model that is not known as a whole, without targets.
    pub(crate) fn unknown() -> Self {
        Self {
            certain: false,
            maximum: None,
            possible: Vec::new(),
        }
    }

    /// The bound of the share of unseen values, see [`unseen_share`], of `samples` samples with the logarithm of their mean weight. The heaviest
    /// sample has `densities` densities, and `log_largest` is the logarithm of its weight.
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

    /// The log-evidence of samples whose weights have this spread, with this bound of the share of unseen values.
    pub(crate) fn evidence(&self, log_mean: f64, spread: f64, unseen: f64) -> LogEvidence {
        LogEvidence {
            value: log_mean,
            // Equal weights say nothing about worlds that were not drawn.
            standard_error: if self.certain || spread > 0.0 {
                spread
            } else {
                unseen
            },
        }
    }
}
