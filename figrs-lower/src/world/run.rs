//! One world: every reached element is evaluated once.

use std::any::Any;

use super::program::{Program, Slot};
use crate::limit::measured;
use figrs_core::element::footprint::ALLOCATION;
use figrs_core::element::node::{AnyElement, AtomicOp, FamilyOp, Kind, NotEnumerable};
use figrs_core::error::{Fault, ModelError};
use figrs_core::value::datum::Datum;
use figrs_core::value::support::Support;
use figrs_factor::graph::{WeightSlice, WorldWeight};

/// A random choice that a world needs.
pub enum Choice<'a> {
    /// The value of an atomic element.
    Atomic(&'a dyn AtomicOp),
    /// The value of a Chain that is a family, with these values of its parents.
    Family(&'a dyn FamilyOp, &'a [&'a dyn Any]),
    /// One of the values of a table's row, with these probabilities.
    Row(&'a Support, WeightSlice<'a>),
}

impl std::fmt::Debug for Choice<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Atomic(op) => f.write_str(&op.describe()),
            Self::Family(_, arguments) => write!(f, "family of {} arguments", arguments.len()),
            Self::Row(_, row) => write!(f, "row {:?}", row.linear()),
        }
    }
}

/// Decides the random choices of a world.
pub trait Chooser {
    /// The value chosen for `element`.
    fn choose(&mut self, element: &AnyElement, choice: Choice<'_>) -> Result<Datum, ModelError>;

    /// Size in bytes of the choices of a world that it stores, which counts against the limit of the world.
    fn bytes(&self) -> u64 {
        0
    }
}

/// Treatment of observations: weighted or compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observations {
    /// The observed value is chosen and the world weighed with its likelihood, wherever the structure allows this.
    Weigh,
    /// Values are chosen as if nothing were observed; worlds that contradict an observation weigh zero.
    Compare,
}

/// Size of a cached branch in bytes, without the values that lead to it.
const BRANCH: usize = 2 * size_of::<(Box<[Datum]>, Slot)>() + ALLOCATION;

/// Next step of the evaluation of a slot. A demand is the value that the slot must have if the world is to keep a positive weight.
enum WorldStep {
    Enter(Slot, Option<Datum>),
    Finish(Slot, Option<Datum>),
    Branch(Slot, Slot),
}

struct WorldRun<'p> {
    program: &'p mut Program,
    observations: Observations,
    weight: WorldWeight,
    /// Elements entered in this world.
    entered: usize,
    steps: Vec<WorldStep>,
}

impl Program {
    /// Runs one world and returns the weight of the evidence in it.
    ///
    /// A world that contradicts the evidence ends early: some values are then not known.
    ///
    /// **Errors.** Mistakes of the elements that are reached, worlds of too many elements, and the errors of the
    /// [`Chooser`].
    pub fn run(
        &mut self,
        chooser: &mut dyn Chooser,
        observations: Observations,
    ) -> Result<WorldWeight, ModelError> {
        self.run_first(self.roots.len(), chooser, observations)
    }

    /// Runs one world as far as its first `roots` roots need it, which are the pieces of evidence and then the targets, and
    /// returns the weight of the evidence met until then.
    ///
    /// The choices are the first of the choices that more roots would need.
    pub fn run_first(
        &mut self,
        roots: usize,
        chooser: &mut dyn Chooser,
        observations: Observations,
    ) -> Result<WorldWeight, ModelError> {
        self.reset();
        let mut run = WorldRun {
            weight: WorldWeight::ONE,
            entered: 0,
            observations,
            steps: Vec::new(),
            program: self,
        };
        for root in 0..roots.min(run.program.roots.len()) {
            run.steps
                .push(WorldStep::Enter(run.program.roots[root], None));
            while let Some(step) = run.steps.pop() {
                match step {
                    WorldStep::Enter(slot, demand) => run.start_element(slot, demand, chooser)?,
                    WorldStep::Finish(slot, demand) => run.finish(slot, demand, chooser)?,
                    WorldStep::Branch(slot, result) => {
                        let value = run.program.values[result.index()].clone();
                        if let Some(value) = value {
                            run.set_value(slot, value, None)?;
                        }
                    }
                }
                if run.weight.is_zero() {
                    return Ok(run.weight);
                }
            }
        }
        Ok(run.weight)
    }
}

