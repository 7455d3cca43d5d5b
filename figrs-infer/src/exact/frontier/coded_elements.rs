//! Rules: elements as functions of the values they read.

use std::any::Any;
use std::ops::Range;

use figrs_core::factor::WorldWeight;
use figrs_core::internals::{Endless, FiniteOutcomes, Kind, MemberFault};
use figrs_core::{AnyElement, Datum, ElementId, Fault, ModelError};
use rustc_hash::FxHashMap;

use super::branch;
use super::dictionary::ValueDictionaries;
use super::element_order::{ElementOrder, OrderedElement};
use super::equivalence_class::Classes;
use super::exploration_limits::ExplorationError;
use super::growth::{table, vector};
use super::layer::TransitionLayer;
use super::packed_integers::PackedIntegers;
use super::weight_dictionary::WeightDictionary;

/// A value and its weight, each by its index.
pub(super) type WeightedValue = (u32, u32);

/// Bytes that the allocator adds to an allocation.
const ALLOCATION: usize = 16;

/// Number of codes that are packed into one number.
const CODES_PER_KEY: usize = (u128::BITS / u32::BITS) as usize;

/// Results by the numbers of what was read.
#[derive(Debug)]
enum MemoTable<R> {
    Few(FxHashMap<u128, R>),
    Lists(FxHashMap<Box<[u32]>, R>),
}

/// Memo of a class; nothing is kept if hardly any question repeats, as where each state is a value of its own.
#[derive(Debug)]
struct ClassMemo<R> {
    known: Option<MemoTable<R>>,
    /// `true` if elements met later may ask.
    shared: bool,
    asked: u32,
    found: u32,
    /// The bytes that it took when something was last remembered.
    bytes: usize,
}

impl<R: Clone> ClassMemo<R> {
    /// Number of questions after which it is decided whether to go on, and one in how many must have been answered.
    const TRIAL: u32 = 1 << 10;
    const WORTH: u32 = 8;

