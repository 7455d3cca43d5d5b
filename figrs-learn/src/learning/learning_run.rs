//! A run of expectation-maximisation that can be stopped, resumed and lengthened.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use figrs_core::Model;

use super::case_rows::CaseRows;
use super::case_table::CaseTable;
use super::expectation_maximization::ExpectationMaximization;
use super::expected_counts::ExpectedCounts;
use super::fit::Fit;
use super::learner::Learner;
use super::observed_information::StandardErrors;
use super::rounds::{Rounds, best_of};
use figrs_answer::{Error, Latest, RunState, Turn, Watch};
use figrs_factor::Stopped;

const NAME: &str = "ExpectationMaximization";

/// The state of a run of [`ExpectationMaximization`]. In each turn (time slice) of the run, some rounds of expectation-maximisation are made.
#[derive(Debug)]
pub(super) struct LearningRun<E> {
    settings: ExpectationMaximization<E>,
    model: Model,
    table: CaseTable,
    rows: Arc<CaseRows>,
    /// The model prepared for expectation-maximisation; `None` before the first turn of the run.
    learner: Option<Arc<Mutex<Learner>>>,
    starts: Vec<Rounds>,
    standard_errors: Option<StandardErrors>,
    latest: Latest<Fit>,
}

impl<E: ExpectedCounts + Clone + fmt::Debug + Send + 'static> LearningRun<E> {
    pub(super) fn begin(
        settings: &ExpectationMaximization<E>,
        model: &Model,
        table: &CaseTable,
    ) -> Box<dyn RunState<Fit>> {
        Box::new(Self {
            settings: settings.clone(),
            model: model.clone(),
            rows: Arc::new(table.rows.clone()),
            table: table.clone(),
            learner: None,
            starts: Vec::new(),
            standard_errors: None,
            latest: Latest::nothing(NAME),
        })
    }

    /// Returns the learned values after the rounds so far; `stopped` is the reason why the rounds ended.
    fn fit(&self, stopped: Stopped) -> Result<Fit, Error> {
        let nothing = || Error::NothingDone { algorithm: NAME };
        let learner = self.learner.as_ref().ok_or_else(nothing)?;
        let (mut best, objectives) = best_of(&self.starts).ok_or_else(nothing)?;
        best.ended = best.ended.or(Some(stopped));
        Ok(Fit::new(
            &self.model,
            Arc::clone(learner),
            (best, objectives),
            Arc::clone(&self.rows),
            self.standard_errors.clone(),
        ))
    }

    /// Runs the rounds of expectation-maximisation of one turn; returns `true` if all starts have ended.
    fn run_rounds(&mut self, turn: &Turn<'_>) -> Result<bool, Error> {
        let run = turn.run();
        let learner = if let Some(learner) = &self.learner {
            Arc::clone(learner)
        } else {
            let learner = self.settings.prepare(&self.model, &self.table, run)?;
            Arc::clone(self.learner.insert(Arc::new(Mutex::new(learner))))
        };
        loop {
            // Between two rounds, another fit that shares the learner may have changed the parameters.
            let learner = learner.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(present) = self.starts.iter().find(|start| start.ended.is_none()) {
                learner.set(&present.last.values);
            }
            let (step, rows) = (&*learner.step, &self.rows);
            let ended = self.settings.advance(step, rows, run, &mut self.starts)?;
            if ended && let Some((best, _)) = best_of(&self.starts) {
                let by = (step, &**rows);
                self.standard_errors = learner.errors_after(by, &best, run)?;
            }
            drop(learner);
            self.latest.set(self.fit(Stopped::Interrupted));
            if ended || turn.is_over() {
                return Ok(ended);
            }
        }
    }
}

impl<E: ExpectedCounts + Clone + fmt::Debug + Send + 'static> RunState<Fit> for LearningRun<E> {
    fn algorithm(&self) -> &'static str {
        NAME
    }

    fn asked(&self) -> Option<u64> {
        self.settings.rounds.checked_mul(self.settings.starts)
    }

    fn watch(&self) -> &Watch {
        &self.settings.watch
    }

    fn advance(&mut self, turn: &Turn<'_>) -> Result<bool, Error> {
        match self.run_rounds(turn) {
            Err(error) if error.is_stopped() => Ok(false),
            Err(Error::NothingDone { .. }) if turn.run().stopped().is_some() => Ok(false),
            ran => ran,
        }
    }

    fn answer(&self, stopped: Stopped) -> Result<Fit, Error> {
        self.fit(stopped)
    }

    fn extend(&mut self, more: u64) -> Result<(), Error> {
        self.settings.rounds = self.settings.rounds.saturating_add(more);
        self.standard_errors = None;
        for start in &mut self.starts {
            start.ended = start.ended.filter(|why| *why != Stopped::Budget);
        }
        Ok(())
    }

    fn latest(&self) -> Option<Latest<Fit>> {
        Some(self.latest.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
