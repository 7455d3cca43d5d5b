//! `Apply`, a deterministic function of other elements, and the functions of users: their identity, and checks that they do not panic and are pure.

use std::any::{Any, TypeId};
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Once};
use std::{env, thread};

use smallvec::SmallVec;

use super::linear::LinearFunction;
use super::node::{AnyElement, Kind, ParentList};
use super::operations::{ApplyOp, OpenArgument};
use super::parents::{Arguments, Function, Many, Parents};
use crate::element::Element;
use crate::error::Fault;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, Support, SupportBuilder};
use crate::value::{Value, canonical};

/// Builds the element whose value is a function of its parents' values.
#[derive(Debug)]
pub struct Apply;

impl Apply {
    /// Creates the element with value `function(values of parents)`; the function `function` must be pure.
    ///
    /// ```
    /// # use figrs_core::{Apply, Uniform};
    /// let (a, b) = (Uniform::new(1..=6), Uniform::new(1..=6));
    /// let sum = Apply::new((&a, &b), |(a, b)| a + b);
    ///
    /// let dice: Vec<_> = (0..9).map(|_| Uniform::new(1..=6)).collect();
    /// let highest = Apply::new(&dice, |dice| dice.into_iter().copied().max().unwrap_or(0));
    /// # drop((sum, highest));
    /// ```
    ///
    /// For one parent, the function receives a `&T`; for a tuple of up to eight parents, a tuple of references; for a list or an array of parents, a
    /// `Vec<&T>`. (The function receives a `Vec<&T>` and not a slice, because a closure that names `&[T]` does not compile.)
    #[track_caller]
    pub fn new<P, T, F>(parents: P, function: F) -> Element<T>
    where
        P: Parents,
        T: Value,
        F: for<'a> Fn(<P::Arguments as Arguments>::Refs<'a>) -> T + Send + Sync + 'static,
    {
        apply_at::<P::Arguments, T>("Apply", Location::caller(), parents.elements(), function)
    }
}

pub(crate) fn apply_at<A: Arguments, T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    parents: impl Into<ParentList>,
    function: impl Function<A, T>,
) -> Element<T> {
    let op = ApplyFunction::<A, _>::new(function);
    let kind = Kind::Apply(parents.into(), Arc::new(op));
    Element::from_kind(constructor, location, kind)
}

pub(crate) fn apply_shared_at<A: Arguments, T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    parents: Vec<AnyElement>,
    function: &Arc<impl Function<A, T>>,
) -> Element<T> {
    let shared = Arc::clone(function);
    let op = ApplyFunction::<A, _> {
        identity: Some(FunctionId::of_shared(function)),
        ..ApplyFunction::new(move |refs: A::Refs<'_>| shared(refs))
    };
    let kind = Kind::Apply(parents.into(), Arc::new(op));
    Element::from_kind(constructor, location, kind)
}

/// A function that returns, for a result of the deterministic function, the values that the parents must have; see [`ApplyOp::demand`].
pub(crate) type ImpliedParents = fn(&Datum, parents: usize) -> Option<Vec<Option<Datum>>>;

pub(crate) fn apply_with_demand<A: Arguments, T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    parents: Vec<AnyElement>,
    function: impl Function<A, T>,
    demand: ImpliedParents,
) -> Element<T> {
    let op = ApplyFunction::<A, _> {
        demand: Some((demand, parents.len())),
        ..ApplyFunction::new(function)
    };
    let kind = Kind::Apply(parents.into(), Arc::new(op));
    Element::from_kind(constructor, location, kind)
}

/// Creates an element whose value is the list of the values of `parents`; for real numbers, the list is a linear function of the parents.
pub(crate) fn apply_list<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    parents: Vec<AnyElement>,
    demand: ImpliedParents,
) -> Element<Vec<T>> {
    let is_real = TypeId::of::<T>() == TypeId::of::<f64>();
    let op = ApplyFunction::<Many<T>, _> {
        demand: Some((demand, parents.len())),
        real: is_real.then_some(RealFunction::List),
        ..ApplyFunction::new(list::<T>)
    };
    let kind = Kind::Apply(parents.into(), Arc::new(op));
    Element::from_kind(constructor, location, kind)
}

fn list<T: Value>(values: Vec<&T>) -> Vec<T> {
    values.into_iter().cloned().collect()
}

pub(crate) fn apply_comparison<T: Value>(
    constructor: &'static str,
    location: &'static Location<'static>,
    parents: Vec<AnyElement>,
    (function, comparison): (fn(&T, &T) -> bool, RealComparison),
) -> Element<bool> {
    let body = move |(a, b): (&T, &T)| function(a, b);
    let op = ApplyFunction::<(T, T), _> {
        real: Some(RealFunction::Comparison(comparison)),
        ..ApplyFunction::new(body)
    };
    let kind = Kind::Apply(parents.into(), Arc::new(op));
    Element::from_kind(constructor, location, kind)
}

