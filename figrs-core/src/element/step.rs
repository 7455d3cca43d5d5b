//! One step of the evaluation of an element: the random choice that the element makes given the values of its parents, and the parent values that an
//! observation of the element implies.

use std::any::Any;
use std::fmt;

use rand::{Rng, RngExt};

use super::likelihood::Likelihood;
use super::node::{AnyElement, Kind};
use super::operations::{AtomicOp, FamilyOp, NotEnumerable, TableOp};
use crate::error::{Fault, ModelError};
use crate::value::datum::Datum;
use crate::value::support::Support;
use figrs_factor::graph::{WeightSlice, WorldWeight};

/// Calls `read` with a slice of the items of `values`. A short list of values is stored on the stack, in an array that is filled up with `filler`.
#[inline]
pub fn with_list<T: Copy, R>(
    filler: T,
    values: impl ExactSizeIterator<Item = T>,
    read: impl FnOnce(&[T]) -> R,
) -> R {
    const MAX_ON_STACK: usize = 8;
    let (count, mut values) = (values.len(), values);
    if count <= 1 {
        return match values.next() {
            Some(value) => read(&[value]),
            None => read(&[]),
        };
    }
    if count > MAX_ON_STACK {
        return read(&values.collect::<Vec<T>>());
    }
    let mut list = [filler; MAX_ON_STACK];
    for (place, value) in list.iter_mut().zip(values) {
        *place = value;
    }
    read(&list[..count])
}

/// Calls `read` with a slice of the values `values`, which are the arguments of a user's function.
#[inline]
pub fn with_arguments<'a, R>(
    values: impl ExactSizeIterator<Item = &'a dyn Any>,
    read: impl FnOnce(&[&dyn Any]) -> R,
) -> R {
    with_list(&() as &dyn Any, values, read)
}

/// A random choice that an element makes, given the values of its parents.
#[derive(Clone, Copy)]
pub enum Choice<'a> {
    /// The choice is the value of an element without parents.
    Atomic(&'a dyn AtomicOp),
    /// The choice is the value of a `Chain` that always returns a member of one family. The list contains the values of the parents of the `Chain`.
    Family(&'a dyn FamilyOp, &'a [&'a dyn Any]),
    /// The choice is the value of a conditional probability table: one of the listed values, with the probabilities of one row of the table.
    Row(&'a Support, WeightSlice<'a>),
}

impl fmt::Debug for Choice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atomic(op) => f.write_str(&op.describe()),
            Self::Family(_, arguments) => write!(f, "family of {} arguments", arguments.len()),
            Self::Row(_, row) => write!(f, "row {:?}", row.linear()),
        }
    }
}

impl Choice<'_> {
    /// Returns the log-probability or log-density of the value `value` of the random choice.
    ///
    /// **Errors.** An error if the user-defined distribution fails.
    pub fn log_prob(&self, value: &dyn Any) -> Result<f64, Fault> {
        match self {
            Self::Atomic(op) => op.log_prob(value),
            Self::Family(family, arguments) => family.log_prob(arguments, value),
            Self::Row(values, row) => {
                let column = values.index_of(value);
                Ok(column.map_or(f64::NEG_INFINITY, |column| row.log(column)))
            }
        }
    }

    /// Returns the probability or density of the value `value` of the random choice.
    ///
    /// **Errors.** An error if the user-defined distribution fails.
    pub fn weight(&self, value: &dyn Any) -> Result<WorldWeight, Fault> {
        if let Self::Row(values, row) = self
            && let Some(column) = values.index_of(value)
        {
            return Ok(row.weight(column));
        }
        let log = self.log_prob(value)?;
        let linear = log.exp();
        Ok(WorldWeight { linear, log })
    }

    /// Returns all outcomes of the random choice with their probabilities if they are finitely many; otherwise returns the reason why they cannot be
    /// listed.
    ///
    /// **Errors.** An error if the user-defined distribution fails.
    pub fn outcomes(&self) -> Result<Result<Vec<(Datum, WorldWeight)>, NotEnumerable>, Fault> {
        let finite = match self {
            Self::Atomic(op) => op.outcomes()?,
            Self::Family(family, arguments) => family.outcomes(arguments)?,
            Self::Row(values, row) => {
                let outcome = |column| (values.datum(column), row.weight(column));
                return Ok(Ok((0..values.len()).map(outcome).collect()));
            }
        };
        let finite = match finite {
            Ok(finite) => finite,
            Err(endless) => return Ok(Err(endless)),
        };
        let outcome = |(i, &linear): (usize, &f64)| {
            let log = if linear.is_normal() {
                linear.ln()
            } else {
                self.log_prob(finite.support.any(i))?
            };
            Ok((finite.support.datum(i), WorldWeight { linear, log }))
        };
        let outcomes = finite.probabilities.iter().enumerate().map(outcome);
        outcomes.collect::<Result<_, Fault>>().map(Ok)
    }

    /// Draws a random value for the choice.
    ///
    /// **Errors.** An error if the user-defined distribution fails.
    #[inline]
    pub fn sample(&self, rng: &mut dyn Rng) -> Result<Datum, Fault> {
        match self {
            Self::Atomic(op) => op.sample(rng),
            Self::Family(family, arguments) => family.sample(arguments, rng),
            Self::Row(values, row) => Ok(values.datum(row.pick(rng.random()))),
        }
    }

    /// Draws a random value from the normalised product of the choice's distribution and `likelihood`, if the distribution defines such a draw.
    ///
    /// **Errors.** An error if the user-defined distribution fails.
    pub fn sample_conditional(
        &self,
        likelihood: &Likelihood,
        rng: &mut dyn Rng,
    ) -> Result<Option<Datum>, Fault> {
        match self {
            Self::Atomic(op) => op.sample_conditional(likelihood, rng),
            Self::Family(family, arguments) => {
                family.sample_conditional(arguments, likelihood, rng)
            }
            Self::Row(..) => Ok(None),
        }
    }
}

