//! Lists of elements (one element, a tuple or a list) that are the parents of an element or the targets of a query, and the function `tuple`, which
//! joins the values of elements to one value.

use std::any::Any;
use std::iter;
use std::panic::Location;
use std::sync::Arc;

use super::node::{AnyElement, ParentList};
use super::{Element, apply_at, apply_shared_at, chain_at, chain_shared_at};
use crate::element::apply::apply_with_demand;
use crate::value::Value;
use crate::value::datum::Datum;
use crate::value::support::AnyColumn;

/// The values of an element's parents, as typed arguments of a user's function.
pub trait Arguments: 'static {
    /// The type of the typed arguments of a user's function: references to the values of the parents.
    type Refs<'a>;
    /// Converts untyped arguments of a function to typed references.
    fn refs<'a>(arguments: &[&'a dyn Any]) -> Self::Refs<'a>;
    /// The type of typed columns; each column lists many values of one parent of an element.
    type Columns<'a>;
    /// Converts untyped columns of parent values to typed columns.
    fn columns<'a>(arguments: &[&'a dyn AnyColumn]) -> Self::Columns<'a>;
    /// Returns the arguments in the row `row` of the columns of parent values.
    fn row<'a>(columns: &Self::Columns<'a>, row: usize) -> Self::Refs<'a>;
}

/// A function of the values of an element's parents that returns a value of type `R`.
pub(crate) trait Function<A: Arguments, R>:
    for<'a> Fn(A::Refs<'a>) -> R + Send + Sync + 'static
{
}

impl<A: Arguments, R, F> Function<A, R> for F where
    F: for<'a> Fn(A::Refs<'a>) -> R + Send + Sync + 'static
{
}

/// The typed arguments of a function with one parent.
#[derive(Debug)]
pub struct One<T>(std::marker::PhantomData<T>);

/// The typed arguments of a function whose parents form a list of elements of the same type.
#[derive(Debug)]
pub struct Many<T>(std::marker::PhantomData<T>);

/// The typed arguments of a function whose parents form a list of elements of several types.
#[derive(Debug)]
pub struct Mixed(());

fn column<T: Value>(column: &dyn AnyColumn) -> &[T] {
    column
        .as_any()
        .downcast_ref::<Vec<T>>()
        .expect("parents have the types they were built with")
}

fn typed<T: Value>(value: &dyn Any) -> &T {
    value
        .downcast_ref()
        .expect("parents have the types they were built with")
}

impl<T: Value> Arguments for One<T> {
    type Refs<'a> = &'a T;
    fn refs<'a>(arguments: &[&'a dyn Any]) -> &'a T {
        typed(arguments[0])
    }
    type Columns<'a> = &'a [T];
    fn columns<'a>(arguments: &[&'a dyn AnyColumn]) -> &'a [T] {
        column(arguments[0])
    }
    fn row<'a>(columns: &Self::Columns<'a>, row: usize) -> Self::Refs<'a> {
        &columns[row]
    }
}

impl<T: Value> Arguments for Many<T> {
    type Refs<'a> = Vec<&'a T>;
    fn refs<'a>(arguments: &[&'a dyn Any]) -> Vec<&'a T> {
        arguments.iter().map(|&value| typed(value)).collect()
    }
    type Columns<'a> = Vec<&'a [T]>;
    fn columns<'a>(arguments: &[&'a dyn AnyColumn]) -> Vec<&'a [T]> {
        arguments.iter().map(|&values| column(values)).collect()
    }
    fn row<'a>(columns: &Self::Columns<'a>, row: usize) -> Self::Refs<'a> {
        columns.iter().map(|values| &values[row]).collect()
    }
}

impl Arguments for Mixed {
    type Refs<'a> = Vec<&'a dyn Any>;
    fn refs<'a>(arguments: &[&'a dyn Any]) -> Vec<&'a dyn Any> {
        arguments.to_vec()
    }
    type Columns<'a> = Vec<&'a dyn AnyColumn>;
    fn columns<'a>(arguments: &[&'a dyn AnyColumn]) -> Vec<&'a dyn AnyColumn> {
        arguments.to_vec()
    }
    fn row<'a>(columns: &Self::Columns<'a>, row: usize) -> Self::Refs<'a> {
        columns.iter().map(|values| values.any(row)).collect()
    }
}

