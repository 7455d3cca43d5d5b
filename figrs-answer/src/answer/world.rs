//! Worlds (assignments of values to elements) that come from a compiled model.

use std::fmt;
use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{AnyElement, Datum, Element, Label, Value};

use crate::error::Error;

/// A decoder of the worlds of a compiled model; the decoder reads a world as a list of value indices.
pub trait WorldDecoder: fmt::Debug + Send + Sync {
    /// Returns the value of an element in a world; `None` if no branch that the world takes leads to the element.
    fn value(&self, element: &AnyElement, values: &[u32]) -> Option<Datum>;
    /// Returns all elements to which the branches of at least one possible world may lead.
    fn elements(&self) -> Vec<AnyElement>;
    /// Returns the error for a query of `element`, if the element has no value in a world.
    fn missing(&self, element: Label) -> Error {
        Error::not_in_world(element)
    }
}

/// A decoder of worlds that are assignments of the variables of a factor graph.
#[derive(Debug)]
pub struct EncodingDecoder {
    pub expansion: Arc<Expansion>,
    pub encoding: Encoding,
}

impl WorldDecoder for EncodingDecoder {
    fn value(&self, element: &AnyElement, values: &[u32]) -> Option<Datum> {
        self.encoding.value(&self.expansion, element, values)
    }

    fn elements(&self) -> Vec<AnyElement> {
        let elements = self.expansion.elements().iter();
        elements.map(|expanded| expanded.element.clone()).collect()
    }
}

/// One world (one assignment of values to elements): the values of all elements to which the branches taken in the world lead. A world from the
/// algorithm `CompiledFrontier` has only the values of the targets.
#[derive(Clone)]
pub struct World {
    reader: Arc<dyn WorldDecoder>,
    values: Vec<u32>,
    log_probability: f64,
}

impl World {
    pub fn new(reader: Arc<dyn WorldDecoder>, values: Vec<u32>, log_probability: f64) -> Self {
        Self {
            reader,
            values,
            log_probability,
        }
    }

    /// Returns the value of an element in this world.
    ///
    /// **Errors.** [`Error::UnknownElement`] if the branches that this world takes do not lead to the element. An error also results for an element
    /// that is not a target, if the world comes from a `CompiledFrontier`, which stores only the values of targets.
    pub fn value<T: Value>(&self, element: &Element<T>) -> Result<T, Error> {
        let value = self.reader.value(element.erased(), &self.values);
        let value = value.and_then(|value| value.get::<T>().cloned());
        value.ok_or_else(|| self.reader.missing(element.label()))
    }

    /// Returns the values of `elements`, which have the same type, in this world.
    ///
    /// **Errors.** The errors of [`value`](Self::value).
    pub fn values<'a, T: Value>(
        &self,
        elements: impl IntoIterator<Item = &'a Element<T>>,
    ) -> Result<Vec<T>, Error> {
        elements
            .into_iter()
            .map(|element| self.value(element))
            .collect()
    }

    /// Returns the natural logarithm of the joint probability of this world and the evidence, including the weights that the evidence
    /// gives to worlds.
    pub fn log_probability(&self) -> f64 {
        self.log_probability
    }

    /// Iterates over all elements of this world with their values.
    pub fn elements(&self) -> impl Iterator<Item = (AnyElement, Datum)> {
        let elements = self.reader.elements().into_iter();
        elements.filter_map(|element| {
            let value = self.reader.value(&element, &self.values)?;
            Some((element, value))
        })
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (element, value) in self.elements() {
            map.entry(&element, &value);
        }
        map.finish()
    }
}