/// A comparison of two real numbers by size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RealComparison {
    is_greater: bool,
    if_equal: bool,
}

impl RealComparison {
    pub(super) const LESS_THAN: Self = Self::new(false, false);
    pub(super) const AT_MOST: Self = Self::new(false, true);
    pub(super) const GREATER_THAN: Self = Self::new(true, false);
    pub(super) const AT_LEAST: Self = Self::new(true, true);

    const fn new(is_greater: bool, if_equal: bool) -> Self {
        Self {
            is_greater,
            if_equal,
        }
    }

    /// Returns a linear function that is positive if the comparison is true, negative if it is false, and zero for equal numbers; and the result of
    /// the comparison for equal numbers.
    fn difference(self, arguments: &[OpenArgument<'_>]) -> Option<(LinearFunction, bool)> {
        let signs = if self.is_greater {
            [1.0, -1.0]
        } else {
            [-1.0, 1.0]
        };
        let mut function = LinearFunction::constant([0.0]);
        for (argument, sign) in arguments.iter().zip(signs) {
            match argument {
                OpenArgument::Known(value) => {
                    function.offset_mut()[0] += sign * value.downcast_ref::<f64>()?;
                }
                OpenArgument::Open(1) => function.push([sign]),
                OpenArgument::Open(_) => return None,
            }
        }
        Some((function, self.if_equal))
    }
}

/// A function of real numbers for which algorithms have closed forms.
enum RealFunction {
    Comparison(RealComparison),
    List,
}

struct ApplyFunction<A, F> {
    body: F,
    identity: Option<FunctionId>,
    demand: Option<(ImpliedParents, usize)>,
    real: Option<RealFunction>,
    arguments: PhantomData<fn(A)>,
}

impl<A, F: 'static> ApplyFunction<A, F> {
    fn new(body: F) -> Self {
        Self {
            identity: FunctionId::of_code(&body),
            body,
            demand: None,
            real: None,
            arguments: PhantomData,
        }
    }
}

impl<A, T, F> ApplyOp for ApplyFunction<A, F>
where
    A: Arguments,
    T: Value,
    F: for<'a> Fn(A::Refs<'a>) -> T + Send + Sync + 'static,
{
    fn call(&self, arguments: &[&dyn Any]) -> Result<Datum, Fault> {
        contained(|| (self.body)(A::refs(arguments))).map(Datum::new)
    }

    fn intern(&self, arguments: &[&dyn Any], values: &mut SupportBuilder) -> Result<usize, Fault> {
        let value = contained(|| (self.body)(A::refs(arguments)))?;
        Ok(values.insert_typed(&value))
    }

    fn call_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
    ) -> Result<Box<dyn AnyColumn>, Fault> {
        let values = contained(|| {
            let columns = A::columns(arguments);
            let row = |row| canonical((self.body)(A::row(&columns, row)));
            (0..count).map(row).collect::<Vec<T>>()
        })?;
        Ok(Box::new(values))
    }

    fn identity(&self) -> Option<FunctionId> {
        self.identity
    }

    fn demand(&self, value: &Datum) -> Option<Vec<Option<Datum>>> {
        let (demand, parents) = self.demand?;
        demand(value, parents)
    }

    fn comparison(&self, arguments: &[OpenArgument<'_>]) -> Option<(LinearFunction, bool)> {
        match self.real {
            Some(RealFunction::Comparison(comparison)) => comparison.difference(arguments),
            Some(RealFunction::List) | None => None,
        }
    }

    fn linear(&self, arguments: &[OpenArgument<'_>]) -> Option<LinearFunction> {
        let Some(RealFunction::List) = self.real else {
            return None;
        };
        let number = |argument: &OpenArgument<'_>| match argument {
            OpenArgument::Open(1) => Some(None),
            OpenArgument::Open(_) => None,
            OpenArgument::Known(value) => value.downcast_ref::<f64>().copied().map(Some),
        };
        let numbers = arguments.iter();
        let numbers: Option<SmallVec<[Option<f64>; 4]>> = numbers.map(number).collect();
        Some(LinearFunction::of_numbers(&numbers?))
    }
}

/// The identity of a function that was given to an element or to evidence. If two functions have equal identities, results that were computed for one
/// of the functions hold for the other. Two functions may be the same even if one of them has no identity.
///
/// A closure that captures nothing always has an identity. A function that is shared through [`Parents::map_shared`](crate::Parents::map_shared) or a
/// similar method has an identity while an element holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionId {
    code: TypeId,
    captured: usize,
}

