//! A model compiled to the reachable states (joint values) of its frontiers. A frontier is the set of elements that the sweep has visited and that
//! later elements read.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use figrs_core::{AnyElement, Datum, Element, Label, Limits, Model, Support, Value, stream};
use num_bigint::BigUint;
use rand::Rng;
use rustc_hash::FxHashMap;

use super::explore::Exploration;
use super::messages::BackwardMessages;
use super::queries;
use super::queries::TargetWorld;
use crate::compiled::Compiled;
use figrs_answer::answer::world::WorldDecoder;
use figrs_answer::{
    Answer, Error, Estimate, LogEvidence, Marginal, TargetMarginal, World, conflict,
};
use figrs_factor::algebra::{Counting, LogSumProduct, MaxProduct, SumProduct};

/// The backward messages of a frontier sweep: for each state of each frontier, the sum of the weights of all ways to continue from the state. The
/// backward messages are ordinary numbers or, if ordinary numbers overflow or underflow, logarithms.
#[derive(Debug)]
enum TotalMessages {
    Plain(BackwardMessages<SumProduct>),
    Logs(BackwardMessages<LogSumProduct>),
}

/// A model compiled by [`Frontier`](super::Frontier): the states (joint values) of all frontiers, and backward messages from the last frontier to the
/// first.
///
/// A world of a compiled frontier contains only the values of the targets.
///
/// ```
/// # use figrs_core::{Flip, Model, fold};
/// # use figrs_exact::{Compiled, Frontier};
/// let coins: Vec<_> = (0..100).map(|_| Flip::new(0.5)).collect();
/// let heads = fold(&coins, 0u32, |heads, &coin| heads + u32::from(coin));
/// let compiled = Frontier::new().compile(&Model::new().observe(&heads, 2), &coins)?;
/// assert_eq!(compiled.count()?.to_string(), "4950");
/// for world in compiled.samples(7)?.take(3) {
///     assert_eq!(world.values(&coins)?.iter().filter(|coin| **coin).count(), 2);
/// }
/// # Ok::<(), figrs_answer::Error>(())
/// ```
///
/// Several threads may query a compiled frontier at the same time, and its clones share all data.
#[derive(Clone, Debug)]
pub struct CompiledFrontier {
    model: Model,
    /// Maximum number of bytes of the backward messages.
    memory: u64,
    names: Arc<TargetNames>,
    explored: Arc<Exploration>,
    sums: Arc<TotalMessages>,
    log_evidence: f64,
    marginals: Arc<OnceLock<Vec<Vec<f64>>>>,
}

/// The targets; a world of the compiled frontier consists of their values.
#[derive(Debug)]
struct TargetNames {
    targets: Vec<AnyElement>,
    positions: FxHashMap<figrs_core::ElementId, usize>,
    supports: Vec<Support>,
}

impl WorldDecoder for TargetNames {
    fn value(&self, element: &AnyElement, values: &[u32]) -> Option<Datum> {
        let &target = self.positions.get(&element.id())?;
        Some(self.supports[target].datum(values[target] as usize))
    }

    fn elements(&self) -> Vec<AnyElement> {
        self.targets.clone()
    }

    fn missing(&self, element: Label) -> Error {
        Error::not_a_target(element)
    }
}

impl CompiledFrontier {
    pub(super) fn new(
        model: &Model,
        targets: Vec<AnyElement>,
        explored: Exploration,
        memory: u64,
    ) -> Self {
        let memory = memory.saturating_sub(explored.bytes).max(memory / 4);
        let plain = if explored.weights.is_flushed() {
            None
        } else {
            BackwardMessages::new(&explored, memory)
        };
        let sums = match plain {
            Some(messages) => TotalMessages::Plain(messages),
            None => TotalMessages::Logs(
                BackwardMessages::new(&explored, memory).expect("logarithms stay in their range"),
            ),
        };
        let log_evidence = match &sums {
            TotalMessages::Plain(messages) => messages.total.ln() + messages.log_scale,
            TotalMessages::Logs(messages) => messages.total + messages.log_scale,
        };
        let mut positions = FxHashMap::default();
        let mut last = Vec::with_capacity(targets.len());
        for (position, target) in targets.iter().enumerate() {
            last.push(*positions.entry(target.id()).or_insert(position));
        }
        let supports = explored.types.iter().map(|&of| explored.values[of].clone());
        Self {
            model: model.clone(),
            memory,
            names: Arc::new(TargetNames {
                targets,
                positions,
                supports: supports.collect(),
            }),
            explored: Arc::new(explored),
            sums: Arc::new(sums),
            log_evidence,
            marginals: Arc::default(),
        }
    }