/// An element, or a reference to an element.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element, a tuple of up to eight elements, or a list of elements",
    label = "give one element, a tuple of up to eight, or a list",
    note = "more than eight elements of one type are a list: `vec![a.clone(), ..]` or `&[..]`; of several types a list of `AnyElement`s, or a `tuple` of tuples"
)]
pub trait AsElement {
    /// The type of the values of the element.
    type Value: Value;
    /// Returns the untyped element itself.
    fn as_element(&self) -> &Element<Self::Value>;
}

impl<T: Value> AsElement for Element<T> {
    type Value = T;
    fn as_element(&self) -> &Element<T> {
        self
    }
}

impl<E: AsElement> AsElement for &E {
    type Value = E::Value;
    fn as_element(&self) -> &Element<E::Value> {
        (**self).as_element()
    }
}

/// A list of elements: a single element, a tuple of up to eight elements, an array or list of elements of one type, or a list of
/// [`AnyElement`]s of several types.
///
/// The elements of a `Parents` value are the parents of an `Apply` or a `Chain`, or the targets of a query. (An array has another method `map`, so
/// use [`Apply::new`](crate::Apply::new) for a function of the elements of an array.)
///
/// The methods of the trait `Parents` can be called on tuples of elements: `(&left, &below).map(|(l, b)| ..)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element, a tuple of up to eight elements, or a list of elements",
    label = "give one element, a tuple of up to eight, or a list",
    note = "more than eight elements of one type are a list: `vec![a.clone(), ..]` or `&[..]`; of several types a list of `AnyElement`s, or a `tuple` of tuples"
)]
pub trait Parents {
    /// The type of the arguments by which a user's function receives the values of the elements in the list.
    type Arguments: Arguments;

    /// Returns the untyped elements of the list, in order.
    fn elements(&self) -> Vec<AnyElement>;

    /// Returns the elements as a list of parents for a node of the model graph.
    #[doc(hidden)]
    fn parent_list(&self) -> ParentList {
        self.elements().into()
    }

    /// Creates the element whose value is `function` of the values of the elements in `self`.
    #[track_caller]
    fn map<T, F>(&self, function: F) -> Element<T>
    where
        T: Value,
        F: for<'a> Fn(<Self::Arguments as Arguments>::Refs<'a>) -> T + Send + Sync + 'static,
    {
        apply_at::<Self::Arguments, T>("map", Location::caller(), self.parent_list(), function)
    }

    /// Creates an element from the values of the elements in `self`: `function` returns an element, whose value is the value of the new element.
    ///
    /// The user's function must be pure: it may be called more than once for the same values, and only for values that a query needs.
    #[track_caller]
    fn flat_map<T, F>(&self, function: F) -> Element<T>
    where
        T: Value,
        F: for<'a> Fn(<Self::Arguments as Arguments>::Refs<'a>) -> Element<T>
            + Send
            + Sync
            + 'static,
    {
        chain_at::<Self::Arguments, T>("flat_map", Location::caller(), self.parent_list(), function)
    }

    /// Creates an element as [`map`](Self::map) does, with a function that several elements share. A result that an algorithm computed for one
    /// element with the shared function can then be used for all elements with this function.
    #[track_caller]
    fn map_shared<T, F>(&self, function: &Arc<F>) -> Element<T>
    where
        T: Value,
        F: for<'a> Fn(<Self::Arguments as Arguments>::Refs<'a>) -> T + Send + Sync + 'static,
    {
        apply_shared_at::<Self::Arguments, T>("map", Location::caller(), self.elements(), function)
    }

    /// Creates an element as [`flat_map`](Self::flat_map) does, with a function that several elements share.
    #[track_caller]
    fn flat_map_shared<T, F>(&self, function: &Arc<F>) -> Element<T>
    where
        T: Value,
        F: for<'a> Fn(<Self::Arguments as Arguments>::Refs<'a>) -> Element<T>
            + Send
            + Sync
            + 'static,
    {
        let location = Location::caller();
        chain_shared_at::<Self::Arguments, T>("flat_map", location, self.elements(), function)
    }
}

