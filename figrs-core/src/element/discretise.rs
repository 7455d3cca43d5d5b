//! Discretisation and truncation: finite elements that replace continuous and countable elements.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use std::panic::Location;

use rand::{Rng, RngExt};

use super::distribution::{Distribution, Outcomes, Tails};
use super::node::{AnyElement, Kind};
use super::operations::{AtomicOp, ChainOp};
use super::param::Number;
use crate::counterfactual::branch_memory::BranchMemory;
use crate::element::{Element, atomic_at};
use crate::error::Fault;
use crate::value::Value;

/// Division of the real numbers into cells, for [`Element::discretised`].
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    division: BinScheme,
    count: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum BinScheme {
    Width {
        lower: f64,
        upper: f64,
        clipped: bool,
    },
    Probability,
}

/// Maximum number of cells of a discretised element, or of values of a truncated element.
const MAX_BINS: usize = 1 << 24;

/// Maximum probability outside the cells that [`Bins::equal_width`] accepts.
const MAX_TAIL_MASS: f64 = 1e-9;

impl Bins {
    /// Creates `count` cells of the same width from `lower` to `upper`; the value of a cell is its midpoint.
    ///
    /// A probability above 1e-9 outside the cells is an error; a smaller probability is added to the first and last cells.
    pub fn equal_width(lower: f64, upper: f64, count: usize) -> Self {
        Self::width(lower, upper, count, false)
    }

    /// Creates cells of equal width as [`equal_width`](Self::equal_width) does, but adds any probability outside the cells to the first and last
    /// cells.
    pub fn equal_width_clipped(lower: f64, upper: f64, count: usize) -> Self {
        Self::width(lower, upper, count, true)
    }

    /// Creates `count` cells of the same probability, 1 / `count`; the value of a cell is its median. If a `Chain` is discretised, each element that
    /// its function returns has its own cells, and therefore its own values.
    pub fn quantiles(count: usize) -> Self {
        let division = BinScheme::Probability;
        Self { division, count }
    }

    fn width(lower: f64, upper: f64, count: usize, clipped: bool) -> Self {
        let division = BinScheme::Width {
            lower,
            upper,
            clipped,
        };
        Self { division, count }
    }

    /// Returns the point below which a fraction (from zero to one) of the cells lies; for cells of equal probability, the point is a quantile of
    /// `op`.
    fn point(&self, op: &dyn AtomicOp, fraction: f64) -> Result<f64, String> {
        match self.division {
            BinScheme::Width { lower, upper, .. } => Ok(lower + (upper - lower) * fraction),
            BinScheme::Probability => quantile_at(op, fraction),
        }
    }

    /// Returns the edges between the cells, in ascending order, and the values of all cells.
    pub(crate) fn edges_and_values(
        &self,
        op: &dyn AtomicOp,
    ) -> Result<(Vec<f64>, Vec<f64>), String> {
        let n = self.count as f64;
        let edges = (1..self.count).map(|i| self.point(op, i as f64 / n));
        let edges: Vec<f64> = edges.collect::<Result<_, _>>()?;
        let value = |i: usize| match self.division {
            BinScheme::Width { .. } => {
                let [left, right] = [i, i + 1].map(|i| self.point(op, i as f64 / n));
                Ok(f64::midpoint(left?, right?))
            }
            BinScheme::Probability => self.point(op, (i as f64 + 0.5) / n),
        };
        let values = (0..self.count).map(value).collect::<Result<_, _>>()?;
        Ok((edges, values))
    }

    /// True if the cells do not depend on the distribution that they divide.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.division, BinScheme::Width { .. })
    }
}

