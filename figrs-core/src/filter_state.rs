//! States of models in time.

use crate::{AnyElement, Element, Value};

/// A state of a model in time: the elements that a step hands on to the next step.
///
/// Elements, lists and tuples of states are states; [`filter_state!`](crate::filter_state) makes a struct of states one.
pub trait FilterState: Sized {
    /// The elements of the state, in a fixed order.
    fn elements(&self) -> Vec<AnyElement>;

    /// The same state with other elements, which `next` returns in the order of [`elements`](Self::elements).
    #[must_use]
    fn renewed(&self, next: &mut NextElements<'_>) -> Self;
}

impl<T: Value> FilterState for Element<T> {
    fn elements(&self) -> Vec<AnyElement> {
        vec![self.erased().clone()]
    }

    fn renewed(&self, next: &mut NextElements<'_>) -> Self {
        next.element()
    }
}

impl<S: FilterState> FilterState for Vec<S> {
    fn elements(&self) -> Vec<AnyElement> {
        self.iter().flat_map(S::elements).collect()
    }

    fn renewed(&self, next: &mut NextElements<'_>) -> Self {
        self.iter().map(|state| state.renewed(next)).collect()
    }
}

macro_rules! tuple {
    ($($state:ident $index:tt),+) => {
        impl<$($state: FilterState),+> FilterState for ($($state,)+) {
            fn elements(&self) -> Vec<AnyElement> {
                [$(self.$index.elements()),+].concat()
            }

            fn renewed(&self, next: &mut NextElements<'_>) -> Self {
                ($(self.$index.renewed(next),)+)
            }
        }
    };
}
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);

/// Implements [`FilterState`](crate::FilterState) for a struct whose fields are states: `filter_state!(Track { position, speed });`
#[macro_export]
macro_rules! filter_state {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::FilterState for $name {
            fn elements(&self) -> Vec<$crate::AnyElement> {
                [$($crate::FilterState::elements(&self.$field)),+].concat()
            }

            fn renewed(&self, next: &mut $crate::NextElements<'_>) -> Self {
                Self { $($field: $crate::FilterState::renewed(&self.$field, next)),+ }
            }
        }
    };
}

/// The elements of a state with the distribution that a filter has computed, one after another.
#[derive(Debug)]
pub struct NextElements<'b> {
    elements: std::slice::Iter<'b, AnyElement>,
}

impl<'b> NextElements<'b> {
    /// The elements in the order of [`FilterState::elements`].
    #[doc(hidden)]
    pub fn new(elements: &'b [AnyElement]) -> Self {
        Self {
            elements: elements.iter(),
        }
    }

    /// The next element of the state. Its type is that of the state's element.
    #[allow(clippy::missing_panics_doc)]
    pub fn element<T: Value>(&mut self) -> Element<T> {
        let element = self.elements.next().and_then(Element::from_erased);
        element.expect("a state has as many elements as before, of the same types")
    }
}
