//! The kinds of objects to which the steps of a path lead.

use std::any::Any;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::panic::Location;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;

use super::Parts;
use super::part_type::{PartType, ValueType};
use crate::element::node::AnyElement;
use crate::element::{Constant, Element};
use crate::value::Value;
use crate::value::plain_data::PlainData;

/// The kind of a part of an object: an element, a value that is not random, an object with fields, a list, a map, a collection, a process, or a
/// missing object.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Member<'a> {
    /// An element.
    Element(ElementMember),
    /// A plain value, which is not random.
    Value(ValueMember<'a>),
    /// An object with fields.
    Object {
        /// The name of the object's type, for messages.
        type_name: &'static str,
        /// The fields of the object in their order, each with its name.
        fields: Vec<(&'static str, ObjectField<'a>)>,
    },
    /// A list of objects.
    List(Vec<ObjectField<'a>>),
    /// A map to objects, each with its key in the form of a text.
    Map(Vec<(String, ObjectField<'a>)>),
    /// A collection of elements whose number of members is uncertain.
    Collection(IndexedMember<'a>),
    /// A process, whose members are created when they are needed.
    Process(IndexedMember<'a>),
    /// An option that is `None`.
    Missing,
}

/// A field of an object that itself holds an object with parts; the object in the field is examined only when it is needed.
#[derive(Clone)]
pub struct ObjectField<'a>(FieldKind<'a>);

#[derive(Clone)]
enum FieldKind<'a> {
    Parts(&'a dyn Parts),
    Value(ValueMember<'a>),
    Element(ElementMember),
}

impl<'a> ObjectField<'a> {
    /// Creates an object field whose type implements [`Parts`].
    pub fn parts(field: &'a dyn Parts) -> Self {
        Self(FieldKind::Parts(field))
    }

    /// Creates an object field with a value that is not random.
    pub fn value<T: Value>(field: &'a T) -> Self {
        Self(FieldKind::Value(ValueMember(field)))
    }

    /// Creates an object field with an element that is not stored in the object itself.
    pub(crate) fn element<T: Value>(element: &Element<T>) -> Self {
        Self(FieldKind::Element(ElementMember::new(element)))
    }

    pub(super) fn member(&self) -> Member<'a> {
        match &self.0 {
            FieldKind::Parts(parts) => parts.member(),
            FieldKind::Value(value) => Member::Value(*value),
            FieldKind::Element(element) => Member::Element(element.clone()),
        }
    }
}

impl fmt::Debug for ObjectField<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            FieldKind::Parts(_) => f.write_str("ObjectField"),
            FieldKind::Value(value) => value.fmt(f),
            FieldKind::Element(element) => element.fmt(f),
        }
    }
}

/// An element that is a part of an object.
#[derive(Clone)]
pub struct ElementMember {
    pub(super) element: AnyElement,
    pub(super) values: ValueType,
}

impl ElementMember {
    pub(crate) fn new<T: Value>(element: &Element<T>) -> Self {
        Self {
            element: element.erased().clone(),
            values: ValueType::of::<T>(),
        }
    }
}

impl fmt::Debug for ElementMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.element.fmt(f)
    }
}

/// A value in an object that is not random.
#[derive(Clone, Copy)]
pub struct ValueMember<'a>(&'a dyn PlainValue);

trait PlainValue: fmt::Debug {
    fn is_stated_by(&self, data: &PlainData) -> Result<bool, String>;
    fn as_any(&self) -> &dyn Any;
    fn value_type(&self) -> ValueType;
}

impl<T: Value> PlainValue for T {
    fn is_stated_by(&self, data: &PlainData) -> Result<bool, String> {
        T::from_data(data).map(|value| value.same(self))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn value_type(&self) -> ValueType {
        ValueType::of::<T>()
    }
}

impl ValueMember<'_> {
    /// True if the data describe the value of this part of the object, which is not random. If the data describe no value of the right type, the
    /// method returns an error that describes the data that are accepted.
    pub(super) fn is_stated_by(self, data: &PlainData) -> Result<bool, String> {
        self.0.is_stated_by(data)
    }

    /// Converts the value to a constant element; if the conversion fails, the error contains the type of the value.
    pub(super) fn constant<T: Value>(self) -> Result<Element<T>, ValueType> {
        let value = self.0.as_any().downcast_ref::<T>();
        let value = value.ok_or_else(|| self.0.value_type())?;
        Ok(Constant::new(value.clone()))
    }
}

impl fmt::Debug for ValueMember<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A collection or a process, whose members a path names by a number or an index in brackets.
#[derive(Clone, Copy)]
pub struct IndexedMember<'a>(&'a dyn Indexed);

/// Elements that a path names by a number or an index in brackets.
pub(crate) trait Indexed: fmt::Debug {
    /// Returns the member of the collection or process with the index in `text`. The error is a remedy.
    fn member(
        &self,
        text: &str,
        location: &'static Location<'static>,
    ) -> Result<ElementMember, String>;
}

impl<'a> IndexedMember<'a> {
    pub(crate) fn new(members: &'a impl Indexed) -> Self {
        Self(members)
    }

