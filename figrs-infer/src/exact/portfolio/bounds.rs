//! Bounds of the evidence, where nothing exact fits.

use std::time::{Duration, Instant};

use figrs_core::expand::Encoding;
use figrs_core::factor::FactorGraph;
use figrs_core::{AnyElement, Support, Until};

use super::attempts::Attempts;
use super::choice::AttemptOutcome;
use crate::algorithm::Algorithm;
use crate::answer::bounds::{Bounds, TargetBounds};
use crate::answer::{Answer, LogEvidence};
use crate::error::Error;
use crate::exact::conflict;
use crate::exact::eliminate::EliminationError;
use crate::exact::limits::Limits;
use crate::exact::mini_buckets::{coarse_sum_bounds, sum_bounds};

/// The algorithm that bounds are of.
const MINI_BUCKETS: &str = "WeightedMiniBuckets";
/// Relative error of the logarithm of a product of many factors.
const ROUNDING: f64 = 1e-12;
/// Number of steps of the search for a world whose weight is a lower bound.
const WORLD_STEPS: u64 = 1_000_000;
/// Time of bounds after a run that was stopped without: at least this, and one part in so many of the run's.
const LEAST_TIME: Duration = Duration::from_millis(250);
const TIME_SHARE: u32 = 8;

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
        let until = attempts.run.until();
        let mut bounds = Self::by_mini_buckets(attempts, &limits, |graph, entries| {
            sum_bounds(graph, entries, until)
        })?;
        let memory = attempts.settings.memory.0 / 4;
        let search = attempts.branch_and_bound(memory, WORLD_STEPS);
        let world = search.answer(attempts.model, attempts.targets);
        if let Ok(weight) = world.and_then(|world| world.log_probability()) {
            bounds.raise(weight);
        }
        attempts.settings.bounds_listener.tell(bounds.log_evidence);
        bounds.is_finite().then_some(bounds)
    }

    /// Those of the smallest tables, after a run that was stopped when it had tried something but had no bounds yet; `None` if they take more than an eighth of the
    /// time of the run, and more than a quarter of a second.
    pub(super) fn after_stop(attempts: &Attempts<'_>) -> Option<Self> {
        if !attempts.is_stopped() || attempts.choice.attempts.is_empty() {
            return None;
        }
        let time = LEAST_TIME.max(attempts.run.elapsed() / TIME_SHARE);
        let until = Until {
            deadline: Instant::now().checked_add(time),
            ..Until::default()
        };
        let limits = attempts.settings.limits_afterwards().until(&until);
        let bounds = Self::by_mini_buckets(attempts, &limits, |graph, entries| {
            coarse_sum_bounds(graph, entries, &until)
        })?;
        bounds.is_finite().then_some(bounds)
    }

    /// By mini-buckets of at most so many entries together: an eighth of the memory.
    fn by_mini_buckets(
        attempts: &Attempts<'_>,
        limits: &Limits,
        bound: impl FnOnce(&FactorGraph, f64) -> Result<Bounds, EliminationError>,
    ) -> Option<Self> {
        let expansion = limits.expand(attempts.model, attempts.targets).ok()?;
        conflict::check_failures(&expansion, limits).ok()?;
        let encoding = Encoding::for_sums(&expansion, &[]).ok()?;
        let entries = attempts.settings.memory.0 as f64 / 8.0 / size_of::<f64>() as f64;
        let supports = expansion.targets().iter();
        let supports = supports.map(|&position| expansion.elements()[position].support.clone());
        Some(Self {
            log_evidence: bound(encoding.graph(), entries).ok()?,
            supports: supports.collect(),
        })
    }

    fn is_finite(&self) -> bool {
        let Bounds { lower, upper } = self.log_evidence;
        lower > f64::NEG_INFINITY || upper < f64::INFINITY
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use figrs_core::{Element, Flip, Model};

    use super::*;
    use crate::algorithm::Run;
    use crate::exact::portfolio::settings::PortfolioSettings;
    use crate::exact::variable_elimination::VariableElimination;
    use crate::run::watch::Watch;

    #[test]
    fn a_run_that_is_stopped_early_has_bounds_once_something_was_planned() {
        let coins: Vec<Element<bool>> = (0..9).map(|_| Flip::new(0.3)).collect();
        let mut model = Model::new();
        for (i, a) in coins.iter().enumerate() {
            for b in &coins[..i] {
                model = model.weigh(&a.equals(b), |&same| if same { 1.3 } else { 1.0 });
            }
        }
        let (flag, mut watch) = (Arc::new(AtomicBool::new(false)), Watch::default());
        watch.set_interrupt(flag.clone());
        let (run, settings) = (watch.start("Exact", None), PortfolioSettings::default());
        let targets = [coins[0].erased().clone()];
        let mut attempts = Attempts::new(&settings, &run, &model, &targets);
        assert!(EvidenceBounds::after_stop(&attempts).is_none());
        let refused = attempts.variable_elimination(1.0).answer(&model, &targets);
        assert!(
            attempts
                .try_once("elimination", None, || refused)
                .unwrap()
                .is_none()
        );
        assert!(EvidenceBounds::after_stop(&attempts).is_none());
        flag.store(true, Ordering::Relaxed);
        assert!(EvidenceBounds::new(&attempts).is_none());
        let bounds = EvidenceBounds::after_stop(&attempts).unwrap().log_evidence;
        let exact = VariableElimination::new().log_evidence(&model).unwrap();
        assert!(
            bounds.contains(exact) && bounds.width() < 20.0,
            "{bounds} {exact}"
        );
    }
}
