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
    /// Finitely many values, with their probabilities, which sum to one. Outcomes that can never occur are left out; an
    /// outcome whose probability is too small for `f64` is listed with probability zero and has a finite `log_prob`.
    Finite(Vec<(T, f64)>),
    /// Countably many values, which cannot be listed.
    Infinite,
    /// Finitely many values, but too many to be listed.
    TooMany,
    /// A continuum of values, with a density.
    Continuous,
}

/// The space of the values of a continuous distribution, which determines the proposals of random walks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Space {
    /// One real number or a list of real numbers; some numbers may be impossible values.
    #[default]
    Real,
    /// Lists of positive numbers that sum to one; the density is over all numbers except the last.
    Simplex,
}

/// A probability distribution over values of type `T`, the content of an `Atomic` element.
///
/// Implement this trait to define your own atomic element, and build the element with
/// [`Atomic::new`](crate::Atomic::new).
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
    /// The check is called when an expansion or a sampler first reaches the element. A [`Param`](crate::Param) may change after the check;
    /// the other methods must therefore not panic for any parameter value.
    fn check(&self) -> Result<(), String>;

    /// The outcomes, in the order in which ties are resolved.
    fn outcomes(&self) -> Outcomes<T>;

    /// The natural logarithm of the probability of `value`, or of its density if the outcomes are continuous.
    fn log_prob(&self, value: &T) -> f64;

    /// Draws a random value from the distribution.
    fn sample(&self, rng: &mut dyn Rng) -> T;

    /// Draws `count` independent values; override this method if drawing many values together is cheaper than drawing
    /// them one at a time.
    fn sample_many(&self, count: usize, rng: &mut Stream) -> Vec<T> {
        (0..count).map(|_| self.sample(rng)).collect()
    }

    /// Cumulative probabilities at `value`, if the distribution defines them; they are needed to
    /// [discretise](crate::Element::discretised) the distribution.
    fn tails(&self, value: &T) -> Option<Tails> {
        let _ = value;
        None
    }

    /// The space of the values of a continuous distribution.
    fn space(&self) -> Space {
        Space::Real
    }

    /// The numbers of the distribution, if some of them are [`Param`](crate::Param)s; learning and sensitivity analysis use them.
    fn numbers(&self) -> &[Number] {
        &[]
    }

    /// Adds `log_prob` of a value as a function only of those [`numbers`](Self::numbers) whose positions are in the range `open`, as
    /// [`Family::likelihood`] does.
    fn likelihood(&self, open: Range<usize>, value: &T, likelihood: &mut Likelihood) {
        let _ = (open, value);
        likelihood.refuse();
    }

    /// The derivative of `log_prob` of a value with respect to one of the [`numbers`](Self::numbers), given by position, as
    /// [`Family::log_prob_derivative`] gives it.
    fn log_prob_derivative(&self, number: usize, value: &T) -> Option<f64> {
        let _ = (number, value);
        None
    }

    /// The value of `log_prob` if the [`numbers`](Self::numbers) were replaced by the given numbers; `None` if the distribution does not
    /// support this, an error message if the new numbers are invalid.
    fn log_prob_with(&self, numbers: &[f64], value: &T) -> Option<Result<f64, String>> {
        let _ = (numbers, value);
        None
    }

    /// The same as [`Family::conjugate_terms`], for this distribution.
    fn conjugate_terms(&self) -> &'static [Term] {
        &[]
    }

    /// The same as [`Family::sample_conditional`], for this distribution.
    fn sample_conditional(&self, likelihood: &Likelihood, rng: &mut dyn Rng) -> Option<T> {
        let _ = (likelihood, rng);
        None
    }

    /// The product of the distribution and a likelihood, as a distribution, as [`Family::posterior`] gives it.
    fn posterior(&self, likelihood: &Likelihood) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = likelihood;
        None
    }

    /// The same as [`Family::moments`], for this distribution.
    fn moments(&self) -> Option<Vec<(f64, f64)>> {
        None
    }

    /// The same as [`Family::student_t_of_spread`], for this distribution.
    fn student_t_of_spread(&self) -> Option<(f64, f64)> {
        None
    }

    /// The same as [`Family::linear_gaussian`], for this distribution, in which no number is open.
    fn linear_gaussian(&self) -> Option<LinearGaussian> {
        None
    }

    /// A short description of the distribution for diagrams, such as `Flip(0.3)`.
    fn describe(&self) -> String {
        format!("{self:?}")
    }

    /// Number of bytes that the distribution holds on the heap, for example in a list of outcomes; these bytes count against the memory
    /// budget.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Cumulative distribution function at a value, and its complement, of a distribution over ordered values.
