//! `fold`: a state that is updated along a list of elements.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use super::function::contained;
use super::node::Kind;
use super::operations::ApplyOp;
use crate::element::parents::{Arguments, AsElement};
use crate::element::{Constant, Element, apply_shared_at};
use crate::error::Fault;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, SupportBuilder};
use crate::value::{Value, canonical};

/// Creates the state after `step` has processed all `elements` in order, starting from `start`. The elements are a list or an iterator.
///
/// Each step of the fold is an Apply whose parents are the previous state and one element. Therefore the cost of a constraint over a whole list (a
/// count, a pattern, connectivity) depends only on the number of distinct states of the fold.
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

pub(crate) fn fold_at<S: Value, T: Value, F>(
    constructor: &'static str,
    location: &'static Location<'static>,
    elements: impl IntoIterator<Item: AsElement<Value = T>>,
    start: S,
    step: &Arc<F>,
) -> Element<S>
where
    F: for<'a> Fn((&'a S, &'a T)) -> S + Send + Sync + 'static,
{
    let mut state = Constant::new(start);
    for element in elements {
        let parents = vec![
            state.erased().clone(),
            element.as_element().erased().clone(),
        ];
        state = apply_shared_at::<(S, T), S, _>(constructor, location, parents, step);
    }
    state
}

/// Creates the state after `step` has read the element `read`, if `is_read` is true for the state before; otherwise the state does not change, and a
/// world does not evaluate `read`.
pub(crate) fn step_if_at<S: Value, T: Value>(
    location: &'static Location<'static>,
    state: &Element<S>,
    read: &Element<T>,
    is_read: impl Fn(&S) -> bool + Send + Sync + 'static,
    step: impl Fn(&S, &T) -> Result<S, Fault> + Send + Sync + 'static,
) -> Element<S> {
    let parents = vec![state.erased().clone(), read.erased().clone()];
    let op = StepIf {
        is_read,
        step,
        arguments: PhantomData,
    };
    Element::from_kind("state", location, Kind::Apply(parents, Arc::new(op)))
}

struct StepIf<S, T, R, F> {
    is_read: R,
    step: F,
    arguments: PhantomData<fn((S, T))>,
}

impl<S: Value, T: Value, R, F> StepIf<S, T, R, F>
where
    R: Fn(&S) -> bool,
    F: Fn(&S, &T) -> Result<S, Fault>,
{
    fn next(&self, (state, value): (&S, &T)) -> Result<S, Fault> {
        if (self.is_read)(state) {
            (self.step)(state, value)
        } else {
            Ok(state.clone())
        }
    }
}

impl<S: Value, T: Value, R, F> ApplyOp for StepIf<S, T, R, F>
where
    R: Fn(&S) -> bool + Send + Sync,
    F: Fn(&S, &T) -> Result<S, Fault> + Send + Sync,
{
    fn call(&self, arguments: &[&dyn Any]) -> Result<Datum, Fault> {
        contained(|| self.next(<(S, T)>::refs(arguments)))?.map(Datum::new)
    }

    fn intern(&self, arguments: &[&dyn Any], values: &mut SupportBuilder) -> Result<usize, Fault> {
        let value = contained(|| self.next(<(S, T)>::refs(arguments)))??;
        Ok(values
            .insert(&value)
            .expect("the support has the type of its element"))
    }

    fn call_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
    ) -> Result<Box<dyn AnyColumn>, Fault> {
        let columns = <(S, T)>::columns(arguments);
        let row = |row| Ok(canonical(self.next(<(S, T)>::row(&columns, row))?));
        let values = contained(|| (0..count).map(row).collect::<Result<Vec<S>, Fault>>())??;
        Ok(Box::new(values))
    }

    fn skips_last(&self, others: &[&dyn Any]) -> bool {
        let state = others.first().and_then(|state| state.downcast_ref::<S>());
        let is_read = state.map(|state| contained(|| (self.is_read)(state)));
        matches!(is_read, Some(Ok(false)))
    }

    fn may_skip_last(&self) -> bool {
        true
    }
}
