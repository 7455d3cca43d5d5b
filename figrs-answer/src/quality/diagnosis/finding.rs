//! Findings: the reasons to doubt an answer.

use std::fmt;

use figrs_core::Label;

use figrs_factor::Stopped;

/// The number that a finding is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The target, or the choice.
    pub element: Label,
    /// The number derived from it.
    pub part: Part,
}

/// Number derived from a target or choice: the value itself, a component, an indicator, a count.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The number that is its value.
    Whole,
    /// A component of the list that is its value, counted from zero.
    Component(usize),
    /// The indicator of this value.
    Is(String),
    /// The number of elements of its label in a world.
    Count,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            Part::Whole => write!(f, "{}", self.element),
            Part::Component(index) => write!(f, "{}, component {index}", self.element),
            Part::Is(value) => write!(f, "{} = {value}", self.element),
            Part::Count => write!(f, "{}, its number in a world", self.element),
        }
    }
}

/// Kind of estimate that an effective sample size holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// The middle of a distribution: means and probabilities.
    Bulk,
    /// Its 5 % and 95 % quantiles.
    Tail,
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bulk => "bulk",
            Self::Tail => "tail",
        })
    }
}

/// Reason to doubt an answer: the number found, its threshold, and a remedy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// The chains, or the halves of a chain, do not show the same distribution.
    ChainsDisagree {
        /// The quantity with the largest disagreement, of one target.
        quantity: Quantity,
        /// The rank-normalised split R-hat.
        r_hat: f64,
        /// The largest acceptable value.
        threshold: f64,
    },
    /// The chains, or the halves of a chain, do not agree about the choices of their worlds, or move too slowly to tell.
    ChoicesDisagree {
        /// The quantity for which agreement is least likely.
        quantity: Quantity,
        /// The rank-normalised split R-hat there, of evenly spaced draws; NaN if worlds have this choice at times only.
        r_hat: f64,
        /// A bound of the probability that chains which agree show so much at any choice.
        chance: f64,
        /// The least acceptable value: the rate of false alarms for all choices together.
        threshold: f64,
        /// Number of choices for which this is found.
        choices: usize,
    },
    /// Short chains from other draws of the prior rest in worlds as probable as those of the chains, where these never were: the chains may
    /// agree because all are in one mode of several.
    OtherMode {
        /// The number that is farthest from where the chains were.
        quantity: Quantity,
        /// The number at which such a chain rests.
        number: f64,
        /// The least and the largest number that the chains showed.
        range: (f64, f64),
        /// Number of short chains that rest elsewhere.
        chains: usize,
        /// Number of short chains.
        of: usize,
    },
    /// The chains made few steps for each choice of their worlds, so that nothing tells whether they agree about them.
    FewSweeps {
        /// Number of choices in a world.
        choices: usize,
        /// Steps of the shortest chain, in units of that number.
        sweeps: u64,
        /// The least acceptable value.
        threshold: u64,
    },
    /// The effective sample size of the chains, or of the groups, is small.
    FewEffectiveSamples {
        /// The quantity with the fewest, of one target.
        quantity: Quantity,
        /// The kind of estimate.
        measure: Measure,
        /// The effective sample size.
        effective_samples: f64,
        /// The least acceptable value.
        threshold: f64,
    },
    /// All draws of a target are the same: either nothing else is possible, or the chains are stuck.
    NeverChanged {
        /// The target.
        element: Label,
        /// Its value.
        value: String,
        /// Number of draws.
        draws: usize,
    },
    /// There is one chain, which cannot be compared with others.
    SingleChain,
    /// There are no independent populations to compare, so that no error is known.
    SinglePopulation,
    /// The answer is an approximation whose error nothing bounds.
    Approximation,
    /// There are few samples, all of the same weight.
    FewSamples {
        /// Number of samples.
        samples: u64,
        /// The least acceptable value.
        threshold: f64,
    },
    /// Most weighted samples count for next to nothing.
    WeightDegeneracy {
        /// The effective sample size of the weights.
        effective_samples: f64,
        /// Number of samples.
        draws: u64,
        /// The least acceptable effective sample size.
        threshold: f64,
    },
    /// One sample has much of the whole weight.
    DominatingWeight {
        /// Its share.
        share: f64,
        /// The largest acceptable value.
        threshold: f64,
    },
    /// The tail of the weights is so heavy that averages of them do not settle.
    HeavyTailedWeights {
        /// The Pareto k-hat.
        k: f64,
        /// The largest acceptable value.
        threshold: f64,
    },
    /// Values that a target may have and that no draw has, whose probability nothing bounds.
    UnseenValues {
        /// The target.
        element: Label,
        /// The first of them.
        value: String,
        /// Number of such values.
        values: usize,
    },
    /// The probability of the evidence is hardly known.
    UncertainEvidence {
        /// The standard error of its logarithm.
        standard_error: f64,
        /// The largest acceptable value.
        threshold: f64,
    },
    /// Few proposals were accepted, or few samples met the evidence.
    LowAcceptance {
        /// Their share.
        acceptance: f64,
        /// The least acceptable value.
        threshold: f64,
    },
    /// A deadline or an interrupt ended the run.
    StoppedEarly {
        /// Reason for the end.
        why: Stopped,
        /// Samples, steps or sweeps done until then.
        done: u64,
        /// Number that had been asked for, if it was limited.
        asked: Option<u64>,
    },
    /// A budget ended the expansion of the model before the bounds were as close as was asked for.
    BudgetSpent {
        /// The depth that was reached.
        depth: usize,
    },
    /// An iteration ended before it came to rest.
    NotConverged {
        /// Change by the last iteration.
        residual: f64,
        /// The largest acceptable value.
        tolerance: f64,
    },
    /// There may be a more probable world than the one that was found.
    NotProven {
        /// Difference of its log-probability from the bound on all worlds; infinite if there is none.
        gap: f64,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approximation => write!(
                f,
                "an approximation whose error nothing bounds, as where messages go round loops; compare with an exact \
                 algorithm such as JunctionTree, or with a sampler"
            ),
            Self::LowAcceptance {
                acceptance,
                threshold,
            } => write!(
                f,
                "{:.2} % accepted, below {:.0} %; use proposals that change less, or weigh instead of rejecting",
                100.0 * acceptance,
                100.0 * threshold
            ),
            Self::StoppedEarly { why, done, asked } => stopped_early(f, *why, *done, *asked),
            Self::BudgetSpent { depth } => write!(
                f,
                "the budget ended at depth {depth}, before the bounds were as close as was asked for; allow a larger one"
            ),
            Self::NotConverged {
                residual,
                tolerance,
            } => write!(
                f,
                "not converged: the last iteration changed {residual:.1e}, above {tolerance:.1e}; allow more \
                 iterations or more damping"
            ),
            Self::NotProven { gap } => not_proven(f, *gap),
            Self::ChainsDisagree { .. }
            | Self::ChoicesDisagree { .. }
            | Self::FewSweeps { .. }
            | Self::OtherMode { .. }
            | Self::FewEffectiveSamples { .. }
            | Self::NeverChanged { .. }
            | Self::SingleChain => self.of_chains(f),
            Self::SinglePopulation
            | Self::FewSamples { .. }
            | Self::WeightDegeneracy { .. }
            | Self::DominatingWeight { .. }
            | Self::HeavyTailedWeights { .. }
            | Self::UnseenValues { .. }
            | Self::UncertainEvidence { .. } => self.of_weights(f),
        }
    }
}