impl Division<f64> for Bins {
    /// Lists the values of the cells with their probabilities; values of probability zero are omitted.
    fn outcomes(&self, op: &dyn AtomicOp) -> Result<Vec<(f64, f64)>, String> {
        let count = self.count;
        if count == 0 || count > MAX_BINS {
            return Err(format!("there are {count} bins; use 1 to {MAX_BINS}"));
        }
        let n = count as f64;
        let BinScheme::Width {
            lower,
            upper,
            clipped,
        } = self.division
        else {
            let middle = |i| Ok((self.point(op, (i as f64 + 0.5) / n)?, 1.0 / n));
            return (0..count).map(middle).collect();
        };
        if !(lower < upper && (upper - lower).is_finite()) {
            return Err(format!(
                "bins from {lower:?} to {upper:?}: the bounds must be finite, the upper one above the lower one"
            ));
        }
        let edge = |i: usize| lower + (upper - lower) * (i as f64 / n);
        let mut left = tails(op, lower)?;
        let below = left.lower;
        let mut cells = Vec::with_capacity(count);
        for i in 0..count {
            let right = tails(op, edge(i + 1))?;
            cells.push((f64::midpoint(edge(i), edge(i + 1)), left.until(right)));
            left = right;
        }
        let above = left.upper;
        if !clipped && below + above > MAX_TAIL_MASS {
            return Err(format!(
                "{:e} of its probability is outside the bins from {lower:?} to {upper:?}; widen them, or clip it to \
                 the ends with Bins::equal_width_clipped",
                below + above
            ));
        }
        cells[0].1 += below;
        cells[count - 1].1 += above;
        cells.retain(|cell| cell.1 > 0.0);
        Ok(cells)
    }
}

pub(crate) fn tails(op: &dyn AtomicOp, x: f64) -> Result<Tails, String> {
    let tails = op.tails(&x).map_err(|fault| fault.to_string())?;
    tails.ok_or_else(|| {
        format!(
            "{} cannot be discretised: its distribution function at {x:?} is not known",
            op.describe()
        )
    })
}

/// Returns a quantile: the least number whose cumulative probability is at least `p`.
pub(crate) fn quantile_at(op: &dyn AtomicOp, p: f64) -> Result<f64, String> {
    quantile(op, |tails| {
        if p < 0.5 {
            tails.lower >= p
        } else {
            tails.upper <= 1.0 - p
        }
    })
}

