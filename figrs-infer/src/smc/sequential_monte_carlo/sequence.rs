//! The particle filter for long sequences, whose parts are built one after another.

use std::time::Duration;

use figrs_core::{AnyElement, Element, Limits, Model, Parents, Stream, Value};
use figrs_lower::internals::{Block, PopulationWeights};
use figrs_lower::{EvidenceOrder, Observations};

use super::paths::AncestralPaths;
use super::{FilterProgress, SequentialMonteCarlo};
use crate::sampling::unseen_worlds::UnseenWorlds;
use crate::smc::particle_filter::{Particles, filter, one_of_each};
use crate::smc::population_tally::{KeptParticles, PopulationTally};
use crate::smc::populations::PopulationSums;
use figrs_answer::{Absorption, Answer, Error, Partial, Sums, guarded};
use figrs_factor::Stopped;

/// A sequence whose parts are built when a particle filter reaches them, and dropped when the filter has passed them.
///
/// The input variables of a part get the values that the output variables of the preceding part have.
pub trait Sequence: Sync {
    /// The type of the values in a trajectory of the sequence.
    type Value: Value;

    /// Returns the number of parts of the sequence, at least one.
    fn parts(&self) -> usize;

    /// Builds the part of the sequence with the index `number`. Repeated calls with the same `number` must build the same part.
    fn part(&self, number: usize) -> SequencePart<Self::Value>;
}

/// One of the parts of a [`Sequence`] that a particle filter runs through.
#[derive(Clone, Debug)]
#[must_use]
pub struct SequencePart<T> {
    model: Model,
    inputs: Vec<AnyElement>,
    outputs: Vec<AnyElement>,
    trajectory: Vec<Element<T>>,
}

impl<T: Value> SequencePart<T> {
    /// Creates a part of a sequence with the evidence of `model`.
    pub fn new(model: Model) -> Self {
        Self {
            model,
            inputs: Vec::new(),
            outputs: Vec::new(),
            trajectory: Vec::new(),
        }
    }

    /// Sets the input elements, which get the values of the [output elements](Self::outputs) of the preceding part. Inputs and outputs must agree in
    /// number and types. The input variables of the first part are ordinary random variables, such as an initial state.
    pub fn inputs(mut self, elements: impl Parents) -> Self {
        self.inputs = elements.elements();
        self
    }

    /// Sets the output elements, whose values the [input elements](Self::inputs) of the next part get.
    pub fn outputs(mut self, elements: impl Parents) -> Self {
        self.outputs = elements.elements();
        self
    }

    /// Sets the elements whose values belong to the trajectory of a particle, in the given order.
    pub fn trajectory(mut self, elements: impl IntoIterator<Item = Element<T>>) -> Self {
        self.trajectory = elements.into_iter().collect();
        self
    }
}

/// The result of a particle filter on a sequence: one trajectory for each population that still has a particle.
#[derive(Debug)]
pub struct Trajectories<T> {
    /// The answer, with the probability of the evidence and the statistics of the sampling. The [draws](Answer::draws) of the answer
    /// contain the weights of the trajectories.
    pub answer: Answer,
    /// For each trajectory, the values in all parts of the sequence.
    pub values: Vec<Vec<T>>,
}

