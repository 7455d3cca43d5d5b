//! States of the runs of Markov chains, which can be paused between two steps, continued and lengthened.

use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use figrs_core::{AnyElement, Model};

use super::partial::Partial;
use super::run_state::{RunState, Turn, TurnLength, continued};
use super::time_share::TimeShare;
use super::unit_run::{ResumableSampler, SharedQuestion, UnitsOfRun};
use super::watch::{RunMonitor, Watch};
use super::work_queue::in_order;
use crate::answer::Answer;
use crate::error::Error;
use figrs_factor::Stopped;

/// The state of a Markov chain in its present world.
pub trait PausedChain: Send {
    /// Number of steps that the Markov chain has made so far, including burn-in.
    fn steps(&self) -> u64;

    /// True if the chain can be continued, because no step was interrupted.
    fn is_whole(&self) -> bool;
}

/// The Markov chains of a run, which is done in turns (time slices); a chain that has not begun is `None`.
pub struct PausedChains<C>(Vec<Mutex<Option<C>>>);

impl<C> fmt::Debug for PausedChains<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} chains", self.0.len())
    }
}

impl<C: PausedChain> PausedChains<C> {
    /// Creates `count` chains that have not begun.
    pub fn new(count: usize) -> Self {
        Self((0..count).map(|_| Mutex::new(None)).collect())
    }

    /// Locks the chain with the given index.
    pub fn chain(&self, number: u64) -> MutexGuard<'_, Option<C>> {
        let chain = self.0[number as usize].lock();
        chain.unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks all chains, one after another.
    pub fn each(&self) -> impl Iterator<Item = MutexGuard<'_, Option<C>>> {
        (0..self.0.len() as u64).map(|number| self.chain(number))
    }

    /// Returns the number of steps of each chain.
    pub fn steps(&self) -> impl Iterator<Item = u64> {
        self.each().map(|chain| chain.as_ref().map_or(0, C::steps))
    }

    /// Returns the number of steps of the shortest chain.
    pub fn least_steps(&self) -> u64 {
        self.steps().min().unwrap_or(0)
    }

    /// Begins the chains that have not begun, and continues all chains, on up to `threads` threads. The function `make_steps`, which continues one
    /// Markov chain, returns `true` if its chain is finished; `advance` returns `true` if all chains are finished. A chain that was interrupted
    /// within a step begins again from its first step.
    pub fn advance(
        &self,
        (run, threads): (&RunMonitor<'_>, usize),
        begin: impl Fn(u64, &TimeShare<'_>) -> Result<Option<C>, Error> + Sync,
        make_steps: impl Fn(&mut C, u64, &TimeShare<'_>) -> Result<bool, Error> + Sync,
    ) -> Result<bool, Error> {
        let mut all_finished = true;
        let advance_one = |(): &mut (), number| {
            let share = TimeShare::undivided(run);
            let mut slot = self.chain(number);
            let mut chain = slot.take().filter(C::is_whole);
            if chain.is_none() {
                chain = begin(number, &share)?;
            }
            let Some(mut chain) = chain else {
                return Ok(false);
            };
            let is_finished = make_steps(&mut chain, number, &share)?;
            *slot = Some(chain);
            Ok(is_finished)
        };
        let numbers = (0..self.0.len() as u64, 1);
        in_order(
            threads,
            numbers,
            || Ok(()),
            advance_one,
            |is_finished| {
                all_finished &= is_finished;
                ControlFlow::Continue(())
            },
        )?;
        Ok(all_finished)
    }
}

/// A sampler of Markov chains whose runs are divided into turns (time slices).
pub trait ChainSampler: ResumableSampler {
    /// The chains of a run.
    type Chains: Send;

    /// Creates chains that have not begun.
    fn chains(&self) -> Self::Chains;

    /// Returns the number of steps, including burn-in, of the shortest chain.
    fn least_steps(chains: &Self::Chains) -> u64;

    /// Returns the number of steps, including burn-in, of the shortest of the chains whose draws are stored in `sums`.
    fn saved_steps(&self, sums: &Self::Sums) -> Result<u64, Error>;

    /// Returns the draws of the Markov chains so far, as the units of work of the run.
    ///
    /// **Errors.** [`Error::NothingDone`] if the chains have not begun.
    fn draws(
        &self,
        chains: &Self::Chains,
        question: &SharedQuestion,
    ) -> Result<Partial<Self::Sums>, Error>;

    /// Makes the steps of all Markov chains up to step `goal`; returns `true` if all chains are finished.
    fn advance(
        &self,
        chains: &mut Self::Chains,
        question: &SharedQuestion,
        run: &RunMonitor<'_>,
        goal: u64,
    ) -> Result<bool, Error>;
}

/// The state of a run of a sampler of Markov chains. In each turn (time slice) of the run, all chains make the same number of steps.
pub struct ChainRun<S: ChainSampler> {
    sampler: S,
    question: SharedQuestion,
    chains: S::Chains,
    of_turn: TurnLength,
    elapsed: Duration,
    /// The draws of a loaded run, with the number of steps of the shortest chain; they are kept until the chains have repeated these steps.
    saved: Option<(Partial<S::Sums>, u64)>,
    /// Number of draws by which each chain of the run was lengthened.
    extended: u64,
}

impl<S: ChainSampler> fmt::Debug for ChainRun<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChainRun")
            .field("sampler", &self.sampler)
            .finish_non_exhaustive()
    }
}

