//! Likelihoods of one real number that are not Gaussian. They come from finite elements that depend on the number, from observed elements that are
//! not normal, and from evidence other than observations.

use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use figrs_answer::error::Error;
use figrs_core::internals::{AtomicOp, Kind};
use figrs_core::{AnyElement, Datum, ElementId, Evidence, Fault, ModelError};
use figrs_factor::Until;
use figrs_gaussian::{Peaks, RealLikelihood, Tilted};
use rustc_hash::FxHashMap;

use crate::finite_part::FinitePart;
use crate::linear_element::{Conditional, Linear};

/// Number of standard deviations around the mean of a real number within which a likelihood must be defined. At greater distances from the mean,
/// which have probability 6e-7, a function of the model may fail if the density times the likelihood is negligible there.
const REACH: f64 = 5.0;

/// Distance from the mean within which a likelihood must also be defined, in standard deviations; the mean and the standard deviation are those of
/// the number's distribution times the likelihood.
const REACH_OF_PRODUCT: f64 = 10.0;

/// Numbers of points in the search of likelihoods for narrow peaks: the most points of the first search for all likelihoods together and for one of
/// them, the most points if a likelihood is the same at all points of the first search, and the fewest points for one likelihood.
const FIRST_POINTS: usize = 1 << 20;
const FIRST_POINTS_OF_SITE: usize = 1 << 16;
const MOST_POINTS: usize = 1 << 24;
const FEWEST_POINTS: usize = 1 << 10;

/// Maximum number of failed evaluations of a likelihood that are remembered; the first search for narrow peaks covers all numbers with fewer points.
const MOST_FAILURES: usize = 1 << 17;

#[derive(Clone, Debug)]
pub(crate) struct RealFunction {
    /// The real element that is the argument of the nonlinear function.
    pub(crate) base: AnyElement,
    /// The argument of the nonlinear function, as a linear function of normal vectors.
    pub(crate) argument: Rc<Conditional<Linear>>,
    /// Real elements other than the argument that are linear functions of the argument: for each assignment of some finite elements, the offset and
    /// the slope.
    pub(crate) others: Vec<(AnyElement, Conditional<(f64, f64)>)>,
    /// The elements on the path from the argument to the value of the nonlinear function; each element comes after its parents.
    pub(crate) path: Vec<AnyElement>,
    /// The indices of the finite elements on which the nonlinear function depends, in ascending order.
    pub(crate) scope: Vec<usize>,
}

/// The observed value, the finite element's value or the evidence whose probability given the real number is the likelihood.
#[derive(Clone, Debug)]
pub(crate) enum Weighed {
    Child(usize),
    /// The value of the finite Boolean element with the contained index; the Boolean is true if and only if the real number is positive. The second
    /// field is the value of the Boolean element if the real number is zero.
    Sign(usize, bool),
    /// The observed value of a Boolean that is true if and only if the real number is positive. The second field is the value of the Boolean if the
    /// real number is zero.
    ObservedSign(bool, bool),
    Observed(Datum),
    /// Evidence on the last element of the path from the real number; if the path is empty, evidence on the real number itself.
    Evidence(Evidence),
}

#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The element whose distribution depends on the real number of the likelihood.
    pub(crate) element: AnyElement,
    pub(crate) function: RealFunction,
    pub(crate) weighed: Weighed,
}

