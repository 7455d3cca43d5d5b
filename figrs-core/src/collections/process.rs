//! `Process`: an unbounded family of elements with an index.

use std::any::type_name;
use std::cmp::Ordering;
use std::fmt;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::error::{MemberError, Origin};
use super::making::{Attempt, MemberKey, Problem, Request, make, new_number};
use crate::element::Element;
use crate::element::apply::{check_purity, contained};
use crate::element::chain::fallible_chain_at;
use crate::element::node::{AnyElement, WeakElement};
use crate::element::parents::One;
use crate::error::Fault;
use crate::value::datum::Datum;
use crate::value::{Value, canonical};

/// An existing member of a process, with its index.
#[derive(Clone, Debug)]
pub struct Neighbour<I, T> {
    /// The index of the member.
    pub index: I,
    /// The member itself.
    pub member: Element<T>,
}

/// A function from the nearest members on both sides of an index to the member with this index.
type BetweenFunction<I, T> =
    dyn Fn(&I, Option<&Neighbour<I, T>>, Option<&Neighbour<I, T>>) -> Element<T> + Send + Sync;

type IndexFunction<I, T> = dyn Fn(&Process<I, T>, &I) -> Element<T> + Send + Sync;

type Domain<I> = Box<dyn Fn(&I) -> bool + Send + Sync>;

/// The function of a process, which creates its members.
enum MemberFunction<I, T> {
    OfIndex(Box<IndexFunction<I, T>>),
    Between(fn(&I, &I) -> Ordering, Box<BetweenFunction<I, T>>),
}

struct Members<I, T> {
    /// The members by index, if the function of the process does not depend on neighbours; dropped members are removed later.
    by_index: FxHashMap<Datum, WeakElement>,
    /// The number of members in `by_index` at which the members that were dropped are removed from it.
    sweep_at: usize,
    /// The members in the order of their indices, if the function depends on neighbours.
    in_order: Vec<Neighbour<I, T>>,
}

struct Shared<I, T> {
    number: u64,
    function: MemberFunction<I, T>,
    domain: Option<Domain<I>>,
    origin: Origin,
    members: Mutex<Members<I, T>>,
}

/// An unbounded family of elements: one member for each index, created when it is first asked for.
///
/// The index may be any [`Value`], such as a number, a point in time, a name or a pair. A process remembers its members: the member with an index is
/// the same element whenever it is asked for; evidence on a member may therefore be stated before or after the creation of other members.
///
/// ```
/// # use figrs_core::{Element, Flip, If, Model, Process};
/// // The weather of each day depends on the day before.
/// let rain = Process::recursive(|rain: &Process<u32, bool>, &day| -> Element<bool> {
///     match day.checked_sub(1) {
///         None => Flip::new(0.5),
///         Some(before) => If::new(&rain.at(&before), Flip::new(0.7), Flip::new(0.2)),
///     }
/// });
/// let model = Model::new().observe(&rain.at(&10), true); // makes the days 0 to 10
/// let before = rain.at(&9); // the same element that day 10 depends on
/// # drop((model, before));
/// ```
///
/// A process refers to its members weakly. A member is dropped if no element, no evidence and no variable of the program refers to it any more. If a
/// dropped member of a process is asked for again, it is created anew with the same distribution.
///
/// **Errors.** Creating a process and asking for a member never panic. A request for a member that does not exist returns an element; a world that
/// evaluates this element has the error [`Fault::Member`], with a [`MemberError`]: [`NoMember`](MemberError::NoMember) for an index outside the
/// domain ([`within`](Self::within)), and [`Cycle`](MemberError::Cycle) for a member that depends on itself.
#[derive(Clone)]
pub struct Process<I, T>(Arc<Shared<I, T>>);

impl<I: Value, T: Value> Process<I, T> {
    /// Creates the process whose members are independent of each other, or depend on elements outside the process.
    ///
    /// The function must be pure, like the function of a [`Chain`](crate::Chain).
    ///
    /// ```
    /// # use figrs_core::{Flip, Process};
    /// let honest = Process::new(|_name: &String| Flip::new(0.9));
    /// let (ada, bo) = (honest.at(&"Ada".into()), honest.at(&"Bo".into()));
    /// assert_eq!(ada.erased().id(), honest.at(&"Ada".into()).erased().id());
    /// # drop(bo);
    /// ```
    #[track_caller]
    pub fn new(function: impl Fn(&I) -> Element<T> + Send + Sync + 'static) -> Self {
        Self::recursive(move |_, index| function(index))
    }

    /// Creates the process whose members may depend on each other: the function receives the process itself, and asks the process for other members.
    ///
    /// The function may be called several times for one index: the members that the function asks for are created after its first call, without
    /// recursion. A chain of more than a million members, each of which needs the member before it, is an error ([`MemberError::TooManyNeeded`]). If
    /// the function needs a member only in some worlds, ask a clone of the process for this member within a `flat_map`.
    #[track_caller]
    pub fn recursive(function: impl Fn(&Self, &I) -> Element<T> + Send + Sync + 'static) -> Self {
        Self::built("process", MemberFunction::OfIndex(Box::new(function)))
    }

