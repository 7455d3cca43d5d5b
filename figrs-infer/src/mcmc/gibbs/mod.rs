//! Gibbs sampling on the factor graph.
//!
//! | file | contents |
//! |---|---|
//! | `prepare` | finds free variables and functions of these, and tabulates factors |
//! | `collapse` | sums out variables that the chains need not draw |
//! | `groups` | groups of variables that factors with zeros connect, and their connectivity |
//! | `block`, `elimination_block` | blocks whose assignments are enumerated, blocks that are drawn by elimination |
//! | `kernel` | all blocks of a graph |
//! | `initial_assignment` | initial assignments of chains |
//! | `chains` | a run of several chains |
//! | `chain_sums` | the draws of all chains, and the answer computed from them |
//! | `assignments` | draws of assignments, without an answer |

mod assignments;
mod block;
mod chain_sums;
mod chains;
mod collapse;
mod elimination_block;
mod groups;
mod initial_assignment;
mod kernel;
mod prepare;

use std::ops::Range;

use figrs_core::expand::Encoding;
use figrs_core::{AnyElement, Limits, Model};

pub use assignments::AssignmentDraws;
pub use chain_sums::GibbsSums;
use chains::PreparedChains;
use chains::{GibbsChain, Schedule, TargetReader};
use figrs_answer::run::chain_run::ChainRun;
use figrs_answer::run::mergeable_sampler::settings_text;
use figrs_answer::run::unit_run::UnitsOfRun;
use figrs_answer::{
    Absorption, Algorithm, Answer, Error, MergeableSampler, Partial, ResumableSampler, RunMonitor,
    RunState, SharedQuestion, Watch, conflict, expand, setters,
};
use figrs_factor::eliminate::EliminationError;
use figrs_factor::graph::VarId;
pub use kernel::GibbsKernel;

/// Default maximum number of entries of a table that results when a variable is summed out.
const COLLAPSE: usize = 64;

/// Gibbs sampling: Markov chains that draw one block of variables after another, given all other variables.
///
/// Before the chains start, variables that no target needs are summed out exactly, as long as the tables stay small (collapsed Gibbs sampling;
/// [`collapse`](Self::collapse)). The blocks of variables that are drawn together are derived from the model. Random variables that are functions of
/// other variables are recomputed when their arguments change. Variables that are connected by factors with zeros, such as the variables of a hard
/// constraint, are drawn together: their assignments are enumerated or, if there are too many assignments, summed by elimination; see
/// [`GibbsKernel`]. The first assignment of a chain is drawn forward, from parents to children. If the evidence is too improbable for forward draws,
/// elimination finds the first assignment, provided that it needs only small tables.
///
/// In `ExpectationMaximization`, Gibbs sampling computes expected counts as frequencies in the draws (Monte Carlo EM: Wei and Tanner 1990). In
/// learning, each row of the data has its own chains, with the same random numbers in every iteration. Parameter learning by Gibbs sampling gives no
/// log-likelihood, unless each row of the data states the values of all random variables. In learning, the iterations end when they no longer change
/// the parameters, or at the maximum number of iterations. The errors of the expected counts are inversely proportional to the square root of the
/// number of draws.
///
/// **Guarantee.** The posterior is the stationary distribution of the chains. If
/// [`RunStatistics::cut_groups`](figrs_answer::RunStatistics::cut_groups) of the answer is `Some(0)`, every possible assignment can be reached from
/// every other, and averages converge to the exact answer. If the number of cut groups (groups of variables that do not fit into one block) is
/// positive, a chain may be confined to a subset of the assignments. Only disagreement between the chains shows that a chain is confined; a larger
/// [`block_table`](Self::block_table) helps. The same seed gives the same answer on any number of threads.
///
/// **Complexity.** A sweep takes, for each block of variables, time proportional to the number of the block's assignments times the number of tables
/// that contain its variables. The stronger the correlations between blocks, the more sweeps are needed for an independent draw.
///
/// **Errors.** [`Error::ImpossibleEvidence`] if no world satisfies the evidence; [`Error::NoSampleMetEvidence`] if none of a thousand draws satisfies
/// the evidence and elimination is too costly; an error if the enumeration of possible values exceeds a limit;
/// [`ModelError::NotFinite`](figrs_core::ModelError::NotFinite) at an unobserved continuous element. An answer of Gibbs sampling has no log-evidence.
///
/// **References.** Geman and Geman (1984), "Stochastic relaxation, Gibbs distributions, and the Bayesian restoration of
/// images"; Jensen, Kong and Kjaerulff (1995), "Blocking Gibbs sampling in very large probabilistic expert systems"; Liu
/// (1994), "The collapsed Gibbs sampler in Bayesian computations with applications to a gene regulation problem"; Wei and Tanner
/// (1990), "A Monte Carlo implementation of the EM algorithm and the poor man's data augmentation algorithms".
///
/// ```
/// # use figrs_core::{Flip, Model};
/// # use figrs_infer::{Gibbs, Run};
/// let (a, b, c) = (Flip::new(0.3), Flip::new(0.6), Flip::new(0.5));
/// // Two constraints that share an element: no element can change alone.
/// let model = Model::new().observe(&a.equals(&b), false).observe(&b.equals(&c), false);
/// let answer = Gibbs::new(5000).chains(2).seed(1).run(&model, &a)?;
/// let error = (answer.probability(&a, &true)? - 0.12 / 0.54).abs();
/// assert!(error < 5.0 * answer.standard_error(&a, &true)?);
/// # Ok::<(), figrs_infer::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Gibbs {
    schedule: Schedule,
    seed: u64,
    block_table: usize,
    collapse: usize,
    limits: Limits,
    watch: Watch,
}

