//! Bounds of the evidence, where nothing exact fits: crude ones at once, closer ones as work allows.

use std::sync::{Arc, Mutex, PoisonError};

use figrs_core::{AnyElement, Support};

use super::attempts::Attempts;
use super::settings::Listener;
use crate::conflict;
use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::bounds::TargetBounds;
use figrs_answer::answer::choice::AttemptOutcome;
use figrs_answer::answer::{Answer, LogEvidence};
use figrs_answer::error::Error;
use figrs_factor::bounds::Bounds;
use figrs_factor::mini_buckets::{
    ALL_SIZES, BoundingEffort, QUICK_SIZES, UNBOUNDED, crude_bounds, narrow, sum_bounds,
};

/// The algorithm that bounds are of.
const MINI_BUCKETS: &str = "WeightedMiniBuckets";
/// Relative error of the logarithm of a product of many factors.
const ROUNDING: f64 = 1e-12;
/// Number of steps of the search for a world whose weight is a lower bound.
const WORLD_STEPS: u64 = 1_000_000;
/// Number of operations of an elimination that take as long as an entry of the messages of both bounds, which are sums of powers.
const ENTRY: f64 = 128.0;
/// Divisor of the operations that follow, as many as which are spent on bounds before.
const SHARE: f64 = 8.0;

/// The bounds found so far, of which a listener is told.
#[derive(Clone)]
struct BoundsSoFar {
    bounds: Arc<Mutex<Bounds>>,
    listener: Listener<Bounds>,
}

impl BoundsSoFar {
    fn get(&self) -> Bounds {
        let Bounds { lower, upper } = *self.bounds.lock().unwrap_or_else(PoisonError::into_inner);
        // The number may be known, up to rounding.
        let lower = lower.min(upper);
        Bounds { lower, upper }
    }

    /// Takes in other bounds.
    fn narrow(&self, other: Bounds) {
        let before = self.get();
        narrow(
            &mut self.bounds.lock().unwrap_or_else(PoisonError::into_inner),
            other,
        );
        let now = self.get();
        if now != before {
            self.listener.tell(&now);
        }
    }

    /// Takes in the weight of some worlds.
    fn raise(&self, lower: f64) {
        let slack = ROUNDING * (1.0 + lower.abs());
        self.narrow(Bounds {
            lower: lower - slack,
            ..UNBOUNDED
        });
    }
}

/// Bounds of the evidence, and the values that the targets may have.
pub(super) struct EvidenceBounds {
    so_far: BoundsSoFar,
    supports: Vec<Support>,
    /// The size of tables that comes next.
    next_table: usize,
    /// True if a world was searched.
    is_searched: bool,
}

impl EvidenceBounds {
    /// Crude bounds; a run that is over already is given a moment for them. `None` if the model cannot be expanded by then, or fails.
    pub(super) fn new(attempts: &mut Attempts<'_>) -> Option<Self> {
        let (expansion, encoding, limits) = attempts.look()?;
        conflict::check_failures(&expansion, &limits).ok()?;
        let supports = expansion.targets().iter();
        let supports = supports.map(|&position| expansion.elements()[position].support.clone());
        let this = Self {
            so_far: BoundsSoFar {
                bounds: Arc::new(Mutex::new(UNBOUNDED)),
                listener: attempts.settings.bounds_listener.clone(),
            },
            supports: supports.collect(),
            next_table: 0,
            is_searched: false,
        };
        let crude = crude_bounds(encoding.graph(), limits.options.end());
        this.so_far.narrow(crude);
        Some(this)
    }

    /// Closer bounds, before so many operations of others: by weighted mini-buckets with as large tables as an eighth of these allow, and from below by a
    /// world as well.
    pub(super) fn tighten(&mut self, attempts: &mut Attempts<'_>, operations: f64) {
        if attempts.is_stopped() {
            return;
        }
        if !self.is_searched {
            self.is_searched = true;
            self.search_world(attempts);
        }
        self.by_mini_buckets(attempts, ALL_SIZES, operations / SHARE / ENTRY);
    }

    /// The bounds that are worth having where there is no other answer, whatever the work.
    pub(super) fn finish(&mut self, attempts: &mut Attempts<'_>) {
        if !attempts.is_stopped() && self.next_table < QUICK_SIZES {
            self.by_mini_buckets(attempts, QUICK_SIZES, f64::INFINITY);
        }
    }

    /// Weighted mini-buckets of the sizes that come next, up to one, with messages of at most so many entries.
    fn by_mini_buckets(&mut self, attempts: &mut Attempts<'_>, end: usize, work: f64) {
        let Some((_, encoding, limits)) = attempts.look() else {
            return;
        };
        // An eighth of the memory.
        let effort = BoundingEffort {
            most: attempts.settings.memory.0 as f64 / 8.0 / size_of::<f64>() as f64,
            work,
            until: limits.options.end(),
        };
        let mut tell = |bounds| self.so_far.narrow(bounds);
        // What is stopped or refused has told what it found.
        let sizes = self.next_table..end;
        if let Ok(next) = sum_bounds(encoding.graph(), sizes, effort, &mut tell) {
            self.next_table = next;
        }
    }

    /// Searches a world whose weight is a lower bound.
    fn search_world(&self, attempts: &Attempts<'_>) {
        let memory = attempts.settings.memory.0 / 4;
        let found = self.so_far.clone();
        let search = attempts
            .branch_and_bound(memory, WORLD_STEPS)
            .on_improvement(move |improvement| found.raise(improvement.log_probability));
        let world = search.answer(attempts.model, attempts.targets);
        if let Ok(weight) = world.and_then(|world| world.log_probability()) {
            self.raise(weight);
        }
    }

    /// Takes in another lower bound.
    pub(super) fn raise(&self, lower: f64) {
        self.so_far.raise(lower);
    }

    /// The answer if there is no other: nothing is known of the targets.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`] if that is what they say, and there are targets.
    pub(super) fn into_answer(self, mut attempts: Attempts<'_>) -> Result<Answer, Error> {
        let Bounds { lower, upper } = self.so_far.get();
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
