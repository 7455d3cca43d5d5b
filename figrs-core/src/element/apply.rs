//! `Apply`: a deterministic function of other elements.

use std::any::{Any, TypeId};
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use smallvec::SmallVec;

use super::function::{FunctionId, contained};
use super::linear::LinearFunction;
use super::node::{AnyElement, Kind, ParentList};
use super::operations::{ApplyOp, OpenArgument};
use super::parents::{Arguments, Function, Many, Parents};
use crate::element::Element;
use crate::error::Fault;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, SupportBuilder};
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

/// A function from a result to the values of the parents that this result implies; see [`ApplyOp::demand`].
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

/// Creates the list of the values of `parents`; it is a linear function of them if they are real numbers.
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
