//! A program: the elements (random variables) of a model, with indices for their evaluation.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::run::{Chooser, ElementStart, World, WorldRun};
use crate::Observations;
use figrs_core::element::footprint::{ALLOCATION, Footprint};
use figrs_core::element::node::Kind;
use figrs_core::limits::{check_elements, check_world};
use figrs_core::model::evidence::StatementIndex;
use figrs_core::{AnyElement, Datum, ElementId, Evidence, Limits, Model, ModelError};
use figrs_factor::graph::WorldWeight;

/// Maximum number of elements created by `Chain` elements, and of branches of `Chain` elements, that stay in the caches after the evaluation of a
/// world.
const MAX_CACHED: usize = 1 << 18;

/// Quotient of the memory limit and the part of this limit for caches that persist from one world to the next.
const CACHE_DIVISOR: u64 = 4;

/// Size in bytes of the data that a program stores for each element. Lists double their capacity when they grow; the factor two in `SLOT` allows for
/// this, and for the parents and the value of each element.
const SLOT: usize = 2 * (size_of::<Instruction>() + size_of::<Option<Datum>>() + 40);

/// Size in bytes of a cached branch of a `Chain`, without the parent values that select the branch.
const BRANCH: usize = 2 * size_of::<(Box<[Datum]>, Slot)>() + ALLOCATION;

/// The index of an element in a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(u32);

impl Slot {
    fn index(self) -> usize {
        self.0 as usize
    }
}

struct Instruction {
    element: AnyElement,
    parents: Option<Box<[Slot]>>,
    evidence: Arc<[Evidence]>,
    fixed: Option<Datum>,
    /// The values of the element that observations imply.
    implied: Vec<Datum>,
    branches: FxHashMap<Box<[Datum]>, Slot>,
    checked: bool,
}

/// A model with its targets, prepared for the evaluation of one world (one assignment of values to the elements) after another.
pub struct Program {
    instructions: Vec<Instruction>,
    values: Vec<Option<Datum>>,
    touched: Vec<Slot>,
    /// The stacks of the last evaluation of a world; their memory is used again.
    run: WorldRun<Slot>,
    observations: Observations,
    limit: Limits,
    /// Size in bytes of the elements that `Chain` elements have created, and of their records in this program.
    made: u64,
    /// Size in bytes of the values of the world that are stored on the heap.
    held: u64,
    slots: FxHashMap<ElementId, Slot>,
    statements: StatementIndex,
    roots: Vec<Slot>,
    targets: Vec<Slot>,
    permanent: usize,
    /// Number of cached branches of all `Chain` elements.
    remembered: usize,
    densities: usize,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("instructions", &self.instructions.len())
            .field("roots", &self.roots)
            .finish_non_exhaustive()
    }
}

impl Program {
    /// Creates a program with indices for those elements that every world of `model` evaluates.
    ///
    /// A later run of the program returns an error if the world exceeds `limit` (a number of elements or [`Limits`]).
    pub fn new(
        model: &Model,
        targets: &[AnyElement],
        limit: impl Into<Limits>,
    ) -> Result<Self, ModelError> {
        let mut program = Self {
            instructions: Vec::new(),
            values: Vec::new(),
            touched: Vec::new(),
            run: WorldRun::default(),
            observations: Observations::Weigh,
            limit: limit.into(),
            made: 0,
            held: 0,
            slots: FxHashMap::default(),
            statements: StatementIndex::of(model),
            roots: Vec::new(),
            targets: Vec::new(),
            permanent: 0,
            remembered: 0,
            densities: 0,
        };
        // Observations come first, because elements whose values they imply need not be drawn.
        let (observed, others): (Vec<_>, Vec<_>) =
            (model.evidence().iter()).partition(|(_, statement)| statement.observed().is_some());
        for (element, _) in observed.into_iter().chain(others) {
            let slot = program.slot(element);
            program.roots.push(slot);
        }
        for target in targets {
            let slot = program.slot(target);
            program.roots.push(slot);
            program.targets.push(slot);
        }
        let mut next = 0;
        while next < program.instructions.len() {
            let element = &program.instructions[next].element;
            check_elements(&program.limit, element, next + 1)?;
            program.assign_parent_slots(Slot(next as u32));
            next += 1;
        }
        program.permanent = program.instructions.len();
        program.made = 0;
        program.propagate_observations();
        Ok(program)
    }

