//! Summaries of collections: counts, sums, folds, and a member chosen at random.

use std::any::TypeId;
use std::panic::Location;
use std::sync::Arc;

use super::elements::{Elements, Natural, constant};
use super::error::MemberError;
use super::process::{Process, refused};
use super::scan::{self, Scan, chosen, from_first, from_last};
use crate::element::arithmetic::plus_at;
use crate::element::chain::chain_or_scan_at;
use crate::element::fold::fold_at;
use crate::element::parents::One;
use crate::element::{Arithmetic, Constant, Element, Uniform, apply_shared_at, chain_at};
use crate::error::Fault;
use crate::value::Value;

impl<T: Value> Elements<T> {
    /// Returns the state after `step` has processed all members from the first to the last, starting from `start`.
    ///
    /// **Cost.** For a collection of uncertain length with a finite range, each state in the tables of an exact algorithm holds the accumulated state
    /// and the length. If the function of the fold is associative, [`reduce`](Self::reduce) is cheaper.
    #[track_caller]
    pub fn fold<S: Value>(
        &self,
        start: S,
        step: impl Fn(&S, &T) -> S + Send + Sync + 'static,
    ) -> Element<S> {
        let step = Arc::new(move |(state, value): (&S, &T)| step(state, value));
        self.folded("fold", start, &step, |scan, start, step| {
            from_first(scan, start, step)
        })
    }

    /// Returns a fold. If the length of the collection is uncertain, exact algorithms compute the fold by the function `scan`.
    #[track_caller]
    fn folded<S: Value, F>(
        &self,
        name: &'static str,
        start: S,
        step: &Arc<F>,
        scan: impl Fn(&Scan<T>, S, &Arc<F>) -> Element<S> + Send + Sync + 'static,
    ) -> Element<S>
    where
        F: for<'a> Fn((&'a S, &'a T)) -> S + Send + Sync + 'static,
    {
        let location = Location::caller();
        if let Some(members) = self.to_vec() {
            return fold_at(name, location, &members, start, step);
        }
        let (first, next) = (start.clone(), Arc::clone(step));
        let begin = move || constant(location, first.clone());
        let states = move |state: &Element<S>, member: &Element<T>| {
            let parents = vec![state.erased().clone(), member.erased().clone()];
            apply_shared_at::<(S, T), S>(name, location, parents, &next)
        };
        let step = Arc::clone(step);
        self.summary(name, begin, states, move |all| {
            Some(scan(all, start.clone(), &step))
        })
    }

    /// Returns the summary of a collection of uncertain length: `begin` for no members, then `next` for each member. Exact algorithms compute the
    /// same summary of the collection by the function `scan`.
    #[track_caller]
    fn summary<S: Value>(
        &self,
        name: &'static str,
        begin: impl Fn() -> Element<S> + Send + Sync + 'static,
        next: impl Fn(&Element<S>, &Element<T>) -> Element<S> + Send + Sync + 'static,
        scan: impl Fn(&Scan<T>) -> Option<Element<S>> + Send + Sync + 'static,
    ) -> Element<S> {
        let location = Location::caller();
        let members = self.members.clone();
        // Worlds with different lengths share the states of their first members.
        let states = Process::recursive(move |states: &Process<usize, S>, &count| match count {
            0 => begin(),
            _ => next(&states.at(&(count - 1)), &members.at(count - 1)),
        });
        let (length, origin) = (self.length(), self.origin);
        let members = self.members.clone();
        let parents = vec![length.erased().clone()];
        chain_or_scan_at::<One<usize>, S>(
            name,
            location,
            parents,
            move |&length| Ok(states.at(&length)),
            move |supports| scan(&Scan::new(origin, &length, &members, supports)?),
        )
    }

    /// Returns the number of members for which `test` is true.
    ///
    /// ```
    /// # use figrs_core::{Elements, Flip, Uniform};
    /// let rolls = Elements::of(10, |_| Uniform::new(1..=6));
    /// let sixes = rolls.count(|&roll| roll == 6);
    /// # drop(sixes);
    /// ```
    #[track_caller]
    pub fn count(&self, test: impl Fn(&T) -> bool + Send + Sync + 'static) -> Element<usize> {
        let step = move |(count, value): (&usize, &T)| count + usize::from(test(value));
        self.folded("count", 0, &Arc::new(step), |scan, start, step| {
            from_last(scan, start, step)
        })
    }

