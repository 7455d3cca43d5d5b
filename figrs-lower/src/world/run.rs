//! Evaluation of one world, or of a part of a world, with a stack of steps and a stack of values.

use std::any::Any;

use rand::Rng;
use rustc_hash::FxHashSet;

use crate::Observations;
use figrs_core::element::likelihood::Likelihood;
use figrs_core::element::node::{AnyElement, Kind};
use figrs_core::element::step::{Choice, with_arguments};
use figrs_core::error::{Fault, ModelError};
use figrs_core::value::datum::Datum;
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

    /// Returns the size in bytes of the choices that the chooser stores, which counts towards the memory limit of the world.
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
    type Node;
    /// An element whose value must be computed outside the present evaluation.
    type Missing;

    fn observations(&self) -> Observations;

    fn element<'a>(&'a self, node: &'a Self::Node) -> &'a AnyElement;

    /// Looks up the value of `node`, and starts its evaluation if the value is not known. `demand` becomes the value that the element must have in a
    /// world of positive weight. `entered` is the number of elements whose evaluation has started, including this element; `bytes` is the number of
    /// bytes of the run.
    ///
    /// **Errors.** An error if the world exceeds its [`Limits`](figrs_core::Limits).
    fn begin(
        &mut self,
        node: &Self::Node,
        demand: &mut Option<Datum>,
        entered: usize,
        bytes: u64,
    ) -> Result<ElementStart<Self::Missing>, ModelError>;

    /// Returns the parent number `position` of an element.
    fn parent(&self, node: &Self::Node, position: usize) -> Self::Node;

    /// Checks the parameters of an element that are not values of parents.
    fn check(&mut self, node: &Self::Node) -> Result<(), ModelError> {
        self.element(node).check_parameters()
    }

    /// Returns the result of a Chain for the values `arguments` of its parents; `call` computes the result.
    fn result(
        &mut self,
        node: &Self::Node,
        arguments: &[Datum],
        call: impl FnOnce() -> Result<AnyElement, ModelError>,
    ) -> Result<Self::Node, ModelError>;

    fn is_recorded(&self, node: &Self::Node) -> bool;

    /// Records the value of an element, and multiplies `weight` by the weight of the evidence on the element.
    fn record_value(
        &mut self,
        node: Self::Node,
        value: &Datum,
        weight: &mut WorldWeight,
    ) -> Result<(), ModelError>;
}

/// An element whose value is missing, and the value that observations require of it, if there is one.
pub(crate) type MissingValue<M> = (M, Option<Datum>);

pub(crate) enum ElementStart<M> {
    Known(Datum),
    /// The evaluation must wait for the value of the element, which is computed elsewhere.
    Missing(M),
    Fixed(Datum),
    Open,
    /// Observations require two different values of the element; the world has weight zero.
    Contradiction,
}

struct WorldStep<N> {
    stage: Stage,
    node: N,
    /// The value that the element must have in a world of positive weight.
    demand: Option<Datum>,
}

#[derive(Clone, Copy)]
enum Stage {
    Begin,
    /// The values of the element's parents are on top of the value stack.
    Ready,
    /// The value of a Chain's result is on top of the value stack.
    Result,
}

/// The evaluation of elements in one world, by a stack of steps and a stack of values.
pub(crate) struct WorldRun<N> {
    steps: Vec<WorldStep<N>>,
    values: Vec<Datum>,
    pub(crate) weight: WorldWeight,
    /// Number of densities among the likelihoods of the world.
    pub(crate) densities: usize,
    /// Number of elements whose evaluation has started.
    pub(crate) entered: usize,
    /// The number of steps at which the steps are checked for cycles next.
    check_cycles_at: usize,
}

/// Number of steps at which the steps are first checked for cycles.
pub(crate) const FIRST_CHECK: usize = 1 << 12;

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

