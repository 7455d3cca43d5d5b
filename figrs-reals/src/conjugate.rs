//! Parameters with a conjugate prior, such as unknown probabilities, rates, precisions and lists of probabilities.
//!
//! In this module, a parameter is a continuous element that is not normal. In a model with a closed form, all elements whose distributions depend on
//! a parameter must be observed or finite. For each assignment of the finite elements, the product of the prior and the likelihoods of a parameter is
//! proportional to a member of the prior's family. The integral of the product of prior and likelihoods over the parameter is a number for each
//! assignment of the finite elements. The integrals over a parameter with a conjugate prior become a factor of the finite elements.

use std::any::{Any, TypeId};
use std::rc::Rc;
use std::sync::Arc;

use figrs_answer::error::Error;
use figrs_core::internals::{AtomicOp, FamilyOp, Kind};
use figrs_core::{AnyElement, Datum, Likelihood, Term};
use smallvec::SmallVec;

use crate::finite_part::FinitePart;
use crate::linear_element::{Conditional, union};

/// The terms of a parameter's log-likelihood that are also allowed if the distribution depends on a multiple of the parameter.
const SCALED: [Term; 4] = [Term::Linear, Term::Square, Term::Inverse, Term::Log];

/// An element that is a parameter with a conjugate prior, or a multiple of such a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Multiple {
    pub(crate) parameter: usize,
    pub(crate) factor: f64,
}

/// A parameter with its conjugate prior, and the elements whose distributions depend on the parameter.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) element: AnyElement,
    /// The prior for each assignment of some finite elements; each prior is an atomic element.
    pub(crate) prior: Rc<Conditional<AnyElement>>,
    pub(crate) readers: Vec<Reader>,
    /// The density of the normal elements whose precisions or variances are multiples of the parameter; `None` if there are no such elements.
    pub(crate) scaled: Option<ScaledNormals>,
    /// True if a `Chain` selects among parameters that include this one; the `Chain` is then used as the parameter.
    pub(crate) is_chosen: bool,
}

/// The density of the observed numbers as a function of a parameter that scales the precisions, or the variances, of all normal elements in the
/// model.
///
/// Let λ be the parameter that scales the normal elements, if it scales their precisions, and its inverse if it scales their variances. The natural
/// logarithm of the density of the observed numbers is `(numbers / 2) ln λ - λ squares / 2`, up to a constant, where λ scales the precisions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaledNormals {
    pub(crate) measure: ScaledQuantity,
    pub(crate) numbers: f64,
    /// The squared Mahalanobis distance of the observed numbers from their means, if the scaling parameter is one.
    pub(crate) squares: f64,
}

/// The quantities of normal elements that are multiples of a parameter: their precisions or their variances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScaledQuantity {
    Precision,
    Variance,
}

impl ScaledQuantity {
    /// Returns the value of the parameter that multiplies the precisions of the normal elements by `precision`.
    fn parameter(self, precision: f64) -> f64 {
        match self {
            Self::Precision => precision,
            Self::Variance => precision.recip(),
        }
    }
}

impl ScaledNormals {
    fn add(&self, likelihood: &mut Likelihood) {
        match self.measure {
            ScaledQuantity::Precision => {
                likelihood.add(Term::Log, 0.5 * self.numbers);
                likelihood.add(Term::Linear, -0.5 * self.squares);
            }
            ScaledQuantity::Variance => {
                likelihood.add(Term::Log, -0.5 * self.numbers);
                likelihood.add(Term::Inverse, -0.5 * self.squares);
            }
        }
    }
}

/// Returns a typical precision of normal numbers whose precision or variance has the distribution `parameter`. A normal number with this precision
/// has the scale of the Student's t-distribution of these numbers. Returns `None` if the distribution of the normal numbers is not a known Student's
/// t-distribution.
pub(crate) fn typical_precision(parameter: &dyn AtomicOp) -> Option<f64> {
    let (_, squared_scale) = parameter.student_t_of_spread()?;
    Some(squared_scale.recip())
}

/// An element whose distribution depends on a parameter with a conjugate prior.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) element: AnyElement,
    /// The index of the parameter among the element's parents.
    pub(crate) open: usize,
    pub(crate) factor: f64,
    pub(crate) value: ReadValue,
    /// The indices of the finite elements on which the element's distribution depends, in ascending order. If the element with the conjugate
    /// parameter is finite, the list includes the element itself.
    pub(crate) scope: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum ReadValue {
    Observed(Datum),
    /// The element that depends on the parameter is finite, and has the contained index among the finite elements.
    Child(usize),
}

/// The posterior of a parameter with a conjugate prior, for one assignment of the finite elements.
#[derive(Clone)]
pub(crate) struct ParameterPosterior {
    pub(crate) distribution: Option<Arc<dyn AtomicOp>>,
    /// The natural logarithm of the integral of the prior times the likelihoods over the parameter.
    pub(crate) log_total: f64,
}

