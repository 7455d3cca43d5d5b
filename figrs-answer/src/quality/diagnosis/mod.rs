//! Diagnosis: reasons to doubt an answer, each with a remedy.

mod chains;
pub mod choice_agreement;
mod finding;
mod finding_text;
pub mod independent_draws;
mod weights;

use std::fmt;

pub(crate) use chains::{ChainMeasures, NumberMeasures};
pub use finding::{Finding, Measure, Part, Quantity};

use figrs_core::Label;

use crate::answer::bounds::DeepeningEnd;
use crate::answer::estimate::Estimate;
use crate::answer::{Answer, AnswerContent, LogEvidence, RunStatistics, TargetMarginal};
use figrs_factor::Stopped;

/// Standard error of the log-evidence above which the probability of the evidence is called very inaccurate.
const UNCERTAIN_EVIDENCE: f64 = 1.0;
/// Fraction of accepted proposals, or of samples that satisfied the evidence, below which the acceptance is called low.
const LOW_ACCEPTANCE: f64 = 0.01;
/// The largest residual at which an iterative algorithm counts as converged, if the algorithm states no tolerance.
const TOLERANCE: f64 = 1e-6;
const EXACT: &str = "exact up to rounding";
const APPROXIMATE: &str = "an approximation, whose error has no known bound";

/// The findings of [`Answer::diagnose`], with a description of the checks.
///
/// The text of a diagnosis has one line for each finding. If there are no findings, the text has one line that describes the checks.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Diagnosis {
    findings: Vec<Finding>,
    checked: String,
    rare: Vec<Label>,
}

impl Diagnosis {
    /// Returns the findings.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// True if the diagnosis has no findings.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// Returns the random choices that occur in the worlds of fewer than one in twenty draws, and that were therefore not tested.
    pub fn rare_choices(&self) -> &[Label] {
        &self.rare
    }

    /// Returns a description of the checks that the diagnosis made.
    pub fn checked(&self) -> &str {
        &self.checked
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((last, others)) = self.findings.split_last() else {
            return write!(f, "nothing found: {}", self.checked);
        };
        for finding in others {
            writeln!(f, "{finding}")?;
        }
        write!(f, "{last}")
    }
}

impl Answer {
    /// Looks for reasons to doubt this answer. Every finding has a remedy.
    ///
    /// - Findings about Markov chains: a rank-normalised split or folded R-hat above 1.01; a bulk or tail effective sample size below 400, or below
    ///   100 for each chain; a single chain; a target that never changed. A target whose Markov chains left its most frequent value fewer than ten
    ///   times is also a finding (Vehtari et al. 2021, section 5). If the values of a target are not numbers, the indicators of its frequent values
    ///   are tested.
    /// - Findings about Metropolis-Hastings: all free random choices of the worlds are tested, by the ranks of up to 128 evenly spaced draws of each
    ///   chain. A Kruskal-Wallis test compares the location and the scale of the halves of all chains. The rate of false alarms for all random
    ///   choices together is at most one in a hundred, if the chains have at least a hundred effective samples of each choice. If the chains disagree
    ///   about some choices, the finding names the choice with the largest disagreement. Choices that occur in fewer than one in twenty draws are
    ///   listed separately ([`Diagnosis::rare_choices`]). Sixteen short chains, which start from other draws of the prior, search for worlds that the
    ///   main chains never visited and that are as probable as the worlds of the main chains. All elements that a function creates with the same name
    ///   or source line count as one choice. A value of a target, or of a numeric choice that every world has, must not be much more frequent in
    ///   draws from the prior that satisfy the evidence than in the chains. If the value is much more frequent in the draws from the prior,
    ///   conditions may confine all chains to a subset of the possible worlds.
    /// - Findings about weights: fewer than 100 samples; an effective sample size below 100, or below one in a thousand samples; a sample with more
    ///   than a tenth of the weight. A Pareto k-hat above `min(1 − 1 / log₁₀ S, 0.7)` is a finding (Vehtari et al. 2024, section 3), even if there
    ///   are no targets. A possible value without samples or with fewer than ten effective samples is a finding, if the weight of a further sample
    ///   has no known bound.
    /// - Findings about independent populations: fewer than eight populations, or an effective sample size below 100.
    /// - A finding about approximations: the error of the answer has no known bound.
    /// - Findings about the run: a deadline, an interrupt or a limit ended the run; the residual of the last iteration is above the tolerance; fewer
    ///   than one in a hundred proposals or samples were accepted. A standard error of the log-evidence above 1 is a finding, and so is a world that
    ///   is not proven to be the most probable one.
    ///
    /// The diagnosis of an exact answer has no findings, and its text says so.
    ///
    /// ```
    /// # use figrs_core::{Model, Flip};
    /// # use figrs_infer::{ImportanceSampling, Run};
    /// let rare = Flip::new(0.005);
    /// let answer = ImportanceSampling::new(2000).run(&Model::new().condition(&rare, |&r| r), &rare)?;
    /// println!("{}", answer.diagnose()); // weights: 2000 weighted samples are worth only 10.0 unweighted samples, fewer than 100; draw more, ..
    /// assert!(!answer.diagnose().is_clean());
    /// # Ok::<(), figrs_infer::Error>(())
    /// ```
    pub fn diagnose(&self) -> Diagnosis {
        self.diagnose_knowing(&self.chain_measures())
    }

