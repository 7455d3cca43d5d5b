//! Lower and upper bounds for a target.

use std::any::Any;

use figrs_core::{AnyElement, Support, Value};
use figrs_factor::Stopped;
use figrs_factor::algebra::{LogSumProduct, Semiring, log_sum};
use figrs_factor::bounds::Bounds;

/// Untyped bounds for one target: for each value, bounds of the total weight of the worlds in which the target has this value.
///
/// Weights are stored as natural logarithms, because a weight may be too small for a floating-point number.
#[derive(Clone, Debug)]
pub struct TargetBounds {
    /// The target whose values are bounded.
    pub element: AnyElement,
    /// The values of the target that were found by the expansion of the model (the listing of possible values).
    pub support: Support,
    /// For a continuous target, the list of cells has one interval for each value of the support, and the value is the middle of its interval. For a
    /// target that is not continuous, the list of cells is empty.
    pub cells: Vec<[f64; 2]>,
    /// For each cell, the value of the bin in which the cell lies, if the target is discretised; `None` if there is no bin. For a target that is not
    /// continuous, the list of bin values is empty.
    pub bins: Vec<Option<f64>>,
    /// For each value, the log-weight of the worlds in which the target certainly has this value and the evidence certainly holds.
    pub log_lower: Vec<f64>,
    /// For each value, an upper bound of the log-weight of the worlds in which the target certainly has this value and the evidence may hold.
    pub log_upper: Vec<f64>,
    /// An upper bound of the log-weight of the worlds in which the value of the target is unknown.
    pub log_unknown: f64,
}

