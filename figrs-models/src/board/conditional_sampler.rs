//! Settings for drawing random boards given demands and clues, and the exact method of drawing.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs_infer::Error;
use figrs_infer::internals::Listener;

use super::conflict::no_solution;
use super::watch::{BoardWatch, Event};
use super::{BoardError, ConflictStage, ExactBoards, Generator, Method, MethodChoice, Reason};

/// The exact method explores states up to this size in bytes before it consults the prediction of their size; this takes about two seconds.
pub(super) const UNPREDICTED_BYTES: u64 = 16 << 20;

/// Conditional sampling of boards: draws boards of a [`Generator`] given its rules, demands (requirements) and clues by the most suitable method, and
/// reports this method and the reason for its choice.
///
/// | the generator has | method |
/// |---|---|
/// | a sampler of independent boards | this sampler, with rejection of boards that do not meet the demands, until a million boards in a row fail (fewer if there are Markov chains) |
/// | rules that independent cells [often follow](Generator::is_often_met), and more than 16 MiB of states are predicted | rejection |
/// | demands that can be left out, so that a [relaxed](Generator::relaxed) generator remains | the exact method and rejection in turn, in rounds of four times the work of the round before, until one of them has drawn the boards |
/// | cells and rules whose boards are [joined](super::RuledCells::joined), if at most four boards are wanted and the exact method is predicted to take twenty times as long | Markov chains, one for each board, or the exact method if the chains do not converge in the time that the exact method is predicted to take |
/// | a probabilistic program whose states fit into memory | the exact method |
/// | [cells and rules](Generator::ruled_cells) of whole boards | Markov chains |
/// | rules that independent cells often follow | rejection |
/// | a probabilistic program only | particles |
///
/// The sampler uses the first applicable row of the table whose methods [`among`](Self::among) allows; if the method of a row runs out of memory, the
/// sampler uses the next row. The choice of the method does not depend on the machine, because costs are predicted in bytes of states, and the work
/// of each method is measured in states or boards instead of time.
///
/// **Guarantee.** By all methods except Markov chains and particles, drawn boards are independent and have exactly their probabilities given rules,
/// demands and clues. Boards that particles draw are independent, and their distribution tends to the exact one as the number of particles grows.
/// Boards that Markov chains draw are not independent, and their distribution tends to the exact one as the chains run. The Markov chains end when
/// the R-hat of simple measures of the boards is at most 1.05, or after work that takes about half a minute. The report on sampling by Markov chains
/// has their R-hat and the effective number of boards.
///
/// **Complexity.** The complexity is that of the method that draws the boards; if the exact method and rejection run in turn, it is a few times that
/// of the quicker one.
///
/// **Errors.** [`BoardError::NoSolution`], with clues that contradict each other, if no board is possible; [`BoardError::TooLarge`] if a method needs
/// too much memory; [`BoardError::NoneMet`] if too many boards in a row do not meet the demands; [`BoardError::NotFound`] if Markov chains find no
/// board; [`BoardError::NoMethod`] if no method is allowed; the errors of the generator.
///
/// ```
/// use figrs_core::{Element, Flip};
/// use figrs_models::board::{BoardError, ConditionalSampler, BoardElements, Generator, Method};
/// use figrs_models::grid::{Automaton, Connected, Constraint, Count, Size};
///
/// /// Rivers of some length: water that is connected.
/// struct River {
///     size: Size,
///     length: std::ops::RangeInclusive<u32>,
/// }
///
/// impl Generator for River {
///     type Cell = bool;
///     type Board = Vec<String>;
///
///     fn size(&self) -> Size {
///         self.size
///     }
///
///     // The cells, and the demands as evidence.
///     fn elements(&self) -> Result<BoardElements<bool>, BoardError> {
///         let water: Vec<Element<bool>> = self.size.positions().map(|_| Flip::new(0.3)).collect();
///         let rules = Connected.and(Count::within(&self.length, self.size.cells()));
///         let rules = Constraint::new(self.size, &water, rules)?.model().clone();
///         Ok(BoardElements::new(self.size, water, rules)?)
///     }
///
///     // How values of the cells are read.
///     fn board(&self, cells: Vec<bool>) -> Result<Vec<String>, BoardError> {
///         let rows = cells.chunks(self.size.columns());
///         let symbol = |&water: &bool| if water { '~' } else { '.' };
///         Ok(rows.map(|row| row.iter().map(symbol).collect()).collect())
///     }
/// }
///
/// let river = River { size: Size::new(5, 8)?, length: 12..=20 };
/// let drawn = ConditionalSampler::new().seed(1).sample(&river, 3)?;
/// assert_eq!(drawn.boards.len(), 3);
/// assert_eq!(drawn.report.choice.method, Method::Exact);
/// // "exact: its states take .. bytes"
/// println!("{}\n{}", drawn.report.choice, drawn.boards[0].join("\n"));
/// // A method that is the only one allowed is taken, or fails.
/// let drawn = ConditionalSampler::new().memory(1 << 12).among([Method::Exact]).sample(&river, 3);
/// assert!(drawn.is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ConditionalSampler {
    pub(super) memory: u64,
    pub(super) seed: u64,
    /// Number of particles of a population; `None` for the default of the board generator.
    pub(super) particles: Option<usize>,
    /// Largest number of particles of a population; `None` for the default number.
    most_particles: Option<usize>,
    methods: Option<Vec<Method>>,
    pub(super) watch: BoardWatch,
}

