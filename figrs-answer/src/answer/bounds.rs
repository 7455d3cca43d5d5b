//! Answers that consist of lower and upper bounds.

use figrs_core::{AnyElement, Support};
use figrs_factor::bounds::Bounds;

use figrs_factor::Stopped;
use figrs_factor::algebra::{LogSumProduct, Semiring};

/// Untyped bounds for one target: for each value, bounds of the total weight of the worlds in which the target has this value.
///
/// The weights are natural logarithms, because the evidence may make the probability of a value too small for a floating-point number.
#[derive(Clone, Debug)]
pub struct TargetBounds {
    /// The target whose values are bounded.
    pub element: AnyElement,
    /// The known values of the target.
    pub support: Support,
    /// For each value, the log-weight of the worlds in which the target certainly has the value and the evidence certainly holds.
    pub log_lower: Vec<f64>,
    /// For each value, an upper bound of the log-weight of the worlds in which the target certainly has this value.
    pub log_upper: Vec<f64>,
    /// An upper bound of the log-weight of the worlds in which the value of the target is unknown.
    pub log_unknown: f64,
}

impl TargetBounds {
    /// Returns bounds of the probability that the target has a value whose index `is_in` accepts (the event).
    ///
    /// Let `L` be the lower and `U` the upper weights of the event, its complement and the unknown value. The weight `U(unknown)` may
    /// belong to the event or to its complement, and is added to both `U(in)` and `U(out)`. The bounds are `L(in) / (L(in) + U(out))` and
    /// `U(in) / (U(in) + L(out))`, because the fraction `a / (a + b)` increases with `a` and decreases with `b`.
    #[doc(hidden)]
    pub fn of(&self, is_in: impl Fn(usize) -> bool) -> Bounds {
        let (within, out): (Vec<usize>, Vec<usize>) =
            (0..self.log_lower.len()).partition(|&i| is_in(i));
        let lower = |side: &[usize]| log_sum(side.iter().map(|&i| self.log_lower[i]));
        let upper = |side: &[usize]| {
            let known = side.iter().map(|&i| self.log_upper[i]);
            log_sum(known.chain([self.log_unknown]))
        };
        Bounds {
            lower: fraction(lower(&within), upper(&out)),
            upper: 1.0 - fraction(lower(&out), upper(&within)),
        }
    }

    /// Returns the maximum width of the bounds over all events.
    ///
    /// Let `L` and `U` be the lower and the upper weight of all worlds, and `a` the lower weight of an event. Undecided worlds add at
    /// most `g` to the event and at most `h` to its complement, where both `g` and `h` are at most `G = U - L`. The width of the bounds
    /// is `(a + g) / (L + g) - a / (L + h)`. The width is linear in `a`, and therefore at most `g / (L + g)`, for `a = 0`, or
    /// `h / (L + h)`, for `a = L`. Both `g / (L + g)` and `h / (L + h)` are at most `G / (L + G) = 1 - L / U`.
    pub(crate) fn width(&self) -> f64 {
        let upper = self.log_upper.iter().copied().chain([self.log_unknown]);
        undecided_share(log_sum(self.log_lower.iter().copied()), log_sum(upper))
    }

    /// Returns the index of the value that is certainly more likely than any other; `None` if no value is certainly the most likely.
    pub(super) fn most_likely(&self) -> Option<usize> {
        let best = self.likely()?;
        let others = (0..self.log_upper.len()).filter(|&i| i != best);
        let rivals = others.map(|i| self.log_upper[i]);
        let rival = rivals.fold(f64::NEG_INFINITY, f64::max);
        (self.log_lower[best] > log_sum([rival, self.log_unknown])).then_some(best)
    }

    /// Returns the index of the value with the largest lower bound; among equal bounds, the first index.
    pub(crate) fn likely(&self) -> Option<usize> {
        let order = |a: &usize, b: &usize| self.log_lower[*a].total_cmp(&self.log_lower[*b]);
        (0..self.log_lower.len()).rev().max_by(order)
    }
}

