//! `Elements`: a collection of elements whose number may be uncertain.

use std::any::type_name;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use super::error::{MemberError, Origin};
use super::process::{Process, refused};
use crate::element::chain::fallible_chain_at;
use crate::element::parents::{AsElement, One};
use crate::element::{Constant, Element, apply_at, apply_shared_at, chain_shared_at, tuple};
use crate::error::Fault;
use crate::value::Value;

/// A whole number from 0, known or uncertain, such as the number of members of a collection or the index of a member.
#[derive(Clone, Debug)]
pub enum Natural {
    /// The number is known.
    Known(usize),
    /// The whole number is uncertain; its range may be infinite.
    Uncertain(Element<usize>),
}

impl From<usize> for Natural {
    fn from(number: usize) -> Self {
        Self::Known(number)
    }
}

macro_rules! from_elements {
    ($($type:ty),+) => {$(
        impl From<&Element<$type>> for Natural {
            #[track_caller]
            fn from(element: &Element<$type>) -> Self {
                Self::Uncertain(whole(element, Location::caller()))
            }
        }
        impl From<Element<$type>> for Natural {
            #[track_caller]
            fn from(element: Element<$type>) -> Self {
                Self::from(&element)
            }
        }
    )+};
}
from_elements!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

/// Returns `number` as an element of the type `usize`. In a world in which the number does not fit into a `usize`, the element has an error.
fn whole<N: Value + TryInto<usize>>(
    number: &Element<N>,
    location: &'static Location<'static>,
) -> Element<usize> {
    if let Some(whole) = Element::from_erased(number.erased()) {
        return whole;
    }
    let parents = vec![number.erased().clone()];
    fallible_chain_at::<One<N>, usize>("number", location, parents, move |number| {
        number.clone().try_into().map(Constant::new).map_err(|_| {
            Fault::Member(Box::new(MemberError::Length {
                of: format!("collection or index at {location}"),
                length: format!("{number:?}"),
                length_type: type_name::<N>(),
            }))
        })
    })
}

/// The members that a collection has in at least one world.
#[derive(Clone)]
pub(super) enum Members<T> {
    Listed(Arc<[Element<T>]>),
    Made(Process<usize, T>),
}

impl<T: Value> Members<T> {
    #[track_caller]
    pub(super) fn at(&self, index: usize) -> Element<T> {
        match self {
            Self::Listed(list) => list[index].clone(),
            Self::Made(process) => process.at(&index),
        }
    }
}

/// A collection of elements. The number of members of a collection is known, or uncertain with a finite or an infinite range.
///
/// Each member of a collection is an element of its own. If the number of members is uncertain, member 3 is one element in all worlds with more than
/// three members, and a world evaluates only the members that exist in it. Because a world evaluates only the members that exist in it, samplers
/// accept any distribution of the number of members, such as a [`Poisson`](crate::Poisson) number; exact algorithms need a number of members with a
/// finite range.
///
/// ```
/// # use figrs_core::{Elements, Flip, Model, Uniform};
/// let dice = Elements::new((0..3).map(|_| Uniform::new(1..=6)));
/// let total = dice.sum();
///
/// let guests = Uniform::new([0_usize, 1, 2, 3]);
/// let late = Elements::of(&guests, |_| Flip::new(0.2));
/// let all_in_time = late.count(|late| *late).is(0);
/// let model = Model::new().observe(&all_in_time, false).observe(&late.get(1), Some(true));
/// # drop((total, model));
/// ```
///
/// **Cost.** For an exact algorithm and a collection of at most `N` members, a summary (such as a sum of the members) needs a number of probability
/// tables that is linear in `N`. For an associative summary ([`count`](Self::count), [`sum`](Self::sum), [`exists`](Self::exists),
/// [`for_all`](Self::for_all), [`reduce`](Self::reduce), [`any_of`](Self::any_of)), each table has at most (`N` + *s*) *v* rows, where *s* is the
/// number of states of the summary and *v* the number of values of a member. The tables are this small because the members are read from the last to
/// the first, so that no state holds both the length and a summary. For [`fold`](Self::fold), each state holds both the length of the collection and
/// the accumulated state.
///
/// **Errors.** If a world evaluates a member that does not exist in the world, the evaluation ends with the error [`Fault::Member`].
#[derive(Clone)]
pub struct Elements<T> {
    pub(super) length: Natural,
    pub(super) members: Members<T>,
    /// For each index, an element that is true if the length of the collection is greater than the index.
    longer: Option<Process<usize, bool>>,
    pub(super) origin: Origin,
}

impl<T: Value> Elements<T> {
    /// Creates the collection of the elements `members`, a list or an iterator.
    #[track_caller]
    pub fn new(members: impl IntoIterator<Item: AsElement<Value = T>>) -> Self {
        let members = members.into_iter();
        let members: Arc<[Element<T>]> =
            members.map(|member| member.as_element().clone()).collect();
        Self::built(Natural::Known(members.len()), Members::Listed(members))
    }

