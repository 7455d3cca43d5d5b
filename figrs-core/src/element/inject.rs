//! `Inject`: a list element whose entries are the values of many elements.

use std::panic::Location;

use super::parents::AsElement;
use crate::element::Element;
use crate::element::apply::apply_list;
use crate::value::Value;
use crate::value::datum::Datum;

/// Builds the element whose value is the list of the values of other elements.
#[derive(Debug)]
pub struct Inject;

impl Inject {
    /// Creates a list of the values of `elements`, a list or an iterator, in order.
    ///
    /// The support of an `Inject` element has a list for every combination of the values of the given elements. For a summary of many elements (a
    /// count, a maximum), [`fold`](crate::fold) costs less than the list of all values.
    ///
    /// If exact algorithms compute real numbers in closed form, they also compute the joint distribution of a list of these numbers in closed form,
    /// with its covariance matrix.
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
    let parents = elements.into_iter();
    apply_list(
        constructor,
        location,
        parents
            .map(|element| element.as_element().erased().clone())
            .collect(),
        |value: &Datum, parents| {
            let values = value.get::<Vec<T>>()?;
            (values.len() == parents)
                .then(|| values.iter().map(|v| Some(Datum::new(v.clone()))).collect())
        },
    )
}
