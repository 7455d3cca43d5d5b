//! `If`: one of two elements, selected by a test.

use std::panic::Location;

use super::parents::{AsElement, One};
use crate::element::{Element, chain_at};
use crate::value::Value;

/// Builds the element that has the value of one of two elements, chosen by the value of a Boolean element.
#[derive(Debug)]
pub struct If;

impl If {
    /// Creates the element that has the value of `then` if `test` is true, and the value of `otherwise` if `test` is false. In each possible world,
    /// `If` evaluates only the branch that the test selects.
    #[track_caller]
    pub fn new<T: Value>(
        test: &Element<bool>,
        then: impl AsElement<Value = T>,
        otherwise: impl AsElement<Value = T>,
    ) -> Element<T> {
        let then = then.as_element().clone();
        let otherwise = otherwise.as_element().clone();
        if_at("If", Location::caller(), test, then, otherwise)
    }
}

pub(crate) fn if_at<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    test: &Element<bool>,
    then: Element<T>,
    otherwise: Element<T>,
) -> Element<T> {
    let parents = vec![test.erased().clone()];
    chain_at::<One<bool>, T>(constructor, location, parents, move |&test| {
        if test {
            then.clone()
        } else {
            otherwise.clone()
        }
    })
}
