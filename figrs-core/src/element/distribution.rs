//! Traits of user-defined distributions: [`Distribution`] and [`Family`].

use std::fmt::Debug;
use std::ops::Range;

use rand::Rng;

use super::likelihood::{Likelihood, Term};
use super::linear::LinearGaussian;
use super::param::Number;
use crate::random::Stream;
use crate::value::Value;

/// The support of a [`Distribution`], with probabilities if it is finite.
#[derive(Clone, Debug)]
pub enum Outcomes<T> {
    /// The distribution has finitely many values; the list contains each value with its probability, and the probabilities sum to one. Values that
    /// can never occur are omitted from the list of outcomes. A value whose probability is too small for `f64` is listed with probability zero, and
    /// its `log_prob` is finite.
    Finite(Vec<(T, f64)>),
    /// The distribution has countably infinitely many values, which cannot be listed.
    Infinite,
    /// The distribution has finitely many values, but too many to be listed.
    TooMany,
    /// The distribution has a continuum of values, with a density.
    Continuous,
}

/// The set of the values of a continuous distribution, which determines the proposals of random walks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Space {
    /// The values are all real numbers, or all lists of real numbers; some of them may have density zero.
    #[default]
    Real,
    /// The values are lists of positive numbers that sum to one; the density is over all numbers except the last.
    Simplex,
}

/// A probability distribution over values of type `T`; each `Atomic` element has a distribution.
///
/// Implement the trait `Distribution` to define your own element without parents, and build the element with [`Atomic::new`](crate::Atomic::new). If
/// the parameters of a distribution are elements, are learned, or have conjugate priors, implement the trait [`Family`] instead.
///
/// ```
/// use figrs_core::rand::{Rng, RngExt};
/// use figrs_core::{Atomic, Distribution, Outcomes};
///
/// /// A number between 0 and 1, any as likely as any other.
/// #[derive(Debug)]
/// struct Unit;
///
/// impl Distribution<f64> for Unit {
///     fn check(&self) -> Result<(), String> {
///         Ok(())
///     }
///     fn outcomes(&self) -> Outcomes<f64> {
///         Outcomes::Continuous
///     }
///     fn log_prob(&self, value: &f64) -> f64 {
///         if (0.0..1.0).contains(value) { 0.0 } else { f64::NEG_INFINITY }
///     }
///     fn sample(&self, rng: &mut dyn Rng) -> f64 {
///         rng.random()
///     }
/// }
///
/// let u = Atomic::new(Unit);
/// # drop(u);
/// ```
pub trait Distribution<T: Value>: Debug + Send + Sync + 'static {
    /// Checks the parameters of the distribution; an error names the parameter, its value and the allowed values.
    ///
    /// `check` is called when an algorithm first lists the possible values of the element, or when a sampler first reaches the element. The other
    /// methods of the trait must not panic for any parameter value, because a [`Param`](crate::Param) may change after the call of `check`.
    fn check(&self) -> Result<(), String>;

    /// Returns the outcomes. If the most probable outcomes of a query have equal probability, the answer is the one that is listed first.
    fn outcomes(&self) -> Outcomes<T>;

    /// Returns the natural logarithm of the probability of `value`, or of its density if the outcomes are continuous.
    fn log_prob(&self, value: &T) -> f64;

    /// Draws a random value from the distribution.
    fn sample(&self, rng: &mut dyn Rng) -> T;

    /// Draws `count` independent values; override this method if drawing many values together is cheaper than drawing
    /// them one at a time.
    fn sample_many(&self, count: usize, rng: &mut Stream) -> Vec<T> {
        (0..count).map(|_| self.sample(rng)).collect()
    }

    /// Returns the cumulative probabilities at `value`, if the distribution defines them. [Discretisation](crate::Element::discretised) needs these
    /// cumulative probabilities.
    fn tails(&self, value: &T) -> Option<Tails> {
        let _ = value;
        None
    }

    /// Returns the space of the values of a continuous distribution.
    fn space(&self) -> Space {
        Space::Real
    }

    /// Returns the parameters of the distribution, if some of them are [`Param`](crate::Param)s. Sensitivity analysis returns an error if it would need
    /// a derivative with respect to a `Param` of the distribution.
    fn numbers(&self) -> &[Number] {
        &[]
    }

    /// Returns a short description of the distribution for diagrams, such as `Flip(0.3)`.
    fn describe(&self) -> String {
        format!("{self:?}")
    }

    /// Returns the number of bytes that the distribution holds on the heap, such as a list of outcomes. The memory limit of an algorithm includes the
    /// bytes that a family or a distribution holds on the heap.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Tail probabilities of a distribution over ordered values: the cumulative distribution function at a value, and its complement.
