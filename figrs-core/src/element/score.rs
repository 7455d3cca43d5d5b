//! `Score`: evidence that holds only in the possible worlds that evaluate it.

use std::panic::Location;

use super::node::Kind;
use crate::element::Element;
use crate::model::evidence::Evidence;
use crate::value::Value;

/// Builds elements with evidence that holds only in the possible worlds that evaluate these elements.
///
/// Evidence in a [`Model`](crate::Model) holds in every possible world. A `Score` inside a branch of a `Chain` (an element that its function returns)
/// changes only the weights of the possible worlds that take this branch.
///
/// ```
/// # use figrs_core::{Constant, Element, Flip, If, Score};
/// let storm = Flip::new(0.1);
/// // In a storm, and only then, the mast must hold.
/// let holds = If::new(&storm, Score::observe(&Flip::new(0.7), true), Constant::new(true));
/// # drop(holds);
/// ```
#[derive(Debug)]
pub struct Score;

impl Score {
    /// Returns a new element that always has the value of `element`. In every possible world that evaluates the new element, the value of the element
    /// must be `value`.
    #[track_caller]
    pub fn observe<T: Value>(element: &Element<T>, value: T) -> Element<T> {
        Self::build(element, Evidence::observe(value), Location::caller())
    }

    /// Returns a new element that always has the value of `element`. In every possible world that evaluates the new element, the value of the element
    /// must pass `test`.
    #[track_caller]
    pub fn condition<T: Value>(
        element: &Element<T>,
        test: impl Fn(&T) -> bool + Send + Sync + 'static,
    ) -> Element<T> {
        Self::build(element, Evidence::condition(test), Location::caller())
    }

    /// Returns a new element that always has the value of `element`. If a possible world evaluates the new element, the weight of the world is
    /// multiplied by the result of `weight` for the value of `element`.
    #[track_caller]
    pub fn weigh<T: Value>(
        element: &Element<T>,
        weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Element<T> {
        Self::build(element, Evidence::weigh(weight), Location::caller())
    }

    /// Returns an element that multiplies the weights of worlds as [`weigh`](Self::weigh) does, with the promise that no weight exceeds `maximum`; a
    /// larger weight is an error.
    #[track_caller]
    pub fn weigh_at_most<T: Value>(
        element: &Element<T>,
        maximum: f64,
        weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Element<T> {
        let evidence = Evidence::weigh_at_most(maximum, weight);
        Self::build(element, evidence, Location::caller())
    }

    /// Returns an element that multiplies the weights of worlds as [`weigh`](Self::weigh) does, given the natural logarithm of the weight.
    #[track_caller]
    pub fn log_weigh<T: Value>(
        element: &Element<T>,
        log_weight: impl Fn(&T) -> f64 + Send + Sync + 'static,
    ) -> Element<T> {
        Self::build(element, Evidence::log_weigh(log_weight), Location::caller())
    }

    fn build<T: Value>(
        element: &Element<T>,
        evidence: Evidence,
        location: &'static Location<'static>,
    ) -> Element<T> {
        let kind = Kind::Score(element.erased().clone(), Box::new(evidence));
        Element::from_kind("Score", location, kind)
    }
}
