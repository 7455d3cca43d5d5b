//! The best assignment of a marginal MAP search (the incumbent), and local search from an assignment.

use figrs_factor::bounds::Improvement;
use figrs_factor::eliminate::EliminationError;

use super::conditional_sums::ConditionalSums;

/// An improved upper bound is recorded if its distance to the best log-weight is at most this fraction of the distance of the last recorded bound.
const RECORDED: f64 = 0.9;

/// The best known assignment of the maximised variables, the upper bound for all assignments, and the history of the two.
#[derive(Debug)]
pub(super) struct Incumbent {
    /// Values of the maximised variables in the best known assignment; empty if no assignment of positive weight is known.
    pub(super) values: Vec<u32>,
    pub(super) log_weight: f64,
    pub(super) upper_bound: f64,
    pub(super) improvements: Vec<Improvement>,
    /// True if local search found the best assignment, false if branch and bound found it.
    pub(super) is_local: bool,
}

impl Incumbent {
    pub(super) fn new(upper_bound: f64) -> Self {
        Self {
            values: Vec::new(),
            log_weight: f64::NEG_INFINITY,
            upper_bound,
            improvements: Vec::new(),
            is_local: true,
        }
    }

    /// Makes an assignment of the maximised variables the best known assignment if it is better.
    pub(super) fn offer(&mut self, values: &[u32], log_weight: f64, is_local: bool, work: f64) {
        if log_weight > self.log_weight {
            self.values = values.to_vec();
            (self.log_weight, self.is_local) = (log_weight, is_local);
            self.record(work);
        }
    }

    /// Lowers the recorded upper bound to `upper_bound`, if `upper_bound` is lower.
    pub(super) fn bound(&mut self, upper_bound: f64, work: f64) {
        let upper_bound = upper_bound.max(self.log_weight);
        if upper_bound >= self.upper_bound {
            return;
        }
        self.upper_bound = upper_bound;
        let recorded = self.improvements.last();
        let gap = |bound: f64| bound - self.log_weight;
        if recorded.is_none_or(|last| gap(upper_bound) <= RECORDED * gap(last.upper_bound)) {
            self.record(work);
        }
    }

    fn record(&mut self, work: f64) {
        if self.log_weight > f64::NEG_INFINITY {
            self.improvements.push(Improvement {
                work: work as u64,
                log_probability: self.log_weight,
                upper_bound: self.upper_bound.max(self.log_weight),
            });
        }
    }
}

/// Hill climbing: sets one maximised variable after another to its best value given the other variables, until a whole round changes nothing. The
/// arguments `values` and `log_weight` are the assignment of the maximised variables and its log-weight, which hill climbing improves.
///
/// **Errors.** Errors of a sum over the other variables; `values` and `log_weight` then agree with each other, but are not a local optimum.
pub(super) fn climb(
    sums: &mut ConditionalSums<'_>,
    cardinalities: &[u32],
    values: &mut [u32],
    log_weight: &mut f64,
    is_over: &mut dyn FnMut(f64) -> bool,
) -> Result<(), EliminationError> {
    let (mut unchanged, mut position) = (0, 0);
    while unchanged < values.len() && !is_over(sums.operations) {
        unchanged += 1;
        if cardinalities[position] > 1 {
            for (value, log) in (0..).zip(sums.log_weights(values, position)?) {
                // The tolerance prevents that rounding errors change an assignment to and fro without end.
                if log > *log_weight + 1e-12 * log.abs() {
                    values[position] = value;
                    *log_weight = log;
                    unchanged = 1;
                }
            }
        }
        position = (position + 1) % values.len();
    }
    Ok(())
}