impl SequentialMonteCarlo {
    /// Runs the particle filter on a sequence, and draws one particle of each population in proportion to the last weights, as
    /// [`keep_trajectories`](Self::keep_trajectories) does.
    ///
    /// At the end of each part, the filter draws the trajectory elements and the outputs of the part for all particles.
    ///
    /// **Guarantee.** The guarantee of the [particle filter](Self) holds for the model of all parts of the sequence together. The division of the
    /// sequence into parts changes the draws for a given seed, but not the guarantee.
    ///
    /// **Complexity.** The memory holds the values of one part, the trajectories, and about 40 MB of parts, which the next populations reuse. Soon
    /// after the end of a part of the sequence, hardly more than one trajectory through this part is stored for each population. The memory limit
    /// [`max_bytes`](Self::max_bytes) applies to each part of the sequence and to each thread.
    ///
    /// **Errors.** The errors of the [particle filter](Self); [`Error::InvalidSetting`] if the inputs of a part do not match the outputs of
    /// the preceding part.
    ///
    /// ```
    /// # use figrs_core::{Constant, Element, Flip, Model, Parents};
    /// # use figrs_infer::{Error, Sequence, SequencePart, SequentialMonteCarlo};
    /// /// A walk that never falls below zero.
    /// struct Walk;
    /// impl Sequence for Walk {
    ///     type Value = i32;
    ///     fn parts(&self) -> usize {
    ///         100
    ///     }
    ///     fn part(&self, _: usize) -> SequencePart<i32> {
    ///         let start = Constant::new(0);
    ///         let (mut place, mut model) = (start.clone(), Model::new());
    ///         let mut places: Vec<Element<i32>> = Vec::new();
    ///         for _ in 0..10 {
    ///             let step = Flip::new(0.5).map(|&up| if up { 1 } else { -1 });
    ///             place = (&place, &step).map(|(place, step)| place + step);
    ///             model = model.condition(&place, |&place| place >= 0);
    ///             places.push(place.clone());
    ///         }
    ///         SequencePart::new(model).inputs(&start).outputs(&place).trajectory(places)
    ///     }
    /// }
    /// let walks = SequentialMonteCarlo::new(100).populations(4).follow(&Walk)?;
    /// assert!(walks.values.iter().all(|walk| walk.len() == 1000 && walk.iter().all(|&x| x >= 0)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn follow<S: Sequence + ?Sized>(
        &self,
        sequence: &S,
    ) -> Result<Trajectories<S::Value>, Error> {
        guarded(|| self.followed(sequence))
    }

    fn followed<S: Sequence + ?Sized>(
        &self,
        sequence: &S,
    ) -> Result<Trajectories<S::Value>, Error> {
        self.check()?;
        let trajectories = self.clone().keep_trajectories();
        let sums = TrajectorySums {
            populations: trajectories.sums(&(0..0), &[], UnseenWorlds::unknown()),
            values: Vec::new(),
        };
        let partial = self.run_blocks(
            Partial::new(sums, 0, Absorption::AtOnce),
            u64::MAX,
            |limit| Ok(PartCache::new(self, limit, sequence)),
            |stretches, number, way| self.along(stretches, number, way),
            |(tally, _)| tally,
        )?;
        partial.into_answer()
    }

    /// Runs the particle populations of the block `number` on a sequence; `None` if the run was stopped.
    fn along<S: Sequence + ?Sized>(
        &self,
        stretches: &mut PartCache<'_, S>,
        number: u64,
        way: &FilterProgress<'_>,
    ) -> Result<Option<DrawnTrajectories<S::Value>>, Error> {
        let (mut rng, populations) = self.stream_and_populations(number);
        let rows = populations * self.particles;
        let mut here = stretches.check_out(0)?;
        here.block.start(rows);
        let mut worlds = SequenceParticles {
            parts: stretches,
            part: here,
            number: 0,
            first: 0,
            progress: way,
            rows: rows as u64,
            size: self.particles,
            paths: AncestralPaths::new(),
        };
        let choose = self.choose();
        let Some(mut filtered) = filter(&mut worlds, self.threshold, &mut rng, choose)? else {
            return Ok(None);
        };
        if way.run.stopped().is_some() && !worlds.is_last() {
            return Ok(None);
        }
        let comparable = !worlds.part.block.weights().densities_differ();
        if comparable {
            one_of_each(&mut worlds, &mut filtered, &mut rng, choose);
        }
        worlds.part.record_trajectory(&mut rng)?;
        if !comparable {
            worlds.part.block.keep_fewest_densities();
            one_of_each(&mut worlds, &mut filtered, &mut rng, choose);
        }
        let SequenceParticles {
            part: mut here,
            mut paths,
            number: last,
            size,
            ..
        } = worlds;
        let trajectory_len = here.trajectory_len;
        paths.add(&mut here.block, trajectory_len);
        let kept = (size, KeptParticles::Trajectories);
        let tally = PopulationTally::new(&mut here.block, &[], kept, &filtered);
        stretches.check_in(last, here);
        Ok(Some((tally, paths.all())))
    }
}