impl Gibbs {
    /// Creates a sampler with four chains, each of which retains `draws` draws, one after each sweep. The burn-in of a chain is a tenth of the number
    /// of its draws; the seed is 0.
    pub fn new(draws: u64) -> Self {
        Self {
            schedule: Schedule {
                chains: 4,
                burn_in: draws / 10,
                draws,
                thin: 1,
            },
            seed: 0,
            block_table: 1024,
            collapse: COLLAPSE,
            limits: Limits::default(),
            watch: Watch::default(),
        }
    }

    figrs_factor::field_setters! {
        /// Sets the number of independent chains (default four). Each chain has its own random numbers and its own first
        /// assignment.
        chains: usize => schedule.chains;
        /// Makes each chain discard its first `burn_in` sweeps.
        burn_in: u64 => schedule.burn_in;
        /// Sets the number of sweeps from one retained draw to the next.
        thin: u64 => schedule.thin;
        /// Sets the seed of the random numbers.
        seed: u64 => seed;
        /// Sets the maximum number of table entries of a block of variables that is drawn together (default 1024). The maximum limits the number of
        /// assignments of an enumerated block, and the largest table of a block that is drawn by elimination.
        block_table: usize => block_table;
        /// Sets the maximum number of entries of a table that results when a variable is summed out (default 64; with 0, no variable is summed out).
        /// Each sum over a variable has at most 65 536 terms. Only variables that no target needs are summed out, and the chains draw all other
        /// variables. Expectation-maximisation with `Gibbs` needs the values of all variables, and therefore sums out no variable.
        collapse: usize => collapse;
    }

    setters!(threads: limits.threads);
    setters!(expansion: limits);

    setters!(kept_draws);
    setters!(watch: watch);

    #[doc(hidden)]
    pub fn check(&self) -> Result<(), Error> {
        let invalid = |setting: &'static str| {
            Error::invalid_setting(self.name(), setting, "0", "it must be at least one")
        };
        let settings = [
            ("draws", self.schedule.draws == 0),
            ("chains", self.schedule.chains == 0),
            ("thin", self.schedule.thin == 0),
            ("block_table", self.block_table == 0),
        ];
        let zero = settings.iter().find(|(_, is_zero)| *is_zero);
        zero.map_or(Ok(()), |(setting, _)| Err(invalid(setting)))
    }

    /// Returns the limits on the enumeration of the model's possible values.
    #[doc(hidden)]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the deadline, the interrupt flag and the progress listener of the algorithm.
    #[doc(hidden)]
    pub fn watch(&self) -> &Watch {
        &self.watch
    }
}

impl MergeableSampler for Gibbs {
    type Sums = GibbsSums;

    fn settings(&self) -> String {
        settings_text!(self, limits.threads, watch)
    }

    fn units(&self, _: &Model, _: &[AnyElement]) -> Result<u64, Error> {
        self.check()?;
        Ok(self.schedule.chains as u64)
    }

    fn run_units(
        &self,
        model: &Model,
        targets: &[AnyElement],
        units: Range<u64>,
        absorption: Absorption,
    ) -> Result<Partial<GibbsSums>, Error> {
        let (chains, partial) = self.sweep((model, targets), units, absorption)?;
        drop(chains);
        Ok(partial)
    }
}

impl ResumableSampler for Gibbs {
    fn watch(&self) -> &Watch {
        &self.watch
    }

    fn watch_mut(&mut self) -> &mut Watch {
        &mut self.watch
    }

