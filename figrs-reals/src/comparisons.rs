//! Comparisons of linear functions of one real number with zero, which restrict the number to an interval.

use figrs_core::internals::Kind;
use figrs_core::{TruncatedNormal, Variance};
use figrs_gaussian::{RealLikelihood, Tilted};
use rand::Rng;

use crate::finite_part::FinitePart;
use crate::linear_element::Conditional;
use crate::site::Site;

/// The comparisons of linear functions of one real number with zero.
#[derive(Debug)]
pub(crate) struct Comparisons {
    /// For each comparison, the offset and the slope of the linear function that is compared with zero.
    pub(crate) all: Vec<(Site, Conditional<(f64, f64)>)>,
}

/// A joint value (assignment) of the finite elements on which comparisons depend.
#[derive(Clone, Copy)]
pub(crate) struct Assignment<'a> {
    pub(crate) finite: &'a FinitePart<'a>,
    /// The indices of the assigned finite elements, in ascending order.
    pub(crate) scope: &'a [usize],
    /// For each assigned element, the index of its value in its support.
    pub(crate) values: &'a [u32],
}

impl Assignment<'_> {
    /// Returns the index of the value of the finite element with the index `place`, which must be among the assigned elements.
    pub(crate) fn value_of(&self, place: usize) -> u32 {
        self.values[self.scope.binary_search(&place).unwrap_or_default()]
    }
}

impl Comparisons {
    /// Returns the interval of the compared number that satisfies all comparisons, for an assignment of finite elements; `None` if no number
    /// satisfies all comparisons.
    pub(crate) fn bounds(&self, assignment: Assignment<'_>) -> Option<(f64, f64)> {
        let mut bounds = (f64::NEG_INFINITY, f64::INFINITY);
        for ((offset, slope), is_true, at_zero) in self.compared(assignment) {
            let bound = -offset / slope;
            if slope == 0.0 {
                let holds = offset > 0.0 || (offset == 0.0 && at_zero);
                if holds != is_true {
                    return None;
                }
            } else if (slope > 0.0) == is_true {
                bounds.0 = bound.max(bounds.0);
            } else {
                bounds.1 = bound.min(bounds.1);
            }
        }
        (bounds.0 < bounds.1).then_some(bounds)
    }

    /// Returns the distribution of the compared number given the comparisons. The compared number has, before the comparisons, a normal distribution
    /// with the given mean and variance. The distribution is `None` if no number satisfies all comparisons.
    pub(crate) fn tilted(
        &self,
        assignment: Assignment<'_>,
        (mean, variance): (f64, f64),
    ) -> Option<Tilted> {
        if variance > 0.0 {
            let (low, high) = self.bounds(assignment)?;
            return RealLikelihood::Between(low, high).tilted(mean, variance);
        }
        self.holds(assignment, mean).then_some(Tilted {
            log_mass: 0.0,
            mean,
            variance: 0.0,
        })
    }

    /// True if the compared number `number` gives all comparisons the required results.
    pub(crate) fn holds(&self, assignment: Assignment<'_>, number: f64) -> bool {
        let mut all = self.compared(assignment);
        all.all(|((offset, slope), is_true, at_zero)| {
            let function = offset + slope * number;
            is_true == (function > 0.0 || (function == 0.0 && at_zero))
        })
    }

    /// Returns the sum of [`Site::log_values`] over the comparisons.
    pub(crate) fn log_values(&self, finite: &FinitePart<'_>) -> f64 {
        let sites = self.all.iter().map(|(site, _)| site);
        sites.map(|site| site.log_values(finite)).sum()
    }

    /// Returns, for each comparison, the offset and the slope of the linear function, the required result of the comparison, and its result if the
    /// function is zero.
    fn compared<'a>(
        &'a self,
        assignment: Assignment<'a>,
    ) -> impl Iterator<Item = ((f64, f64), bool, bool)> + 'a {
        let Assignment {
            finite,
            scope,
            values,
        } = assignment;
        let sizes = finite.sizes(scope);
        self.all.iter().map(move |(site, number)| {
            let value_of = |place: usize| assignment.value_of(place);
            let (is_true, at_zero) = site.sign(finite, &value_of).unwrap_or_default();
            (*number.row(scope, values, &sizes), is_true, at_zero)
        })
    }
}

/// Draws from the normal distribution with the given mean and variance, truncated to the given bounds.
pub(crate) fn drawn_between(
    (mean, variance): (f64, f64),
    (low, high): (f64, f64),
    rng: &mut dyn Rng,
) -> f64 {
    let truncated = TruncatedNormal::new(mean, Variance(variance), low, high);
    let value = match truncated.erased().kind() {
        Kind::Atomic(op) => op.sample(rng).ok(),
        _ => None,
    };
    let number = value.and_then(|value| value.get().copied());
    number.unwrap_or(mean)
}
