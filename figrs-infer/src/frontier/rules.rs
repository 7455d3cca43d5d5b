//! What elements do for given values of what they read.

use std::any::Any;
use std::ops::Range;

use figrs_core::node::{AnyElement, Endless, FiniteOutcomes, Kind, MemberFault};
use figrs_core::weights::WorldWeight;
use figrs_core::{Datum, Fault, ModelError, SupportBuilder};
use rustc_hash::FxHashMap;

use super::branch;
use super::class::Classes;
use super::codes::Codes;
use super::halt::Halt;
use super::layer::Layer;
use super::linear::{Linear, Slot};
use super::numbers::Numbers;
use super::weighing::Weighing;

/// A value by its number, and its weight by its number.
pub(super) type Outcome = (u32, u32);

/// How many numbers are packed into one.
const FEW: usize = (u128::BITS / u32::BITS) as usize;

/// Results by the numbers of what was read.
#[derive(Debug)]
enum Known<R> {
    Few(FxHashMap<u128, R>),
    Lists(FxHashMap<Box<[u32]>, R>),
}

/// What is known of a class; nothing is kept where hardly anything is asked for twice, as where each state is a value of its own.
#[derive(Debug)]
struct Memo<R> {
    known: Option<Known<R>>,
    /// Whether elements met later may ask.
    shared: bool,
    asked: u32,
    found: u32,
}

impl<R: Clone> Memo<R> {
    /// After how many questions it is decided whether to go on, and one in how many must have been answered.
    const TRIAL: u32 = 1 << 10;
    const WORTH: u32 = 8;

    fn new(reads: usize, shared: bool) -> Self {
        Self {
            known: Some(if reads <= FEW {
                Known::Few(FxHashMap::default())
            } else {
                Known::Lists(FxHashMap::default())
            }),
            shared,
            asked: 0,
            found: 0,
        }
    }

    #[inline]
    fn get(&mut self, reads: &[u32]) -> Option<R> {
        let found = match self.known.as_ref()? {
            Known::Few(known) => known.get(&packed(reads)).cloned(),
            Known::Lists(known) => known.get(reads).cloned(),
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

    fn insert(&mut self, reads: &[u32], result: R) {
        match &mut self.known {
            Some(Known::Few(known)) => {
                known.insert(packed(reads), result);
            }
            Some(Known::Lists(known)) => {
                known.insert(reads.into(), result);
            }
            None => {}
        }
    }
}

fn packed(reads: &[u32]) -> u128 {
    let packed = |packed, &code| packed << u32::BITS | u128::from(code);
    reads.iter().fold(0, packed)
}

/// The elements as functions of numbers. What is asked for often is remembered.
#[derive(Debug)]
pub(super) struct Rules<'l> {
    pub(super) linear: &'l Linear,
    pub(super) classes: Classes,
    /// The type of values at each place.
    pub(super) types: Vec<usize>,
    pub(super) codes: Codes,
    pub(super) weighing: Weighing,
    /// For each class of elements with one value the values; `None` where evidence excludes it.
    values: Vec<Memo<Option<Outcome>>>,
    /// For each class of random elements the positions of their outcomes.
    rows: Vec<Memo<Range<usize>>>,
    outcomes: Vec<Outcome>,
    /// Whether a branch stands for several worlds.
    pub(super) merged: bool,
    /// Of classes of observed Chains whether the likelihoods are densities.
    densities: FxHashMap<usize, bool>,
    is_passing: Vec<bool>,
}

impl<'l> Rules<'l> {
    pub(super) fn new(linear: &'l Linear) -> Self {
        let mut codes = Codes::default();
        let classes = Classes::new(linear, &mut codes);
        let mut reads = vec![0; classes.count];
        for (slot, &class) in linear.slots.iter().zip(&classes.of) {
            reads[class] = slot.reads.len();
        }
        let slots = linear.slots.iter();
        let types: Vec<usize> = slots.map(|slot| codes.type_of(&slot.element)).collect();
        let mut is_passing = vec![true; codes.values.len()];
        let targets = linear.targets.iter().copied();
        let is_shared = |&place: &usize| classes.shared[classes.of[place]];
        for place in (0..types.len()).filter(is_shared) {
            is_passing[types[place]] = false;
            for &read in &linear.slots[place].reads {
                is_passing[types[read]] = false;
            }
        }
        for place in targets {
            is_passing[types[place]] = false;
        }
        Self {
            types,
            is_passing,
            linear,
            codes,
            weighing: Weighing::new(),
            values: memos(&reads, &classes),
            rows: memos(&reads, &classes),
            outcomes: Vec::new(),
            merged: false,
            densities: FxHashMap::default(),
            classes,
        }
    }

