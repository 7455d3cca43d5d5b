//! Boolean operations on elements, by name and by operator.

use std::ops;
use std::panic::Location;

use crate::element::apply::{ImpliedParents, apply_with_demand};
use crate::element::{Element, apply_at};
use crate::value::datum::Datum;

fn all_are(wanted: bool) -> ImpliedParents {
    // A true result of `and`, or a false result of `or`, implies the values of both parents.
    if wanted {
        |value, parents| (value.get() == Some(&true)).then(|| vec![Some(Datum::new(true)); parents])
    } else {
        |value, parents| {
            (value.get() == Some(&false)).then(|| vec![Some(Datum::new(false)); parents])
        }
    }
}

impl Element<bool> {
    /// True if both elements `a` and `b` are true, also written `&a & &b`.
    #[track_caller]
    pub fn and(&self, other: &Self) -> Self {
        let parents = vec![self.erased().clone(), other.erased().clone()];
        apply_with_demand::<(bool, bool), _>(
            "and",
            Location::caller(),
            parents,
            |(&a, &b)| a && b,
            all_are(true),
        )
    }

    /// True if at least one of the elements is true, also written `&a | &b`.
    #[track_caller]
    pub fn or(&self, other: &Self) -> Self {
        let parents = vec![self.erased().clone(), other.erased().clone()];
        apply_with_demand::<(bool, bool), _>(
            "or",
            Location::caller(),
            parents,
            |(&a, &b)| a || b,
            all_are(false),
        )
    }

    /// True if this element is false, also written `!&a`.
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn not(&self) -> Self {
        apply_with_demand::<crate::element::parents::One<bool>, _>(
            "not",
            Location::caller(),
            vec![self.erased().clone()],
            |&a| !a,
            |value, _| value.get::<bool>().map(|&v| vec![Some(Datum::new(!v))]),
        )
    }

    /// True if exactly one of the two elements is true, also written `&a ^ &b`.
    #[track_caller]
    pub fn xor(&self, other: &Self) -> Self {
        self.binary("xor", other, Location::caller(), |a, b| a != b)
    }

    /// False only if this element is true and `other` is false.
    #[track_caller]
    pub fn implies(&self, other: &Self) -> Self {
        self.binary("implies", other, Location::caller(), |a, b| !a || b)
    }

    fn binary(
        &self,
        constructor: &'static str,
        other: &Self,
        location: &'static Location<'static>,
        operation: fn(bool, bool) -> bool,
    ) -> Self {
        let parents = vec![self.erased().clone(), other.erased().clone()];
        apply_at::<(bool, bool), _>(constructor, location, parents, move |(&a, &b)| {
            operation(a, b)
        })
    }
}

macro_rules! operators {
    ($($name:ident $operator:ident $symbol:ident),+) => {$(
        operators!(@pair $name $operator $symbol, Element<bool>, Element<bool>);
        operators!(@pair $name $operator $symbol, Element<bool>, &Element<bool>);
        operators!(@pair $name $operator $symbol, &Element<bool>, Element<bool>);
        operators!(@pair $name $operator $symbol, &Element<bool>, &Element<bool>);
    )+};
    (@pair $name:ident $operator:ident $symbol:ident, $left:ty, $right:ty) => {
        impl ops::$operator<$right> for $left {
            type Output = Element<bool>;
            #[doc = concat!("[`", stringify!($name), "`](Element::", stringify!($name), ")")]
            #[track_caller]
            fn $symbol(self, other: $right) -> Element<bool> {
                Element::$name(&self, &other)
            }
        }
    };
    (@not $type:ty) => {
        impl ops::Not for $type {
            type Output = Element<bool>;
            /// [`not`](Element::not)
            #[track_caller]
            fn not(self) -> Element<bool> {
                Element::not(&self)
            }
        }
    };
}
operators!(and BitAnd bitand, or BitOr bitor, xor BitXor bitxor);
operators!(@not Element<bool>);
operators!(@not &Element<bool>);
