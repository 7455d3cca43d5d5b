//! Blocks: many worlds (samples) that are evaluated together, one random variable after another.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use figrs_core::Limits;
use figrs_core::element::footprint::ALLOCATION;
use figrs_core::element::node::AnyElement;
use figrs_core::error::ModelError;
use figrs_core::model::Model;
use figrs_core::model::evidence::Evidence;
use figrs_core::value::datum::Datum;
use rustc_hash::FxHashMap;

use super::block_memory::{BlockMemory, MemoryGrant, Pool};
use super::branch_memo::{Branch, Branches, FunctionMemo};
use super::column::{Column, ColumnSlot, DictionaryId, StoredColumn};
use super::dictionary::{CodeBuffers, Dictionaries};
use super::draw::{AtomicSampler, PooledSampler};
use super::groups::CombinationNumbering;
use super::selection::Selection;
use super::store::Lineage;
use super::weights::BlockWeights;
use crate::Observations;
use crate::numbering::{EvidenceOrder, Numbered, Numbering};

/// Maximum size of the caches that a block of worlds keeps for the next worlds, counted in random variables, combinations of parent values, and
/// values.
pub(super) const MAX_CACHED: usize = 1 << 18;
/// Maximum number of cached items for each random variable that every world evaluates; a total of [`MAX_CACHED`] items is always allowed.
const MAX_CACHED_PER_ELEMENT: usize = 1 << 6;

/// A block of worlds (complete assignments of values to the elements of a model) that are evaluated together.
///
/// Each row of the block is one world, and every element has a column with its values in the worlds. For a `Chain`, the worlds are grouped by the
/// values of the `Chain`'s parents, and each branch (result of the `Chain`) is evaluated only for the worlds that take it. Worlds that contradict the
/// evidence are dropped from the block at once. In the columns, truth values are stored as bits, and variables with few possible values as dictionary
/// codes. Values of any other kind are stored in a typed list, to which functions are applied without boxing.
///
/// The random values of a block of worlds depend only on the random number generator, and not on earlier runs of the block.
pub struct Block {
    pub(super) instructions: Vec<ColumnInstruction>,
    pub(super) values: Vec<Option<StoredColumn>>,
    pub(super) touched: Vec<ColumnSlot>,
    pub(super) dictionaries: Dictionaries,
    pub(super) weights: BlockWeights,
    pub(super) width: usize,
    pub(super) observations: Observations,
    pub(super) limit: Limits,
    pub(super) bytes: BlockMemory,
    pub(super) grant: MemoryGrant,
    /// Number of evaluated random variables at which the limit on the number of variables is checked next.
    pub(super) check_at: usize,
    pub(super) lineage: Lineage,
    /// Number of items that were added to the caches since the caches were last cleared.
    pub(super) remembered: usize,
    pub(super) functions: FunctionMemo,
    /// For each world, the number of random variables that were evaluated in this world alone, and therefore have no column.
    pub(super) singles: Vec<u32>,
    pub(super) buffers: CodeBuffers,
    numbering: Numbering,
    /// The indices of the variables with evidence, one for each statement of evidence, followed by the indices of the targets.
    roots: Vec<ColumnSlot>,
    targets: usize,
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Block")
            .field("instructions", &self.instructions.len())
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}

impl Block {
    /// Creates a block without worlds, with indices for the random variables that every world of `model` evaluates.
    ///
    /// A run of the block returns an error if a world exceeds `limit` (a number of random variables or [`Limits`]).
    pub fn new(
        model: &Model,
        targets: &[AnyElement],
        observations: Observations,
        order: EvidenceOrder,
        limit: impl Into<Limits>,
    ) -> Result<Self, ModelError> {
        let model = &*match observations {
            Observations::Weigh => model.pooled(),
            Observations::Compare => Cow::Borrowed(model),
        };
        let limit = limit.into();
        let (elements, bytes) = (limit.elements, limit.expansion_memory);
        let mut block = Self {
            instructions: Vec::new(),
            values: Vec::new(),
            touched: Vec::new(),
            dictionaries: Dictionaries::default(),
            weights: BlockWeights::new(0),
            width: 0,
            observations,
            limit,
            bytes: BlockMemory::default(),
            grant: MemoryGrant::all(bytes),
            check_at: elements,
            lineage: Lineage::default(),
            remembered: 0,
            functions: FunctionMemo::default(),
            singles: Vec::new(),
            buffers: CodeBuffers::default(),
            numbering: Numbering::new(model),
            roots: Vec::new(),
            targets: targets.len(),
        };
        let (stated, targets) = block.reach(model, order, targets, elements)?;
        block.roots = stated.into_iter().chain(targets).map(ColumnSlot).collect();
        if observations == Observations::Weigh {
            block.pass_observations_back();
        }
        Ok(block)
    }