impl FunctionId {
    /// Returns the identity of a function of type `F`; `None` if the function captures something.
    pub(crate) fn of_code<F: 'static>(_: &F) -> Option<Self> {
        (size_of::<F>() == 0).then(|| Self {
            code: TypeId::of::<F>(),
            captured: 0,
        })
    }

    pub(crate) fn of_shared<F: 'static>(function: &Arc<F>) -> Self {
        Self {
            code: TypeId::of::<F>(),
            captured: if size_of::<F>() == 0 {
                0
            } else {
                Arc::as_ptr(function).addr()
            },
        }
    }
}

/// The identity of a call of a [`Recursive`](crate::Recursive) function: equal calls have the same distribution.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallId {
    /// The recursive function that is called.
    pub function: FunctionId,
    /// The argument of the recursive call.
    pub argument: Datum,
}

/// Calls `function`, which a user wrote, and converts a panic into a [`Fault`].
#[inline]
pub fn contained<R>(function: impl FnOnce() -> R) -> Result<R, Fault> {
    catch_unwind(AssertUnwindSafe(function)).map_err(panicked)
}

#[cold]
fn panicked(payload: Box<dyn Any + Send>) -> Fault {
    let mut message = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    if let Some(place) = PLACE.take() {
        message = format!("{message} ({place})");
    }
    Fault::Panicked(message)
}

thread_local! {
    /// Number of calls of [`unprinted`], which hides the messages of panics, that are in progress on this thread.
    static CALLS: Cell<u32> = const { Cell::new(0) };
    /// File, line and column of the code where the last panic on this thread occurred.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A guard that ends a call of [`unprinted`] when it is dropped, even if the call panics.
struct End;
impl Drop for End {
    fn drop(&mut self) {
        CALLS.set(CALLS.get() - 1);
    }
}

/// Calls `function`, and converts a panic into an error that names the source line. The panic hook prints the panic only if `RUST_BACKTRACE` is set.
pub fn unprinted<R>(function: impl FnOnce() -> R) -> R {
    static HOOK: Once = Once::new();
    let install = || {
        let is_traced = env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if CALLS.get() == 0 || is_traced {
                print(panic);
            }
            PLACE.set(panic.location().map(ToString::to_string));
        }));
    };
    // Setting the panic hook during a panic would abort the program.
    if !thread::panicking() {
        HOOK.call_once(install);
    }
    CALLS.set(CALLS.get() + 1);
    let _end = End;
    function()
}

/// Maximum number of elements that are compared when a user's function is called twice to check that it is pure.
const MAX_COMPARED_ELEMENTS: usize = 64;

fn differ(a: &AnyElement, b: &AnyElement) -> Option<String> {
    let (left, right) = (a.label(), b.label());
    let shape = !left.is_same_call(&right) || a.parents().len() != b.parents().len();
    if shape {
        return Some(format!("{left} and {right}"));
    }
    if let (Kind::Atomic(x), Kind::Atomic(y)) = (a.kind(), b.kind()) {
        let (x, y) = (x.describe(), y.describe());
        if x != y {
            return Some(format!("{x} and {y}"));
        }
    }
    None
}

/// Calls of one function with the same arguments must agree; returns an error if two results differ. The comparison of results covers distributions,
/// constants and other data of the elements, but not their functions.
pub(crate) fn check_purity(first: &AnyElement, second: &AnyElement) -> Result<(), Fault> {
    match impurity(first, second) {
        Some(difference) => Err(Fault::Impure(difference)),
        None => Ok(()),
    }
}

/// Returns a description of a difference between two results of one function, or `None` if the results do not differ.
pub(crate) fn impurity(first: &AnyElement, second: &AnyElement) -> Option<String> {
    let mut pairs = vec![(first.clone(), second.clone())];
    let mut compared = 0;
    while let Some((a, b)) = pairs.pop() {
        compared += 1;
        if a.id() == b.id() || compared > MAX_COMPARED_ELEMENTS {
            continue;
        }
        if let Some(difference) = differ(&a, &b) {
            return Some(difference);
        }
        pairs.extend(a.parents().iter().cloned().zip(b.parents().iter().cloned()));
    }
    None
}

/// In debug builds, checks that a function has the same result if an argument is replaced by an equal value that prints differently. The function
/// `compare` calls the user's function for given arguments, and describes the difference between the results.
pub(crate) fn check_equal_arguments(
    supports: &[&Support],
    arguments: &[&dyn Any],
    mut compare: impl FnMut(&[&dyn Any]) -> Result<Option<String>, Fault>,
) -> Result<(), Fault> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    for (at, support) in supports.iter().enumerate() {
        let Some(equal) = support.look_alike(arguments[at]) else {
            continue;
        };
        let mut replaced = arguments.to_vec();
        replaced[at] = equal;
        if let Some(results) = compare(&replaced)? {
            let printed = |value: &dyn Any| support.printed(value);
            let arguments = format!("{} and {}", printed(arguments[at]), printed(equal));
            return Err(Fault::UnequalResults { results, arguments });
        }
    }
    Ok(())
}