/// Returns the logarithm of the sum of numbers that are given by their logarithms.
pub fn log_sum(logs: impl IntoIterator<Item = f64>) -> f64 {
    logs.into_iter().fold(f64::NEG_INFINITY, LogSumProduct::add)
}

/// Computes `a / (a + b)` for numbers given by their logarithms; returns one if `b` is zero.
fn fraction(a: f64, b: f64) -> f64 {
    if b == f64::NEG_INFINITY {
        1.0
    } else {
        1.0 / (1.0 + (b - a).exp())
    }
}

/// Returns the fraction of the whole weight that is undecided. The arguments are the logarithms of the decided weight and of the whole
/// weight.
pub fn undecided_share(lower: f64, upper: f64) -> f64 {
    (1.0 - (lower - upper).exp()).max(0.0)
}

/// The depth and the work of an algorithm that expands the model to increasing depths, and the reason for its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deepening {
    /// Nesting depth to which Chains were expanded.
    pub depth: usize,
    /// The total work for this depth and all smaller depths.
    pub work: u64,
    /// The reason for the end of the expansion to greater depths.
    pub ended: DeepeningEnd,
}

/// The reason for the end of an expansion to increasing depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeepeningEnd {
    /// The whole model was expanded.
    Complete,
    /// The bounds are as narrow as requested.
    Width,
    /// The requested depth was reached.
    Depth,
    /// A limit did not allow a greater depth, and the requested width of the bounds or the requested depth was not reached.
    Budget,
    /// The deadline passed, or the run was interrupted, during the expansion to a greater depth. The bounds are those of the previous
    /// depth.
    Stopped(Stopped),
}

#[cfg(test)]
mod tests {
    use figrs_core::Uniform;
    use figrs_core::internals::Kind;

    use super::*;

    fn target(lower: [f64; 3], upper: [f64; 3], unknown: f64) -> TargetBounds {
        let element = Uniform::new(0..3).erased().clone();
        let Kind::Atomic(op) = element.kind() else {
            panic!("a Uniform is atomic");
        };
        TargetBounds {
            support: op.outcomes().unwrap().unwrap().support,
            element,
            log_lower: lower.map(f64::ln).to_vec(),
            log_upper: upper.map(f64::ln).to_vec(),
            log_unknown: unknown.ln(),
        }
    }

    #[test]
    fn no_event_is_wider_than_the_width() {
        let weights = [0.0, 1e-300, 0.5];
        let mut pick = 0usize;
        let mut next = || {
            pick = (pick * 29 + 17) % 1009;
            weights[pick % 3]
        };
        for _ in 0..2000 {
            let lower = [next(), next(), next()];
            let upper = lower.map(|l| l + next());
            let target = target(lower, upper, next());
            for event in 0..8 {
                let bounds = target.of(|i| event >> i & 1 == 1);
                assert!(
                    bounds.width() <= target.width() + 1e-12,
                    "{target:?} {event:b}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_is_known() {
        let certain = target([0.2, 0.0, 0.0], [0.7, 0.0, 0.0], 0.0);
        assert_eq!(certain.of(|i| i == 0), Bounds::exact(1.0));
        assert_eq!(certain.of(|i| i == 1), Bounds::exact(0.0));
        assert_eq!(certain.most_likely(), Some(0));
        let even = target([0.1, 0.1, 0.0], [0.2, 0.2, 0.0], 0.0);
        assert_eq!(even.most_likely(), None);
        let open = target([0.2, 0.1, 0.0], [0.2, 0.1, 0.0], 0.05);
        assert_eq!(open.most_likely(), Some(0));
        assert_eq!(open.of(|i| i == 2).lower, 0.0);
        assert!((open.of(|i| i == 2).upper - 1.0 / 7.0).abs() < 1e-12);
    }
}
