//! Runs of simulated annealing that can be paused, continued and lengthened.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::chain::AnnealingChain;
use super::{NAME, Schedule, SimulatedAnnealing};
use figrs_answer::run::chain_run::PausedChains;
use figrs_answer::run::run_state::TurnLength;
use figrs_answer::{Answer, Error, RunState, SharedQuestion, Turn, Watch};
use figrs_factor::{Stopped, Until};

/// The state of a run of [`SimulatedAnnealing`]. In each turn (time slice) of the run, all chains make the same number of steps.
pub(super) struct AnnealingRun {
    pub(super) annealing: SimulatedAnnealing,
    pub(super) question: SharedQuestion,
    pub(super) chains: PausedChains<AnnealingChain>,
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

impl AnnealingRun {
    /// Makes the steps of one turn (time slice) of the run; returns `true` if all chains have finished.
    fn advance_chains(&mut self, turn: &Turn<'_>) -> Result<bool, Error> {
        let search = self.annealing.of_run(turn.run());
        let (model, targets) = &*self.question;
        let goal = self.of_turn.goal(turn, self.chains.least_steps());
        self.chains.advance(
            (turn.run(), search.settings.drawing.threads()),
            |number, share| search.begin_chain(model, targets, number, share),
            |chain, number, share| {
                // During a turn, an interrupt may stop the chain only between two steps; otherwise the chain could not be continued.
                chain.trace.set_until(&Until::default());
                chain.run(&search, (number, goal), share)?;
                Ok(chain.result.steps >= search.steps)
            },
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
            advanced => advanced,
        }
    }

    fn answer(&self, stopped: Stopped) -> Result<Answer, Error> {
        let chains: Vec<_> = self.chains.each().collect();
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
        let longer = longer.ok_or_else(|| {
            Error::invalid_setting(
                NAME,
                "extend",
                more,
                "ask for fewer: the sum exceeds 64 bits",
            )
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
