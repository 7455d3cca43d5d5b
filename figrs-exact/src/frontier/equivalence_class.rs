//! Equivalence classes of elements: elements of one class have equal values and weights for equal inputs.

use std::hash::{Hash, Hasher};

use figrs_core::internals::{AtomicOp, Kind, TableOp};
use figrs_core::{Datum, ElementId, FunctionId, StatementId, Support};
use rustc_hash::FxHashMap;

use super::dictionary::ValueDictionaries;
use super::element_order::{ElementOrder, OrderedElement};

/// The rule by which the value or the distribution of an element follows from the elements that it reads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ElementRule {
    Fixed(Datum),
    Outcomes(Vec<(Datum, u64)>),
    Apply(FunctionId),
    Chain(FunctionId),
    Table(TableIdentity),
    Score(StatementId),
    /// No element is known to have the same rule as the element with this index.
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

/// Key of an equivalence class: the rule of an element, its evidence, its types of values, its branches that exist outside, and a mark if a `Score`
/// may weigh it.
type ClassSignature = (
    ElementRule,
    Vec<StatementId>,
    Vec<usize>,
    Vec<ElementId>,
    bool,
);

/// The equivalence class of each element. Elements of one class that read equal values have the same results with the same weights.
#[derive(Debug, Default)]
pub(super) struct Classes {
    pub(super) of: Vec<usize>,
    /// For each class, `true` if other elements may belong to it.
    pub(super) shared: Vec<bool>,
    known: FxHashMap<ClassSignature, usize>,
}

impl Classes {
    /// Finds the class of an element that is new, or whose class may have changed.
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
