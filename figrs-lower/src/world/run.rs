//! Evaluation of one world, or of a part of a world, by recursion of limited depth, with a stack of steps and a stack of values.

use std::any::Any;
use std::borrow::Cow;

use rand::Rng;
use rustc_hash::FxHashSet;

use crate::Observations;
use figrs_core::element::node::Kind;
use figrs_core::element::step::{Choice, with_arguments};
use figrs_core::{AnyElement, Datum, Fault, Likelihood, ModelError};
use figrs_factor::graph::WorldWeight;

/// A source of the values of random choices, such as random numbers or the enumeration of all outcomes.
pub trait Chooser {
    /// Chooses a value for the random choice `choice` of `element`.
    fn choose(&mut self, element: &AnyElement, choice: Choice<'_>) -> Result<Datum, ModelError>;

    /// Draws a value for `element` from the normalised product of its distribution and `likelihood`; returns `None` if the chooser or the
    /// distribution does not support such draws.
    fn choose_conditional(
        &mut self,
        element: &AnyElement,
        choice: Choice<'_>,
        likelihood: &Likelihood,
    ) -> Result<Option<Datum>, ModelError> {
        let _ = (element, choice, likelihood);
        Ok(None)
    }

    /// Returns the size in bytes of the choices that the source of random choices stores, which counts towards the memory limit of the world.
    fn bytes(&self) -> u64 {
        0
    }
}

impl<R: Rng> Chooser for R {
    #[inline]
    fn choose(&mut self, element: &AnyElement, choice: Choice<'_>) -> Result<Datum, ModelError> {
        choice.sample(self).map_err(|fault| element.fault(fault))
    }

    fn choose_conditional(
        &mut self,
        element: &AnyElement,
        choice: Choice<'_>,
        likelihood: &Likelihood,
    ) -> Result<Option<Datum>, ModelError> {
        let drawn = choice.sample_conditional(likelihood, self);
        drawn.map_err(|fault| element.fault(fault))
    }
}

/// The known values of a world, and the records of its elements.
pub(crate) trait World {
    /// The implementor's record of an element.
    type Node: Copy;
    /// An element whose value is not known yet, and must be computed outside the evaluation that needs the value.
    type Missing;

    fn observations(&self) -> Observations;

    /// Looks up the value of an element, and starts its evaluation if the value is not known. The evaluation sets `demand` to the value that the
    /// element must have in a world of positive weight. `entered` is the number of elements whose evaluation has started, including this element;
    /// `bytes` is the memory in bytes that the evaluation uses.
    ///
    /// **Errors.** An error if the world exceeds its [`Limits`](figrs_core::Limits), such as the maximum number of elements.
    fn begin(
        &mut self,
        of: (&AnyElement, Self::Node),
        demand: &mut Option<Datum>,
        entered: usize,
        bytes: u64,
    ) -> Result<ElementStart<Self::Missing>, ModelError>;