    pub(super) fn slot(&mut self, element: &AnyElement) -> ColumnSlot {
        ColumnSlot(self.record(element))
    }

    pub(super) fn known_slot(&self, element: &AnyElement) -> Option<ColumnSlot> {
        self.numbering.number(element).map(ColumnSlot)
    }

    pub(super) fn is_in_every_world(&self, slot: ColumnSlot) -> bool {
        slot.index() < self.numbering.permanent()
    }

    pub(super) fn elements_in_every_world(&self) -> usize {
        self.numbering.permanent()
    }

    pub(super) fn intervention(&self, element: &AnyElement) -> Option<Datum> {
        self.numbering.statements.intervention(element).cloned()
    }

    #[inline]
    pub(super) fn policy(&self, element: &AnyElement) -> Option<&AnyElement> {
        self.numbering.statements.policy(element)
    }

    pub(super) fn is_policy(&self, element: &AnyElement) -> bool {
        self.numbering.statements.is_policy(element)
    }

    pub(super) fn parent_slots(&mut self, slot: ColumnSlot) -> Rc<[ColumnSlot]> {
        self.record_parents(slot.0);
        let parents = self.instructions[slot.index()].parents.clone();
        parents.unwrap_or_default()
    }

    /// Starts a block of `width` worlds: clears the values of the previous worlds, and clears caches that have become too large.
    pub fn start(&mut self, width: usize) {
        for slot in self.touched.drain(..) {
            if let Some(stored) = self.values[slot.index()].take()
                && let Column::Codes(codes, _) = stored.column
            {
                self.buffers.retire(codes);
            }
        }
        self.lineage.clear();
        self.singles.clear();
        self.weights = BlockWeights::new(width);
        self.width = width;
        self.check_at = self.limit.elements;
        let most = MAX_CACHED_PER_ELEMENT
            .saturating_mul(self.elements_in_every_world())
            .clamp(MAX_CACHED, MAX_CACHED << 4);
        if self.instructions.len() > self.elements_in_every_world() + MAX_CACHED
            || self.remembered > most
            || self.grant.is_full(self.kept_bytes())
        {
            self.clear_caches();
        }
        let kept = self.kept_bytes();
        self.bytes.start(kept);
        self.grant.shrink_to(kept);
    }

    /// True if the caches of the block contain random variables or values of earlier worlds.
    pub fn has_cached_worlds(&self) -> bool {
        self.bytes.made_bytes() > 0
            || self.remembered > 0
            || self.instructions.len() > self.elements_in_every_world()
    }

    pub(super) fn clear_everything(&mut self) {
        self.start(0);
        self.clear_caches();
        self.grant.shrink_to(0);
        self.buffers.clear();
    }

    fn clear_caches(&mut self) {
        self.remembered = 0;
        self.instructions.truncate(self.numbering.permanent());
        self.values.truncate(self.numbering.permanent());
        self.numbering.keep_permanent();
        self.dictionaries.clear();
        self.functions = FunctionMemo::default();
        for instruction in &mut self.instructions {
            instruction.memo = CombinationMemo::default();
            instruction.prepared = None;
            instruction.dictionary = None;
            instruction.options = None;
        }
    }

    /// Returns the number of roots of the block: the statements of evidence, followed by the targets.
    pub fn roots(&self) -> usize {
        self.roots.len()
    }

    /// Returns the number of statements of evidence, which come first among the roots (statements and targets).
    pub fn statements(&self) -> usize {
        self.roots.len() - self.targets
    }

    pub(super) fn target_slot(&self, target: usize) -> ColumnSlot {
        self.roots[self.statements() + target]
    }

    pub(super) fn root(&self, root: usize) -> ColumnSlot {
        self.roots[root]
    }

    /// Returns the number of worlds (rows) of the block.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the weights of the worlds, given the evidence that has been evaluated so far.
    pub fn weights(&self) -> &BlockWeights {
        &self.weights
    }

    /// Keeps only the worlds with the fewest density factors in their likelihoods, and returns this number of factors.
    pub fn keep_fewest_densities(&mut self) -> u32 {
        self.weights.fewest_densities()
    }

    /// Keeps only the worlds `rows` (in ascending order), which must have survived the evidence so far, and sets their weights to one.
    pub fn keep_with_unit_weights(&mut self, rows: Vec<u32>) {
        let densities = self.weights.common_densities();
        self.weights = BlockWeights::of(Selection::from_rows(rows, self.width), densities);
    }