    /// The outcomes at these positions.
    #[inline]
    pub(super) fn outcome(&self, position: usize) -> Outcome {
        self.outcomes[position]
    }

    /// About how many bytes the numbered values and outcomes take.
    pub(super) fn bytes(&self) -> u64 {
        // A value, its hash and its place in a table.
        const VALUE: usize = 64;
        let values: usize = self.codes.values.iter().map(SupportBuilder::len).sum();
        (values * VALUE + self.outcomes.len() * size_of::<Outcome>()) as u64
    }

    /// Whether values of a type may be numbered anew: nothing but frontiers remembers their numbers.
    pub(super) fn is_passing(&self, of: usize) -> bool {
        self.is_passing[of]
    }

    /// The first of the targets that a step reports which some transition makes true.
    pub(super) fn first_true(&self, layer: &Layer, targets: &[usize]) -> Option<usize> {
        let can_be = |(numbers, target): (&Numbers, &usize)| {
            let of = self.types[self.linear.targets[*target]];
            let code = self.codes.values[of].index_of(&true)? as u32;
            numbers.contains(code).then_some(*target)
        };
        layer.reports.iter().zip(targets).filter_map(can_be).min()
    }

    /// Forgets what is known of a class that no other element shares.
    pub(super) fn forget(&mut self, place: usize) {
        let class = self.classes.of[place];
        if !self.classes.shared[class] {
            let reads = self.linear.slots[place].reads.len();
            self.values[class] = Memo::new(reads, false);
            self.rows[class] = Memo::new(reads, false);
        }
    }

    /// The value of an element that is no random choice; `None` where evidence excludes it.
    pub(super) fn value(&mut self, place: usize, reads: &[u32]) -> Result<Option<Outcome>, Halt> {
        let class = self.classes.of[place];
        if let Some(known) = self.values[class].get(reads) {
            return Ok(known);
        }
        let slot = &self.linear.slots[place];
        let of = self.types[place];
        let mut scored = Weighing::ONE;
        let code = match (&slot.fixed, slot.element.kind()) {
            (Some(value), _) => self.code(of, value.as_any()),
            (None, Kind::Apply(parents, op)) => {
                let arguments = self.arguments(slot, parents.len(), reads);
                let value = op.call(&arguments);
                let value = value.map_err(|fault| slot.element.fault(fault))?;
                self.code(of, value.as_any())
            }
            (None, Kind::Score(_, evidence)) => {
                let value = self.arguments(slot, 1, reads)[0];
                let (linear, log) = evidence.weight(&slot.element, value)?;
                let weight = WorldWeight { linear, log };
                if weight.is_zero() {
                    self.values[class].insert(reads, None);
                    return Ok(None);
                }
                scored = self.weighing.number(weight);
                reads[0]
            }
            (None, _) => unreachable!("a random choice has outcomes"),
        };
        let weight = self.weigh(slot, of, code)?;
        let outcome = weight.map(|weight| (code, self.weighing.product(scored, weight)));
        self.values[class].insert(reads, outcome);
        Ok(outcome)
    }

