//! The operations of the nodes of a model graph: untyped distributions, functions, families and tables.

use std::any::Any;
use std::ops::Range;

use rand::Rng;

use super::apply::{CallId, FunctionId};
use super::discretise::Bins;
use super::distribution::{Space, Tails};
use super::learned_prior::LearnedPrior;
use super::likelihood::{Likelihood, Term};
use super::linear::{LinearFunction, LinearGaussian};
use super::node::AnyElement;
use super::param::Number;
use crate::counterfactual::branch_memory::BranchMemory;
use crate::error::Fault;
use crate::random::Stream;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, Support, SupportBuilder};
use figrs_factor::graph::Weights;

pub(crate) use super::family_values::{
    IidValues, MemberArgument, MemberFault, SufficientStatistics,
};
pub use super::finite_outcomes::{FiniteOutcomes, NotEnumerable};

/// The log-probability of a value under new parameters; `None` if the distribution cannot replace its parameters; an error message if the new
/// parameters are invalid.
pub type NumbersReplaced = Option<Result<f64, String>>;

/// The untyped distribution of an element without parents.
pub trait AtomicOp: Send + Sync {
    /// Checks the parameters of the distribution; the error is a message for the user.
    fn check(&self) -> Result<(), String>;
    /// Returns the outcomes with their probabilities if they are finitely many; otherwise returns the reason why the outcomes cannot be listed.
    fn outcomes(&self) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault>;
    /// Returns the log-probability or log-density of `value`, which is never NaN or positive infinity.
    fn log_prob(&self, value: &dyn Any) -> Result<f64, Fault>;
    /// Draws a random value.
    fn sample(&self, rng: &mut dyn Rng) -> Result<Datum, Fault>;
    /// Draws `count` random values.
    fn sample_many(&self, count: usize, rng: &mut Stream) -> Result<Box<dyn AnyColumn>, Fault>;
    /// Returns the sum of the log-probabilities of all values in a column (a typed list).
    fn log_prob_of_all(&self, values: &dyn AnyColumn) -> Result<f64, Fault>;
    /// Returns the cumulative probabilities at `value`, if the distribution defines them.
    fn tails(&self, value: &dyn Any) -> Result<Option<Tails>, Fault>;
    /// Returns the kind of the set of values, such as the real numbers, if the values are continuous.
    fn space(&self) -> Space;
    /// Returns the parameters of the distribution, if some of them are [`Param`](crate::Param)s.
    fn numbers(&self) -> &[Number] {
        &[]
    }
    /// Adds the log-probability of `value` to `likelihood`, as a function only of the [`numbers`](Self::numbers) with indices in `open`. The
    /// likelihood is refused (marked as not usable) if the log-probability, as a function of the open argument, is not a sum of `Term`s.
    fn likelihood(
        &self,
        open: Range<usize>,
        value: &dyn Any,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault> {
        let _ = (open, value);
        likelihood.refuse();
        Ok(())
    }
    /// Returns the derivative of `log_prob` with respect to the parameter with the index `number` in [`numbers`](Self::numbers); at probability zero,
    /// returns the derivative of the probability itself. Returns `None` if the derivative of the log-probability is not known.
    fn log_prob_derivative(&self, number: usize, value: &dyn Any) -> Result<Option<f64>, Fault> {
        let _ = (number, value);
        Ok(None)
    }
    /// Returns the `log_prob` of `value` if the parameters of the distribution are replaced by `numbers`. Returns `None` if the parameters of the
    /// distribution cannot be replaced, and an error message if the new parameters are invalid.
    fn log_prob_with(&self, numbers: &[f64], value: &dyn Any) -> Result<NumbersReplaced, Fault> {
        let _ = (numbers, value);
        Ok(None)
    }
    /// Returns the prior distribution, if the element is a learned parameter.
    fn prior(&self) -> Option<&LearnedPrior> {
        None
    }
    /// For a decision, returns the elements whose values are known when the decision is made. The outcomes of a decision are options that have no
    /// probabilities.
    fn known(&self) -> Option<&[AnyElement]> {
        None
    }
    /// Returns the kinds of likelihood terms for which the distribution is a conjugate prior.
    fn conjugate_terms(&self) -> &'static [Term] {
        &[]
    }
    /// Draws a value from the normalised product of the distribution and `likelihood`, if the distribution defines such a draw. The caller ensures
    /// that all terms of the likelihood are in [`conjugate_terms`](Self::conjugate_terms).
    fn sample_conditional(
        &self,
        likelihood: &Likelihood,
        rng: &mut dyn Rng,
    ) -> Result<Option<Datum>, Fault> {
        let _ = (likelihood, rng);
        Ok(None)
    }
    /// Returns the normalised product of the distribution and `likelihood`, or `None` if the product is not known. The caller ensures that all terms
    /// of the likelihood are in [`conjugate_terms`](Self::conjugate_terms).
    fn posterior(&self, likelihood: &Likelihood) -> Result<Option<Box<dyn AtomicOp>>, Fault> {
        let _ = likelihood;
        Ok(None)
    }
    /// Returns the mean and the variance of a value, or of each number in a value that is a list, if they are known.
    fn moments(&self) -> Option<Vec<(f64, f64)>> {
        None
    }
    /// Returns the mode of the distribution, as the list of the numbers of which the value consists; `None` if the density is unbounded or the mode
    /// is not known.
    fn mode(&self) -> Option<Vec<f64>> {
        None
    }
    /// If the precision or variance of a normal number has the given distribution, the normal number has a Student's t-distribution; returns the
    /// degrees of freedom and the squared scale of that t-distribution.
    fn student_t_of_spread(&self) -> Option<(f64, f64)> {
        None
    }
    /// Returns the mean and covariance of the distribution, if the distribution is normal.
    fn linear_gaussian(&self) -> Option<LinearGaussian> {
        None
    }
    /// For the distribution of a discretised element, returns the continuous distribution and the cells into which it is divided.
    fn divided(&self) -> Option<(&dyn AtomicOp, &Bins)> {
        None
    }
    /// Returns a short description of the distribution for diagrams.
    fn describe(&self) -> String;
    /// Returns the number of bytes that the distribution holds on the heap, without the size of the distribution's own struct.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// An argument of a function: a known value, or unknown (open) numbers.
#[derive(Clone, Copy, Debug)]
pub enum OpenArgument<'a> {
    /// An argument of a function: a known value, or a number or list of numbers whose value is unknown (open).
    Known(&'a dyn Any),
    /// The argument is unknown: a list with the given number of entries, or a single number.
    Open(usize),
}

/// An untyped deterministic function of parent values.
pub trait ApplyOp: Send + Sync {
    /// Returns the value of the function for `arguments`.
    fn call(&self, arguments: &[&dyn Any]) -> Result<Datum, Fault>;
    /// Returns the index in `values` of the function's value for `arguments`; a value that is not yet in `values` is added.
    fn intern(&self, arguments: &[&dyn Any], values: &mut SupportBuilder) -> Result<usize, Fault>;
    /// True if the function is known to be so cheap that memoisation would not save time.
    fn is_light(&self) -> bool {
        false
    }
    /// Calls the function once for each of `count` rows, and returns the values; each column in `arguments` lists the values of one argument.
    fn call_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
    ) -> Result<Box<dyn AnyColumn>, Fault>;
    /// Returns the list of the possible values of the function, if such a list exists; [`options_of`](Self::options_of) then returns indices in this
    /// list.
    fn options(&self) -> Option<&Support> {
        None
    }
    /// For each of `count` rows of arguments, returns the index in [`options`](Self::options) of the function's value. The list of indices is empty
    /// if the function has no list of its possible values.
    fn options_of(&self, arguments: &[&dyn AnyColumn], count: usize) -> Result<Vec<u32>, Fault> {
        let _ = (arguments, count);
        Ok(Vec::new())
    }
    /// Checks, as far as possible with the given arguments, that the function has a value for them. Each argument is a known value, or a number or
    /// list of numbers whose value is unknown.
    fn identity(&self) -> Option<FunctionId> {
        None
    }
    /// Checks, as far as the arguments show it, that the function has a value for these arguments, which may be known values or a number of unknown
    /// numbers.
    fn check_open(&self, arguments: &[OpenArgument<'_>]) -> Result<(), Fault> {
        let _ = arguments;
        Ok(())
    }
    /// Returns the function as a linear function of the unknown numbers in `arguments`, if it is linear.
    fn linear(&self, arguments: &[OpenArgument<'_>]) -> Option<LinearFunction> {
        let _ = arguments;
        None
    }
    /// If the function is a comparison, returns a linear function of the unknown numbers that is positive where the comparison is true and negative
    /// where it is false. The second result is the value of the comparison at the points where the linear function is zero. Returns `None` for any
    /// function that is not a comparison.
    fn comparison(&self, arguments: &[OpenArgument<'_>]) -> Option<(LinearFunction, bool)> {
        let _ = arguments;
        None
    }
    /// True if a possible world evaluates the last parent only for some values of the other parents; see [`skips_last`](Self::skips_last).
    fn may_skip_last(&self) -> bool {
        false
    }
    /// True if the function does not read its last parent for the values `others` of the other parents. If the last parent is not read, the value of
    /// the function is that of the first parent, and a possible world does not evaluate the last parent.
    fn skips_last(&self, others: &[&dyn Any]) -> bool {
        let _ = others;
        false
    }
    /// Returns the values of the parents that the result `value` of the function implies (backward inference). The returned list has `None` for a
    /// parent whose value is not implied by the result of the function.
    fn demand(&self, value: &Datum) -> Option<Vec<Option<Datum>>> {
        let _ = value;
        None
    }
}

/// An untyped function from parent values to an element.
pub trait ChainOp: Send + Sync {
    /// Returns the element that the function returns for `arguments`.
    fn call(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault>;
    /// Builds a new element for `arguments`, even if a counterfactual query has stored an element for the same arguments.
    fn call_anew(&self, arguments: &[&dyn Any]) -> Result<AnyElement, Fault> {
        self.call(arguments)
    }
    /// Returns a single element that has the value of this `Chain` in every possible world, given the possible values of the parents; `None` if no
    /// such element is known. Exact algorithms list the values of this single element instead of those of all the elements that the function of the
    /// `Chain` returns.
    fn for_tables(&self, supports: &[&Support]) -> Option<AnyElement> {
        let _ = supports;
        None
    }
    /// Returns the storage in which counterfactual queries store the elements that the function returned; a member of a family has no such storage.
    fn memory(&self) -> Option<&BranchMemory> {
        None
    }
    /// Checks, as far as possible with the given arguments, that the function has a value for them. Each argument is a known value, or a number or
    /// list of numbers whose value is unknown.
    fn identity(&self) -> Option<FunctionId> {
        None
    }
    /// Returns the family of distributions, if the function always returns members of one family, and the arguments of the function are the
    /// parameters of the member.
    fn family(&self) -> Option<&dyn FamilyOp> {
        None
    }
    /// If the function represents a call of a recursive function, returns the identity of that call; the `Chain` then has no parents.
    fn call_id(&self) -> Option<CallId> {
        None
    }
    /// Returns the number of bytes that the function holds on the heap, without the size of its own struct.
    ///
    /// The bytes of values that the function captures are unknown and not counted.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// An untyped family of distributions; the arguments are the values of the parents that are parameters of the family.
pub trait FamilyOp: Send + Sync {
    /// Checks the parameters of a member of the family; the other methods are called only if the check succeeds.
    fn check(&self, arguments: &[&dyn Any]) -> Result<(), String>;
    /// True if `log_prob` is the logarithm of a density, not of a probability.
    fn is_continuous(&self) -> bool;
    /// Returns the outcomes with their probabilities if they are finitely many; otherwise returns the reason why the outcomes cannot be listed.
    fn outcomes(
        &self,
        arguments: &[&dyn Any],
    ) -> Result<Result<FiniteOutcomes, NotEnumerable>, Fault>;
    /// Returns the log-probability or log-density of `value`, which is never NaN or positive infinity.
    fn log_prob(&self, arguments: &[&dyn Any], value: &dyn Any) -> Result<f64, Fault>;
    /// Returns the log-probability or log-density of `value` for arguments that are single numbers; `None` if `check` or `log_prob` would fail.
    fn log_prob_for_numbers(&self, arguments: &[f64], value: &dyn Any) -> Option<f64>;
    /// Appends the log-probabilities or log-densities of `values` to `logs`; the arguments of the family are single numbers. The log-probabilities
    /// that are appended to the list may be NaN or infinite. Returns `None` if `check` would fail or `values` have another type; some numbers may
    /// then already have been appended.
    fn log_probs_of_values(
        &self,
        arguments: &[f64],
        values: &[f64],
        logs: &mut Vec<f64>,
    ) -> Option<()> {
        let _ = (arguments, values, logs);
        None
    }
    /// Returns an upper bound of the log-probability of `value` over all arguments of the family, if such a bound is known.
    fn max_log_prob(&self, value: &dyn Any) -> Option<f64> {
        let _ = value;
        None
    }
    /// Returns the parameters of the family that are constants or `Param`s.
    fn fixed_numbers(&self) -> Vec<&Number>;
    /// True if [`member`](Self::member) accepts `Param`s as arguments.
    fn takes_params(&self) -> bool {
        false
    }
    /// Returns the member of the family for `arguments`, as an element without parents. Returns `None` if the members of the family cannot be built
    /// as elements without parents.
    fn member(&self, arguments: &[MemberArgument<'_>]) -> Option<AnyElement> {
        let _ = arguments;
        None
    }
    /// Draws a random value of the member with the arguments `arguments`.
    fn sample(&self, arguments: &[&dyn Any], rng: &mut dyn Rng) -> Result<Datum, Fault>;
    /// Returns the kind of the set of values, such as the real numbers, if the values are continuous.
    fn space(&self) -> Space;
    /// Adds the log-probability of `value` to `likelihood`, as a function of the argument with the index `open`; all other arguments of the family
    /// are known. The likelihood is refused (marked as not usable) if the log-probability, as a function of the open argument, is not a sum of
    /// `Term`s.
    fn likelihood(
        &self,
        arguments: &[&dyn Any],
        open: usize,
        value: &dyn Any,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault>;
    /// Adds the sum of the log-probabilities of independent values to `likelihood`, as a function of the argument with the index `open`; all other
    /// arguments of the family are known.
    fn likelihood_of_all(
        &self,
        arguments: &[&dyn Any],
        open: usize,
        values: &IidValues<'_>,
        likelihood: &mut Likelihood,
    ) -> Result<(), Fault>;
    /// Adds the sum of the log-probabilities of `values` to `likelihood`, as a function of the first argument of the family; all other arguments are
    /// known. Returns `None` if `check` would fail or `values` have another type.
    fn likelihood_of_values(
        &self,
        arguments: &[f64],
        values: &[f64],
        likelihood: &mut Likelihood,
    ) -> Option<()> {
        let _ = (arguments, values, likelihood);
        None
    }
    /// If the member of the family for `arguments` is a normal distribution whose mean is linear in the unknown numbers of `arguments`, returns this
    /// distribution. The method may be called before [`check`](Self::check).
    fn linear_gaussian(
        &self,
        arguments: &[OpenArgument<'_>],
    ) -> Result<Option<LinearGaussian>, String> {
        let _ = arguments;
        Ok(None)
    }
    /// Returns the kinds of likelihood terms for which the members of the family are conjugate priors.
    fn conjugate_terms(&self) -> &'static [Term];
    /// Draws a value from the normalised product of a member of the family and `likelihood`, if the family defines such a draw. The caller ensures
    /// that all terms of the likelihood are in [`conjugate_terms`](Self::conjugate_terms).
    fn sample_conditional(
        &self,
        arguments: &[&dyn Any],
        likelihood: &Likelihood,
        rng: &mut dyn Rng,
    ) -> Result<Option<Datum>, Fault>;
    /// Draws one value for each of `count` rows of arguments; each column in `arguments` lists the values of one argument.
    fn sample_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        rng: &mut Stream,
    ) -> Result<Box<dyn AnyColumn>, MemberFault>;
    /// Returns the log-probability or log-density of `value` for each of `count` rows of arguments.
    fn log_probs(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        value: &dyn Any,
    ) -> Result<Vec<f64>, MemberFault>;
    /// Returns the sufficient statistics of the values of a column (a typed list), if the family defines them.
    fn statistics(&self, values: &dyn AnyColumn) -> Option<Vec<f64>>;
    /// Returns the sum of the log-probabilities of independent values.
    fn log_prob_of_all(&self, arguments: &[&dyn Any], values: &IidValues<'_>)
    -> Result<f64, Fault>;
    /// Returns the sum of the log-probabilities of independent values, for arguments that are single numbers; `None` if `check` or `log_prob` would
    /// fail.
    fn log_prob_of_all_for_numbers(&self, arguments: &[f64], values: &IidValues<'_>)
    -> Option<f64>;
    /// Returns the sum of the log-probabilities of the independent values `values`, for each of `count` rows of arguments.
    fn log_probs_of_all(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
        values: &IidValues<'_>,
    ) -> Result<Vec<f64>, MemberFault>;
    /// Returns sufficient statistics of `value` if they make repeated computations of its log-probability faster.
    fn summary(&self, value: &dyn Any) -> Option<SufficientStatistics> {
        let _ = value;
        None
    }
    /// Returns the family as `dyn Any`, so that it can be downcast to its type.
    fn as_any(&self) -> &dyn Any;
    /// True if the family `other` has the same members for the same arguments.
    fn is_same_as(&self, other: &dyn FamilyOp) -> bool {
        let _ = other;
        false
    }
    /// Returns a hash of the family; equal families have equal hashes.
    fn digest(&self) -> u64 {
        0
    }
    /// Replaces many members of the family by one element: returns an element whose value is a list of independent values with the distribution of
    /// `of`, and the list of `values` itself. The element `of` must be a member of the family `self`.
    fn list(&self, of: &AnyElement, values: &[&Datum]) -> Option<(AnyElement, Datum)> {
        let _ = (of, values);
        None
    }
}

/// An untyped conditional probability table whose parents have finitely many values.
pub trait TableOp: Send + Sync {
    /// Checks the probabilities of the table; the error is a message for the user.
    fn check(&self) -> Result<(), String>;
    /// Returns the possible values of the element, in the order of the table's columns.
    fn values(&self) -> &Support;
    /// Returns the possible values of each parent, in the order of the table's rows.
    fn states(&self) -> &[Support];
    /// Returns the probabilities of all rows of the table; they are not multiplied by a common scale factor. In the list of probabilities, the value
    /// of the last parent changes fastest, and the probabilities of one table row are adjacent.
    fn weights(&self) -> &Weights;
    /// Returns the number of bytes that the table holds on the heap, without the size of its own struct.
    fn heap_bytes(&self) -> usize {
        self.weights().bytes()
    }
}
