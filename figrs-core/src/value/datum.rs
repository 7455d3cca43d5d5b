//! Values whose type is known only at run time.

use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::{Value, canonical};
use crate::element::footprint::ALLOCATION;

trait AnyValue: Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn same(&self, other: &dyn Any) -> bool;
    fn digest(&self) -> u64;
    fn bytes(&self) -> usize;
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl<T: Value> AnyValue for T {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn same(&self, other: &dyn Any) -> bool {
        other
            .downcast_ref::<T>()
            .is_some_and(|other| Value::same(self, other))
    }
    fn digest(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.feed(&mut hasher);
        hasher.finish()
    }
    fn bytes(&self) -> usize {
        size_of_val(self) + self.heap_bytes()
    }
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

macro_rules! plain {
    ($($variant:ident $type:ty),+ $(,)?) => {
        /// A number or a truth value, which is stored without a pointer. (Separate enum variants for the types are faster than a copy of the bytes.)
        #[derive(Clone, Copy, Debug)]
        pub enum Plain {
            $($variant($type),)+
        }

        /// The type of a [`Plain`] value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum PlainType {
            $($variant,)+
        }

        impl Plain {
            #[inline]
            fn word(&self) -> (PlainType, u64) {
                match self {
                    $(Self::$variant(value) => (PlainType::$variant, value.word()),)+
                }
            }

            /// Decodes the value from a machine word that [`Datum::word`] returned.
            #[inline]
            pub fn from_word(form: PlainType, word: u64) -> Self {
                match form {
                    $(PlainType::$variant => Self::$variant(<$type>::from_word(word)),)+
                }
            }

            #[inline]
            fn new<T: Value>(value: &T) -> Option<Self> {
                let value: &dyn Any = value;
                $(if let Some(&plain) = value.downcast_ref::<$type>() {
                    return Some(Self::$variant(plain));
                })+
                None
            }

            fn value(&self) -> &dyn AnyValue {
                match self {
                    $(Self::$variant(value) => value,)+
                }
            }

            #[inline]
            fn get<T: Value>(&self) -> Option<&T> {
                match self {
                    $(Self::$variant(value) => (value as &dyn Any).downcast_ref(),)+
                }
            }

            #[inline]
            pub fn as_any(&self) -> &dyn Any {
                match self {
                    $(Self::$variant(value) => value,)+
                }
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$variant(value), Self::$variant(other)) => Value::same(value, other),)+
                    _ => false,
                }
            }
        }
    };
}
plain!(
    Bool bool, Char char, U8 u8, U16 u16, U32 u32, U64 u64, Usize usize,
    I8 i8, I16 i16, I32 i32, I64 i64, Isize isize, F32 f32, F64 f64,
);

macro_rules! integers {
    ($($variant:ident),+ $(,)?) => {
        impl Plain {
            fn integer(self) -> Option<i128> {
                match self {
                    $(Self::$variant(value) => i128::try_from(value).ok(),)+
                    Self::Bool(_) | Self::Char(_) | Self::F32(_) | Self::F64(_) => None,
                }
            }

            /// Returns the integer `value` as a value of the type of `self`; `None` if the integer does not fit or the type is not an integer type.
            fn with_integer(self, value: i128) -> Option<Self> {
                match self {
                    $(Self::$variant(_) => value.try_into().ok().map(Self::$variant),)+
                    Self::Bool(_) | Self::Char(_) | Self::F32(_) | Self::F64(_) => None,
                }
            }
        }
    };
}
integers!(U8, U16, U32, U64, Usize, I8, I16, I32, I64, Isize);

trait WordValue {
    fn word(&self) -> u64;
    fn from_word(word: u64) -> Self;
}

macro_rules! in_word {
    ($($type:ty: $value:ident => $to:expr, $word:ident => $from:expr;)+) => {$(
        impl WordValue for $type {
            #[inline]
            fn word(&self) -> u64 {
                let $value = *self;
                $to
            }

            #[inline]
            fn from_word($word: u64) -> Self {
                $from
            }
        }
    )+};
}
in_word!(
    bool: b => u64::from(b), word => word != 0;
    char: c => u64::from(u32::from(c)), word => char::from_u32(word as u32).unwrap_or_default();
    u8: n => u64::from(n), word => word as u8;
    u16: n => u64::from(n), word => word as u16;
    u32: n => u64::from(n), word => word as u32;
    u64: n => n, word => word;
    usize: n => n as u64, word => word as usize;
    i8: n => u64::from(n.cast_unsigned()), word => (word as u8).cast_signed();
    i16: n => u64::from(n.cast_unsigned()), word => (word as u16).cast_signed();
    i32: n => u64::from(n.cast_unsigned()), word => (word as u32).cast_signed();
    i64: n => n.cast_unsigned(), word => word.cast_signed();
    isize: n => n.cast_unsigned() as u64, word => (word as usize).cast_signed();
    f32: x => u64::from(x.to_bits()), word => f32::from_bits(word as u32);
    f64: x => x.to_bits(), word => f64::from_bits(word);
);

impl PlainType {
    /// True if the machine words `a` and `b` represent the same value.
    #[inline]
    pub fn same(self, a: u64, b: u64) -> bool {
        a == b
            || match self {
                Self::F64 => Value::same(&f64::from_word(a), &f64::from_word(b)),
                Self::F32 => Value::same(&f32::from_word(a), &f32::from_word(b)),
                _ => false,
            }
    }
}

/// The storage of a value: numbers and truth values are stored directly; other values are stored behind a shared pointer.
#[derive(Clone)]
enum Repr {
    Plain(Plain),
    Shared(Arc<dyn AnyValue>),
}

