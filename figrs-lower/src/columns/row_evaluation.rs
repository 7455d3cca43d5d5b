//! A branch of a Chain evaluated for one row, element by element.
//!
//! Columns gain nothing where nearly every row takes its own branch: the sets of rows of its elements cost more than
//! their values. Such a branch is evaluated like a single world, with a stack of steps and a stack of values. An element that
//! every world has is read from its column; if it has no value yet, the row waits for it.

use std::any::Any;

use rand::RngExt;

use super::atomic::{atomic, is_density};
use super::block::Block;
use super::column::ColumnSlot;
use super::known_values::KnownValues;
use crate::Observations;
use figrs_core::element::node::{AnyElement, ChainOp, Kind, TableOp};
use figrs_core::error::{Fault, ModelError};
use figrs_core::random::Stream;
use figrs_core::value::datum::Datum;
use figrs_factor::graph::WorldWeight;

/// Next step of the evaluation of an element.
struct EvaluationStep {
    stage: EvaluationStage,
    element: AnyElement,
    /// `true` if only one reader refers to the element, so that it is evaluated once.
    own: bool,
    /// The value that the element must have if the row is to keep a positive weight.
    demand: Option<Datum>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EvaluationStage {
    Begin,
    /// The values of its parents are on top of the stack.
    Ready,
    /// The value of a Chain's result is on top of the stack.
    Result,
}

/// A row that is being evaluated in a branch.
pub(super) struct RowEvaluation {
    pub(super) row: u32,
    steps: Vec<EvaluationStep>,
    values: Vec<Datum>,
    pub(super) known: KnownValues,
    pub(super) weight: WorldWeight,
    /// Densities among the likelihoods.
    pub(super) densities: u32,
    /// Elements evaluated.
    pub(super) entered: usize,
}

impl RowEvaluation {
    /// A row at the beginning of a branch. `own` is `true` if nothing else refers to the branch's element; the stacks of a finished row are
    /// reused.
    pub(super) fn new(
        row: u32,
        (element, own): (AnyElement, bool),
        demand: Option<Datum>,
        finished: Option<Self>,
    ) -> Self {
        let stacks = finished.map(|single| (single.steps, single.values, single.known));
        let (mut steps, mut values, known) = stacks.unwrap_or_default();
        steps.clear();
        values.clear();
        let mut single = Self {
            row,
            steps,
            values,
            known,
            weight: WorldWeight::ONE,
            densities: 0,
            entered: 0,
        };
        single.push_element(element, own, demand);
        single
    }

    /// Approximate size in bytes of the remaining steps and the known values.
    pub(super) fn bytes(&self) -> u64 {
        let steps = self.steps.capacity() * size_of::<EvaluationStep>();
        let values = self.values.capacity() * size_of::<Datum>();
        (steps + values + self.known.bytes()) as u64
    }

    /// Takes the value, once no steps are left; `None` if the row contradicts the evidence.
    pub(super) fn take_value(&mut self) -> Option<Datum> {
        self.values.pop().filter(|_| !self.weight.is_zero())
    }

    fn push_element(&mut self, element: AnyElement, own: bool, demand: Option<Datum>) {
        self.steps.push(EvaluationStep {
            stage: EvaluationStage::Begin,
            element,
            own,
            demand,
        });
    }

    /// Advances until the row is finished, or has to wait for the value of an element that every world has. Returns that
    /// element's slot, and the value demanded of it if there is one.
    pub(super) fn run(
        &mut self,
        block: &mut Block,
        rng: &mut Stream,
    ) -> Result<Option<(ColumnSlot, Option<Datum>)>, ModelError> {
        while let Some(mut step) = self.steps.pop() {
            if let Some(policy) = block.policy(&step.element) {
                step.element = policy.clone();
            }
            match step.stage {
                EvaluationStage::Begin => {
                    if !step.own {
                        match self.known(&step.element, block) {
                            Ok(None) => {}
                            Ok(Some(value)) => {
                                self.compare(&step, &value);
                                self.values.push(value);
                                continue;
                            }
                            Err(slot) => {
                                let demand = step.demand.clone();
                                self.steps.push(step);
                                return Ok(Some((slot, demand)));
                            }
                        }
                    }
                    self.start_step(step, block, rng)?;
                }
                EvaluationStage::Ready => self.finish(step, block, rng)?,
                EvaluationStage::Result => {
                    if let Some(value) = self.values.pop() {
                        self.finish_step(step, value, 0);
                    }
                }
            }
            if self.weight.is_zero() {
                self.steps.clear();
            }
        }
        Ok(None)
    }

