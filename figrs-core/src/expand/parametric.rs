//! Parameters of an expansion: the parameters that replace learned elements, and the outcomes whose probabilities they determine.

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
    /// One parameter for each number of the element's value.
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

    /// Sets the parameters to `value`, a value of the element; returns `false` if it has another number of entries.
    pub fn set(&self, value: &Datum) -> bool {
        let number = value.get::<f64>().map(std::slice::from_ref);
        let numbers = number.or_else(|| value.get::<Vec<f64>>().map(Vec::as_slice));
        let fits = numbers.filter(|numbers| numbers.len() == self.params.len());
        if let Some(numbers) = fits {
            self.set_numbers(numbers);
        }
        fits.is_some()
    }

    /// Sets each parameter to the number at its index.
    pub fn set_numbers(&self, numbers: &[f64]) {
        for (param, &x) in self.params.iter().zip(numbers) {
            param.set(x);
        }
    }

    /// Returns the present values of the parameters.
    pub fn numbers(&self) -> Vec<f64> {
        self.params.iter().map(Param::get).collect()
    }

    /// Returns the present value of the element.
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
    /// Returns the parameters in the order in which expansions reached them.
    pub fn iter(&self) -> impl Iterator<Item = &LearnedParameter> {
        self.learned.values()
    }

    /// Returns the learned element of index `position`, with its parameters.
    ///
    /// **Panics** if there is no learned element at that index.
    pub fn at(&self, position: usize) -> &LearnedParameter {
        &self.learned[position]
    }

    /// Returns the index and the parameters of `element`, if an expansion has reached it.
    pub fn get(&self, element: &AnyElement) -> Option<(usize, &LearnedParameter)> {
        let (position, _, learned) = self.learned.get_full(&element.id())?;
        Some((position, learned))
    }

    /// Returns the parameters of `element`, which start at the mean of its prior; `None` if it is not learned.
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

/// True if `element` is replaced by parameters in learning.
pub(super) fn is_learned(element: &AnyElement) -> bool {
    prior_of(element).is_some()
}

/// The outcomes of a random element whose probabilities depend on parameters.
#[derive(Clone, Debug)]
pub struct ParametricOutcomes {
    /// The atomic element whose numbers are the parameters: the element itself, or the member of a family that replaces it.
    pub member: AnyElement,
    /// The index of the element in its expansion.
    pub position: usize,
    /// The index of the element's first outcome in the list of all parametric outcomes; its other outcomes follow.
    pub first: u32,
    /// The outcomes of the element; the list is empty if only the observed value counts as an outcome.
    pub support: Support,
}

impl ParametricOutcomes {
    /// Returns the number of parametric outcomes: the listed outcomes, or one for the observed value.
    pub fn origins(&self) -> usize {
        self.support.len().max(1)
    }
}
