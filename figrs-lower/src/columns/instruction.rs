//! The record of an element in a block, with the element's caches.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::branch_memo::{Branch, Branches};
use super::column::{ColumnSlot, DictionaryId};
use super::combinations::CombinationNumbering;
use super::draw::{AtomicSampler, PooledSampler};
use figrs_core::element::footprint::ALLOCATION;
use figrs_core::element::node::AnyElement;
use figrs_core::model::evidence::Evidence;
use figrs_core::value::datum::Datum;

pub(super) struct ColumnInstruction {
    pub(super) element: AnyElement,
    pub(super) parents: Option<Rc<[ColumnSlot]>>,
    pub(super) evidence: Arc<[Evidence]>,
    pub(super) fixed: Option<Datum>,
    /// The values of the element that the observations imply.
    pub(super) implied: Vec<Datum>,
    pub(super) is_bool: bool,
    pub(super) checked: bool,
    pub(super) prepared: Option<Rc<AtomicSampler>>,
    pub(super) dictionary: Option<DictionaryId>,
    pub(super) memo: CombinationMemo,
}

/// Cached results of an element's function, by the combination of its parents' values.
#[derive(Default)]
pub(super) struct CombinationMemo {
    /// For each parent, the dictionary of its codes when the results were cached.
    pub(super) dictionaries: Vec<Option<DictionaryId>>,
    /// For each parent whose column does not consist of codes, the dictionary of its values.
    pub(super) encoders: Vec<Option<DictionaryId>>,
    pub(super) combinations: CombinationNumbering,
    /// For a deterministic function (Apply), the code of the result for each combination of parent values.
    pub(super) results: Vec<u32>,
    pub(super) branches: Branches,
    /// `true` if the element of some branch was not atomic.
    pub(super) branches_out: bool,
    /// For each other dictionary, the table from its codes to codes of the element's own dictionary.
    pub(super) translations: FxHashMap<DictionaryId, Rc<Vec<u32>>>,
}

impl ColumnInstruction {
    pub(super) fn bytes(&self) -> usize {
        let parents = self.parents.as_ref().map_or(0, |all| size_of_val(&**all));
        let prepared = self
            .prepared
            .as_ref()
            .map_or(0, |one| AtomicSampler::bytes(one));
        parents + prepared + self.memo.bytes() + ALLOCATION
    }
}

impl CombinationMemo {
    fn bytes(&self) -> usize {
        let lists = (self.dictionaries.capacity() + self.encoders.capacity()) * size_of::<u64>();
        let branches = self.branches.capacity() * size_of::<Option<Branch>>();
        let drawn = self.branches.iter().flatten();
        let drawn: usize = drawn
            .filter_map(Branch::sampler)
            .map(PooledSampler::bytes)
            .sum();
        let translations = self.translations.values();
        let translations: usize = translations.map(|table| size_of_val(&***table)).sum();
        let results = size_of_val(&*self.results);
        lists + branches + drawn + translations + results + self.combinations.bytes()
    }
}