    /// The value of an element in this row, if it is known; or the slot to wait for.
    fn known(&self, element: &AnyElement, block: &mut Block) -> Result<Option<Datum>, ColumnSlot> {
        if let Some(value) = self.known.get(element) {
            return Ok(Some(value.clone()));
        }
        let slot = block.known_slot(element);
        if let Some(value) = slot.and_then(|slot| block.value_in(slot, self.row)) {
            return Ok(Some(value));
        }
        match slot.filter(|slot| block.is_in_every_world(*slot)) {
            Some(slot) => Err(slot),
            None => Ok(block.intervention(element)),
        }
    }

    fn start_step(
        &mut self,
        step: EvaluationStep,
        block: &Block,
        rng: &mut Stream,
    ) -> Result<(), ModelError> {
        self.entered += 1;
        block.check_single(self.row, (self.entered, self.bytes()), &step.element)?;
        let weigh = block.observations == Observations::Weigh;
        let demands = match step.element.kind() {
            Kind::Atomic(_) => return self.atomic(step, rng),
            Kind::Apply(_, op) => step.demand.as_ref().and_then(|value| op.demand(value)),
            Kind::Score(_, evidence) if weigh => {
                let observed = evidence.observed().or(step.demand.as_ref());
                Some(vec![observed.cloned()])
            }
            Kind::Score(..) | Kind::Chain(..) | Kind::Table(..) => None,
        };
        let element = step.element.clone();
        let stage = EvaluationStage::Ready;
        self.steps.push(EvaluationStep { stage, ..step });
        let mut demands = demands.unwrap_or_default();
        for (i, parent) in element.parents().iter().enumerate().rev() {
            let demand = demands.get_mut(i).and_then(Option::take);
            // Checked before the clone, which is another reference.
            let own = parent.is_unshared();
            self.push_element(parent.clone(), own, demand);
        }
        Ok(())
    }

    fn atomic(&mut self, step: EvaluationStep, rng: &mut Stream) -> Result<(), ModelError> {
        let Some(op) = atomic(&step.element) else {
            return Ok(());
        };
        let element = &step.element;
        op.check().map_err(|problem| element.invalid(problem))?;
        let fault = |fault: Fault| element.fault(fault);
        let value = match &step.demand {
            None => op.sample(rng).map_err(fault)?,
            Some(value) => {
                let log = op.log_prob(value.as_any()).map_err(fault)?;
                self.weight.times(log.exp(), log);
                self.densities += u32::from(is_density(element, value)?);
                value.clone()
            }
        };
        self.finish_step(step, value, 0);
        Ok(())
    }

    /// Evaluates an element whose parents have values.
    fn finish(
        &mut self,
        step: EvaluationStep,
        block: &Block,
        rng: &mut Stream,
    ) -> Result<(), ModelError> {
        let element = &step.element;
        let arity = element.parents().len();
        let arguments = &self.values[self.values.len() - arity..];
        let fault = |fault: Fault| element.fault(fault);
        let value = match element.kind() {
            Kind::Atomic(_) => return Ok(()),
            Kind::Apply(_, op) => {
                let value = with_values(arguments, |values| op.call(values)).map_err(fault)?;
                self.compare(&step, &value);
                value
            }
            Kind::Score(_, evidence) => {
                let value = arguments[0].clone();
                let (linear, log) = evidence.weight(element, value.as_any())?;
                self.weight.times(linear, log);
                self.compare(&step, &value);
                value
            }
            Kind::Table(_, op) => self.table(&step, arity, &**op, rng)?,
            Kind::Chain(_, op) if op.family().is_some() => self.member(&step, arity, &**op, rng)?,
            Kind::Chain(_, op) => {
                let result = with_values(arguments, |values| op.call(values)).map_err(fault)?;
                self.values.truncate(self.values.len() - arity);
                let weigh = block.observations == Observations::Weigh;
                let demand = step.demand.clone().filter(|_| weigh);
                if !step.own {
                    let stage = EvaluationStage::Result;
                    self.steps.push(EvaluationStep { stage, ..step });
                }
                let own = result.is_unshared();
                self.push_element(result, own, demand);
                return Ok(());
            }
        };
        self.finish_step(step, value, arity);
        Ok(())
    }

