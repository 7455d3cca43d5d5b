//! Lookup of the object or element at the end of a path.

use std::any::{Any, type_name};
use std::panic::Location;
use std::sync::Arc;

use super::Parts;
use super::error::PartError;
use super::member::{ElementMember, Member, ValueParts, short_type_name};
use super::path::{Path, Step};
use crate::element::Element;
use crate::element::chain::fallible_chain_at;
use crate::element::parents::Mixed;
use crate::error::Fault;
use crate::similar_names::similar_names;
use crate::value::Value;

pub(super) enum Found<'a> {
    End(Member<'a>),
    /// An element whose values are objects with parts, and the index of the path's next step, which leads into these objects.
    Through(ElementMember<'a>, ValueParts, usize),
}

/// Follows a path from the object `start`, at which the first `from` steps of the path end.
pub(super) fn follow<'a>(
    start: Member<'a>,
    path: &Path,
    from: usize,
) -> Result<Found<'a>, PartError> {
    let mut member = start;
    for number in from..path.len() {
        let Some(step) = path.step(number) else { break };
        if let Member::Element(element) = &member
            && let Some(parts) = element.value_parts()
        {
            return Ok(Found::Through(*element, parts, number));
        }
        member = next(member, step, path, number)?;
    }
    Ok(Found::End(member))
}

/// Returns the object to which one step leads.
fn next<'a>(
    member: Member<'a>,
    step: &Step,
    path: &Path,
    number: usize,
) -> Result<Member<'a>, PartError> {
    let (whole, at) = (path.text().to_owned(), path.start(number).to_owned());
    match (member, step) {
        (Member::Object { type_name, fields }, Step::Field(name)) => {
            if let Some((_, field)) = fields.iter().find(|(field, _)| field == name) {
                return Ok(field.member());
            }
            let near = similar_names(name, fields.iter().map(|(field, _)| *field));
            Err(PartError::UnknownField {
                path: whole,
                at,
                type_name: type_name.into(),
                field: name.clone(),
                near,
            })
        }
        (Member::List(items), Step::Item(index)) => match items.get(*index) {
            Some(item) => Ok(item.member()),
            None => Err(PartError::UnknownItem {
                path: whole,
                at,
                length: items.len(),
                index: *index,
            }),
        },
        (Member::Missing, _) => Err(PartError::Missing { path: whole, at }),
        (member, _) => Err(PartError::NotOfThisKind {
            path: whole,
            at,
            found: kind(&member),
            remedy: remedy(&member),
        }),
    }
}

pub(super) fn kind(member: &Member<'_>) -> String {
    match member {
        Member::Element(element) => {
            format!("an element with values of type `{}`", element.value_type())
        }
        Member::Value(value) => format!("the value {value:?}, which is not random"),
        Member::Object { type_name, .. } => format!("an object of type `{type_name}`"),
        Member::List(items) => format!("a list of {} items", items.len()),
        Member::Missing => "an option that is `None`".into(),
    }
}

/// Returns the remedy for a path that has an error after the object `member`.
fn remedy(member: &Member<'_>) -> String {
    match member {
        Member::Element(element) => {
            let values = element.value_type();
            format!(
                "end the path there, or, if `{values}` has parts, derive `Value` for it with `#[value(parts)]`"
            )
        }
        Member::Object { fields, .. } => {
            let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
            let shown = names
                .iter()
                .take(6)
                .copied()
                .collect::<Vec<_>>()
                .join("`, `");
            match names.len() {
                0 => "it has no fields".into(),
                1..=6 => format!("name one of its fields: `{shown}`"),
                all => format!("name one of its {all} fields, such as `{shown}`"),
            }
        }
        Member::List(_) => "give the number of an item, as in `[0]`".into(),
        Member::Value(_) | Member::Missing => "end the path before it".into(),
    }
}

/// Returns the element at the end of a path. The first `from` steps of the path end at `object`.
pub(super) fn element<T: Value>(
    object: &dyn Parts,
    path: &Arc<Path>,
    from: usize,
    location: &'static Location<'static>,
) -> Result<Element<T>, PartError> {
    let (reference, parts, number) = match follow(object.member(), path, from)? {
        Found::End(Member::Element(element)) => {
            let typed = Element::from_erased(element.erased());
            return typed.ok_or_else(|| PartError::WrongType {
                path: path.text().into(),
                values: element.value_type(),
                asked: short_type_name(type_name::<T>()),
            });
        }
        Found::End(Member::Missing) => {
            return Err(PartError::Missing {
                path: path.text().into(),
                at: path.text().into(),
            });
        }
        Found::End(member) => return Err(not_an_element(&member, path)),
        Found::Through(element, parts, number) => (element, parts, number),
    };
    let path = Arc::clone(path);
    let parents = vec![reference.erased().clone()];
    let read = move |values: Vec<&dyn Any>| {
        let object = parts(values[0]).expect("the values of an element have its type");
        element(object, &path, number, location).map_err(|error| Fault::Part(Box::new(error)))
    };
    Ok(fallible_chain_at::<Mixed, T, _>(
        "find", location, parents, read,
    ))
}

fn not_an_element(member: &Member<'_>, path: &Path) -> PartError {
    PartError::NotOfThisKind {
        path: path.text().into(),
        at: path.text().into(),
        found: kind(member),
        remedy: match member {
            Member::Value(_) => {
                "read it in Rust, since only elements have distributions and evidence".into()
            }
            member => format!("an element is asked for: {}", remedy(member)),
        },
    }
}
