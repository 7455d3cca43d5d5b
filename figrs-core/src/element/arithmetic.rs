//! Arithmetic on elements of numbers, by name and by operator.

use std::any::{Any, TypeId};
use std::marker::PhantomData;
use std::ops;
use std::panic::Location;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::apply::contained;
use super::linear::LinearFunction;
use super::node::{AnyElement, Kind};
use super::operations::{ApplyOp, OpenArgument};
use super::parents::{Arguments, Function, One};
use crate::element::Element;
use crate::error::Fault;
use crate::value::datum::Datum;
use crate::value::support::{AnyColumn, SupportBuilder};
use crate::value::{Value, canonical};

/// Types of numbers that support arithmetic on elements: all primitive integers and floating-point numbers.
///
/// Each arithmetic operation returns `None` if the result does not fit its type, or if an integer is divided by zero. A floating-point result always
/// fits its type, because it may be infinite or NaN.
pub trait Arithmetic: Value {
    /// Returns `self + other`.
    fn add(&self, other: &Self) -> Option<Self>;
    /// Returns `self - other`.
    fn subtract(&self, other: &Self) -> Option<Self>;
    /// Returns `self * other`.
    fn multiply(&self, other: &Self) -> Option<Self>;
    /// Returns `self / other`.
    fn divide(&self, other: &Self) -> Option<Self>;
    /// Returns `self % other`.
    fn remainder(&self, other: &Self) -> Option<Self>;
}

macro_rules! integers {
    ($($type:ty),+) => {$(
        impl Arithmetic for $type {
            fn add(&self, other: &Self) -> Option<Self> {
                self.checked_add(*other)
            }
            fn subtract(&self, other: &Self) -> Option<Self> {
                self.checked_sub(*other)
            }
            fn multiply(&self, other: &Self) -> Option<Self> {
                self.checked_mul(*other)
            }
            fn divide(&self, other: &Self) -> Option<Self> {
                self.checked_div(*other)
            }
            fn remainder(&self, other: &Self) -> Option<Self> {
                self.checked_rem(*other)
            }
        }
    )+};
}
integers!(
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
);

macro_rules! floats {
    ($($type:ty),+) => {$(
        impl Arithmetic for $type {
            fn add(&self, other: &Self) -> Option<Self> {
                Some(self + other)
            }
            fn subtract(&self, other: &Self) -> Option<Self> {
                Some(self - other)
            }
            fn multiply(&self, other: &Self) -> Option<Self> {
                Some(self * other)
            }
            fn divide(&self, other: &Self) -> Option<Self> {
                Some(self / other)
            }
            fn remainder(&self, other: &Self) -> Option<Self> {
                Some(self % other)
            }
        }
    )+};
}
floats!(f32, f64);

/// An operation of `Apply` elements that is a partial function: for some of its arguments, the function has no result.
struct PartialFunction<A, F> {
    function: F,
    /// The arithmetic operation and its constant operands, if the numbers have the type `f64`.
    operation: Option<RealOperation>,
    /// The test whether the last argument is read, for a function that reads its last argument only if its first argument has certain values.
    is_read: Option<ReadTest>,
    arguments: PhantomData<fn(A)>,
}

type ReadTest = Box<dyn Fn(&dyn Any) -> bool + Send + Sync>;