impl Site {
    /// Returns the distribution of the real number multiplied by the likelihood, for an assignment of the finite elements; `None` if the likelihood
    /// is zero everywhere. The likelihood must not be a comparison.
    ///
    /// **Errors.** The errors of the model's functions and distributions, as soon as a function panics; [`Error::NotClosedForm`] if a finite element
    /// has a value that is not in its support.
    pub(crate) fn tilted(
        &self,
        finite: &FinitePart<'_>,
        value_of: &dyn Fn(usize) -> u32,
        (mean, variance): (f64, f64),
        peaks: &Peaks,
    ) -> Result<Option<Tilted>, Error> {
        let failures = RefCell::new(Vec::new());
        let panic = OnceCell::new();
        let log = |number: f64| {
            if panic.get().is_some() {
                return f64::NEG_INFINITY;
            }
            match self.log_likelihood(finite, value_of, number) {
                Ok(log) => return log,
                Err(error) if is_panic(&error) => {
                    let _ = panic.set(error);
                }
                Err(error) => {
                    let mut failures = failures.borrow_mut();
                    if failures.len() < MOST_FAILURES {
                        failures.push((number, error));
                    }
                }
            }
            f64::NEG_INFINITY
        };
        // A function that panics for every number panics before the search for peaks, which would look for a number with a likelihood.
        log(mean);
        let tilted = match panic.get() {
            None => RealLikelihood::Log(&log, peaks).tilted(mean, variance),
            Some(_) => None,
        };
        if let Some(error) = panic.into_inner() {
            return Err(error);
        }
        let is_near = |number: f64, mean: f64, variance: f64, reach: f64| {
            (number - mean).abs() <= reach * variance.sqrt()
        };
        let mut failures = failures.into_inner().into_iter();
        let fatal = failures.find(|(number, _)| {
            let of_product = |t: &Tilted| is_near(*number, t.mean, t.variance, REACH_OF_PRODUCT);
            is_near(*number, mean, variance, REACH) || tilted.as_ref().is_none_or(of_product)
        });
        fatal.map_or(Ok(tilted), |(_, error)| Err(error))
    }

    /// Returns a search for narrow peaks of the likelihood. The model has `sites` likelihoods, and this likelihood is computed for `places`
    /// assignments of finite elements. Evidence on a function of a real number may give a likelihood with narrow peaks; the likelihood of a
    /// distribution's value changes slowly.
    pub(crate) fn peaks(&self, sites: usize, places: usize, until: &Until) -> Peaks {
        let all = sites * places;
        let most = |points: usize| (points / all).max(FEWEST_POINTS);
        let first = most(FIRST_POINTS).min(FIRST_POINTS_OF_SITE);
        match &self.weighed {
            Weighed::Evidence(evidence) => {
                let log_maximum = evidence.log_maximum().unwrap_or(f64::INFINITY);
                let is_direct = self.function.path.is_empty();
                let points = if is_direct {
                    MOST_POINTS
                } else {
                    MOST_POINTS / 4
                };
                Peaks::new((first, most(points).max(first)), log_maximum, until.clone())
            }
            Weighed::Observed(_) if matches!(self.element.kind(), Kind::Apply(..)) => Peaks::new(
                (first, most(MOST_POINTS / 4).max(first)),
                0.0,
                until.clone(),
            ),
            _ => Peaks::new((FEWEST_POINTS, FEWEST_POINTS), 0.0, until.clone()),
        }
    }

    /// True if the likelihood is a comparison of the real number with zero.
    pub(crate) fn is_comparison(&self) -> bool {
        matches!(self.weighed, Weighed::Sign(..) | Weighed::ObservedSign(..))
    }

    /// Describes the evidence to which the likelihood belongs.
    pub(crate) fn statement(&self) -> String {
        let element = self.element.label();
        match &self.weighed {
            Weighed::Evidence(evidence) => format!("{element} {evidence:?}"),
            Weighed::Observed(value) => format!("{element} = {value:?}"),
            Weighed::Child(_) | Weighed::Sign(..) | Weighed::ObservedSign(..) => {
                element.to_string()
            }
        }
    }

    /// If the likelihood is a comparison, returns the result of the comparison, and its result if the real number is zero; otherwise returns `None`.
    pub(crate) fn sign(
        &self,
        finite: &FinitePart<'_>,
        value_of: &dyn Fn(usize) -> u32,
    ) -> Option<(bool, bool)> {
        match self.weighed {
            Weighed::Sign(child, at_zero) => {
                let value = finite.support(child).any(value_of(child) as usize);
                Some((value.downcast_ref::<bool>() == Some(&true), at_zero))
            }
            Weighed::ObservedSign(is_true, at_zero) => Some((is_true, at_zero)),
            Weighed::Child(_) | Weighed::Observed(_) | Weighed::Evidence(_) => None,
        }
    }