    /// The positions of the outcomes of a random choice.
    pub(super) fn row(&mut self, place: usize, reads: &[u32]) -> Result<Range<usize>, Halt> {
        let class = self.classes.of[place];
        if let Some(known) = self.rows[class].get(reads) {
            return Ok(known);
        }
        let slot = &self.linear.slots[place];
        let found = self.choice(slot, class, reads)?;
        let of = self.types[place];
        let start = self.outcomes.len();
        for (value, weight) in found {
            if weight.is_zero() {
                continue;
            }
            let code = self.code(of, value.as_any());
            if let Some(evidence) = self.weigh(slot, of, code)? {
                let weight = self.weighing.number(weight);
                let weight = self.weighing.product(weight, evidence);
                self.outcomes.push((code, weight));
            }
        }
        let row = start..self.outcomes.len();
        self.rows[class].insert(reads, row.clone());
        Ok(row)
    }

    /// The outcomes of a random choice, without evidence on it.
    fn choice(
        &mut self,
        slot: &Slot,
        class: usize,
        reads: &[u32],
    ) -> Result<Vec<(Datum, WorldWeight)>, Halt> {
        let element = &slot.element;
        let fault = |fault: Fault| element.fault(fault);
        match element.kind() {
            Kind::Atomic(_) => Ok(atomic(element, slot.observed())?),
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
                Ok((0..values.len()).map(outcome).collect())
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
                    let found =
                        branch::outcomes(slot, &self.linear.interventions, &captured, &call)?;
                    self.merged |= found.merged;
                    if slot.observed().is_some() {
                        let before = self.densities.insert(class, found.density);
                        if before.is_some_and(|before| before != found.density) {
                            return Err(mixed(slot).into());
                        }
                    }
                    return Ok(found.outcomes);
                };
                family
                    .check(&arguments)
                    .map_err(|problem| element.invalid(problem))?;
                if let Some(value) = slot.observed() {
                    let log = family.log_prob(&arguments, value.as_any()).map_err(fault)?;
                    return Ok(vec![(
                        value.clone(),
                        WorldWeight {
                            linear: log.exp(),
                            log,
                        },
                    )]);
                }
                let finite = family.outcomes(&arguments).map_err(fault)?;
                let listed = listed(element, finite, |value| {
                    family
                        .log_prob(&arguments, value)
                        .map_err(MemberFault::Function)
                })?;
                Ok(listed)
            }
            Kind::Apply(..) | Kind::Score(..) => unreachable!("no random choice"),
        }
    }

    /// The values that have these numbers.
    fn arguments(&self, slot: &Slot, parents: usize, reads: &[u32]) -> Vec<&dyn Any> {
        let places = slot.reads[..parents].iter();
        let value = |(&place, &code): (&usize, &u32)| {
            self.codes.values[self.types[place]].any(code as usize)
        };
        places.zip(reads).map(value).collect()
    }

    fn code(&mut self, of: usize, value: &dyn Any) -> u32 {
        let code = self.codes.values[of].insert(value);
        code.expect("values are numbered by their type") as u32
    }

    /// The weight that the evidence on an element gives a value; `None` if it excludes it.
    fn weigh(&mut self, slot: &Slot, of: usize, code: u32) -> Result<Option<u32>, Halt> {
        let mut total = Weighing::ONE;
        for evidence in &slot.evidence {
            let value = self.codes.values[of].any(code as usize);
            let (linear, log) = evidence.weight(&slot.element, value)?;
            let weight = WorldWeight { linear, log };
            if weight.is_zero() {
                return Ok(None);
            }
            let number = self.weighing.number(weight);
            total = self.weighing.product(total, number);
        }
        Ok(Some(total))
    }
}

fn memos<R: Clone>(reads: &[usize], classes: &Classes) -> Vec<Memo<R>> {
    let each = reads.iter().zip(&classes.shared);
    each.map(|(&reads, &shared)| Memo::new(reads, shared))
        .collect()
}

fn mixed(slot: &Slot) -> ModelError {
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