    /// Returns the number of states (joint values) of the largest frontier.
    pub fn largest_frontier(&self) -> usize {
        self.explored.largest
    }

    /// Returns the number of steps of the frontier sweep (about one for each random choice), and the number of steps that repeat earlier steps.
    pub fn steps(&self) -> (usize, usize) {
        (self.explored.steps.len(), self.explored.repeated)
    }

    /// Returns the memory of the transitions between states in bytes.
    pub fn bytes(&self) -> u64 {
        self.explored.bytes
    }

    fn impossible(&self) -> Error {
        conflict::impossible(&self.model, &self.names.targets, &Limits::default())
    }

    fn require_possible(&self) -> Result<(), Error> {
        if self.log_evidence > f64::NEG_INFINITY {
            Ok(())
        } else {
            Err(self.impossible())
        }
    }

    /// Returns an error if a transition between states may represent several worlds, because the single worlds are then unknown.
    fn require_worlds(&self) -> Result<(), Error> {
        if self.explored.are_worlds {
            return Ok(());
        }
        Err(unsupported(
            "single worlds, because branches of a Chain are more than one random choice or are shared",
            "use JunctionTree::compile",
        ))
    }

    fn all_marginals(&self) -> &[Vec<f64>] {
        self.marginals.get_or_init(|| {
            let found = match &*self.sums {
                TotalMessages::Plain(messages) => queries::marginals(&self.explored, messages),
                TotalMessages::Logs(messages) => queries::marginals(&self.explored, messages),
            };
            let again = || {
                let messages = BackwardMessages::<LogSumProduct>::new(&self.explored, self.memory)?;
                queries::marginals(&self.explored, &messages)
            };
            found
                .or_else(again)
                .expect("logarithms stay in their range")
        })
    }

    fn marginal(&self, target: usize) -> (Vec<usize>, Vec<f64>) {
        let shares = self.all_marginals()[target].iter().enumerate();
        shares
            .filter(|(_, p)| **p > 0.0)
            .map(|(i, &p)| (i, p))
            .unzip()
    }

    /// True if there is a world in which the targets listed in `known` have the values listed there.
    ///
    /// **Guarantee.** The result is exact.
    ///
    /// **Complexity.** The query visits only the states (joint values) of frontiers that agree with the values `known`. A query with the values
    /// `known` is far faster than a compilation of the model with these values as evidence.
    ///
    /// **Errors.** [`Error::UnknownElement`] if an element of `known` is no target.
    ///
    /// ```
    /// # use figrs_core::{Flip, Model, fold};
    /// # use figrs_exact::Frontier;
    /// let coins: Vec<_> = (0..9).map(|_| Flip::new(0.5)).collect();
    /// let heads = fold(&coins, 0u32, |heads, &coin| heads + u32::from(coin));
    /// let compiled = Frontier::new().compile(&Model::new().observe(&heads, 2), &coins)?;
    /// assert!(compiled.allows([(&coins[0], true), (&coins[8], true)])?);
    /// assert!(!compiled.allows(coins[..3].iter().map(|coin| (coin, true)))?);
    /// # Ok::<(), figrs_answer::Error>(())
    /// ```
    pub fn allows<'e, T: Value>(
        &self,
        known: impl IntoIterator<Item = (&'e Element<T>, T)>,
    ) -> Result<bool, Error> {
        let code = |(element, value): (&Element<T>, T)| {
            let position = self.names.positions.get(&element.erased().id());
            let &position = position.ok_or_else(|| Error::not_a_target(element.label()))?;
            let support = &self.names.supports[position];
            let values = support.len() as u32;
            let is_value = |&at: &u32| {
                let other = support.get::<T>(at as usize);
                other.is_some_and(|other| other.same(&value))
            };
            Ok((position, (0..values).find(is_value)))
        };
        let known = known.into_iter().map(code);
        let known = known.collect::<Result<Vec<_>, Error>>()?;
        Ok(self.log_evidence > f64::NEG_INFINITY && queries::is_possible(&self.explored, &known))
    }

    /// Draws one world for each random number generator, in one sweep over the steps of the compiled frontier.
    ///
    /// **Errors.** [`Error::ImpossibleEvidence`] if no world agrees with the evidence.
    pub fn sample_each<R: Rng>(&self, mut rngs: Vec<R>) -> Result<Vec<World>, Error> {
        self.require_possible()?;
        let drawn = self.draw(&mut rngs);
        Ok(drawn.into_iter().map(|drawn| self.world(drawn)).collect())
    }

    fn draw<R: Rng>(&self, rngs: &mut [R]) -> Vec<TargetWorld> {
        match &*self.sums {
            TotalMessages::Plain(messages) => queries::draw(&self.explored, messages, rngs),
            TotalMessages::Logs(messages) => queries::draw(&self.explored, messages, rngs),
        }
    }

