//! The row of one algorithm in the table of a comparison.

use figrs_core::AnyElement;
use serde::Serialize;

use super::estimand::{Estimand, EstimandValue, qualities};
use super::timed_run::RunResult;
use super::verdict::{Claim, Judgement, Verdict, judge, judge_world};
use figrs_answer::{Answer, AnswerContent, Estimate, Finding, Quality};
use figrs_exact::marginal_map::MarginalMap;
use figrs_factor::Stopped;

/// The answer of one algorithm, with its errors and costs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ComparisonRow {
    /// The name of the algorithm.
    pub algorithm: String,
    /// The value of each estimand in the answer; if the answer consists of bounds, the middle between the two bounds. The list of values is empty if
    /// the answer is a world, or if the algorithm returned no answer.
    pub values: Vec<f64>,
    /// The standard error that the algorithm states for each estimand; empty if the algorithm states no standard errors.
    pub standard_errors: Vec<f64>,
    /// The natural logarithm of the probability of the world, if the answer of the algorithm is a world.
    pub log_probability: Option<f64>,
    /// The largest absolute error of the answer over all estimands. If the answer is a world, the error is the log-probability of the most probable
    /// world minus that of the answer.
    pub error: Option<f64>,
    /// The standard error that the algorithm states for the estimand with the largest error. If there is no exact answer, `standard_error` is the
    /// largest standard error that the algorithm states.
    pub standard_error: Option<f64>,
    /// The largest ratio of an error to its stated standard error, over all estimands. If the answer comes from few populations of particles, the
    /// ratio of an error to its standard error is a quantile of Student's t distribution, and is converted to the normal score with the same tail
    /// probability.
    pub deviation: Option<f64>,
    /// The smallest effective sample size of the answer over the targets: see [`Quality::Sampled`](crate::Quality::Sampled).
    pub effective_samples: Option<f64>,
    /// The name of the target with the smallest effective sample size.
    pub effective_of: Option<String>,
    /// The smallest effective sample size divided by the running time in seconds.
    pub effective_samples_per_second: Option<f64>,
    /// Running time in seconds.
    pub seconds: f64,
    /// Peak memory of the run in bytes, minus the memory in use before the run.
    pub memory: Option<u64>,
    /// The verdict on the answer.
    pub verdict: Verdict,
    /// `true` if [`SelfChecked`](crate::SelfChecked) checked the answer.
    pub checked: bool,
    /// The reason why the algorithm returned no answer, or why the run ended early.
    pub message: Option<String>,
    /// `true` if the interrupt flag of the comparison ended the run, or kept the run from beginning.
    pub interrupted: bool,
    /// Findings of [`Answer::diagnose`] about the answer, each with a remedy. If the answer is wrong and the diagnosis has no finding, a further
    /// finding states the likely reason.
    pub findings: Vec<String>,
    /// The answer of the algorithm; `None` if the algorithm returned no answer.
    #[serde(skip)]
    pub answer: Option<Answer>,
}

pub(super) struct ReferenceValues<'a> {
    pub(super) targets: &'a [AnyElement],
    pub(super) names: &'a [String],
    pub(super) estimands: &'a [Estimand],
    pub(super) exact: Option<&'a [f64]>,
    pub(super) best: Option<f64>,
}

impl ComparisonRow {
    pub(super) fn new(
        algorithm: String,
        outcome: RunResult,
        yardstick: &ReferenceValues<'_>,
    ) -> Self {
        let mut row = Self {
            algorithm,
            values: Vec::new(),
            standard_errors: Vec::new(),
            log_probability: None,
            error: None,
            standard_error: None,
            deviation: None,
            effective_samples: None,
            effective_of: None,
            effective_samples_per_second: None,
            seconds: outcome.seconds,
            memory: outcome.memory,
            verdict: Verdict::NoAnswer,
            checked: false,
            message: None,
            interrupted: outcome.is_interrupted,
            findings: Vec::new(),
            answer: None,
        };
        match outcome.answer {
            Ok(answer) => row.read(answer, yardstick),
            Err(reason) => {
                row.message = Some(reason);
                if outcome.is_refused {
                    row.verdict = Verdict::NotApplicable;
                }
            }
        }
        row
    }

