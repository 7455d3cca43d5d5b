//! `Uniform`: the uniform distribution on a list of values.

use std::panic::Location;

use super::param::Operand;
use crate::element::Element;
use crate::element::select::select_at;
use crate::value::Value;

/// Builds an element that is one of several values with equal weights.
#[derive(Debug)]
pub struct Uniform;

impl Uniform {
    /// Creates an element whose value is one of `values`, a list or a range of integers. A value that is listed twice in `values` is twice as likely.
    #[track_caller]
    pub fn new<T: Value>(values: impl IntoIterator<Item = T>) -> Element<T> {
        let outcomes = values
            .into_iter()
            .map(|v| (Operand::from(1.0), v))
            .collect();
        select_at("Uniform", Location::caller(), outcomes)
    }
}
