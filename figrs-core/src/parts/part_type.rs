//! Types of the parts of objects, which are known before any object is.

use std::any::{Any, TypeId, type_name};

use super::Parts;
use super::error::PartError;
use super::find::{not_of_this_kind, unknown_field};
use super::member::short_type_name;
use super::path::{Path, Step};
use crate::value::Value;
use crate::value::datum::Datum;
use crate::value::plain_data::PlainData;

/// The type of an object as [`Parts`] sees it: an element, a plain value, fields, or items.
#[derive(Clone, Debug)]
pub struct PartType(pub(super) TypeKind);

#[derive(Clone, Debug)]
pub(super) enum TypeKind {
    Element(ValueType),
    Value(ValueType),
    Fields(&'static str, Vec<(&'static str, fn() -> PartType)>),
    List(fn() -> PartType),
    Map(fn() -> PartType),
}

impl PartType {
    /// The type of elements with values of type `T`.
    pub fn element<T: Value>() -> Self {
        Self(TypeKind::Element(ValueType::of::<T>()))
    }

    /// A type of plain values.
    pub fn value<T: Value>() -> Self {
        Self(TypeKind::Value(ValueType::of::<T>()))
    }

    /// A type with fields: its name, and the name and the type of each field. The fields of an enum are those of all variants.
    pub fn fields(type_name: &'static str, fields: Vec<(&'static str, fn() -> Self)>) -> Self {
        Self(TypeKind::Fields(type_name, fields))
    }

    /// A list of objects of type `P`.
    pub fn list<P: Parts>() -> Self {
        Self(TypeKind::List(P::part_type))
    }

    /// A map to objects of type `P`.
    pub fn map<P: Parts>() -> Self {
        Self(TypeKind::Map(P::part_type))
    }

    /// The kind of the type, in words.
    pub(super) fn kind(&self) -> String {
        match &self.0 {
            TypeKind::Element(values) => {
                format!("an element with values of type `{}`", values.name())
            }
            TypeKind::Value(values) => format!("a value of type `{}`", values.name()),
            TypeKind::Fields(type_name, _) => format!("an object of type `{type_name}`"),
            TypeKind::List(_) => "a list".into(),
            TypeKind::Map(_) => "a map".into(),
        }
    }

    /// The data that state parts of objects of this type; nothing if the type is one of values.
    pub(super) fn object_data(&self) -> Option<&'static str> {
        match &self.0 {
            TypeKind::Element(values) => values.parts.map(|_| "an object with fields"),
            TypeKind::Value(_) => None,
            TypeKind::Fields(..) => Some("an object with fields"),
            TypeKind::List(_) => Some("an object whose names are paths, such as `[0]`"),
            TypeKind::Map(_) => Some("an object whose names are keys"),
        }
    }

    /// Adds the types to which a path may lead from this type on, if the first `number` steps of the path lead to it.
    ///
    /// There may be several, because the variants of an enum may have fields of the same name.
    pub(super) fn follow(
        &self,
        path: &Path,
        number: usize,
        found: &mut Vec<Self>,
    ) -> Result<(), PartError> {
        let Some(step) = path.step(number) else {
            found.push(self.clone());
            return Ok(());
        };
        match (&self.0, step) {
            (
                TypeKind::Element(ValueType {
                    parts: Some(parts), ..
                }),
                _,
            ) => (parts.part_type)().follow(path, number, found),
            (TypeKind::Fields(type_name, fields), Step::Field(name)) => {
                let named = fields.iter().filter(|(field, _)| field == name);
                let ends = named.map(|(_, field)| field().follow(path, number + 1, found));
                let none = || {
                    let names = fields.iter().map(|(field, _)| *field);
                    Err(unknown_field(path, number, type_name, name, names))
                };
                // A path that ends in one variant is no mistake.
                ends.reduce(|a, b| if b.is_ok() { b } else { a })
                    .unwrap_or_else(none)
            }
            (TypeKind::List(item), Step::Item(_))
            | (TypeKind::Map(item), Step::Item(_) | Step::Key(_)) => {
                item().follow(path, number + 1, found)
            }
            (kind, _) => {
                let remedy = match kind {
                    TypeKind::Fields(..) => "name one of its fields",
                    TypeKind::List(_) => "give the number of an item, as in `[0]`",
                    TypeKind::Map(_) => "give a key, as in `[\"name\"]`",
                    TypeKind::Element(_) | TypeKind::Value(_) => "end the path there",
                };
                Err(not_of_this_kind(path, number, self.kind(), remedy.into()))
            }
        }
    }
}

/// A type of values.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueType {
    id: TypeId,
    name: &'static str,
    /// The value that data state, or a description of the data that state a value.
    pub(super) read: fn(&PlainData) -> Result<Datum, String>,
    /// The parts of the values, if the type has parts.
    pub(super) parts: Option<ValueParts>,
    /// The element that reads a part with values of this type through a reference.
    pub(super) through: super::find::Through,
}

impl ValueType {
    pub(super) fn of<T: Value>() -> Self {
        Self {
            id: TypeId::of::<T>(),
            name: type_name::<T>(),
            read: |data| T::from_data(data).map(Datum::new),
            parts: T::parts(),
            through: |reference| reference.element::<T>().erased().clone(),
        }
    }

    pub(super) fn is<T: Value>(&self) -> bool {
        self.id == TypeId::of::<T>()
    }

    /// The name of the type without the paths of its modules.
    pub(super) fn name(&self) -> String {
        short_type_name(self.name)
    }
}

/// The parts of the values of a type that is both a [`Value`] and has [`Parts`]; see [`Value::parts`].
#[derive(Clone, Copy, Debug)]
pub struct ValueParts {
    object: fn(&dyn Any) -> Option<&dyn Parts>,
    part_type: fn() -> PartType,
}

impl ValueParts {
    /// Returns the parts of values of type `T`.
    pub fn of<T: Value + Parts>() -> Self {
        Self {
            object: |value| value.downcast_ref::<T>().map(|object| object as &dyn Parts),
            part_type: T::part_type,
        }
    }

    /// The object that a value of the type is.
    pub(super) fn object<'a>(&self, value: &'a dyn Any) -> &'a dyn Parts {
        (self.object)(value).expect("the values of an element have its type")
    }

    /// The types to which a path leads within values of this type, after its first `number` steps.
    pub(super) fn types_at(&self, path: &Path, number: usize) -> Result<Vec<PartType>, PartError> {
        let mut found = Vec::new();
        (self.part_type)().follow(path, number, &mut found)?;
        Ok(found)
    }
}
