//! Equivalence classes of elements: elements of one class have equal values and weights for equal inputs. The memo table of an equivalence class
//! stores the results for inputs that occurred before.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHashMap;

use super::dictionary::ValueDictionaries;
use super::element_order::{ElementOrder, OrderedElement};
use super::growth::table;
use figrs_core::internals::{AtomicOp, Kind, TableOp};
use figrs_core::{Datum, ElementId, FunctionId, StatementId, Support};

/// The rule by which the value or the distribution of an element follows from the elements that it reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ElementRule {
    Fixed(Datum),
    Outcomes(Vec<(Datum, u64)>),
    Apply(FunctionId),
    Chain(FunctionId),
    Table(TableIdentity),
    Score(StatementId),
    /// No other element is known to follow the same rule as the element with this index.
    Unique(usize),
}

/// The identity of a table of numbers: its address in memory.
#[derive(Clone, Debug)]
struct TableIdentity {
    address: usize,
    values: Support,
    states: Vec<Support>,
}

impl Hash for TableIdentity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address.hash(state);
    }
}

impl PartialEq for TableIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.address == other.address && self.values == other.values && self.states == other.states
    }
}

impl Eq for TableIdentity {}

/// Key of an equivalence class of elements: the rule of an element, its evidence, its types of values, its branches that exist outside the `Chain`,
/// and a mark if a `Score` may weigh the element.
type ClassSignature = (
    ElementRule,
    Vec<StatementId>,
    Vec<usize>,
    Vec<ElementId>,
    bool,
);

/// The equivalence class of each element of the model. Elements of one equivalence class that read equal values have the same results with the same
/// weights.
#[derive(Debug, Default)]
pub(super) struct Classes {
    pub(super) of: Vec<usize>,
    /// For each equivalence class, `true` if more than one element may belong to the equivalence class.
    pub(super) shared: Vec<bool>,
    known: FxHashMap<ClassSignature, usize>,
}

impl Classes {
    /// Finds the equivalence class of an element that is new, or whose class may have changed.
    pub(super) fn classify(
        &mut self,
        linear: &ElementOrder,
        place: usize,
        codes: &mut ValueDictionaries,
    ) {
        let slot = &linear.slots[place];
        let statements: Option<Vec<StatementId>> = slot
            .evidence
            .iter()
            .map(figrs_core::Evidence::identity)
            .collect();
        let (rule, statements) = match statements {
            Some(statements) => (element_rule(slot, place), statements),
            None => (ElementRule::Unique(place), Vec::new()),
        };
        let alone = matches!(rule, ElementRule::Unique(_));
        let read = |&read: &usize| &linear.slots[read].element;
        let mut types: Vec<usize> = (slot.reads.iter())
            .map(|place| codes.type_of(read(place)))
            .collect();
        types.push(codes.type_of(&slot.element));
        let captured = slot.reads[slot.parents()..].iter();
        let captured = captured.map(|place| read(place).id()).collect();
        let signature = (rule, statements, types, captured, slot.optional);
        let class = *self.known.entry(signature).or_insert_with(|| {
            self.shared.push(!alone);
            self.shared.len() - 1
        });
        match self.of.get_mut(place) {
            Some(of) => *of = class,
            None => self.of.push(class),
        }
    }
}

fn element_rule(slot: &OrderedElement, place: usize) -> ElementRule {
    let alone = ElementRule::Unique(place);
    if let Some(value) = &slot.fixed {
        return ElementRule::Fixed(value.clone());
    }
    match slot.element.kind() {
        Kind::Atomic(op) => outcomes(&**op).map_or(alone, ElementRule::Outcomes),
        Kind::Apply(_, op) => op.identity().map_or(alone, ElementRule::Apply),
        Kind::Chain(_, op) => op.identity().map_or(alone, ElementRule::Chain),
        Kind::Table(_, op) => ElementRule::Table(table_identity(&**op)),
        Kind::Score(_, evidence) => evidence.identity().map_or(alone, ElementRule::Score),
    }
}