    fn world(&self, (mut values, log): TargetWorld) -> World {
        for (position, target) in self.names.targets.iter().enumerate() {
            values[position] = values[self.names.positions[&target.id()]];
        }
        World::new(
            Arc::clone(&self.names) as Arc<dyn WorldDecoder>,
            values,
            log,
        )
    }
}

impl Compiled for CompiledFrontier {
    /// Always returns an error: the evidence of a compiled frontier cannot change, because its states depend on the evidence.
    fn set<T: Value>(&mut self, _: &Element<T>, _: T) -> Result<(), Error> {
        Err(unsupported(
            "evidence that may change",
            "state it in the model, or use JunctionTree::compile",
        ))
    }

    /// Returns an error if `count` is above one, because only the most probable world is available.
    fn k_best(&self, count: usize) -> Result<Vec<World>, Error> {
        match count {
            0 => Ok(Vec::new()),
            1 => Ok(vec![self.most_probable()?]),
            _ => Err(unsupported(
                "worlds after the most probable one",
                "use JunctionTree::compile",
            )),
        }
    }

    fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    fn distribution<T: Value>(&self, element: &Element<T>) -> Result<Marginal<T>, Error> {
        let position = self.names.positions.get(&element.erased().id());
        let &position = position.ok_or_else(|| Error::not_a_target(element.label()))?;
        self.require_possible()?;
        let (values, probabilities) = self.marginal(position);
        let support = &self.names.supports[position];
        let values = values
            .into_iter()
            .filter_map(|i| support.get::<T>(i).cloned());
        Ok(Marginal::new(
            values.collect(),
            probabilities,
            Estimate::Exact,
        ))
    }

    fn answer(&self) -> Result<Answer, Error> {
        let mut marginals = Vec::with_capacity(self.names.targets.len());
        if !self.names.targets.is_empty() {
            self.require_possible()?;
        }
        for (position, element) in self.names.targets.iter().enumerate() {
            let first = self.names.positions[&element.id()];
            let (values, probabilities) = self.marginal(first);
            let mut support = element.no_values();
            for value in values {
                support.insert(self.names.supports[position].any(value));
            }
            marginals.push(TargetMarginal {
                element: element.clone(),
                support: support.build(),
                probabilities,
                estimate: Estimate::Exact,
            });
        }
        let log_evidence = LogEvidence::exact(self.log_evidence);
        Ok(Answer::marginals("Frontier", marginals, log_evidence))
    }

    fn most_probable(&self) -> Result<World, Error> {
        self.require_possible()?;
        self.require_worlds()?;
        let messages = BackwardMessages::<MaxProduct>::new(&self.explored, self.memory);
        let best = messages.map(|messages| queries::best(&self.explored, &messages));
        best.map(|drawn| self.world(drawn))
            .ok_or_else(|| self.impossible())
    }

    fn sample(&self, rng: &mut impl Rng) -> Result<World, Error> {
        self.require_possible()?;
        let mut drawn = self.draw(&mut [rng]);
        drawn
            .pop()
            .map(|drawn| self.world(drawn))
            .ok_or_else(|| self.impossible())
    }

    fn samples(&self, seed: u64) -> Result<impl Iterator<Item = World> + '_, Error> {
        self.require_possible()?;
        // If each sweep must recompute the messages, one sweep draws many worlds.
        let batch = self.sums.batch();
        let drawn = (0..).step_by(batch as usize).flat_map(move |first: u64| {
            let rngs = first..first + batch;
            let mut rngs: Vec<_> = rngs.map(|part| stream(seed, part)).collect();
            self.draw(&mut rngs)
        });
        Ok(drawn.map(|drawn| self.world(drawn)))
    }

    fn count(&self) -> Result<BigUint, Error> {
        self.require_worlds()?;
        let messages = BackwardMessages::<Counting>::new(&self.explored, 0);
        Ok(messages.map_or(BigUint::ZERO, |messages| messages.total))
    }
}

fn unsupported(asked: &'static str, remedy: &'static str) -> Error {
    Error::NotInAnswer {
        algorithm: "Frontier",
        asked,
        remedy,
    }
}

impl TotalMessages {
    /// Returns the number of worlds that should be drawn together in one sweep over the frontiers.
    fn batch(&self) -> u64 {
        const TOGETHER: u64 = 64;
        let complete = match self {
            Self::Plain(messages) => messages.is_complete(),
            Self::Logs(messages) => messages.is_complete(),
        };
        if complete { 1 } else { TOGETHER }
    }
}
