//! Parameters of an expansion: the parameters that replace learned elements, and the outcomes whose probabilities depend on them.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::element::learned_prior::LearnedPrior;
use crate::element::node::{AnyElement, ElementId, Kind};
use crate::element::param::Param;
use crate::error::ModelError;
use crate::value::datum::Datum;
use crate::value::support::Support;

/// The parameters that replace [`Learned`](crate::Learned) elements, in the order in which expansions reach these elements.
#[derive(Clone, Debug, Default)]
pub struct LearnedParameters {
    learned: IndexMap<ElementId, LearnedParameter, FxBuildHasher>,
}

/// A learned element and the parameters that replace it.
#[derive(Clone, Debug)]
pub struct LearnedParameter {
    /// The learned element.
    pub element: AnyElement,
    /// One parameter for each number in the element's value.
    pub params: Vec<Param>,
    prior: LearnedPrior,
}

fn prior_of(element: &AnyElement) -> Option<&LearnedPrior> {
    match element.kind() {
        Kind::Atomic(op) => op.prior(),
        _ => None,
    }
}

impl LearnedParameter {
    /// Returns the prior of the learned element.
    pub fn prior(&self) -> &LearnedPrior {
        &self.prior
    }

    /// Sets the parameters to the numbers of `value`, a value of the element; returns `false` if `value` has the wrong number of numbers.
    pub fn set(&self, value: &Datum) -> bool {
        let number = value.get::<f64>().map(std::slice::from_ref);
        let numbers = number.or_else(|| value.get::<Vec<f64>>().map(Vec::as_slice));
        let fits = numbers.filter(|numbers| numbers.len() == self.params.len());
        if let Some(numbers) = fits {
            self.set_numbers(numbers);
        }
        fits.is_some()
    }

    /// Sets each parameter to the number in `numbers` with the same index.
    pub fn set_numbers(&self, numbers: &[f64]) {
        for (param, &x) in self.params.iter().zip(numbers) {
            param.set(x);
        }
    }

    /// Returns the present values of the parameters.
    pub fn numbers(&self) -> Vec<f64> {
        self.params.iter().map(Param::get).collect()
    }

    /// Returns the value of the element that consists of the present values of the parameters.
    pub fn value(&self) -> Datum {
        let numbers = self.numbers();
        if self.prior().is_list() {
            Datum::new(numbers)
        } else {
            Datum::new(numbers[0])
        }
    }
}

impl LearnedParameters {
    /// Returns the learned elements with their parameters, in the order in which expansions reached them.
    pub fn iter(&self) -> impl Iterator<Item = &LearnedParameter> {
        self.learned.values()
    }

    /// Returns the learned element with the index `position`, with its parameters.
    ///
    /// **Panics** if there is no such learned element.
    pub fn at(&self, position: usize) -> &LearnedParameter {
        &self.learned[position]
    }

    /// Returns the index and the parameters of the learned element `element`, if an expansion has reached it.
    pub fn get(&self, element: &AnyElement) -> Option<(usize, &LearnedParameter)> {
        let (position, _, learned) = self.learned.get_full(&element.id())?;
        Some((position, learned))
    }

    /// Returns the parameters of `element`; `None` if it is not a learned element. New parameters have the mean of the element's prior.
    ///
    /// **Errors.** [`ModelError::InvalidParameter`] if the prior is not allowed.
    pub fn of(&mut self, element: &AnyElement) -> Result<Option<&LearnedParameter>, ModelError> {
        let (Kind::Atomic(op), Some(prior)) = (element.kind(), prior_of(element)) else {
            return Ok(None);
        };
        if !self.learned.contains_key(&element.id()) {
            op.check().map_err(|problem| element.invalid(problem))?;
            let name = element.label().name.unwrap_or_default();
            let params = prior.mean().into_iter();
            let learned = LearnedParameter {
                element: element.clone(),
                params: params.map(|x| Param::new(&name, x)).collect(),
                prior: prior.clone(),
            };
            self.learned.insert(element.id(), learned);
        }
        Ok(self.learned.get(&element.id()))
    }
}

/// True if parameters replace `element` in learning.
pub(super) fn is_learned(element: &AnyElement) -> bool {
    prior_of(element).is_some()
}

/// The outcomes of a random element whose probabilities depend on parameters.
#[derive(Clone, Debug)]
pub struct ParametricOutcomes {
    /// The atomic element whose distribution has the parameters: the element itself, or the member of a family that replaces it.
    pub member: AnyElement,
    /// The index of the element in its expansion.
    pub position: usize,
    /// The index of the element's first outcome in the list of all parametric outcomes. The other outcomes of the element have the following indices.
    pub first: u32,
    /// The outcomes of the element; an empty list if only the observed value is an outcome.
    pub support: Support,
}

impl ParametricOutcomes {
    /// Returns the number of parametric outcomes of the element: the number of listed outcomes, or one for the observed value.
    pub fn origins(&self) -> usize {
        self.support.len().max(1)
    }
}
