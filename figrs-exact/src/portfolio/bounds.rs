//! Bounds of the probability of the evidence for models that no exact algorithm can solve within the limits.

use std::sync::{Arc, Mutex, PoisonError};

use figrs_core::{AnyElement, Support};

use super::attempts::Attempts;
use figrs_answer::{Answer, AttemptOutcome, Error, Listener, LogEvidence, TargetBounds, conflict};
use figrs_factor::bounds::Bounds;
use figrs_factor::mini_buckets::{
    ALL_SIZES, BoundingEffort, QUICK_SIZES, UNBOUNDED, crude_bounds, narrow, sum_bounds,
};

pub(super) const MINI_BUCKETS: &str = "WeightedMiniBuckets";
/// Assumed relative rounding error of the logarithm of a product of many factors.
const ROUNDING: f64 = 1e-12;
/// Maximum number of steps of the search for a world of large weight; this weight is a lower bound of the probability of the evidence.
const WORLD_STEPS: u64 = 1_000_000;
/// Cost of one entry of the messages that compute the lower and the upper bound, in operations of an elimination.
const ENTRY: f64 = 128.0;
/// Divisor of the predicted number of operations of the next algorithm; the quotient is the work spent on bounds before the next algorithm runs.
const SHARE: f64 = 8.0;

/// The best bounds that have been found, and a listener that is called when they improve.
#[derive(Clone)]
struct BoundsSoFar {
    bounds: Arc<Mutex<Bounds>>,
    listener: Listener<Bounds>,
}

impl BoundsSoFar {
    fn get(&self) -> Bounds {
        let Bounds { lower, upper } = *self.bounds.lock().unwrap_or_else(PoisonError::into_inner);
        // If the bounds are equal up to rounding, the lower bound may exceed the upper bound.
        let lower = lower.min(upper);
        Bounds { lower, upper }
    }

    /// Replaces the interval between the lower and the upper bound by its intersection with another such interval.
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

    /// Raises the lower bound to `lower`, the total weight of some worlds, if `lower` is larger than the bound.
    fn raise(&self, lower: f64) {
        let slack = ROUNDING * (1.0 + lower.abs());
        self.narrow(Bounds {
            lower: lower - slack,
            ..UNBOUNDED
        });
    }
}

/// Bounds of the probability of the evidence, and lists of the possible values of the targets.
pub(super) struct EvidenceBounds {
    so_far: BoundsSoFar,
    supports: Vec<Support>,
    /// The index, in a list of table sizes, of the size that weighted mini-buckets will use next.
    next_table: usize,
    /// True if the search for a world of large weight has already been run.
    is_searched: bool,
}

impl EvidenceBounds {
    /// Computes crude bounds of the probability of the evidence. The computation of crude bounds may continue for a short time after the deadline.
    /// Returns `None` if the expansion of the model fails, or is not complete a short time after the deadline.
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
        let crude = crude_bounds(encoding.graph(), &limits.until);
        this.so_far.narrow(crude);
        Some(this)
    }

    /// Computes closer bounds before the next algorithm runs, which is predicted to take `operations` operations. The first call searches for a world
    /// of large weight; this weight is a lower bound of the probability of the evidence. After the search for a world, weighted mini-buckets get an
    /// eighth of `operations`, the predicted work of the next algorithm.
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

    /// If the run has no other answer, computes bounds by mini-buckets with small tables, without a limit of work.
    pub(super) fn finish(&mut self, attempts: &mut Attempts<'_>) {
        if !attempts.is_stopped() && self.next_table < QUICK_SIZES {
            self.by_mini_buckets(attempts, QUICK_SIZES, f64::INFINITY);
        }
    }

    /// Computes bounds by weighted mini-buckets, for the entries before index `end` of a list of table sizes and messages of at most `work` entries.
    fn by_mini_buckets(&mut self, attempts: &mut Attempts<'_>, end: usize, work: f64) {
        let Some((_, encoding, limits)) = attempts.look() else {
            return;
        };
        // The messages may take an eighth of the memory.
        let effort = BoundingEffort {
            most: attempts.settings.memory.0 as f64 / 8.0 / size_of::<f64>() as f64,
            work,
            until: &limits.until,
        };
        let mut tell = |bounds| self.so_far.narrow(bounds);
        // A computation that was stopped or refused has already reported its bounds.
        let sizes = self.next_table..end;
        if let Ok(next) = sum_bounds(encoding.graph(), sizes, effort, &mut tell) {
            self.next_table = next;
        }
    }

    /// Searches for a world of large weight; this weight is a lower bound of the probability of the evidence.
    fn search_world(&self, attempts: &Attempts<'_>) {
        let memory = attempts.settings.memory.0 / 4;
        let found = self.so_far.clone();
        let search = attempts
            .branch_and_bound(memory, WORLD_STEPS)
            .on_improvement(move |improvement| found.raise(improvement.log_probability));
        let world = search.answer_to(&attempts.question);
        if let Ok(weight) = world.and_then(|world| world.log_probability()) {
            self.raise(weight);
        }
    }

    pub(super) fn raise(&self, lower: f64) {
        self.so_far.raise(lower);
    }

    /// Returns an answer with bounds of the probability of the evidence, but no information about the targets.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`] if the upper bound of the probability is zero and there are targets.
    pub(super) fn into_answer(self, mut attempts: Attempts<'_>) -> Result<Answer, Error> {
        let Bounds { lower, upper } = self.so_far.get();
        if upper == f64::NEG_INFINITY {
            let limits = attempts.settings.limits_afterwards();
            if !attempts.question.targets.is_empty() {
                return Err(attempts.question.impossible(&limits));
            }
            let evidence = LogEvidence::exact(upper);
            attempts.record(MINI_BUCKETS, None, AttemptOutcome::Answered);
            let answer = Answer::marginals(MINI_BUCKETS, Vec::new(), evidence);
            return Ok(attempts.chosen(answer));
        }
        attempts.record(MINI_BUCKETS, None, AttemptOutcome::Bounded);
        let unknown = |(target, support): (&AnyElement, Support)| TargetBounds {
            element: target.clone(),
            cells: Vec::new(),
            bins: Vec::new(),
            log_lower: vec![f64::NEG_INFINITY; support.len()],
            log_upper: vec![upper; support.len()],
            log_unknown: f64::NEG_INFINITY,
            support,
        };
        let targets = attempts.question.targets.iter().zip(self.supports);
        let targets = targets.map(unknown).collect();
        let answer = Answer::bounded_marginals(MINI_BUCKETS, targets, Bounds { lower, upper });
        Ok(attempts.chosen(answer))
    }
}
