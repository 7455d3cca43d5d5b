//! Lists all elements of an object, each with its path.

use super::Parts;
use super::error::PartError;
use super::member::{Member, ObjectField};
use super::path::{joined, keyed};
use crate::element::node::AnyElement;

/// Maximum number of steps in the path of a part of an object.
const MAX_STEPS: usize = 128;

/// Maximum number of parts of an object; a part is counted once for each path that leads to it.
const MAX_PARTS: usize = 1 << 20;

/// Number of characters of a path that an error message about a cycle prints.
const SHOWN: usize = 60;

pub(super) fn elements(object: &dyn Parts) -> Result<Vec<(String, AnyElement)>, PartError> {
    let mut found = Vec::new();
    // A stack of parts that are still to be visited.
    let mut open = vec![(String::new(), ObjectField::parts(object), 0)];
    let mut visited = 0;
    while let Some((path, field, steps)) = open.pop() {
        visited += 1;
        if visited + open.len() > MAX_PARTS {
            return Err(PartError::TooManyParts { limit: MAX_PARTS });
        }
        if steps > MAX_STEPS {
            return Err(PartError::Cycle {
                path: path.chars().take(SHOWN).collect(),
                depth: MAX_STEPS,
            });
        }
        let first = open.len();
        match field.member() {
            Member::Element(element) => found.push((path, element.element)),
            Member::Object { fields, .. } => {
                open.extend(
                    fields
                        .into_iter()
                        .map(|(name, field)| (joined(&path, name), field, steps + 1)),
                );
            }
            Member::List(items) => {
                let items = items.into_iter().enumerate();
                open.extend(items.map(|(number, item)| {
                    (joined(&path, &format!("[{number}]")), item, steps + 1)
                }));
            }
            Member::Map(entries) => {
                let entries = entries.into_iter();
                open.extend(entries.map(|(key, part)| (keyed(&path, &key), part, steps + 1)));
            }
            Member::Value(_) | Member::Missing | Member::Collection(_) | Member::Process(_) => {}
        }
        open[first..].reverse();
    }
    Ok(found)
}