    /// Propagates observations backwards: elements whose values the observations imply are set instead of drawn, even if another target or evidence
    /// variable is evaluated first.
    fn propagate_observations(&mut self) {
        let mut demands: Vec<(Slot, Datum)> = Vec::new();
        for (i, instruction) in self.instructions.iter().enumerate() {
            let scored = match instruction.element.kind() {
                Kind::Score(_, evidence) => evidence.observed(),
                _ => None,
            };
            let observed = instruction.evidence.iter().filter_map(Evidence::observed);
            let observed = observed.chain(scored);
            demands.extend(observed.map(|value| (Slot(i as u32), value.clone())));
        }
        while let Some((slot, value)) = demands.pop() {
            let instruction = &mut self.instructions[slot.index()];
            if instruction.fixed.is_some() || instruction.implied.contains(&value) {
                continue;
            }
            let passed = instruction.element.demands(Some(&value));
            instruction.implied.push(value);
            let parents = instruction.parents.as_deref().unwrap_or_default();
            let passed = parents.iter().zip(passed);
            demands.extend(passed.filter_map(|(&parent, value)| Some((parent, value?))));
        }
    }

    /// Evaluates one world, and returns the weight that the evidence gives to the world. The evaluation of a world that contradicts the evidence ends
    /// early, so that some elements of the world have no value.
    ///
    /// **Errors.** An error if an evaluated element has invalid parameters or a function that fails, or if the world has too many elements; the
    /// errors of the [`Chooser`].
    pub fn run(
        &mut self,
        chooser: &mut dyn Chooser,
        observations: Observations,
    ) -> Result<WorldWeight, ModelError> {
        self.run_first(self.roots.len(), chooser, observations)
    }

    /// Evaluates only the elements of a world on which its first `roots` roots (statements of evidence and targets) depend, and returns the weight
    /// that the evaluated evidence gives the world. The roots of a world's evaluation are the statements of evidence, followed by the targets.
    ///
    /// A later run that evaluates more roots first makes the same random choices as this run.
    pub fn run_first(
        &mut self,
        roots: usize,
        chooser: &mut dyn Chooser,
        observations: Observations,
    ) -> Result<WorldWeight, ModelError> {
        self.reset();
        self.observations = observations;
        let mut run = std::mem::take(&mut self.run);
        run.clear();
        for root in 0..roots.min(self.roots.len()) {
            let slot = self.roots[root];
            let element = self.instructions[slot.index()].element.clone();
            run.start((&element, slot), None, self, chooser)?;
            if run.take_value().is_none() {
                break;
            }
        }
        self.densities = run.densities;
        let weight = run.weight;
        self.run = run;
        Ok(weight)
    }

    /// Returns the number of statements of evidence of the model.
    pub fn statements(&self) -> usize {
        self.roots.len() - self.targets.len()
    }

    /// Returns the indices of the elements that are targets, in the order of the targets.
    pub fn targets(&self) -> &[Slot] {
        &self.targets
    }

    /// Returns the value of an element in the world evaluated last, if the element has a value there.
    pub fn value(&self, slot: Slot) -> Option<&Datum> {
        self.values[slot.index()].as_ref()
    }

    /// Returns the number of probability densities among the likelihoods in the weight of the world evaluated last. A world with fewer densities is
    /// infinitely more probable than a world with more densities: if an observation has a probability in some worlds and a density in others, only
    /// the worlds with probabilities count.
    pub fn densities(&self) -> usize {
        self.densities
    }

    /// Returns the number of elements that were evaluated for the last world.
    pub fn evaluated(&self) -> usize {
        self.touched.len()
    }

    /// Returns all elements of the world evaluated last with their values, in the order of evaluation.
    pub fn world(&self) -> impl Iterator<Item = (&AnyElement, &Datum)> {
        self.touched.iter().filter_map(|slot| {
            let value = self.values[slot.index()].as_ref()?;
            Some((&self.instructions[slot.index()].element, value))
        })
    }

    fn slot(&mut self, element: &AnyElement) -> Slot {
        let id = element.id();
        if let Some(&slot) = self.slots.get(&id) {
            return slot;
        }
        if let Some(policy) = self.statements.policy(element).cloned() {
            return self.slot(&policy);
        }
        let slot = Slot(self.instructions.len() as u32);
        self.made += SLOT as u64;
        self.slots.insert(id, slot);
        self.values.push(None);
        self.instructions.push(Instruction {
            element: element.clone(),
            parents: None,
            evidence: self.statements.evidence(element),
            fixed: self.statements.intervention(element).cloned(),
            implied: Vec::new(),
            branches: FxHashMap::default(),
            checked: false,
        });
        slot
    }

