//! Types of the standard library as types of values.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::plain_data::PlainData;
use super::{Value, canonical, from_data};
use crate::value;

value!(Ordering);

/// Implements `Value` for standard types that are `Eq + Hash`. For each standard type, the macro takes the function that converts plain data to a
/// value of the type.
macro_rules! readable {
    ($($type:ty: $read:expr),+ $(,)?) => {$(
        impl Value for $type {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
            fn feed<H: Hasher>(&self, hasher: &mut H) {
                self.hash(hasher);
            }
            fn from_data(data: &PlainData) -> Result<Self, String> {
                $read(data)
            }
        }
    )+};
}
readable!(bool: from_data::boolean, char: from_data::character, &'static str: from_data::static_text);

macro_rules! integers {
    ($($type:ty),+) => {
        readable!($($type: |data| from_data::integer(data, &format!("from {} to {}", <$type>::MIN, <$type>::MAX))),+);
    };
}
integers!(
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
);

macro_rules! text {
    ($($type:ty: $text:ident => $bytes:expr, $read:expr;)+) => {$(
        impl Value for $type {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
            fn feed<H: Hasher>(&self, hasher: &mut H) {
                self.hash(hasher);
            }
            fn heap_bytes(&self) -> usize {
                let $text = self;
                $bytes
            }
            fn from_data(data: &PlainData) -> Result<Self, String> {
                from_data::text(data).map($read)
            }
        }
    )+};
}
text!(
    String: text => text.capacity(), str::to_owned;
    Cow<'static, str>: text => match text {
        Cow::Borrowed(_) => 0,
        Cow::Owned(text) => text.capacity(),
    }, |text| Cow::Owned(text.to_owned());
);

macro_rules! float {
    ($($type:ty),+) => {$(
        impl Value for $type {
            fn same(&self, other: &Self) -> bool {
                self == other || (self.is_nan() && other.is_nan())
            }
            fn feed<H: Hasher>(&self, hasher: &mut H) {
                canonical(*self).to_bits().hash(hasher);
            }
            #[inline]
            fn canonical(&self) -> Option<Self> {
                // Adding zero changes -0.0 to 0.0.
                let canonical = if self.is_nan() { Self::NAN } else { *self + 0.0 };
                (canonical.to_bits() != self.to_bits()).then_some(canonical)
            }
            #[allow(clippy::cast_possible_truncation)] // An `f32` gets the nearest number.
            fn from_data(data: &PlainData) -> Result<Self, String> {
                from_data::number(data).map(|number| number as Self)
            }
        }
    )+};
}
float!(f32, f64);

macro_rules! tuple {
    ($length:literal $(, $name:ident . $index:tt)*) => {
        impl<$($name: Value),*> Value for ($($name,)*) {
            fn same(&self, other: &Self) -> bool {
                let _ = other;
                true $(&& self.$index.same(&other.$index))*
            }
            fn feed<HH: Hasher>(&self, hasher: &mut HH) {
                let _ = &hasher;
                $(self.$index.feed(hasher);)*
            }
            #[inline]
            fn canonical(&self) -> Option<Self> {
                let parts = ($(self.$index.canonical(),)*);
                let _ = &parts;
                let is_canonical = true $(&& parts.$index.is_none())*;
                (!is_canonical).then(|| ($(parts.$index.unwrap_or_else(|| self.$index.clone()),)*))
            }
            fn heap_bytes(&self) -> usize {
                0 $(+ self.$index.heap_bytes())*
            }
            fn from_data(data: &PlainData) -> Result<Self, String> {
                let fields = from_data::fields(data, $length)?;
                let _ = fields;
                Ok(($($name::from_data(&fields[$index])?,)*))
            }
        }
    };
}
tuple!(0);
tuple!(1, A.0);
tuple!(2, A.0, B.1);
tuple!(3, A.0, B.1, C.2);
tuple!(4, A.0, B.1, C.2, D.3);
tuple!(5, A.0, B.1, C.2, D.3, E.4);
tuple!(6, A.0, B.1, C.2, D.3, E.4, F.5);
tuple!(7, A.0, B.1, C.2, D.3, E.4, F.5, G.6);
tuple!(8, A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7);

fn canonical_items<'a, T: Value, C: FromIterator<T>>(items: impl IntoIterator<Item = &'a T>) -> C {
    items.into_iter().cloned().map(canonical).collect()
}

