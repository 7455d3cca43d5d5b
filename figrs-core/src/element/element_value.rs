//! Elements as values of other elements, compared by identity.

use std::hash::{Hash, Hasher};

use super::Element;
use super::node::AnyElement;
use crate::value::Value;

impl<T: Value> Value for Element<T> {
    fn same(&self, other: &Self) -> bool {
        self.erased().same(other.erased())
    }
    fn feed<H: Hasher>(&self, hasher: &mut H) {
        self.erased().feed(hasher);
    }
}

impl Value for AnyElement {
    fn same(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
    fn feed<H: Hasher>(&self, hasher: &mut H) {
        self.id().hash(hasher);
    }
}
