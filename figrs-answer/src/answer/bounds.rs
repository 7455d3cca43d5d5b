//! Lower and upper bounds, as an answer.

use figrs_core::{AnyElement, Support};
use figrs_factor::bounds::Bounds;

use figrs_factor::Stopped;
use figrs_factor::algebra::{LogSumProduct, Semiring};

/// The weights of the worlds in which a target has each of its values, without its type.
///
/// Weights are given by their natural logarithms, because evidence may leave values whose probability is too small for
/// ordinary numbers.
#[derive(Clone, Debug)]
pub struct TargetBounds {
    /// The target.
    pub element: AnyElement,
    /// The known values.
    pub support: Support,
    /// For each value, the weight of the worlds in which the target certainly has it and the evidence holds.
    pub log_lower: Vec<f64>,
    /// For each value, the upper bound of the weight of the worlds in which the target certainly has it.
    pub log_upper: Vec<f64>,
    /// Upper bound of the weight of the worlds in which the value of the target is unknown.
    pub log_unknown: f64,
}

impl TargetBounds {
    /// Bounds of the probability that the value is among those that `is_in` accepts by position.
    ///
    /// With `L` for the lower and `U` for the upper weights, `U(unknown)` counted for and against the event, these are
    /// `L(in) / (L(in) + U(out))` and `U(in) / (U(in) + L(out))`: a share `a / (a + b)` grows with `a` and shrinks with
    /// `b`.
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

    /// Maximum width of the bounds of any event.
    ///
    /// Let `L` and `U` be the weights of all worlds and `a` the lower weight of the event, to which undecided worlds
    /// add at most `g`, as they add at most `h` to its complement; neither is more than `G = U - L`. The bounds differ by
    /// `(a + g) / (L + g) - a / (L + h)`, which is linear in `a`: no more than `g / (L + g)`, where `a = 0`, or
    /// `h / (L + h)`, where `a = L`. Both are at most `G / (L + G) = 1 - L / U`.
    pub(crate) fn width(&self) -> f64 {
        let upper = self.log_upper.iter().copied().chain([self.log_unknown]);
        undecided_share(log_sum(self.log_lower.iter().copied()), log_sum(upper))
    }

    /// The position of the value that is certainly more likely than any other, if there is one.
    pub(super) fn most_likely(&self) -> Option<usize> {
        let best = self.likely()?;
        let others = (0..self.log_upper.len()).filter(|&i| i != best);
        let rivals = others.map(|i| self.log_upper[i]);
        let rival = rivals.fold(f64::NEG_INFINITY, f64::max);
        (self.log_lower[best] > log_sum([rival, self.log_unknown])).then_some(best)
    }

    /// The position of the value with the largest lower bound; the first of several.
    pub(crate) fn likely(&self) -> Option<usize> {
        let order = |a: &usize, b: &usize| self.log_lower[*a].total_cmp(&self.log_lower[*b]);
        (0..self.log_lower.len()).rev().max_by(order)
    }
}

/// The logarithm of the sum of numbers given by their logarithms.
pub fn log_sum(logs: impl IntoIterator<Item = f64>) -> f64 {
    logs.into_iter().fold(f64::NEG_INFINITY, LogSumProduct::add)
}

/// `a / (a + b)` for numbers given by their logarithms. If `b` is zero then `a` is the whole weight.
fn fraction(a: f64, b: f64) -> f64 {
    if b == f64::NEG_INFINITY {
        1.0
    } else {
        1.0 / (1.0 + (b - a).exp())
    }
}

/// The share of all weight that is undecided, from the logarithms of the known weight and of the whole weight.
pub fn undecided_share(lower: f64, upper: f64) -> f64 {
    (1.0 - (lower - upper).exp()).max(0.0)
}

/// Extent of an algorithm that deepens until its bounds are close enough: depth, work, reason for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deepening {
    /// Depth of the nested Chains that were expanded.
    pub depth: usize,
    /// The work that this and all smaller depths took.
    pub work: u64,
    /// Reason for the end.
    pub ended: DeepeningEnd,
}

/// Reason for the end of a deepening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeepeningEnd {
    /// The whole model was expanded.
    Complete,
    /// The bounds are as close as requested.
    Width,
    /// This is the requested depth.
    Depth,
    /// A budget did not allow a greater depth, and the bounds are not as close, or not as deep, as requested.
    Budget,
    /// The deadline passed while a greater depth was expanded, or work was interrupted; the bounds are those of the depth before.
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