    fn new(reads: usize, shared: bool) -> Self {
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
    fn get(&mut self, reads: &[u32]) -> Option<R> {
        let found = match self.known.as_ref()? {
            MemoTable::Few(known) => known.get(&packed(reads)).cloned(),
            MemoTable::Lists(known) => known.get(reads).cloned(),
        };
        if !self.shared && self.asked < Self::TRIAL {
            self.asked += 1;
            self.found += u32::from(found.is_some());
            if self.asked == Self::TRIAL && self.found < Self::TRIAL / Self::WORTH {
                self.known = None;
            }
        }
        found
    }

    /// Remembers a result; tells by how many bytes it has grown since the last time, if there is to be memory for some more.
    fn insert(&mut self, reads: &[u32], result: R, more: usize) -> isize {
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

/// The outcomes of a random choice.
#[derive(Debug)]
struct ChoiceOutcomes {
    outcomes: Vec<(Datum, WorldWeight)>,
    /// `true` if an outcome may stand for several worlds.
    merged: bool,
    /// `true` if the likelihood of an observed Chain is a density.
    density: Option<bool>,
    /// An element that is taken for the choice's own.
    owned: Option<AnyElement>,
}

impl ChoiceOutcomes {
    /// Each a world of its own.
    fn own(outcomes: Vec<(Datum, WorldWeight)>) -> Self {
        Self {
            outcomes,
            merged: false,
            density: None,
            owned: None,
        }
    }
}

/// The elements as functions of codes, with memoised results.
#[derive(Debug)]
pub(super) struct CodedElements {
    pub(super) linear: ElementOrder,
    pub(super) classes: Classes,
    /// The type of values at each place.
    pub(super) types: Vec<usize>,
    pub(super) codes: ValueDictionaries,
    pub(super) weighing: WeightDictionary,
    /// For each class of elements with one value the values; `None` where evidence excludes it.
    values: Vec<ClassMemo<Option<WeightedValue>>>,
    /// For each class of random elements the positions of their outcomes.
    rows: Vec<ClassMemo<Range<usize>>>,
    outcomes: Vec<WeightedValue>,
    /// The bytes of all that is remembered of classes.
    remembered: usize,
    /// Number of values, results and outcomes for which there is to be memory when it is asked next.
    reserved: usize,
    /// `true` if a branch stands for several worlds.
    pub(super) merged: bool,
    /// By class of observed Chains: `true` if the likelihoods are densities.
    densities: FxHashMap<usize, bool>,
    is_passing: Vec<bool>,
    /// Atomic elements that only one Chain was found to have as branch, with that Chain: they are not met, unless another element turns
    /// out to read them.
    owners: FxHashMap<ElementId, (AnyElement, usize)>,
    /// Bytes that a world of a branch may take.
    memory: u64,
}

impl CodedElements {
    /// The elements in this order; a world of a branch may take so many bytes.
    pub(super) fn new(linear: ElementOrder, memory: u64) -> Self {
        let mut rules = Self {
            memory,
            types: Vec::with_capacity(linear.slots.len()),
            is_passing: Vec::new(),
            linear,
            codes: ValueDictionaries::default(),
            weighing: WeightDictionary::new(),
            values: Vec::new(),
            rows: Vec::new(),
            outcomes: Vec::new(),
            remembered: 0,
            reserved: Self::RESERVED,
            merged: false,
            densities: FxHashMap::default(),
            owners: FxHashMap::default(),
            classes: Classes::default(),
        };
        rules.classify_from(0);
        for target in rules.linear.targets.clone() {
            rules.is_passing[rules.types[target]] = false;
        }
        rules
    }

    /// Lets a Chain read the elements that its branches were found to be, and other Chains those of them that they had to
    /// themselves; gives the Chains with the places that they did not read before.
    pub(super) fn capture(
        &mut self,
        chain: usize,
        branches: &[AnyElement],
    ) -> Result<Vec<(usize, usize)>, ExplorationError> {
        let mut found = Vec::new();
        let mut reading = vec![(chain, branches.to_vec())];
        while let Some((chain, branches)) = reading.pop() {
            self.forget(chain);
            let new = self.linear.slots.len();
            let captured = self.linear.capture(chain, &branches)?;
            found.extend(captured.into_iter().map(|place| (chain, place)));
            self.classify_from(new);
            self.classify(chain);
            for slot in &self.linear.slots[new..] {
                if let Some((element, owner)) = self.owners.remove(&slot.element.id()) {
                    reading.push((owner, vec![element]));
                }
            }
        }
        Ok(found)
    }

    /// True if a Chain may have an element to itself: nothing else is known to read it, and no other Chain is taken to do
    /// the same.
    fn may_own(&self, chain: usize, element: &AnyElement) -> bool {
        let owner = self.owners.get(&element.id());
        !self.classes.shared[self.classes.of[chain]]
            && !self.linear.knows(element)
            && owner.is_none_or(|(_, owner)| *owner == chain)
    }

    fn classify_from(&mut self, new: usize) {
        for place in new..self.linear.slots.len() {
            let of = self.codes.type_of(&self.linear.slots[place].element);
            self.types.push(of);
        }
        for place in new..self.linear.slots.len() {
            self.classify(place);
        }
    }

    fn classify(&mut self, place: usize) {
        (self.classes).classify(&self.linear, place, &mut self.codes);
        self.is_passing.resize(self.codes.values.len(), true);
        let class = self.classes.of[place];
        let shared = self.classes.shared[class];
        let slot = &self.linear.slots[place];
        if class == self.values.len() {
            self.values.push(ClassMemo::new(slot.reads.len(), shared));
            self.rows.push(ClassMemo::new(slot.reads.len(), shared));
        }
        if shared {
            self.is_passing[self.types[place]] = false;
            for &read in &slot.reads {
                self.is_passing[self.types[read]] = false;
            }
        }
    }

    /// The outcomes at these positions.
    #[inline]
    pub(super) fn outcome(&self, position: usize) -> WeightedValue {
        self.outcomes[position]
    }

    /// Number of values, results and outcomes for which there is memory at first.
    const RESERVED: usize = 16;

    /// The number of transitions from one state for which there is to be memory: twice those of the state that had most, since the next one may
    /// have more.
    pub(super) fn reserved(&self) -> usize {
        self.reserved
    }

    /// About how many bytes the numbered values, the weights, the outcomes and what is remembered of classes take, with room for the
    /// transitions of one more state.
    pub(super) fn bytes(&self) -> u64 {
        let values = self.codes.values.iter();
        let values: usize = values.map(|values| values.bytes_with(self.reserved)).sum();
        (values + self.weighing.bytes() + self.remembered_bytes()) as u64
    }

    fn remembered_bytes(&self) -> usize {
        self.remembered + vector(&self.outcomes, self.reserved)
    }

    /// True if the values of some target are of a type: transitions refer to their numbers.
    pub(super) fn is_reported(&self, of: usize) -> bool {
        let mut targets = self.linear.targets.iter();
        targets.any(|&target| self.types[target] == of)
    }

    /// True if values of a type may be renumbered: nothing but frontiers stores their numbers.
    pub(super) fn is_passing(&self, of: usize) -> bool {
        self.is_passing[of]
    }

    /// The first of the targets that a step reports which some transition makes true.
    pub(super) fn first_true(&self, layer: &TransitionLayer, targets: &[usize]) -> Option<usize> {
        let can_be = |(numbers, target): (&PackedIntegers, &usize)| {
            let of = self.types[self.linear.targets[*target]];
            let code = self.codes.values[of].index_of(&true)? as u32;
            numbers.contains(code).then_some(*target)
        };
        layer.reports.iter().zip(targets).filter_map(can_be).min()
    }

    /// Drops the memo of a class that no other element shares.
    pub(super) fn forget(&mut self, place: usize) {
        let class = self.classes.of[place];
        if !self.classes.shared[class] {
            self.forget_class(class, self.linear.slots[place].reads.len());
        }
    }

    fn forget_class(&mut self, class: usize, reads: usize) {
        self.remembered -= self.values[class].bytes + self.rows[class].bytes;
        let shared = self.classes.shared[class];
        self.values[class] = ClassMemo::new(reads, shared);
        self.rows[class] = ClassMemo::new(reads, shared);
    }

    /// Forgets what is known of all classes; nothing refers to the outcomes of choices then.
    pub(super) fn forget_all(&mut self) {
        for place in 0..self.linear.slots.len() {
            let class = self.classes.of[place];
            self.forget_class(class, self.linear.slots[place].reads.len());
        }
        self.outcomes = Vec::new();
    }

    /// Forgets what is known of classes where it takes more than so many bytes.
    pub(super) fn forget_beyond(&mut self, most: u64) {
        if self.remembered_bytes() as u64 > most {
            self.forget_all();
        }
    }

    fn remember_value(&mut self, class: usize, reads: &[u32], value: Option<WeightedValue>) {
        let grown = self.values[class].insert(reads, value, self.reserved);
        self.remembered = self.remembered.saturating_add_signed(grown);
    }

    /// The value of an element that is no random choice; `None` where evidence excludes it.
    pub(super) fn value(
        &mut self,
        place: usize,
        reads: &[u32],
    ) -> Result<Option<WeightedValue>, ExplorationError> {
        let class = self.classes.of[place];
        if let Some(known) = self.values[class].get(reads) {
            return Ok(known);
        }
        let slot = &self.linear.slots[place];
        let of = self.types[place];
        let mut scored = WeightDictionary::ONE;
        let code = match (&slot.fixed, slot.element.kind()) {
            (Some(value), _) => number(&mut self.codes, of, value.as_any()),
            (None, Kind::Apply(parents, op)) => {
                let arguments = self.arguments(slot, parents.len(), reads);
                let value = op.call(&arguments);
                let value = value.map_err(|fault| slot.element.fault(fault))?;
                number(&mut self.codes, of, value.as_any())
            }
            (None, Kind::Score(_, evidence)) => {
                let value = self.arguments(slot, 1, reads)[0];
                let (linear, log) = evidence.weight(&slot.element, value)?;
                let weight = WorldWeight { linear, log };
                if weight.is_zero() {
                    self.remember_value(class, reads, None);
                    return Ok(None);
                }
                scored = self.weighing.number(weight);
                reads[0]
            }
            (None, _) => unreachable!("a random choice has outcomes"),
        };
        let weight = weigh(&self.codes, &mut self.weighing, slot, of, code)?;
        let outcome = weight.map(|weight| (code, self.weighing.product(scored, weight)));
        self.remember_value(class, reads, outcome);
        Ok(outcome)
    }

    /// The positions of the outcomes of a random choice.
    pub(super) fn row(
        &mut self,
        place: usize,
        reads: &[u32],
    ) -> Result<Range<usize>, ExplorationError> {
        let class = self.classes.of[place];
        if let Some(known) = self.rows[class].get(reads) {
            return Ok(known);
        }
        let slot = &self.linear.slots[place];
        let found = self.choice(slot, place, reads)?;
        self.merged |= found.merged;
        if let Some(owned) = found.owned {
            self.owners.insert(owned.id(), (owned, place));
        }
        if let Some(density) = found.density {
            let before = self.densities.insert(class, density);
            if before.is_some_and(|before| before != density) {
                return Err(mixed(slot).into());
            }
        }
        let of = self.types[place];
        let start = self.outcomes.len();
        for (value, weight) in found.outcomes {
            if weight.is_zero() {
                continue;
            }
            let code = number(&mut self.codes, of, value.as_any());
            if let Some(evidence) = weigh(&self.codes, &mut self.weighing, slot, of, code)? {
                let weight = self.weighing.number(weight);
                let weight = self.weighing.product(weight, evidence);
                self.outcomes.push((code, weight));
            }
        }
        let row = start..self.outcomes.len();
        self.reserved = self.reserved.max(2 * row.len());
        let grown = self.rows[class].insert(reads, row.clone(), self.reserved);
        self.remembered = self.remembered.saturating_add_signed(grown);
        Ok(row)
    }

    /// The outcomes of a random choice, without evidence on it.
    fn choice(
        &self,
        slot: &OrderedElement,
        place: usize,
        reads: &[u32],
    ) -> Result<ChoiceOutcomes, ExplorationError> {
        let element = &slot.element;
        let fault = |fault: Fault| element.fault(fault);
        match element.kind() {
            Kind::Atomic(_) => Ok(ChoiceOutcomes::own(atomic(element, slot.observed())?)),
            Kind::Table(parents, op) => {
                op.check().map_err(|problem| element.invalid(problem))?;
                let mut row = 0;
                let arguments = self.arguments(slot, parents.len(), reads);
                for (parent, (states, value)) in op.states().iter().zip(arguments).enumerate() {
                    let state = states.index_of(value);
                    let state = state.ok_or_else(|| fault(Fault::no_state(parent)))?;
                    row = row * states.len() + state;
                }
                let values = op.values();
                let row = op.weights().row(row * values.len(), values.len());
                let outcome = |i| {
                    let (linear, log) = (row.linear()[i], row.log(i));
                    (values.datum(i), WorldWeight { linear, log })
                };
                Ok(ChoiceOutcomes::own(
                    (0..values.len()).map(outcome).collect(),
                ))
            }
            Kind::Chain(parents, op) => {
                let arguments = self.arguments(slot, parents.len(), reads);
                let Some(family) = op.family() else {
                    let others = slot.reads[parents.len()..].iter();
                    let mut captured = Vec::new();
                    for (&place, &code) in others.zip(&reads[parents.len()..]) {
                        let element = self.linear.slots[place].element.clone();
                        let value = self.codes.values[self.types[place]].datum(code as usize);
                        captured.push((element, value));
                    }
                    let call = || op.call(&arguments).map_err(fault);
                    let interventions = &self.linear.interventions;
                    let may_own = |element: &AnyElement| self.may_own(place, element);
                    let found = branch::outcomes(
                        slot,
                        interventions,
                        &captured,
                        (&may_own, self.memory),
                        &call,
                    )?;
                    return Ok(ChoiceOutcomes {
                        merged: found.merged,
                        density: slot.observed().map(|_| found.density),
                        owned: found.owned,
                        outcomes: found.outcomes,
                    });
                };
                family
                    .check(&arguments)
                    .map_err(|problem| element.invalid(problem))?;
                if let Some(value) = slot.observed() {
                    let log = family.log_prob(&arguments, value.as_any()).map_err(fault)?;
                    let linear = log.exp();
                    let weight = WorldWeight { linear, log };
                    return Ok(ChoiceOutcomes::own(vec![(value.clone(), weight)]));
                }
                let finite = family.outcomes(&arguments).map_err(fault)?;
                let listed = listed(element, finite, |value| {
                    family
                        .log_prob(&arguments, value)
                        .map_err(MemberFault::Function)
                })?;
                Ok(ChoiceOutcomes::own(listed))
            }
            Kind::Apply(..) | Kind::Score(..) => unreachable!("no random choice"),
        }
    }

    /// The values that have these numbers.
    fn arguments(&self, slot: &OrderedElement, parents: usize, reads: &[u32]) -> Vec<&dyn Any> {
        let places = slot.reads[..parents].iter();
        let value = |(&place, &code): (&usize, &u32)| {
            self.codes.values[self.types[place]].any(code as usize)
        };
        places.zip(reads).map(value).collect()
    }
}

/// The number of a value of a type.
fn number(codes: &mut ValueDictionaries, of: usize, value: &dyn Any) -> u32 {
    let number = codes.values[of].insert(value);
    number.expect("values are numbered by their type") as u32
}

/// The weight that the evidence on an element gives a value; `None` if it excludes it.
fn weigh(
    codes: &ValueDictionaries,
    weighing: &mut WeightDictionary,
    slot: &OrderedElement,
    of: usize,
    code: u32,
) -> Result<Option<u32>, ExplorationError> {
    let mut total = WeightDictionary::ONE;
    for evidence in &slot.evidence {
        let value = codes.values[of].any(code as usize);
        let (linear, log) = evidence.weight(&slot.element, value)?;
        let weight = WorldWeight { linear, log };
        if weight.is_zero() {
            return Ok(None);
        }
        let number = weighing.number(weight);
        total = weighing.product(total, number);
    }
    Ok(Some(total))
}

fn mixed(slot: &OrderedElement) -> ModelError {
    let value = slot.observed().map(|value| format!("{value:?}"));
    ModelError::MixedObservation {
        element: slot.element.label(),
        value: value.unwrap_or_default(),
    }
}

/// The outcomes of an atomic element; of an observed one that value alone, with its density if it has one.
pub(super) fn atomic(
    element: &AnyElement,
    observed: Option<&Datum>,
) -> Result<Vec<(Datum, WorldWeight)>, ModelError> {
    let Kind::Atomic(op) = element.kind() else {
        return Ok(Vec::new());
    };
    op.check().map_err(|problem| element.invalid(problem))?;
    let fault = |fault| element.fault(fault);
    if let Some(value) = observed {
        let log = op.log_prob(value.as_any()).map_err(fault)?;
        let linear = log.exp();
        return Ok(vec![(value.clone(), WorldWeight { linear, log })]);
    }
    let finite = op.outcomes().map_err(fault)?;
    listed(element, finite, |value| {
        op.log_prob(value).map_err(MemberFault::Function)
    })
}

/// Outcomes as a list, if they are finitely many.
fn listed(
    element: &AnyElement,
    outcomes: Result<FiniteOutcomes, Endless>,
    log_prob: impl Fn(&dyn Any) -> Result<f64, MemberFault>,
) -> Result<Vec<(Datum, WorldWeight)>, ModelError> {
    let finite = outcomes.map_err(|endless| ModelError::NotFinite {
        element: element.label(),
        kind: endless.describe(),
    })?;
    let mut listed = Vec::with_capacity(finite.probabilities.len());
    for (i, &linear) in finite.probabilities.iter().enumerate() {
        let log = if linear.is_normal() {
            linear.ln()
        } else {
            match log_prob(finite.support.any(i)) {
                Ok(log) => log,
                Err(MemberFault::Function(fault)) => return Err(element.fault(fault)),
                Err(MemberFault::Parameters(problem)) => return Err(element.invalid(problem)),
            }
        };
        listed.push((finite.support.datum(i), WorldWeight { linear, log }));
    }
    Ok(listed)
}