/// Returns the least number whose tail probabilities satisfy the predicate `reached`, found by bisection over all floating-point numbers in order.
pub(crate) fn quantile(op: &dyn AtomicOp, reached: impl Fn(Tails) -> bool) -> Result<f64, String> {
    // This function maps numbers to integers in the same order. Apart from the types, it is its own inverse.
    let key = |x: f64| {
        let bits = x.to_bits().cast_signed();
        bits ^ (((bits >> 63).cast_unsigned() >> 1).cast_signed())
    };
    let number = |key: i64| {
        let bits = key ^ (((key >> 63).cast_unsigned() >> 1).cast_signed());
        f64::from_bits(bits.cast_unsigned())
    };
    let (mut low, mut high) = (key(-f64::MAX), key(f64::MAX));
    while low < high {
        // The midpoint is rounded down, also for negative numbers; otherwise `midpoint` would return `high` again.
        let middle = (low & high) + ((low ^ high) >> 1);
        if reached(tails(op, number(middle))?) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(number(low))
}

impl Element<f64> {
    /// Creates a finite element that replaces a continuous element, for exact algorithms.
    ///
    /// The discretised element takes one value for each cell of `bins`. The probability of each value is the exact probability of its cell, computed
    /// from the cumulative distribution function. The discretised element has nearly the same distribution as the continuous element, but is
    /// independent of it; use it *instead* of the continuous element. The error that discretisation causes in an answer depends on the number of
    /// cells; to estimate the error, compare the answers for two numbers of cells.
    ///
    /// If the element is a `Chain`, or has elements as parameters, discretisation applies to each element that the function of the `Chain` returns.
    /// The parents of a discretised element must be finite; discretise them if necessary. Elements with finite supports that a `Chain` returns are
    /// not changed by discretisation. A function of continuous elements (`Apply`) cannot be discretised; discretise its parents instead.
    ///
    /// ```
    /// # use figrs_core::{Bins, Flip, Normal, Variance};
    /// let skill = Normal::new(0.0, Variance(1.0)).discretised(Bins::equal_width_clipped(-4.0, 4.0, 80));
    /// let wins = Flip::new(&skill.map(|s| 1.0 / (1.0 + (-s).exp())));
    /// # drop(wins);
    /// ```
    #[track_caller]
    pub fn discretised(&self, bins: Bins) -> Self {
        finite_at("discretised", Location::caller(), self.erased(), bins)
    }
}

impl Element<u64> {
    /// Creates a finite element that replaces an element with infinitely many values, such as [`Poisson`](crate::Poisson).
    ///
    /// The truncated element takes the values in `range`, with their conditional probabilities *given* that the value is in `range`. The argument
    /// `range` is a number, which is the largest value, or a range such as `1..=20`. The truncated element is independent of the element that it
    /// replaces. If a `Chain` is truncated, each element that its function returns is truncated separately; elements with finite supports are not
    /// changed.
    #[track_caller]
    pub fn truncated(&self, range: impl Into<CountRange>) -> Self {
        let range: CountRange = range.into();
        finite_at("truncated", Location::caller(), self.erased(), range)
    }
}

/// The values that [`Element::truncated`] retains: all values up to a maximum, or an inclusive range of values.
#[derive(Clone, Copy, Debug)]
pub struct CountRange {
    min: u64,
    max: u64,
}

impl From<u64> for CountRange {
    fn from(max: u64) -> Self {
        Self { min: 0, max }
    }
}

impl From<RangeInclusive<u64>> for CountRange {
    fn from(range: RangeInclusive<u64>) -> Self {
        Self {
            min: *range.start(),
            max: *range.end(),
        }
    }
}

impl Division<u64> for CountRange {
    fn outcomes(&self, op: &dyn AtomicOp) -> Result<Vec<(u64, f64)>, String> {
        let Self { min, max } = *self;
        if max.saturating_sub(min) >= MAX_BINS as u64 {
            return Err(format!(
                "the values from {min} to {max} are too many to list; at most {MAX_BINS}"
            ));
        }
        let log = |k: u64| op.log_prob(&k).map_err(|fault| fault.to_string());
        let logs: Vec<f64> = (min..=max).map(log).collect::<Result<_, _>>()?;
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return Err(format!(
                "{} has no value from {min} to {max}; choose another interval",
                op.describe()
            ));
        }
        let sum: f64 = logs.iter().map(|l| (l - largest).exp()).sum();
        let values = (min..=max).zip(logs);
        Ok(values
            .map(|(k, l)| (k, (l - largest).exp() / sum))
            .filter(|&(_, p)| p > 0.0)
            .collect())
    }
}

/// A division of the values of a random element without parents into finitely many values.
trait Division<T>: Clone + Send + Sync + 'static {
    /// Lists the outcomes of the finite element that replaces a random element without parents.
    fn outcomes(&self, op: &dyn AtomicOp) -> Result<Vec<(T, f64)>, String>;
}

/// If `distribution` is that of a discretised element, returns the original distribution and the cells into which it is divided.
pub(super) fn divided(distribution: &dyn Any) -> Option<(&dyn AtomicOp, &Bins)> {
    let discretised = distribution.downcast_ref::<DiscretisedElement<f64, Bins>>()?;
    match discretised.source.kind() {
        Kind::Atomic(source) => Some((&**source, &discretised.division)),
        _ => None,
    }
}

fn finite_at<T: Value + Default, D: Division<T>>(
    constructor: &'static str,
    location: &'static Location<'static>,
    source: &AnyElement,
    division: D,
) -> Element<T> {
    let finite = DiscretisedElement {
        constructor,
        location,
        source: source.clone(),
        division,
        values: PhantomData::<fn() -> T>,
        memory: BranchMemory::default(),
    };
    match source.kind() {
        Kind::Chain(parents, _) => {
            let kind = Kind::Chain(parents.clone(), Box::new(finite));
            Element::from_kind(constructor, location, kind)
        }
        _ => atomic_at(constructor, location, finite),
    }
}