///
/// The lower and the upper tail probability are both stored, because one minus a tiny probability would lose its digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tails {
    /// The probability that a random value is at most the given value.
    pub lower: f64,
    /// The probability that a random value is greater than the given value.
    pub upper: f64,
}

impl Tails {
    /// Returns the tail probabilities clamped to [0, 1], because rounding may move them out of this interval; `None` if one of them is NaN, as
    /// computed probabilities of very large numbers may be.
    pub(super) fn clamped(self) -> Option<Self> {
        let Self { lower, upper } = self;
        (!lower.is_nan() && !upper.is_nan()).then(|| Self {
            lower: lower.clamp(0.0, 1.0),
            upper: upper.clamp(0.0, 1.0),
        })
    }

    /// Returns the probability of an interval: the values above the value with the tail probabilities `self`, up to the value with the tail
    /// probabilities `right`. The two upper or the two lower tail probabilities of an interval, whichever are smaller, are subtracted from each
    /// other, so that no digits are lost.
    pub(crate) fn until(self, right: Self) -> f64 {
        let inside = if self.upper < 0.5 {
            self.upper - right.upper
        } else {
            right.lower - self.lower
        };
        inside.max(0.0)
    }
}

/// Error in one of the parameters of a [`Family`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongParameter {
    /// The index of the wrong parameter; [`WHOLE`](Self::WHOLE) if the error is in no single parameter.
    pub index: usize,
    /// The violation, such as `is outside [0, 1]`; the error message prints it after the name and the value of the parameter. If the index is
    /// [`WHOLE`](Self::WHOLE), the field `problem` of the error is a complete sentence.
    pub problem: String,
}

impl WrongParameter {
    /// The index of an error that is in no single parameter.
    pub const WHOLE: usize = usize::MAX;

    /// Creates an error in the parameter at `index`; in the message, `problem` follows the name and value of the parameter.
    #[cold]
    pub fn new(index: usize, problem: impl Into<String>) -> Self {
        Self {
            index,
            problem: problem.into(),
        }
    }
}