    pub(crate) fn chain_measures(&self) -> Vec<Option<ChainMeasures>> {
        match &self.content {
            AnswerContent::Marginals(targets, _) => {
                targets.iter().map(TargetMarginal::chain_measures).collect()
            }
            AnswerContent::Bounds(..) | AnswerContent::World(..) => Vec::new(),
        }
    }

    pub(crate) fn diagnose_knowing(&self, chains: &[Option<ChainMeasures>]) -> Diagnosis {
        let mut findings = Vec::new();
        let mut checked = match &self.content {
            AnswerContent::Marginals(targets, evidence) => {
                self.check_estimates((targets, chains), *evidence, &mut findings)
            }
            AnswerContent::Bounds(..) => "the bounds hold up to rounding".into(),
            AnswerContent::World(_, log_probability, improvements) => {
                let bound = improvements.last().map(|last| last.upper_bound);
                let gap = bound.map_or(0.0, |bound| bound - log_probability);
                if self.is_proven() != Ok(true) {
                    findings.push(Finding::NotProven { gap });
                }
                "no world is more probable, up to rounding".into()
            }
        };
        let deepening = self.deepening.filter(|d| d.ended == DeepeningEnd::Budget);
        findings.extend(deepening.map(|d| Finding::BudgetSpent { depth: d.depth }));
        if let Some(sampling) = &self.sampling {
            check_run(sampling, &mut findings);
        }
        let mut rare = Vec::new();
        if let Some(choices) = &self.choices {
            findings.extend(choices.findings().cloned());
            rare.extend_from_slice(choices.rare());
            if let Some(line) = choices.checked() {
                checked = format!("{checked}; {line}");
            }
        }
        Diagnosis {
            findings,
            checked,
            rare,
        }
    }

    /// Checks the estimates of the targets and of the log-evidence, and adds findings. Returns a text that describes the checks.
    fn check_estimates(
        &self,
        (targets, measured): (&[TargetMarginal], &[Option<ChainMeasures>]),
        evidence: Option<LogEvidence>,
        findings: &mut Vec<Finding>,
    ) -> String {
        let mut checked: Vec<String> = Vec::new();
        for (target, measured) in targets.iter().zip(measured) {
            let line = match &target.estimate {
                Estimate::Exact => EXACT.into(),
                Estimate::Approximate => {
                    if !findings.contains(&Finding::Approximation) {
                        findings.push(Finding::Approximation);
                    }
                    APPROXIMATE.into()
                }
                Estimate::Weighted { squares, unseen } => {
                    let line = self.check_weights(squares, findings);
                    weights::check_unseen(target, *unseen, findings);
                    line
                }
                Estimate::Chains { indices, chains } => match measured {
                    Some(measured) => {
                        chains::check_chains(target, measured, (indices, *chains), findings)
                    }
                    None => continue,
                },
                Estimate::Groups { groups, unseen } => {
                    weights::check_unseen(target, *unseen, findings);
                    weights::check_groups(target, groups, findings)
                }
            };
            if !checked.contains(&line) {
                checked.push(line);
            }
        }
        if let Some(estimate) = &self.reals.estimate {
            let is_exact = matches!(estimate, Estimate::Exact);
            if !is_exact && !findings.contains(&Finding::Approximation) {
                findings.push(Finding::Approximation);
            }
            let line = if is_exact { EXACT } else { APPROXIMATE };
            if !checked.iter().any(|known| known == line) {
                checked.push(line.into());
            }
        }
        let error = evidence.map(|evidence| evidence.standard_error);
        // The weights are tested even if there are no targets, because the probability of the evidence is an average of the weights.
        let heavy = error.and_then(|_| self.heavy_tail());
        findings.extend(heavy.filter(|heavy| !findings.contains(heavy)));
        let is_few = |finding: &Finding| matches!(finding, Finding::FewSamples { .. });
        let few = findings.iter().any(is_few);
        findings.extend(
            error
                .filter(|&error| error > UNCERTAIN_EVIDENCE && !few)
                .map(|error| Finding::UncertainEvidence {
                    standard_error: error,
                    threshold: UNCERTAIN_EVIDENCE,
                }),
        );
        if checked.is_empty() {
            checked.push(match error {
                None => "the answer contains no estimates".into(),
                Some(0.0) => "the evidence is exact up to rounding".into(),
                Some(error) => format!("the log-evidence has the standard error {error:.4}"),
            });
        }
        checked.join("; ")
    }
}

fn check_run(sampling: &RunStatistics, findings: &mut Vec<Finding>) {
    if sampling.stopped != Stopped::Finished {
        findings.push(Finding::StoppedEarly {
            why: sampling.stopped,
            done: sampling.done,
            asked: sampling.asked,
        });
    }
    if let Some(acceptance) = sampling.acceptance.filter(|&share| share < LOW_ACCEPTANCE) {
        findings.push(Finding::LowAcceptance {
            acceptance,
            threshold: LOW_ACCEPTANCE,
        });
    }
    let tolerance = sampling.tolerance.unwrap_or(TOLERANCE);
    // A residual that is NaN means that the iteration has not converged.
    let residual = sampling.residual.filter(|&r| r.is_nan() || r > tolerance);
    findings.extend(residual.map(|residual| Finding::NotConverged {
        residual,
        tolerance,
    }));
}