    /// A value from a row of a table; a demanded value is weighed with its probability.
    fn table(
        &mut self,
        step: &EvaluationStep,
        arity: usize,
        op: &dyn TableOp,
        rng: &mut Stream,
    ) -> Result<Datum, ModelError> {
        let element = &step.element;
        op.check().map_err(|problem| element.invalid(problem))?;
        let arguments = &self.values[self.values.len() - arity..];
        let mut parents = arguments.iter().zip(op.states()).enumerate();
        let row = parents.try_fold(0, |row, (parent, (value, states))| {
            let state = states.index_of(value.as_any()).ok_or(parent)?;
            Ok::<_, usize>(row * states.len() + state)
        });
        let row = row.map_err(|parent| element.fault(Fault::no_state(parent)))?;
        let columns = op.values().len();
        let row = op.weights().row(row * columns, columns);
        let Some(value) = &step.demand else {
            return Ok(op.values().datum(row.pick(rng.random())));
        };
        let (linear, log) = match op.values().index_of(value.as_any()) {
            Some(i) => (row.linear()[i], row.log(i)),
            None => (0.0, f64::NEG_INFINITY),
        };
        self.weight.times(linear, log);
        Ok(value.clone())
    }

    /// The value of a member of a family; a demanded value is weighed with its probability.
    fn member(
        &mut self,
        step: &EvaluationStep,
        arity: usize,
        op: &dyn ChainOp,
        rng: &mut Stream,
    ) -> Result<Datum, ModelError> {
        let element = &step.element;
        let arguments = &self.values[self.values.len() - arity..];
        let Some(family) = op.family() else {
            return Err(element.invalid("is no member of a family".into()));
        };
        let fault = |fault: Fault| element.fault(fault);
        let (value, log) = with_values(arguments, |values| {
            let checked = family.check(values);
            checked.map_err(|problem| element.invalid(problem))?;
            match &step.demand {
                None => Ok((family.sample(values, rng).map_err(fault)?, None)),
                Some(value) => {
                    let log = family.log_prob(values, value.as_any()).map_err(fault)?;
                    Ok((value.clone(), Some(log)))
                }
            }
        })?;
        if let Some(log) = log {
            self.weight.times(log.exp(), log);
            self.densities += u32::from(family.is_continuous());
        }
        Ok(value)
    }

    /// Gives the row a weight of zero if another value is demanded.
    fn compare(&mut self, step: &EvaluationStep, value: &Datum) {
        if step.demand.as_ref().is_some_and(|demand| demand != value) {
            self.weight.times(0.0, f64::NEG_INFINITY);
        }
    }

    /// Replaces the values of an element's parents by its own.
    fn finish_step(&mut self, step: EvaluationStep, value: Datum, arity: usize) {
        self.values.truncate(self.values.len() - arity);
        if !step.own {
            self.known.insert(step.element, value.clone());
        }
        self.values.push(value);
    }
}

impl Block {
    /// Number of elements that a row has evaluated outside of columns.
    fn single_count(&self, row: u32) -> usize {
        self.singles
            .get(row as usize)
            .map_or(0, |&count| count as usize)
    }

    /// An error if a row evaluates more elements or holds more bytes than are allowed, or the run is over.
    fn check_single(
        &self,
        row: u32,
        (entered, held): (usize, u64),
        element: &AnyElement,
    ) -> Result<(), ModelError> {
        if self.single_count(row) + entered < self.limit.elements {
            self.limit.check_time(element)?;
            return self.limit.check(element, self.bytes.made_bytes() + held);
        }
        Err(ModelError::TooManyElements {
            element: element.label(),
            limit: self.limit.elements,
        })
    }
}

/// Passes values on without their types.
fn with_values<R>(values: &[Datum], read: impl FnOnce(&[&dyn Any]) -> R) -> R {
    const MAX_ARGUMENTS: usize = 16;
    if values.len() <= MAX_ARGUMENTS {
        let mut arguments: [&dyn Any; MAX_ARGUMENTS] = [&(); MAX_ARGUMENTS];
        for (argument, value) in arguments.iter_mut().zip(values) {
            *argument = value.as_any();
        }
        return read(&arguments[..values.len()]);
    }
    let arguments: Vec<&dyn Any> = values.iter().map(Datum::as_any).collect();
    read(&arguments)
}
