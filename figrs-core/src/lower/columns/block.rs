//! Blocks: a model lowered to columns, in which many worlds are run side by side, each element for all of them at once.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::block_memory::BlockMemory;
use super::branch::Branches;
use super::classes::codes;
use super::column::{Column, DictionaryId, StoredColumn};
use super::combinations::CombinationNumbering;
use super::dictionary::Dictionary;
use super::draw::AtomicSampler;
use super::function_memo::FunctionMemo;
use super::memory_pool::MemoryGrant;
use super::selection::{Selection, first_row};
use super::weights::BlockWeights;
use crate::element::node::{AnyElement, ElementId, Kind};
use crate::error::ModelError;
use crate::lower::Observations;
use crate::lower::limit::WorldLimit;
use crate::model::Model;
use crate::model::evidence::Evidence;
use crate::value::column::AnyColumn;
use crate::value::datum::Datum;

/// Maximum number of elements, combinations and values added by worlds that are kept from block to block.
pub(super) const MAX_CACHED: usize = 1 << 18;
/// Maximum number of them for each element that all worlds have.
const MAX_CACHED_PER_ELEMENT: usize = 1 << 6;
/// Maximum number of codes in lists whose memory is kept from block to block: freed memory may go to the system, which is
/// slow to give it again.
const MAX_RECYCLED_CODES: usize = 1 << 22;

/// The index of an element in a [`Block`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ColumnSlot(pub(super) u32);

impl ColumnSlot {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One element with its cached data.
pub(super) struct ColumnInstruction {
    pub(super) element: AnyElement,
    pub(super) parents: Option<Rc<[ColumnSlot]>>,
    pub(super) evidence: Rc<[Evidence]>,
    pub(super) fixed: Option<Datum>,
    /// Values that observations imply for the element.
    pub(super) implied: Vec<Datum>,
    /// `true` if its values are truth values.
    pub(super) is_bool: bool,
    pub(super) checked: bool,
    pub(super) prepared: Option<Rc<AtomicSampler>>,
    /// The dictionary of its values that its columns refer to.
    pub(super) book: Option<DictionaryId>,
    pub(super) memo: CombinationMemo,
}

/// Memoised results of the function of an element, by combination of its parents' values.
#[derive(Default)]
pub(super) struct CombinationMemo {
    /// The dictionaries that the parents' codes referred to.
    pub(super) books: Vec<Option<DictionaryId>>,
    /// The dictionaries made here for parents whose columns have no codes.
    pub(super) encoders: Vec<Option<DictionaryId>>,
    pub(super) combinations: CombinationNumbering,
    /// For an Apply the code of the result of each combination.
    pub(super) results: Vec<u32>,
    /// For a Chain the branch of each combination.
    pub(super) branches: Branches,
    /// `true` if some led to an element that is not atomic.
    pub(super) branches_out: bool,
    /// For dictionaries that columns were translated from, the codes in the dictionary of this slot.
    pub(super) translations: FxHashMap<DictionaryId, Rc<Vec<u32>>>,
}

/// The order in which the statements of evidence are met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Roots {
    /// Observations first: elements that they determine need not be drawn.
    ObservationsFirst,
    /// As the model states them.
    AsStated,
}

