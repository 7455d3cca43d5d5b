//! Types of the parts of objects. The types of the parts are known before the first object is created.

use std::any::{Any, TypeId, type_name};

use super::Parts;
use super::error::PartError;
use super::find::{not_of_this_kind, unknown_field};
use super::member::short_type_name;
use super::path::{Path, Step};
use crate::value::Value;
use crate::value::datum::Datum;
use crate::value::plain_data::PlainData;

/// The type of a part of an object as [`Parts`] sees it: an element, a plain value, an object with fields, a list, or a map.
#[derive(Clone, Debug)]
pub struct PartType(pub(super) TypeKind);

/// The names and types of the fields of an object.
type FieldTypes = Vec<(&'static str, fn() -> PartType)>;

#[derive(Clone, Debug)]
pub(super) enum TypeKind {
    Element(ValueType),
    Value(ValueType),
    Fields(&'static str, FieldTypes),
    List(fn() -> PartType),
    Map(fn() -> PartType),
}

impl PartType {
    /// Creates the type of elements with values of type `T`.
    pub fn element<T: Value>() -> Self {
        Self(TypeKind::Element(ValueType::of::<T>()))
    }

    /// A type of plain values.
    pub fn value<T: Value>() -> Self {
        Self(TypeKind::Value(ValueType::of::<T>()))
    }

    /// A type of objects with fields: the name of the type, and the name and the type of each field. The fields of an enum type are those of all its
    /// variants.
    pub fn fields(type_name: &'static str, fields: FieldTypes) -> Self {
        Self(TypeKind::Fields(type_name, fields))
    }

    /// Creates the type of lists of objects of type `P`.
    pub fn list<P: Parts>() -> Self {
        Self(TypeKind::List(P::part_type))
    }

    /// Creates the type of maps (dictionaries) whose values are objects of type `P`.
    pub fn map<P: Parts>() -> Self {
        Self(TypeKind::Map(P::part_type))
    }

    /// Describes the kind of the type in words.
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

    /// Describes the form of the data that can state values for the parts of an object of this type; `None` for plain values without parts.
    pub(super) fn object_data(&self) -> Option<&'static str> {
        match &self.0 {
            TypeKind::Element(values) => values.parts.map(|_| "an object with fields"),
            TypeKind::Value(_) => None,
            TypeKind::Fields(..) => Some("an object with fields"),
            TypeKind::List(_) => Some("an object whose names are paths, such as `[0]`"),
            TypeKind::Map(_) => Some("an object whose names are keys"),
        }
    }

    /// Returns the possible types of the objects to which the path leads after its step with the index `number`. A step of a path may lead to several
    /// types, because the variants of an enum may have fields with the same name but different types.
    fn next(&self, path: &Path, number: usize) -> Result<Vec<Self>, PartError> {
        if let TypeKind::Element(values) = &self.0
            && let Some(parts) = values.parts
        {
            return (parts.part_type)().next(path, number);
        }
        let remedy = match (&self.0, path.step(number)) {
            (TypeKind::Fields(type_name, fields), Some(Step::Field(name))) => {
                let named = fields.iter().filter(|(field, _)| field == name);
                let types: Vec<Self> = named.map(|(_, field)| field()).collect();
                if types.is_empty() {
                    let names = fields.iter().map(|(field, _)| *field);
                    return Err(unknown_field(path, number, type_name, name, names));
                }
                return Ok(types);
            }
            (TypeKind::List(item), Some(Step::Item(_)))
            | (TypeKind::Map(item), Some(Step::Item(_) | Step::Key(_))) => return Ok(vec![item()]),
            (TypeKind::Fields(..), _) => "name one of its fields",
            (TypeKind::List(_), _) => "give the number of an item, as in `[0]`",
            (TypeKind::Map(_), _) => "give a key, as in `[\"name\"]`",
            (TypeKind::Element(_) | TypeKind::Value(_), _) => "end the path there",
        };
        Err(not_of_this_kind(path, number, self.kind(), remedy.into()))
    }

    /// True if the two types of parts are known to be the same.
    fn is_same(&self, other: &Self) -> bool {
        let same = |a: &fn() -> Self, b: &fn() -> Self| std::ptr::fn_addr_eq(*a, *b);
        match (&self.0, &other.0) {
            (TypeKind::Element(a), TypeKind::Element(b))
            | (TypeKind::Value(a), TypeKind::Value(b)) => a.id == b.id,
            (TypeKind::Fields(_, a), TypeKind::Fields(_, b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1))
            }
            (TypeKind::List(a), TypeKind::List(b)) | (TypeKind::Map(a), TypeKind::Map(b)) => {
                same(a, b)
            }
            _ => false,
        }
    }
}

/// A type of values.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueType {
    id: TypeId,
    name: &'static str,
    /// A function that converts plain data to a value; if it fails, its error describes the data that are accepted.
    pub(super) read: fn(&PlainData) -> Result<Datum, String>,
    /// The parts of the values, if the type of the values implements `Parts`.
    pub(super) parts: Option<ValueParts>,
    /// A function that builds an element with values of this type; the element reads a part of whatever object a reference of uncertain identity has
    /// as its value.
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

    /// Returns the name of the value type without the paths of its modules.
    pub(super) fn name(&self) -> String {
        short_type_name(self.name)
    }
}

/// The parts of the values of a type that implements both [`Value`] and [`Parts`]; see [`Value::parts`].
#[derive(Clone, Copy, Debug)]
pub struct ValueParts {
    object: fn(&dyn Any) -> Option<&dyn Parts>,
    part_type: fn() -> PartType,
}

impl ValueParts {
    /// Returns the description of the parts of values of type `T`.
    pub fn of<T: Value + Parts>() -> Self {
        Self {
            object: |value| value.downcast_ref::<T>().map(|object| object as &dyn Parts),
            part_type: T::part_type,
        }
    }

    /// Converts a value of the type to an object with parts.
    pub(super) fn object<'a>(&self, value: &'a dyn Any) -> &'a dyn Parts {
        (self.object)(value).expect("the values of an element have its type")
    }

    /// The types of the parts to which a path may lead within values of this type, after its first `number` steps have led to the values.
    pub(super) fn types_at(&self, path: &Path, number: usize) -> Result<Vec<PartType>, PartError> {
        let mut types = vec![(self.part_type)()];
        for number in number..path.len() {
            let mut next: Vec<PartType> = Vec::new();
            let mut wrong = None;
            for part in &types {
                match part.next(path, number) {
                    // Each type counts once: otherwise, their number could double at each step.
                    Ok(found) => {
                        for part in found {
                            if !next.iter().any(|known| known.is_same(&part)) {
                                next.push(part);
                            }
                        }
                    }
                    Err(error) => wrong = wrong.or(Some(error)),
                }
            }
            // A path may end in a field of only one variant of an enum.
            if let (true, Some(error)) = (next.is_empty(), wrong) {
                return Err(error);
            }
            types = next;
        }
        Ok(types)
    }
}
