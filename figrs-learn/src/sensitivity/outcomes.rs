//! Probabilities of outcomes as functions of the model's parameters.

use figrs_core::expand::{Content, Expansion, ParametricOutcomes};
use figrs_core::internals::AtomicOp;
use figrs_core::{AnyElement, Datum, Number, Param};
use rustc_hash::FxHashMap;

use figrs_answer::error::Error;

/// Largest deviation of a sum of probabilities from 1, or of a sum of their derivatives from 0, that counts as a rounding error. The deviation of the
/// sum is measured relative to the sum of magnitudes.
const ROUNDING: f64 = 1e-7;

/// The outcomes of those random variables whose probabilities depend on parameters. The index of an outcome identifies the factor entries that are
/// the probability of the outcome.
#[derive(Debug)]
pub(super) struct DifferentiableOutcomes {
    members: Vec<DifferentiableMember>,
}

/// A random variable whose probabilities depend on parameters, with its outcomes.
#[derive(Debug)]
struct DifferentiableMember {
    element: AnyElement,
    first: u32,
    /// The values of all outcomes of the random variable. If the outcomes of the variable cannot be listed, the list contains its single observed
    /// value, or nothing if several values are observed.
    values: Vec<Datum>,
    /// `true` if the probabilities of the listed values sum to one.
    is_complete: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct WeightDerivative {
    /// The index of the outcome whose probability is the factor entry.
    pub(super) origin: u32,
    /// The derivative of the logarithm of the factor entry; if the entry is 0, the derivative of the entry itself.
    pub(super) slope: f64,
}

impl DifferentiableMember {
    fn op(&self) -> Option<&dyn AtomicOp> {
        self.element.kind().atomic()
    }

    /// Returns the indices of `parameter` among the numbers of the random variable's distribution.
    fn places(&self, parameter: &Param) -> Vec<usize> {
        let numbers = self.op().map_or(&[][..], AtomicOp::numbers).iter();
        let is_it =
            |number: &Number| matches!(number, Number::Param(p) if p.id() == parameter.id());
        let places = numbers.enumerate().filter(|(_, number)| is_it(number));
        places.map(|(place, _)| place).collect()
    }

    fn unknown(&self, parameter: &Param) -> Error {
        Error::UnknownDependence {
            parameter: format!("{parameter:?}"),
            element: self.element.label(),
        }
    }
}

/// Returns, for each random variable that is a possible result of `Chain` elements, the indices of these `Chain` elements.
fn chains_of_results(expansion: &Expansion) -> FxHashMap<usize, Vec<usize>> {
    let mut chains = FxHashMap::<usize, Vec<usize>>::default();
    for (chain, expanded) in expansion.elements().iter().enumerate() {
        if let Content::Chain { results, .. } = &expanded.content {
            for &result in results {
                chains.entry(result).or_default().push(chain);
            }
        }
    }
    chains
}

/// Returns the observed value of the random variable with the index `position`, whose outcomes cannot be listed. Evidence may observe the variable
/// itself, or a `Chain` that has the variable as its result. The result is `None` unless exactly one value is observed.
fn observed_value(expansion: &Expansion, position: usize, holders: &[usize]) -> Option<Datum> {
    let mut found = None;
    for holder in holders.iter().chain([&position]) {
        let holder = &expansion.elements()[*holder];
        if holder.support.is_empty() {
            continue;
        }
        let value = holder.support.datum(0);
        if holder.support.len() > 1 || found.as_ref().is_some_and(|found| *found != value) {
            return None;
        }
        found = Some(value);
    }
    found
}

impl DifferentiableOutcomes {
    /// Lists those outcomes of the expanded model (lists of possible values) whose probabilities depend on parameters.
    pub(super) fn new(expansion: &Expansion) -> Self {
        let chains = chains_of_results(expansion);
        let member = |parametric: &ParametricOutcomes| {
            let support = &parametric.support;
            let is_complete = !support.is_empty();
            let values = if is_complete {
                (0..support.len()).map(|i| support.datum(i)).collect()
            } else {
                let position = parametric.position;
                let holders = chains.get(&position).map_or(&[][..], Vec::as_slice);
                let value = observed_value(expansion, position, holders);
                value.into_iter().collect()
            };
            DifferentiableMember {
                element: parametric.member.clone(),
                first: parametric.first,
                values,
                is_complete,
            }
        };
        Self {
            members: expansion.parametric_outcomes().iter().map(member).collect(),
        }
    }