impl TargetBounds {
    /// Returns bounds of the probability that the value of a target has an index that `is_in` accepts. `is_in` returns `None` for a cell if it is not
    /// known whether all values in the cell are accepted.
    ///
    /// Let `L(in)` and `U(in)` be the lower and upper weights of the event, `L(out)` and `U(out)` the weights of its complement, and `U(unknown)` the
    /// upper weight of the unknown value. The weight `U(unknown)` of the unknown value is added to both `U(in)` and `U(out)`, because the value may
    /// belong to the event or to its complement. The bounds of the event's probability are `L(in) / (L(in) + U(out))` and `U(in) / (U(in) + L(out))`,
    /// for lower weights `L` and upper weights `U`, because the fraction `a / (a + b)` increases with `a` and decreases with `b`.
    #[doc(hidden)]
    pub fn of(&self, is_in: impl Fn(usize) -> Option<bool>) -> Bounds {
        let (mut within, mut out, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..self.log_lower.len() {
            match is_in(i) {
                Some(true) => within.push(i),
                Some(false) => out.push(i),
                None => open.push(i),
            }
        }
        let lower = |side: &[usize]| log_sum(side.iter().map(|&i| self.log_lower[i]));
        let upper = |side: &[usize]| {
            let known = side.iter().chain(&open).map(|&i| self.log_upper[i]);
            log_sum(known.chain([self.log_unknown]))
        };
        Bounds {
            lower: fraction(lower(&within), upper(&out)),
            upper: 1.0 - fraction(lower(&out), upper(&within)),
        }
    }

    /// Returns the results of a function for the middle and the ends of a cell, or only one result for a value that has no cell.
    pub(crate) fn at<T: Value, R>(&self, i: usize, function: impl Fn(&T) -> R) -> Vec<R> {
        let middle = self.support.get::<T>(i);
        let ends = self.cells.get(i).filter(|cell| cell[0] < cell[1]);
        let ends = ends.into_iter().flatten();
        let ends = ends.filter_map(|end| (end as &dyn Any).downcast_ref::<T>());
        middle.into_iter().chain(ends).map(function).collect()
    }

    /// Returns bounds of the expectation of a function, given bounds of the function for each value and for the unknown value.
    ///
    /// The expectation is `sum w(x) f(x) / sum w(x)`, for weights between their bounds. The expectation is largest if each value has its upper weight
    /// where the function exceeds the expectation, and its lower weight elsewhere.
    pub(crate) fn expectation(&self, function: &[Bounds], unknown: Bounds) -> Bounds {
        let largest = self
            .log_upper
            .iter()
            .copied()
            .fold(self.log_unknown, f64::max);
        let weight = |log: f64| (log - largest).exp();
        let extreme = |value: fn(&Bounds) -> f64| {
            let known = self.log_lower.iter().zip(&self.log_upper).zip(function);
            let known = known.map(|((&l, &u), f)| (value(f), weight(l), weight(u)));
            let unknown = (value(&unknown), 0.0, weight(self.log_unknown));
            greatest_mean(known.chain([unknown]).collect())
        };
        Bounds {
            lower: -extreme(|f| -f.lower),
            upper: extreme(|f| f.upper),
        }
    }

    /// Returns the maximum width of the bounds of an event's probability, over all events. For a continuous target, the maximum width is over all
    /// half-lines; the cells that contain the end of a half-line are divided by it. For a discretised target, the maximum width is over all sets of
    /// bins.
    ///
    /// Let `L` and `U` be the lower and the upper weight of all worlds, and `a` the lower weight of an event. Undecided worlds add at most `g` to the
    /// event and at most `h` to its complement, where both are at most `G = U - L`, the upper minus the lower weight of all worlds. If undecided
    /// worlds add at most `g` to the lower weight `a` of an event and at most `h` to its complement, the width of the bounds of the event's
    /// probability is `(a + g) / (L + g) - a / (L + h)`, where `L` is the lower weight of all worlds. For `0 <= a <= L`, the linear function
    /// `(a + g) / (L + g) - a / (L + h)` is at most the larger of `g / (L + g)` and `h / (L + h)`. Because the weights `g` and `h` of undecided
    /// worlds are at most `G = U - L`, the width of the bounds of an event's probability is at most `G / (L + G) = 1 - L / U`.
    #[doc(hidden)]
    pub fn width(&self) -> f64 {
        let upper = self.log_upper.iter().copied().chain([self.log_unknown]);
        let decided = log_sum(self.log_lower.iter().copied());
        let share = self.most_divided(decided);
        undecided_share(decided + (-share).ln_1p(), log_sum(upper))
    }

    /// Returns the largest lower weight of the cells that contain one common number, over all numbers, as a fraction of `decided`, the lower weight
    /// of all worlds. The cells (intervals of values) of a function of several continuous elements may overlap.
    fn most_divided(&self, decided: f64) -> f64 {
        let cells = self.cells.iter().zip(&self.bins).zip(&self.log_lower);
        let cells = cells.filter(|((_, bin), _)| bin.is_none());
        let ends = cells.flat_map(|((&[lower, upper], _), log)| {
            let share = (log - decided).exp().min(1.0);
            [(lower, share), (upper, -share)]
        });
        let mut ends: Vec<(f64, f64)> = ends.collect();
        // Cells are open intervals: at one number, those that end are left before others are entered.
        ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let sums = ends.iter().scan(0.0, |sum: &mut f64, (_, share)| {
            *sum += share;
            Some(*sum)
        });
        sums.fold(0.0, f64::max).min(1.0)
    }

    /// Returns the index of the value whose probability has a lower bound above the upper bounds of all other values; `None` if there is no such
    /// value.
    pub(super) fn most_likely(&self) -> Option<usize> {
        if !self.cells.is_empty() {
            return None;
        }
        let best = self.likely()?;
        let others = (0..self.log_upper.len()).filter(|&i| i != best);
        let rivals = others.map(|i| self.log_upper[i]);
        let rival = rivals.fold(f64::NEG_INFINITY, f64::max);
        (self.log_lower[best] > LogSumProduct::add(rival, self.log_unknown)).then_some(best)
    }

    /// Returns the index of the value whose weight has the largest lower bound; among equal bounds, the first index.
    pub(crate) fn likely(&self) -> Option<usize> {
        let order = |a: &usize, b: &usize| self.log_lower[*a].total_cmp(&self.log_lower[*b]);
        (0..self.log_lower.len()).rev().max_by(order)
    }
}

/// Returns the greatest possible weighted mean of numbers whose weights are known only by bounds. Each item is a number with the lower and the upper
/// bound of its weight.
fn greatest_mean(mut weighted: Vec<(f64, f64, f64)>) -> f64 {
    weighted.retain(|&(_, _, upper)| upper > 0.0);
    weighted.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some(&(first, ..)) = weighted.first() else {
        return f64::NAN;
    };
    let certain = |&&(_, lower, _): &&(f64, f64, f64)| lower > 0.0;
    let (mut sum, mut total) = (0.0, 0.0);
    for &(number, lower, _) in weighted.iter().filter(certain) {
        sum += lower * number;
        total += lower;
    }
    if total == 0.0 {
        return first;
    }
    for &(number, lower, upper) in &weighted {
        if number * total <= sum {
            break;
        }
        sum += (upper - lower).max(0.0) * number;
        total += (upper - lower).max(0.0);
    }
    // If the numbers include both +∞ and −∞, the mean is undefined.
    let mean = sum / total;
    if mean.is_nan() { f64::INFINITY } else { mean }
}

/// Computes `a / (a + b)`, given the logarithms of both numbers; returns one if `b` is zero.
fn fraction(a: f64, b: f64) -> f64 {
    if b == f64::NEG_INFINITY {
        1.0
    } else {
        1.0 / (1.0 + (b - a).exp())
    }
}

/// Returns the fraction of the weight of all worlds that belongs to worlds with unknown values. `lower` is the logarithm of the weight of the worlds
/// without unknown values, and `upper` is the logarithm of the weight of all worlds.
pub fn undecided_share(lower: f64, upper: f64) -> f64 {
    (1.0 - (lower - upper).exp()).max(0.0)
}

/// The depth and the work of an algorithm that expands the model to increasing depths, and the reason why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deepening {
    /// Nesting depth to which `Chain` elements were expanded.
    pub depth: usize,
    /// Number of values that the expansion lists for each element with infinitely many values; zero if there is no such element.
    pub range: usize,
    /// The total work of the expansion to the reached depth and of all expansions to smaller depths.
    pub work: u64,
    /// `true` if the bounds hold only if functions of continuous numbers are monotone between the quantiles that the expansion lists as their values.
    /// Linear functions and comparisons of elements are known to be monotone; closures and conditions are not known to be monotone.
    pub assumes_monotone: bool,
    /// The reason why the expansion did not continue to greater depths.
    pub ended: DeepeningEnd,
}