/// The estimates of several consecutive particle populations, and the trajectories drawn from these populations.
type DrawnTrajectories<T> = (PopulationTally, Vec<Vec<T>>);

/// The sums over the populations of a run on a sequence, and the trajectories drawn from these populations.
#[derive(Clone, Debug)]
struct TrajectorySums<T> {
    populations: PopulationSums,
    values: Vec<Vec<T>>,
}

impl<T: Value> Sums for TrajectorySums<T> {
    type Unit = DrawnTrajectories<T>;
    type Answer = Trajectories<T>;

    fn absorb(&mut self, (tally, drawn): DrawnTrajectories<T>) {
        if self.populations.add(tally) {
            self.values.truncate(self.populations.draws() - drawn.len());
            self.values.extend(drawn);
        }
    }

    fn into_answer(self, stopped: Stopped, elapsed: Duration) -> Result<Trajectories<T>, Error> {
        Ok(Trajectories {
            answer: self.populations.into_answer(stopped, elapsed)?,
            values: self.values,
        })
    }
}

/// A part of a sequence, with the particles that are in this part.
struct PartBlock {
    block: Block,
    inputs: Vec<AnyElement>,
    /// Number of targets of the part whose values belong to the trajectory; the other targets are outputs.
    trajectory_len: usize,
    outputs: Vec<AnyElement>,
    /// Approximate number of bytes that the part takes while it is stored for reuse.
    bytes: u64,
}

impl PartBlock {
    fn record_trajectory(&mut self, rng: &mut Stream) -> Result<(), Error> {
        let first = self.block.statements();
        for target in first..first + self.trajectory_len {
            self.block.run_root(target, rng)?;
        }
        Ok(())
    }

    /// Draws, at the end of a part, the values of the variables that belong to the trajectory, and the values of the outputs.
    fn finish(&mut self, rng: &mut Stream) -> Result<(), Error> {
        for target in self.block.statements()..self.block.roots() {
            self.block.run_root(target, rng)?;
        }
        Ok(())
    }
}

/// The parts of a sequence that one thread has built. The cache stores as many parts of the sequence as fit, because the next populations use the
/// same parts.
struct PartCache<'a, S: ?Sized> {
    filter: &'a SequentialMonteCarlo,
    limit: Limits,
    sequence: &'a S,
    kept: Vec<Option<PartBlock>>,
    /// Approximate number of bytes of the parts of the sequence that are stored.
    bytes: u64,
}

impl<'a, S: Sequence + ?Sized> PartCache<'a, S> {
    const MAX_CACHED_BYTES: u64 = 40 << 20;

    fn new(filter: &'a SequentialMonteCarlo, limit: Limits, sequence: &'a S) -> Self {
        Self {
            filter,
            limit,
            sequence,
            kept: Vec::new(),
            bytes: 0,
        }
    }

    fn check_out(&mut self, number: usize) -> Result<PartBlock, Error> {
        if let Some(stretch) = self.kept.get_mut(number).and_then(Option::take) {
            self.bytes -= stretch.bytes;
            return Ok(stretch);
        }
        let part = self.sequence.part(number);
        let trajectory_len = part.trajectory.len();
        let mut targets: Vec<AnyElement> =
            part.trajectory.iter().map(|e| e.erased().clone()).collect();
        targets.extend(part.outputs.iter().cloned());
        let (weigh, order) = (Observations::Weigh, EvidenceOrder::AsStated);
        let limit = self.limit.clone();
        Ok(PartBlock {
            block: Block::new(&part.model, &targets, weigh, order, limit)?,
            inputs: part.inputs,
            trajectory_len,
            outputs: part.outputs,
            bytes: 0,
        })
    }

    fn check_in(&mut self, number: usize, mut stretch: PartBlock) {
        stretch.block.end_run();
        stretch.bytes = stretch.block.bytes_between_runs();
        if self.bytes + stretch.bytes <= Self::MAX_CACHED_BYTES {
            self.bytes += stretch.bytes;
            let most = self.kept.len().max(number + 1);
            self.kept.resize_with(most, || None);
            self.kept[number] = Some(stretch);
        }
    }
}