impl ParameterPosterior {
    /// Returns the numbers of the most probable value of the parameter; `None` if the posterior density is unbounded, or if the evidence is
    /// impossible.
    pub(crate) fn mode(&self) -> Option<Vec<f64>> {
        self.distribution.as_ref()?.mode()
    }

    /// Returns the natural logarithm of the maximum of the prior times the likelihoods; `None` if the product is unbounded.
    pub(crate) fn log_max(&self, parameter: &AnyElement) -> Option<f64> {
        let Some(distribution) = &self.distribution else {
            return Some(self.log_total);
        };
        let value = value_of_numbers(parameter, self.mode()?);
        let log = distribution.log_prob(value.as_any()).ok()?;
        log.is_finite().then_some(self.log_total + log)
    }
}

/// Returns `numbers` as a value of the type of `element`: a number or a list of numbers.
pub(crate) fn value_of_numbers(element: &AnyElement, numbers: Vec<f64>) -> Datum {
    let is_number = element.no_values().value_type() == TypeId::of::<f64>();
    match numbers[..] {
        [number] if is_number => Datum::new(number),
        _ => Datum::new(numbers),
    }
}

impl Parameter {
    /// Returns the posterior of the parameter for each assignment of the finite elements on which the prior and the likelihoods depend.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if a likelihood is not conjugate to the prior, or if there are too many assignments.
    pub(crate) fn posteriors(
        &self,
        finite: &FinitePart<'_>,
    ) -> Result<Conditional<ParameterPosterior>, Error> {
        let scopes = self.readers.iter().map(|reader| &reader.scope[..]);
        let scope = union(scopes.chain([&self.prior.finite[..]]));
        let sizes = finite.sizes(&scope);
        let mut rows = SmallVec::new();
        for values in finite.assignments(&self.element, &scope)? {
            let value_of = |place: usize| values[scope.binary_search(&place).unwrap_or_default()];
            let prior = self.prior.row(&scope, &values, &sizes);
            rows.push(self.posterior(finite, prior, &value_of)?);
        }
        Ok(Conditional {
            finite: scope,
            rows,
        })
    }

    fn posterior(
        &self,
        finite: &FinitePart<'_>,
        prior: &AnyElement,
        value_of: &dyn Fn(usize) -> u32,
    ) -> Result<ParameterPosterior, Error> {
        let fault = |fault| Error::from(prior.fault(fault));
        let Kind::Atomic(op) = prior.kind() else {
            return Err(not_conjugate(&self.element, &self.element));
        };
        let mut likelihood = Likelihood::new(op.conjugate_terms());
        let own = middle(prior, &**op);
        for reader in &self.readers {
            reader.with_arguments(finite, value_of, &own, |family, arguments, value| {
                reader.add(family, arguments, value, &mut likelihood)
            })?;
            if likelihood.is_refused() {
                let scaled = reader.scaled(&own);
                let log = reader.with_arguments(finite, value_of, &scaled, log_prob(reader))?;
                if log > f64::NEG_INFINITY {
                    return Err(not_conjugate(&self.element, &reader.element));
                }
                // The value is impossible for every value of the parameter, such as more successes than trials.
                return Ok(ParameterPosterior {
                    distribution: None,
                    log_total: f64::NEG_INFINITY,
                });
            }
        }
        if let Some(scaled) = &self.scaled {
            scaled.add(&mut likelihood);
            if likelihood.is_refused() {
                return Err(not_conjugate(&self.element, &self.element));
            }
        }
        let Some(posterior) = op.posterior(&likelihood).map_err(fault)? else {
            return Err(not_conjugate(&self.element, &self.element));
        };
        // At each value of the parameter, the integral is the product of the prior and the likelihoods, divided by the posterior density. At a
        // typical value of the parameter, the result loses no digits.
        let value = match &self.scaled {
            None => middle(prior, &*posterior),
            Some(scaled) => {
                let precision = typical_precision(&*posterior);
                let value = precision.map(|precision| scaled.measure.parameter(precision));
                Datum::new(value.ok_or_else(|| not_conjugate(&self.element, &self.element))?)
            }
        };
        let mut log_total = op.log_prob(value.as_any()).map_err(fault)?;
        for reader in &self.readers {
            let scaled = reader.scaled(&value);
            log_total += reader.log_values(finite);
            log_total += reader.with_arguments(finite, value_of, &scaled, log_prob(reader))?;
        }
        if log_total > f64::NEG_INFINITY {
            log_total -= posterior.log_prob(value.as_any()).map_err(fault)?;
        }
        Ok(ParameterPosterior {
            distribution: (log_total > f64::NEG_INFINITY).then(|| Arc::from(posterior)),
            log_total,
        })
    }
}

/// Returns a function that computes the natural logarithm of the probability, or density, of a value of `reader`, an element whose distribution
/// depends on a parameter.
fn log_prob(
    reader: &Reader,
) -> impl FnOnce(&dyn FamilyOp, &[&dyn Any], &dyn Any) -> Result<f64, Error> {
    |family, arguments, value| {
        let checked = family.check(arguments);
        checked.map_err(|problem| reader.element.invalid(problem))?;
        let log = family.log_prob(arguments, value);
        Ok(log.map_err(|fault| reader.element.fault(fault))?)
    }
}

