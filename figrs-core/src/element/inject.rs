//! `Inject`: a list element whose entries are the values of many elements.

use std::panic::Location;

use super::parents::{AsElement, Many};
use crate::element::Element;
use crate::element::apply::apply_with_demand;
use crate::value::Value;
use crate::value::datum::Datum;

/// Builds the element whose value is the list of the values of other elements.
#[derive(Debug)]
pub struct Inject;

impl Inject {
    /// Creates a list of the values of `elements`, a list or an iterator, in order.
    ///
    /// The support has a list for every combination of the elements' values. For a summary of many elements
    /// (a count, a maximum), use [`fold`](crate::fold).
    #[track_caller]
    pub fn new<T: Value>(
        elements: impl IntoIterator<Item: AsElement<Value = T>>,
    ) -> Element<Vec<T>> {
        inject(elements)
    }
}

/// Creates a list of the values of `elements`, in order, as [`Inject::new`] does.
#[track_caller]
pub fn inject<T: Value>(
    elements: impl IntoIterator<Item: AsElement<Value = T>>,
) -> Element<Vec<T>> {
    inject_at("Inject", Location::caller(), elements)
}

pub(crate) fn inject_at<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    elements: impl IntoIterator<Item: AsElement<Value = T>>,
) -> Element<Vec<T>> {
    let elements = elements.into_iter();
    apply_with_demand::<Many<T>, Vec<T>, _>(
        constructor,
        location,
        elements
            .map(|element| element.as_element().erased().clone())
            .collect(),
        |values| values.into_iter().cloned().collect(),
        |value: &Datum, parents| {
            let values = value.get::<Vec<T>>()?;
            (values.len() == parents)
                .then(|| values.iter().map(|v| Some(Datum::new(v.clone()))).collect())
        },
    )
}
