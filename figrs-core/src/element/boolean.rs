//! Named Boolean operations on elements.

use std::panic::Location;

use crate::datum::Datum;
use crate::element::apply::{Demand, apply_with_demand};
use crate::element::{Element, apply_at};

fn all_are(wanted: bool) -> Demand {
    // `and` is true, or `or` false, only where both parents are.
    if wanted {
        |value, parents| (value.get() == Some(&true)).then(|| vec![Some(Datum::new(true)); parents])
    } else {
        |value, parents| {
            (value.get() == Some(&false)).then(|| vec![Some(Datum::new(false)); parents])
        }
    }
}

impl Element<bool> {
    /// True where both are true.
    #[track_caller]
    pub fn and(&self, other: &Self) -> Self {
        let parents = vec![self.erased().clone(), other.erased().clone()];
        apply_with_demand::<(bool, bool), _, _>(
            "and",
            Location::caller(),
            parents,
            |(&a, &b)| a && b,
            all_are(true),
        )
    }

    /// True where at least one is true.
    #[track_caller]
    pub fn or(&self, other: &Self) -> Self {
        let parents = vec![self.erased().clone(), other.erased().clone()];
        apply_with_demand::<(bool, bool), _, _>(
            "or",
            Location::caller(),
            parents,
            |(&a, &b)| a || b,
            all_are(false),
        )
    }

    /// True where this is false.
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn not(&self) -> Self {
        apply_with_demand::<crate::parents::One<bool>, _, _>(
            "not",
            Location::caller(),
            vec![self.erased().clone()],
            |&a| !a,
            |value, _| value.get::<bool>().map(|&v| vec![Some(Datum::new(!v))]),
        )
    }

    /// True where exactly one is true.
    #[track_caller]
    pub fn xor(&self, other: &Self) -> Self {
        self.binary("xor", other, Location::caller(), |a, b| a != b)
    }

    /// False only where this is true and `other` is not.
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
        apply_at::<(bool, bool), _, _>(constructor, location, parents, move |(&a, &b)| {
            operation(a, b)
        })
    }
}