    /// Returns the parent of an element at the index `position` in the list of its parents, with the parent's record.
    fn parent<'a>(
        &self,
        of: (&'a AnyElement, Self::Node),
        position: usize,
    ) -> (Cow<'a, AnyElement>, Self::Node);

    /// Checks those parameters of an element that are constants, not values of parents.
    fn check(&mut self, (element, _): (&AnyElement, Self::Node)) -> Result<(), ModelError> {
        element.check_parameters()
    }

    /// Returns the element that a `Chain` selects for the values `arguments` of its parents; `call` computes this element.
    fn result(
        &mut self,
        chain: Self::Node,
        arguments: &[Datum],
        call: impl FnOnce() -> Result<AnyElement, ModelError>,
    ) -> Result<(AnyElement, Self::Node), ModelError>;

    fn is_recorded(&self, node: Self::Node) -> bool;

    /// Records the value of an element, and multiplies `weight` by the weight that the evidence on the element gives to the value.
    fn record_value(
        &mut self,
        of: (&AnyElement, Self::Node),
        value: &Datum,
        weight: &mut WorldWeight,
    ) -> Result<(), ModelError>;
}

/// An element whose value is missing, and the value that observations require of it, if there is one.
pub(crate) type MissingValue<M> = (M, Option<Datum>);

pub(crate) enum ElementStart<M> {
    Known(Datum),
    /// The evaluation must wait until the value of the element has been computed elsewhere.
    Missing(M),
    Fixed(Datum),
    Open,
    /// Observations require two different values of the element, so that the world has weight zero.
    Contradiction,
}

struct WorldStep<N> {
    stage: Stage,
    element: AnyElement,
    node: N,
    /// The value that the element must have in a world of positive weight, because of an observation.
    demand: Option<Datum>,
}

#[derive(Clone, Copy)]
enum Stage {
    Begin,
    /// The values of the element's parents are on top of the value stack.
    Ready,
    /// The value of the element that a `Chain` selects is on top of the value stack.
    Result,
}

impl<N> WorldStep<N> {
    fn new(stage: Stage, (element, node): (&AnyElement, N), demand: Option<Datum>) -> Self {
        Self {
            stage,
            element: element.clone(),
            node,
            demand,
        }
    }
}

/// The progress of the evaluation of an element.
enum Progress<M> {
    /// The evaluation has ended: the value of the element is on top of the value stack, or the world contradicts the evidence.
    Finished,
    /// The remaining steps of the evaluation are on top of the stack of steps.
    Scheduled,
    /// The remaining steps are on the stack as for `Scheduled`, but the first step must wait for a missing value.
    Missing(MissingValue<M>),
}

/// The evaluation of elements in one world. Elements are evaluated by recursion up to the depth [`MAX_DEPTH`]; a stack has the remaining steps of
/// deeper evaluations, and of evaluations that wait for values. Besides the stack of steps, a second stack has the values of evaluated elements.
pub(crate) struct WorldRun<N> {
    steps: Vec<WorldStep<N>>,
    values: Vec<Datum>,
    pub(crate) weight: WorldWeight,
    /// Number of probability densities among the likelihoods of the world.
    pub(crate) densities: usize,
    /// Number of elements of the world whose evaluation has started.
    pub(crate) entered: usize,
    /// The number of evaluation steps at which the next check for cycles of waiting elements is made.
    check_cycles_at: usize,
}

/// Number of evaluation steps at which the first check for cycles of waiting elements is made.
pub(crate) const FIRST_CHECK: usize = 1 << 12;

/// Maximum depth of the recursion in the evaluation of elements.
const MAX_DEPTH: usize = 32;

impl<N> Default for WorldRun<N> {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            values: Vec::new(),
            weight: WorldWeight::ONE,
            densities: 0,
            entered: 0,
            check_cycles_at: FIRST_CHECK,
        }
    }
}

