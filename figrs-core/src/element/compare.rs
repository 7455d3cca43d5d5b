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
        self.compare("equals", other, T::same)
    }

    /// True if the values of the two elements differ.
    #[track_caller]
    pub fn differs(&self, other: &Self) -> Element<bool> {
        self.compare("differs", other, |a, b| !a.same(b))
    }

    /// True if the element has the value `value`.
    #[track_caller]
    pub fn is(&self, value: T) -> Element<bool> {
        let parents = vec![self.erased().clone()];
        apply_at::<One<T>, _>("is", Location::caller(), parents, move |v: &T| {
            v.same(&value)
        })
    }

    #[track_caller]
    fn compare(
        &self,
        constructor: &'static str,
        other: &Self,
        operation: fn(&T, &T) -> bool,
    ) -> Element<bool> {
        let parents = vec![self.erased().clone(), other.erased().clone()];
        let function = move |(a, b): (&T, &T)| operation(a, b);
        apply_at::<(T, T), _>(constructor, Location::caller(), parents, function)
    }
}

impl<T: Value + PartialOrd> Element<T> {
    #[track_caller]
    fn order(
        &self,
        constructor: &'static str,
        other: &Self,
        operation: fn(&T, &T) -> bool,
        comparison: RealComparison,
    ) -> Element<bool> {
        let parents = vec![self.erased().clone(), other.erased().clone()];
        let function = (operation, comparison);
        apply_comparison(constructor, Location::caller(), parents, function)
    }

    /// True if this element is less than `other`.
    #[track_caller]
    pub fn less_than(&self, other: &Self) -> Element<bool> {
        self.order("less_than", other, T::lt, RealComparison::LESS_THAN)
    }

    /// True if this element is at most `other`.
    #[track_caller]
    pub fn at_most(&self, other: &Self) -> Element<bool> {
        self.order("at_most", other, T::le, RealComparison::AT_MOST)
    }

    /// True if this element is greater than `other`.
    #[track_caller]
    pub fn greater_than(&self, other: &Self) -> Element<bool> {
        self.order("greater_than", other, T::gt, RealComparison::GREATER_THAN)
    }

    /// True if this element is at least `other`.
    #[track_caller]
    pub fn at_least(&self, other: &Self) -> Element<bool> {
        self.order("at_least", other, T::ge, RealComparison::AT_LEAST)
    }
}
