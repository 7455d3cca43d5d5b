//! Findings: the reasons to doubt an answer.

use std::fmt;

use figrs_core::Label;

use figrs_factor::Stopped;

/// The number that a finding is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The target, or the choice.
    pub element: Label,
    /// The number derived from the target or choice.
    pub part: Part,
}

/// Number derived from a target or choice: the value itself, a component, an indicator, a count.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The value itself, as a number.
    Whole,
    /// A component of the value, which is a list; counted from zero.
    Component(usize),
    /// The indicator of this value.
    Is(String),
    /// The number of elements with its label in a world.
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

/// Kind of estimate for which an effective sample size holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// The middle of a distribution: means and probabilities.
    Bulk,
    /// The 5 % and 95 % quantiles of a distribution.
    Tail,
    /// Means and probabilities, by the spread of independent populations.
    Populations,
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bulk => "bulk",
            Self::Tail => "tail",
            Self::Populations => "populations'",
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
        /// The largest acceptable R-hat.
        threshold: f64,
    },
    /// The chains, or the halves of a chain, do not agree about the choices of their worlds, or move too slowly for a comparison.
    ChoicesDisagree {
        /// The quantity for which agreement is least likely.
        quantity: Quantity,
        /// The rank-normalised split R-hat of this quantity, for evenly spaced draws; NaN if only some worlds have this choice.
        r_hat: f64,
        /// A bound of the probability that agreeing chains show so much disagreement in any choice.
        chance: f64,
        /// The least acceptable value: the rate of false alarms for all choices together.
        threshold: f64,
        /// Number of choices with this finding.
        choices: usize,
    },
    /// Short chains from other draws of the prior stayed in worlds as probable as those of the main chains, but where no main chain ever was: the main chains
    /// may agree because all are in one of several modes.
    OtherMode {
        /// The number that is farthest from the range of the chains.
        quantity: Quantity,
        /// The number at which such a chain stayed.
        number: f64,
        /// The least and the largest number of the chains.
        range: (f64, f64),
        /// Number of short chains that stayed elsewhere.
        chains: usize,
        /// Number of short chains.
        of: usize,
    },
    /// Independent draws that the evidence does not exclude have a value of a target more often than the chains would allow if they were right: the
    /// chains may all be in one part of the possible worlds.
    MissedValues {
        /// The target.
        element: Label,
        /// A value that the chains have too seldom.
        value: String,
        /// Number of independent draws with this value.
        hits: usize,
        /// Number of independent draws.
        of: usize,
        /// The share of the value in the draws of the chains.
        share: f64,
        /// A bound of the probability that independent draws show as much for any value if the chains are right.
        chance: f64,
        /// The least acceptable value: the rate of false alarms.
        threshold: f64,
    },
    /// The chains made few steps for each choice of their worlds, so that it is unknown whether they agree about them.
    FewSweeps {
        /// Number of choices in a world.
        choices: usize,
        /// Steps of the shortest chain, in units of that number.
        sweeps: u64,
        /// The least acceptable number of sweeps.
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
        /// The least acceptable effective sample size.
        threshold: f64,
    },
    /// All draws of a target are the same: either nothing else is possible, or the chains are stuck.
    NeverChanged {
        /// The target.
        element: Label,
        /// The value of all draws.
        value: String,
        /// Number of draws.
        draws: usize,
    },
    /// The chains of a target left its most frequent value only a few times, so that the probabilities of its other values are unknown.
    SeldomChanged {
        /// The target.
        element: Label,
        /// The most frequent value of the target.
        value: String,
        /// Number of draws with other values.
        others: usize,
        /// Number of draws.
        draws: usize,
        /// Number of times that a chain went to other values.
        stays: u64,
        /// The least acceptable number of stays.
        threshold: u64,
    },
    /// There is only one Markov chain, so that no comparison of chains is possible.
    SingleChain,
    /// There are no independent populations to compare, so that no error is known.
    SinglePopulation,
    /// There are so few independent populations that their spread may be small by chance.
    FewPopulations {
        /// Number of populations.
        populations: usize,
        /// The least acceptable number of populations.
        threshold: usize,
    },
    /// The answer is an approximation whose error nothing bounds.
    Approximation,
    /// There are few samples, all of the same weight.
    FewSamples {
        /// Number of samples.
        samples: u64,
        /// The least acceptable number of samples.
        threshold: f64,
    },
    /// Most weighted samples have a negligible weight.
    WeightDegeneracy {
        /// The effective sample size of the weights.
        effective_samples: f64,
        /// Number of samples.
        draws: u64,
        /// The least acceptable effective sample size.
        threshold: f64,
    },
    /// One sample has a large share of the whole weight.
    DominatingWeight {
        /// The share of that sample in the whole weight.
        share: f64,
        /// The largest acceptable share.
        threshold: f64,
    },
    /// The tail of the weights is so heavy that averages of them do not converge.
    HeavyTailedWeights {
        /// The Pareto k-hat.
        k: f64,
        /// The largest acceptable k-hat.
        threshold: f64,
    },
    /// Values that a target may have but no draw has, and whose probability nothing bounds.
    UnseenValues {
        /// The target.
        element: Label,
        /// The first value that no draw has.
        value: String,
        /// Number of such values.
        values: usize,
    },
    /// Values that few draws show, while nothing bounds the weight of another draw: their standard errors may be too small.
    FewHits {
        /// The target.
        element: Label,
        /// The value that the fewest draws show.
        value: String,
        /// The effective number of draws that show the value.
        hits: f64,
        /// The least acceptable number of draws that show a value.
        threshold: f64,
        /// Number of such values.
        values: usize,
    },
    /// Values whose draws are few or weigh little, while another may weigh much more: their standard errors may be too small.
    LightHits {
        /// The target.
        element: Label,
        /// The first value whose draws are few or light.
        value: String,
        /// Number of such values.
        values: usize,
    },
    /// The probability of the evidence is very uncertain.
    UncertainEvidence {
        /// The standard error of its logarithm.
        standard_error: f64,
        /// The largest acceptable standard error.
        threshold: f64,
    },
    /// Few proposals were accepted, or few samples met the evidence.
    LowAcceptance {
        /// The share of accepted proposals, or of samples that met the evidence.
        acceptance: f64,
        /// The least acceptable share.
        threshold: f64,
    },
    /// A deadline or an interrupt ended the run.
    StoppedEarly {
        /// Reason for the end.
        why: Stopped,
        /// Number of samples, steps or sweeps done until then.
        done: u64,
        /// Requested number of samples, steps or sweeps, if it was limited.
        asked: Option<u64>,
    },
    /// A budget ended the expansion of the model before the bounds were as close as requested.
    BudgetSpent {
        /// The depth that was reached.
        depth: usize,
    },
    /// An iteration ended before it converged.
    NotConverged {
        /// Change by the last iteration.
        residual: f64,
        /// The largest residual at which the iteration counts as converged.
        tolerance: f64,
    },
    /// There may be a more probable world than the one that was found.
    NotProven {
        /// Difference of its log-probability from the bound on all worlds; infinite if there is none.
        gap: f64,
    },
}
