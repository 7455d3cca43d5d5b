//! Errors of paths, and of evidence on the parts of objects.

use figrs_derive::ErrorDebug;
use figrs_factor::wording::Call;
use thiserror::Error;

use crate::element::label::printable;
use crate::similar_names::did_you_mean;

/// The reason why a path leads to no element, or why data cannot be evidence on the parts of an object.
///
/// All paths start at the object for which the method was called.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum PartError {
    /// The text is not a path.
    #[error(
        "the path `{}` {problem}; a path has names, numbers and keys, as in `rooms[2].owner.age` and `rooms[\"hall\"].owner`",
        printable(.path)
    )]
    Syntax {
        /// The text that is not a path.
        path: String,
        /// The error in the text, such as `has an empty name`.
        problem: String,
    },
    /// An object has no field, or a map no key, with a name in the path or in the data.
    #[error(
        "`{}`: {} {}; {}",
        printable(.path), place(.at), lacks(.type_name.as_deref(), .name), did_you_mean(.near)
    )]
    UnknownName {
        /// The complete path.
        path: String,
        /// The path of the object or map.
        at: String,
        /// The name of the type of the object; `None` for a map.
        type_name: Option<String>,
        /// The unknown name of a field or key.
        name: String,
        /// Similar names, or all names if there are only a few.
        near: Vec<String>,
    },
    /// A list has no item with an index that the path contains.
    #[error(
        "`{}`: {} has {length} items, numbered from 0, and none has the number {index}; give a smaller number",
        printable(.path), place(.at)
    )]
    UnknownItem {
        /// The complete path.
        path: String,
        /// The path of the list.
        at: String,
        /// Number of items of the list.
        length: usize,
        /// The index in the path.
        index: usize,
    },
    /// The path continues with a field after a list, with an index after an object with fields, or after an object without parts.
    #[error("{}{} is {found}; {remedy}", within(.path, .at), place(.at))]
    NotOfThisKind {
        /// The complete path.
        path: String,
        /// The path of the object.
        at: String,
        /// A description of the object, such as `a list of 3 items`.
        found: String,
        /// The remedy.
        remedy: String,
    },
    /// The path leads to an option that is `None`.
    #[error(
        "{}{} does not exist, because it is an option that is `None`; leave the path out, or give the object this part",
        within(.path, .at), place(.at)
    )]
    Missing {
        /// The complete path.
        path: String,
        /// The path of the option.
        at: String,
    },
    /// The values of the element at the end of the path do not have the type that was asked for.
    #[error("{} is an element with values of type `{values}`, not `{asked}`; ask for an `Element<{values}>`", place(.path))]
    WrongType {
        /// The path of the element.
        path: String,
        /// The type of the element's values.
        values: String,
        /// The type that was asked for.
        asked: String,
    },
    /// The data do not describe a value of the element's type, or do not have the form of the object.
    #[error("{} is {found} and takes {expected}, not {}", place(.path), printable(.given))]
    WrongData {
        /// The path of the element or object.
        path: String,
        /// A description of the object, such as ``an element with values of type `u8` ``.
        found: String,
        /// The data that the type accepts.
        expected: String,
        /// The given data.
        given: String,
    },
    /// A value of the object is not random, and the data state another value.
    #[error(
        "{} is not random: it is {}, but the data state {}; leave it out, or state the same value",
        place(.path), printable(.value), printable(.given)
    )]
    ValueDiffers {
        /// The path of the value.
        path: String,
        /// The value in the object.
        value: String,
        /// The given data.
        given: String,
    },
    /// A list in the data and the list of the object have different lengths.
    #[error("{} has {length} items, but the data state {given}; state `null` for items about which nothing is known", place(.path))]
    WrongLength {
        /// The path of the list.
        path: String,
        /// Number of items of the object's list.
        length: usize,
        /// Number of items in the data.
        given: usize,
    },
    /// References between objects form a cycle.
    #[error("the path `{}…` has over {depth} steps: references between objects form a cycle; skip a field of this cycle{}", printable(.path), Call("#[parts(skip)]"))]
    Cycle {
        /// The start of a path through the cycle.
        path: String,
        /// Maximum number of steps of a path.
        depth: usize,
    },
    /// The object has too many parts to list, possibly because many paths lead to the same objects.
    #[error(
        "the object has over {limit} parts, counted by their paths; ask for single paths, or skip fields with many parts{}",
        Call("#[parts(skip)]")
    )]
    TooManyParts {
        /// Maximum number of parts.
        limit: usize,
    },
}

fn place(path: &str) -> String {
    if path.is_empty() {
        "the object".into()
    } else {
        format!("`{}`", printable(path))
    }
}

/// Returns the predicate of a message about an object of the type `type_name`, or a map, without `name`.
fn lacks(type_name: Option<&str>, name: &str) -> String {
    match type_name {
        Some(of) => format!(
            "is of type `{of}`, which has no field `{}`",
            printable(name)
        ),
        None => format!("has no key {name:?}"),
    }
}

/// Returns the start of a message about the object at the path `at`: the path `path`, or an empty text if the two paths are equal.
fn within(path: &str, at: &str) -> String {
    if path == at {
        String::new()
    } else {
        format!("`{}`: ", printable(path))
    }
}
