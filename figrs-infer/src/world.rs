//! One world of a compiled model.

use std::fmt;
use std::sync::Arc;

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::{AnyElement, Datum, Element, Value};

use crate::error::Error;

/// What is needed to read the worlds of a compiled model.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) expansion: Arc<Expansion>,
    pub(crate) encoding: Encoding,
}

/// One world: the values of all elements that it reaches.
#[derive(Clone)]
pub struct World {
    reader: Arc<Reader>,
    values: Vec<u32>,
    log_probability: f64,
}

impl World {
    pub(crate) fn new(reader: Arc<Reader>, values: Vec<u32>, log_probability: f64) -> Self {
        Self {
            reader,
            values,
            log_probability,
        }
    }

    /// The value of an element.
    ///
    /// **Errors.** [`Error::NotInWorld`] if no branch that was taken reaches it.
    pub fn value<T: Value>(&self, element: &Element<T>) -> Result<T, Error> {
        let reader = &self.reader;
        let value = reader
            .encoding
            .value(&reader.expansion, element.erased(), &self.values);
        let value = value.and_then(|value| value.get::<T>().cloned());
        value.ok_or_else(|| Error::NotInWorld {
            element: element.label(),
        })
    }

    /// The values of some elements of one type.
    pub fn values<'a, T: Value>(
        &self,
        elements: impl IntoIterator<Item = &'a Element<T>>,
    ) -> Result<Vec<T>, Error> {
        elements
            .into_iter()
            .map(|element| self.value(element))
            .collect()
    }

    /// The natural logarithm of the probability of this world and the evidence, soft weights included.
    pub fn log_probability(&self) -> f64 {
        self.log_probability
    }

    /// All elements of the world with their values.
    pub fn elements(&self) -> impl Iterator<Item = (AnyElement, Datum)> {
        let reader = &self.reader;
        reader.expansion.elements().iter().filter_map(|expanded| {
            let value =
                reader
                    .encoding
                    .value(&reader.expansion, &expanded.element, &self.values)?;
            Some((expanded.element.clone(), value))
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
