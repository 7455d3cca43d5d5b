//! A run of lazy variable elimination, which expands the model to a greater depth in each turn of the loop.

use std::any::Any;
use std::sync::Arc;
use std::thread::{self, ThreadId};

use figrs_core::expand::ExpansionCache;
use figrs_core::{AnyElement, Model};

use super::deepening_search::DeepeningProgress;
use super::lazy_variable_elimination::{Goal, LazyVariableElimination};
use figrs_answer::run::unit_run::SharedQuestion;
use figrs_answer::run::watch::Watch;
use figrs_answer::{Algorithm, Answer, DeepeningEnd, Error, Latest, RunState, Turn};
use figrs_factor::Stopped;

/// The state of a run of [`LazyVariableElimination`]; each turn (round of the run's loop) computes the bounds at one depth.
#[derive(Debug)]
pub(super) struct LazyRun {
    algorithm: LazyVariableElimination,
    question: SharedQuestion,
    progress: DeepeningProgress,
    /// The expansions of the model that the earlier rounds of the run made, and the thread that counts the memory of these expansions.
    expansions: Option<(ThreadId, ExpansionCache)>,
    /// The number of values that expansions to the second and later depths list for an element with infinitely many values.
    range: Option<usize>,
    spent: u64,
    ended: Option<DeepeningEnd>,
    latest: Latest,
}

impl LazyRun {
    pub(super) fn begin(
        algorithm: &LazyVariableElimination,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Box<dyn RunState>, Error> {
        algorithm.check()?;
        Ok(Box::new(Self {
            algorithm: algorithm.clone(),
            question: Arc::new((model.clone(), targets.to_vec())),
            progress: DeepeningProgress::default(),
            expansions: None,
            range: None,
            spent: 0,
            ended: None,
            latest: Latest::nothing(algorithm.name()),
        }))
    }

    fn answer_after(&self, ended: DeepeningEnd) -> Result<Answer, Error> {
        let question = (&self.question.0, &self.question.1[..]);
        let search = self
            .algorithm
            .search(question, ExpansionCache::default(), self.spent);
        let answer = search.answer_of(self.progress.last.clone(), ended)?;
        Ok(answer.with_question(Arc::clone(&self.question)))
    }
}

impl RunState for LazyRun {
    fn algorithm(&self) -> &'static str {
        self.algorithm.name()
    }

    fn asked(&self) -> Option<u64> {
        Some(self.algorithm.work)
    }

    fn watch(&self) -> &Watch {
        &self.algorithm.watch
    }

    fn advance(&mut self, turn: &Turn<'_>) -> Result<bool, Error> {
        if self.ended.is_some() {
            return Ok(true);
        }
        let algorithm = LazyVariableElimination {
            watch: turn.run().rest(),
            ..self.algorithm.clone()
        };
        let (width, deepest) = match algorithm.goal {
            Goal::Width(width) => (width, None),
            Goal::Depth(depth) => (-1.0, Some(depth.min(algorithm.limits.depth))),
        };
        let pace = &mut self.progress.pace;
        pace.depth = pace.depth.min(deepest.unwrap_or(usize::MAX));
        let depth = pace.depth;
        let here = thread::current().id();
        let known = self.expansions.take().filter(|(thread, _)| *thread == here);
        let known = known.map_or_else(ExpansionCache::default, |(_, expansions)| expansions);
        let question = (&self.question.0, &self.question.1[..]);
        let mut search = algorithm.search(question, known, self.spent);
        search.range = self.range.unwrap_or(search.range);
        let ended = search.deepen_once(width, &mut self.progress);
        self.range = Some(search.range);
        self.spent = search.spent;
        self.expansions = Some((here, search.memory));
        self.ended = match ended? {
            Some(DeepeningEnd::Stopped(_)) => return Ok(false),
            _ if deepest.is_some_and(|deepest| depth >= deepest) => Some(DeepeningEnd::Depth),
            ended => ended,
        };
        let last = self.progress.last.as_ref();
        if last.is_some_and(|(found, _)| found.as_ref().is_ok_and(|found| found.is_complete)) {
            self.ended = Some(DeepeningEnd::Complete);
        }
        let so_far = DeepeningEnd::Stopped(Stopped::Interrupted);
        self.latest.set(self.answer_after(so_far));
        Ok(self.ended.is_some())
    }

    fn answer(&self, stopped: Stopped) -> Result<Answer, Error> {
        self.answer_after(self.ended.unwrap_or(DeepeningEnd::Stopped(stopped)))
    }

    fn extend(&mut self, more: u64) -> Result<(), Error> {
        if self.ended == Some(DeepeningEnd::Complete) {
            return Ok(());
        }
        match &mut self.algorithm.goal {
            Goal::Width(width) => {
                *width = 0.0;
                self.algorithm.work = self.algorithm.work.saturating_add(more);
            }
            Goal::Depth(depth) => {
                *depth = depth.saturating_add(usize::try_from(more).unwrap_or(usize::MAX));
                if let Some((_, last)) = self.progress.last {
                    self.progress.pace.depth = self.progress.pace.depth.max(last + 1);
                }
            }
        }
        self.ended = None;
        Ok(())
    }

    fn latest(&self) -> Option<Latest> {
        Some(self.latest.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