impl<N> WorldRun<N> {
    /// Clears the world, and keeps its memory for reuse.
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.values.clear();
        (self.weight, self.densities, self.entered) = (WorldWeight::ONE, 0, 0);
        self.check_cycles_at = FIRST_CHECK;
    }

    pub(crate) fn push(&mut self, node: N, demand: Option<Datum>) {
        let stage = Stage::Begin;
        self.steps.push(WorldStep {
            stage,
            node,
            demand,
        });
    }

    /// Takes the value of the last evaluated element, after all steps; returns `None` if the world contradicts the evidence.
    pub(crate) fn take_value(&mut self) -> Option<Datum> {
        self.values.pop().filter(|_| !self.weight.is_zero())
    }

    pub(crate) fn bytes(&self) -> u64 {
        let steps = self.steps.capacity() * size_of::<WorldStep<N>>();
        (steps + self.values.capacity() * size_of::<Datum>()) as u64
    }

    /// Takes steps until none are left or a value is missing; in the latter case, returns the element whose value is missing.
    pub(crate) fn advance<W: World<Node = N>>(
        &mut self,
        world: &mut W,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> Result<Option<MissingValue<W::Missing>>, ModelError> {
        while let Some(mut step) = self.steps.pop() {
            match step.stage {
                Stage::Begin => {
                    self.entered += 1;
                    if self.steps.len() >= self.check_cycles_at {
                        self.check_cycles(world)?;
                    }
                    let bytes = self.bytes() + chooser.bytes();
                    match world.begin(&step.node, &mut step.demand, self.entered, bytes)? {
                        ElementStart::Known(value) => {
                            self.entered -= 1;
                            self.compare(step.demand.as_ref(), &value);
                            self.values.push(value);
                        }
                        ElementStart::Missing(missing) => {
                            self.entered -= 1;
                            let demand = step.demand.clone();
                            self.steps.push(step);
                            return Ok(Some((missing, demand)));
                        }
                        ElementStart::Fixed(value) => {
                            self.compare(step.demand.as_ref(), &value);
                            self.set_value(step.node, value, world)?;
                        }
                        ElementStart::Open => self.open(step, world, chooser)?,
                        ElementStart::Contradiction => self.contradict(),
                    }
                }
                Stage::Ready => self.finish(step, world, chooser)?,
                Stage::Result => {
                    if let Some(value) = self.values.pop() {
                        self.set_value(step.node, value, world)?;
                    }
                }
            }
            if self.weight.is_zero() {
                self.steps.clear();
            }
        }
        Ok(None)
    }

    /// Returns an error if a Chain waits for a result that waits for the same Chain. This check is made each time that the number of steps has
    /// doubled, so that its cost is low.
    #[cold]
    fn check_cycles<W: World<Node = N>>(&mut self, world: &W) -> Result<(), ModelError> {
        self.check_cycles_at = 2 * self.steps.len();
        let mut waiting = FxHashSet::default();
        let steps = self.steps.iter();
        let results = steps.filter(|step| matches!(step.stage, Stage::Result));
        for element in results.map(|step| world.element(&step.node)) {
            if !waiting.insert(element.id()) {
                return Err(element.fault(Fault::Cyclic));
            }
        }
        Ok(())
    }

    /// Gives the world the weight zero if the required value `demand` differs from the value `value`.
    fn compare(&mut self, demand: Option<&Datum>, value: &Datum) {
        if demand.is_some_and(|demand| demand != value) {
            self.contradict();
        }
    }

    fn contradict(&mut self) {
        self.weight.times(0.0, f64::NEG_INFINITY);
    }

    /// Schedules the parents of an element, and then the element itself; an element without parents is evaluated immediately.
    fn open<W: World<Node = N>>(
        &mut self,
        step: WorldStep<N>,
        world: &mut W,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> Result<(), ModelError> {
        let element = world.element(&step.node);
        let arity = element.parents().len();
        let mut demands = match world.observations() {
            Observations::Weigh => element.demands(step.demand.as_ref()),
            Observations::Compare => Vec::new(),
        };
        let stage = Stage::Ready;
        let step = WorldStep { stage, ..step };
        if arity == 0 {
            return self.finish(step, world, chooser);
        }
        let at = self.steps.len();
        self.steps.push(step);
        for position in (0..arity).rev() {
            let demand = demands.get_mut(position).and_then(Option::take);
            let parent = world.parent(&self.steps[at].node, position);
            self.push(parent, demand);
        }
        Ok(())
    }

    /// Evaluates an element, given the values of its parents.
    fn finish<W: World<Node = N>>(
        &mut self,
        step: WorldStep<N>,
        world: &mut W,
        chooser: &mut (impl Chooser + ?Sized),
    ) -> Result<(), ModelError> {
        let WorldStep { node, demand, .. } = step;
        let element = world.element(&node).clone();
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
                let (linear, log) = evidence.weight(&element, value.as_any())?;
                self.weight.times(linear, log);
                self.compare(demand.as_ref(), &value);
                value
            }
            Kind::Chain(_, op) if op.family().is_none() => {
                let values = &self.values[parents..];
                let call = |arguments: &[&dyn Any]| op.call(arguments).map_err(fault);
                let result = world.result(&node, values, || {
                    with_arguments(values.iter().map(Datum::as_any), call)
                })?;
                self.values.truncate(parents);
                if world.is_recorded(&node) {
                    let (stage, demand) = (Stage::Result, None);
                    self.steps.push(WorldStep {
                        stage,
                        node,
                        demand,
                    });
                }
                self.push(result, demand);
                return Ok(());
            }
            Kind::Atomic(_) | Kind::Chain(..) | Kind::Table(..) => {
                world.check(&node)?;
                let arguments = self.values[parents..].iter().map(Datum::as_any);
                let (value, weight) = with_arguments(arguments, |arguments| {
                    let choice = element.choice(arguments)?;
                    let choice = choice.expect("the element makes a choice");
                    match demand {
                        None => Ok::<_, ModelError>((chooser.choose(&element, choice)?, None)),
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
        self.set_value(node, value, world)
    }

    /// Records the value of an element, and puts the value on the stack.
    fn set_value<W: World<Node = N>>(
        &mut self,
        node: N,
        value: Datum,
        world: &mut W,
    ) -> Result<(), ModelError> {
        if world.is_recorded(&node) {
            world.record_value(node, &value, &mut self.weight)?;
        }
        self.values.push(value);
        Ok(())
    }
}