    /// Creates the collection with `length` members; the function `member` creates the member with a given index from 0. Each member is created when
    /// it is first needed.
    ///
    /// ```
    /// # use figrs_core::{Beta, Elements, Flip, Poisson};
    /// let rate = Beta::new(2.0, 2.0);
    /// let patients = Elements::of(Poisson::new(100.0), move |_| Flip::new(&rate));
    /// let ill = patients.count(|ill| *ill);
    /// # drop(ill);
    /// ```
    #[track_caller]
    pub fn of(
        length: impl Into<Natural>,
        member: impl Fn(usize) -> Element<T> + Send + Sync + 'static,
    ) -> Self {
        Self::of_process(length, &Process::new(move |&index| member(index)))
    }

    /// Creates the collection of the first members of a process; the members may depend on each other.
    ///
    /// ```
    /// # use figrs_core::{Elements, Flip, If, Process, Uniform};
    /// let rain = Process::recursive(|rain: &Process<usize, bool>, &day| match day {
    ///     0 => Flip::new(0.5),
    ///     _ => If::new(&rain.at(&(day - 1)), Flip::new(0.7), Flip::new(0.2)),
    /// });
    /// let days = Uniform::new([3_usize, 5, 7]);
    /// let rainy = Elements::of_process(&days, &rain).count(|rain| *rain);
    /// # drop(rainy);
    /// ```
    #[track_caller]
    pub fn of_process(length: impl Into<Natural>, members: &Process<usize, T>) -> Self {
        Self::built(length.into(), Members::Made(members.clone()))
    }

    #[track_caller]
    fn built(length: Natural, members: Members<T>) -> Self {
        let location = Location::caller();
        let longer = match &length {
            Natural::Known(_) => None,
            Natural::Uncertain(length) => {
                let length = length.clone();
                Some(Process::new(move |&index: &usize| {
                    let parents = vec![length.erased().clone()];
                    let is_longer = move |length: &usize| *length > index;
                    apply_at::<One<usize>, bool>("exists", location, parents, is_longer)
                }))
            }
        };
        Self {
            length,
            members,
            longer,
            origin: Origin {
                kind: "collection",
                location,
            },
        }
    }

    fn with_members<U: Value>(&self, members: Process<usize, U>) -> Elements<U> {
        Elements {
            length: self.length.clone(),
            members: Members::Made(members),
            longer: self.longer.clone(),
            origin: self.origin,
        }
    }

    /// Returns the number of members, as an element.
    #[track_caller]
    pub fn length(&self) -> Element<usize> {
        match &self.length {
            Natural::Known(length) => Constant::new(*length),
            Natural::Uncertain(length) => length.clone(),
        }
    }

    /// Returns the members; `None` if their number is uncertain.
    #[track_caller]
    pub fn to_vec(&self) -> Option<Vec<Element<T>>> {
        match &self.length {
            Natural::Known(length) => Some((0..*length).map(|at| self.members.at(at)).collect()),
            Natural::Uncertain(_) => None,
        }
    }

    /// Returns the member with the index `index`, from 0. The index of the member may be a number or an element.
    ///
    /// A world without a member of the given index has the error [`MemberError::NoMember`], unless evidence excludes the world. An observation of
    /// `at(3)` evaluates the member in every world, and is therefore an error if a world may have fewer than four members; observe [`get`](Self::get)
    /// instead, or add evidence that the length is at least four.
    ///
    /// ```
    /// # use figrs_core::{Elements, Flip, Model, Uniform};
    /// let n = Uniform::new([1_usize, 2, 3]);
    /// let coins = Elements::of(&n, |_| Flip::new(0.5));
    /// let model = Model::new().condition(&n, |&n| n > 1).observe(&coins.at(1), true);
    /// # drop(model);
    /// ```
    #[track_caller]
    pub fn at(&self, index: impl Into<Natural>) -> Element<T> {
        self.at_from(index.into(), Location::caller())
    }

    /// Returns the member with the index `index`, for the source line `location`.
    pub(super) fn at_from(
        &self,
        index: Natural,
        location: &'static Location<'static>,
    ) -> Element<T> {
        self.member_at(index, ("at", location), Element::clone, Self::missing)
    }

    /// Returns the member with the index `index` as an option, which is `None` in the worlds without this member.
    ///
    /// Evidence on a member that only some worlds have is a condition on the option: `observe(&elements.get(3), Some(v))` states that the
    /// member exists and has the value `v`; `condition(&elements.get(3), |member| member.as_ref().is_none_or(|m| *m == v))` has no effect in worlds
    /// without the member.
    #[track_caller]
    pub fn get(&self, index: impl Into<Natural>) -> Element<Option<T>> {
        let location = Location::caller();
        let some = Arc::new(|value: &T| Some(value.clone()));
        let member = move |member: &Element<T>| {
            let parents = vec![member.erased().clone()];
            apply_shared_at::<One<T>, Option<T>>("get", location, parents, &some)
        };
        let none = |_: &Self, location, _| constant(location, None);
        self.member_at(index.into(), ("get", location), member, none)
    }

