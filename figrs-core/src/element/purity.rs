//! Purity checks in debug builds: the result of a function must depend only on its arguments, and be the same for equal arguments.

use std::any::Any;

use super::node::{AnyElement, Kind};
use crate::error::Fault;
use crate::value::support::Support;

/// Maximum number of elements that the comparison of two results visits.
const MAX_COMPARED_ELEMENTS: usize = 64;

fn differ(a: &AnyElement, b: &AnyElement) -> Option<String> {
    let (left, right) = (a.label(), b.label());
    let shape = !left.is_same_call(&right) || a.parents().len() != b.parents().len();
    if shape {
        return Some(format!("{left} and {right}"));
    }
    if let (Kind::Atomic(x), Kind::Atomic(y)) = (a.kind(), b.kind()) {
        let (x, y) = (x.describe(), y.describe());
        if x != y {
            return Some(format!("{x} and {y}"));
        }
    }
    None
}

/// Returns an error if two results of one function for the same arguments differ. Only distributions, constants and other data of the elements are
/// compared, not functions.
pub(crate) fn compare(first: &AnyElement, second: &AnyElement) -> Result<(), Fault> {
    match difference(first, second) {
        Some(difference) => Err(Fault::Impure(difference)),
        None => Ok(()),
    }
}

/// Returns a description of a difference between two results of one function, or `None` if no difference is found.
pub(crate) fn difference(first: &AnyElement, second: &AnyElement) -> Option<String> {
    let mut pairs = vec![(first.clone(), second.clone())];
    let mut compared = 0;
    while let Some((a, b)) = pairs.pop() {
        compared += 1;
        if a.id() == b.id() || compared > MAX_COMPARED_ELEMENTS {
            continue;
        }
        if let Some(difference) = differ(&a, &b) {
            return Some(difference);
        }
        pairs.extend(a.parents().iter().cloned().zip(b.parents().iter().cloned()));
    }
    None
}

/// In debug builds, checks that a function has the same result if an argument is replaced by an equal value that prints differently. The function
/// `compare` calls the function for given arguments, and describes the difference between the results.
pub(crate) fn check_equal_arguments(
    supports: &[&Support],
    arguments: &[&dyn Any],
    mut compare: impl FnMut(&[&dyn Any]) -> Result<Option<String>, Fault>,
) -> Result<(), Fault> {
    if !cfg!(debug_assertions) {
        return Ok(());
    }
    for (at, support) in supports.iter().enumerate() {
        let Some(equal) = support.look_alike(arguments[at]) else {
            continue;
        };
        let mut replaced = arguments.to_vec();
        replaced[at] = equal;
        if let Some(results) = compare(&replaced)? {
            let printed = |value: &dyn Any| support.printed(value);
            let arguments = format!("{} and {}", printed(arguments[at]), printed(equal));
            return Err(Fault::UnequalResults { results, arguments });
        }
    }
    Ok(())
}
