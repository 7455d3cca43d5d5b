//! Named arithmetic on elements of numbers.

use std::any::Any;
use std::marker::PhantomData;
use std::panic::Location;

use crate::column::AnyColumn;
use crate::datum::Datum;
use crate::element::Element;
use crate::error::Fault;
use crate::node::{ApplyOp, Kind};
use crate::parents::Arguments;
use crate::support::SupportBuilder;
use crate::value::Value;

/// Numbers that elements can calculate with: all primitive ones.
///
/// Each operation is `None` where the result does not fit the type, and for integers where the divisor is zero.
/// Floating-point results always fit, if only as an infinity or NaN.
pub trait Arithmetic: Value {
    /// `self + other`
    fn add(&self, other: &Self) -> Option<Self>;
    /// `self - other`
    fn subtract(&self, other: &Self) -> Option<Self>;
    /// `self * other`
    fn multiply(&self, other: &Self) -> Option<Self>;
    /// `self / other`
    fn divide(&self, other: &Self) -> Option<Self>;
    /// `self % other`
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

struct Operation<T> {
    name: &'static str,
    apply: fn(&T, &T) -> Option<T>,
    values: PhantomData<fn() -> T>,
}

impl<T: Value> Operation<T> {
    fn value(&self, (a, b): (&T, &T)) -> Result<T, Fault> {
        (self.apply)(a, b).ok_or_else(|| {
            Fault::Arithmetic(format!(
                "{a:?} {} {b:?} has no value of type {}",
                self.name,
                std::any::type_name::<T>()
            ))
        })
    }
}

impl<T: Value> ApplyOp for Operation<T> {
    fn call(&self, arguments: &[&dyn Any]) -> Result<Datum, Fault> {
        self.value(<(T, T)>::refs(arguments)).map(Datum::new)
    }

    fn intern(&self, arguments: &[&dyn Any], values: &mut SupportBuilder) -> Result<usize, Fault> {
        let value = self.value(<(T, T)>::refs(arguments))?;
        Ok(values
            .insert(&value)
            .expect("the support has the type of its element"))
    }

    fn is_light(&self) -> bool {
        true
    }

    fn call_many(
        &self,
        arguments: &[&dyn AnyColumn],
        count: usize,
    ) -> Result<Box<dyn AnyColumn>, Fault> {
        let columns = <(T, T)>::columns(arguments);
        let value = |row| self.value(<(T, T)>::row(&columns, row));
        let values: Result<Vec<T>, Fault> = (0..count).map(value).collect();
        Ok(Box::new(values?))
    }
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident $function:ident),+ $(,)?) => {
        impl<T: Arithmetic> Element<T> {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $name(&self, other: &Self) -> Self {
                let parents = vec![self.erased().clone(), other.erased().clone()];
                let operation = Operation {
                    name: stringify!($name),
                    apply: T::$function,
                    values: PhantomData,
                };
                let kind = Kind::Apply(parents, Box::new(operation));
                Element::from_kind(stringify!($name), Location::caller(), kind)
            }
        )+}
    };
}

operations! {
    /// The sum; a result that does not fit the type is an error when it is reached.
    plus add,
    /// The difference; a result that does not fit the type is an error when it is reached.
    minus subtract,
    /// The product; a result that does not fit the type is an error when it is reached.
    times multiply,
    /// The quotient; for integers rounded towards zero, and a division by zero is an error when it is reached.
    divided_by divide,
    /// The remainder, with the sign of this; for integers, of a division by zero an error when it is reached.
    modulo remainder,
}
