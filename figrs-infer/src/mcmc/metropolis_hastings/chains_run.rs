//! A run of all chains, which can be paused, continued and lengthened.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use figrs_core::{AnyElement, Model, Stream};

use super::chain::{ChainLength, MetropolisChain};
use super::chain_sums::{ChainTally, MetropolisSums};
use super::{MetropolisHastings, NAME, probes, starts};
use figrs_answer::answer::Answer;
use figrs_answer::error::Error;
use figrs_answer::run::partial::{Absorption, Partial};
use figrs_answer::run::run_state::{RunState, Turn, TurnLength, continued};
use figrs_answer::run::time_share::TimeShare;
use figrs_answer::run::unit_run::{ResumableSampler, SharedQuestion, UnitsOfRun};
use figrs_answer::run::watch::{RunMonitor, Watch};
use figrs_answer::run::work_queue::in_order;
use figrs_factor::{Stopped, Until};

/// A chain that can be continued, with its random numbers.
pub(super) struct LiveChain {
    pub(super) chain: MetropolisChain,
    pub(super) random: Stream,
}

impl LiveChain {
    /// Makes the steps of the chain up to step `goal`; returns `true` if the chain has made all its steps.
    pub(super) fn run(
        &mut self,
        (length, goal): (&ChainLength, u64),
        turn: &TimeShare<'_>,
        done: &AtomicU64,
    ) -> Result<bool, Error> {
        let by = (length, goal);
        self.chain.run(by, &mut self.random, turn, done)
    }

    pub(super) fn tally(&self, targets: &[AnyElement]) -> ChainTally {
        ChainTally::chain(targets, self.chain.record())
    }
}

/// The state of a run of [`MetropolisHastings`](crate::MetropolisHastings). In each turn (time slice), all chains make the same number of steps.
pub(super) struct ChainsRun {
    sampler: MetropolisHastings,
    question: SharedQuestion,
    /// The indices of the candidate worlds that become the first worlds of the chains; `None` before the first turn.
    starts: Option<Vec<u64>>,
    /// The chains; `None` for a chain that has not started.
    chains: Vec<Mutex<Option<LiveChain>>>,
    /// The results of the probes (short chains that look for other modes), which run after all chains.
    probes: Option<Vec<ChainTally>>,
    of_turn: TurnLength,
    elapsed: Duration,
    /// The draws of a loaded run, with the number of steps of its shortest chain. These draws are kept until the chains have repeated these steps.
    saved: Option<(Partial<MetropolisSums>, u64)>,
    /// Number of draws of each chain that were added to the run after its start.
    extended: u64,
}

impl std::fmt::Debug for ChainsRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChainsRun")
            .field("sampler", &self.sampler)
            .finish_non_exhaustive()
    }
}