fn outcomes(op: &dyn AtomicOp) -> Option<Vec<(Datum, u64)>> {
    op.check().ok()?;
    let finite = op.outcomes().ok()?.ok()?;
    let outcome = |(i, p): (usize, &f64)| (finite.support.datum(i), p.to_bits());
    Some(
        finite
            .probabilities
            .iter()
            .enumerate()
            .map(outcome)
            .collect(),
    )
}

fn table_identity(op: &dyn TableOp) -> TableIdentity {
    TableIdentity {
        address: op.weights().linear().as_ptr().addr(),
        values: op.values().clone(),
        states: op.states().to_vec(),
    }
}

/// Overhead of the allocator in bytes for each allocation.
const ALLOCATION: usize = 16;

/// Number of dictionary codes that are packed into one machine word of a key.
const CODES_PER_KEY: usize = (u128::BITS / u32::BITS) as usize;

/// The memo table of one equivalence class of elements; the key of a result consists of the codes of the values that an element reads.
#[derive(Debug)]
enum MemoTable<R> {
    Few(FxHashMap<u128, R>),
    Lists(FxHashMap<Box<[u32]>, R>),
}

/// Memo table of a class of equivalent elements; the table is dropped if lookups rarely find a result.
#[derive(Debug)]
pub(super) struct ClassMemo<R> {
    known: Option<MemoTable<R>>,
    /// `true` if later elements of the sweep may use the memo table.
    shared: bool,
    asked: u32,
    found: u32,
    pub(super) bytes: usize,
}

impl<R: Clone> ClassMemo<R> {
    /// Number of lookups after which a memo table is dropped, unless at least one lookup in `MIN_HIT_DIVISOR` found a result.
    const TRIAL: u32 = 1 << 10;
    const MIN_HIT_DIVISOR: u32 = 8;

    pub(super) fn new(reads: usize, shared: bool) -> Self {
        Self {
            known: Some(if reads <= CODES_PER_KEY {
                MemoTable::Few(FxHashMap::default())
            } else {
                MemoTable::Lists(FxHashMap::default())
            }),
            shared,
            asked: 0,
            found: 0,
            bytes: 0,
        }
    }

    #[inline]
    pub(super) fn get(&mut self, reads: &[u32]) -> Option<R> {
        let found = match self.known.as_ref()? {
            MemoTable::Few(known) => known.get(&packed(reads)).cloned(),
            MemoTable::Lists(known) => known.get(reads).cloned(),
        };
        if !self.shared && self.asked < Self::TRIAL {
            self.asked += 1;
            self.found += u32::from(found.is_some());
            if self.asked == Self::TRIAL && self.found < Self::TRIAL / Self::MIN_HIT_DIVISOR {
                self.known = None;
            }
        }
        found
    }

    /// Stores a result. Returns the growth of the memo table in bytes since the last insertion; the size of the table includes room for `more`
    /// further results.
    pub(super) fn insert(&mut self, reads: &[u32], result: R, more: usize) -> isize {
        match &mut self.known {
            Some(MemoTable::Few(known)) => {
                known.insert(packed(reads), result);
            }
            Some(MemoTable::Lists(known)) => {
                known.insert(reads.into(), result);
            }
            None => {}
        }
        let before = self.bytes;
        self.bytes = match &self.known {
            Some(MemoTable::Few(known)) => {
                let each = size_of::<(u128, R)>();
                table(each, (known.len(), known.capacity()), more)
            }
            Some(MemoTable::Lists(known)) => {
                let each = size_of::<(Box<[u32]>, R)>();
                let lists = known.len() * (size_of_val(reads) + ALLOCATION);
                table(each, (known.len(), known.capacity()), more) + lists
            }
            None => 0,
        };
        self.bytes.cast_signed() - before.cast_signed()
    }
}

fn packed(reads: &[u32]) -> u128 {
    let packed = |packed, &code| packed << u32::BITS | u128::from(code);
    reads.iter().fold(0, packed)
}
