//! Elements of any family, and functions that read answers about them.

use std::any::Any;

use figrs::{Predict, Query};
use figrs_core::{AnyElement, Datum, Element, Model};
use figrs_infer::{Answer, Bounds, Error, Quality};

use super::description::{FamilyName, Ref};
use super::family::{Family, Scope};

/// An element of any family.
#[derive(Clone, Debug)]
pub enum Target {
    /// An element of numbers.
    Number(Element<u32>),
    /// An element of Booleans.
    Boolean(Element<bool>),
    /// An element of pairs.
    Pair(Element<(bool, u32)>),
}

impl Target {
    pub(super) fn new(scope: &Scope, family: FamilyName, reference: Ref) -> Self {
        match family {
            FamilyName::Number => Self::Number(u32::pick(scope, reference)),
            FamilyName::Boolean => Self::Boolean(bool::pick(scope, reference)),
            FamilyName::Pair => Self::Pair(Family::pick(scope, reference)),
        }
    }

    /// Returns the element without its type.
    pub fn erased(&self) -> AnyElement {
        match self {
            Self::Number(element) => element.erased().clone(),
            Self::Boolean(element) => element.erased().clone(),
            Self::Pair(element) => element.erased().clone(),
        }
    }

    /// Returns the probability of each value, at the index of its code.
    pub fn probabilities(&self, answer: &Answer) -> Result<[f64; 8], Error> {
        fn of<T: Family>(answer: &Answer, element: &Element<T>) -> Result<[f64; 8], Error> {
            let mut all = [0.0; 8];
            for (value, p) in &answer.distribution(element)? {
                all[value.code() as usize] += p;
            }
            Ok(all)
        }
        match self {
            Self::Number(element) => of(answer, element),
            Self::Boolean(element) => of(answer, element),
            Self::Pair(element) => of(answer, element),
        }
    }

    /// Returns the share of each value, at the index of its code, among posterior predictive draws of an answer.
    pub fn predicted(&self, answer: &Answer, count: usize, seed: u64) -> Result<[f64; 8], Error> {
        fn of<T: Family>(
            answer: &Answer,
            element: &Element<T>,
            (count, seed): (usize, u64),
        ) -> Result<[f64; 8], Error> {
            let mut all = [0.0; 8];
            for value in answer.predict(element)?.draws(count, seed)? {
                all[value.code() as usize] += 1.0 / count as f64;
            }
            Ok(all)
        }
        match self {
            Self::Number(element) => of(answer, element, (count, seed)),
            Self::Boolean(element) => of(answer, element, (count, seed)),
            Self::Pair(element) => of(answer, element, (count, seed)),
        }
    }

    /// Returns an element of the codes of this element's values.
    pub fn coded(&self) -> Element<u64> {
        match self {
            Self::Number(element) => element.map(Family::code),
            Self::Boolean(element) => element.map(Family::code),
            Self::Pair(element) => element.map(Family::code),
        }
    }

    /// Returns the query for the expectation of a function of the value's code.
    pub fn expectation(&self, number: impl Fn(u64) -> f64 + Send + Sync + 'static) -> Query {
        match self {
            Self::Number(element) => Query::expectation(element, move |v| number(v.code())),
            Self::Boolean(element) => Query::expectation(element, move |v| number(v.code())),
            Self::Pair(element) => Query::expectation(element, move |v| number(v.code())),
        }
    }

    /// Returns the standard error of the probability of the value with this code.
    pub fn standard_error(&self, answer: &Answer, code: u64) -> Result<f64, Error> {
        match self {
            Self::Number(element) => answer.standard_error(element, &Family::decode(code)),
            Self::Boolean(element) => answer.standard_error(element, &Family::decode(code)),
            Self::Pair(element) => answer.standard_error(element, &Family::decode(code)),
        }
    }

    /// Returns the quality of the answer about this target.
    pub fn quality(&self, answer: &Answer) -> Result<Quality, Error> {
        match self {
            Self::Number(element) => answer.quality(element),
            Self::Boolean(element) => answer.quality(element),
            Self::Pair(element) => answer.quality(element),
        }
    }

    /// Returns the bounds of the probability of an event, which consists of the values whose codes have a bit in `event`.
    pub fn bounds(&self, answer: &Answer, event: u8) -> Result<Bounds, Error> {
        fn of<T: Family>(
            answer: &Answer,
            element: &Element<T>,
            event: u8,
        ) -> Result<Bounds, Error> {
            answer.bounds_that(element, |v| event >> v.code() & 1 == 1)
        }
        match self {
            Self::Number(element) => of(answer, element, event),
            Self::Boolean(element) => of(answer, element, event),
            Self::Pair(element) => of(answer, element, event),
        }
    }

    /// Returns the code of a value of this element.
    ///
    /// # Panics
    ///
    /// Panics if the value is of another type.
    pub fn code(&self, value: &Datum) -> u64 {
        self.code_of(value.as_any())
    }

    /// Returns the code of a value of this element that is given without its type.
    ///
    /// # Panics
    ///
    /// Panics if the value is of another type.
    pub fn code_of(&self, value: &dyn Any) -> u64 {
        let code = match self {
            Self::Number(_) => value.downcast_ref::<u32>().map(Family::code),
            Self::Boolean(_) => value.downcast_ref::<bool>().map(Family::code),
            Self::Pair(_) => value.downcast_ref::<(bool, u32)>().map(Family::code),
        };
        code.expect("a value of the target's type")
    }

    /// Returns the code of the element's value in the world of an answer.
    pub fn in_world(&self, answer: &Answer) -> Result<u64, Error> {
        match self {
            Self::Number(element) => answer.most_likely_value(element).map(|v| v.code()),
            Self::Boolean(element) => answer.most_likely_value(element).map(|v| v.code()),
            Self::Pair(element) => answer.most_likely_value(element).map(|v| v.code()),
        }
    }

    /// Returns the model with the observation that the element has the value with this code.
    pub fn observe(&self, model: Model, code: u64) -> Model {
        match self {
            Self::Number(element) => model.observe(element, Family::decode(code)),
            Self::Boolean(element) => model.observe(element, Family::decode(code)),
            Self::Pair(element) => model.observe(element, Family::decode(code)),
        }
    }
}
