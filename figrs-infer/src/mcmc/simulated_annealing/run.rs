//! Runs of simulated annealing that can be paused, continued and lengthened.

use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::chain::AnnealingChain;
use super::{NAME, Schedule, SimulatedAnnealing};
use figrs_answer::answer::Answer;
use figrs_answer::error::Error;
use figrs_answer::run::run_state::{RunState, Turn, TurnLength};
use figrs_answer::run::time_share::TimeShare;
use figrs_answer::run::unit_run::SharedQuestion;
use figrs_answer::run::watch::Watch;
use figrs_answer::run::work_queue::in_order;
use figrs_factor::{Stopped, Until};

/// The state of a run of [`SimulatedAnnealing`]. In each turn (time slice), all chains make the same number of steps.
pub(super) struct AnnealingRun {
    pub(super) annealing: SimulatedAnnealing,
    pub(super) question: SharedQuestion,
    /// The chains; `None` for a chain that has not started.
    pub(super) chains: Vec<Mutex<Option<AnnealingChain>>>,
    pub(super) of_turn: TurnLength,
    pub(super) elapsed: Duration,
}

impl fmt::Debug for AnnealingRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnnealingRun")
            .field("annealing", &self.annealing)
            .finish_non_exhaustive()
    }
}

fn locked(chain: &Mutex<Option<AnnealingChain>>) -> MutexGuard<'_, Option<AnnealingChain>> {
    chain.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AnnealingRun {
    /// Returns the number of steps of the shortest chain.
    fn least_steps(&self) -> u64 {
        let steps = |chain| locked(chain).as_ref().map_or(0, |chain| chain.result.steps);
        self.chains.iter().map(steps).min().unwrap_or(0)
    }

    fn advance_chains(&mut self, turn: &Turn<'_>) -> Result<(), Error> {
        let mut search = self.annealing.clone();
        search.settings.drawing = search
            .settings
            .drawing
            .of_run(turn.run(), self.chains.len());
        let (model, targets) = &*self.question;
        let goal = if turn.is_short() {
            self.of_turn.goal(self.least_steps())
        } else {
            u64::MAX
        };
        in_order(
            search.settings.drawing.threads(),
            (0..self.chains.len() as u64, 1),
            || Ok(()),
            |(), number| {
                let share = TimeShare::undivided(turn.run());
                let mut slot = locked(&self.chains[number as usize]);
                let chain = match slot.take().filter(|chain| chain.is_whole) {
                    Some(chain) => Some(chain),
                    None => search.begin_chain(model, targets, number, &share)?,
                };
                let Some(mut chain) = chain else {
                    return Ok(());
                };
                // During a turn, an interrupt may stop the chain only between two steps; otherwise the chain could not be continued.
                chain.trace.set_until(&Until::default());
                chain.run(&search, (number, goal), &share)?;
                *slot = Some(chain);
                Ok(())
            },
            ControlFlow::Continue,
        )
    }
}

impl RunState for AnnealingRun {
    fn algorithm(&self) -> &'static str {
        NAME
    }

    fn asked(&self) -> Option<u64> {
        Some(self.annealing.asked())
    }

    fn watch(&self) -> &Watch {
        &self.annealing.watch
    }

    fn advance(&mut self, turn: &Turn<'_>) -> Result<bool, Error> {
        let began = Instant::now();
        let advanced = self.advance_chains(turn);
        self.elapsed += began.elapsed();
        self.of_turn.adapt(began.elapsed());
        match advanced {
            Err(error) if error.is_stopped() => Ok(false),
            advanced => advanced.map(|()| self.least_steps() >= self.annealing.steps),
        }
    }

    fn answer(&self, stopped: Stopped) -> Result<Answer, Error> {
        let chains: Vec<_> = self.chains.iter().map(locked).collect();
        let results = chains.iter().filter_map(|chain| chain.as_ref());
        let results = results.map(|chain| &chain.result);
        let answer = self.annealing.best_of(results, self.elapsed)?;
        Ok(answer
            .ended(stopped)
            .with_question(Arc::clone(&self.question)))
    }

    fn extend(&mut self, more: u64) -> Result<(), Error> {
        let annealing = &mut self.annealing;
        let longer = annealing.steps.checked_add(more);
        let longer = longer.ok_or_else(|| Error::InvalidSetting {
            algorithm: NAME,
            setting: "extend",
            value: more.to_string(),
            remedy: "ask for fewer: the sum exceeds 64 bits",
        })?;
        if let Schedule::Geometric { steps, .. } = &mut annealing.schedule {
            steps.get_or_insert(annealing.steps);
        }
        annealing.steps = longer;
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