    fn assign_parent_slots(&mut self, slot: Slot) {
        let instruction = &self.instructions[slot.index()];
        if instruction.parents.is_some() {
            return;
        }
        let element = instruction.element.clone();
        let fixed = instruction.fixed.is_some();
        let parents: &[AnyElement] = if fixed { &[] } else { element.parents() };
        let slots = parents.iter().map(|parent| self.slot(parent)).collect();
        self.instructions[slot.index()].parents = Some(slots);
    }

    /// Clears the world evaluated last, and removes the elements that `Chain` elements created if there are too many of them.
    fn reset(&mut self) {
        self.densities = 0;
        self.held = 0;
        for slot in self.touched.drain(..) {
            self.values[slot.index()] = None;
        }
        if self.instructions.len() > self.permanent + MAX_CACHED
            || self.remembered > MAX_CACHED
            || self.made > self.limit.expansion_memory / CACHE_DIVISOR
        {
            (self.remembered, self.made) = (0, 0);
            self.instructions.truncate(self.permanent);
            self.values.truncate(self.permanent);
            let permanent = self.permanent as u32;
            self.slots.retain(|_, slot| slot.0 < permanent);
            for instruction in &mut self.instructions {
                instruction.branches.clear();
            }
        }
    }
}

impl World for Program {
    type Node = Slot;
    type Missing = std::convert::Infallible;

    fn observations(&self) -> Observations {
        self.observations
    }

    #[inline]
    fn begin(
        &mut self,
        (_, slot): (&AnyElement, Slot),
        demand: &mut Option<Datum>,
        entered: usize,
        bytes: u64,
    ) -> Result<ElementStart<Self::Missing>, ModelError> {
        if let Some(value) = self.values[slot.index()].clone() {
            return Ok(ElementStart::Known(value));
        }
        let instruction = &self.instructions[slot.index()];
        let bytes = bytes + self.made + self.held;
        check_world(&self.limit, &instruction.element, entered, bytes)?;
        if let Some(value) = instruction.fixed.clone() {
            return Ok(ElementStart::Fixed(value));
        }
        if self.observations == Observations::Weigh {
            let observed = instruction.evidence.iter().filter_map(Evidence::observed);
            for observed in observed.chain(&instruction.implied) {
                if demand.as_ref().is_some_and(|demand| demand != observed) {
                    return Ok(ElementStart::Contradiction);
                }
                *demand = Some(observed.clone());
            }
        }
        self.assign_parent_slots(slot);
        Ok(ElementStart::Open)
    }

    #[inline]
    fn parent<'a>(
        &self,
        (_, slot): (&'a AnyElement, Slot),
        position: usize,
    ) -> (Cow<'a, AnyElement>, Slot) {
        let parents = self.instructions[slot.index()].parents.as_ref();
        let parent = parents.expect("parents have slots")[position];
        let element = self.instructions[parent.index()].element.clone();
        (Cow::Owned(element), parent)
    }

    fn check(&mut self, (_, slot): (&AnyElement, Slot)) -> Result<(), ModelError> {
        let instruction = &mut self.instructions[slot.index()];
        if !instruction.checked {
            instruction.element.check_parameters()?;
            instruction.checked = true;
        }
        Ok(())
    }

    fn result(
        &mut self,
        slot: Slot,
        arguments: &[Datum],
        call: impl FnOnce() -> Result<AnyElement, ModelError>,
    ) -> Result<(AnyElement, Slot), ModelError> {
        if let Some(&known) = self.instructions[slot.index()].branches.get(arguments) {
            let element = self.instructions[known.index()].element.clone();
            return Ok((element, known));
        }
        let (result, made) = Footprint::measured(call);
        let remembered = size_of_val(arguments) + BRANCH;
        self.made += made.bytes.max(0).unsigned_abs() + remembered as u64;
        let result = self.slot(&result?);
        let branches = &mut self.instructions[slot.index()].branches;
        branches.insert(arguments.into(), result);
        self.remembered += 1;
        let element = self.instructions[result.index()].element.clone();
        Ok((element, result))
    }

    fn is_recorded(&self, _: Slot) -> bool {
        true
    }

    #[inline]
    fn record_value(
        &mut self,
        (element, slot): (&AnyElement, Slot),
        value: &Datum,
        weight: &mut WorldWeight,
    ) -> Result<(), ModelError> {
        for evidence in &*self.instructions[slot.index()].evidence {
            let (linear, log) = evidence.weight(element, value.as_any())?;
            weight.times(linear, log);
        }
        self.held += value.heap_bytes() as u64;
        self.values[slot.index()] = Some(value.clone());
        self.touched.push(slot);
        Ok(())
    }
}