    /// True if `test` is true for at least one member; false if there are no members.
    #[track_caller]
    pub fn exists(&self, test: impl Fn(&T) -> bool + Send + Sync + 'static) -> Element<bool> {
        let step = move |(found, value): (&bool, &T)| *found || test(value);
        self.folded("exists", false, &Arc::new(step), |scan, start, step| {
            from_last(scan, start, step)
        })
    }

    /// True if `test` is true for all members; true if there are no members.
    #[track_caller]
    pub fn for_all(&self, test: impl Fn(&T) -> bool + Send + Sync + 'static) -> Element<bool> {
        let step = move |(all, value): (&bool, &T)| *all && test(value);
        self.folded("for_all", true, &Arc::new(step), |scan, start, step| {
            from_last(scan, start, step)
        })
    }

    /// Combines the members by the associative function `function`, such as a maximum, from the first member to the last. Returns `None` if the
    /// collection has no members.
    ///
    /// A function is associative if `f(f(a, b), c) = f(a, f(b, c))`. If the length of a collection is uncertain, exact algorithms give wrong answers
    /// for a combination by a function that is not associative.
    ///
    /// ```
    /// # use figrs_core::{Elements, Poisson, Uniform};
    /// let bids = Elements::of(Poisson::new(3.0), |_| Uniform::new(1..=9));
    /// let highest = bids.reduce(|a, b| *a.max(b));
    /// # drop(highest);
    /// ```
    #[track_caller]
    pub fn reduce(
        &self,
        function: impl Fn(&T, &T) -> T + Send + Sync + 'static,
    ) -> Element<Option<T>> {
        let function = Arc::new(function);
        let combine = Arc::clone(&function);
        let step = move |(state, value): (&Option<T>, &T)| {
            Some(match state {
                Some(state) => combine(state, value),
                None => value.clone(),
            })
        };
        self.folded("reduce", None, &Arc::new(step), move |scan, start, _| {
            let function = Arc::clone(&function);
            let step = move |(state, value): (&Option<T>, &T)| {
                Some(match state {
                    Some(state) => function(value, state),
                    None => value.clone(),
                })
            };
            from_last(scan, start, &Arc::new(step))
        })
    }

    /// Returns a member chosen at random; all members have the same probability.
    ///
    /// A world without members has the error [`MemberError::Empty`], unless evidence excludes the world. Each call of `any_of` creates a new,
    /// independent choice.
    #[track_caller]
    pub fn any_of(&self) -> Element<T> {
        let location = Location::caller();
        let of = self.origin.to_string();
        let empty = move || {
            refused(
                location,
                Fault::Member(Box::new(MemberError::Empty { of: of.clone() })),
            )
        };
        let members = self.members.clone();
        let choose = move |&length: &usize| {
            if length == 0 {
                return empty();
            }
            let members = members.clone();
            let place = Uniform::new(0..length);
            let parents = vec![place.erased().clone()];
            let member = move |&place: &usize| members.at(place);
            chain_at::<One<usize>, T>("any_of", location, parents, member)
        };
        let length = match &self.length {
            Natural::Known(length) => return choose(length),
            Natural::Uncertain(length) => length.clone(),
        };
        let (members, origin) = (self.members.clone(), self.origin);
        let parents = vec![length.erased().clone()];
        chain_or_scan_at::<One<usize>, T>(
            "any_of",
            location,
            parents,
            move |length| Ok(choose(length)),
            move |supports| Some(chosen(&Scan::new(origin, &length, &members, supports)?)),
        )
    }
}

impl<T: Arithmetic + Default> Elements<T> {
    /// Returns the sum of the members; zero if there are no members. A world in which the sum does not fit into the type has an error.
    ///
    /// Algorithms with closed forms treat a sum of normal elements as normal.
    #[track_caller]
    pub fn sum(&self) -> Element<T> {
        let location = Location::caller();
        if let Some(members) = self.to_vec() {
            let sum = members
                .into_iter()
                .reduce(|sum, member| plus_at(location, &sum, &member));
            return sum.unwrap_or_else(|| Constant::new(T::default()));
        }
        let begin = move || constant(location, T::default());
        let next = move |sum: &Element<T>, member: &Element<T>| plus_at(location, sum, member);
        // A sum of real numbers has too many values for a table.
        let is_real = [TypeId::of::<f64>(), TypeId::of::<f32>()].contains(&TypeId::of::<T>());
        self.summary("sum", begin, next, move |all| {
            (!is_real).then(|| scan::sum(all))
        })
    }
}
