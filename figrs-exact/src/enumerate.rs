//! Enumeration of all worlds of a model.

use figrs_core::{AnyElement, Datum, Limits, Model, ModelError};
use figrs_factor::graph::WorldWeight;
use figrs_lower::{Choice, Chooser, Observations, Program};

use super::tally::Tally;
use figrs_answer::{Algorithm, Answer, Error, LogEvidence, Watch, conflict, setters};

/// Number of worlds between two reports of the progress.
const REPORTED: u64 = 1024;

/// An exact algorithm that runs the model once for each of its worlds, whose number must be finite.
///
/// **Guarantee.** The result is exact, up to rounding in the sum over all worlds. The code of `Enumerate` is small enough for a reader to check, and
/// is the reference in the tests of every other exact algorithm.
///
/// **Complexity.** The time is proportional to the number of worlds, which is exponential in the number of random elements; the memory
/// is the size of one world.
///
/// **Errors.** [`Error::TooManyWorlds`] if a limit is exceeded; [`ModelError::NotFinite`] at an
/// element without a finite support, even if it is observed; [`Error::ImpossibleEvidence`] if no world agrees with the evidence;
/// [`Error::NothingDone`] at a deadline, because an incomplete enumeration gives no information about the remaining worlds.
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_exact::Enumerate;
/// # use figrs_answer::Run;
/// let rain = Flip::new(0.2);
/// let wet = rain.flat_map(|&rain| Flip::new(if rain { 0.9 } else { 0.1 }));
/// let model = Model::new().observe(&wet, true);
/// let answer = Enumerate::new().run(&model, &rain)?;
/// assert!((answer.probability(&rain, &true)? - 0.18 / 0.26).abs() < 1e-12);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Enumerate {
    worlds: u64,
    evaluations: u64,
    limits: Limits,
    watch: Watch,
}

impl Default for Enumerate {
    fn default() -> Self {
        Self::new()
    }
}

impl Enumerate {
    /// Creates an enumeration of at most ten million worlds, with at most fifty million evaluations of elements and four million elements in one
    /// world.
    pub fn new() -> Self {
        Self {
            worlds: 10_000_000,
            evaluations: 50_000_000,
            limits: Limits::from(Limits::WORLD_ELEMENTS),
            watch: Watch::default(),
        }
    }

    setters!(watch: watch);

    figrs_factor::field_setters! {
        /// Sets the maximum number of worlds; a run with more worlds ends with an error.
        max_worlds: u64 => worlds;
        /// Sets the maximum number of evaluations of elements in all worlds together; a run with more evaluations ends with an error.
        max_evaluations: u64 => evaluations;
        /// Sets the maximum number of elements of a world; a larger world ends the run with an error.
        max_elements: usize => limits.elements;
        /// Sets the maximum number of bytes of memory of a world (default 2 GiB); a larger world ends the run with an error. The bytes of a world are
        /// counted as in [`Limits::expansion_memory`](figrs_core::Limits::expansion_memory).
        max_bytes: u64 => limits.expansion_memory;
    }

    /// Tries all worlds, and returns the most probable world: values of the targets, the elements with evidence, and the elements on which these
    /// elements depend.
    ///
    /// **Errors.** The errors of [`Enumerate`].
    pub fn most_probable_world(
        &self,
        model: &Model,
        targets: impl figrs_core::Parents,
    ) -> Result<Answer, Error> {
        let mut best: Option<(Vec<(AnyElement, Datum)>, f64)> = None;
        let targets = targets.elements();
        self.for_each_world(model, &targets, |program, weight| {
            let better = best.as_ref().is_none_or(|(_, most)| weight.log > *most);
            if !weight.is_zero() && better {
                let world = program.world().map(|(e, v)| (e.clone(), v.clone()));
                best = Some((world.collect(), weight.log));
            }
        })?;
        match best {
            Some((world, log)) => Ok(Answer::world(self.name(), world, log)),
            None => Err(conflict::impossible(model, &targets, &Limits::default())),
        }
    }