///
/// Both tail probabilities are given because the difference of one and a small number loses the digits of the small
/// number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tails {
    /// The probability of this value and all lower values.
    pub lower: f64,
    /// The probability of all higher values.
    pub upper: f64,
}

/// Error in one of the parameters of a [`Family`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongParameter {
    /// The position of the wrong parameter; [`WHOLE`](Self::WHOLE) if the error is about the distribution as a whole.
    pub index: usize,
    /// Description of the violation, to be printed after the name and the value of the parameter: `is outside [0, 1]`. For an error in the
    /// whole distribution, the description is a complete sentence.
    pub problem: String,
}

impl WrongParameter {
    /// The position of an error that concerns no single parameter.
    pub const WHOLE: usize = usize::MAX;

    /// An error in the parameter at this position; in the message, `problem` follows the name and value of the parameter.
    #[cold]
    pub fn new(index: usize, problem: impl Into<String>) -> Self {
        Self {
            index,
            problem: problem.into(),
        }
    }
}

/// A parametric family: distributions over values of type `T` that differ in their real parameters, such as all normal
/// distributions.
///
/// Each parameter of an element of the family is a number, a [`Param`](crate::Param), or an element; samplers draw and weigh a
/// member of the family without building an element for the member. [`Atomic::family`](crate::Atomic::family) builds the
/// element.
pub trait Family<T: Value>: Debug + Send + Sync + Sized + 'static {
    /// The names of the parameters, in order, for messages.
    fn parameters(&self) -> &'static [&'static str];

    /// Checks these values of the parameters.
    ///
    /// A [`Param`](crate::Param) may change after the check; the other methods must therefore not panic for any
    /// parameter value.
    fn check(&self, parameters: &[f64]) -> Result<(), WrongParameter>;

    /// The outcomes, in the order in which ties are resolved. A constant parameter may make some outcomes structurally
    /// impossible; a `Param` may not.
    fn outcomes(&self, parameters: &[Number]) -> Outcomes<T>;

    /// The natural logarithm of the probability of `value`, or of its density if the outcomes are continuous.
    fn log_prob(&self, parameters: &[f64], value: &T) -> f64;

    /// Draws a random value from the member with these parameters.
    fn sample<R: Rng + ?Sized>(&self, parameters: &[f64], rng: &mut R) -> T;

    /// Cumulative probabilities at `value`, if the family defines them; they are needed to
    /// [discretise](crate::Element::discretised) members of the family.
    fn tails(&self, parameters: &[f64], value: &T) -> Option<Tails> {
        let _ = (parameters, value);
        None
    }

    /// An upper bound of `log_prob` of `value` over all values of the parameters that are `None`; `parameters` has one entry for each
    /// parameter. `None` if no bound exists, or none is known.
    fn max_log_prob(&self, parameters: &[Option<f64>], value: &T) -> Option<f64> {
        let _ = (parameters, value);
        None
    }

    /// True if another value of this type is the same family, that is, has the same members for the same parameters. Returning `false` for
    /// equal families only costs time, if many members are observed.
    fn is_same_as(&self, other: &Self) -> bool {
        let _ = other;
        size_of::<Self>() == 0
    }

    /// Sufficient statistics of independent values of one member: the numbers, independent of the number of values, from
    /// which [`log_prob_of_all`](Self::log_prob_of_all) and [`likelihood_of_all`](Self::likelihood_of_all) are computed.
    ///
    /// `None` if the family has no sufficient statistics, or if they do not determine the result for these values (for example
    /// because a value is outside the support): `log_prob` and `likelihood` are then called for each value.
    fn statistics(&self, values: &[T]) -> Option<Vec<f64>> {
        let _ = values;
        None
    }

    /// The sum of `log_prob` over independent values with these [`statistics`](Self::statistics); families that define
    /// statistics implement this method.
    fn log_prob_of_all(&self, parameters: &[f64], statistics: &[f64]) -> f64 {
        let _ = (parameters, statistics);
        f64::NAN
    }

    /// The space of the values of a continuous member.
    fn space(&self) -> Space {
        Space::Real
    }

    /// Adds `log_prob` of a value as a function only of the parameters whose positions are in the range `open`: one parameter, or several
    /// parameters that are the entries of one list. Calls [`refuse`](Likelihood::refuse) if `log_prob` is not a sum of [`Term`]s.
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

    /// The derivative of `log_prob` of a value with respect to the parameter at this position; if the probability is zero, the derivative
    /// of the probability itself. `None` if the derivative is not known or does not exist; sensitivity analysis is then refused.
    ///
    /// The default takes the derivative from the terms of [`likelihood`](Self::likelihood). The derivative must be exact, not an estimate.
    fn log_prob_derivative(&self, parameters: &[f64], index: usize, value: &T) -> Option<f64> {
        derivative_by_terms(self, parameters, index, value)
    }

    /// Adds [`log_prob_of_all`](Self::log_prob_of_all) as a function only of the parameters in the range `open`. The default calls
    /// [`refuse`](Likelihood::refuse); [`likelihood`](Self::likelihood) is then called for each value.
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

    /// The terms of likelihoods to which the members are conjugate: values can be drawn from the product of a member and a likelihood with
    /// these terms. The list is empty if the family has no conjugate likelihood.
    fn conjugate_terms(&self) -> &'static [Term] {
        &[]
    }

    /// The parameters of the member whose density is proportional to a member's density times a likelihood, which has only
    /// [`conjugate_terms`](Self::conjugate_terms); `None` if no member has this density.
    ///
    /// Exact algorithms use the member as the posterior distribution.
    fn posterior(&self, parameters: &[f64], likelihood: &Likelihood) -> Option<Vec<f64>> {
        let _ = (parameters, likelihood);
        None
    }

    /// The mean and the variance of each number of a value; a moment that does not exist is infinite or NaN. `None` if they are not known.
    fn moments(&self, parameters: &[f64]) -> Option<Vec<(f64, f64)>> {
        let _ = parameters;
        None
    }

    /// If a member is the distribution of the precision or the variance of a normal number: the degrees of freedom and the squared scale of Student's
    /// t-distribution that the number then has, around its mean.
    fn student_t_of_spread(&self, parameters: &[f64]) -> Option<(f64, f64)> {
        let _ = parameters;
        None
    }

    /// A random value with a density proportional to the member's density times the likelihood; `None` if no such distribution exists. The
    /// likelihood has only [`conjugate_terms`](Self::conjugate_terms). The default draws from the [`posterior`](Self::posterior).
    ///
    /// Samplers use the result as an exact draw from the conditional distribution.
    fn sample_conditional<R: Rng + ?Sized>(
        &self,
        parameters: &[f64],
        likelihood: &Likelihood,
        rng: &mut R,
    ) -> Option<T> {
        let posterior = self.posterior(parameters, likelihood)?;
        Some(self.sample(&posterior, rng))
    }

    /// The members as normal distributions whose mean is a linear function of the parameters that are `None`; the other parameters have these
    /// values. Exact algorithms then compute with the members in closed form. `None` if the members are not normal, or not linear in the
    /// open parameters.
    fn linear_gaussian(&self, parameters: &[Option<f64>]) -> Option<LinearGaussian> {
        let _ = parameters;
        None
    }

    /// A short description of a member for diagrams, such as `Flip(0.3)`.
    fn describe(&self, parameters: &[Number]) -> String {
        let shown: Vec<String> = parameters.iter().map(|p| format!("{p:?}")).collect();
        format!("{self:?}({})", shown.join(", "))
    }

    /// Number of bytes that the family holds on the heap, for example in a list of outcomes; these bytes count against the memory
    /// budget.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// The derivative of `log_prob` with respect to a parameter, from the terms of the likelihood.
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