    /// Creates the process whose members depend on their neighbours: the function receives the index, and the existing members with the nearest
    /// smaller index and with the nearest greater index.
    ///
    /// The order in which members are created does not affect their distribution if the function returns the conditional distribution of a Markov
    /// process given its values at the two neighbouring indices. The next example is a Brownian motion that starts with the value zero at time zero.
    /// The variance of an increment is the elapsed time:
    ///
    /// ```
    /// # use figrs_core::{Constant, Normal, Process, Variance};
    /// let motion = Process::between(f64::total_cmp, |&t, before, after| match (before, after) {
    ///     (None, _) => Constant::new(0.0), // the first instant that is asked for is 0
    ///     (Some(a), None) => Normal::new(&a.member, Variance(t - a.index)),
    ///     (Some(a), Some(b)) => { // a Brownian bridge
    ///         let share = (t - a.index) / (b.index - a.index);
    ///         let mean = &a.member * (1.0 - share) + &b.member * share;
    ///         Normal::new(mean, Variance((t - a.index) * (1.0 - share)))
    ///     }
    /// });
    /// let [start, late, early] = [0.0, 2.0, 0.3].map(|t| motion.at(&t));
    /// # drop((start, late, early));
    /// ```
    ///
    /// A process that is built by `between` keeps all its members. The process creates no members during the evaluation of worlds, because such
    /// members would depend on the order in which the worlds are evaluated. [`at_element`](Self::at_element) therefore finds only members that were
    /// created before the run, and any other member is an error ([`MemberError::NotMade`]).
    #[track_caller]
    pub fn between<F>(order: fn(&I, &I) -> Ordering, function: F) -> Self
    where
        F: Fn(&I, Option<&Neighbour<I, T>>, Option<&Neighbour<I, T>>) -> Element<T>
            + Send
            + Sync
            + 'static,
    {
        Self::built(
            "process",
            MemberFunction::Between(order, Box::new(function)),
        )
    }

    #[track_caller]
    fn built(kind: &'static str, function: MemberFunction<I, T>) -> Self {
        let location = Location::caller();
        Self(Arc::new(Shared {
            number: new_number(),
            function,
            domain: None,
            origin: Origin { kind, location },
            members: Mutex::new(Members {
                by_index: FxHashMap::default(),
                sweep_at: 64,
                in_order: Vec::new(),
            }),
        }))
    }

    /// Restricts the process to the indices for which `domain` is true; a world that evaluates the member of any other index has an error.
    ///
    /// ```
    /// # use figrs_core::{Flip, Process};
    /// let open = Process::new(|_hour: &u32| Flip::new(0.8)).within(|&hour| hour < 24);
    /// let never = open.at(&25); // an error that names the index, when it is used
    /// # drop(never);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn within(mut self, domain: impl Fn(&I) -> bool + Send + Sync + 'static) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.0) {
            let before = shared.domain.take();
            shared.domain = Some(Box::new(move |index| {
                before.as_ref().is_none_or(|before| before(index)) && domain(index)
            }));
            return self;
        }
        Self::new(move |index| self.at(index)).within(domain)
    }

    /// Returns the member with the index `index`, and creates the member if it does not exist yet.
    #[track_caller]
    pub fn at(&self, index: &I) -> Element<T> {
        self.member_at(index, Location::caller())
    }

    pub(super) fn member_at(&self, index: &I, location: &'static Location<'static>) -> Element<T> {
        let index = canonical(index.clone());
        if let Some(known) = self.known(&Datum::new(index.clone())) {
            return known;
        }
        match self.has(&index) {
            Ok(true) => {}
            Ok(false) => return self.missing(location, &index),
            Err(fault) => return refused(location, fault),
        }
        let request = MemberRequest {
            process: self.clone(),
            key: (self.0.number, Datum::new(index.clone())),
            index,
            location,
        };
        typed(&make(Box::new(request)))
    }

    /// Creates the member whose index is the value of the element `index`.
    ///
    /// A member is created only for a possible value of the index, when an algorithm first needs this member. An exact algorithm needs the same work
    /// for this member as for a [`flat_map`](Element::flat_map).
    #[track_caller]
    pub fn at_element(&self, index: &Element<I>) -> Element<T> {
        let location = Location::caller();
        let process = self.clone();
        let parents = vec![index.erased().clone()];
        let makes = matches!(self.0.function, MemberFunction::OfIndex(_));
        let member = move |index: &I| {
            if makes || process.has(index) != Ok(true) {
                return Ok(process.member_at(index, location));
            }
            let known = process.known(&Datum::new(index.clone()));
            known.ok_or_else(|| process.problem(index, Problem::NotMade))
        };
        fallible_chain_at::<One<I>, T>("at_element", location, parents, member)
    }

    fn lock(&self) -> MutexGuard<'_, Members<I, T>> {
        self.0
            .members
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has(&self, index: &I) -> Result<bool, Fault> {
        let domain = self.0.domain.as_ref();
        contained(|| domain.is_none_or(|domain| domain(index)))
    }

    fn known(&self, index: &Datum) -> Option<Element<T>> {
        let members = self.lock();
        match &self.0.function {
            MemberFunction::OfIndex(_) => {
                let member = members.by_index.get(index)?.upgrade()?;
                Element::from_erased(&member)
            }
            MemberFunction::Between(order, _) => {
                let place = members.place(*order, index.get::<I>()?).ok()?;
                Some(members.in_order[place].member.clone())
            }
        }
    }

    fn problem(&self, index: &I, problem: Problem) -> Fault {
        let (of, index) = (self.0.origin.to_string(), format!("{index:?}"));
        Fault::Member(Box::new(problem.error(of, index, type_name::<I>())))
    }

    /// Returns an element with the error that `index` is outside the domain.
    fn missing(&self, location: &'static Location<'static>, index: &I) -> Element<T> {
        let error = MemberError::NoMember {
            of: self.0.origin.to_string(),
            index: format!("{index:?}"),
            index_type: type_name::<I>(),
            reason: ", which is outside its domain".into(),
            remedy: "",
        };
        refused(location, Fault::Member(Box::new(error)))
    }
}