impl WorldRun<'_> {
    fn contradict(&mut self) {
        self.weight.times(0.0, f64::NEG_INFINITY);
    }

    fn start_element(
        &mut self,
        slot: Slot,
        demand: Option<Datum>,
        chooser: &mut dyn Chooser,
    ) -> Result<(), ModelError> {
        if let Some(value) = &self.program.values[slot.index()] {
            if demand.is_some_and(|demand| demand != *value) {
                self.contradict();
            }
            return Ok(());
        }
        self.entered += 1;
        let instruction = &self.program.instructions[slot.index()];
        let limit = &self.program.limit;
        if self.entered > limit.elements {
            return Err(ModelError::TooManyElements {
                element: instruction.element.label(),
                limit: limit.elements,
            });
        }
        let steps = (self.steps.capacity() * size_of::<WorldStep>()) as u64;
        let bytes = self.program.made + self.program.held + steps + chooser.bytes();
        limit.check(&instruction.element, bytes)?;
        limit.check_time(&instruction.element)?;
        if let Some(value) = instruction.fixed.clone() {
            return self.set_value(slot, value, demand);
        }
        let mut demand = demand;
        if self.observations == Observations::Weigh {
            let observed = instruction.evidence.iter().filter_map(|e| e.observed());
            for observed in observed.chain(&instruction.implied) {
                if demand.as_ref().is_some_and(|demand| demand != observed) {
                    self.contradict();
                    return Ok(());
                }
                demand = Some(observed.clone());
            }
        }
        let element = instruction.element.clone();
        if let Kind::Atomic(op) = element.kind() {
            self.check(slot, || op.check())?;
            let Some(value) = demand else {
                let value = chooser.choose(&element, Choice::Atomic(&**op))?;
                return self.set_value(slot, value, None);
            };
            let log = op.log_prob(value.as_any());
            let log = log.map_err(|fault| element.fault(fault))?;
            self.weight.times(log.exp(), log);
            self.program.densities += usize::from(self.is_continuous(slot, &**op));
            return self.set_value(slot, value, None);
        }
        self.program.assign_parent_slots(slot);
        let weigh = self.observations == Observations::Weigh;
        let demands = match element.kind() {
            Kind::Apply(_, op) => demand.as_ref().and_then(|value| op.demand(value)),
            Kind::Score(_, evidence) if weigh => {
                let observed = evidence.observed().or(demand.as_ref());
                Some(vec![observed.cloned()])
            }
            _ => None,
        };
        self.steps.push(WorldStep::Finish(slot, demand));
        let parents = self.program.instructions[slot.index()].parents.as_deref();
        for (i, &parent) in parents.unwrap_or_default().iter().enumerate().rev() {
            let demand = demands
                .as_ref()
                .and_then(|all| all.get(i).cloned().flatten());
            self.steps.push(WorldStep::Enter(parent, demand));
        }
        Ok(())
    }

    /// True if the likelihood of an atomic element is a density.
    fn is_continuous(&mut self, slot: Slot, op: &dyn AtomicOp) -> bool {
        let instruction = &mut self.program.instructions[slot.index()];
        let continuous = || matches!(op.outcomes(), Ok(Err(NotEnumerable::Continuous)));
        *instruction.continuous.get_or_insert_with(continuous)
    }

    /// Checks the parameters of an element the first time it is reached.
    fn check(
        &mut self,
        slot: Slot,
        check: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), ModelError> {
        let instruction = &mut self.program.instructions[slot.index()];
        if !instruction.checked {
            check().map_err(|problem| instruction.element.invalid(problem))?;
            instruction.checked = true;
        }
        Ok(())
    }

    /// The values of a slot's parents.
    fn arguments<R>(&self, slot: Slot, read: impl FnOnce(&[&dyn Any]) -> R) -> R {
        const MAX_ARGUMENTS: usize = 8;
        let parents = self.program.instructions[slot.index()].parents.as_deref();
        let parents = parents.unwrap_or_default();
        let value = |parent: Slot| -> &dyn Any {
            self.program.values[parent.index()]
                .as_ref()
                .expect("parents are evaluated first")
                .as_any()
        };
        if parents.len() <= MAX_ARGUMENTS {
            let mut arguments: [&dyn Any; MAX_ARGUMENTS] = [&(); MAX_ARGUMENTS];
            for (argument, &parent) in arguments.iter_mut().zip(parents) {
                *argument = value(parent);
            }
            read(&arguments[..parents.len()])
        } else {
            let arguments: Vec<&dyn Any> = parents.iter().map(|&parent| value(parent)).collect();
            read(&arguments)
        }
    }

    fn finish(
        &mut self,
        slot: Slot,
        demand: Option<Datum>,
        chooser: &mut dyn Chooser,
    ) -> Result<(), ModelError> {
        if self.program.values[slot.index()].is_some() {
            return Ok(());
        }
        let element = self.program.instructions[slot.index()].element.clone();
        let fault = |fault: Fault| element.fault(fault);
        match element.kind() {
            Kind::Atomic(_) => Ok(()),
            Kind::Apply(_, op) => {
                let value = self
                    .arguments(slot, |values| op.call(values))
                    .map_err(fault)?;
                self.set_value(slot, value, demand)
            }
            Kind::Score(_, evidence) => {
                let parent = self.program.instructions[slot.index()].parents.as_ref();
                let parent = parent.and_then(|parents| parents.first().copied());
                let value = parent.and_then(|p| self.program.values[p.index()].clone());
                let value = value.expect("parents are evaluated first");
                let (linear, log) = evidence.weight(&element, value.as_any())?;
                self.weight.times(linear, log);
                self.set_value(slot, value, demand)
            }
            Kind::Chain(_, op) => {
                if let Some(family) = op.family() {
                    return self.member(slot, &element, family, demand, chooser);
                }
                let instruction = &self.program.instructions[slot.index()];
                let parents = instruction.parents.as_deref().unwrap_or_default();
                let key: Box<[Datum]> = parents
                    .iter()
                    .filter_map(|parent| self.program.values[parent.index()].clone())
                    .collect();
                let result = if let Some(&known) = instruction.branches.get(&key) {
                    known
                } else {
                    let (result, made) =
                        measured(|| self.arguments(slot, |values| op.call(values)));
                    let remembered = size_of_val(&*key) + BRANCH;
                    self.program.made += made.bytes.max(0).unsigned_abs() + remembered as u64;
                    let result = self.program.slot(&result.map_err(fault)?);
                    let instruction = &mut self.program.instructions[slot.index()];
                    instruction.branches.insert(key, result);
                    self.program.remembered += 1;
                    result
                };
                let demand = match self.observations {
                    Observations::Weigh => demand,
                    Observations::Compare => None,
                };
                self.steps.push(WorldStep::Branch(slot, result));
                self.steps.push(WorldStep::Enter(result, demand));
                Ok(())
            }
            Kind::Table(_, op) => {
                self.check(slot, || op.check())?;
                let row = self.arguments(slot, |values| {
                    let mut parents = values.iter().zip(op.states()).enumerate();
                    parents.try_fold(0, |row, (parent, (&value, states))| {
                        let state = states.index_of(value).ok_or(parent)?;
                        Ok::<_, usize>(row * states.len() + state)
                    })
                });
                let row = row.map_err(|parent| fault(Fault::no_state(parent)))?;
                let columns = op.values().len();
                let row = op.weights().row(row * columns, columns);
                let Some(value) = demand else {
                    let value = chooser.choose(&element, Choice::Row(op.values(), row))?;
                    return self.set_value(slot, value, None);
                };
                let (p, log) = match op.values().index_of(value.as_any()) {
                    Some(i) => (row.linear()[i], row.log(i)),
                    None => (0.0, f64::NEG_INFINITY),
                };
                self.weight.times(p, log);
                self.set_value(slot, value, None)
            }
        }
    }

    /// Evaluates a Chain that is a family from the values of its parents, without building an element for them.
    fn member(
        &mut self,
        slot: Slot,
        element: &AnyElement,
        family: &dyn FamilyOp,
        demand: Option<Datum>,
        chooser: &mut dyn Chooser,
    ) -> Result<(), ModelError> {
        let demanded = demand.filter(|_| self.observations == Observations::Weigh);
        let (value, log) = self.arguments(slot, |arguments| {
            family
                .check(arguments)
                .map_err(|problem| element.invalid(problem))?;
            if let Some(value) = demanded {
                let log = family.log_prob(arguments, value.as_any());
                return Ok((value, Some(log.map_err(|fault| element.fault(fault))?)));
            }
            let choice = Choice::Family(family, arguments);
            Ok((chooser.choose(element, choice)?, None))
        })?;
        if let Some(log) = log {
            self.weight.times(log.exp(), log);
            let instruction = &mut self.program.instructions[slot.index()];
            let continuous = instruction.continuous;
            let continuous = continuous.unwrap_or_else(|| family.is_continuous());
            instruction.continuous = Some(continuous);
            self.program.densities += usize::from(continuous);
        }
        self.set_value(slot, value, None)
    }

    /// Sets the value of a slot and weighs the evidence on it.
    fn set_value(
        &mut self,
        slot: Slot,
        value: Datum,
        demand: Option<Datum>,
    ) -> Result<(), ModelError> {
        if demand.is_some_and(|demand| demand != value) {
            self.contradict();
        }
        let instruction = &self.program.instructions[slot.index()];
        for evidence in &instruction.evidence {
            let (linear, log) = evidence.weight(&instruction.element, value.as_any())?;
            self.weight.times(linear, log);
        }
        self.program.held += value.heap_bytes() as u64;
        self.program.values[slot.index()] = Some(value);
        self.program.touched.push(slot);
        Ok(())
    }
}