    pub(super) fn depend_on(&self, parameter: &Param) -> bool {
        let mut members = self.members.iter();
        members.any(|member| !member.places(parameter).is_empty())
    }

    pub(super) fn len(&self) -> usize {
        let last = self.members.last();
        last.map_or(0, |last| last.first as usize + last.values.len().max(1))
    }

    /// Returns the derivatives of the factor entries that depend on `parameter`.
    ///
    /// **Errors.** [`Error::UnknownDependence`] if the derivative of an entry is not known.
    pub(super) fn derivatives(&self, parameter: &Param) -> Result<Vec<WeightDerivative>, Error> {
        let mut found = Vec::new();
        for member in &self.members {
            let (places, Some(op)) = (member.places(parameter), member.op()) else {
                continue;
            };
            if places.is_empty() {
                continue;
            }
            if member.values.is_empty() {
                return Err(member.unknown(parameter));
            }
            let (mut sum, mut magnitude) = (0.0, 0.0);
            for (origin, value) in (member.first..).zip(&member.values) {
                let mut slope = 0.0;
                for &place in &places {
                    let known = op.log_prob_derivative(place, value.as_any());
                    let known = known.map_err(|fault| member.element.fault(fault))?;
                    slope += known.ok_or_else(|| member.unknown(parameter))?;
                }
                let log = op.log_prob(value.as_any());
                let log = log.map_err(|fault| member.element.fault(fault))?;
                let of_weight = if log > f64::NEG_INFINITY {
                    log.exp() * slope
                } else {
                    slope
                };
                sum += of_weight;
                magnitude += of_weight.abs();
                found.push(WeightDerivative { origin, slope });
            }
            // If the derivatives do not sum to 0, a derivative is wrong, or a further value becomes possible when the parameter changes slightly.
            if member.is_complete && sum.abs() > ROUNDING * (1.0 + magnitude) {
                return Err(member.unknown(parameter));
            }
        }
        Ok(found)
    }

    /// Returns the natural logarithm of each factor entry that depends on `parameter`, if `parameter` has the value `value`. The keys of the map are
    /// the indices of the outcomes to which these factor entries belong.
    ///
    /// **Errors.** [`Error::NoAnswerAt`] if `parameter` cannot have the value `value`; [`Error::UnknownDependence`] if it is not known how a factor
    /// entry depends on `parameter`.
    pub(super) fn log_weights(
        &self,
        parameter: &Param,
        value: f64,
    ) -> Result<FxHashMap<u32, f64>, Error> {
        let mut logs = FxHashMap::default();
        for member in &self.members {
            let Some(op) = member.op() else { continue };
            let numbers = op.numbers().iter();
            let numbers: Vec<f64> = numbers
                .map(|number| match number {
                    Number::Param(p) if p.id() == parameter.id() => value,
                    number => number.get(),
                })
                .collect();
            if member.places(parameter).is_empty() {
                continue;
            }
            if member.values.is_empty() {
                return Err(member.unknown(parameter));
            }
            let mut sum = 0.0;
            for (origin, outcome) in (member.first..).zip(&member.values) {
                let log = op.log_prob_with(&numbers, outcome.as_any());
                let log = match log.map_err(|fault| member.element.fault(fault))? {
                    Some(Ok(log)) => log,
                    Some(Err(problem)) => {
                        return Err(Error::NoAnswerAt {
                            parameter: parameter.name().to_string(),
                            value,
                            problem: format!("{:?}: {problem}", member.element),
                        });
                    }
                    None => return Err(member.unknown(parameter)),
                };
                sum += log.exp();
                logs.insert(origin, log);
            }
            if member.is_complete && (sum - 1.0).abs() > ROUNDING {
                return Err(member.unknown(parameter));
            }
        }
        Ok(logs)
    }
}
