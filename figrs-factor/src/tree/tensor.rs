//! The tensors of a contraction tree, with their variables, storage formats and offsets in memory.
//!
//! In a contraction tree, a variable is identified by its rank: its index in the elimination order. Every scope of a tensor is sorted by rank, and
//! the entries of a tensor are row-major. Because scopes are sorted by rank, the variables that are summed out early are outermost, and all tensors
//! have their variables in the same order.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A variable, identified by its index in the elimination order.
pub(super) type Rank = u32;

/// The row-major index of an assignment of a scope (the last variable changes fastest).
pub(super) type AssignmentIndex = u128;

/// Base-2 logarithm of the largest number of assignments that [`AssignmentIndex`] can index.
pub(super) const MAX_LOG_ASSIGNMENTS: f64 = (AssignmentIndex::BITS - 1) as f64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
pub(super) enum TensorOrigin {
    /// The tensor is a factor of the graph, given by its index.
    Factor(u32),
    /// The tensor is the result of a step of the contraction tree, given by the index of the step.
    Step(u32),
}

/// Storage format of a tensor: dense, or a list of entries.
#[derive(Clone, Debug, Serialize, Deserialize, Hash)]
pub(super) enum Layout {
    /// All entries are stored.
    Dense,
    /// Only the entries with the listed assignment indices are stored, in ascending order.
    Listed(#[serde(with = "numbers")] Arc<[AssignmentIndex]>),
}

/// One tensor of a contraction tree: a factor or a message.
#[derive(Clone, Debug, Serialize, Deserialize, Hash)]
pub(super) struct Tensor {
    pub(super) scope: Range<u32>,
    pub(super) layout: Layout,
    /// Offset of the tensor's entries in the array of all entries.
    pub(super) start: usize,
    pub(super) len: usize,
    pub(super) origin: TensorOrigin,
    /// The step that uses the tensor; `None` for a final tensor (root).
    pub(super) used_by: Option<u32>,
}

impl Tensor {
    pub(super) fn is_dense(&self) -> bool {
        matches!(self.layout, Layout::Dense)
    }

    /// Returns the range of the tensor's entries in the array of all entries.
    pub(super) fn entries(&self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

/// The scopes of all tensors, one after another.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Hash)]
pub(super) struct Scopes {
    ranks: Vec<Rank>,
}

impl Scopes {
    pub(super) fn push(&mut self, scope: impl IntoIterator<Item = Rank>) -> Range<u32> {
        let start = self.ranks.len() as u32;
        self.ranks.extend(scope);
        start..self.ranks.len() as u32
    }

    pub(super) fn get(&self, range: &Range<u32>) -> &[Rank] {
        &self.ranks[range.start as usize..range.end as usize]
    }

    pub(super) fn find(&self, range: &Range<u32>) -> Option<&[Rank]> {
        self.ranks.get(range.start as usize..range.end as usize)
    }
}

/// Returns the values of the assignment of `scope` with the row-major index `number`, from the last variable to the first.
pub(super) fn values_of(
    mut number: AssignmentIndex,
    scope: &[Rank],
    cards: &[u32],
) -> impl Iterator<Item = (Rank, u32)> {
    scope.iter().rev().map(move |&rank| {
        let n = AssignmentIndex::from(cards[rank as usize]);
        let value = (number % n) as u32;
        number /= n;
        (rank, value)
    })
}

/// Returns the sorted union of the sorted scopes `a` and `b`.
pub(super) fn union(a: &[Rank], b: &[Rank]) -> Vec<Rank> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    all.extend(merged(a, b).map(|(rank, _)| rank));
    all
}

/// Returns the sorted union of the sorted scopes `a` and `b`; each variable comes with the number of scopes that contain it.
pub(super) fn merged(mut a: &[Rank], mut b: &[Rank]) -> impl Iterator<Item = (Rank, u32)> {
    std::iter::from_fn(move || {
        let (x, y) = (a.first().copied(), b.first().copied());
        let next = match (x, y) {
            (Some(x), Some(y)) => x.min(y),
            (x, y) => x.or(y)?,
        };
        let (in_a, in_b) = (x == Some(next), y == Some(next));
        a = &a[usize::from(in_a)..];
        b = &b[usize::from(in_b)..];
        Some((next, u32::from(in_a) + u32::from(in_b)))
    })
}

/// Serialises a 128-bit integer as two halves, because not every data format has 128-bit integers.
mod numbers {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::AssignmentIndex;

    pub(super) fn serialize<S: Serializer>(
        numbers: &Arc<[AssignmentIndex]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let halves = numbers.iter().map(|&n| ((n >> 64) as u64, n as u64));
        halves.collect::<Vec<_>>().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<[AssignmentIndex]>, D::Error> {
        let halves = Vec::<(u64, u64)>::deserialize(deserializer)?;
        let whole = |&(high, low): &(u64, u64)| {
            AssignmentIndex::from(high) << 64 | AssignmentIndex::from(low)
        };
        Ok(halves.iter().map(whole).collect())
    }
}