impl<E: AsElement> Parents for E {
    type Arguments = One<E::Value>;
    fn elements(&self) -> Vec<AnyElement> {
        vec![self.as_element().erased().clone()]
    }
    fn parent_list(&self) -> ParentList {
        iter::once(self.as_element().erased().clone()).collect()
    }
}

impl<E: AsElement, const N: usize> Parents for [E; N] {
    type Arguments = Many<E::Value>;
    fn elements(&self) -> Vec<AnyElement> {
        self.iter()
            .map(|e| e.as_element().erased().clone())
            .collect()
    }
}

impl Arguments for () {
    type Refs<'a> = ();
    fn refs(_: &[&dyn Any]) {}
    type Columns<'a> = ();
    fn columns(_: &[&dyn AnyColumn]) {}
    fn row<'a>((): &Self::Columns<'a>, _: usize) -> Self::Refs<'a> {}
}

impl Parents for () {
    type Arguments = ();
    fn elements(&self) -> Vec<AnyElement> {
        Vec::new()
    }
}

impl<T: Value> Parents for [Element<T>] {
    type Arguments = Many<T>;
    fn elements(&self) -> Vec<AnyElement> {
        self.iter().map(|e| e.erased().clone()).collect()
    }
}

impl<T: Value> Parents for &[Element<T>] {
    type Arguments = Many<T>;
    fn elements(&self) -> Vec<AnyElement> {
        (**self).elements()
    }
}

impl<T: Value, const N: usize> Parents for &[Element<T>; N] {
    type Arguments = Many<T>;
    fn elements(&self) -> Vec<AnyElement> {
        self.as_slice().elements()
    }
}

impl<T: Value> Parents for Vec<Element<T>> {
    type Arguments = Many<T>;
    fn elements(&self) -> Vec<AnyElement> {
        self.as_slice().elements()
    }
}

impl<T: Value> Parents for &Vec<Element<T>> {
    type Arguments = Many<T>;
    fn elements(&self) -> Vec<AnyElement> {
        self.as_slice().elements()
    }
}

impl Parents for [AnyElement] {
    type Arguments = Mixed;
    fn elements(&self) -> Vec<AnyElement> {
        self.to_vec()
    }
}

impl Parents for &[AnyElement] {
    type Arguments = Mixed;
    fn elements(&self) -> Vec<AnyElement> {
        self.to_vec()
    }
}

impl Parents for Vec<AnyElement> {
    type Arguments = Mixed;
    fn elements(&self) -> Vec<AnyElement> {
        self.clone()
    }
}

impl Parents for &Vec<AnyElement> {
    type Arguments = Mixed;
    fn elements(&self) -> Vec<AnyElement> {
        self.as_slice().elements()
    }
}

macro_rules! tuple {
    ($($element:ident $value:ident $index:tt),+) => {
        impl<$($value: Value),+> Arguments for ($($value,)+) {
            type Refs<'a> = ($(&'a $value,)+);
            fn refs<'a>(arguments: &[&'a dyn Any]) -> Self::Refs<'a> {
                ($(typed::<$value>(arguments[$index]),)+)
            }
            type Columns<'a> = ($(&'a [$value],)+);
            fn columns<'a>(arguments: &[&'a dyn AnyColumn]) -> Self::Columns<'a> {
                ($(column::<$value>(arguments[$index]),)+)
            }
            fn row<'a>(columns: &Self::Columns<'a>, row: usize) -> Self::Refs<'a> {
                ($(&columns.$index[row],)+)
            }
        }
        impl<$($element: AsElement),+> Parents for ($($element,)+) {
            type Arguments = ($($element::Value,)+);
            fn elements(&self) -> Vec<AnyElement> {
                vec![$(self.$index.as_element().erased().clone()),+]
            }
        }
    };
}
tuple!(E0 V0 0);
tuple!(E0 V0 0, E1 V1 1);
tuple!(E0 V0 0, E1 V1 1, E2 V2 2);
tuple!(E0 V0 0, E1 V1 1, E2 V2 2, E3 V3 3);
tuple!(E0 V0 0, E1 V1 1, E2 V2 2, E3 V3 3, E4 V4 4);
tuple!(E0 V0 0, E1 V1 1, E2 V2 2, E3 V3 3, E4 V4 4, E5 V5 5);
tuple!(E0 V0 0, E1 V1 1, E2 V2 2, E3 V3 3, E4 V4 4, E5 V5 5, E6 V6 6);
tuple!(E0 V0 0, E1 V1 1, E2 V2 2, E3 V3 3, E4 V4 4, E5 V5 5, E6 V6 6, E7 V7 7);