/// Returns a typical value of a parameter with a prior of the type of `prior`: the mean of its distribution. If the mean of the prior is infinite,
/// the result is the squared scale of the Student's t-distribution of a normal number whose variance has the prior, or one if this scale does not
/// exist either.
pub(crate) fn middle(prior: &AnyElement, op: &dyn AtomicOp) -> Datum {
    let moments = op.moments().unwrap_or_default();
    let mut means = moments.iter().map(|moments| moments.0);
    if prior.no_values().insert(&0.0).is_some() {
        let mean = means.next().filter(|mean| mean.is_finite());
        let squared_scale = || op.student_t_of_spread().map(|(_, squared)| squared);
        Datum::new(mean.or_else(squared_scale).unwrap_or(1.0))
    } else {
        Datum::new(means.collect::<Vec<f64>>())
    }
}

impl Reader {
    /// Returns the natural logarithm of the number of possible values of a finite element; zero if the element that depends on the parameter is
    /// observed.
    ///
    /// In the factor graph, the finite element has a uniform distribution over its possible values; the logarithm of their number compensates this
    /// distribution.
    fn log_values(&self, finite: &FinitePart<'_>) -> f64 {
        match self.value {
            ReadValue::Child(child) => (finite.support(child).len() as f64).ln(),
            ReadValue::Observed(_) => 0.0,
        }
    }

    /// Returns the value of the parameter's multiple, if the parameter has the value `value`.
    fn scaled(&self, value: &Datum) -> Datum {
        match value.get::<f64>() {
            Some(number) if self.factor != 1.0 => Datum::new(number * self.factor),
            _ => value.clone(),
        }
    }

    /// Calls `call` with the distribution family of this element, the family's arguments, and the value of the element.
    fn with_arguments<R>(
        &self,
        finite: &FinitePart<'_>,
        value_of: &dyn Fn(usize) -> u32,
        parameter: &Datum,
        call: impl FnOnce(&dyn FamilyOp, &[&dyn Any], &dyn Any) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let known = |place: usize| {
            let value = finite.value(place, value_of);
            finite.support(place).any(value as usize)
        };
        let mut arguments: Vec<&dyn Any> = Vec::with_capacity(self.element.parents().len());
        for (position, parent) in self.element.parents().iter().enumerate() {
            arguments.push(if position == self.open {
                parameter.as_any()
            } else {
                known(finite.known_place(parent))
            });
        }
        let Some(family) = self.element.kind().family() else {
            return Err(not_conjugate(&self.element, &self.element));
        };
        match &self.value {
            ReadValue::Observed(value) => call(family, &arguments, value.as_any()),
            ReadValue::Child(place) => call(family, &arguments, known(*place)),
        }
    }

    /// Adds the log-likelihood of the parameter given this element to `likelihood`, for one assignment of the finite elements.
    fn add(
        &self,
        family: &dyn FamilyOp,
        arguments: &[&dyn Any],
        value: &dyn Any,
        likelihood: &mut Likelihood,
    ) -> Result<(), Error> {
        let fault = |fault| Error::from(self.element.fault(fault));
        if self.factor == 1.0 {
            return family
                .likelihood(arguments, self.open, value, likelihood)
                .map_err(fault);
        }
        let mut of_multiple = Likelihood::new(&SCALED);
        family
            .likelihood(arguments, self.open, value, &mut of_multiple)
            .map_err(fault)?;
        if of_multiple.is_refused() {
            likelihood.refuse();
        }
        let factor = self.factor;
        let powers = [factor, factor * factor, factor.recip(), 1.0];
        for (term, power) in SCALED.into_iter().zip(powers) {
            if of_multiple.get(term) != 0.0 {
                likelihood.add(term, of_multiple.get(term) * power);
            }
        }
        Ok(())
    }
}

/// True if `element` can be the prior of a parameter: the element is atomic, continuous, and conjugate to some likelihoods, with known moments.
pub(crate) fn is_prior(element: &AnyElement) -> bool {
    match element.kind() {
        Kind::Atomic(op) => !op.conjugate_terms().is_empty() && op.moments().is_some(),
        _ => false,
    }
}

pub(crate) fn sorted(places: &[usize]) -> Vec<usize> {
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

pub(crate) fn not_conjugate(parameter: &AnyElement, reader: &AnyElement) -> Error {
    let problem = if parameter.id() == reader.id() {
        "its distribution is neither normal nor that of a parameter with a conjugate prior"
            .to_owned()
    } else {
        format!(
            "its prior is not conjugate to the likelihood of {}; conjugate are Beta for Flip, Binomial and Geometric, Gamma for Poisson, for a Rate and for a Precision, InverseGamma for a Variance, Dirichlet for shares",
            reader.label()
        )
    };
    Error::not_closed_form(parameter, problem)
}
