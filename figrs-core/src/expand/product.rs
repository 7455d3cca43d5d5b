//! Cartesian product of the supports of parents, in row-major order.

use std::any::Any;

use crate::element::node::AnyElement;
use crate::error::ModelError;
use crate::value::support::Support;
use figrs_factor::graph::Assignments;

pub(super) fn size(
    element: &AnyElement,
    supports: &[&Support],
    limit: u64,
) -> Result<usize, ModelError> {
    let needed = supports
        .iter()
        .fold(1u128, |n, support| n.saturating_mul(support.len() as u128));
    if needed > u128::from(limit) {
        return Err(ModelError::TableTooLarge {
            element: element.label(),
            needed,
            limit,
        });
    }
    Ok(needed as usize)
}

/// Calls `visit` with each combination of the parents' values in row-major order (the value of the last parent changes fastest). If a parent is
/// listed twice, a combination may give it two different values; `visit` then receives `None`.
pub(super) fn for_each_combination<E>(
    parents: &[usize],
    supports: &[&Support],
    mut visit: impl FnMut(Option<&[&dyn Any]>) -> Result<(), E>,
) -> Result<(), E> {
    if supports.iter().any(|support| support.is_empty()) {
        return Ok(());
    }
    // For each parent that is listed again, its index and the index at which it is listed first.
    let first = |(at, parent)| Some((at, parents[..at].iter().position(|p| p == parent)?));
    let repeated: Vec<(usize, usize)> = parents.iter().enumerate().filter_map(first).collect();
    let all = Assignments::rows(supports.iter().map(|support| support.len()));
    let mut values = vec![0; supports.len()];
    let mut arguments: Vec<&dyn Any> = supports.iter().map(|support| support.any(0)).collect();
    loop {
        let is_one = repeated.iter().all(|&(a, b)| values[a] == values[b]);
        visit(is_one.then_some(&arguments))?;
        let Some(raised) = all.advance(&mut values) else {
            return Ok(());
        };
        for parent in raised..supports.len() {
            arguments[parent] = supports[parent].any(values[parent] as usize);
        }
    }
}