    /// Calls `visit` with every world and with the weight of the world: its prior probability times the weight that the evidence gives to it.
    #[doc(hidden)]
    pub fn for_each_world(
        &self,
        model: &Model,
        targets: &[AnyElement],
        mut visit: impl FnMut(&Program, WorldWeight),
    ) -> Result<(), Error> {
        let watching = self.watch.start(self.name(), None);
        let limit = self.limits.until(watching.until());
        let mut program = Program::new(model, targets, limit)?;
        let mut path = Path::default();
        let mut evaluations = 0;
        for worlds in 0..self.worlds {
            if watching.stopped().is_some() {
                return Err(watching.nothing_done());
            }
            if worlds % REPORTED == 0 {
                watching.report(worlds);
            }
            if evaluations > self.evaluations {
                return Err(Error::TooManyWorlds {
                    worlds,
                    evaluations: Some(self.evaluations),
                });
            }
            path.restart();
            let evidence = program.run(&mut path, Observations::Compare);
            let evidence = evidence.map_err(|error| watching.error_of(error.into()))?;
            evaluations += program.evaluated() as u64;
            let mut weight = path.probability;
            weight.times(evidence.linear, evidence.log);
            visit(&program, weight);
            if !path.advance() {
                return Ok(());
            }
        }
        Err(Error::TooManyWorlds {
            worlds: self.worlds,
            evaluations: None,
        })
    }
}

impl Algorithm for Enumerate {
    fn name(&self) -> &'static str {
        "Enumerate"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let mut tally = Tally::new(targets);
        self.for_each_world(model, targets, |program, weight| tally.add(program, weight))?;
        let value = tally.log_total();
        if value == f64::NEG_INFINITY && !targets.is_empty() {
            return Err(conflict::impossible(model, targets, &Limits::default()));
        }
        let evidence = LogEvidence::exact(value);
        Ok(Answer::marginals(
            self.name(),
            tally.exact_marginals(),
            evidence,
        ))
    }
}

/// The outcomes of one random choice that the enumeration of worlds has not tried.
#[derive(Debug)]
struct PendingOutcomes {
    outcomes: Vec<(Datum, WorldWeight)>,
    taken: usize,
}

/// The random choices of one world, in the order in which they are made. The next world of the enumeration arises when the last random choice with an
/// untried outcome takes that outcome.
#[derive(Debug)]
struct Path {
    branches: Vec<PendingOutcomes>,
    position: usize,
    probability: WorldWeight,
    bytes: u64,
}

impl Default for Path {
    fn default() -> Self {
        Self {
            branches: Vec::new(),
            position: 0,
            probability: WorldWeight::ONE,
            bytes: 0,
        }
    }
}

impl PendingOutcomes {
    fn bytes(&self) -> u64 {
        (size_of::<Self>() + self.outcomes.capacity() * size_of::<(Datum, WorldWeight)>()) as u64
    }
}

impl Path {
    fn restart(&mut self) {
        self.position = 0;
        self.probability = WorldWeight::ONE;
    }

    fn advance(&mut self) -> bool {
        // A world that contradicts the evidence may end before it has made as many choices as the previous world.
        while self.branches.len() > self.position {
            self.pop();
        }
        while let Some(last) = self.branches.last_mut() {
            last.taken += 1;
            if last.taken < last.outcomes.len() {
                return true;
            }
            self.pop();
        }
        false
    }

    fn pop(&mut self) {
        let last = self.branches.pop();
        self.bytes -= last.as_ref().map_or(0, PendingOutcomes::bytes);
    }
}

impl Chooser for Path {
    fn choose(&mut self, element: &AnyElement, choice: Choice<'_>) -> Result<Datum, ModelError> {
        if self.position == self.branches.len() {
            let outcomes = choice.outcomes().map_err(|fault| element.fault(fault))?;
            let mut outcomes =
                outcomes.map_err(|endless| endless.even_if_observed(element.label()))?;
            outcomes.retain(|(_, weight)| !weight.is_zero());
            if outcomes.is_empty() {
                return Err(element.invalid("its distribution has no outcomes".into()));
            }
            let branch = PendingOutcomes { outcomes, taken: 0 };
            self.bytes += branch.bytes();
            self.branches.push(branch);
        }
        let branch = &self.branches[self.position];
        self.position += 1;
        let (value, weight) = &branch.outcomes[branch.taken];
        self.probability.times(weight.linear, weight.log);
        Ok(value.clone())
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