impl Default for ConditionalSampler {
    fn default() -> Self {
        Self::new()
    }
}

impl ConditionalSampler {
    /// Creates the default settings: all methods, one GiB of memory, and seed 0.
    pub fn new() -> Self {
        Self {
            memory: 1 << 30,
            seed: 0,
            particles: None,
            most_particles: None,
            methods: None,
            watch: BoardWatch::default(),
        }
    }

    /// Limits the memory in bytes that all particles use, and that the states of the exact method use, as counted by
    /// [`Frontier::memory`](figrs_infer::Frontier::memory).
    pub fn memory(self, bytes: u64) -> Self {
        let memory = bytes;
        Self { memory, ..self }
    }

    /// Sets the seed of the random numbers.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets the number of particles of a population; by default it depends on the [proposals](Generator::sequence) of the board generator.
    pub fn particles(self, particles: usize) -> Self {
        let particles = Some(particles);
        Self { particles, ..self }
    }

    /// Sets the largest number of particles of a population for a [numbered](Self::numbered) board; if all of them fail, the board cannot be drawn.
    /// The default of the largest number of particles is 64 times [`particles`](Self::particles), at least 1 280, and at most 100 000 or
    /// [`particles`](Self::particles) if that is larger.
    pub fn most_particles(self, particles: usize) -> Self {
        let most_particles = Some(particles);
        Self {
            most_particles,
            ..self
        }
    }

    /// Returns the largest number of particles of a population, given the number `particles` of the population that is tried first.
    pub(super) fn largest_population(&self, particles: usize) -> usize {
        let usual = || particles.saturating_mul(64).clamp(1_280, 100_000);
        self.most_particles.unwrap_or_else(usual)
    }

    /// Restricts the choice of the method for drawing boards to `methods`. If only one method is allowed, it is used whatever its predicted cost.
    pub fn among(self, methods: impl IntoIterator<Item = Method>) -> Self {
        let methods = Some(methods.into_iter().collect());
        Self { methods, ..self }
    }

