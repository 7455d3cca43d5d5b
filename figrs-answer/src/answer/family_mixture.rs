//! The distribution of an unknown parameter in closed form: a mixture of members of a conjugate family.

use std::fmt;
use std::sync::Arc;

use figrs_core::internals::AtomicOp;
use figrs_core::{AnyElement, Tails};

use super::normal_mixture::halved;

/// Maximum number of doublings of the step in the search for an interval that contains a quantile.
const DOUBLINGS: i32 = 1100;

/// The exact distribution of a parameter, such as an unknown probability or rate, as a mixture of members of a conjugate family.
///
/// The mixture has one component for each possible assignment of the finite elements on which the parameter depends. If a parameter is the precision
/// or the variance of a normally distributed element, this element has Student's t-distribution. A normally distributed element that comparisons
/// restrict to an interval has a truncated normal distribution.
///
/// The value of the parameter is a number or a list of numbers. Methods that return one number use the first number of the list.
#[derive(Clone)]
pub struct FamilyMixture {
    components: Vec<(f64, MixtureMember)>,
}

/// The distribution of one component of a [`FamilyMixture`].
#[doc(hidden)]
#[derive(Clone)]
pub enum MixtureMember {
    Distribution(Arc<dyn AtomicOp>),
    /// The distribution of an element that has no parents.
    Of(AnyElement),
    /// The distribution of an element without parents, with its mean and its variance.
    WithMoments(AnyElement, (f64, f64)),
}

impl fmt::Debug for MixtureMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.op().map_or_else(String::new, AtomicOp::describe))
    }
}

impl MixtureMember {
    /// Returns the mean and the variance of each number of a value.
    fn moments(&self) -> Vec<(f64, f64)> {
        match self {
            Self::WithMoments(_, moments) => vec![*moments],
            _ => self.op().and_then(AtomicOp::moments).unwrap_or_default(),
        }
    }

    fn op(&self) -> Option<&dyn AtomicOp> {
        match self {
            Self::Distribution(op) => Some(&**op),
            Self::Of(element) | Self::WithMoments(element, _) => element.kind().atomic(),
        }
    }
}

impl fmt::Debug for FamilyMixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.components()).finish()
    }
}

impl FamilyMixture {
    /// Creates the mixture of `components`: pairs of a share and a distribution; the shares sum to one, and there must be at least one component.
    #[doc(hidden)]
    pub fn new(components: Vec<(f64, MixtureMember)>) -> Self {
        Self { components }
    }

    /// Returns the share and the description of each component, such as `Beta(3, 4)`.
    pub fn components(&self) -> impl Iterator<Item = (f64, String)> {
        self.components.iter().map(|(share, member)| {
            (
                *share,
                member.op().map_or_else(String::new, AtomicOp::describe),
            )
        })
    }

    /// Returns the mean and the variance of each number of the parameter's value.
    pub fn moments(&self) -> Vec<(f64, f64)> {
        let all: Vec<(f64, Vec<(f64, f64)>)> = self
            .components
            .iter()
            .map(|(share, member)| (*share, member.moments()))
            .collect();
        let numbers = all.iter().map(|(_, moments)| moments.len()).min();
        let of_number = |i: usize| {
            let mean: f64 = all.iter().map(|(share, m)| share * m[i].0).sum();
            let spread =
                |(share, m): &(f64, Vec<(f64, f64)>)| share * (m[i].1 + (m[i].0 - mean).powi(2));
            (mean, all.iter().map(spread).sum())
        };
        (0..numbers.unwrap_or(0)).map(of_number).collect()
    }

    /// Returns the mean of the first number of the parameter's value.
    pub fn mean(&self) -> f64 {
        self.moments().first().map_or(f64::NAN, |moments| moments.0)
    }

    /// Returns the variance of the first number of the parameter's value.
    pub fn variance(&self) -> f64 {
        self.moments().first().map_or(f64::NAN, |moments| moments.1)
    }

    /// Returns the density of the parameter at `x`; NaN if the parameter is a list.
    pub fn density(&self, x: f64) -> f64 {
        let density = |member: &MixtureMember| {
            let log = member.op().and_then(|op| op.log_prob(&x).ok());
            log.map_or(f64::NAN, f64::exp)
        };
        self.components
            .iter()
            .map(|(share, op)| share * density(op))
            .sum()
    }

    /// Returns the probability that the parameter is at most `x`; NaN if the family defines no tail probabilities.
    pub fn cdf(&self, x: f64) -> f64 {
        self.tail(x, |tails| tails.lower)
    }

    fn tail(&self, x: f64, of: impl Fn(Tails) -> f64) -> f64 {
        let tail = |member: &MixtureMember| match member.op().map(|op| op.tails(&x)) {
            Some(Ok(Some(tails))) => of(tails),
            _ => f64::NAN,
        };
        self.components
            .iter()
            .map(|(share, op)| share * tail(op))
            .sum()
    }

    /// Returns the probability that the parameter is above `low` and at most `high`; NaN if the family defines no tail probabilities.
    pub fn probability_between(&self, low: f64, high: f64) -> f64 {
        // Above the mean, the difference of two upper tail probabilities has a smaller rounding error than that of two lower tail probabilities.
        if low > self.mean() {
            (self.tail(low, |tails| tails.upper) - self.tail(high, |tails| tails.upper)).max(0.0)
        } else {
            (self.cdf(high) - self.cdf(low)).max(0.0)
        }
    }

    /// Returns the quantile: the number that the parameter does not exceed with probability `probability`; NaN if `probability` is outside (0, 1),
    /// or if the family defines no tail probabilities.
    ///
    /// **Guarantee.** The quantile is exact within the rounding errors of the family's tail probabilities.
    pub fn quantile(&self, probability: f64) -> f64 {
        if !(probability > 0.0 && probability < 1.0) {
            return f64::NAN;
        }
        let moments = (self.mean(), self.variance().sqrt());
        let start = if moments.0.is_finite() {
            moments.0
        } else {
            1.0
        };
        let step = if moments.1.is_finite() {
            moments.1
        } else {
            1.0
        };
        // The steps double; after `DOUBLINGS` steps, they exceed the largest floating-point number.
        let steps = || (0..DOUBLINGS).map(|power| step * 2.0_f64.powi(power));
        let low = steps()
            .map(|step| start - step)
            .find(|&x| self.cdf(x) < probability);
        let high = steps()
            .map(|step| start + step)
            .find(|&x| self.cdf(x) >= probability);
        match low.zip(high) {
            Some(bracket) => halved(bracket, |x| self.cdf(x) < probability).1,
            None => f64::NAN,
        }
    }

    /// Returns the central interval with probability `mass`: the parameter is below the interval and above the interval with equal probabilities.
    pub fn interval(&self, mass: f64) -> (f64, f64) {
        let outside = (1.0 - mass) / 2.0;
        (self.quantile(outside), self.quantile(1.0 - outside))
    }
}