/// The particles of a block that are in one part of a sequence.
struct SequenceParticles<'w, 'a, S: Sequence + ?Sized> {
    parts: &'w mut PartCache<'a, S>,
    part: PartBlock,
    /// The index of the current part of the sequence.
    number: usize,
    /// The index of the first statement of the current part among all statements of the sequence.
    first: usize,
    progress: &'w FilterProgress<'w>,
    /// Number of worlds in the block before any populations were removed.
    rows: u64,
    size: usize,
    paths: AncestralPaths<S::Value>,
}

impl<S: Sequence + ?Sized> SequenceParticles<'_, '_, S> {
    fn is_last(&self) -> bool {
        self.number + 1 >= self.parts.sequence.parts()
    }

    fn enter_next_part(&mut self, rng: &mut Stream) -> Result<(), Error> {
        self.part.finish(rng)?;
        self.paths
            .add(&mut self.part.block, self.part.trajectory_len);
        let mut next = self.parts.check_out(self.number + 1)?;
        self.check(&next.inputs)?;
        let handed = (self.part.trajectory_len..).zip(next.inputs.iter().cloned());
        let handed: Vec<(usize, AnyElement)> = handed.collect();
        let block = &mut self.part.block;
        next.block.succeed(block, &handed, rng)?;
        let left = std::mem::replace(&mut self.part, next);
        self.parts.check_in(self.number, left);
        self.number += 1;
        Ok(())
    }

    /// Checks that the outputs of the current part and the inputs of the next part have the same types.
    fn check(&self, inputs: &[AnyElement]) -> Result<(), Error> {
        let handed = &self.part.outputs;
        let number = self.number;
        let of = |element: &AnyElement| element.no_values().value_type();
        let value = if handed.len() == inputs.len() {
            let mut pairs = handed.iter().zip(inputs);
            let Some((from, to)) = pairs.find(|(from, to)| of(from) != of(to)) else {
                return Ok(());
            };
            format!(
                "part {number} hands on {from:?}, but the next part receives {to:?} of another type"
            )
        } else {
            let (hands, receives) = (handed.len(), inputs.len());
            format!(
                "part {number} hands on {hands} elements, but the next part receives {receives}"
            )
        };
        let remedy =
            "let each part receive the elements that the previous part hands on, in the same order";
        Err(self.parts.filter.invalid("sequence", value, remedy))
    }
}

impl<S: Sequence + ?Sized> Particles for SequenceParticles<'_, '_, S> {
    type Random = Stream;

    fn statements(&self) -> usize {
        self.first + self.part.block.statements()
    }

    fn has_statement(&mut self, statement: usize, rng: &mut Stream) -> Result<bool, Error> {
        while statement >= self.statements() {
            if self.is_last() || self.progress.run.stopped().is_some() {
                return Ok(false);
            }
            // If no particles remain, the outputs have no values, because elements that no statement needed were not drawn.
            if self.part.block.weights().survivors() == 0 {
                return Ok(false);
            }
            self.first = statement;
            self.enter_next_part(rng)?;
        }
        Ok(true)
    }

    fn meet(&mut self, statement: usize, rng: &mut Stream) -> Result<bool, Error> {
        if self.progress.run.stopped().is_some() {
            return Ok(false);
        }
        self.part.block.run_root(statement - self.first, rng)?;
        let parts = self.parts.sequence.parts();
        (self.progress).report(self.rows, self.part.block.statements(), parts);
        Ok(true)
    }

    fn populations(&self) -> usize {
        self.part.block.width() / self.size
    }

    fn weights(&self) -> PopulationWeights {
        self.part.block.weights().of_populations(self.size)
    }

    fn replace(&mut self, ancestors: Vec<u32>, size: usize, replaced: &[bool]) {
        self.size = size;
        self.part
            .block
            .resample_populations(ancestors, size, replaced);
    }
}
