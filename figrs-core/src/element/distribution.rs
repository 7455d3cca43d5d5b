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
    /// Finitely many values with their probabilities, which sum to one. Values that can never occur are omitted from the list of outcomes. A value
    /// whose probability is too small for `f64` is listed with probability zero, and its `log_prob` is finite.
    Finite(Vec<(T, f64)>),
    /// Countably many values, which cannot be listed.
    Infinite,
    /// Finitely many values, but too many to be listed.
    TooMany,
    /// A continuum of values, with a density.
    Continuous,
}

/// The set of the values of a continuous distribution, which determines the proposals of random walks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Space {
    /// All real numbers, or all lists of real numbers; some of them may have density zero.
    #[default]
    Real,
    /// Lists of positive numbers that sum to one; the density is over all numbers except the last.
    Simplex,
}

/// A probability distribution over values of type `T`; each `Atomic` element has a distribution.
///
/// Implement this trait to define your own atomic element, and build the element with
/// [`Atomic::new`](crate::Atomic::new). A distribution whose parameters are elements, are learned, or have conjugate priors is a [`Family`].
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
    /// Checks the parameters; an error names the parameter, its value and the allowed values.
    ///
    /// `check` is called when an expansion or a sampler first reaches the element. Other methods must not panic for any parameter value, because a
    /// [`Param`](crate::Param) may change after the call of `check`.
    fn check(&self) -> Result<(), String>;

    /// Returns the outcomes. If the most probable outcomes of a query have equal probability, the first of them is the answer.
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

    /// Returns the cumulative probabilities at `value`, if the distribution defines them. [Discretisation](crate::Element::discretised) needs these probabilities.
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

    /// Returns the number of bytes that the distribution holds on the heap, such as a list of outcomes. The memory limit includes these bytes.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Tail probabilities of a distribution over ordered values: the cumulative distribution function at a value, and its complement.
///
/// The lower and the upper tail probability are both stored, because one minus a tiny probability would lose its digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tails {
    /// The probability of this value and all lower values.
    pub lower: f64,
    /// The probability of all higher values.
    pub upper: f64,
}

impl Tails {
    /// Returns the tails within [0, 1], because rounding may move them out of this interval; `None` if one of them is NaN, as computed
    /// probabilities of very large numbers may be.
    pub(super) fn clamped(self) -> Option<Self> {
        let Self { lower, upper } = self;
        (!lower.is_nan() && !upper.is_nan()).then(|| Self {
            lower: lower.clamp(0.0, 1.0),
            upper: upper.clamp(0.0, 1.0),
        })
    }

