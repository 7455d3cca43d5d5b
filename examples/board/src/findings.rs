//! The answers to the tasks of a command that draws boards.

use std::time::Instant;

use figrs_models::board::{Cost, Report};
use figrs_models::variation::ScoreSummary;

use super::goodness::Test;
use super::options::Task;

/// The answer to a task of the command; fields of other tasks are empty.
pub(crate) struct Findings<B> {
    pub(crate) method: &'static str,
    pub(crate) boards: Vec<B>,
    pub(crate) count: Option<String>,
    pub(crate) log_probability: Option<f64>,
    /// The probability of each value of each cell, with the name of the value.
    pub(crate) marginals: Option<Vec<Vec<(&'static str, f64)>>>,
    pub(crate) most_likely: Option<B>,
    /// A board that meets the demands, and `true` if no other board meets them.
    pub(crate) solution: Option<(B, bool)>,
    pub(crate) diagnostics: Vec<(&'static str, f64)>,
    pub(crate) cost: Option<Cost>,
    /// True if the sampler stopped before it had drawn the requested number of boards, or before its Markov chains had run long enough.
    pub(crate) is_cut: bool,
    pub(crate) compile: f64,
    pub(crate) sample: f64,
    /// The reason that no board meets the demands, if none does.
    pub(crate) impossible: Option<String>,
}

/// Statistics of drawn boards: their variation, and tests of their distribution.
pub(crate) struct Stats {
    pub(crate) scores: Vec<ScoreSummary>,
    pub(crate) tests: Vec<Test>,
    /// Effective sample size of dependent boards: the number of independent boards with the same information.
    pub(crate) effective: Option<f64>,
}

impl<B> Findings<B> {
    pub(crate) fn by(method: &'static str) -> Self {
        Self {
            method,
            boards: Vec::new(),
            count: None,
            log_probability: None,
            marginals: None,
            most_likely: None,
            solution: None,
            diagnostics: Vec::new(),
            cost: None,
            is_cut: false,
            compile: 0.0,
            sample: 0.0,
            impossible: None,
        }
    }

    /// True if the findings contain the answer to a task.
    pub(crate) fn answers(&self, task: Task) -> bool {
        match task {
            Task::Sample => !self.boards.is_empty(),
            Task::Count => self.count.is_some(),
            Task::Probability => self.log_probability.is_some(),
            Task::Marginals => self.marginals.is_some(),
            Task::MostLikely => self.most_likely.is_some(),
            Task::Solve => self.solution.is_some(),
        }
    }

    /// Effective sample size of the boards of Markov chains; `None` for other methods, or if it is unknown.
    pub(crate) fn effective(&self) -> Option<f64> {
        let mut diagnostics = self.diagnostics.iter();
        let (_, effective) = diagnostics.find(|(name, _)| *name == "effective boards")?;
        effective.is_finite().then_some(*effective)
    }

    /// Returns the findings of a sampler that drew boards.
    pub(crate) fn of(report: Report) -> Self {
        Self {
            diagnostics: report.diagnostics,
            cost: report.cost,
            is_cut: report.is_cut,
            compile: report.compile.as_secs_f64(),
            ..Self::by(report.choice.method.name())
        }
    }

    /// Sets the number of seconds spent on the compilation of the model, and the number of seconds since then.
    pub(crate) fn timed(self, compile: f64, started: Instant) -> Self {
        let sample = started.elapsed().as_secs_f64() - compile;
        Self {
            compile,
            sample,
            ..self
        }
    }
}
