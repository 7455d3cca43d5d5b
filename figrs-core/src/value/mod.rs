//! Types of the values of elements.

pub mod datum;
pub(crate) mod from_data;
pub(crate) mod integer;
pub(crate) mod plain_data;
mod standard_types;
pub(crate) mod states;
pub mod support;
pub(crate) mod vector;

use std::fmt::Debug;
use std::hash::{Hash, Hasher};

use crate::parts::ValueParts;
use plain_data::PlainData;

/// A type of the values of elements.
///
/// Values are compared and hashed, for example to merge equal outcomes of a distribution. The trait `Value` is implemented for the standard types and
/// their tuples, arrays and collections, and for elements, which are compared by identity. For a user-defined enum or struct whose fields are values,
/// `#[derive(Value)]` implements the trait `Value`. For a type that is `Eq + Hash`, one line implements the trait `Value`:
/// [`value!`](crate::value!)`(MyType);`.
///
/// If several values are equal, the functions of a model receive only one of them, which is called the representative of the equal values. For
/// floating-point numbers, `0.0` represents `-0.0`, and one NaN represents all NaNs, also within tuples, lists and derived types. If the equality of
/// a type ignores data, such as the case of letters, [`canonical`](Value::canonical) must return the representative of equal values.
///
/// ```
/// use figrs_core::{Constant, Element, Value};
///
/// #[derive(Clone, Debug, Value)]
/// #[value(crate = "figrs_core")]
/// enum List {
///     Empty,
///     Cons(Element<char>, Element<List>),
/// }
///
/// let list = Constant::new(List::Cons(Constant::new('a'), Constant::new(List::Empty)));
/// # drop(list);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of an element",
    note = "derive `Clone, Debug, figrs::Value` for it; a type that is `Eq + Hash` can also be named in `figrs::value!({Self});`"
)]
pub trait Value: Clone + Debug + Send + Sync + 'static {
    /// True if `self` and `other` are the same outcome of a distribution.
    fn same(&self, other: &Self) -> bool;
    /// Writes the value to a hasher; values that are the same by [`same`](Value::same) must write the same bytes.
    fn feed<H: Hasher>(&self, hasher: &mut H);
    /// Returns the representative of all values that are the same as this value by [`same`](Value::same); `None` if this value is the representative.
    ///
    /// The method `canonical` returns `None` by default, which is correct if equal values have equal fields. The implementation of `canonical` by
    /// `#[derive(Value)]` calls the method for each field. A type whose equality ignores some data must override the method `canonical`. Without an
    /// override of `canonical`, a function could receive any one of several equal values, and answers would depend on the order of evaluation. Debug
    /// builds report some of the model's functions that give different results for equal values.
    ///
    /// ```
    /// # use std::hash::{Hash, Hasher};
    /// /// A name whose letters may be of either case.
    /// #[derive(Clone, Debug)]
    /// struct Name(String);
    /// impl figrs_core::Value for Name {
    ///     fn same(&self, other: &Self) -> bool {
    ///         self.0.eq_ignore_ascii_case(&other.0)
    ///     }
    ///     fn feed<H: Hasher>(&self, hasher: &mut H) {
    ///         self.0.to_ascii_lowercase().hash(hasher);
    ///     }
    ///     fn canonical(&self) -> Option<Self> {
    ///         let lower = self.0.to_ascii_lowercase();
    ///         (lower != self.0).then_some(Self(lower))
    ///     }
    /// }
    /// ```
    fn canonical(&self) -> Option<Self> {
        None
    }
    /// Returns the number of bytes that the value holds on the heap, which count towards the memory [limit](crate::Limits::expansion_memory).
    ///
    /// The default implementation of `heap_bytes` returns zero. For standard types, `heap_bytes` counts the contents; with `#[derive(Value)]`, it
    /// adds up the bytes of the fields. The bytes of elements are counted separately. For a type that holds lists, `heap_bytes` should return the
    /// sizes of the lists:
    ///
    /// ```
    /// # use std::hash::{Hash, Hasher};
    /// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    /// struct Board(Vec<u8>);
    /// impl figrs_core::Value for Board {
    ///     fn same(&self, other: &Self) -> bool {
    ///         self == other
    ///     }
    ///     fn feed<H: Hasher>(&self, hasher: &mut H) {
    ///         self.hash(hasher);
    ///     }
    ///     fn heap_bytes(&self) -> usize {
    ///         self.0.heap_bytes()
    ///     }
    /// }
    /// ```
    fn heap_bytes(&self) -> usize {
        0
    }
    /// Returns the value that `data` describes, for evidence from files ([`Model::observe_data`](crate::Model::observe_data)).
    ///
    /// Numbers, texts and truth values are described by the same kind of data, for example a number by a number; lists, tuples and options of such
    /// values are described likewise. An enum variant without fields, of a type with `#[derive(Value)]`, is described by its name. A `&'static str`
    /// from a file is stored until the program ends: each different text once, and at most 1 MiB in total.
    ///
    /// **Errors.** The error describes the data that the type accepts, such as `a whole number from 0 to 255`. The default implementation of
    /// `from_data` accepts no data.
    fn from_data(data: &PlainData) -> Result<Self, String> {
        let _ = data;
        Err("a value that only Rust code can state, with `Model::observe`".into())
    }
    /// Returns a description of the [`Parts`](crate::Parts) of the values, if the type has parts; paths can then continue through elements with such
    /// values. `#[derive(Value)]` with the attribute `#[value(parts)]` overrides the method `parts`.
    fn parts() -> Option<ValueParts> {
        None
    }
}

