//! The leaves of a contraction tree: factors in the tree's storage format.

use std::hash::Hasher;
use std::sync::Arc;

use crate::graph::{Assignments, Factor, FactorGraph, FactorTable, Weights, for_each_entry};
use serde::{Deserialize, Serialize};

use crate::algebra::Semiring;

use super::tensor::{AssignmentIndex, Layout, Rank};
use super::thresholds::Thresholds;
use crate::fnv::Fnv;

/// Minimum ratio of all entries to non-zero entries of a dense factor at which the positions of its zeros are recorded.
const ZERO_LIST_RATIO: usize = 2;

/// Source of the entries of a leaf of a contraction tree.
#[derive(Clone, Debug, Serialize, Deserialize, Hash)]
enum EntrySource {
    /// The entries of the leaf are all entries of a dense table. Nested loops read the entries; each loop has a number of iterations and a stride in
    /// the factor's table.
    Strided(Vec<(usize, usize)>),
    /// The entries of the leaf are the weights with the listed indices in the factor's list of weights.
    Picked(Vec<u32>),
    /// The factor is a function as a dense table: the entries with the listed indices are one, and all other entries are zero.
    Ones(Vec<u32>),
    /// The factor is a function as a sparse table, in which all stored entries are one.
    AllOnes,
    /// The non-zero weights of the factor, each with the index of its entry in a dense table. The format of non-zero weights with indices serves
    /// small sparse factors, and dense factors with many zeros.
    Placed(Vec<u32>),
}

/// One factor of the graph as a tensor of the contraction tree.
#[derive(Clone, Debug, Serialize, Deserialize, Hash)]
pub(super) struct Leaf {
    pub(super) tensor: u32,
    pub(super) factor: u32,
    source: EntrySource,
    /// Hash of a factor's scope and stored assignments; the leaf accepts only a factor with an equal hash.
    signature: u64,
}

pub(super) struct LeafLayout {
    pub(super) scope: Vec<Rank>,
    pub(super) layout: Layout,
    pub(super) len: usize,
    source: EntrySource,
    signature: u64,
}

impl LeafLayout {
    /// Returns the assignment indices of the entries of the leaf that may be positive; `None` if no stored entry is known to be zero.
    pub(super) fn support(&self) -> Option<Vec<AssignmentIndex>> {
        let (EntrySource::Ones(places) | EntrySource::Placed(places)) = &self.source else {
            return None;
        };
        let places = places.iter().filter(|&&at| at != u32::MAX);
        let mut places: Vec<AssignmentIndex> =
            places.map(|&at| AssignmentIndex::from(at)).collect();
        places.sort_unstable();
        Some(places)
    }

    pub(super) fn leaf(self, tensor: u32, factor: u32) -> Leaf {
        Leaf {
            tensor,
            factor,
            source: self.source,
            signature: self.signature,
        }
    }
}

