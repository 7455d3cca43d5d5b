//! Lookup of the object or element at the end of a path.

use std::any::{Any, type_name};
use std::fmt::Display;
use std::panic::Location;
use std::sync::Arc;

use super::Parts;
use super::error::PartError;
use super::member::{Member, ObjectField, short_type_name};
use super::part_type::{TypeKind, ValueParts, ValueType};
use super::path::{Path, Step};
use crate::element::Element;
use crate::element::chain::fallible_chain_at;
use crate::element::node::AnyElement;
use crate::element::parents::Mixed;
use crate::error::Fault;
use crate::similar_names::similar_names;
use crate::value::Value;

pub(super) enum Found<'a> {
    End(Member<'a>),
    /// An element whose values are objects; the remaining steps of the path lead to parts of these objects.
    Through(Reference<'a>),
}

/// An element whose values are objects, and a path whose steps from the index `number` on lead to parts of these objects.
#[derive(Clone)]
pub(super) struct Reference<'a> {
    pub(super) element: AnyElement,
    pub(super) parts: ValueParts,
    pub(super) path: &'a Arc<Path>,
    pub(super) number: usize,
    pub(super) location: &'static Location<'static>,
}

/// A function that returns the element at the end of a path through a reference of uncertain identity (an element whose values are objects); all
/// values of the returned element have the same type.
pub(super) type Through = fn(Reference<'_>) -> AnyElement;

impl Reference<'_> {
    /// Creates an element that reads the part of whatever object the reference has as its value.
    pub(super) fn element<T: Value>(self) -> Element<T> {
        let (parts, number, location) = (self.parts, self.number, self.location);
        let path = Arc::clone(self.path);
        let read = move |values: Vec<&dyn Any>| {
            let object = parts.object(values[0]).member();
            let found = match follow(object, &path, number, location) {
                // A value that differs from object to object is random.
                Ok(Found::End(Member::Value(value))) => value
                    .constant()
                    .map_err(|values| wrong_type::<T>(&path, &values)),
                Ok(Found::Through(reference)) => Ok(reference.element()),
                Ok(Found::End(member)) => typed(&member, &path),
                Err(error) => Err(error),
            };
            found.map_err(|error| Fault::Part(Box::new(error)))
        };
        let parents = vec![self.element];
        fallible_chain_at::<Mixed, T>("find", location, parents, read)
    }
}

/// Follows a path through objects; the first `from` steps of the path have already been followed and lead to the object `start`.
pub(super) fn follow<'a>(
    start: Member<'a>,
    path: &'a Arc<Path>,
    from: usize,
    location: &'static Location<'static>,
) -> Result<Found<'a>, PartError> {
    let mut member = start;
    for number in from..path.len() {
        let Some(step) = path.step(number) else { break };
        if let Member::Element(element) = &member
            && let Some(parts) = element.values.parts
        {
            return Ok(Found::Through(Reference {
                element: element.element.clone(),
                parts,
                path,
                number,
                location,
            }));
        }
        member = next(member, step, path, number, location)?;
    }
    Ok(Found::End(member))
}

/// Returns the object to which one step of a path leads.
fn next<'a>(
    member: Member<'a>,
    step: &Step,
    path: &Path,
    number: usize,
    location: &'static Location<'static>,
) -> Result<Member<'a>, PartError> {
    match (member, step) {
        (Member::Object { type_name, fields }, Step::Field(name)) => {
            if let Some((_, field)) = fields.iter().find(|(field, _)| field == name) {
                return Ok(field.member());
            }
            let names = fields.iter().map(|(field, _)| *field);
            Err(unknown_field(path, number, type_name, name, names))
        }
        (Member::List(items), Step::Item(index)) => match items.get(*index) {
            Some(item) => Ok(item.member()),
            None => Err(no_part(
                path,
                number,
                format!(
                    "has {} items, numbered from 0, and none has the number {index}",
                    items.len()
                ),
                "give a smaller number".into(),
            )),
        },
        (Member::Map(entries), step @ (Step::Key(_) | Step::Item(_))) => {
            let key = &*step.text();
            let found = entries.iter().find(|(known, _)| known == key);
            let unknown = || unknown_key(&entries, key, path.text(), path.start(number));
            found.map(|(_, part)| part.member()).ok_or_else(unknown)
        }
        (
            Member::Collection(members) | Member::Process(members),
            step @ (Step::Key(_) | Step::Item(_)),
        ) => {
            let element = members.member(&step.text(), location);
            element
                .map(Member::Element)
                .map_err(|remedy| not_of_this_kind(path, number, format!("a {members:?}"), remedy))
        }
        (Member::Missing, _) => Err(missing(path, number)),
        (member, _) => Err(not_of_this_kind(
            path,
            number,
            kind(&member),
            remedy(&member),
        )),
    }
}