impl Repr {
    fn value(&self) -> &dyn AnyValue {
        match self {
            Self::Plain(plain) => plain.value(),
            Self::Shared(value) => &**value,
        }
    }
}

/// A [`Value`] of any type that is not known at compile time.
///
/// Cloning a `Datum` is cheap: numbers and truth values are copied, and all other values are shared.
#[derive(Clone)]
pub struct Datum(Repr);

impl Datum {
    /// Stores the value `value` in its canonical form ([`Value::canonical`]).
    #[inline]
    pub fn new<T: Value>(value: T) -> Self {
        let value = canonical(value);
        Self(match Plain::new(&value) {
            Some(plain) => Repr::Plain(plain),
            None => Repr::Shared(Arc::new(value)),
        })
    }

    /// Returns the stored value, if it is of type `T`.
    #[inline]
    pub fn get<T: Value>(&self) -> Option<&T> {
        match &self.0 {
            Repr::Plain(plain) => plain.get(),
            Repr::Shared(value) => value.as_any().downcast_ref(),
        }
    }

    /// Returns the stored value itself, if it is of type `T`; if the `Datum` shares the value with clones, the value is cloned.
    pub fn into_typed<T: Value>(self) -> Option<T> {
        match self.0 {
            Repr::Plain(plain) => plain.get().cloned(),
            Repr::Shared(value) => value.into_any().downcast().ok().map(Arc::unwrap_or_clone),
        }
    }

    /// Encodes a number or a truth value as a machine word.
    #[inline]
    #[doc(hidden)]
    pub fn word(&self) -> Option<(PlainType, u64)> {
        match &self.0 {
            Repr::Plain(plain) => Some(plain.word()),
            Repr::Shared(_) => None,
        }
    }

    /// Returns the stored value as `dyn Any`.
    #[inline]
    pub fn as_any(&self) -> &dyn Any {
        match &self.0 {
            Repr::Plain(plain) => plain.as_any(),
            Repr::Shared(value) => value.as_any(),
        }
    }

    /// True if the stored value is the same as `other`.
    pub fn same_as(&self, other: &dyn Any) -> bool {
        self.0.value().same(other)
    }

    /// True if the type of the value is a standard type with countably many values, so that an observed value has a probability, not a density.
    #[doc(hidden)]
    pub fn is_countable(&self) -> bool {
        match &self.0 {
            Repr::Plain(plain) => !matches!(plain, Plain::F32(_) | Plain::F64(_)),
            Repr::Shared(_) => false,
        }
    }

    /// Returns the stored value, if it is an integer.
    pub fn integer(&self) -> Option<i128> {
        match &self.0 {
            Repr::Plain(plain) => plain.integer(),
            Repr::Shared(_) => None,
        }
    }

    /// Returns the stored integer increased by `by`; `None` if the value is not an integer, or if the sum does not fit into the integer type.
    #[must_use]
    pub fn stepped(&self, by: i128) -> Option<Self> {
        match &self.0 {
            Repr::Plain(plain) => Some(
                plain
                    .with_integer(plain.integer()?.checked_add(by)?)?
                    .into(),
            ),
            Repr::Shared(_) => None,
        }
    }

    /// Returns the approximate number of bytes that the value holds on the heap, without the size of the `Datum`; a value shared by several clones is
    /// counted in full for each.
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            Repr::Plain(_) => 0,
            Repr::Shared(value) => value.bytes() + 2 * ALLOCATION,
        }
    }

    /// Returns a hash of the value that is the same in every run of the program on the same platform.
    pub fn digest(&self) -> u64 {
        self.0.value().digest()
    }
}

impl Value for Datum {
    fn same(&self, other: &Self) -> bool {
        self.same_as(other.as_any())
    }

    fn feed<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.digest());
    }

    fn heap_bytes(&self) -> usize {
        match &self.0 {
            Repr::Plain(_) => 0,
            Repr::Shared(value) => value.bytes(),
        }
    }
}

impl From<Plain> for Datum {
    #[inline]
    fn from(value: Plain) -> Self {
        Self(Repr::Plain(value))
    }
}

impl Debug for Datum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.value().fmt(f)
    }
}

impl PartialEq for Datum {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Plain(a), Repr::Plain(b)) => a.same(b),
            (Repr::Shared(a), Repr::Shared(b)) => Arc::ptr_eq(a, b) || a.same(b.as_any()),
            _ => false,
        }
    }
}

impl Eq for Datum {}

impl Hash for Datum {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.digest());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_compare_by_type_and_value() {
        assert_eq!(Datum::new(3u32), Datum::new(3u32));
        assert_ne!(Datum::new(3u32), Datum::new(3i32));
        assert_eq!(Datum::new(0.0).digest(), Datum::new(-0.0).digest());
        assert_eq!(
            Datum::new(-0.0).get().map(|x: &f64| 1.0 / x),
            Some(f64::INFINITY)
        );
        assert_eq!(Datum::new("x").get::<&str>(), Some(&"x"));
    }

    #[test]
    fn data_become_typed_values() {
        let list = Datum::new(vec![1, 2]);
        let same = list.clone();
        assert_eq!(list.into_typed::<Vec<i32>>(), Some(vec![1, 2]));
        let address = same.get::<Vec<i32>>().map(Vec::as_ptr);
        let moved = same.into_typed::<Vec<i32>>();
        assert_eq!(moved.as_ref().map(Vec::as_ptr), address);
        assert_eq!(Datum::new(3u8).into_typed::<u8>(), Some(3));
        assert_eq!(Datum::new(3u8).into_typed::<u16>(), None);
        assert_eq!(Datum::new(moved).into_typed::<Vec<i32>>(), None);
    }
}