impl Finding {
    /// The text of a finding about chains.
    fn of_chains(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChainsDisagree {
                quantity,
                r_hat,
                threshold,
            } => write!(
                f,
                "{quantity}: the chains disagree, R-hat {r_hat:.3} is above {threshold}; run longer, or propose moves \
                 that pass between the places where the chains are"
            ),
            Self::ChoicesDisagree {
                quantity,
                r_hat,
                chance,
                threshold,
                choices,
            } => {
                write!(f, "{quantity}: the chains disagree about this choice")?;
                match choices {
                    0 | 1 => {}
                    2 => write!(f, " most, and about 1 other")?,
                    _ => write!(f, " most, and about {} others", choices - 1)?,
                }
                if !r_hat.is_nan() {
                    write!(f, ", R-hat {r_hat:.3}")?;
                }
                write!(
                    f,
                    "; chains that agree show as much with a probability of at most {chance:.1e}, below {threshold}; run longer, or \
                     propose moves that pass between the places where the chains are"
                )
            }
            Self::OtherMode {
                quantity,
                number,
                range: (low, high),
                chains,
                of,
            } => write!(
                f,
                "{quantity}: {chains} of {of} short chains from other draws of the prior rest elsewhere, one at {number:.4}, in worlds as \
                 probable; the chains were from {low:.4} to {high:.4}, and may all be in one mode of several; run more chains, or propose \
                 moves that pass between the modes"
            ),
            Self::FewSweeps {
                choices,
                sweeps,
                threshold,
            } => write!(
                f,
                "{sweeps} steps a chain for each of {choices} choices, below {threshold}: nothing tells whether the chains agree; \
                 run longer"
            ),
            Self::FewEffectiveSamples {
                quantity,
                measure,
                effective_samples,
                threshold,
            } => write!(
                f,
                "{quantity}: {measure} ESS {effective_samples:.0} is below {threshold:.0}; draw more, or with less \
                 autocorrelation"
            ),
            Self::NeverChanged {
                element,
                value,
                draws,
            } => write!(
                f,
                "{element}: all {draws} draws are {value}; nothing tells whether other values are possible: compare with \
                 an exact algorithm, or start chains elsewhere"
            ),
            Self::SingleChain => write!(
                f,
                "1 chain, below 2: it cannot be compared with others; run several (`chains(4)`)"
            ),
            _ => Ok(()),
        }
    }

    /// The text of a finding about independent samples or populations.
    fn of_weights(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SinglePopulation => write!(
                f,
                "fewer than 2 independent populations: their error is not known; run several"
            ),
            Self::FewSamples { samples, threshold } => {
                write!(f, "samples: {samples}, below {threshold:.0}; draw more")
            }
            Self::WeightDegeneracy {
                effective_samples,
                draws,
                threshold,
            } => write!(
                f,
                "weights: {draws} samples are worth {effective_samples:.1}, below {threshold:.0}; draw more, observe elements \
                 instead of conditions on them, or use MetropolisHastings or an exact algorithm"
            ),
            Self::DominatingWeight { share, threshold } => write!(
                f,
                "weights: one sample has {:.1} % of the weight, above {:.0} %; draw more, or use another algorithm",
                100.0 * share,
                100.0 * threshold
            ),
            Self::HeavyTailedWeights { k, threshold } => write!(
                f,
                "weights: Pareto k-hat {k:.2} is above {threshold:.2}, so that standard errors mislead; use proposals \
                 nearer to the posterior, or another algorithm"
            ),
            Self::UnseenValues {
                element,
                value,
                values,
            } => {
                write!(f, "{element}: no draw is {value}")?;
                if *values > 1 {
                    write!(f, " or one of {} other values", values - 1)?;
                }
                write!(
                    f,
                    ", and nothing bounds its probability: the largest weight that a world may have is not known, or is so large \
                     that 3 / n times it tells nothing; draw more, or compare with an exact algorithm"
                )
            }
            Self::UncertainEvidence {
                standard_error,
                threshold,
            } => write!(
                f,
                "evidence: the standard error {standard_error:.2} of its log-probability is above {threshold}; draw more"
            ),
            _ => Ok(()),
        }
    }
}

fn not_proven(f: &mut fmt::Formatter<'_>, gap: f64) -> fmt::Result {
    if gap.is_finite() {
        return write!(
            f,
            "a world of a log-probability up to {gap:.4} higher is not excluded; search longer"
        );
    }
    write!(
        f,
        "nothing bounds the probability of other worlds; search longer, or compare with MpeVariableElimination or \
         MpeBranchAndBound if the model is finite"
    )
}

fn stopped_early(
    f: &mut fmt::Formatter<'_>,
    why: Stopped,
    done: u64,
    asked: Option<u64>,
) -> fmt::Result {
    let why = match why {
        Stopped::Interrupted => "interrupted",
        _ => "stopped by the deadline",
    };
    match asked {
        Some(asked) => write!(f, "{why} after {done} of {asked}")?,
        None => write!(f, "{why} after {done}")?,
    }
    write!(f, "; allow more time")
}