/// A parametric family of distributions over values of type `T`, such as all normal distributions.
///
/// Each parameter of an element of the family is a number, a [`Param`](crate::Param), or an element. For given parameters, the distribution of the
/// family is called a member of the family: the normal distribution with mean 0 and variance 1 is a member of the normal family. Samplers draw values
/// from members of the family, and compute the probabilities of values, without building elements. [`Atomic::family`](crate::Atomic::family) builds
/// an element of the family.
pub trait Family<T: Value>: Debug + Send + Sync + Sized + 'static {
    /// Returns the names of the parameters in order, for use in messages.
    fn parameters(&self) -> &'static [&'static str];

    /// Checks the values of the parameters of the family.
    ///
    /// The other methods of the trait must not panic for any parameter value, because a [`Param`](crate::Param) may change after the call of `check`.
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter>;

    /// Returns the outcomes. If the most probable outcomes of a query have equal probability, the answer is the one that is listed first. Outcomes
    /// that are impossible for a constant parameter are omitted from the list of outcomes. Outcomes that are impossible only for the present value of
    /// a `Param` must be listed, because the value may change.
    fn outcomes(&self, parameters: &[Number]) -> Outcomes<T>;

    /// Returns the natural logarithm of the probability of `value`, or of its density if the outcomes are continuous.
    fn log_prob(&self, parameters: &[f64], value: &T) -> f64;

    /// Draws a random value from the member of the family with the parameters `parameters`.
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> T;

    /// Returns the cumulative probabilities at `value`, if the family defines them. [Discretisation](crate::Element::discretised) needs these
    /// cumulative probabilities.
    fn tails(&self, parameters: &[f64], value: &T) -> Option<Tails> {
        let _ = (parameters, value);
        None
    }

    /// Returns an upper bound of the `log_prob` of `value` over all values of the unknown parameters, whose entries in `parameters` are `None`.
    /// Returns `None` if no upper bound of the log-probability exists or is known.
    fn max_log_prob(&self, parameters: &[Option<f64>], value: &T) -> Option<f64> {
        let _ = (parameters, value);
        None
    }

    /// True if `other` is the same family, that is, has the same member for the same parameters. The result may be `false` for equal families, but
    /// inference then takes longer if many values are observed.
    fn is_same_as(&self, other: &Self) -> bool {
        let _ = other;
        size_of::<Self>() == 0
    }

    /// Returns sufficient statistics of independent values of one member of the family.
    ///
    /// [`log_prob_of_all`](Self::log_prob_of_all) and [`likelihood_of_all`](Self::likelihood_of_all) are computed from the sufficient statistics,
    /// whose length does not depend on the number of values.
    ///
    /// Returns `None` if the family has no sufficient statistics, or if they do not determine the log-probability, for example because a value is
    /// outside the support. If a family has no sufficient statistics, `log_prob` and `likelihood` are called for each value.
    fn statistics(&self, values: &[T]) -> Option<Vec<f64>> {
        let _ = values;
        None
    }

    /// Returns the sum of `log_prob` over independent values with the [`statistics`](Self::statistics) `statistics`; families with sufficient
    /// statistics implement this method.
    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        let _ = (parameters, statistics);
        f64::NAN
    }

    /// Returns the space of the values of a continuous member of the family, such as the real numbers.
    fn space(&self) -> Space {
        Space::Real
    }

    /// Adds to `likelihood` the `log_prob` of `value`, as a function only of the parameters with indices in `open`. The range `open` contains one
    /// parameter, or several parameters that are the entries of one list. The method `likelihood` calls [`refuse`](Likelihood::refuse) if `log_prob`
    /// is not a sum of [`Term`]s.
    fn likelihood(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        value: &T,
        likelihood: &mut Likelihood,
    ) {
        let _ = (parameters, open, value);
        likelihood.refuse();
    }

    /// Returns the derivative of the `log_prob` of `value` with respect to the parameter at `index`; at probability zero, returns the derivative of
    /// the probability itself. Returns `None` if the derivative of the log-probability is unknown or does not exist; sensitivity analysis then
    /// returns an error.
    ///
    /// The derivative of the log-probability must be exact, not an estimate. The default implementation of `log_prob_derivative` computes the
    /// derivative from the terms of [`likelihood`](Self::likelihood).
    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &T) -> Option<f64> {
        derivative_by_terms(self, parameters, index, value)
    }

    /// Adds [`log_prob_of_all`](Self::log_prob_of_all) to `likelihood`, as a function only of the parameters with indices in `open`. The default
    /// implementation of this method calls [`refuse`](Likelihood::refuse); the caller then calls [`likelihood`](Self::likelihood) for each value.
    fn likelihood_of_all(
        &self,
        parameters: &[f64],
        open: Range<usize>,
        statistics: &[f64],
        likelihood: &mut Likelihood,
    ) {
        let _ = (parameters, open, statistics);
        likelihood.refuse();
    }

    /// Returns the terms of the likelihoods to which the members of the family are conjugate: if a likelihood has only these terms,
    /// [`sample_conditional`](Self::sample_conditional) can draw from the product of a member and the likelihood. The list of conjugate terms is
    /// empty if the family has no conjugate likelihood.
    fn conjugate_terms(&self) -> &'static [Term] {
        &[]
    }

    /// Returns the parameters of the member of the family whose density is proportional to the density of the given member times `likelihood`; `None`
    /// if no member has this density. The argument `likelihood` has no terms except those in [`conjugate_terms`](Self::conjugate_terms).
    ///
    /// Exact algorithms use the member of the family with the returned parameters as the posterior distribution.
    fn posterior(&self, parameters: &[f64], likelihood: &Likelihood) -> Option<Vec<f64>> {
        let _ = (parameters, likelihood);
        None
    }

    /// Returns the mean and the variance of a value of the distribution, or of each number in a value that is a list; a moment that does not exist is
    /// infinite or NaN. Returns `None` if the moments of the distribution are not known.
    fn moments(&self, parameters: &[f64]) -> Option<Vec<(f64, f64)>> {
        let _ = parameters;
        None
    }

    /// Returns the mode of the distribution, as one number or a list of numbers; `None` if the density is unbounded or the mode is not known.
    ///
    /// The algorithm `MpeExact` uses the mode for a parameter with a conjugate prior.
    fn mode(&self, parameters: &[f64]) -> Option<Vec<f64>> {
        let _ = parameters;
        None
    }

    /// If the precision or the variance of a normal number has the given distribution, the normal number has a Student's t-distribution; returns the
    /// degrees of freedom and the squared scale of that t-distribution.
    fn student_t_of_spread(&self, parameters: &[f64]) -> Option<(f64, f64)> {
        let _ = parameters;
        None
    }

    /// Draws a random value whose density is proportional to the density of a member of the family times the likelihood; `None` if such a value
    /// cannot be drawn. The argument `likelihood` has no terms except those in [`conjugate_terms`](Self::conjugate_terms). The default implementation
    /// draws from the [`posterior`](Self::posterior) distribution.
    ///
    /// The value must be drawn exactly from the conditional distribution, because samplers rely on it.
    fn sample_conditional<R: Rng + ?Sized>(
        &self,
        parameters: &[f64],
        likelihood: &Likelihood,
        rng: &mut R,
    ) -> Option<T> {
        let posterior = self.posterior(parameters, likelihood)?;
        Some(self.sample(&posterior, rng))
    }

    /// Returns the normal distribution of the given member, whose mean is a linear function of the unknown parameters; the entries of unknown
    /// parameters in `parameters` are `None`. Exact algorithms compute posteriors in closed form for normal distributions with linear means. Returns
    /// `None` if the members of the family are not normal, or if their means are not linear in the unknown parameters.
    fn linear_gaussian(&self, parameters: &[Option<f64>]) -> Option<LinearGaussian> {
        let _ = parameters;
        None
    }

    /// Returns a short description of a member of the family for diagrams, such as `Flip(0.3)`.
    fn describe(&self, parameters: &[Number]) -> String {
        let shown: Vec<String> = parameters.iter().map(|p| format!("{p:?}")).collect();
        format!("{self:?}({})", shown.join(", "))
    }

    /// Returns the number of bytes that the description of the family holds on the heap, such as a list of outcomes. The memory limit of an algorithm
    /// includes the bytes that a family or a distribution holds on the heap.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Returns the derivative of the log-probability with respect to the parameter at `index`, computed from the terms of the likelihood.
pub(crate) fn derivative_by_terms<T: Value>(
    family: &impl Family<T>,
    parameters: &[f64],
    index: usize,
    value: &T,
) -> Option<f64> {
    let mut likelihood = Likelihood::of_one_number();
    family.likelihood(parameters, index..index + 1, value, &mut likelihood);
    likelihood.derivative(*parameters.get(index)?, |x| {
        let mut parameters = parameters.to_vec();
        parameters[index] = x;
        family.log_prob(&parameters, value)
    })
}
