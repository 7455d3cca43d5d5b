//! What is found.

use figrs::models::variation::Score;

use super::engine::Cost;
use super::goodness::Test;
use super::options::Task;
use super::puzzle::Drawn;

/// The answer to a task; the rest is empty.
pub(crate) struct Findings<B> {
    pub(crate) method: &'static str,
    pub(crate) boards: Vec<B>,
    pub(crate) count: Option<String>,
    pub(crate) log_probability: Option<f64>,
    /// For each cell its values by name, and their probabilities.
    pub(crate) marginals: Option<Vec<Vec<(&'static str, f64)>>>,
    pub(crate) most_likely: Option<B>,
    /// A board, and whether it is the only one.
    pub(crate) solution: Option<(B, bool)>,
    pub(crate) diagnostics: Vec<(&'static str, f64)>,
    pub(crate) cost: Option<Cost>,
    pub(crate) compile: f64,
    pub(crate) sample: f64,
    /// Why there is no board, if there is none.
    pub(crate) impossible: Option<String>,
}

/// How boards vary, and whether they have the right distribution.
pub(crate) struct Stats {
    pub(crate) scores: Vec<Score>,
    pub(crate) tests: Vec<Test>,
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
            compile: 0.0,
            sample: 0.0,
            impossible: None,
        }
    }

    /// Whether it holds what a task asks for.
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

    /// How boards were drawn.
    pub(crate) fn add(&mut self, drawn: Drawn) {
        self.diagnostics = drawn.diagnostics;
        self.compile = drawn.compile;
    }
}
