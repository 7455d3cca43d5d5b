//! `Dist`: the value of one of several elements, chosen with weights.

use std::panic::Location;

use super::param::Operand;
use super::parents::{AsElement, One};
use crate::element::select::select_at;
use crate::element::{Element, chain_at};

/// Builds an element that takes the value of one of several elements, chosen at random with given weights.
#[derive(Debug)]
pub struct Dist;

impl Dist {
    /// Creates an element with the value of one of `outcomes`; each weight is a number, a
    /// [`Param`](crate::Param), or an element.
    ///
    /// The choice among the elements is independent of all other random choices.
    #[track_caller]
    pub fn new<E: AsElement, W: Into<Operand>>(
        outcomes: impl IntoIterator<Item = (W, E)>,
    ) -> Element<E::Value> {
        let location = Location::caller();
        let outcomes = outcomes.into_iter();
        let (weights, elements): (Vec<Operand>, Vec<Element<E::Value>>) = outcomes
            .map(|(weight, element)| (weight.into(), element.as_element().clone()))
            .unzip();
        let weights = weights.into_iter().enumerate().map(|(i, w)| (w, i));
        let choice = select_at("Dist choice", location, weights.collect());
        let parents = vec![choice.erased().clone()];
        chain_at::<One<usize>, E::Value>("Dist", location, parents, move |&i| elements[i].clone())
    }
}
