//! Errors in paths to the parts of objects, and in evidence on these parts.

use figrs_derive::ErrorDebug;
use figrs_factor::wording::Call;
use thiserror::Error;

use crate::element::label::printable;
use crate::similar_names::did_you_mean;

/// The reason why a path leads to no element, or why data cannot be evidence on the parts of an object.
///
/// All paths in the error start at the object for which the method was called.
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
        /// The error in the text of the path, such as `has an empty name`.
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
        /// The path of the object without such a field, or of the map without such a key.
        at: String,
        /// The name of the type of the object; `None` if the part is a map.
        type_name: Option<String>,
        /// The unknown name of a field or key.
        name: String,
        /// Known names that are similar to the unknown name, or all names if there are only a few.
        near: Vec<String>,
    },
    /// The path leads to nothing: a list has no item with this number, an option is `None`, or the path continues where no part can follow (with a
    /// field after a list, with an index after an object with fields, or after an object without parts).
    #[error("{}{} {problem}; {remedy}", within(.path, .at), place(.at))]
    NoPart {
        /// The complete path.
        path: String,
        /// The path of the list, option or object in which the part does not exist.
        at: String,
        /// The reason why the part does not exist, as a phrase about the list, option or object, such as `is a list of 3 items`.
        problem: String,
        /// The remedy.
        remedy: String,
    },
    /// The values of the element at the end of the path do not have the type that was asked for.
    #[error("{} is an element with values of type `{values}`, not `{asked}`; ask for an `Element<{values}>`", place(.path))]
    WrongType {
        /// The path of the element.
        path: String,
        /// The type of the values of the element at the end of the path.
        values: String,
        /// The type that the caller asked for.
        asked: String,
    },
    /// The data do not fit the element or object: they are not a value of the element's type, they contradict a value that is not random, or their
    /// form or length differs from that of the object.
    #[error("{} {problem}", place(.path))]
    WrongData {
        /// The path of the element or object.
        path: String,
        /// The difference between the given data and the element or object, as a phrase about the element or object, with a remedy.
        problem: String,
    },
    /// References between objects form a cycle, so that the object has endless paths.
    #[error("the path `{}…` has over {depth} steps: references between objects form a cycle; skip a field of this cycle{}", printable(.path), Call("#[parts(skip)]"))]
    Cycle {
        /// The start of a path through the cycle of references.
        path: String,
        /// Maximum number of steps of the path to a part.
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

/// Returns the phrase of an error message that an object of the type `type_name`, or a map, has no field or key `name`.
fn lacks(type_name: Option<&str>, name: &str) -> String {
    match type_name {
        Some(of) => format!(
            "is of type `{of}`, which has no field `{}`",
            printable(name)
        ),
        None => format!("has no key {name:?}"),
    }
}

/// Returns the start of an error message about the object at the path `at`: the path `path`, or an empty text if `at` and `path` are equal.
fn within(path: &str, at: &str) -> String {
    if path == at {
        String::new()
    } else {
        format!("`{}`: ", printable(path))
    }
}