    /// Returns the probability of the values above the value with the tails `self`, up to the value with the tails `right`. The two upper or the two
    /// lower tail probabilities, whichever are smaller, are subtracted from each other, so that no digits are lost.
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
    /// [`WHOLE`](Self::WHOLE), `problem` is a complete sentence.
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
/// family is called a member of the family. Samplers draw values from members, and compute the probabilities of values, without building elements.
/// [`Atomic::family`](crate::Atomic::family) builds an element of the family.
pub trait Family<T: Value>: Debug + Send + Sync + Sized + 'static {
    /// Returns the names of the parameters in order, for use in messages.
    fn parameters(&self) -> &'static [&'static str];

    /// Checks the values of the parameters.
    ///
    /// Other methods must not panic for any parameter value, because a [`Param`](crate::Param) may change after the call of `check`.
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter>;

    /// Returns the outcomes. If the most probable outcomes of a query have equal probability, the first of them is the answer. Outcomes that are
    /// impossible for a constant parameter are omitted. Outcomes that are impossible only for the present value of a `Param` must be listed.
    fn outcomes(&self, parameters: &[Number]) -> Outcomes<T>;

    /// Returns the natural logarithm of the probability of `value`, or of its density if the outcomes are continuous.
    fn log_prob(&self, parameters: &[f64], value: &T) -> f64;

    /// Draws a random value from the member of the family with the parameters `parameters`.
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> T;

    /// Returns the cumulative probabilities at `value`, if the family defines them. [Discretisation](crate::Element::discretised) needs these probabilities.
    fn tails(&self, parameters: &[f64], value: &T) -> Option<Tails> {
        let _ = (parameters, value);
        None
    }

    /// Returns an upper bound of the `log_prob` of `value` over all values of the unknown parameters, whose entries in `parameters` are `None`.
    /// Returns `None` if no bound exists or is known.
    fn max_log_prob(&self, parameters: &[Option<f64>], value: &T) -> Option<f64> {
        let _ = (parameters, value);
        None
    }

    /// True if `other` is the same family, that is, has the same member for the same parameters. The result may be `false` for equal families, but
    /// the computation then takes longer if many values are observed.
    fn is_same_as(&self, other: &Self) -> bool {
        let _ = other;
        size_of::<Self>() == 0
    }

    /// Returns sufficient statistics of independent values of one member of the family.
    ///
    /// [`log_prob_of_all`](Self::log_prob_of_all) and [`likelihood_of_all`](Self::likelihood_of_all) are computed from these statistics, whose length
    /// does not depend on the number of values.
    ///
    /// Returns `None` if the family has no sufficient statistics, or if they do not determine the log-probability, for example because a value is
    /// outside the support. Without sufficient statistics, `log_prob` and `likelihood` are called for each value.
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

    /// Returns the space of the values of a continuous member.
    fn space(&self) -> Space {
        Space::Real
    }

    /// Adds to `likelihood` the `log_prob` of `value`, as a function only of the parameters with indices in `open`. The range `open` contains one
    /// parameter, or several parameters that are the entries of one list. The method calls [`refuse`](Likelihood::refuse) if `log_prob` is not a sum
    /// of [`Term`]s.
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
    /// the probability itself. Returns `None` if the derivative is unknown or does not exist; sensitivity analysis then returns an error.
    ///
    /// The derivative must be exact, not an estimate. The default implementation computes the derivative from the terms of
    /// [`likelihood`](Self::likelihood).
    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &T) -> Option<f64> {
        derivative_by_terms(self, parameters, index, value)
    }

    /// Adds [`log_prob_of_all`](Self::log_prob_of_all) to `likelihood`, as a function only of the parameters with indices in `open`. The default
    /// implementation calls [`refuse`](Likelihood::refuse); the caller then calls [`likelihood`](Self::likelihood) for each value.
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

    /// Returns the terms of the likelihoods to which the members are conjugate: if a likelihood has only these terms,
    /// [`sample_conditional`](Self::sample_conditional) can draw from the product of a member and the likelihood. The list of terms is empty if the
    /// family has no conjugate likelihood.
    fn conjugate_terms(&self) -> &'static [Term] {
        &[]
    }

    /// Returns the parameters of the member whose density is proportional to a member's density times `likelihood`; `None` if no member has this
    /// density. The likelihood has no terms except [`conjugate_terms`](Self::conjugate_terms).
    ///
    /// Exact algorithms use the member with these parameters as the posterior distribution.
    fn posterior(&self, parameters: &[f64], likelihood: &Likelihood) -> Option<Vec<f64>> {
        let _ = (parameters, likelihood);
        None
    }

    /// Returns the mean and the variance of each of the numbers of which a value consists; a moment that does not exist is infinite or NaN. Returns
    /// `None` if the moments are not known.
    fn moments(&self, parameters: &[f64]) -> Option<Vec<(f64, f64)>> {
        let _ = parameters;
        None
    }

    /// Returns the mode of the distribution, as the list of the numbers of which the value consists; `None` if the density is unbounded or the mode
    /// is not known.
    ///
    /// `MpeExact` uses the mode for a parameter with a conjugate prior.
    fn mode(&self, parameters: &[f64]) -> Option<Vec<f64>> {
        let _ = parameters;
        None
    }

    /// Returns the parameters of Student's t-distribution of a normal number whose precision or variance has this distribution: the degrees of
    /// freedom and the squared scale.
    fn student_t_of_spread(&self, parameters: &[f64]) -> Option<(f64, f64)> {
        let _ = parameters;
        None
    }

    /// Draws a random value with a density proportional to the member's density times the likelihood; `None` if such a value cannot be drawn. The
    /// likelihood has no terms except [`conjugate_terms`](Self::conjugate_terms). The default implementation draws from the
    /// [`posterior`](Self::posterior).
    ///
    /// The draw must be exact, because samplers rely on it.
    fn sample_conditional<R: Rng + ?Sized>(
        &self,
        parameters: &[f64],
        likelihood: &Likelihood,
        rng: &mut R,
    ) -> Option<T> {
        let posterior = self.posterior(parameters, likelihood)?;
        Some(self.sample(&posterior, rng))
    }

    /// Returns the member as a normal distribution whose mean is a linear function of the unknown parameters, whose entries in `parameters` are
    /// `None`. Exact algorithms have a closed form for normal distributions with linear means. Returns `None` if the members are not normal, or if
    /// their means are not linear in the unknown parameters.
    fn linear_gaussian(&self, parameters: &[Option<f64>]) -> Option<LinearGaussian> {
        let _ = parameters;
        None
    }

    /// Returns a short description of a member for diagrams, such as `Flip(0.3)`.
    fn describe(&self, parameters: &[Number]) -> String {
        let shown: Vec<String> = parameters.iter().map(|p| format!("{p:?}")).collect();
        format!("{self:?}({})", shown.join(", "))
    }

    /// Returns the number of bytes that the family holds on the heap, such as a list of outcomes. The memory limit includes these bytes.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Returns the derivative of `log_prob` with respect to the parameter at `index`, computed from the terms of the likelihood.
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
