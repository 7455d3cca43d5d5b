//! `tuple`: the values of several elements as one value, for joint queries and evidence.

use std::panic::Location;

use super::parents::{Arguments, One, Parents};
use crate::element::Element;
use crate::element::apply::apply_with_demand;
use crate::value::Value;
use crate::value::datum::Datum;

/// Arguments of different types that form a single value: a tuple of the parents' values, or the value of a single parent.
pub trait Joint: Arguments {
    /// The type of the single value.
    type Tuple: Value;
    /// Converts references to the parents' values to the single value.
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
    apply_with_demand::<P::Arguments, <P::Arguments as Joint>::Tuple, _>(
        "tuple",
        Location::caller(),
        elements.elements(),
        <P::Arguments as Joint>::join,
        |value, _| value.get().map(<P::Arguments as Joint>::split),
    )
}
