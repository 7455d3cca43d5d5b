//! Values of the elements evaluated for one row, in order, looked up by element.

use rustc_hash::FxHashMap;

use figrs_core::element::node::{AnyElement, ElementId};
use figrs_core::value::datum::Datum;

/// Maximum number of values that are searched one after the other instead of by a table: this takes less time than a
/// lookup.
const LINEAR_SEARCH_LIMIT: usize = 16;

/// Values of elements that other elements may refer to.
#[derive(Default)]
pub(super) struct KnownValues {
    values: Vec<(AnyElement, Datum)>,
    /// Positions of the values, once there are many.
    positions: FxHashMap<ElementId, u32>,
}

impl KnownValues {
    /// The value of an element, if it has been evaluated.
    pub(super) fn get(&self, element: &AnyElement) -> Option<&Datum> {
        if self.values.len() > LINEAR_SEARCH_LIMIT {
            let position = *self.positions.get(&element.id())?;
            return self.values.get(position as usize).map(|(_, value)| value);
        }
        let mut latest = self.values.iter().rev();
        latest
            .find(|(known, _)| known.id() == element.id())
            .map(|(_, value)| value)
    }

    pub(super) fn insert(&mut self, element: AnyElement, value: Datum) {
        self.values.push((element, value));
        let indexed = match self.values.len() {
            0..=LINEAR_SEARCH_LIMIT => return,
            length if length == LINEAR_SEARCH_LIMIT + 1 => 0,
            length => length - 1,
        };
        for (position, (element, _)) in self.values.iter().enumerate().skip(indexed) {
            self.positions.insert(element.id(), position as u32);
        }
    }

    /// All values, in the order in which they were found.
    pub(super) fn take(&mut self) -> Vec<(AnyElement, Datum)> {
        self.positions.clear();
        std::mem::take(&mut self.values)
    }

    pub(super) fn as_slice(&self) -> &[(AnyElement, Datum)] {
        &self.values
    }

    /// Approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<(AnyElement, Datum)>()
            + self.positions.capacity() * (size_of::<(ElementId, u32)>() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::KnownValues;
    use figrs_core::element::{Constant, Element};
    use figrs_core::value::datum::Datum;

    #[test]
    fn values_are_found_whether_few_or_many() {
        let elements: Vec<Element<usize>> = (0..100).map(Constant::new).collect();
        let mut known = KnownValues::default();
        for _ in 0..2 {
            for (n, element) in elements.iter().enumerate() {
                assert!(known.get(element.erased()).is_none());
                known.insert(element.erased().clone(), Datum::new(n));
                for (m, element) in elements[..=n].iter().enumerate() {
                    let value = known.get(element.erased()).and_then(Datum::get::<usize>);
                    assert_eq!(value, Some(&m));
                }
            }
            let numbers = known.take().into_iter();
            let numbers = numbers.filter_map(|(_, value)| value.get::<usize>().copied());
            assert!(numbers.eq(0..100));
        }
    }
}