    /// Returns the natural logarithm of the number of possible values of the finite element to which the likelihood belongs; zero if the element is
    /// observed.
    ///
    /// In the factor graph, the finite element has a uniform distribution over its possible values; the logarithm of their number compensates this
    /// distribution.
    pub(crate) fn log_values(&self, finite: &FinitePart<'_>) -> f64 {
        match self.weighed {
            Weighed::Child(child) | Weighed::Sign(child, _) => {
                (finite.support(child).len() as f64).ln()
            }
            Weighed::Observed(_) | Weighed::ObservedSign(..) | Weighed::Evidence(_) => 0.0,
        }
    }

    /// Returns the natural logarithm of the likelihood at the value `number` of the real number.
    pub(crate) fn log_likelihood(
        &self,
        finite: &FinitePart<'_>,
        value_of: &dyn Fn(usize) -> u32,
        number: f64,
    ) -> Result<f64, Error> {
        if let Weighed::Evidence(evidence) = &self.weighed
            && self.function.path.is_empty()
        {
            return Ok(evidence.weight(&self.element, &number)?.1);
        }
        let values = self.function.values(finite, value_of, number)?;
        let value = match &self.weighed {
            Weighed::Sign(..) | Weighed::ObservedSign(..) => {
                let (is_true, at_zero) = self.sign(finite, value_of).unwrap_or_default();
                let holds = is_true == (number > 0.0 || (number == 0.0 && at_zero));
                return Ok(if holds { 0.0 } else { f64::NEG_INFINITY });
            }
            Weighed::Evidence(evidence) => {
                let value = values.of(&self.element);
                let (_, log) = evidence.weight(&self.element, value.as_any())?;
                return Ok(log);
            }
            Weighed::Observed(value) => value.clone(),
            Weighed::Child(child) => finite.support(*child).datum(value_of(*child) as usize),
        };
        if let (Weighed::Child(child), Kind::Apply(..)) = (&self.weighed, self.element.kind()) {
            let own = values.value(&self.element)?;
            let found = finite.support(*child).index_of(own.as_any());
            let Some(found) = found else {
                let problem = "its function of a real number returned a value that it returned for none of the numbers tried before; write it \
                with `flat_map` to a distribution of all its values";
                return Err(Error::not_closed_form(&self.element, problem));
            };
            let is_same = found == value_of(*child) as usize;
            return Ok(if is_same { 0.0 } else { f64::NEG_INFINITY });
        }
        values.log_prob(&self.element, &value)
    }
}

/// True if a function of the model panicked when the likelihood was evaluated.
pub(crate) fn is_panic(error: &Error) -> bool {
    matches!(
        error,
        Error::Model(ModelError::Function {
            fault: Fault::Panicked(_),
            ..
        })
    )
}

impl RealFunction {
    /// Returns the values of the elements on the path of the function, for the value `number` of the real number and an assignment of the finite
    /// elements.
    pub(crate) fn values<'a>(
        &'a self,
        finite: &'a FinitePart<'_>,
        value_of: &'a dyn Fn(usize) -> u32,
        number: f64,
    ) -> Result<PathValues<'a>, Error> {
        let mut values = PathValues {
            finite,
            value_of,
            known: FxHashMap::default(),
        };
        values.known.insert(self.base.id(), Datum::new(number));
        for (element, rows) in &self.others {
            let index = rows.finite.iter().fold(0, |index, &place| {
                index * finite.support(place).len() + value_of(place) as usize
            });
            let (offset, slope) = rows.rows[index];
            let value = Datum::new(offset + slope * number);
            values.known.insert(element.id(), value);
        }
        for element in &self.path {
            let value = values.value(element)?;
            values.known.insert(element.id(), value);
        }
        Ok(values)
    }
}