/// The reason why an expansion to increasing depths ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeepeningEnd {
    /// The whole model was expanded, so a greater depth would change nothing.
    Complete,
    /// The bounds of the probabilities are as narrow as requested.
    Width,
    /// The expansion of the model reached the requested depth.
    Depth,
    /// A limit of the expansion prevented a greater depth before the bounds were as narrow as requested, or before the requested depth was reached.
    Budget,
    /// The deadline passed, or the run was interrupted, during the expansion to a greater depth. If the deadline or an interrupt stops the expansion,
    /// the answer contains the bounds of the last completed depth.
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
            cells: Vec::new(),
            bins: Vec::new(),
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
                let bounds = target.of(|i| Some(event >> i & 1 == 1));
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
        assert_eq!(certain.of(|i| Some(i == 0)), Bounds::exact(1.0));
        assert_eq!(certain.of(|i| Some(i == 1)), Bounds::exact(0.0));
        assert_eq!(certain.most_likely(), Some(0));
        let even = target([0.1, 0.1, 0.0], [0.2, 0.2, 0.0], 0.0);
        assert_eq!(even.most_likely(), None);
        let open = target([0.2, 0.1, 0.0], [0.2, 0.1, 0.0], 0.05);
        assert_eq!(open.most_likely(), Some(0));
        assert_eq!(open.of(|i| Some(i == 2)).lower, 0.0);
        assert!((open.of(|i| Some(i == 2)).upper - 1.0 / 7.0).abs() < 1e-12);
    }
}