/// Worlds of a model, many at a time.
///
/// Every element has a column with its value in each row, and a row is a world. A Chain partitions the rows by its parents'
/// values and evaluates each branch for its rows only; rows that contradict the evidence are dropped at once. Truth values
/// are bits, values from short lists are dictionary-encoded, all others are lists of their own type, on which the functions
/// of elements are called row after row without boxing.
///
/// Draws of a block depend on the random numbers it is given and on nothing that other blocks did.
pub struct Block {
    pub(super) instructions: Vec<ColumnInstruction>,
    pub(super) values: Vec<Option<StoredColumn>>,
    pub(super) touched: Vec<ColumnSlot>,
    pub(super) books: Vec<Dictionary>,
    pub(super) weights: BlockWeights,
    pub(super) width: usize,
    pub(super) observations: Observations,
    pub(super) limit: WorldLimit,
    pub(super) bytes: BlockMemory,
    pub(super) grant: MemoryGrant,
    /// Number of touched slots at the next check of the limit.
    pub(super) check_at: usize,
    /// Ancestor indices: for each resampling, the row that each row continued.
    pub(super) ancestors: Vec<Rc<[u32]>>,
    /// Lineage: for each time, the row then that each present row continues, as far as it has been asked for.
    pub(super) lineage: Vec<Option<Rc<[u32]>>>,
    /// The first time that has been asked for.
    pub(super) traced: usize,
    /// Combinations cached since the caches were last cleared.
    pub(super) remembered: usize,
    pub(super) functions: FunctionMemo,
    /// For each row the elements evaluated outside of columns.
    pub(super) singles: Vec<u32>,
    /// Lists of the last block whose memory can be reused.
    spare: VecDeque<Vec<u32>>,
    /// Total capacity of these lists, in codes.
    room: usize,
    slots: FxHashMap<ElementId, ColumnSlot>,
    evidence: FxHashMap<ElementId, Rc<[Evidence]>>,
    interventions: FxHashMap<ElementId, (AnyElement, Datum)>,
    roots: Vec<ColumnSlot>,
    targets: Vec<ColumnSlot>,
    lasting: usize,
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
    /// Numbers the elements that the targets and the evidence of `model` reach in every world.
    ///
    /// A world over the limit, a number of elements or a [`WorldLimit`], is an error.
    pub fn new(
        model: &Model,
        targets: &[AnyElement],
        observations: Observations,
        order: Roots,
        limit: impl Into<WorldLimit>,
    ) -> Result<Self, ModelError> {
        let model = &*match observations {
            Observations::Weigh => model.pooled(),
            Observations::Compare => Cow::Borrowed(model),
        };
        let limit = limit.into();
        let mut statements = FxHashMap::<ElementId, Vec<Evidence>>::default();
        for (element, statement) in model.evidence() {
            statements
                .entry(element.id())
                .or_default()
                .push(statement.clone());
        }
        let interventions = model.interventions().iter();
        let mut block = Self {
            instructions: Vec::new(),
            values: Vec::new(),
            touched: Vec::new(),
            books: Vec::new(),
            weights: BlockWeights::new(0),
            width: 0,
            observations,
            limit,
            bytes: BlockMemory::default(),
            grant: MemoryGrant::all(limit.bytes),
            check_at: limit.elements,
            ancestors: Vec::new(),
            lineage: Vec::new(),
            traced: 0,
            remembered: 0,
            functions: FunctionMemo::default(),
            singles: Vec::new(),
            spare: VecDeque::new(),
            room: 0,
            slots: FxHashMap::default(),
            evidence: statements
                .into_iter()
                .map(|(id, all)| (id, all.into()))
                .collect(),
            interventions: interventions
                .map(|(e, v)| (e.id(), (e.clone(), v.clone())))
                .collect(),
            roots: Vec::new(),
            targets: Vec::new(),
            lasting: 0,
        };
        let statements = model.evidence();
        let first = |e: &&(AnyElement, Evidence)| match order {
            Roots::ObservationsFirst => e.1.observed().is_some(),
            Roots::AsStated => true,
        };
        let others = statements.iter().filter(|e| !first(e));
        for (element, _) in statements.iter().filter(first).chain(others) {
            let slot = block.slot(element);
            block.roots.push(slot);
        }
        for target in targets {
            let slot = block.slot(target);
            block.roots.push(slot);
            block.targets.push(slot);
        }
        let mut next = 0;
        while next < block.instructions.len() {
            if next >= limit.elements {
                return Err(block.too_many(ColumnSlot(next as u32)));
            }
            block.link(ColumnSlot(next as u32));
            next += 1;
        }
        block.lasting = block.instructions.len();
        if observations == Observations::Weigh {
            block.imply();
        }
        Ok(block)
    }

    pub(super) fn too_many(&self, slot: ColumnSlot) -> ModelError {
        ModelError::TooManyElements {
            element: self.instructions[slot.index()].element.label(),
            limit: self.limit.elements,
        }
    }