pub(crate) struct PathValues<'a> {
    finite: &'a FinitePart<'a>,
    value_of: &'a dyn Fn(usize) -> u32,
    known: FxHashMap<ElementId, Datum>,
}

impl PathValues<'_> {
    /// Returns the value of `element`, which must be finite or on the path of the function.
    fn of(&self, element: &AnyElement) -> Datum {
        self.known.get(&element.id()).map_or_else(
            || {
                let place = self.finite.known_place(element);
                let value = self.finite.value(place, self.value_of);
                self.finite.support(place).datum(value as usize)
            },
            Datum::clone,
        )
    }

    fn with_arguments<R>(&self, element: &AnyElement, call: impl FnOnce(&[&dyn Any]) -> R) -> R {
        let values: Vec<Datum> = element.parents().iter().map(|p| self.of(p)).collect();
        let arguments: Vec<&dyn Any> = values.iter().map(Datum::as_any).collect();
        call(&arguments)
    }

    pub(crate) fn value(&self, element: &AnyElement) -> Result<Datum, Error> {
        let Kind::Apply(_, op) = element.kind() else {
            let problem = "it is not a deterministic function of a real number";
            return Err(Error::not_closed_form(element, problem));
        };
        let value = self.with_arguments(element, |arguments| op.call(arguments));
        Ok(value.map_err(|fault| element.fault(fault))?)
    }

    /// Returns the natural logarithm of the probability, or density, of the value `value` of `element`.
    fn log_prob(&self, element: &AnyElement, value: &Datum) -> Result<f64, Error> {
        let fault = |fault| Error::from(element.fault(fault));
        match element.kind() {
            Kind::Chain(_, op) => self.with_arguments(element, |arguments| {
                if let Some(family) = op.family() {
                    let check = family.check(arguments);
                    check.map_err(|problem| element.invalid(problem))?;
                    return family.log_prob(arguments, value.as_any()).map_err(fault);
                }
                let result = op.call(arguments).map_err(fault)?;
                atomic(element, &result)?
                    .log_prob(value.as_any())
                    .map_err(fault)
            }),
            _ => Ok(if self.value(element)?.same_as(value.as_any()) {
                0.0
            } else {
                f64::NEG_INFINITY
            }),
        }
    }

    /// Calls `add` with each possible value of `element`; returns `false` if the values cannot be listed.
    pub(crate) fn for_each_value(
        &self,
        element: &AnyElement,
        mut add: impl FnMut(&dyn Any),
    ) -> Result<bool, Error> {
        let fault = |fault| Error::from(element.fault(fault));
        let Kind::Chain(_, op) = element.kind() else {
            add(self.value(element)?.as_any());
            return Ok(true);
        };
        let outcomes = self.with_arguments(element, |arguments| {
            if let Some(family) = op.family() {
                let check = family.check(arguments);
                check.map_err(|problem| element.invalid(problem))?;
                return family.outcomes(arguments).map_err(fault);
            }
            let result = op.call(arguments).map_err(fault)?;
            atomic(element, &result)?.outcomes().map_err(fault)
        })?;
        let Ok(outcomes) = outcomes else {
            return Ok(false);
        };
        for index in 0..outcomes.support.len() {
            add(outcomes.support.any(index));
        }
        Ok(true)
    }
}

/// Returns the distribution of the result `result` of the `Chain` `element`.
///
/// **Errors.** [`Error::NotClosedForm`] if the result depends on other elements; the error of invalid parameters of a distribution.
fn atomic<'r>(element: &AnyElement, result: &'r AnyElement) -> Result<&'r dyn AtomicOp, Error> {
    let Kind::Atomic(op) = result.kind() else {
        let problem =
            "its function of a real number returns an element that depends on other elements";
        return Err(Error::not_closed_form(element, problem));
    };
    op.check().map_err(|problem| result.invalid(problem))?;
    Ok(&**op)
}