impl<A, T, F> ApplyOp for PartialFunction<A, F>
where
    A: Arguments,
    T: Value,
    F: for<'a> Fn(A::Refs<'a>) -> Result<T, Fault> + Send + Sync + 'static,
{
    fn call(&self, arguments: &[&dyn Any]) -> Result<Datum, Fault> {
        (self.function)(A::refs(arguments)).map(Datum::new)
    }

    fn intern(&self, arguments: &[&dyn Any], values: &mut SupportBuilder) -> Result<usize, Fault> {
        let value = (self.function)(A::refs(arguments))?;
        Ok(values.insert_typed(&value))
    }

    fn is_light(&self) -> bool {
        true
    }

    fn call_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
    ) -> Result<Box<dyn AnyColumn>, Fault> {
        let columns = A::columns(arguments);
        let value = |row| (self.function)(A::row(&columns, row)).map(canonical);
        let values: Result<Vec<T>, Fault> = (0..count).map(value).collect();
        Ok(Box::new(values?))
    }

    fn linear(&self, arguments: &[OpenArgument<'_>]) -> Option<LinearFunction> {
        self.operation?.linear(arguments)
    }

    fn may_skip_last(&self) -> bool {
        self.is_read.is_some()
    }

    fn skips_last(&self, others: &[&dyn Any]) -> bool {
        let is_read = self.is_read.as_ref();
        is_read.is_some_and(|is_read| !is_read(others[0]))
    }
}

