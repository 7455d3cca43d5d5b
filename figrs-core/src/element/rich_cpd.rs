//! `RichCpd`: a conditional distribution whose clauses hold for sets of parent values.

use std::panic::Location;

use super::parents::{Arguments, AsElement, One, Parents};
use crate::element::Element;
use crate::element::chain::fallible_chain_at;
use crate::error::Fault;
use crate::value::Value;

/// A set of values of one parent, used as a pattern in a clause of a [`RichCpd`](crate::RichCpd).
#[derive(Clone, Debug)]
pub enum ValuePattern<T> {
    /// The pattern accepts any of the listed values.
    OneOf(Vec<T>),
    /// The pattern accepts any value except the listed values.
    NoneOf(Vec<T>),
    /// The pattern accepts every value of the parent.
    Any,
}

/// Builds a pattern that accepts only `values`.
pub fn one_of<T: Value>(values: impl IntoIterator<Item = T>) -> ValuePattern<T> {
    ValuePattern::OneOf(values.into_iter().collect())
}

/// Builds a pattern that accepts all values except `values`.
pub fn none_of<T: Value>(values: impl IntoIterator<Item = T>) -> ValuePattern<T> {
    ValuePattern::NoneOf(values.into_iter().collect())
}

/// Builds a pattern that accepts every value.
pub fn any<T: Value>() -> ValuePattern<T> {
    ValuePattern::Any
}

impl<T: Value> ValuePattern<T> {
    fn accepts(&self, value: &T) -> bool {
        match self {
            Self::OneOf(values) => values.iter().any(|v| v.same(value)),
            Self::NoneOf(values) => !values.iter().any(|v| v.same(value)),
            Self::Any => true,
        }
    }
}

/// A clause of a conditional distribution: a pattern for the value of each parent.
pub trait Clause<A: Arguments>: Send + Sync + 'static {
    /// True if the patterns of the clause accept the values of all parents.
    fn accepts(&self, values: &A::Refs<'_>) -> bool;
}

impl<T: Value> Clause<One<T>> for ValuePattern<T> {
    fn accepts(&self, value: &&T) -> bool {
        ValuePattern::accepts(self, value)
    }
}

macro_rules! clause {
    ($($value:ident $index:tt),+) => {
        impl<$($value: Value),+> Clause<($($value,)+)> for ($(ValuePattern<$value>,)+) {
            fn accepts(&self, values: &($(&$value,)+)) -> bool {
                $(self.$index.accepts(values.$index))&&+
            }
        }
    };
}
clause!(V0 0, V1 1);
clause!(V0 0, V1 1, V2 2);
clause!(V0 0, V1 1, V2 2, V3 3);
clause!(V0 0, V1 1, V2 2, V3 3, V4 4);
clause!(V0 0, V1 1, V2 2, V3 3, V4 4, V5 5);
clause!(V0 0, V1 1, V2 2, V3 3, V4 4, V5 5, V6 6);
clause!(V0 0, V1 1, V2 2, V3 3, V4 4, V5 5, V6 6, V7 7);

/// Builds an element from clauses: the first clause that accepts the parents' values gives the distribution.
#[derive(Debug)]
pub struct RichCpd;

impl RichCpd {
    /// Creates the element that takes its value from the element of the first clause that accepts the parents' values. If no clause accepts the
    /// values that the parents have in a possible world, that world has an error.
    ///
    /// ```
    /// # use figrs_core::{Flip, RichCpd, Uniform, any, none_of, one_of};
    /// let (die, coin) = (Uniform::new(1..=6), Flip::new(0.5));
    /// let wins = RichCpd::new((&die, &coin), [
    ///     ((one_of([6]), any()), Flip::new(0.9)),
    ///     ((none_of([1]), one_of([true])), Flip::new(0.5)),
    ///     ((any(), any()), Flip::new(0.1)),
    /// ]);
    /// # drop(wins);
    /// ```
    #[track_caller]
    pub fn new<P, E, C>(parents: P, clauses: impl IntoIterator<Item = (C, E)>) -> Element<E::Value>
    where
        P: Parents,
        E: AsElement,
        C: Clause<P::Arguments>,
    {
        let clauses: Vec<(C, Element<E::Value>)> = clauses
            .into_iter()
            .map(|(clause, element)| (clause, element.as_element().clone()))
            .collect();
        let first = move |values: <P::Arguments as Arguments>::Refs<'_>| {
            clauses
                .iter()
                .find(|(clause, _)| clause.accepts(&values))
                .map(|(_, element)| element.clone())
                .ok_or_else(|| {
                    Fault::Row(format!(
                        "none of its {} clauses accepts these parent values; add one",
                        clauses.len()
                    ))
                })
        };
        let location = Location::caller();
        fallible_chain_at::<P::Arguments, E::Value>("RichCpd", location, parents.elements(), first)
    }
}