    /// Returns the element that equals the member with the index `index` if this member exists, and otherwise the element that `missing` returns.
    fn member_at<U: Value>(
        &self,
        index: Natural,
        (name, location): (&'static str, &'static Location<'static>),
        found: impl Fn(&Element<T>) -> Element<U> + Send + Sync + 'static,
        missing: fn(&Self, &'static Location<'static>, usize) -> Element<U>,
    ) -> Element<U> {
        let members = self.clone();
        let known = move |index: usize| match (&members.length, &members.longer) {
            (Natural::Known(length), _) if index >= *length => missing(&members, location, index),
            (Natural::Uncertain(_), Some(longer)) => {
                let parents = vec![longer.at(&index).erased().clone()];
                let member = found(&members.members.at(index));
                let missing = missing(&members, location, index);
                let choose = move |&exists: &bool| match exists {
                    true => member.clone(),
                    false => missing.clone(),
                };
                chain_shared_at::<One<bool>, U>(name, location, parents, &Arc::new(choose))
            }
            _ => found(&members.members.at(index)),
        };
        match index {
            Natural::Known(index) => known(index),
            Natural::Uncertain(index) => {
                let parents = vec![index.erased().clone()];
                let known = Arc::new(move |index: &usize| known(*index));
                chain_shared_at::<One<usize>, U>(name, location, parents, &known)
            }
        }
    }

    /// Returns an element with the error that the member `index` does not exist.
    fn missing(&self, location: &'static Location<'static>, index: usize) -> Element<T> {
        let reason = match (&self.length, index) {
            (Natural::Known(0), _) => ", because it has no members".into(),
            (Natural::Known(length), _) => format!(", but only those from 0 to {}", length - 1),
            (Natural::Uncertain(_), index) => {
                format!(" in worlds in which its length is at most {index}")
            }
        };
        let error = MemberError::NoMember {
            of: self.origin.to_string(),
            index: index.to_string(),
            index_type: type_name::<usize>(),
            reason,
            remedy: ", or read `get`, which is then `None`",
        };
        refused(location, Fault::Member(Box::new(error)))
    }

    /// Returns the collection of the values that `function` has for the members.
    #[track_caller]
    pub fn map<U: Value>(&self, function: impl Fn(&T) -> U + Send + Sync + 'static) -> Elements<U> {
        let (location, members) = (Location::caller(), self.members.clone());
        let function = Arc::new(function);
        self.with_members(Process::new(move |&index| {
            let parents = vec![members.at(index).erased().clone()];
            apply_shared_at::<One<T>, U>("map", location, parents, &function)
        }))
    }

    /// Returns the collection of the elements that `function` returns for each member.
    #[track_caller]
    pub fn flat_map<U: Value>(
        &self,
        function: impl Fn(&T) -> Element<U> + Send + Sync + 'static,
    ) -> Elements<U> {
        let (location, members) = (Location::caller(), self.members.clone());
        let function = Arc::new(function);
        self.with_members(Process::new(move |&index| {
            let parents = vec![members.at(index).erased().clone()];
            chain_shared_at::<One<T>, U>("flat_map", location, parents, &function)
        }))
    }

    /// Returns the collection of all pairs of two different members, with the smaller index first: for 3 members the pairs (0, 1), (0, 2), (1, 2).
    ///
    /// The pairs of members come in the order of their greater index. The pairs of a world with few members are therefore the first ones among the
    /// pairs of a world with more members. A collection has about n²/2 pairs, and a summary of the pairs has as many tables.
    #[track_caller]
    pub fn pairs(&self) -> Elements<(T, T)> {
        let members = self.members.clone();
        let pair = move |&place: &usize| {
            let (first, second) = pair_at(place);
            tuple((&members.at(first), &members.at(second)))
        };
        let pairs = |length: usize| (length * length.saturating_sub(1)) / 2;
        let length = match &self.length {
            Natural::Known(length) => Natural::Known(pairs(*length)),
            Natural::Uncertain(length) => Natural::Uncertain(length.map(move |&n| pairs(n))),
        };
        Elements::built(length, Members::Made(Process::new(pair)))
    }
}

/// Returns the pair of indices with the number `place` in the order (0, 1), (0, 2), (1, 2), (0, 3), ...
fn pair_at(place: usize) -> (usize, usize) {
    // The number of pairs whose greater index is below `second` is `second * (second - 1) / 2`.
    let mut second = (2 * place + 1).isqrt();
    while second * (second + 1) / 2 <= place {
        second += 1;
    }
    while second * (second - 1) / 2 > place {
        second -= 1;
    }
    (place - second * (second - 1) / 2, second)
}

pub(super) fn constant<T: Value>(location: &'static Location<'static>, value: T) -> Element<T> {
    apply_at::<(), T>("constant", location, Vec::new(), move |()| value.clone())
}

impl<T> fmt::Debug for Elements<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.origin, f)
    }
}