impl<S: ChainSampler> ChainRun<S> {
    /// Creates the state of a run whose chains have not begun.
    pub fn new(sampler: &S, question: SharedQuestion) -> Self {
        Self {
            chains: sampler.chains(),
            sampler: sampler.clone(),
            question,
            of_turn: TurnLength::default(),
            elapsed: Duration::ZERO,
            saved: None,
            extended: 0,
        }
    }

    /// Creates the state of a run, as [`Algorithm::begin`](crate::Algorithm::begin) does.
    pub fn begin(sampler: &S, model: &Model, targets: &[AnyElement]) -> Box<dyn RunState> {
        let question = Arc::new((model.clone(), targets.to_vec()));
        Box::new(Self::new(sampler, question))
    }

    /// Returns the answer of a run that has ended with the chains `chains`, so that the run can be lengthened later.
    pub fn answer_of(
        sampler: &S,
        (model, targets): (&Model, &[AnyElement]),
        chains: S::Chains,
        done: Partial<S::Sums>,
    ) -> Result<Answer, Error> {
        let (sampler, question) = (sampler.clone(), Arc::new((model.clone(), targets.to_vec())));
        let begin = move || Self::new(&sampler, Arc::clone(&question));
        let state = Self {
            elapsed: done.elapsed(),
            chains,
            ..begin()
        };
        Ok(continued(done.into_answer()?, state, begin))
    }

    /// Creates the state of a run that was saved; the chains of this run repeat all their steps.
    pub fn loaded(units: UnitsOfRun<S>) -> Result<Box<dyn RunState>, Error> {
        let steps = units.sampler.saved_steps(&units.done.clone().absorbed())?;
        Ok(Box::new(Self {
            extended: units.extended,
            elapsed: units.done.elapsed(),
            saved: Some((units.done, steps)),
            ..Self::new(&units.sampler, units.question)
        }))
    }

    /// Returns the draws so far of the run `state` of a sampler, to be saved.
    pub fn units_of(sampler: &S, state: &dyn RunState) -> Result<UnitsOfRun<S>, Error> {
        let state = state.as_any().downcast_ref::<Self>();
        let state = state.ok_or_else(|| sampler.not_portable())?;
        Ok(UnitsOfRun {
            sampler: state.sampler.clone(),
            question: Arc::clone(&state.question),
            extended: state.extended,
            done: match state.done() {
                Err(Error::NothingDone { .. }) => state.sampler.no_units(&state.question)?,
                done => done?,
            },
        })
    }

    /// Returns the draws of the Markov chains so far, as the units of work of the run.
    fn done(&self) -> Result<Partial<S::Sums>, Error> {
        let made = S::least_steps(&self.chains);
        if let Some((saved, _)) = self.saved.as_ref().filter(|(_, steps)| made < *steps) {
            return Ok(saved.clone());
        }
        let draws = self.sampler.draws(&self.chains, &self.question)?;
        Ok(draws.after(self.elapsed))
    }
}

impl<S: ChainSampler> RunState for ChainRun<S> {
    fn algorithm(&self) -> &'static str {
        self.sampler.name()
    }

    fn asked(&self) -> Option<u64> {
        self.sampler.asked()
    }

    fn watch(&self) -> &Watch {
        self.sampler.watch()
    }

    fn advance(&mut self, turn: &Turn<'_>) -> Result<bool, Error> {
        let began = Instant::now();
        let goal = self.of_turn.goal(turn, S::least_steps(&self.chains));
        let (chains, question) = (&mut self.chains, &self.question);
        let advanced = self.sampler.advance(chains, question, turn.run(), goal);
        self.elapsed += began.elapsed();
        self.of_turn.adapt(began.elapsed());
        match advanced {
            Err(error) if error.is_stopped() || matches!(error, Error::NothingDone { .. }) => {
                Ok(false)
            }
            advanced => advanced,
        }
    }

    fn answer(&self, stopped: Stopped) -> Result<Answer, Error> {
        let answer = self.done()?.into_answer()?.ended(stopped);
        Ok(answer.with_question(Arc::clone(&self.question)))
    }

    fn extend(&mut self, more: u64) -> Result<(), Error> {
        self.sampler = self.sampler.longer(more)?;
        self.extended += more;
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