impl<T: Value> Element<T> {
    /// Creates the element whose value is `function` of this element's value: [`Apply`](crate::Apply) with one parent.
    #[track_caller]
    pub fn map<U: Value>(&self, function: impl Fn(&T) -> U + Send + Sync + 'static) -> Element<U> {
        Parents::map(self, function)
    }

    /// Creates an element from this element's value: `function` returns another element, which gives the new element its value
    /// ([`Chain`](crate::Chain) with one parent).
    ///
    /// The user's function must be pure: it may be called more than once for the same value, and debug builds compare the results. An exact algorithm
    /// may call the user's function for a value that the parent has in no possible world. If the function fails for a value that the parent has in no
    /// possible world, the failure is ignored.
    #[track_caller]
    pub fn flat_map<U: Value>(
        &self,
        function: impl Fn(&T) -> Element<U> + Send + Sync + 'static,
    ) -> Element<U> {
        Parents::flat_map(self, function)
    }
}

/// A type for which the values of all parents (a tuple of them, or the value of a single parent) form one value.
pub trait Joint: Arguments {
    /// The type of the single value that the values of all parents form.
    type Tuple: Value;
    /// Converts references to the values of all parents to one value, such as their tuple.
    fn join(values: Self::Refs<'_>) -> Self::Tuple;
    /// Splits `tuple` into the values of the parents.
    fn split(tuple: &Self::Tuple) -> Vec<Option<Datum>>;
}

impl<T: Value> Joint for One<T> {
    type Tuple = T;
    fn join(value: &T) -> T {
        value.clone()
    }
    fn split(value: &T) -> Vec<Option<Datum>> {
        vec![Some(Datum::new(value.clone()))]
    }
}

macro_rules! joint {
    ($($value:ident $index:tt),+) => {
        impl<$($value: Value),+> Joint for ($($value,)+) {
            type Tuple = Self;
            fn join(values: ($(&$value,)+)) -> Self {
                ($(values.$index.clone(),)+)
            }
            fn split(tuple: &Self) -> Vec<Option<Datum>> {
                vec![$(Some(Datum::new(tuple.$index.clone()))),+]
            }
        }
    };
}
joint!(V0 0, V1 1);
joint!(V0 0, V1 1, V2 2);
joint!(V0 0, V1 1, V2 2, V3 3);
joint!(V0 0, V1 1, V2 2, V3 3, V4 4);
joint!(V0 0, V1 1, V2 2, V3 3, V4 4, V5 5);
joint!(V0 0, V1 1, V2 2, V3 3, V4 4, V5 5, V6 6);
joint!(V0 0, V1 1, V2 2, V3 3, V4 4, V5 5, V6 6, V7 7);

/// Creates an element whose value is the tuple of the values of `elements`.
///
/// ```
/// # use figrs_core::{Flip, Model, tuple};
/// let (rain, wet) = (Flip::new(0.2), Flip::new(0.3));
/// // Contingent evidence: where it rains, it is wet.
/// let model = Model::new().condition(&tuple((&rain, &wet)), |(rain, wet)| !rain || *wet);
/// # drop(model);
/// ```
#[track_caller]
pub fn tuple<P>(elements: P) -> Element<<P::Arguments as Joint>::Tuple>
where
    P: Parents,
    P::Arguments: Joint,
{
    apply_with_demand::<P::Arguments, <P::Arguments as Joint>::Tuple>(
        "tuple",
        Location::caller(),
        elements.elements(),
        <P::Arguments as Joint>::join,
        |value, _| value.get().map(<P::Arguments as Joint>::split),
    )
}