    /// Backward propagation of observations: elements whose values they imply are set and not drawn, whichever root comes
    /// first.
    fn imply(&mut self) {
        let mut demands: Vec<(ColumnSlot, Datum)> = Vec::new();
        for (i, instruction) in self.instructions.iter().enumerate() {
            let slot = ColumnSlot(i as u32);
            let score = match instruction.element.kind() {
                Kind::Score(_, evidence) => evidence.observed(),
                _ => None,
            };
            let observed = instruction.evidence.iter().filter_map(Evidence::observed);
            demands.extend(observed.chain(score).map(|value| (slot, value.clone())));
        }
        while let Some((slot, value)) = demands.pop() {
            let instruction = &mut self.instructions[slot.index()];
            if instruction.fixed.is_some() || instruction.implied.contains(&value) {
                continue;
            }
            let passed = match instruction.element.kind() {
                Kind::Apply(_, op) => op.demand(&value).unwrap_or_default(),
                Kind::Score(..) => vec![Some(value.clone())],
                Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..) => Vec::new(),
            };
            instruction.implied.push(value);
            let parents = instruction.parents.as_deref().unwrap_or_default();
            let passed = parents.iter().zip(passed);
            demands.extend(passed.filter_map(|(&parent, value)| Some((parent, value?))));
        }
    }

    /// The slot of an element; a new element is added to the program.
    pub(super) fn slot(&mut self, element: &AnyElement) -> ColumnSlot {
        let id = element.id();
        if let Some(&slot) = self.slots.get(&id) {
            return slot;
        }
        let slot = ColumnSlot(self.instructions.len() as u32);
        self.slots.insert(id, slot);
        self.values.push(None);
        self.instructions.push(ColumnInstruction {
            element: element.clone(),
            parents: None,
            evidence: self.evidence.get(&id).cloned().unwrap_or_default(),
            fixed: self.interventions.get(&id).map(|(_, value)| value.clone()),
            implied: Vec::new(),
            is_bool: element.no_values().insert(&true).is_some(),
            checked: false,
            prepared: None,
            book: None,
            memo: CombinationMemo::default(),
        });
        slot
    }

    /// The slot of an element, if it has one.
    pub(super) fn known_slot(&self, element: &AnyElement) -> Option<ColumnSlot> {
        self.slots.get(&element.id()).copied()
    }

    /// True if every world has the element of a slot.
    pub(super) fn is_lasting(&self, slot: ColumnSlot) -> bool {
        slot.index() < self.lasting
    }

    /// Number of elements that every world has.
    pub(super) fn lasting_elements(&self) -> usize {
        self.lasting
    }

    /// The value that an intervention gives an element.
    pub(super) fn intervention(&self, element: &AnyElement) -> Option<Datum> {
        let (_, value) = self.interventions.get(&element.id())?;
        Some(value.clone())
    }

    /// Assigns slots to the parents of a slot.
    pub(super) fn link(&mut self, slot: ColumnSlot) -> Rc<[ColumnSlot]> {
        if let Some(parents) = &self.instructions[slot.index()].parents {
            return parents.clone();
        }
        let instruction = &self.instructions[slot.index()];
        let element = instruction.element.clone();
        let fixed = instruction.fixed.is_some();
        let parents: &[AnyElement] = if fixed { &[] } else { element.parents() };
        let slots: Rc<[ColumnSlot]> = parents.iter().map(|parent| self.slot(parent)).collect();
        self.instructions[slot.index()].parents = Some(slots.clone());
        slots
    }

    /// Starts a block of `width` rows: clears the values of the last one, and the caches filled by worlds if they have
    /// become too large.
    pub fn start(&mut self, width: usize) {
        for slot in self.touched.drain(..) {
            if let Some(stored) = self.values[slot.index()].take()
                && let Column::Codes(codes, _) = stored.column
                && let Ok(codes) = Rc::try_unwrap(codes)
                && self.room + codes.capacity() <= MAX_RECYCLED_CODES
            {
                self.room += codes.capacity();
                self.spare.push_back(codes);
            }
        }
        self.ancestors.clear();
        self.singles.clear();
        self.lineage.clear();
        self.traced = 0;
        self.weights = BlockWeights::new(width);
        self.width = width;
        self.check_at = self.limit.elements;
        let most = MAX_CACHED_PER_ELEMENT
            .saturating_mul(self.lasting)
            .clamp(MAX_CACHED, MAX_CACHED << 4);
        if self.instructions.len() > self.lasting + MAX_CACHED
            || self.remembered > most
            || self.grant.is_full(self.kept_bytes())
        {
            self.forget();
        }
        let kept = self.kept_bytes();
        self.bytes.start(kept);
        self.grant.keep(kept);
    }

    /// True if elements or values added by worlds are cached.
    pub fn remembers(&self) -> bool {
        self.bytes.made() > 0 || self.remembered > 0 || self.instructions.len() > self.lasting
    }

    /// Clears the values of the last block and all caches filled by worlds.
    pub(super) fn forget_all(&mut self) {
        self.start(0);
        self.forget();
        self.grant.keep(0);
        self.spare.clear();
        self.room = 0;
    }

    /// Clears the caches filled by worlds.
    fn forget(&mut self) {
        self.remembered = 0;
        self.instructions.truncate(self.lasting);
        self.values.truncate(self.lasting);
        let lasting = self.lasting as u32;
        self.slots.retain(|_, slot| slot.0 < lasting);
        self.books.clear();
        self.functions = FunctionMemo::default();
        for instruction in &mut self.instructions {
            instruction.memo = CombinationMemo::default();
            instruction.prepared = None;
            instruction.book = None;
        }
    }

    /// An empty list with room for so many codes.
    pub(super) fn list(&mut self, len: usize) -> Vec<u32> {
        let mut list = self.spare.pop_front().unwrap_or_default();
        self.room -= list.capacity();
        list.clear();
        list.reserve(len);
        list
    }

    /// Recycles the memory of a list that is no longer needed.
    pub(super) fn give_back(&mut self, list: Vec<u32>) {
        if self.room + list.capacity() <= MAX_RECYCLED_CODES {
            self.room += list.capacity();
            self.spare.push_front(list);
        }
    }

    /// Number of roots: the statements of evidence in their order, then the targets.
    pub fn roots(&self) -> usize {
        self.roots.len()
    }

    /// Number of roots that carry evidence; they come first.
    pub fn statements(&self) -> usize {
        self.roots.len() - self.targets.len()
    }

    pub(super) fn target_slot(&self, target: usize) -> ColumnSlot {
        self.targets[target]
    }

    pub(super) fn root(&self, root: usize) -> ColumnSlot {
        self.roots[root]
    }

    /// Number of rows.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The weights of the rows so far.
    pub fn weights(&self) -> &BlockWeights {
        &self.weights
    }

    /// Keeps only rows with the fewest densities among their likelihoods, and returns that number.
    pub fn keep_fewest_densities(&mut self) -> u32 {
        self.weights.fewest_densities()
    }

    /// Keeps only these of the rows that are left, in ascending order, with a weight of one.
    pub fn keep_alike(&mut self, rows: Vec<u32>) {
        let densities = self.weights.common_densities();
        self.weights = BlockWeights::of(Selection::from_rows(rows, self.width), densities);
    }

    /// Number of cells: values the block holds, over all elements and rows.
    pub fn cells(&self) -> usize {
        let stored = self
            .touched
            .iter()
            .filter_map(|slot| self.values[slot.index()].as_ref());
        stored.map(|stored| stored.rows.len()).sum()
    }

    /// The values of a target in the rows that are left, once all roots have been run.
    pub fn target(&mut self, target: usize) -> TargetColumn<'_> {
        let slot = self.target_slot(target);
        self.refresh(slot);
        let rows = self.weights.alive().clone();
        let no_values = || {
            let element = &self.instructions[slot.index()].element;
            Column::Typed(Rc::from(element.no_column()))
        };
        let column = self.values[slot.index()]
            .as_ref()
            .map_or_else(no_values, |stored| stored.column.part(&stored.rows, &rows));
        let (values, book) = match column {
            Column::Bits(bits) => (TargetColumnValues::Bits(bits), None),
            Column::Codes(codes, book) => (TargetColumnValues::Codes(codes), Some(book)),
            Column::Classes(classes, book) => {
                let codes = codes(&classes, &rows);
                (TargetColumnValues::Codes(Rc::new(codes)), Some(book))
            }
            Column::Typed(values) => (TargetColumnValues::Typed(values), None),
        };
        TargetColumn {
            rows,
            values,
            book: book.map(|book| self.book(book)),
        }
    }
}