    /// Ends the drawing of boards once `flag` is `true`; the boards drawn so far are returned.
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.watch.interrupt = Some(flag);
        self
    }

    /// Sets a listener, which receives the progress of the drawing of boards from time to time, on the calling thread or on a worker thread.
    pub fn on_event(mut self, listener: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.watch.listener = Listener::new(listener);
        self
    }

    pub(super) fn allows(&self, method: Method) -> bool {
        let methods = self.methods.as_ref();
        methods.is_none_or(|methods| methods.contains(&method))
    }

    pub(super) fn only(&self) -> Option<Method> {
        match self.methods.as_deref() {
            Some(&[method]) => Some(method),
            _ => None,
        }
    }

    /// Compiles the probabilistic program of the boards for the exact method, which answers any question about the boards. Unless the exact method is
    /// the only allowed one, more than 16 MiB of states are explored only if all states are predicted to fit into memory.
    ///
    /// **Errors.** If the states do not fit into memory, [`BoardError::TooLarge`], or [`BoardError::Inference`] if the exact method is the only
    /// allowed one; the errors of the board generator.
    pub fn exact<P>(&self, generator: P) -> Result<ExactBoards<P>, BoardError>
    where
        P: Deref<Target: Generator> + Clone,
    {
        let engine = self.watch.frontier(self.memory);
        let conflict = |stage| generator.conflict(stage, &engine);
        if let Some(conflict) = conflict(ConflictStage::BeforeExact) {
            return Err(conflict);
        }
        let exact = if self.only() == Some(Method::Exact) {
            ExactBoards::compile(generator.clone(), &engine)
        } else {
            let fitting = self.fitting(generator.clone());
            fitting.and_then(|exact| exact.ok_or_else(|| self.too_large(&*generator, false)))
        };
        exact.map_err(|error| match error {
            BoardError::TooLarge { .. } | BoardError::Inference(_)
                if !self.watch.is_interrupted() =>
            {
                conflict(ConflictStage::Undecided).unwrap_or(error)
            }
            error => error,
        })
    }

    /// Returns [`BoardError::NoSolution`] for a generator without possible boards; the error names clues that contradict each other, if there are
    /// any.
    ///
    /// **Guarantee.** No board agrees with all clues that the error names.
    ///
    /// **Complexity.** The model of the boards is compiled once for each clue.
    ///
    /// **Errors.** The errors of the board generator; [`BoardError::Inference`] if inference fails. The error may name more clues than necessary, if
    /// the states of the boards without some clue do not fit into memory.
    pub fn conflict<G: Generator>(&self, generator: &G) -> Result<BoardError, BoardError> {
        let engine = self.watch.frontier(self.memory);
        if let Some(conflict) = generator.conflict(ConflictStage::Impossible, &engine) {
            return Ok(conflict);
        }
        no_solution(&generator.elements()?, &engine, |tried, all| {
            self.watch.tell(Event::TriedClues {
                tried: tried as u64,
                total: all as u64,
            });
            !self.watch.is_interrupted()
        })
    }

    /// Compiles the probabilistic program of the boards; returns `None` if its states (of the boards read cell by cell) do not fit into `memory`
    /// bytes.
    pub(super) fn within<P: Deref<Target: Generator>>(
        &self,
        generator: P,
        memory: u64,
    ) -> Result<Option<ExactBoards<P>>, BoardError> {
        match ExactBoards::compile(generator, &self.watch.frontier(memory)) {
            Err(BoardError::Inference(Error::FrontierTooLarge { .. })) => Ok(None),
            compiled => compiled.map(Some),
        }
    }

    fn fitting<P>(&self, generator: P) -> Result<Option<ExactBoards<P>>, BoardError>
    where
        P: Deref<Target: Generator> + Clone,
    {
        let quick = self.within(generator.clone(), self.memory.min(UNPREDICTED_BYTES))?;
        if quick.is_some() || self.memory <= UNPREDICTED_BYTES || !self.may_fit(&*generator) {
            return Ok(quick);
        }
        if let Some(bytes) = generator.predicted_bytes() {
            self.turn(Method::Exact, Reason::PredictedToFit { bytes });
        }
        self.within(generator, self.memory)
    }

    pub(super) fn may_fit<G: Generator>(&self, generator: &G) -> bool {
        let predicted = generator.predicted_bytes();
        predicted.is_none_or(|bytes| bytes <= self.memory as f64)
    }

    /// Returns the predicted size in bytes of the exact method's states, if it exceeds the memory limit.
    pub(super) fn excess<G: Generator>(&self, generator: &G) -> Option<f64> {
        let predicted = generator.predicted_bytes();
        predicted.filter(|&bytes| bytes > self.memory as f64)
    }

    pub(super) fn too_large<G: Generator>(&self, generator: &G, is_relaxed: bool) -> BoardError {
        BoardError::TooLarge {
            method: Method::Exact,
            predicted: self.excess(generator),
            limit: self.memory,
            is_relaxed,
        }
    }

    pub(super) fn turn(&self, method: Method, reason: Reason) -> MethodChoice {
        let choice = MethodChoice { method, reason };
        self.watch.tell(Event::Turned(choice));
        choice
    }
}
