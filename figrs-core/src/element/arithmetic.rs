//! Named arithmetic on elements of numbers.

use std::panic::Location;

use num_traits::Num;

use crate::element::{Element, apply_at};
use crate::value::Value;

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident $operator:tt),+ $(,)?) => {
        impl<T: Value + Num> Element<T> {$(
            $(#[$doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(&self, other: &Self) -> Self {
                let parents = vec![self.erased().clone(), other.erased().clone()];
                apply_at::<(T, T), _, _>(stringify!($name), Location::caller(), parents, |(a, b)| {
                    a.clone() $operator b.clone()
                })
            }
        )+}
    };
}

operations! {
    /// The sum, by the type's own `+`.
    plus +,
    /// The difference, by the type's own `-`.
    minus -,
    /// The product, by the type's own `*`.
    times *,
    /// The quotient, by the type's own `/`; an integer division by zero is an error when it is reached.
    divided_by /,
    /// The remainder, by the type's own `%`.
    modulo %,
}