    /// Returns the number of stored values, over all random variables and worlds.
    pub fn cells(&self) -> usize {
        let stored = self
            .touched
            .iter()
            .filter_map(|slot| self.values[slot.index()].as_ref());
        stored.map(|stored| stored.rows.len()).sum()
    }

    /// Makes the block request its memory from the pool `pool` after this call.
    pub fn share(&mut self, pool: &Arc<Pool>) {
        self.grant = MemoryGrant::of(pool);
    }

    /// Clears the values of the last run of the block, and clears caches that have become too large.
    pub fn end_run(&mut self) {
        self.start(0);
    }

    /// Calls the function `work`, during which the block may use the whole memory limit, even if other blocks have taken memory from the pool. The
    /// block is cleared before and after `work`.
    pub fn with_whole_memory<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        self.clear_everything();
        let shared = std::mem::replace(
            &mut self.grant,
            MemoryGrant::all(self.limit.expansion_memory),
        );
        let result = work(self);
        self.clear_everything();
        self.grant = shared;
        result
    }
}

impl Numbered for Block {
    fn numbering(&mut self) -> &mut Numbering {
        &mut self.numbering
    }

    fn records(&self) -> usize {
        self.instructions.len()
    }

    fn record(&mut self, element: &AnyElement) -> u32 {
        if let Some(number) = self.numbering.number(element) {
            return number;
        }
        if let Some(policy) = self.numbering.statements.policy(element).cloned() {
            return self.record(&policy);
        }
        let number = self.instructions.len() as u32;
        self.numbering.assign(element, number);
        self.values.push(None);
        self.instructions.push(ColumnInstruction {
            element: element.clone(),
            parents: None,
            evidence: self.numbering.statements.evidence(element),
            fixed: self.intervention(element),
            implied: Vec::new(),
            is_bool: element.no_values().insert(&true).is_some(),
            checked: false,
            prepared: None,
            dictionary: None,
            options: None,
            memo: CombinationMemo::default(),
        });
        number
    }

    fn record_parents(&mut self, number: u32) {
        let instruction = &self.instructions[number as usize];
        if instruction.parents.is_some() {
            return;
        }
        let element = instruction.element.clone();
        let parents = match instruction.fixed {
            Some(_) => &[],
            None => element.parents(),
        };
        let parents = parents.iter().map(|parent| self.slot(parent)).collect();
        self.instructions[number as usize].parents = Some(parents);
    }

    fn element(&self, number: u32) -> &AnyElement {
        &self.instructions[number as usize].element
    }

    fn parents(&self, number: u32) -> Vec<u32> {
        let parents = self.instructions[number as usize].parents.iter();
        parents
            .flat_map(|all| all.iter())
            .map(|slot| slot.0)
            .collect()
    }

    fn evidence(&self, number: u32) -> &[Evidence] {
        &self.instructions[number as usize].evidence
    }

    fn imply(&mut self, number: u32, value: &Datum) -> bool {
        let instruction = &mut self.instructions[number as usize];
        let is_new = instruction.fixed.is_none() && !instruction.implied.contains(value);
        if is_new {
            instruction.implied.push(value.clone());
        }
        is_new
    }
}

pub(super) struct ColumnInstruction {
    pub(super) element: AnyElement,
    pub(super) parents: Option<Rc<[ColumnSlot]>>,
    pub(super) evidence: Arc<[Evidence]>,
    pub(super) fixed: Option<Datum>,
    /// The values of the random variable that the observations imply.
    pub(super) implied: Vec<Datum>,
    pub(super) is_bool: bool,
    pub(super) checked: bool,
    pub(super) prepared: Option<Rc<AtomicSampler>>,
    pub(super) dictionary: Option<DictionaryId>,
    /// The dictionary of the possible results of the variable's function, if these results are listed.
    pub(super) options: Option<DictionaryId>,
    pub(super) memo: CombinationMemo,
}

/// Cached results of a random variable's function, by the combination of the parents' values.
#[derive(Default)]
pub(super) struct CombinationMemo {
    /// For each parent, the dictionary to which its codes belonged when the results were cached.
    pub(super) dictionaries: Vec<Option<DictionaryId>>,
    /// For each parent whose column does not consist of codes, the dictionary that assigns codes to its values.
    pub(super) encoders: Vec<Option<DictionaryId>>,
    pub(super) combinations: CombinationNumbering,
    /// For a deterministic function (`Apply`), the code of the result for each combination of parent values.
    pub(super) results: Vec<u32>,
    pub(super) branches: Branches,
    /// `true` if the function of the `Chain` returned an element that is not atomic for some branch.
    pub(super) branches_out: bool,
    /// For each other dictionary, the table from its codes to codes of the variable's own dictionary.
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
