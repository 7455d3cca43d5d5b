//! Values without their types, as the algorithms carry them.

use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;

use crate::value::Value;

trait AnyValue: Debug + Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn same(&self, other: &dyn Any) -> bool;
    fn digest(&self) -> u64;
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
}

macro_rules! plain {
    ($($variant:ident $type:ty),+ $(,)?) => {
        /// Numbers and truth values. They are copied as a whole: to read and to write a byte of one costs more.
        #[derive(Clone, Copy)]
        enum Plain {
            $($variant($type),)+
        }

        impl Plain {
            fn new(value: &dyn Any) -> Option<Self> {
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
            fn as_any(&self) -> &dyn Any {
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

/// Numbers and truth values as they are, everything else shared.
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

/// A [`Value`] whose type is known only to the elements that made it; cheap to clone: numbers and truth values
/// are held as they are, everything else is shared.
#[derive(Clone)]
pub struct Datum(Repr);

impl Datum {
    /// Wraps a value.
    pub fn new<T: Value>(value: T) -> Self {
        Self(match Plain::new(&value) {
            Some(plain) => Repr::Plain(plain),
            None => Repr::Shared(Arc::new(value)),
        })
    }

    /// The value, if it is of type `T`.
    #[inline]
    pub fn get<T: Value>(&self) -> Option<&T> {
        match &self.0 {
            Repr::Plain(plain) => plain.get(),
            Repr::Shared(value) => value.as_any().downcast_ref(),
        }
    }

    /// The value for dynamic dispatch.
    #[inline]
    pub fn as_any(&self) -> &dyn Any {
        match &self.0 {
            Repr::Plain(plain) => plain.as_any(),
            Repr::Shared(value) => value.as_any(),
        }
    }

    /// Whether this is the same value as `other`.
    pub fn same_as(&self, other: &dyn Any) -> bool {
        self.0.value().same(other)
    }

    /// Whether the value is of a standard type with countably many values, whose likelihoods are no densities.
    pub(crate) fn is_countable(&self) -> bool {
        match &self.0 {
            Repr::Plain(plain) => !matches!(plain, Plain::F32(_) | Plain::F64(_)),
            Repr::Shared(_) => false,
        }
    }

    /// A hash that is the same in every run of the program on the same platform.
    pub fn digest(&self) -> u64 {
        self.0.value().digest()
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
        assert_eq!(Datum::new("x").get::<&str>(), Some(&"x"));
    }
}