/// The values of a target in the rows that are left of a block.
#[derive(Debug)]
pub struct TargetColumn<'a> {
    rows: Selection,
    values: TargetColumnValues,
    /// The dictionary that the codes refer to.
    book: Option<&'a Dictionary>,
}

#[derive(Debug)]
enum TargetColumnValues {
    Bits(Rc<Vec<u64>>),
    Codes(Rc<Vec<u32>>),
    Typed(Rc<dyn AnyColumn>),
}

/// Representation of the values of a column.
#[derive(Debug)]
pub enum Held<'a> {
    /// Truth values: one bit for each row of the block.
    Bits(&'a [u64]),
    /// Codes: positions in a dictionary of values, in the order of the rows.
    Codes(&'a [u32]),
    /// The values, in the order of the rows.
    Typed(&'a dyn AnyColumn),
}

impl TargetColumn<'_> {
    /// The rows, in ascending order.
    pub fn rows(&self) -> &[u32] {
        self.rows.rows()
    }

    /// The first row.
    pub fn first_row(&self) -> Option<usize> {
        first_row(self.rows.mask())
    }

    /// The rows, as a mask.
    pub fn mask(&self) -> &[u64] {
        self.rows.mask()
    }

    /// The values.
    pub fn held(&self) -> Held<'_> {
        match &self.values {
            TargetColumnValues::Bits(bits) => Held::Bits(bits),
            TargetColumnValues::Codes(codes) => Held::Codes(codes),
            TargetColumnValues::Typed(values) => Held::Typed(&**values),
        }
    }

    /// Number of codes in the dictionary.
    pub fn codes(&self) -> usize {
        self.book.map_or(0, Dictionary::len)
    }

    /// The value of a code.
    pub fn value(&self, code: u32) -> Option<&dyn std::any::Any> {
        self.book.map(|values| values.any(code as usize))
    }
}