fn typed<T: Value>(member: &AnyElement) -> Element<T> {
    Element::from_erased(member).expect("members have the type of their process")
}

/// Creates the element that has the error `fault` in each world that evaluates it.
pub(super) fn refused<T: Value>(location: &'static Location<'static>, fault: Fault) -> Element<T> {
    let function = move |()| Err(fault.clone());
    fallible_chain_at::<(), T>("member", location, Vec::new(), function)
}

impl<I: Value, T: Value> Members<I, T> {
    /// Searches the ordered list of members for the index `index`: returns the position of the member or, as the error, the position at which a new
    /// member would be inserted.
    fn place(&self, order: fn(&I, &I) -> Ordering, index: &I) -> Result<usize, usize> {
        self.in_order
            .binary_search_by(|member| order(&member.index, index))
    }

    /// Removes the dropped members of the process each time that its number of members has doubled.
    fn sweep(&mut self) {
        if self.by_index.len() >= self.sweep_at {
            self.by_index.retain(|_, member| member.is_alive());
            self.sweep_at = (2 * self.by_index.len()).max(64);
        }
    }
}

struct MemberRequest<I, T> {
    process: Process<I, T>,
    index: I,
    key: MemberKey,
    location: &'static Location<'static>,
}

impl<I: Value, T: Value> MemberRequest<I, T> {
    fn call(&self) -> (Result<Element<T>, Fault>, usize) {
        let (process, index) = (&self.process, &self.index);
        match &process.0.function {
            MemberFunction::OfIndex(function) => (contained(|| function(process, index)), 0),
            MemberFunction::Between(order, function) => {
                let (before, after, known) = {
                    let members = process.lock();
                    let (Ok(place) | Err(place)) = members.place(*order, index);
                    let neighbour = |at: usize| members.in_order.get(at).cloned();
                    let before = place.checked_sub(1).and_then(neighbour);
                    (before, neighbour(place), members.in_order.len())
                };
                let call = || function(index, before.as_ref(), after.as_ref());
                (contained(call), known)
            }
        }
    }
}

impl<I: Value, T: Value> Request for MemberRequest<I, T> {
    fn key(&self) -> &MemberKey {
        &self.key
    }

    fn known(&self) -> Option<AnyElement> {
        Some(self.process.known(&self.key.1)?.erased().clone())
    }

    fn attempt(&self) -> Attempt {
        let (mut element, known) = self.call();
        if cfg!(debug_assertions)
            && let (Ok(first), (Ok(second), again)) = (&element, self.call())
            && known == again
            && let Err(fault) = check_purity(first.erased(), second.erased())
        {
            element = Err(fault);
        }
        let element = element.unwrap_or_else(|fault| refused(self.location, fault));
        Attempt {
            element: element.erased().clone(),
            known,
        }
    }

    fn remember(&self, attempt: Attempt) -> Option<AnyElement> {
        let mut members = self.process.lock();
        match &self.process.0.function {
            MemberFunction::OfIndex(_) => {
                members.sweep();
                let known = members.by_index.get(&self.key.1);
                if let Some(known) = known.and_then(WeakElement::upgrade) {
                    return Some(known);
                }
                let weak = attempt.element.downgrade();
                members.by_index.insert(self.key.1.clone(), weak);
            }
            MemberFunction::Between(order, _) => match members.place(*order, &self.index) {
                Ok(place) => return Some(members.in_order[place].member.erased().clone()),
                Err(_) if members.in_order.len() != attempt.known => return None,
                Err(place) => {
                    let index = self.index.clone();
                    let member = Element::from_erased(&attempt.element)?;
                    members.in_order.insert(place, Neighbour { index, member });
                }
            },
        }
        Some(attempt.element)
    }

    fn refused(&self, problem: Problem) -> AnyElement {
        let fault = self.process.problem(&self.index, problem);
        refused::<T>(self.location, fault).erased().clone()
    }
}

impl<I, T> fmt::Debug for Process<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.origin, f)
    }
}