/// Chooses the storage format of `factor` in the contraction tree. If `tracks_zeros` is true, the positions of the zeros of a dense factor with many
/// zeros are recorded.
pub(super) fn choose_layout(
    graph: &FactorGraph,
    factor: usize,
    ranks: &[Option<Rank>],
    thresholds: Thresholds,
    tracks_zeros: bool,
) -> LeafLayout {
    let factor = &graph.factors[factor];
    let card = |i: usize| graph.cardinality(factor.variables[i]);
    // The rank and the position of each of the factor's variables.
    let places = factor.variables.iter().zip(0..);
    let places = places.map(|(v, i)| (ranks[v.index()].unwrap_or(Rank::MAX), i));
    let mut order: Vec<(Rank, usize)> = places.collect();
    order.sort_unstable();
    let scope: Vec<Rank> = order.iter().map(|&(rank, _)| rank).collect();
    let size = graph.dense_size(&factor.variables);
    // For each positive entry, its index in the tensor and its index in the factor.
    let entries = || {
        // The stride of each of the factor's variables in the tensor.
        let mut strides: Vec<AssignmentIndex> = vec![0; order.len()];
        let mut stride: AssignmentIndex = 1;
        for &(_, i) in order.iter().rev() {
            strides[i] = stride;
            stride = stride.saturating_mul(card(i) as AssignmentIndex);
        }
        let number = |row: &[u32]| -> AssignmentIndex {
            let digits = row.iter().map(|&x| AssignmentIndex::from(x));
            digits.zip(&strides).map(|(x, stride)| x * stride).sum()
        };
        let mut entries: Vec<(AssignmentIndex, u32)> = Vec::new();
        for_each_entry(graph, factor, |i, row| {
            entries.push((number(row), i as u32));
        });
        entries
    };
    let (layout, len, source) = match &factor.table {
        FactorTable::Dense(weights) => {
            let stride = |i: usize| graph.dense_size(&factor.variables[i + 1..]);
            let from_end = |&(_, i): &(Rank, usize)| (card(i), stride(i));
            let loops: Vec<(usize, usize)> = order.iter().map(from_end).collect();
            let non_zeros = size - weights.count_zeros();
            if !thresholds.is_dense(size as f64, non_zeros) {
                let mut entries = Vec::new();
                let mut next: AssignmentIndex = 0;
                each_row(&loops, |at, n, stride| {
                    for i in (0..n).map(|i| at + i * stride) {
                        if !weights.is_zero(i) {
                            entries.push((next, i as u32));
                        }
                        next += 1;
                    }
                });
                listed(entries)
            } else if tracks_zeros && non_zeros * ZERO_LIST_RATIO <= size {
                let (mut places, mut next) = (vec![u32::MAX; size], 0);
                each_row(&loops, |at, n, stride| {
                    for i in (0..n).map(|i| at + i * stride) {
                        if !weights.is_zero(i) {
                            places[i] = next;
                        }
                        next += 1;
                    }
                });
                (Layout::Dense, size, EntrySource::Placed(places))
            } else {
                (Layout::Dense, size, EntrySource::Strided(loops))
            }
        }
        FactorTable::Sparse { weights, .. } => {
            let entries = entries();
            if thresholds.is_dense(size as f64, entries.len()) {
                let mut places = vec![u32::MAX; weights.len()];
                for &(at, i) in &entries {
                    places[i as usize] = at as u32;
                }
                (Layout::Dense, size, EntrySource::Placed(places))
            } else {
                listed(entries)
            }
        }
        FactorTable::Function { .. } => {
            let entries = entries();
            if thresholds.is_dense(size as f64, entries.len()) {
                let places = entries.iter().map(|&(at, _)| at as u32).collect();
                (Layout::Dense, size, EntrySource::Ones(places))
            } else {
                let (layout, len, _) = listed(entries);
                (layout, len, EntrySource::AllOnes)
            }
        }
    };
    LeafLayout {
        scope,
        layout,
        len,
        source,
        signature: signature(graph, factor),
    }
}

/// Returns a hash of the stored assignments of `factor`, which almost never equals the hash of other assignments.
///
/// The hash of the stored assignments is the same on every machine.
fn signature(graph: &FactorGraph, factor: &Factor) -> u64 {
    let mut hasher = Fnv::default();
    for &v in &factor.variables {
        hasher.write_u32(v.0);
        hasher.write_u32(graph.cardinality(v) as u32);
    }
    let (kind, listed): (u32, &[u32]) = match &factor.table {
        FactorTable::Dense(_) => (0, &[]),
        FactorTable::Sparse { rows, .. } => (1, rows),
        FactorTable::Function { index } => (2, index),
    };
    hasher.write_u32(kind);
    for &x in listed {
        hasher.write_u32(x);
    }
    hasher.finish()
}

/// Returns the storage format of a leaf for `entries`, which are pairs of an assignment index and the index of a weight.
fn listed(mut entries: Vec<(AssignmentIndex, u32)>) -> (Layout, usize, EntrySource) {
    if !entries.is_sorted() {
        entries.sort_unstable();
    }
    let numbers: Arc<[AssignmentIndex]> = entries.iter().map(|&(number, _)| number).collect();
    let picked: Vec<u32> = entries.iter().map(|&(_, i)| i).collect();
    (
        Layout::Listed(numbers),
        picked.len(),
        EntrySource::Picked(picked),
    )
}

impl Leaf {
    /// True if `factor` has the scope and the stored assignments of the leaf.
    pub(super) fn fits(&self, graph: &FactorGraph, factor: &Factor) -> bool {
        let holds = |weights: &Weights, i: u32| !weights.is_zero(i as usize);
        let leaves_out_zeros = match (&self.source, factor.table.weights()) {
            (EntrySource::Picked(picked), Some(weights)) => {
                let n = weights.len() as u32;
                let kept = picked
                    .iter()
                    .filter(|&&i| i < n && holds(weights, i))
                    .count();
                kept == (0..n).filter(|&i| holds(weights, i)).count()
            }
            (EntrySource::Placed(places), Some(weights)) => {
                let mut left_out = (0..).zip(places).filter(|(_, at)| **at == u32::MAX);
                places.len() == weights.len() && left_out.all(|(i, _)| !holds(weights, i))
            }
            _ => true,
        };
        self.signature == signature(graph, factor) && leaves_out_zeros
    }