pub(super) fn unknown_key(
    entries: &[(String, ObjectField<'_>)],
    key: &str,
    path: &str,
    at: &str,
) -> PartError {
    PartError::UnknownName {
        path: path.into(),
        at: at.into(),
        type_name: None,
        name: key.into(),
        near: similar_names(key, entries.iter().map(|(known, _)| known.as_str())),
    }
}

pub(super) fn unknown_field(
    path: &Path,
    number: usize,
    type_name: &str,
    field: &str,
    names: impl Iterator<Item = &'static str>,
) -> PartError {
    PartError::UnknownName {
        path: path.text().into(),
        at: path.start(number).into(),
        type_name: Some(type_name.into()),
        name: field.into(),
        near: similar_names(field, names),
    }
}

fn no_part(path: &Path, number: usize, problem: String, remedy: String) -> PartError {
    PartError::NoPart {
        path: path.text().into(),
        at: path.start(number).into(),
        problem,
        remedy,
    }
}

pub(super) fn not_of_this_kind(
    path: &Path,
    number: usize,
    found: impl Display,
    remedy: String,
) -> PartError {
    no_part(path, number, format!("is {found}"), remedy)
}

/// Returns the error for a path whose first `number` steps lead to an option that is `None`.
pub(super) fn missing(path: &Path, number: usize) -> PartError {
    no_part(
        path,
        number,
        "does not exist, because it is an option that is `None`".into(),
        "leave the path out, or give the object this part".into(),
    )
}

fn wrong_type<T>(path: &Path, values: &ValueType) -> PartError {
    PartError::WrongType {
        path: path.text().into(),
        values: values.name(),
        asked: short_type_name(type_name::<T>()),
    }
}

pub(super) fn kind(member: &Member<'_>) -> String {
    match member {
        Member::Element(element) => {
            format!("an element with values of type `{}`", element.values.name())
        }
        Member::Value(value) => format!("the value {value:?}, which is not random"),
        Member::Object { type_name, .. } => format!("an object of type `{type_name}`"),
        Member::List(items) => format!("a list of {} items", items.len()),
        Member::Map(entries) => format!("a map with {} keys", entries.len()),
        Member::Collection(members) | Member::Process(members) => format!("a {members:?}"),
        Member::Missing => "an option that is `None`".into(),
    }
}

/// Returns the remedy that an error message suggests if a path has an error in the step after the object `member`.
fn remedy(member: &Member<'_>) -> String {
    match member {
        Member::Element(element) => {
            let values = element.values.name();
            format!(
                "end the path there, or, if `{values}` has parts, derive `Value` for it with `#[value(parts)]`"
            )
        }
        Member::Object { fields, .. } => {
            let shown: Vec<&str> = fields.iter().map(|(name, _)| *name).take(6).collect();
            let shown = shown.join("`, `");
            match fields.len() {
                0 => "it has no fields".into(),
                1..=6 => format!("name one of its fields: `{shown}`"),
                all => format!("name one of its {all} fields, such as `{shown}`"),
            }
        }
        Member::List(_) | Member::Collection(_) => "give the number of an item, as in `[0]`".into(),
        Member::Process(_) => "give an index, as in `[0]` or `[\"name\"]`".into(),
        Member::Map(_) => "give a key, as in `[\"name\"]`".into(),
        Member::Value(_) | Member::Missing => "leave out the last name of the path".into(),
    }
}

/// Returns the element at the end of a path that starts at `object`.
///
/// For a path through a reference of uncertain identity, only the types of the parts are checked in advance. The object that a reference of uncertain
/// identity means is known only in a possible world.
pub(super) fn element<T: Value>(
    object: &dyn Parts,
    path: &Arc<Path>,
    location: &'static Location<'static>,
) -> Result<Element<T>, PartError> {
    let reference = match follow(object.member(), path, 0, location)? {
        Found::Through(reference) => reference,
        Found::End(member) => return typed(&member, path),
    };
    let ends = reference.parts.types_at(path, reference.number)?;
    let mut values = ends.iter().filter_map(|end| match &end.0 {
        TypeKind::Element(values) | TypeKind::Value(values) => Some(values),
        TypeKind::Fields(..) | TypeKind::List(_) | TypeKind::Map(_) => None,
    });
    match values.clone().find(|values| values.is::<T>()) {
        Some(_) => Ok(reference.element()),
        None => Err(match values.next() {
            Some(values) => wrong_type::<T>(path, values),
            None => not_of_this_kind(
                path,
                path.len(),
                ends[0].kind(),
                "an element is asked for".into(),
            ),
        }),
    }
}

/// Returns the part of the object as a typed element, or an error if the part is not an element of this type.
fn typed<T: Value>(member: &Member<'_>, path: &Path) -> Result<Element<T>, PartError> {
    let remedy = match member {
        Member::Element(element) => {
            let typed = Element::from_erased(&element.element);
            return typed.ok_or_else(|| wrong_type::<T>(path, &element.values));
        }
        Member::Missing => {
            return Err(missing(path, path.len()));
        }
        Member::Value(_) => {
            "read it in Rust, since only elements have distributions and evidence".into()
        }
        member => format!("an element is asked for: {}", remedy(member)),
    };
    Err(not_of_this_kind(path, path.len(), kind(member), remedy))
}