/// Returns the representative of the values that equal `value`.
#[inline]
pub(crate) fn canonical<T: Value>(value: T) -> T {
    match value.canonical() {
        Some(canonical) => canonical,
        None => value,
    }
}

/// Implements `Value` for types that are `Eq + Hash + Clone + Debug + Send + Sync`.
///
/// Equal values must have equal fields, as with a derived implementation of `Eq`; see [`Value::canonical`]. A type whose values hold memory on the heap
/// may state the number of bytes on the heap: `value!(Word: word => word.0.capacity());`.
///
/// ```
/// # use figrs_core::{Element, Uniform};
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// enum Weather { Sun, Rain }
/// figrs_core::value!(Weather);
/// let weather: Element<Weather> = Uniform::new([Weather::Sun, Weather::Rain]);
/// ```
#[macro_export]
macro_rules! value {
    ($($type:ty $(: $this:ident => $bytes:expr)?),+ $(,)?) => {$(
        impl $crate::Value for $type {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
            fn feed<H: ::std::hash::Hasher>(&self, hasher: &mut H) {
                ::std::hash::Hash::hash(self, hasher);
            }
            $(fn heap_bytes(&self) -> usize {
                let $this = self;
                $bytes
            })?
        }
    )+};
}

#[derive(Clone, Debug)]
pub(crate) struct Key<T>(pub(crate) T);

impl<T: Value> PartialEq for Key<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.same(&other.0)
    }
}

impl<T: Value> Eq for Key<T> {}

impl<T: Value> Hash for Key<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.feed(state);
    }
}

/// A borrowed key of a hash map, for lookups without a clone of the value.
pub(crate) struct KeyRef<'a, T>(pub(crate) &'a T);

impl<T: Value> Hash for KeyRef<'_, T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.feed(state);
    }
}

impl<T: Value> indexmap::Equivalent<Key<T>> for KeyRef<'_, T> {
    fn equivalent(&self, key: &Key<T>) -> bool {
        self.0.same(&key.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use figrs_derive::Value;
    use rustc_hash::FxHasher;

    use super::*;
    use crate::element::Constant;
    use crate::element::Element;

    fn hash<T: Value>(value: &T) -> u64 {
        let mut hasher = FxHasher::default();
        value.feed(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn floats_compare_by_canonical_bits() {
        assert!(0.0_f64.same(&-0.0) && hash(&0.0_f64) == hash(&-0.0_f64));
        assert!(f64::NAN.same(&-f64::NAN) && hash(&f64::NAN) == hash(&-f64::NAN));
        assert!(!1.0_f64.same(&2.0));
    }

    #[test]
    fn values_count_what_they_hold() {
        assert_eq!(3_u64.heap_bytes(), 0);
        assert_eq!("abc".to_string().heap_bytes(), 3);
        assert_eq!(vec![[1_u32; 4]; 5].heap_bytes(), 80);
        assert_eq!(
            (vec!["ab".to_string()], Some(Box::new(1_u64))).heap_bytes(),
            34
        );
        assert_eq!(
            BTreeMap::from([(1_u8, vec![0_u8; 9])]).heap_bytes(),
            2 * 32 + 9
        );
    }

    #[test]
    fn collections_compare_by_their_items() {
        assert!(vec![(1, 0.0)].same(&vec![(1, -0.0)]));
        assert!(!vec![Some(1)].same(&vec![None]));
        assert!(!Vec::<u8>::new().same(&vec![0]));
        assert_eq!(hash(&[1u8, 2]), hash(&vec![1u8, 2]));
    }

    #[derive(Clone, Debug, Value)]
    #[value(crate = "crate")]
    enum Derived<T> {
        None,
        Pair(f64, Vec<T>),
        Named {
            first: Element<T>,
            second: Option<char>,
        },
    }

    #[derive(Clone, Debug, Value)]
    #[value(crate = "crate")]
    struct Unit;

    #[test]
    fn derived_values_compare_by_variant_and_fields() {
        let element = Constant::new(1);
        let named = |first: &Element<i32>, second| Derived::Named {
            first: first.clone(),
            second,
        };
        let distinct = [
            Derived::None,
            Derived::Pair(0.0, vec![]),
            Derived::Pair(0.0, vec![1]),
            Derived::Pair(1.0, vec![]),
            named(&element, None),
            named(&element, Some('a')),
            named(&Constant::new(1), None),
        ];
        for (i, a) in distinct.iter().enumerate() {
            for (j, b) in distinct.iter().enumerate() {
                assert_eq!(a.same(b), i == j, "{a:?} {b:?}");
                assert_eq!(hash(a) == hash(b), i == j, "{a:?} {b:?}");
            }
        }
        let (zero, negative) = (Derived::Pair(0.0, vec![7]), Derived::Pair(-0.0, vec![7]));
        assert!(zero.same(&negative) && hash(&zero) == hash(&negative));
        assert!(Unit.same(&Unit) && hash(&Unit) == hash(&Unit));
        let (short, long) = (
            Derived::Pair(0.0, vec![7]),
            Derived::Pair(0.0, vec![7; 100]),
        );
        assert!(long.heap_bytes() >= short.heap_bytes() + 99 * size_of::<i32>());
        assert_eq!(Derived::<i32>::None.heap_bytes(), 0);
    }
}
