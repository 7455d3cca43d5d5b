//! `fold`: a state that is updated along a list of elements.

use std::panic::Location;
use std::sync::Arc;

use crate::element::parents::{AsElement, Function};
use crate::element::{Constant, Element, apply_shared_at};
use crate::value::Value;

/// Creates the state that remains after `step` has processed all `elements` in order, starting from `start`. The argument `elements` is a list or an
/// iterator.
///
/// `fold` creates one `Apply` element for each list element: its parents are the previous state and the list element. With `fold`, the cost of a
/// constraint over a whole list (a count, a pattern, connectivity) depends only on the number of distinct states, not on the number of possible
/// lists.
///
/// ```
/// # use figrs_core::{Flip, fold};
/// let coins: Vec<_> = (0..100).map(|_| Flip::new(0.5)).collect();
/// let heads = fold(&coins, 0u32, |heads, &coin| heads + u32::from(coin)); // 101 values, not 2^100
/// # drop(heads);
/// ```
#[track_caller]
pub fn fold<S: Value, T: Value>(
    elements: impl IntoIterator<Item: AsElement<Value = T>>,
    start: S,
    step: impl Fn(&S, &T) -> S + Send + Sync + 'static,
) -> Element<S> {
    let step = Arc::new(move |(s, t): (&S, &T)| step(s, t));
    fold_at("fold", Location::caller(), elements, start, &step)
}

pub(crate) fn fold_at<S: Value, T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    elements: impl IntoIterator<Item: AsElement<Value = T>>,
    start: S,
    step: &Arc<impl Function<(S, T), S>>,
) -> Element<S> {
    let mut state = Constant::new(start);
    for element in elements {
        let parents = vec![
            state.erased().clone(),
            element.as_element().erased().clone(),
        ];
        state = apply_shared_at::<(S, T), S>(constructor, location, parents, step);
    }
    state
}