/// An operation on real numbers; an operand of `None` is unknown.
#[derive(Clone, Copy, Debug)]
struct RealOperation {
    operator: Operator,
    left: Option<f64>,
    right: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl RealOperation {
    /// Creates the operation with the constants `left` and `right`; `None` if the type of the numbers is not `f64`.
    fn new<T: Value>(operator: Operator, left: Option<&T>, right: Option<&T>) -> Option<Self> {
        let number = |x: &T| (x as &dyn Any).downcast_ref::<f64>().copied();
        (TypeId::of::<T>() == TypeId::of::<f64>()).then(|| Self {
            operator,
            left: left.and_then(number),
            right: right.and_then(number),
        })
    }

    /// Returns the operation as a linear function of its unknown operands, if it is linear.
    fn linear(self, arguments: &[OpenArgument<'_>]) -> Option<LinearFunction> {
        let mut arguments = arguments.iter().map(|argument| match argument {
            OpenArgument::Known(value) => value.downcast_ref::<f64>().copied(),
            OpenArgument::Open(_) => None,
        });
        let left = self.left.or_else(|| arguments.next()?);
        let right = self.right.or_else(|| arguments.next()?);
        let (offset, coefficients): (f64, SmallVec<[f64; 2]>) = match (self.operator, left, right) {
            (Operator::Add, None, None) => (0.0, smallvec![1.0, 1.0]),
            (Operator::Sub, None, None) => (0.0, smallvec![1.0, -1.0]),
            (Operator::Add, Some(x), None) | (Operator::Add, None, Some(x)) => (x, smallvec![1.0]),
            (Operator::Sub, Some(x), None) => (x, smallvec![-1.0]),
            (Operator::Sub, None, Some(x)) => (-x, smallvec![1.0]),
            (Operator::Mul, Some(x), None) | (Operator::Mul, None, Some(x)) => (0.0, smallvec![x]),
            (Operator::Div, None, Some(x)) => (0.0, smallvec![x.recip()]),
            (Operator::Add | Operator::Sub | Operator::Mul | Operator::Div | Operator::Rem, ..) => {
                return None;
            }
        };
        let mut function = LinearFunction::constant([offset]);
        coefficients.into_iter().for_each(|x| function.push([x]));
        Some(function)
    }
}

/// A named operation on two numbers.
struct ArithmeticOperation<T> {
    name: &'static str,
    operator: Operator,
    apply: fn(&T, &T) -> Option<T>,
}

impl<T: Arithmetic> ArithmeticOperation<T> {
    fn value(&self, a: &T, b: &T) -> Result<T, Fault> {
        (self.apply)(a, b).ok_or_else(|| {
            Fault::Arithmetic(format!(
                "{a:?} {} {b:?} has no value of type {}",
                self.name,
                std::any::type_name::<T>()
            ))
        })
    }

    #[track_caller]
    fn of_elements(self, a: &Element<T>, b: &Element<T>) -> Element<T> {
        self.of_elements_at(Location::caller(), a, b)
    }

    fn of_elements_at(
        self,
        location: &'static Location<'static>,
        a: &Element<T>,
        b: &Element<T>,
    ) -> Element<T> {
        let parents = vec![a.erased().clone(), b.erased().clone()];
        let real = RealOperation::new::<T>(self.operator, None, None);
        let name = self.name;
        let value = move |(a, b): (&T, &T)| self.value(a, b);
        partial_at::<(T, T), _>(name, location, parents, real, value)
    }

    #[track_caller]
    fn with_right(self, a: &Element<T>, b: T) -> Element<T> {
        let real = RealOperation::new(self.operator, None, Some(&b));
        let parents = vec![a.erased().clone()];
        let name = self.name;
        let value = move |a: &T| self.value(a, &b);
        partial_at::<One<T>, _>(name, Location::caller(), parents, real, value)
    }

    #[track_caller]
    fn with_left(self, a: T, b: &Element<T>) -> Element<T> {
        let real = RealOperation::new(self.operator, Some(&a), None);
        let parents = vec![b.erased().clone()];
        let name = self.name;
        let value = move |b: &T| self.value(&a, b);
        partial_at::<One<T>, _>(name, Location::caller(), parents, real, value)
    }
}

impl<T: Arithmetic> ArithmeticOperation<T> {
    const SUM: Self = Self {
        name: "plus",
        operator: Operator::Add,
        apply: T::add,
    };
}

pub(crate) fn plus_at<T: Arithmetic>(
    location: &'static Location<'static>,
    a: &Element<T>,
    b: &Element<T>,
) -> Element<T> {
    ArithmeticOperation::SUM.of_elements_at(location, a, b)
}

pub(crate) fn checked_sum<T: Arithmetic>(a: &T, b: &T) -> Result<T, Fault> {
    ArithmeticOperation::SUM.value(a, b)
}

/// Creates an `Apply` element whose function has no result for some of its arguments.
pub(crate) fn fallible_apply_at<A: Arguments, T: Value>(
    name: &'static str,
    location: &'static Location<'static>,
    parents: Vec<AnyElement>,
    function: impl Function<A, Result<T, Fault>>,
) -> Element<T> {
    let contained = move |arguments: A::Refs<'_>| contained(|| function(arguments))?;
    partial_at::<A, T>(name, location, parents, None, contained)
}

/// Creates an element for the next state of a sequence: `step` reads the element `read` if `is_read` is true for the state before. If `is_read` is
/// false for the state before, the state of the sequence does not change, and a world does not evaluate `read`.
pub(crate) fn step_if_at<S: Value, T: Value>(
    location: &'static Location<'static>,
    state: &Element<S>,
    read: &Element<T>,
    is_read: impl Fn(&S) -> bool + Copy + Send + Sync + 'static,
    step: impl Fn(&S, &T) -> Result<S, Fault> + Send + Sync + 'static,
) -> Element<S> {
    let parents = vec![state.erased().clone(), read.erased().clone()];
    let function = move |(state, value): (&S, &T)| match is_read(state) {
        true => contained(|| step(state, value))?,
        false => Ok(state.clone()),
    };
    let partial = PartialFunction::<(S, T), _> {
        function,
        operation: None,
        is_read: Some(Box::new(move |state| {
            state.downcast_ref::<S>().is_none_or(is_read)
        })),
        arguments: PhantomData,
    };
    let kind = Kind::Apply(parents.into(), Arc::new(partial));
    Element::from_kind("state", location, kind)
}

fn partial_at<A: Arguments, T: Value>(
    name: &'static str,
    location: &'static Location<'static>,
    parents: Vec<AnyElement>,
    operation: Option<RealOperation>,
    function: impl Function<A, Result<T, Fault>>,
) -> Element<T> {
    let partial = PartialFunction::<A, _> {
        function,
        operation,
        is_read: None,
        arguments: PhantomData,
    };
    let kind = Kind::Apply(parents.into(), Arc::new(partial));
    Element::from_kind(name, location, kind)
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident $function:ident $operator:ident $symbol:ident),+ $(,)?) => {$(
        impl<T: Arithmetic> Element<T> {
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self, other: &Self) -> Self {
                ArithmeticOperation { name: stringify!($name), operator: Operator::$operator, apply: T::$function }.of_elements(self, other)
            }
        }

        operations!(@elements $name $operator $symbol, Element<T>, Element<T>);
        operations!(@elements $name $operator $symbol, Element<T>, &Element<T>);
        operations!(@elements $name $operator $symbol, &Element<T>, Element<T>);
        operations!(@elements $name $operator $symbol, &Element<T>, &Element<T>);
        operations!(@number $name $function $operator $symbol, Element<T>);
        operations!(@number $name $function $operator $symbol, &Element<T>);
        operations!(@numbers $name $function $operator $symbol,
            u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);
    )+};
    (@elements $name:ident $operator:ident $symbol:ident, $left:ty, $right:ty) => {
        impl<T: Arithmetic> ops::$operator<$right> for $left {
            type Output = Element<T>;
            #[doc = concat!("[`", stringify!($name), "`](Element::", stringify!($name), ")")]
            #[track_caller]
            fn $symbol(self, other: $right) -> Element<T> {
                Element::$name(&self, &other)
            }
        }
    };
    (@number $name:ident $function:ident $operator:ident $symbol:ident, $left:ty) => {
        impl<T: Arithmetic> ops::$operator<T> for $left {
            type Output = Element<T>;
            #[doc = concat!("[`", stringify!($name), "`](Element::", stringify!($name), ") of this and a number")]
            #[track_caller]
            fn $symbol(self, other: T) -> Element<T> {
                ArithmeticOperation { name: stringify!($name), operator: Operator::$operator, apply: T::$function }.with_right(&self, other)
            }
        }
    };
    (@numbers $name:ident $function:ident $operator:ident $symbol:ident, $($type:ty),+) => {$(
        operations!(@reversed $name $function $operator $symbol, $type, Element<$type>);
        operations!(@reversed $name $function $operator $symbol, $type, &Element<$type>);
    )+};
    (@reversed $name:ident $function:ident $operator:ident $symbol:ident, $left:ty, $right:ty) => {
        impl ops::$operator<$right> for $left {
            type Output = Element<$left>;
            #[doc = concat!("[`", stringify!($name), "`](Element::", stringify!($name), ") of this number and an element")]
            #[track_caller]
            fn $symbol(self, other: $right) -> Element<$left> {
                let operation = ArithmeticOperation { name: stringify!($name), operator: Operator::$operator, apply: <$left as Arithmetic>::$function };
                operation.with_left(self, &other)
            }
        }
    };
}