    fn read(&mut self, answer: Answer, yardstick: &ReferenceValues<'_>) {
        let stopped = answer.sampling().map(|sampling| sampling.stopped);
        self.interrupted |= stopped == Some(Stopped::Interrupted);
        self.message = match stopped {
            Some(Stopped::Deadline) => Some("ended by its deadline".into()),
            Some(Stopped::Interrupted) => Some("interrupted".into()),
            Some(Stopped::Budget) => Some("ended by its budget".into()),
            Some(Stopped::Finished) | None => None,
        };
        let judgement = match &answer.content {
            AnswerContent::World(_, log_probability, _) => {
                self.log_probability = Some(*log_probability);
                // Marginal MAP sums out the other variables; its probability is therefore not that of a complete assignment.
                let best = yardstick
                    .best
                    .filter(|_| !MarginalMap::is_name(answer.algorithm()));
                judge_world(*log_probability, answer.is_proven() == Ok(true), best)
            }
            AnswerContent::Marginals(..) | AnswerContent::Bounds(..) => {
                self.judge_answer(&answer, yardstick)
            }
        };
        self.verdict = judgement.verdict;
        self.error = judgement.error;
        self.deviation = judgement.deviation;
        self.checked = answer.is_checked();
        let diagnosis = answer.diagnose();
        self.findings = diagnosis
            .findings()
            .iter()
            .map(Finding::to_string)
            .collect();
        if self.verdict == Verdict::Wrong && self.findings.is_empty() {
            self.findings.push(likely_reason(&answer).into());
        }
        self.answer = Some(answer);
    }

    fn judge_answer(&mut self, answer: &Answer, yardstick: &ReferenceValues<'_>) -> Judgement {
        let qualities = qualities(answer, yardstick.targets);
        let read = |estimand: &Estimand| estimand.read(answer, yardstick.targets, &qualities);
        let readings: Option<Vec<EstimandValue>> = yardstick.estimands.iter().map(read).collect();
        let Some(readings) = readings else {
            self.message = Some("its answer does not contain these numbers".into());
            return judge(&[], &[], None, Claim::Nothing);
        };
        self.values = readings.iter().map(|reading| reading.value).collect();
        let (claim, effective) = claim(answer, &qualities);
        let effective_samples = effective.map(|(samples, _)| samples);
        self.effective_samples = effective_samples;
        self.effective_of = effective.map(|(_, target)| yardstick.names[target].clone());
        let rate = effective_samples.map(|samples| samples / self.seconds);
        self.effective_samples_per_second = rate.filter(|rate| rate.is_finite());
        let judgement = judge(yardstick.estimands, &readings, yardstick.exact, claim);
        if claim == Claim::Estimate {
            let errors = readings.iter().map(|reading| reading.standard_error);
            self.standard_errors = errors.collect();
            self.standard_error = match yardstick.exact {
                Some(_) => self.standard_errors.get(judgement.worst).copied(),
                None => self.standard_errors.iter().copied().reduce(f64::max),
            };
        }
        judgement
    }
}

/// Returns the accuracy that an answer claims, its smallest effective sample size, and the index of the target with this effective sample size.
fn claim(answer: &Answer, qualities: &[Option<Quality>]) -> (Claim, Option<(f64, usize)>) {
    if matches!(answer.content, AnswerContent::Bounds(..)) {
        return (Claim::Bounds, None);
    }
    let mut claim = Claim::Exact;
    let mut least: Option<(f64, usize)> = None;
    for (target, quality) in qualities.iter().enumerate() {
        match *quality {
            None | Some(Quality::Exact | Quality::Bounds { .. }) => {}
            Some(Quality::Sampled { effective_samples }) => {
                if claim == Claim::Exact {
                    claim = Claim::Estimate;
                }
                if least.is_none_or(|(least, _)| effective_samples < least) {
                    least = Some((effective_samples, target));
                }
            }
            Some(_) => claim = Claim::Nothing,
        }
    }
    (claim, least.filter(|(samples, _)| samples.is_finite()))
}

/// Returns a text with the likely reason why an answer is wrong although its diagnosis has no findings, and with a remedy.
fn likely_reason(answer: &Answer) -> &'static str {
    let estimates = match &answer.content {
        AnswerContent::Marginals(targets, _) => &targets[..],
        AnswerContent::Bounds(..) | AnswerContent::World(..) => &[],
    };
    let is_estimate = |is: fn(&Estimate) -> bool| estimates.iter().any(|t| is(&t.estimate));
    if is_estimate(|estimate| matches!(estimate, Estimate::Chains { .. })) {
        "its chains agree, but all of them may be in one of several modes, or in one part of a space that conditions divide; use `tempered` \
        chains for modes, `Exact` or `Gibbs` with a larger `block_table` for a finite model with hard constraints, and the other parametrisation \
        (centred or non-centred) for a hierarchy"
    } else if is_estimate(|estimate| {
        matches!(
            estimate,
            Estimate::Weighted { .. } | Estimate::Groups { .. }
        )
    }) {
        "worlds with large weights may be so rare that no sample contains one; draw more, observe elements instead of stating conditions on them, \
        or use `Exact` if the model is finite"
    } else {
        "an answer that claims to be exact differs from another such answer; check that the functions of the model return the same result for the \
        same arguments, and report the difference if they do"
    }
}
