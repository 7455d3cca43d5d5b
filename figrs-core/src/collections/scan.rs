//! Counts, sums and folds over collections of uncertain length, as tables of linear size, for exact algorithms.
//!
//! An exact algorithm knows the possible lengths of the collection; one sequence of states therefore reads all members that any world has. If the
//! members are read from the last to the first, a state is either the length, as long as no member is read, or a state of the summary: the number of
//! states is the sum of these two numbers of states, and not their product. A world has a member only if the length is greater than the index of the
//! member.

use std::panic::Location;
use std::sync::Arc;

use super::elements::{Members, constant};
use super::error::{MemberError, Origin};
use crate::element::arithmetic::{Arithmetic, checked_sum, fallible_apply_at};
use crate::element::if_else::if_at;
use crate::element::node::AnyElement;
use crate::element::parents::One;
use crate::element::{Constant, Element, Flip, apply_at, apply_shared_at, chain_at};
use crate::error::Fault;
use crate::value::Value;
use crate::value::support::Support;

/// Maximum length of a collection whose members are read by one sequence of states; a longer collection is summarised for each length separately.
const MAX_MEMBERS: usize = 1 << 16;

/// The members of a collection whose length has a known maximum.
pub(super) struct Scan<'a, T> {
    origin: Origin,
    length: &'a Element<usize>,
    members: &'a Members<T>,
    longest: usize,
}

/// A state of a scan from the last member to the first: the length, until a member is read; then zero and the state of the summary.
type FromLast<S> = (usize, Option<S>);

impl<'a, T: Value> Scan<'a, T> {
    /// Creates the scan, given the possible values of the length. Returns `None` if the length may be too large.
    pub(super) fn new(
        origin: Origin,
        length: &'a Element<usize>,
        members: &'a Members<T>,
        supports: &[&Support],
    ) -> Option<Self> {
        let lengths = *supports.first()?;
        let lengths = (0..lengths.len()).map(|at| lengths.any(at).downcast_ref::<usize>());
        let longest = *lengths.max().flatten()?;
        (longest <= MAX_MEMBERS).then_some(Self {
            origin,
            length,
            members,
            longest,
        })
    }

    fn location(&self) -> &'static Location<'static> {
        self.origin.location
    }

    fn of_length<S: Value>(
        &self,
        function: impl Fn(usize) -> S + Send + Sync + 'static,
    ) -> Element<S> {
        let parents = vec![self.length.erased().clone()];
        let function = move |&length: &usize| function(length);
        apply_at::<One<usize>, S, _>("length", self.location(), parents, function)
    }

    /// Returns the member with the index `at` if `is_read` is true; otherwise returns `None`, without evaluating the member.
    fn member_if(&self, is_read: &Element<bool>, at: usize) -> Element<Option<T>> {
        let parents = vec![self.members.at(at).erased().clone()];
        let some = Arc::new(|value: &T| Some(value.clone()));
        let some =
            apply_shared_at::<One<T>, Option<T>, _>("member", self.location(), parents, &some);
        let none = constant(self.location(), None);
        if_at("member", self.location(), is_read, some, none)
    }

    /// Returns the state after `next` has read the members with the indices `order`. A member is read only if `is_read` is true for its index and the
    /// state before it.
    ///
    /// In some rows of a table, the state expects a member, but the value of the member is missing; no world has such a row. For such a row, `next`
    /// returns a state that some world has, so that the combination adds no state to the table.
    fn read<S: Value>(
        &self,
        first: Element<S>,
        order: impl Iterator<Item = usize>,
        is_read: fn(usize, &S) -> bool,
        next: impl Fn(usize, &S, Option<&T>) -> Result<S, Fault> + Send + Sync + 'static,
    ) -> Element<S> {
        let next = Arc::new(next);
        let mut state = first;
        for at in order {
            let parents = vec![state.erased().clone()];
            let test = move |state: &S| is_read(at, state);
            let test = apply_at::<One<S>, bool, _>("exists", self.location(), parents, test);
            let value = self.member_if(&test, at);
            let next = Arc::clone(&next);
            state = self.next(&state, &value, move |state, value| {
                if is_read(at, state) {
                    next(at, state, value.as_ref())
                } else {
                    Ok(state.clone())
                }
            });
        }
        state
    }

    fn next<S: Value>(
        &self,
        state: &Element<S>,
        value: &Element<Option<T>>,
        step: impl Fn(&S, &Option<T>) -> Result<S, Fault> + Send + Sync + 'static,
    ) -> Element<S> {
        let parents = vec![state.erased().clone(), value.erased().clone()];
        let step = move |(state, value): (&S, &Option<T>)| step(state, value);
        fallible_apply_at::<(S, Option<T>), S, _>("state", self.location(), parents, step)
    }
}

