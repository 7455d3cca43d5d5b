//! A run of a portfolio of algorithms, which may be stopped, resumed and given more work.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use figrs_core::{AnyElement, Model};

use super::settings::PortfolioSettings;
use figrs_answer::{
    Algorithm, Answer, AnswerContent, Error, Latest, Listener, RunState, SharedQuestion, Turn,
    Watch,
};
use figrs_factor::Stopped;
use figrs_factor::bounds::Bounds;

/// A portfolio of algorithms, with its settings.
pub(super) trait Portfolio: Algorithm + Clone + 'static {
    fn settings(&self) -> &PortfolioSettings;

    fn settings_mut(&mut self) -> &mut PortfolioSettings;

    /// Returns the answer that consists of the bounds found by an attempt; `None` if bounds are no answer to this kind of question.
    fn bounded(bounds: Bounds) -> Option<Answer>;
}

/// The state of a run of a portfolio. Each turn of the run tries all algorithms; if the run is stopped, its turn is later repeated from the
/// beginning.
#[derive(Debug)]
pub(super) struct PortfolioRun<P> {
    portfolio: P,
    question: SharedQuestion,
    found: Option<Answer>,
    latest: Latest,
}

impl<P: Portfolio> PortfolioRun<P> {
    pub(super) fn begin(portfolio: &P, model: &Model, targets: &[AnyElement]) -> Box<dyn RunState> {
        Box::new(Self {
            portfolio: portfolio.clone(),
            question: Arc::new((model.clone(), targets.to_vec())),
            found: None,
            latest: Latest::nothing(portfolio.name()),
        })
    }
}

/// True if more work can improve the answer.
fn is_open(answer: &Answer) -> bool {
    match &answer.content {
        AnswerContent::Marginals(..) => false,
        AnswerContent::Bounds(..) => true,
        AnswerContent::World(..) => !answer.is_proven().unwrap_or(true),
    }
}

/// Returns the difference of the upper and the lower bound in the answer; zero if the answer is exact.
fn width(answer: &Answer) -> f64 {
    match &answer.content {
        AnswerContent::Marginals(..) => 0.0,
        AnswerContent::Bounds(_, bounds) => bounds.upper - bounds.lower,
        AnswerContent::World(..) if !is_open(answer) => 0.0,
        AnswerContent::World(_, log, _) => {
            answer.upper_bound().map_or(f64::INFINITY, |up| up - log)
        }
    }
}

impl<P: Portfolio> RunState for PortfolioRun<P> {
    fn algorithm(&self) -> &'static str {
        self.portfolio.name()
    }

    fn asked(&self) -> Option<u64> {
        None
    }

    fn watch(&self) -> &Watch {
        &self.portfolio.settings().watch
    }

    fn advance(&mut self, turn: &Turn<'_>) -> Result<bool, Error> {
        if self.found.as_ref().is_some_and(|found| !is_open(found)) {
            return Ok(true);
        }
        let mut portfolio = self.portfolio.clone();
        let settings = portfolio.settings_mut();
        settings.watch = turn.run().rest();
        let (latest, question) = (self.latest.clone(), Arc::clone(&self.question));
        let listener = settings.bounds_listener.clone();
        settings.bounds_listener = Listener::new(move |bounds: &Bounds| {
            let is_closer = latest
                .get()
                .is_ok_and(|answer| width(&answer) < bounds.upper - bounds.lower);
            if let Some(answer) = P::bounded(*bounds).filter(|_| !is_closer) {
                latest.set(Ok(answer.with_question(Arc::clone(&question))));
            }
            listener.tell(bounds);
        });
        let found = match portfolio.answer(&self.question.0, &self.question.1) {
            Err(Error::NothingDone { .. }) if turn.run().stopped().is_some() => return Ok(false),
            found => found?.with_question(Arc::clone(&self.question)),
        };
        let goes_on = is_open(&found) && turn.run().stopped().is_some();
        // An attempt that was stopped early may have found less than an earlier attempt.
        let found = match self.found.take() {
            Some(before) if width(&before) < width(&found) => before,
            _ => found,
        };
        self.latest.set(Ok(found.clone()));
        self.found = Some(found);
        Ok(!goes_on)
    }

    fn answer(&self, _: Stopped) -> Result<Answer, Error> {
        self.found.clone().map_or_else(|| self.latest.get(), Ok)
    }

    fn extend(&mut self, more: u64) -> Result<(), Error> {
        self.portfolio.settings_mut().limits.work += more as f64;
        Ok(())
    }

    fn latest(&self) -> Option<Latest> {
        Some(self.latest.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
