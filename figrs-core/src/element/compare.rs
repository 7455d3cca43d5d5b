//! Named comparisons of elements, because `==` and `<` cannot return elements in Rust.

use std::panic::Location;

use super::apply::{RealComparison, apply_comparison};
use super::parents::One;
use crate::element::{Element, apply_at};
use crate::value::Value;

impl<T: Value> Element<T> {
    /// True if both elements have the same value.
    #[track_caller]
    pub fn equals(&self, other: &Self) -> Element<bool> {
        self.compare("equals", other, Location::caller(), T::same)
    }

    /// True if the values of the two elements differ.
    #[track_caller]
    pub fn differs(&self, other: &Self) -> Element<bool> {
        self.compare("differs", other, Location::caller(), |a, b| !a.same(b))
    }

    /// True if the element has the value `value`.
    #[track_caller]
    pub fn is(&self, value: T) -> Element<bool> {
        let parents = vec![self.erased().clone()];
        apply_at::<One<T>, _, _>("is", Location::caller(), parents, move |v: &T| {
            v.same(&value)
        })
    }

    fn compare(
        &self,
        constructor: &'static str,
        other: &Self,
        location: &'static Location<'static>,
        operation: fn(&T, &T) -> bool,
    ) -> Element<bool> {
        let parents = vec![self.erased().clone(), other.erased().clone()];
        apply_at::<(T, T), _, _>(constructor, location, parents, move |(a, b)| {
            operation(a, b)
        })
    }
}

impl<T: Value + PartialOrd> Element<T> {
    fn order(
        &self,
        constructor: &'static str,
        other: &Self,
        location: &'static Location<'static>,
        (operation, comparison): (fn(&T, &T) -> bool, RealComparison),
    ) -> Element<bool> {
        let parents = vec![self.erased().clone(), other.erased().clone()];
        apply_comparison(constructor, location, parents, (operation, comparison))
    }

    /// True if this element is less than `other`.
    #[track_caller]
    pub fn less_than(&self, other: &Self) -> Element<bool> {
        self.order(
            "less_than",
            other,
            Location::caller(),
            (
                T::lt,
                RealComparison {
                    is_greater: false,
                    if_equal: false,
                },
            ),
        )
    }

    /// True if this element is at most `other`.
    #[track_caller]
    pub fn at_most(&self, other: &Self) -> Element<bool> {
        self.order(
            "at_most",
            other,
            Location::caller(),
            (
                T::le,
                RealComparison {
                    is_greater: false,
                    if_equal: true,
                },
            ),
        )
    }

    /// True if this element is greater than `other`.
    #[track_caller]
    pub fn greater_than(&self, other: &Self) -> Element<bool> {
        self.order(
            "greater_than",
            other,
            Location::caller(),
            (
                T::gt,
                RealComparison {
                    is_greater: true,
                    if_equal: false,
                },
            ),
        )
    }

    /// True if this element is at least `other`.
    #[track_caller]
    pub fn at_least(&self, other: &Self) -> Element<bool> {
        self.order(
            "at_least",
            other,
            Location::caller(),
            (
                T::ge,
                RealComparison {
                    is_greater: true,
                    if_equal: true,
                },
            ),
        )
    }
}
