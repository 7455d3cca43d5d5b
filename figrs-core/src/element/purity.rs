//! The debug check that a Chain's function depends on its arguments alone.

use super::node::{AnyElement, Kind};
use crate::error::Fault;

/// Maximum number of elements of a result that are compared.
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

/// Compares two results of one function for the same arguments, as far as data can show.
pub(crate) fn compare(first: &AnyElement, second: &AnyElement) -> Result<(), Fault> {
    let mut pairs = vec![(first.clone(), second.clone())];
    let mut compared = 0;
    while let Some((a, b)) = pairs.pop() {
        compared += 1;
        if a.id() == b.id() || compared > MAX_COMPARED_ELEMENTS {
            continue;
        }
        if let Some(difference) = differ(&a, &b) {
            return Err(Fault::Impure(difference));
        }
        pairs.extend(a.parents().iter().cloned().zip(b.parents().iter().cloned()));
    }
    Ok(())
}