impl dyn TableOp + '_ {
    /// Returns the index in the list of weights at which the table row for the parent values `arguments` starts.
    ///
    /// **Errors.** [`Fault::Row`] if a value in `arguments` is not among the states that the table lists for this parent.
    pub fn row_start(&self, arguments: &[&dyn Any]) -> Result<usize, Fault> {
        let mut parents = arguments.iter().zip(self.states()).enumerate();
        let row = parents.try_fold(0, |row, (parent, (&value, states))| {
            let state = states.index_of(value);
            let state = state.ok_or_else(|| Fault::no_state(parent))?;
            Ok::<_, Fault>(row * states.len() + state)
        });
        Ok(row? * self.values().len())
    }

    /// Returns the table row for the parent values `arguments`.
    ///
    /// **Errors.** The same errors as [`row_start`](Self::row_start), if the table has no row for the parent values.
    pub fn row(&self, arguments: &[&dyn Any]) -> Result<WeightSlice<'_>, Fault> {
        let start = self.row_start(arguments)?;
        Ok(self.weights().row(start, self.values().len()))
    }
}

impl AnyElement {
    /// Checks those parameters of the element that are constants or `Param`s, not values of parents. Call `check_parameters` before the first call of
    /// [`choice`](Self::choice).
    ///
    /// **Errors.** [`ModelError::InvalidParameter`] if a parameter of the element is not allowed; [`ModelError::Undecided`] if the element is a
    /// decision.
    #[inline]
    pub fn check_parameters(&self) -> Result<(), ModelError> {
        let checked = match self.kind() {
            Kind::Atomic(op) => op.check(),
            Kind::Table(_, op) => op.check(),
            Kind::Apply(..) | Kind::Chain(..) | Kind::Score(..) => Ok(()),
        };
        checked.map_err(|problem| self.invalid(problem))
    }

    /// Returns the random choice that the element makes for the parent values `arguments`; `None` if the element makes no random choice.
    ///
    /// **Errors.** [`ModelError::InvalidParameter`] if the values of the parents are not allowed as parameters; [`ModelError::Function`] if a row of
    /// a table is missing.
    #[inline]
    pub fn choice<'a>(
        &'a self,
        arguments: &'a [&'a dyn Any],
    ) -> Result<Option<Choice<'a>>, ModelError> {
        match self.kind() {
            Kind::Atomic(op) => Ok(Some(Choice::Atomic(&**op))),
            Kind::Table(_, op) => {
                let row = op.row(arguments).map_err(|fault| self.fault(fault))?;
                Ok(Some(Choice::Row(op.values(), row)))
            }
            Kind::Chain(_, op) => {
                let Some(family) = op.family() else {
                    return Ok(None);
                };
                let checked = family.check(arguments);
                checked.map_err(|problem| self.invalid(problem))?;
                Ok(Some(Choice::Family(family, arguments)))
            }
            Kind::Apply(..) | Kind::Score(..) => Ok(None),
        }
    }

    /// True if the element makes a random choice that has a density, not probabilities.
    ///
    /// **Errors.** [`ModelError::Function`] if a user-defined distribution fails.
    pub fn is_continuous(&self) -> Result<bool, ModelError> {
        match self.kind() {
            Kind::Atomic(op) => {
                let outcomes = op.outcomes().map_err(|fault| self.fault(fault))?;
                Ok(matches!(outcomes, Err(NotEnumerable::Continuous)))
            }
            Kind::Chain(_, op) => Ok(op.family().is_some_and(FamilyOp::is_continuous)),
            Kind::Apply(..) | Kind::Table(..) | Kind::Score(..) => Ok(false),
        }
    }

    /// Returns the values that the parents must have so that the element has the value `value`; for a `Score`, the observed value takes the place of
    /// `value`. The returned list of parent values may be shorter than the list of parents; any values of the remaining parents are then allowed.
    #[inline]
    pub fn demands(&self, value: Option<&Datum>) -> Vec<Option<Datum>> {
        match self.kind() {
            Kind::Apply(_, op) => value.and_then(|value| op.demand(value)).unwrap_or_default(),
            Kind::Score(_, evidence) => vec![evidence.observed().or(value).cloned()],
            Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..) => Vec::new(),
        }
    }
}