impl<N: Copy> WorldRun<N> {
    /// Clears the values and the weight of the world, and keeps the memory for reuse.
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.values.clear();
        (self.weight, self.densities, self.entered) = (WorldWeight::ONE, 0, 0);
        self.check_cycles_at = FIRST_CHECK;
    }

    /// Takes the value of the last evaluated element, after all steps of the evaluation; returns `None` if the world contradicts the evidence.
    pub(crate) fn take_value(&mut self) -> Option<Datum> {
        self.values.pop().filter(|_| !self.weight.is_zero())
    }

    pub(crate) fn bytes(&self) -> u64 {
        let steps = self.steps.capacity() * size_of::<WorldStep<N>>();
        (steps + self.values.capacity() * size_of::<Datum>()) as u64
    }

    /// Starts the evaluation of an element; observations may require the value `demand` of the element. Returns the element whose value is missing if
    /// the evaluation must wait for a value; [`advance`](Self::advance) then continues the evaluation.
    pub(crate) fn start<W: World<Node = N>>(
        &mut self,
        of: (&AnyElement, N),
        demand: Option<Datum>,
        world: &mut W,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> Result<Option<MissingValue<W::Missing>>, ModelError> {
        match self.evaluate(of, demand, 0, (world, chooser))? {
            Progress::Missing(missing) => Ok(Some(missing)),
            Progress::Finished | Progress::Scheduled => self.advance(world, chooser),
        }
    }

    /// Takes steps of the evaluation until none are left or a value is missing; in the latter case, returns the element whose value is missing.
    pub(crate) fn advance<W: World<Node = N>>(
        &mut self,
        world: &mut W,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> Result<Option<MissingValue<W::Missing>>, ModelError> {
        while !self.weight.is_zero() {
            let Some(WorldStep {
                stage,
                element,
                node,
                demand,
            }) = self.steps.pop()
            else {
                return Ok(None);
            };
            let of = (&element, node);
            let progress = match stage {
                Stage::Begin => {
                    if self.steps.len() >= self.check_cycles_at {
                        self.check_cycles()?;
                    }
                    self.evaluate(of, demand, 0, (world, chooser))?
                }
                Stage::Ready => self.finish(of, demand, 0, (world, chooser))?,
                Stage::Result => self.set_result(of, world)?,
            };
            if let Progress::Missing(missing) = progress {
                return Ok(Some(missing));
            }
        }
        self.steps.clear();
        Ok(None)
    }

    /// Returns an error if a `Chain` waits for the value of an element that waits for the same `Chain`. The check for cycles of waiting `Chain`s is
    /// made only when the number of steps has doubled since the last check, so that its cost is low.
    #[cold]
    fn check_cycles(&mut self) -> Result<(), ModelError> {
        self.check_cycles_at = 2 * self.steps.len();
        let mut waiting = FxHashSet::default();
        let results = self.steps.iter();
        let results = results.filter(|step| matches!(step.stage, Stage::Result));
        for WorldStep { element, .. } in results {
            if !waiting.insert(element.id()) {
                return Err(element.fault(Fault::Cyclic));
            }
        }
        Ok(())
    }

    /// Gives the world the weight zero if the value `demand` that observations require differs from the value `value` of the element.
    fn compare(&mut self, demand: Option<&Datum>, value: &Datum) {
        if demand.is_some_and(|demand| demand != value) {
            self.contradict();
        }
    }

    fn contradict(&mut self) {
        self.weight.times(0.0, f64::NEG_INFINITY);
    }

    /// Evaluates an element after the evaluation of its parents.
    fn evaluate<W: World<Node = N>>(
        &mut self,
        of: (&AnyElement, N),
        mut demand: Option<Datum>,
        depth: usize,
        (world, chooser): (&mut W, &mut (impl Chooser + ?Sized)),
    ) -> Result<Progress<W::Missing>, ModelError> {
        if depth > MAX_DEPTH {
            self.steps.push(WorldStep::new(Stage::Begin, of, demand));
            return Ok(Progress::Scheduled);
        }
        let bytes = self.bytes() + chooser.bytes();
        match world.begin(of, &mut demand, self.entered + 1, bytes)? {
            ElementStart::Known(value) => {
                self.compare(demand.as_ref(), &value);
                self.values.push(value);
                return Ok(Progress::Finished);
            }
            ElementStart::Missing(missing) => {
                let step = WorldStep::new(Stage::Begin, of, demand.clone());
                self.steps.push(step);
                return Ok(Progress::Missing((missing, demand)));
            }
            ElementStart::Fixed(value) => {
                self.entered += 1;
                self.compare(demand.as_ref(), &value);
                self.set_value(of, value, world)?;
                return Ok(Progress::Finished);
            }
            ElementStart::Contradiction => {
                self.contradict();
                return Ok(Progress::Finished);
            }
            ElementStart::Open => self.entered += 1,
        }
        let mut demands = match world.observations() {
            Observations::Weigh => of.0.demands(demand.as_ref()),
            Observations::Compare => Vec::new(),
        };
        let (arity, below) = (of.0.parents().len(), self.steps.len());
        for position in 0..arity {
            let mut demand_of = |at| demands.get_mut(at).and_then(Option::take);
            let (parent, node) = world.parent(of, position);
            let demand_here = demand_of(position);
            let progress =
                self.evaluate((&parent, node), demand_here, depth + 1, (world, chooser))?;
            if self.weight.is_zero() {
                return Ok(Progress::Finished);
            }
            if !matches!(progress, Progress::Finished) {
                // The steps of the other parents and of the element come after the steps of this parent, and therefore below them in the stack.
                let ready = WorldStep::new(Stage::Ready, of, demand);
                let others = (position + 1..arity).rev().map(|later| {
                    let (parent, node) = world.parent(of, later);
                    WorldStep::new(Stage::Begin, (&parent, node), demand_of(later))
                });
                let later = std::iter::once(ready).chain(others);
                self.steps.splice(below..below, later);
                return Ok(progress);
            }
        }
        self.finish(of, demand, depth, (world, chooser))
    }

    /// Evaluates an element, given the values of its parents.
    fn finish<W: World<Node = N>>(
        &mut self,
        of: (&AnyElement, N),
        demand: Option<Datum>,
        depth: usize,
        (world, chooser): (&mut W, &mut (impl Chooser + ?Sized)),
    ) -> Result<Progress<W::Missing>, ModelError> {
        let element = of.0;
        let parents = self.values.len() - element.parents().len();
        let fault = |fault: Fault| element.fault(fault);
        let value = match element.kind() {
            Kind::Apply(_, op) => {
                let arguments = self.values[parents..].iter().map(Datum::as_any);
                let value = with_arguments(arguments, |arguments| op.call(arguments));
                let value = value.map_err(fault)?;
                self.compare(demand.as_ref(), &value);
                value
            }
            Kind::Score(_, evidence) => {
                let value = self.values[parents].clone();
                let (linear, log) = evidence.weight(element, value.as_any())?;
                self.weight.times(linear, log);
                self.compare(demand.as_ref(), &value);
                value
            }
            Kind::Chain(_, op) if op.family().is_none() => {
                let values = &self.values[parents..];
                let call = |arguments: &[&dyn Any]| op.call(arguments).map_err(fault);
                let (result, node) = world.result(of.1, values, || {
                    with_arguments(values.iter().map(Datum::as_any), call)
                })?;
                self.values.truncate(parents);
                let below = self.steps.len();
                let progress =
                    self.evaluate((&result, node), demand, depth + 1, (world, chooser))?;
                if !world.is_recorded(of.1) || self.weight.is_zero() {
                    return Ok(progress);
                }
                if matches!(progress, Progress::Finished) {
                    return self.set_result(of, world);
                }
                let step = WorldStep::new(Stage::Result, of, None);
                self.steps.insert(below, step);
                return Ok(progress);
            }
            Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..) => {
                world.check(of)?;
                let arguments = self.values[parents..].iter().map(Datum::as_any);
                let (value, weight) = with_arguments(arguments, |arguments| {
                    let choice = element.choice(arguments)?;
                    let choice = choice.expect("the element makes a choice");
                    match demand {
                        None => Ok::<_, ModelError>((chooser.choose(element, choice)?, None)),
                        Some(value) => {
                            let weight = choice.weight(value.as_any()).map_err(fault)?;
                            Ok((value, Some(weight)))
                        }
                    }
                })?;
                if let Some(WorldWeight { linear, log }) = weight {
                    self.weight.times(linear, log);
                    let is_density = !value.is_countable() && element.is_continuous()?;
                    self.densities += usize::from(is_density);
                }
                value
            }
        };
        self.values.truncate(parents);
        self.set_value(of, value, world)?;
        Ok(Progress::Finished)
    }

    /// Records the value of an element, and puts this value on the stack of values.
    fn set_value<W: World<Node = N>>(
        &mut self,
        of: (&AnyElement, N),
        value: Datum,
        world: &mut W,
    ) -> Result<(), ModelError> {
        if world.is_recorded(of.1) {
            world.record_value(of, &value, &mut self.weight)?;
        }
        self.values.push(value);
        Ok(())
    }

    /// Takes the value on top of the stack, which belongs to the element that a `Chain` selects, and records it as the value of the `Chain`.
    fn set_result<W: World<Node = N>>(
        &mut self,
        of: (&AnyElement, N),
        world: &mut W,
    ) -> Result<Progress<W::Missing>, ModelError> {
        if let Some(value) = self.values.last() {
            world.record_value(of, value, &mut self.weight)?;
        }
        Ok(Progress::Finished)
    }
}