fn from_items<T: Value, C: FromIterator<T>>(data: &PlainData) -> Result<C, String> {
    from_data::list(data).map(|items| items.into_iter().collect())
}

macro_rules! sequence {
    ($([$($generics:tt)*] $type:ty: $items:ident => $own:expr, $canonical:expr, $read:expr;)+) => {$(
        impl<$($generics)*> Value for $type {
            fn same(&self, other: &Self) -> bool {
                self.len() == other.len() && self.iter().zip(other.iter()).all(|(a, b)| a.same(b))
            }
            fn feed<HH: Hasher>(&self, hasher: &mut HH) {
                self.len().hash(hasher);
                for item in self.iter() {
                    item.feed(hasher);
                }
            }
            fn canonical(&self) -> Option<Self> {
                let $items = self;
                let is_canonical = self.iter().all(|item| item.canonical().is_none());
                (!is_canonical).then(|| $canonical)
            }
            fn heap_bytes(&self) -> usize {
                let $items = self;
                let own: usize = $own;
                own + self.iter().map(Value::heap_bytes).sum::<usize>()
            }
            fn from_data(data: &PlainData) -> Result<Self, String> {
                $read(data)
            }
        }
    )+};
}
sequence!(
    [T: Value] Vec<T>: items => items.capacity() * size_of::<T>(), canonical_items(items), from_data::list;
    [T: Value] VecDeque<T>: items => items.capacity() * size_of::<T>(), canonical_items(items), from_items;
    // The nodes of a B-tree are at least half full.
    [T: Value + Ord] BTreeSet<T>: items => 2 * size_of::<T>() * items.len(), canonical_items(items), from_items;
    [T: Value, const N: usize] [T; N]: items => size_of_val(items) - size_of::<Self>(), items.clone().map(canonical), from_data::array;
    [T: Value] Arc<[T]>: items => size_of_val(&**items), canonical_items(&**items), from_items;
);

impl<K: Value + Ord, V: Value> Value for BTreeMap<K, V> {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .zip(other)
                .all(|(a, b)| a.0.same(b.0) && a.1.same(b.1))
    }
    fn feed<H: Hasher>(&self, hasher: &mut H) {
        self.len().hash(hasher);
        for (key, value) in self {
            key.feed(hasher);
            value.feed(hasher);
        }
    }
    fn canonical(&self) -> Option<Self> {
        let is_canonical =
            |(key, value): (&K, &V)| key.canonical().is_none() && value.canonical().is_none();
        (!self.iter().all(is_canonical)).then(|| {
            let entries = self.iter().map(|(key, value)| (key.clone(), value.clone()));
            entries.map(canonical).collect()
        })
    }
    fn heap_bytes(&self) -> usize {
        let held = |(key, value): (&K, &V)| key.heap_bytes() + value.heap_bytes();
        2 * size_of::<(K, V)>() * self.len() + self.iter().map(held).sum::<usize>()
    }
}

impl<T: Value> Value for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b),
            (None, None) => true,
            _ => false,
        }
    }
    fn feed<H: Hasher>(&self, hasher: &mut H) {
        self.is_some().hash(hasher);
        if let Some(value) = self {
            value.feed(hasher);
        }
    }
    #[inline]
    fn canonical(&self) -> Option<Self> {
        self.as_ref()?.canonical().map(Some)
    }
    fn heap_bytes(&self) -> usize {
        self.as_ref().map_or(0, Value::heap_bytes)
    }
    fn from_data(data: &PlainData) -> Result<Self, String> {
        match data {
            PlainData::Null => Ok(None),
            data => T::from_data(data)
                .map(Some)
                .map_err(|expected| format!("null, or {expected}")),
        }
    }
}

macro_rules! pointer {
    ($($type:ident),+) => {$(
        impl<T: Value> Value for $type<T> {
            fn same(&self, other: &Self) -> bool {
                (**self).same(&**other)
            }
            fn feed<H: Hasher>(&self, hasher: &mut H) {
                (**self).feed(hasher);
            }
            fn canonical(&self) -> Option<Self> {
                (**self).canonical().map(Self::new)
            }
            fn heap_bytes(&self) -> usize {
                size_of::<T>() + (**self).heap_bytes()
            }
            fn from_data(data: &PlainData) -> Result<Self, String> {
                T::from_data(data).map(Self::new)
            }
        }
    )+};
}
pointer!(Box, Arc);