    pub(super) fn member(
        self,
        text: &str,
        location: &'static Location<'static>,
    ) -> Result<ElementMember, String> {
        self.0.member(text, location)
    }
}

impl fmt::Debug for IndexedMember<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Returns the name of a Rust type without the paths of its modules.
pub(super) fn short_type_name(full: &str) -> String {
    let mut short = String::new();
    let mut name = String::new();
    for c in full.chars() {
        if c.is_alphanumeric() || c == '_' {
            name.push(c);
        } else if c == ':' {
            name.clear();
        } else {
            short.push_str(&name);
            name.clear();
            short.push(c);
        }
    }
    short + &name
}

impl<T: Value> Parts for Element<T> {
    fn member(&self) -> Member<'_> {
        Member::Element(ElementMember::new(self))
    }
    fn part_type() -> PartType {
        PartType::element::<T>()
    }
}

macro_rules! plain {
    ($($type:ty),+ $(,)?) => {$(
        impl Parts for $type {
            fn member(&self) -> Member<'_> {
                Member::Value(ValueMember(self))
            }
            fn part_type() -> PartType {
                PartType::value::<Self>()
            }
        }
    )+};
}
plain!(
    bool,
    char,
    u8,
    u16,
    u32,
    u64,
    u128,
    usize,
    i8,
    i16,
    i32,
    i64,
    i128,
    isize,
    f32,
    f64,
    &'static str,
    String,
    std::borrow::Cow<'static, str>,
);

macro_rules! list {
    ($([$($generics:tt)*] $type:ty),+ $(,)?) => {$(
        impl<$($generics)*> Parts for $type {
            fn member(&self) -> Member<'_> {
                Member::List(self.iter().map(|item| ObjectField::parts(item)).collect())
            }
            fn part_type() -> PartType {
                PartType::list::<P>()
            }
        }
    )+};
}
list!(
    [P: Parts] Vec<P>,
    [P: Parts] VecDeque<P>,
    [P: Parts, const N: usize] [P; N],
);

macro_rules! map {
    ($([$($generics:tt)*] $type:ty: $sort:expr),+ $(,)?) => {$(
        impl<K: fmt::Display, P: Parts, $($generics)*> Parts for $type {
            fn member(&self) -> Member<'_> {
                let entries = self.iter().map(|(key, part)| (key.to_string(), ObjectField::parts(part)));
                let mut entries: Vec<(String, ObjectField<'_>)> = entries.collect();
                let sort: fn(&mut [(String, ObjectField<'_>)]) = $sort;
                sort(&mut entries);
                Member::Map(entries)
            }
            fn part_type() -> PartType {
                PartType::map::<P>()
            }
        }
    )+};
}
map!(
    [] BTreeMap<K, P>: |_| {},
    [S] IndexMap<K, P, S>: |_| {},
    // The order of a hash map differs from run to run.
    [S] HashMap<K, P, S>: |entries| entries.sort_by(|a, b| a.0.cmp(&b.0)),
);

macro_rules! tuple {
    ($($name:ident . $index:tt),+) => {
        impl<$($name: Parts),+> Parts for ($($name,)+) {
            fn member(&self) -> Member<'_> {
                Member::Object {
                    type_name: "tuple",
                    fields: vec![$((stringify!($index), ObjectField::parts(&self.$index))),+],
                }
            }
            fn part_type() -> PartType {
                let fields = vec![$((stringify!($index), $name::part_type as fn() -> PartType)),+];
                PartType::fields("tuple", fields)
            }
        }
    };
}
tuple!(A.0);
tuple!(A.0, B.1);
tuple!(A.0, B.1, C.2);
tuple!(A.0, B.1, C.2, D.3);
tuple!(A.0, B.1, C.2, D.3, E.4);
tuple!(A.0, B.1, C.2, D.3, E.4, F.5);
tuple!(A.0, B.1, C.2, D.3, E.4, F.5, G.6);
tuple!(A.0, B.1, C.2, D.3, E.4, F.5, G.6, H.7);

macro_rules! option {
    ($($type:ident: $get:ident),+) => {$(
        impl<P: Parts> Parts for $type<P> {
            fn member(&self) -> Member<'_> {
                self.$get().map_or(Member::Missing, Parts::member)
            }
            fn part_type() -> PartType {
                P::part_type()
            }
        }
    )+};
}
option!(Option: as_ref, OnceLock: get);

macro_rules! pointer {
    ($($type:ident),+) => {$(
        impl<P: Parts> Parts for $type<P> {
            fn member(&self) -> Member<'_> {
                (**self).member()
            }
            fn part_type() -> PartType {
                P::part_type()
            }
        }
    )+};
}
pointer!(Box, Rc, Arc);

#[cfg(test)]
mod tests {
    use super::short_type_name;

    #[test]
    fn type_names_lose_their_modules() {
        let names = [
            (
                "alloc::vec::Vec<(a::B, core::option::Option<c_1::D>)>",
                "Vec<(B, Option<D>)>",
            ),
            ("&str", "&str"),
            ("[i32; 3]", "[i32; 3]"),
        ];
        for (full, short) in names {
            assert_eq!(short_type_name(full), short);
        }
    }
}