/// An element with finitely many outcomes that replaces another element. A `Chain` is replaced by a `Chain`, and any other element by an element
/// without parents.
struct DiscretisedElement<T, D> {
    constructor: &'static str,
    location: &'static Location<'static>,
    source: AnyElement,
    division: D,
    values: PhantomData<fn() -> T>,
    memory: BranchMemory,
}

impl<T, D: Division<T>> DiscretisedElement<T, D> {
    fn listed(&self) -> Result<Vec<(T, f64)>, String> {
        match self.source.kind() {
            Kind::Atomic(op) => {
                op.check()?;
                self.division.outcomes(&**op)
            }
            _ => Err(format!(
                "{:?} is a function of other elements and has no distribution of its own; discretise those elements instead",
                self.source
            )),
        }
    }
}

impl<T, D> fmt::Debug for DiscretisedElement<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.constructor, self.source)
    }
}

impl<T: Value + Default, D: Division<T>> Distribution<T> for DiscretisedElement<T, D> {
    fn check(&self) -> Result<(), String> {
        self.listed().map(|_| ())
    }

    fn outcomes(&self) -> Outcomes<T> {
        Outcomes::Finite(self.listed().unwrap_or_default())
    }

    fn log_prob(&self, value: &T) -> f64 {
        let outcomes = self.listed().unwrap_or_default();
        let found = outcomes.iter().find(|(v, _)| v.same(value));
        found.map_or(f64::NEG_INFINITY, |(_, p)| p.ln())
    }

    fn numbers(&self) -> &[Number] {
        match self.source.kind() {
            Kind::Atomic(op) => op.numbers(),
            _ => &[],
        }
    }

    fn sample(&self, rng: &mut dyn Rng) -> T {
        let outcomes = self.listed().unwrap_or_default();
        let mut rest: f64 = rng.random();
        for (value, p) in &outcomes {
            if rest < *p {
                return value.clone();
            }
            rest -= p;
        }
        // Because of rounding, the loop may choose no outcome; the last outcome is then returned. The list is empty only if a parameter became
        // invalid while a sampler was running.
        outcomes.last().map_or_else(T::default, |(v, _)| v.clone())
    }
}

impl<T: Value + Default, D: Division<T>> ChainOp for DiscretisedElement<T, D> {
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        self.memory.result(arguments, || self.call_anew(arguments))
    }

    fn memory(&self) -> Option<&BranchMemory> {
        Some(&self.memory)
    }

    fn call_anew(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        let Kind::Chain(_, op) = self.source.kind() else {
            return Ok(self.source.clone());
        };
        let result = op.call_anew(arguments)?;
        let is_finite = match result.kind() {
            Kind::Atomic(op) => op.check().is_ok() && op.outcomes()?.is_ok(),
            Kind::Table(..) => true,
            Kind::Apply(..) | Kind::Chain(..) | Kind::Score(..) => false,
        };
        if is_finite {
            return Ok(result);
        }
        let division = self.division.clone();
        let finite = finite_at::<T, D>(self.constructor, self.location, &result, division);
        Ok(finite.erased().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Normal, StandardDeviation};

    /// Regression test: for negative quantiles, the bisection that searches a quantile did not end between two neighbouring numbers.
    #[test]
    fn quantiles_are_found_below_zero_as_above() {
        for deviation in [1.0, 0.3, 1e17, 1e-200] {
            for count in 1..40 {
                let normal = Normal::new(0.0, StandardDeviation(deviation));
                let Kind::Atomic(op) = normal.erased().kind() else {
                    panic!("an atomic element")
                };
                let cells = Bins::quantiles(count).outcomes(&**op).unwrap();
                for ((a, _), (b, _)) in cells.iter().zip(cells.iter().rev()) {
                    assert!((a + b).abs() <= 1e-9 * deviation, "{count}: {a} {b}");
                }
            }
        }
    }
}
