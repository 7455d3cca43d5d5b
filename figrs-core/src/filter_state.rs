//! States of dynamic models, such as hidden Markov models.

use crate::{AnyElement, Element, Value};

/// A state of a dynamic model: the elements that one time step passes on to the next.
///
/// An element, a list of states and a tuple of states are states; [`filter_state!`](crate::filter_state) implements the trait for a
/// struct of states.
pub trait FilterState: Sized {
    /// Returns the elements of the state, in a fixed order.
    fn elements(&self) -> Vec<AnyElement>;

    /// Returns the same state with other elements, which `next` supplies in the order of [`elements`](Self::elements).
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

/// A supply of new elements for a state, with the joint distribution that a filter has computed.
#[derive(Debug)]
pub struct NextElements<'b> {
    elements: std::slice::Iter<'b, AnyElement>,
}

impl<'b> NextElements<'b> {
    /// Creates a supply of elements, which are in the order of [`FilterState::elements`].
    #[doc(hidden)]
    pub fn new(elements: &'b [AnyElement]) -> Self {
        Self {
            elements: elements.iter(),
        }
    }

    /// Returns the next element of the state. The type `T` must be the type of the corresponding element of the state.
    #[allow(clippy::missing_panics_doc)]
    pub fn element<T: Value>(&mut self) -> Element<T> {
        let element = self.elements.next().and_then(Element::from_erased);
        element.expect("a state has as many elements as before, of the same types")
    }
}
