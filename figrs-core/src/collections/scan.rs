//! Counts, sums and folds over collections of uncertain length, for exact algorithms, as probability tables whose size is linear in the length.
//!
//! An exact algorithm knows the possible lengths of a collection; one sequence of states therefore reads all members that exist in any world. If the
//! members are read from the last to the first, a state is the length until a member is read, and afterwards a state of the summary. If the members
//! are read from the last to the first, the number of states is a sum of two numbers (of lengths and of summary states), and not their product. A
//! world has a member only if the length is greater than the index of the member. Each step of the sequence of states is one probability table, which
//! reads a member only in the worlds that have the member.

use std::panic::Location;
use std::sync::Arc;

use super::elements::Members;
use super::error::{MemberError, Origin};
use crate::element::arithmetic::{Arithmetic, checked_sum, fallible_apply_at, step_if_at};
use crate::element::node::AnyElement;
use crate::element::parents::{Function, One};
use crate::element::{Constant, Element, Select, apply_at, chain_at};
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

/// A state of a scan, which reads the members of a collection from the last to the first. Until a member is read, the state is the length and `None`;
/// afterwards, the state is zero and the state of the summary.
type FromLast<S> = (usize, Option<S>);

impl<'a, T: Value> Scan<'a, T> {
    /// Creates a scan (a sequence of states that reads all members), given the possible values of the length. Returns `None` if the length of the
    /// collection may be too large for a scan.
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
        apply_at::<One<usize>, S>("length", self.location(), parents, function)
    }

    /// Returns the state after `next` has read the members with the indices `order`. A member is read only if `is_read` is true for the index of the
    /// member and the state before it; otherwise the state does not change.
    fn read<S: Value>(
        &self,
        first: Element<S>,
        order: impl Iterator<Item = usize>,
        is_read: fn(usize, &S) -> bool,
        next: impl Fn(usize, &S, &T) -> Result<S, Fault> + Send + Sync + 'static,
    ) -> Element<S> {
        let next = Arc::new(next);
        order.fold(first, |state, at| {
            let next = Arc::clone(&next);
            let next = move |state: &S, value: &T| next(at, state, value);
            let is_read = move |state: &S| is_read(at, state);
            step_if_at(self.location(), &state, &self.members.at(at), is_read, next)
        })
    }
}

/// True if the member with the index `at` exists, given a state of a scan from the last member to the first.
fn exists<S>(at: usize, (length, state): &FromLast<S>) -> bool {
    state.is_some() || *length == at + 1
}

/// Returns the result of a fold over the members of a collection, from the first member to the last. Each state of the fold holds the length of the
/// collection, or zero after the last member, and the accumulated state.
pub(super) fn from_first<T: Value, S: Value>(
    scan: &Scan<'_, T>,
    start: S,
    step: &Arc<impl Function<(S, T), S>>,
) -> Element<S> {
    let step = Arc::clone(step);
    let first = scan.of_length(move |length| (length, start.clone()));
    let next = move |at: usize, (length, state): &(usize, S), value: &T| {
        let length = if *length == at + 1 { 0 } else { *length };
        Ok((length, step((state, value))))
    };
    let last = scan.read(first, 0..scan.longest, |at, (length, _)| *length > at, next);
    let parents: Vec<AnyElement> = vec![last.erased().clone()];
    let state = |(_, state): &(usize, S)| state.clone();
    apply_at::<One<(usize, S)>, S>("fold", scan.location(), parents, state)
}

pub(super) fn from_last<T: Value, S: Value>(
    scan: &Scan<'_, T>,
    start: S,
    step: &Arc<impl Function<(S, T), S>>,
) -> Element<S> {
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
    let next = move |_, (_, state): &FromLast<S>, value: &T| {
        let state = step(state.as_ref().unwrap_or(&begin), value)?;
        Ok((0, Some(state)))
    };
    let last = scan.read(first, (0..scan.longest).rev(), exists::<S>, next);
    let parents = vec![last.erased().clone()];
    let state = move |(_, state): &FromLast<S>| state.clone().unwrap_or_else(|| start.clone());
    apply_at::<One<FromLast<S>>, S>("summary", scan.location(), parents, state)
}

/// Returns a member chosen at random. The members are visited from the last to the first; while no member is chosen, the member with the index `at`
/// is chosen with the probability 1 / (`at` + 1).
pub(super) fn chosen<T: Value>(scan: &Scan<'_, T>) -> Element<T> {
    type State<T> = FromLast<Option<T>>;
    // The state between the choice of a member and its reading.
    let picked = || (1, Some(None::<T>));
    let is_picked = |_, (length, state): &State<T>| *length == 1 && matches!(state, Some(None));
    let mut state = scan.of_length(|length| (length, None::<Option<T>>));
    for at in (0..scan.longest).rev() {
        let parents = vec![state.erased().clone()];
        let pick = move |state: &State<T>| {
            let is_open = exists(at, state) && !matches!(state.1, Some(Some(_)));
            match (is_open, at) {
                (false, _) => Constant::new(state.clone()),
                (true, 0) => Constant::new(picked()),
                (true, _) => Select::new([(1.0, picked()), (at as f64, (0, Some(None)))]),
            }
        };
        let pick = chain_at::<One<State<T>>, State<T>>("any_of", scan.location(), parents, pick);
        let next = |_, _: &State<T>, value: &T| Ok((0, Some(Some(value.clone()))));
        state = scan.read(pick, std::iter::once(at), is_picked, next);
    }
    let of = scan.origin.to_string();
    let parents = vec![state.erased().clone()];
    let value = move |(_, state): &State<T>| match state {
        Some(Some(value)) => Ok(value.clone()),
        _ => Err(Fault::Member(Box::new(MemberError::Empty {
            of: of.clone(),
        }))),
    };
    fallible_apply_at::<One<State<T>>, T>("any_of", scan.location(), parents, value)
}
