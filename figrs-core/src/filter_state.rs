//! States of dynamic models, such as hidden Markov models.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{AnyElement, Datum, Element, Value};

/// A state of a dynamic model: the elements of one time step on which the next time step depends.
///
/// An element, a list of states and a tuple of states implement `FilterState`; [`filter_state!`](crate::filter_state) implements the trait for a
/// struct of states.
pub trait FilterState: Sized {
    /// Returns the elements of the state, in a fixed order.
    fn elements(&self) -> Vec<AnyElement>;

    /// Returns a copy of the state with new elements, which `next` supplies in the order of [`elements`](Self::elements).
    #[must_use]
    fn renewed(&self, next: &mut NextElements<'_>) -> Self;
}

/// Copies names from the elements of `before`, the preceding state, to those elements of `state` that have no names, if both states have the same
/// number of elements.
pub fn inherit_names<S: FilterState>(state: &S, before: &S) {
    let (own, before) = (state.elements(), before.elements());
    if own.len() == before.len() {
        for (own, before) in own.into_iter().zip(&before) {
            let _named = own.with_name_of(before);
        }
    }
}

/// A state of a dynamic model whose values serde can save and load, so that a filter with such states can be saved. Portable states are elements,
/// lists or tuples of portable states, and structs for which [`filter_state!`](crate::filter_state) was called with the types of the fields.
pub trait PortableState: FilterState {
    /// The type that holds the values of the state's elements; an element may have no value.
    type Values: Serialize + DeserializeOwned;

    /// Returns the values of the state's elements; the function `next` supplies the value of one element after another.
    fn values(&self, next: &mut dyn FnMut() -> Option<Datum>) -> Self::Values;

    /// Appends the values `values` of the state's elements to the list `all`.
    fn append(values: Self::Values, all: &mut Vec<Option<Datum>>);
}

impl<T: Value + Serialize + DeserializeOwned> PortableState for Element<T> {
    /// The list contains the value of the element; the list is empty if the element has no value.
    type Values = Vec<T>;

    fn values(&self, next: &mut dyn FnMut() -> Option<Datum>) -> Vec<T> {
        let value = next().and_then(|value| value.get::<T>().cloned());
        value.into_iter().collect()
    }

    fn append(values: Vec<T>, all: &mut Vec<Option<Datum>>) {
        all.push(values.into_iter().next().map(Datum::new));
    }
}

impl<S: PortableState> PortableState for Vec<S> {
    type Values = Vec<S::Values>;

    fn values(&self, next: &mut dyn FnMut() -> Option<Datum>) -> Self::Values {
        self.iter().map(|state| state.values(next)).collect()
    }

    fn append(values: Self::Values, all: &mut Vec<Option<Datum>>) {
        for values in values {
            S::append(values, all);
        }
    }
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

        impl<$($state: PortableState),+> PortableState for ($($state,)+) {
            type Values = ($($state::Values,)+);

            fn values(&self, next: &mut dyn FnMut() -> Option<Datum>) -> Self::Values {
                ($(self.$index.values(next),)+)
            }

            fn append(values: Self::Values, all: &mut Vec<Option<Datum>>) {
                $($state::append(values.$index, all);)+
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

/// Implements [`FilterState`](crate::FilterState) for a struct whose fields are states of a dynamic model:
/// `filter_state!(Track { position, speed });`
///
/// If the types of the fields are given, the macro `filter_state!` also implements [`PortableState`](crate::PortableState), so that a filter can be
/// saved: `filter_state!(Track { position: Element<f64>, is_moving: Element<bool> });`
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
    ($name:ident { $($field:ident: $state:ty),+ $(,)? }) => {
        $crate::filter_state!($name { $($field),+ });

        impl $crate::PortableState for $name {
            type Values = ($(<$state as $crate::PortableState>::Values,)+);

            fn values(
                &self,
                next: &mut dyn FnMut() -> ::core::option::Option<$crate::Datum>,
            ) -> Self::Values {
                ($($crate::PortableState::values(&self.$field, next),)+)
            }

            fn append(
                values: Self::Values,
                all: &mut ::std::vec::Vec<::core::option::Option<$crate::Datum>>,
            ) {
                let ($($field,)+) = values;
                $(<$state as $crate::PortableState>::append($field, all);)+
            }
        }
    };
}

/// A supply of new elements for the state of a dynamic model, which have the joint distribution that a filter has computed.
#[derive(Debug)]
pub struct NextElements<'b> {
    elements: std::slice::Iter<'b, AnyElement>,
}

impl<'b> NextElements<'b> {
    /// Creates a supply of the new elements `elements`, which must be in the order of [`FilterState::elements`].
    #[doc(hidden)]
    pub fn new(elements: &'b [AnyElement]) -> Self {
        Self {
            elements: elements.iter(),
        }
    }

    /// Returns the next element of the state. The type `T` must be the value type of the corresponding element of the state.
    #[allow(clippy::missing_panics_doc)]
    pub fn element<T: Value>(&mut self) -> Element<T> {
        let element = self.elements.next().and_then(Element::from_erased);
        element.expect("a state has as many elements as before, of the same types")
    }
}
