//! A run of all chains of a Gibbs sampler that can be paused, continued and lengthened.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use figrs_core::{AnyElement, Model, Support};

use super::Gibbs;
use super::chain_sums::GibbsSums;
use super::chains::{self, GibbsChain, Schedule, TargetReader};
use figrs_answer::algorithm::Algorithm;
use figrs_answer::answer::Answer;
use figrs_answer::error::Error;
use figrs_answer::run::partial::{Absorption, Partial};
use figrs_answer::run::run_state::{RunState, Turn, TurnLength, continued};
use figrs_answer::run::unit_run::{ResumableSampler, SharedQuestion, UnitsOfRun};
use figrs_answer::run::watch::{RunMonitor, Watch};
use figrs_factor::Stopped;

/// The blocks of variables of a model, and the chains that draw them.
#[derive(Debug)]
pub(super) struct PreparedChains {
    /// The targets with their possible values.
    pub(super) targets: Vec<(AnyElement, Support)>,
    pub(super) reader: TargetReader,
    pub(super) chains: Vec<GibbsChain>,
}

impl PreparedChains {
    /// Returns the draws so far as units of work.
    pub(super) fn partial(
        &self,
        schedule: Schedule,
        first: u64,
        absorption: Absorption,
    ) -> Partial<GibbsSums> {
        let sums = GibbsSums::new(schedule, self.targets.clone(), self.reader.kernel());
        let mut partial = Partial::new(sums, first, absorption);
        for chain in &self.chains {
            partial.push(chain.tally.clone());
        }
        partial
    }
}

/// The state of a run of [`Gibbs`]. In each turn all chains make the same number of sweeps.
#[derive(Debug)]
pub(super) struct SweepRun {
    sampler: Gibbs,
    question: SharedQuestion,
    /// The chains; `None` before the first turn.
    run: Option<PreparedChains>,
    of_turn: TurnLength,
    elapsed: Duration,
    /// The draws of a run that was saved, with the number of sweeps of the shortest chain, until the chains have made these sweeps again.
    saved: Option<(Partial<GibbsSums>, u64)>,
    /// Number of draws of each chain by which the run was lengthened.
    extended: u64,
}

impl SweepRun {
    pub(super) fn new(sampler: Gibbs, question: SharedQuestion) -> Self {
        Self {
            sampler,
            question,
            run: None,
            of_turn: TurnLength::default(),
            elapsed: Duration::ZERO,
            saved: None,
            extended: 0,
        }
    }

    /// Runs all chains; the run of the answer can be lengthened.
    pub(super) fn answer(
        sampler: &Gibbs,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Answer, Error> {
        let (run, done) = sampler.sweep((model, targets), 0..u64::MAX, Absorption::AtOnce)?;
        let (sampler, question) = (sampler.clone(), Arc::new((model.clone(), targets.to_vec())));
        let begin = move || Self::new(sampler.clone(), Arc::clone(&question));
        let state = Self {
            elapsed: done.elapsed(),
            run: Some(run),
            ..begin()
        };
        Ok(continued(done.into_answer()?, state, begin))
    }

    /// Creates the state of a run that was saved; the chains make their sweeps again.
    pub(super) fn loaded(units: UnitsOfRun<Gibbs>) -> Self {
        let sweeps = units.done.clone().absorbed().least_sweeps();
        Self {
            extended: units.extended,
            elapsed: units.done.elapsed(),
            saved: Some((units.done, sweeps)),
            ..Self::new(units.sampler, units.question)
        }
    }

    /// Returns the draws so far with the sampler, to be saved.
    pub(super) fn units(&self) -> Result<UnitsOfRun<Gibbs>, Error> {
        Ok(UnitsOfRun {
            sampler: self.sampler.clone(),
            question: Arc::clone(&self.question),
            extended: self.extended,
            done: match self.done() {
                Err(Error::NothingDone { .. }) => self.sampler.no_units(&self.question)?,
                done => done?,
            },
        })
    }

    /// Returns the draws so far as units of work.
    fn done(&self) -> Result<Partial<GibbsSums>, Error> {
        let made = self.run.as_ref().map_or(0, least_sweeps);
        if let Some((saved, _)) = self.saved.as_ref().filter(|(_, sweeps)| made < *sweeps) {
            return Ok(saved.clone());
        }
        let nothing = || Error::NothingDone {
            algorithm: self.sampler.name(),
        };
        let run = self.run.as_ref().ok_or_else(nothing)?;
        let partial = run.partial(self.sampler.schedule, 0, Absorption::Later);
        Ok(partial.after(self.elapsed))
    }

    /// Makes the sweeps of a turn; returns `true` if all chains have finished.
    fn advance_chains(&mut self, watching: &RunMonitor<'_>, is_short: bool) -> Result<bool, Error> {
        self.sampler.check()?;
        let question = (&self.question.0, &self.question.1[..]);
        let run = if let Some(run) = &mut self.run {
            run
        } else {
            let mut run = self.sampler.prepare(question, watching)?;
            let numbers = 0..self.sampler.schedule.chains as u64;
            run.chains = self
                .sampler
                .begin_chains(question, &run.reader, numbers, watching)?;
            self.run.insert(run)
        };
        let goal = if is_short {
            self.of_turn.goal(least_sweeps(run))
        } else {
            u64::MAX
        };
        let (schedule, threads) = (self.sampler.schedule, self.sampler.limits.thread_count());
        chains::run(
            &mut run.chains,
            &run.reader,
            (schedule, goal),
            threads,
            watching,
        )?;
        Ok(least_sweeps(run) >= schedule.sweeps())
    }
}

/// Returns the number of sweeps of the shortest chain.
fn least_sweeps(run: &PreparedChains) -> u64 {
    let sweeps = run.chains.iter().map(|chain| chain.tally.sweeps);
    sweeps.min().unwrap_or(0)
}

impl RunState for SweepRun {
    fn algorithm(&self) -> &'static str {
        self.sampler.name()
    }

    fn asked(&self) -> Option<u64> {
        self.sampler.asked()
    }

    fn watch(&self) -> &Watch {
        &self.sampler.watch
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