operations! {
    /// Returns the sum of the elements, also written `&a + &b`; a world in which the sum does not fit into its type has an error.
    plus add Add add,
    /// Returns the difference of the elements, also written `&a - &b`; a world in which the difference does not fit into its type has an error.
    minus subtract Sub sub,
    /// Returns the product of the elements, also written `&a * &b`; a world in which the product does not fit into its type has an error.
    times multiply Mul mul,
    /// Returns the quotient of the elements, also written `&a / &b`. A quotient of integers is rounded towards zero. A world that divides an integer
    /// by zero has an error.
    divided_by divide Div div,
    /// Returns the remainder, also written `&a % &b`; the remainder has the sign of `a`. A world that divides an integer by zero has an error.
    modulo remainder Rem rem,
}

macro_rules! negations {
    ($($type:ty),+) => {$(
        negations!(@of $type, Element<$type>);
        negations!(@of $type, &Element<$type>);
    )+};
    (@of $number:ty, $element:ty) => {
        impl ops::Neg for $element {
            type Output = Element<$number>;
            /// Returns -1 [times](Element::times) the element; a world in which the result does not fit into its type has an error.
            #[track_caller]
            fn neg(self) -> Element<$number> {
                (-1 as $number) * self
            }
        }
    };
}
negations!(i8, i16, i32, i64, i128, isize, f32, f64);