/// True if the member with the index `at` exists, given a state of a scan from the last member to the first.
fn exists<S>(at: usize, (length, state): &FromLast<S>) -> bool {
    state.is_some() || *length == at + 1
}

/// Returns a fold from the first member to the last. Each state holds the length, or zero after the last member, and the state of the fold.
pub(super) fn from_first<T: Value, S: Value, F>(
    scan: &Scan<'_, T>,
    start: S,
    step: &Arc<F>,
) -> Element<S>
where
    F: for<'a> Fn((&'a S, &'a T)) -> S + Send + Sync + 'static,
{
    let step = Arc::clone(step);
    let first = scan.of_length(move |length| (length, start.clone()));
    let next = move |at: usize, (length, state): &(usize, S), value: Option<&T>| {
        let length = if *length == at + 1 { 0 } else { *length };
        let state = value.map_or_else(|| state.clone(), |value| step((state, value)));
        Ok((length, state))
    };
    let last = scan.read(first, 0..scan.longest, |at, (length, _)| *length > at, next);
    let parents: Vec<AnyElement> = vec![last.erased().clone()];
    let state = |(_, state): &(usize, S)| state.clone();
    apply_at::<One<(usize, S)>, S, _>("fold", scan.location(), parents, state)
}

pub(super) fn from_last<T: Value, S: Value, F>(
    scan: &Scan<'_, T>,
    start: S,
    step: &Arc<F>,
) -> Element<S>
where
    F: for<'a> Fn((&'a S, &'a T)) -> S + Send + Sync + 'static,
{
    let step = Arc::clone(step);
    reversed(scan, start, move |state, value| Ok(step((state, value))))
}

pub(super) fn sum<T: Arithmetic + Default>(scan: &Scan<'_, T>) -> Element<T> {
    reversed(scan, T::default(), checked_sum)
}

fn reversed<T: Value, S: Value>(
    scan: &Scan<'_, T>,
    start: S,
    step: impl Fn(&S, &T) -> Result<S, Fault> + Send + Sync + 'static,
) -> Element<S> {
    let first = scan.of_length(|length| (length, None::<S>));
    let begin = start.clone();
    let next = move |_, (_, state): &FromLast<S>, value: Option<&T>| {
        let step = |value| step(state.as_ref().unwrap_or(&begin), value);
        Ok((0, value.map(step).transpose()?.or_else(|| state.clone())))
    };
    let last = scan.read(first, (0..scan.longest).rev(), exists::<S>, next);
    let parents = vec![last.erased().clone()];
    let state = move |(_, state): &FromLast<S>| state.clone().unwrap_or_else(|| start.clone());
    apply_at::<One<FromLast<S>>, S, _>("summary", scan.location(), parents, state)
}

/// Returns a member chosen at random. From the last member to the first, if no member is chosen yet, the member with the index `at` is chosen with
/// the probability 1 / (`at` + 1).
pub(super) fn chosen<T: Value>(scan: &Scan<'_, T>) -> Element<T> {
    type State<T> = FromLast<Option<T>>;
    let is_open = |at, state: &State<T>| exists(at, state) && !matches!(state.1, Some(Some(_)));
    let mut state = scan.of_length(|length| (length, None::<Option<T>>));
    for at in (0..scan.longest).rev() {
        let parents = vec![state.erased().clone()];
        let pick = move |state: &State<T>| match (is_open(at, state), at) {
            (false, _) => Constant::new(false),
            (true, 0) => Constant::new(true),
            (true, _) => Flip::new(1.0 / (at + 1) as f64),
        };
        let pick = chain_at::<One<State<T>>, bool, _>("any_of", scan.location(), parents, pick);
        let value = scan.member_if(&pick, at);
        state = scan.next(&state, &value, move |state, value| {
            Ok(match (is_open(at, state), value) {
                (true, value) => (0, Some(value.clone())),
                (false, _) => state.clone(),
            })
        });
    }
    let of = scan.origin.to_string();
    let parents = vec![state.erased().clone()];
    let value = move |(_, state): &State<T>| match state {
        Some(Some(value)) => Ok(value.clone()),
        _ => Err(Fault::Member(Box::new(MemberError::Empty {
            of: of.clone(),
        }))),
    };
    fallible_apply_at::<One<State<T>>, T, _>("any_of", scan.location(), parents, value)
}