    /// True if all indices in the leaf are valid for a tensor with `entries` entries and for a factor with the leaf's hash.
    pub(super) fn is_sound(&self, entries: usize, factor: &Factor) -> bool {
        let inside = |places: &[u32]| {
            places
                .iter()
                .all(|&at| at == u32::MAX || (at as usize) < entries)
        };
        let stored = factor.entries();
        match &self.source {
            EntrySource::Strided(loops) => {
                let size = loops
                    .iter()
                    .try_fold(1usize, |all, &(n, _)| all.checked_mul(n));
                let last = loops.iter().try_fold(0usize, |at, &(n, stride)| {
                    n.checked_sub(1)?.checked_mul(stride)?.checked_add(at)
                });
                size == Some(entries) && last.is_some_and(|last| last < stored)
            }
            EntrySource::Picked(picked) => {
                picked.len() == entries && picked.iter().all(|&i| (i as usize) < stored)
            }
            EntrySource::Placed(places) => inside(places) && places.len() == stored,
            EntrySource::Ones(places) => inside(places) && !places.contains(&u32::MAX),
            EntrySource::AllOnes => true,
        }
    }

    /// Calls `visit` with the index of each entry of the tensor that is a weight of the factor, and with the index of this weight.
    pub(super) fn each_weight(&self, mut visit: impl FnMut(usize, usize)) {
        match &self.source {
            EntrySource::Strided(loops) => {
                let mut entry = 0;
                each_row(loops, |at, n, stride| {
                    for i in 0..n {
                        visit(entry, at + i * stride);
                        entry += 1;
                    }
                });
            }
            EntrySource::Picked(picked) => {
                for (entry, &i) in picked.iter().enumerate() {
                    visit(entry, i as usize);
                }
            }
            EntrySource::Placed(places) => {
                for (i, &entry) in places.iter().enumerate() {
                    if entry != u32::MAX {
                        visit(entry as usize, i);
                    }
                }
            }
            EntrySource::Ones(_) | EntrySource::AllOnes => {}
        }
    }

    /// Writes the weights of `factor` into `entries`, the entries of the leaf's tensor. Returns the natural logarithm of the number by
    /// which the weights were divided.
    pub(super) fn load<S: Semiring>(&self, factor: &Factor, entries: &mut [S::Value]) -> f64 {
        let Some(weights) = factor.table.weights() else {
            if let EntrySource::Ones(places) = &self.source {
                entries.fill(S::zero());
                for &at in places {
                    entries[at as usize] = S::one();
                }
            } else {
                entries.fill(S::one());
            }
            return 0.0;
        };
        match &self.source {
            EntrySource::Strided(loops) => copy(&S::lift_all(weights), loops, entries),
            EntrySource::Picked(picked) => {
                for (entry, &i) in entries.iter_mut().zip(picked) {
                    *entry = S::lift(weights, i as usize);
                }
            }
            EntrySource::Placed(places) => {
                entries.fill(S::zero());
                for (i, &at) in places.iter().enumerate() {
                    if at != u32::MAX {
                        entries[at as usize] = S::lift(weights, i);
                    }
                }
            }
            EntrySource::Ones(_) | EntrySource::AllOnes => entries.fill(S::one()),
        }
        S::scale(weights)
    }
}

/// Copies entries of the list `from` to the list `to`, in the order in which the nested `loops` read them. Each of the nested loops has a number of
/// iterations and a stride; the outermost loop comes first.
fn copy<V: Clone>(from: &[V], loops: &[(usize, usize)], to: &mut [V]) {
    let mut run = 1;
    let is_same = loops.iter().rev().all(|&(n, stride)| {
        let fits = stride == run;
        run *= n;
        fits
    });
    if is_same {
        to.clone_from_slice(from);
        return;
    }
    let mut next = 0;
    each_row(loops, |at, n, stride| {
        let row = &mut to[next..next + n];
        next += n;
        if stride == 1 {
            row.clone_from_slice(&from[at..at + n]);
        } else {
            for (i, entry) in row.iter_mut().enumerate() {
                entry.clone_from(&from[at + i * stride]);
            }
        }
    });
}

/// Calls `row` for each run of the innermost of the nested loops, with the start, the number of entries and the stride of the run.
fn each_row(loops: &[(usize, usize)], mut row: impl FnMut(usize, usize, usize)) {
    let Some((&(n, stride), outer)) = loops.split_last() else {
        row(0, 1, 1);
        return;
    };
    let all = Assignments::rows(outer.iter().map(|&(n, _)| n));
    let changes = all.offset_changes(outer.iter().map(|&(_, stride)| stride));
    let (mut digits, mut at) = (vec![0; outer.len()], 0usize);
    loop {
        row(at, n, stride);
        let Some(raised) = all.advance(&mut digits) else {
            return;
        };
        at = at.wrapping_add(changes[raised]);
    }
}
