//! Result of a comparison of algorithms.

use figrs_core::{AnyElement, Model};
use serde::Serialize;

use super::curve::Curve;
use super::estimand::Estimand;
use super::row::ComparisonRow;
use super::verdict::Verdict;
use figrs_answer::{Answer, AnswerContent, Estimate, Posterior};

/// The exact answer to which a comparison of algorithms compares the other answers.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ExactReference {
    /// The name of the algorithm that computed the exact answer.
    pub algorithm: String,
    /// The exact value of each compared quantity (estimand).
    pub values: Vec<f64>,
    /// Time that the computation of the exact answer took, in seconds; zero if the user supplied the exact answer.
    pub seconds: f64,
    /// The whole answer of the algorithm that computed the exact answer.
    #[serde(skip)]
    pub answer: Answer,
}

/// Result of a comparison: the answers of several algorithms to one query, with verdicts.
///
/// The text of a comparison is a table with one row for each algorithm, followed by conclusions and the error curves. A serialised comparison
/// contains all numbers; in JSON, an infinite or unknown number is `null`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The names of the targets (the queried variables) of the comparison.
    pub targets: Vec<String>,
    /// The quantities that are compared; the row of each algorithm has a value for each quantity.
    pub estimands: Vec<Estimand>,
    /// The exact answer to the query, if one is known.
    pub exact: Option<ExactReference>,
    /// The log-probability of the most probable world, if this world was found and at least one algorithm answers with a world.
    pub best_log_probability: Option<f64>,
    /// The rows of the comparison, one for each algorithm, in the order of the algorithms.
    pub rows: Vec<ComparisonRow>,
    /// The error curves that were requested for the comparison.
    pub curves: Vec<Curve>,
    #[serde(skip)]
    pub(super) model: Model,
    #[serde(skip)]
    pub(super) elements: Vec<AnyElement>,
}

impl Comparison {
    /// Returns the model on which the algorithms were run.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Returns the targets of the comparison: the variables whose posteriors the algorithms computed.
    pub fn elements(&self) -> &[AnyElement] {
        &self.elements
    }

    /// Returns the posteriors of the targets, from the exact answer or, without an exact answer, from the answer with the largest effective sample
    /// size. The list of posteriors is empty if the answers of all algorithms are worlds or bounds.
    pub fn posteriors(&self) -> Vec<Posterior> {
        let samples = |row: &&ComparisonRow| row.effective_samples.unwrap_or(0.0);
        let exact = self.exact.as_ref().map(|exact| &exact.answer);
        let sampled = self.rows.iter().filter(|row| !row.values.is_empty());
        let sampled = sampled.max_by(|a, b| samples(a).total_cmp(&samples(b)));
        let answer = exact.or_else(|| sampled?.answer.as_ref());
        let posteriors = answer.map(Answer::posteriors);
        posteriors.and_then(Result::ok).unwrap_or_default()
    }

    /// Returns the row of the algorithm that found the exact answer in the shortest time.
    pub fn fastest_exact(&self) -> Option<&ComparisonRow> {
        let is_exact = |row: &&ComparisonRow| row.answer.as_ref().is_some_and(is_exact);
        let agree = self
            .rows
            .iter()
            .filter(|row| row.verdict == Verdict::Agrees);
        let exact = agree.filter(is_exact);
        exact.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// Returns the row of the sampler with the most effective samples per second. The row of a sampler is ignored if its answer is wrong or has an
    /// unknown error.
    pub fn best_sampler(&self) -> Option<&ComparisonRow> {
        let rate = |row: &&ComparisonRow| row.effective_samples_per_second.unwrap_or(0.0);
        let is_doubtful = |verdict| matches!(verdict, Verdict::Wrong | Verdict::UnknownError);
        let samplers = self.rows.iter().filter(|row| !is_doubtful(row.verdict));
        let samplers = samplers.filter(|row| rate(row) > 0.0);
        samplers.max_by(|a, b| rate(a).total_cmp(&rate(b)))
    }

    /// Returns the index of the quantity whose values the text of the comparison shows: for the first target whose value is not certain, the
    /// probability of `true` or else of the most probable value.
    pub(super) fn shown(&self) -> Option<usize> {
        let rows = self.rows.iter().map(|row| &row.values);
        let mut known = self.exact.iter().map(|exact| &exact.values).chain(rows);
        let values = known.find(|values| !values.is_empty())?;
        let likeliest = |target: usize| {
            let of_target =
                (0..self.estimands.len()).filter(|&i| self.estimands[i].target == target);
            of_target.reduce(|best, i| if values[i] > values[best] { i } else { best })
        };
        let targets = 0..self.elements.len();
        let uncertain = |&i: &usize| !self.estimands[i].is_probability() || values[i] < 1.0 - 1e-9;
        let best = targets.clone().filter_map(likeliest).find(uncertain);
        let best = best.or_else(|| targets.clone().find_map(likeliest))?;
        let target = self.estimands[best].target;
        let is_of_true =
            |i: &usize| self.estimands[*i].target == target && self.estimands[*i].is_of_true();
        Some((0..self.estimands.len()).find(is_of_true).unwrap_or(best))
    }
}

/// True if an answer contains marginals, and all these marginals are exact.
pub(super) fn is_exact(answer: &Answer) -> bool {
    let AnswerContent::Marginals(targets, _) = &answer.content else {
        return false;
    };
    !answer.has_approximate_mixtures()
        && targets
            .iter()
            .all(|target| target.estimate == Estimate::Exact)
}