    /// A Gibbs sampler that is lengthened keeps the number of burn-in sweeps of its chains.
    fn lengthened(&self, more: u64) -> Option<Self> {
        let mut longer = self.clone();
        longer.schedule.draws = self.schedule.draws.checked_add(more)?;
        Some(longer)
    }

    fn asked(&self) -> Option<u64> {
        let sweeps = self.schedule.sweeps();
        Some(sweeps.saturating_mul(self.schedule.chains as u64))
    }

    fn portable_state(&self, question: SharedQuestion) -> Box<dyn RunState> {
        Box::new(ChainRun::new(self, question))
    }

    fn units_of(&self, state: &dyn RunState) -> Result<UnitsOfRun<Self>, Error> {
        ChainRun::units_of(self, state)
    }

    fn loaded_state(&self, units: UnitsOfRun<Self>) -> Result<Box<dyn RunState>, Error> {
        ChainRun::loaded(units)
    }

    fn repeats_units(&self) -> bool {
        true
    }
}

figrs_answer::run::replicate::replicated!(Gibbs, seed);

impl Algorithm for Gibbs {
    fn name(&self) -> &'static str {
        "Gibbs"
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let question = (model, targets);
        let (chains, done) = self.sweep(question, 0..u64::MAX, Absorption::AtOnce)?;
        ChainRun::answer_of(self, question, Some(chains), done)
    }

    fn begin(&self, model: &Model, targets: &[AnyElement]) -> Result<Box<dyn RunState>, Error> {
        Ok(ChainRun::begin(self, model, targets))
    }
}

impl Gibbs {
    /// Enumerates the possible values of the model's variables, and prepares the blocks of variables that the chains draw.
    fn prepare(
        &self,
        (model, targets): (&Model, &[AnyElement]),
        watching: &RunMonitor<'_>,
    ) -> Result<PreparedChains, Error> {
        let limits = self.limits.until(watching.until());
        let impossible = || conflict::impossible(model, targets, &limits);
        let expansion = expand(&limits, model, targets)?;
        if expansion.impossible().is_some() {
            return Err(impossible());
        }
        conflict::check_failures(&expansion, &limits)?;
        let encoding = Encoding::for_sums(&expansion, expansion.targets())?;
        let targets_read = expansion.targets().iter();
        let kept: Vec<VarId> = targets_read
            .filter_map(|&at| encoding.variable(at))
            .collect();
        let (graph, collapse) = (encoding.graph(), self.collapse);
        let kernel = match GibbsKernel::collapsed(graph, self.block_table, &kept, collapse) {
            Err(EliminationError::Impossible) => return Err(impossible()),
            kernel => kernel?,
        };
        let support = |&position: &usize| expansion.elements()[position].support.clone();
        let supports = expansion.targets().iter().map(support);
        Ok(PreparedChains {
            targets: targets.iter().cloned().zip(supports).collect(),
            reader: TargetReader::new(kernel, &expansion, &encoding),
            chains: Vec::new(),
        })
    }

    /// Draws the first assignments of the Gibbs chains with the indices `numbers`.
    fn begin_chains(
        &self,
        (model, targets): (&Model, &[AnyElement]),
        reader: &TargetReader,
        numbers: Range<u64>,
        watching: &RunMonitor<'_>,
    ) -> Result<Vec<GibbsChain>, Error> {
        let limits = self.limits.until(watching.until());
        chains::begin(reader, numbers, self.seed, watching)?
            .ok_or_else(|| conflict::impossible(model, targets, &limits))
    }

    /// Runs the Gibbs chains with given indices; indices beyond the last chain are ignored.
    fn sweep(
        &self,
        question: (&Model, &[AnyElement]),
        units: Range<u64>,
        absorption: Absorption,
    ) -> Result<(PreparedChains, Partial<GibbsSums>), Error> {
        self.check()?;
        let watching = self.watch.start(self.name(), self.asked());
        let run = || {
            let mut run = self.prepare(question, &watching)?;
            let numbers = units.start..units.end.min(self.schedule.chains as u64);
            run.chains = self.begin_chains(question, &run.reader, numbers, &watching)?;
            let by = (self.schedule, u64::MAX);
            let threads = self.limits.thread_count();
            chains::run(&mut run.chains, &run.reader, by, threads, &watching)?;
            Ok(run)
        };
        let run: PreparedChains = run().map_err(|error| watching.error_of(error))?;
        let partial = run.partial(self.schedule, units.start, absorption);
        Ok((run, partial.of_run(&watching)))
    }
}
