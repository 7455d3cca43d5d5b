//! Bounds of the evidence, where nothing exact fits.

use figrs_core::expand::Encoding;
use figrs_core::{AnyElement, Support};

use super::attempts::Attempts;
use super::choice::AttemptOutcome;
use crate::algorithm::Algorithm;
use crate::answer::bounds::{Bounds, TargetBounds};
use crate::answer::{Answer, LogEvidence};
use crate::error::Error;
use crate::exact::conflict;
use crate::exact::mini_buckets::sum_bounds;

/// The algorithm that bounds are of.
const MINI_BUCKETS: &str = "WeightedMiniBuckets";
/// Relative error of the logarithm of a product of many factors.
const ROUNDING: f64 = 1e-12;
/// Number of steps of the search for a world whose weight is a lower bound.
const WORLD_STEPS: u64 = 1_000_000;

/// Bounds of the evidence, and the values that the targets may have.
pub(super) struct EvidenceBounds {
    log_evidence: Bounds,
    supports: Vec<Support>,
}

impl EvidenceBounds {
    /// By weighted mini-buckets, and from below by a world as well; `None` if the model cannot be expanded, or the run was stopped before there were
    /// any.
    pub(super) fn new(attempts: &Attempts<'_>) -> Option<Self> {
        let limits = attempts.settings.limits_of_expansion(attempts.run);
        let expansion = limits.expand(attempts.model, attempts.targets).ok()?;
        conflict::check_failures(&expansion, &limits).ok()?;
        let encoding = Encoding::for_sums(&expansion, &[]).ok()?;
        // An eighth of the memory.
        let entries = attempts.settings.memory.0 as f64 / 8.0 / size_of::<f64>() as f64;
        let supports = expansion.targets().iter();
        let supports = supports.map(|&position| expansion.elements()[position].support.clone());
        let mut bounds = Self {
            log_evidence: sum_bounds(encoding.graph(), entries, attempts.run.until()).ok()?,
            supports: supports.collect(),
        };
        let memory = attempts.settings.memory.0 / 4;
        let search = attempts.branch_and_bound(memory, WORLD_STEPS);
        let world = search.answer(attempts.model, attempts.targets);
        if let Ok(weight) = world.and_then(|world| world.log_probability()) {
            bounds.raise(weight);
        }
        let Bounds { lower, upper } = bounds.log_evidence;
        attempts.settings.bounds_listener.tell(&bounds.log_evidence);
        (lower > f64::NEG_INFINITY || upper < f64::INFINITY).then_some(bounds)
    }

    /// Takes in another lower bound.
    pub(super) fn raise(&mut self, lower: f64) {
        let slack = ROUNDING * (1.0 + lower.abs());
        self.log_evidence.lower = self.log_evidence.lower.max(lower - slack);
    }

    /// The answer if there is no other: nothing is known of the targets.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`] if that is what they say, and there are targets.
    pub(super) fn into_answer(self, mut attempts: Attempts<'_>) -> Result<Answer, Error> {
        let Bounds { lower, upper } = self.log_evidence;
        if upper == f64::NEG_INFINITY {
            let limits = attempts.settings.limits_afterwards();
            if !attempts.targets.is_empty() {
                let (model, targets) = (attempts.model, attempts.targets);
                return Err(conflict::impossible(model, targets, &limits));
            }
            let evidence = LogEvidence {
                value: upper,
                standard_error: 0.0,
            };
            attempts.record(MINI_BUCKETS, None, AttemptOutcome::Answered);
            let answer = Answer::marginals(MINI_BUCKETS, Vec::new(), evidence);
            return Ok(attempts.chosen(answer));
        }
        attempts.record(MINI_BUCKETS, None, AttemptOutcome::Bounded);
        // The number may be known, up to rounding.
        let lower = lower.min(upper);
        let unknown = |(target, support): (&AnyElement, Support)| TargetBounds {
            element: target.clone(),
            log_lower: vec![f64::NEG_INFINITY; support.len()],
            log_upper: vec![upper; support.len()],
            log_unknown: f64::NEG_INFINITY,
            support,
        };
        let targets = attempts.targets.iter().zip(self.supports);
        let targets = targets.map(unknown).collect();
        let answer = Answer::bounded_marginals(MINI_BUCKETS, targets, Bounds { lower, upper });
        Ok(attempts.chosen(answer))
    }
}