fn locked(chain: &Mutex<Option<LiveChain>>) -> std::sync::MutexGuard<'_, Option<LiveChain>> {
    chain.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ChainsRun {
    pub(super) fn new(sampler: MetropolisHastings, question: SharedQuestion) -> Self {
        Self {
            chains: (0..sampler.chains).map(|_| Mutex::new(None)).collect(),
            sampler,
            question,
            starts: None,
            probes: None,
            of_turn: TurnLength::default(),
            elapsed: Duration::ZERO,
            saved: None,
            extended: 0,
        }
    }

    /// Runs all chains, and stores the run in the answer, so that the run can be lengthened.
    pub(super) fn answer(
        sampler: &MetropolisHastings,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Answer, Error> {
        let question = Arc::new((model.clone(), targets.to_vec()));
        let mut state = Self::new(sampler.clone(), Arc::clone(&question));
        let keep = |number: u64, chain: LiveChain| {
            if chain.chain.is_small() {
                *locked(&state.chains[number as usize]) = Some(chain);
            }
        };
        let done = sampler.run_chains((model, targets), 0..u64::MAX, Absorption::AtOnce, keep)?;
        state.elapsed = done.elapsed();
        let sampler = sampler.clone();
        let begin = move || Self::new(sampler.clone(), Arc::clone(&question));
        Ok(continued(done.into_answer()?, state, begin))
    }

    /// Creates the state of a loaded run, in which the chains repeat their steps.
    pub(super) fn loaded(units: UnitsOfRun<MetropolisHastings>) -> Result<Self, Error> {
        let length = units.sampler.check()?;
        let steps = units.done.clone().absorbed().least_steps(&length);
        Ok(Self {
            extended: units.extended,
            elapsed: units.done.elapsed(),
            saved: Some((units.done, steps)),
            ..Self::new(units.sampler, units.question)
        })
    }

    /// Returns the draws so far and the sampler, which a saved run contains.
    pub(super) fn units(&self) -> Result<UnitsOfRun<MetropolisHastings>, Error> {
        Ok(UnitsOfRun {
            sampler: self.sampler.clone(),
            question: Arc::clone(&self.question),
            extended: self.extended,
            done: self.done()?,
        })
    }

    /// Returns the draws so far as the results of units of work.
    fn done(&self) -> Result<Partial<MetropolisSums>, Error> {
        let length = self.sampler.check()?;
        let steps = |chain: &Mutex<_>| locked(chain).as_ref().map_or(0, |one| one.chain.steps());
        let made = self.chains.iter().map(steps).min().unwrap_or(0);
        if let Some((saved, _)) = self.saved.as_ref().filter(|(_, steps)| made < *steps) {
            return Ok(saved.clone());
        }
        let (_, targets) = &*self.question;
        let sums = MetropolisSums::new(targets, length, self.chains.len() as u64);
        let mut partial = Partial::new(sums, 0, Absorption::Later);
        for chain in &self.chains {
            partial.push(match &*locked(chain) {
                Some(chain) => chain.tally(targets),
                None => ChainTally::not_begun(Stopped::Interrupted),
            });
        }
        for probe in self.probes.iter().flatten() {
            partial.push(probe.clone());
        }
        Ok(partial.after(self.elapsed))
    }

    /// Makes the steps of one turn; returns `true` if all chains and probes have finished.
    fn advance_chains(&mut self, run: &RunMonitor<'_>, is_short: bool) -> Result<bool, Error> {
        let length = self.sampler.check()?;
        let sampler = self.sampler.of_run(run);
        let (model, targets) = &*self.question;
        let (threads, chains) = (sampler.settings.drawing.threads(), self.chains.len() as u64);
        let starts = if let Some(starts) = &self.starts {
            starts
        } else {
            let drawing = &sampler.settings.drawing;
            let starts = starts::dispersed(model, targets, drawing, sampler.chains, run)?;
            if run.stopped().is_some() {
                return Ok(false);
            }
            self.starts.insert(starts)
        };
        let steps = |chain: &Mutex<_>| locked(chain).as_ref().map_or(0, |one| one.chain.steps());
        let made: Vec<u64> = self.chains.iter().map(steps).collect();
        let goal = if is_short {
            self.of_turn.goal(made.iter().copied().min().unwrap_or(0))
        } else {
            u64::MAX
        };
        let done = AtomicU64::new(made.iter().sum());
        let chain_to_goal = |(): &mut (), number: u64| {
            let turn = TimeShare::undivided(run);
            let mut slot = locked(&self.chains[number as usize]);
            let mut chain = slot.take().filter(|live| live.chain.is_whole());
            if chain.is_none() {
                let start = (number, starts.get(number as usize).copied());
                chain = sampler.begin_chain((model, targets), start, &turn)?;
            }
            let Some(mut chain) = chain else {
                return Ok(false);
            };
            // During a turn, an interrupt may stop the chain only between two steps; otherwise the chain could not be continued.
            chain.chain.set_until(&Until::default());
            let finished = chain.run((&length, goal), &turn, &done)?;
            *slot = Some(chain);
            Ok(finished)
        };
        let mut finished = true;
        in_order(
            threads,
            (0..chains, 1),
            || Ok(()),
            chain_to_goal,
            |one| {
                finished &= one;
                ControlFlow::Continue(())
            },
        )?;
        if !finished || self.probes.is_some() {
            return Ok(finished);
        }
        let count = probes::probes(&sampler.settings, length.burn_in, model, targets);
        let mut found = Vec::new();
        let probe = |(): &mut (), number| {
            let by = (&sampler.settings, length.burn_in);
            let (record, values) = probes::probe(by, (model, targets), number, run);
            Ok(ChainTally::probe(record, values))
        };
        in_order(
            threads,
            (0..count, 1),
            || Ok(()),
            probe,
            |probe| {
                found.push(probe);
                ControlFlow::Continue(())
            },
        )?;
        // If the run was stopped, the results of the probes are dropped, and the probes run again later.
        if run.stopped().is_some() {
            return Ok(false);
        }
        self.probes = Some(found);
        Ok(true)
    }
}

impl RunState for ChainsRun {
    fn algorithm(&self) -> &'static str {
        NAME
    }

    fn asked(&self) -> Option<u64> {
        self.sampler.asked()
    }

    fn watch(&self) -> &Watch {
        self.sampler.watch()
    }

    fn advance(&mut self, turn: &Turn<'_>) -> Result<bool, Error> {
        let began = Instant::now();
        let advanced = self.advance_chains(turn.run(), turn.is_short());
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
