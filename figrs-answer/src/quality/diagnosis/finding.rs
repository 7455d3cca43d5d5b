//! Findings: the reasons to doubt an answer.

use std::fmt;

use figrs_core::Label;

use figrs_factor::Stopped;

/// The quantity to which a finding applies: a numeric function of a target or of a random choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The target or the random choice from which the quantity is derived.
    pub element: Label,
    /// The numeric function that is applied to the target or the random choice.
    pub part: Part,
}

/// A numeric function of a target or a random choice: the value itself, a component, an indicator, or a count.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The value of the target or random choice itself, as a number.
    Whole,
    /// A component of a value that is a list; the index of the component is counted from zero.
    Component(usize),
    /// The indicator function of the given value: one for this value, otherwise zero.
    Is(String),
    /// The number of elements in a world that have the label of the random choice.
    Count,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            Part::Whole => write!(f, "{}", self.element),
            Part::Component(index) => write!(f, "{}, component {index}", self.element),
            Part::Is(value) => write!(f, "{} = {value}", self.element),
            Part::Count => write!(f, "number of times that {} occurs in a world", self.element),
        }
    }
}

/// The kind of estimate to which an effective sample size applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// The centre of a distribution: means and probabilities.
    Bulk,
    /// The 5 % and 95 % quantiles of a distribution.
    Tail,
    /// Means and probabilities, with an effective sample size that is computed from the variance between independent populations.
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

/// A reason to doubt an answer, with the measured number, its threshold, and a remedy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// The Markov chains, or the halves of a chain, have different distributions.
    ChainsDisagree {
        /// The function of the target for which the distributions differ most.
        quantity: Quantity,
        /// The rank-normalised split R-hat of the quantity.
        r_hat: f64,
        /// The largest R-hat that is acceptable.
        threshold: f64,
    },
    /// The Markov chains, or the halves of a chain, do not agree about the random choices of their worlds, or the chains move too slowly for a
    /// comparison.
    ChoicesDisagree {
        /// The function of a random choice for which agreement of the chains is least probable.
        quantity: Quantity,
        /// The rank-normalised split R-hat of evenly spaced draws; NaN if only some worlds contain the random choice.
        r_hat: f64,
        /// An upper bound of the probability that chains with equal distributions would differ at least as much as these chains do in some random
        /// choice.
        chance: f64,
        /// The smallest acceptable probability: the rate of false alarms for all random choices together.
        threshold: f64,
        /// Number of random choices about which the chains disagree.
        choices: usize,
    },
    /// Short chains from other draws of the prior stayed in worlds that no main chain visited and that are as probable as the worlds of the main
    /// chains. The main Markov chains may agree only because they are all in the same mode of the distribution.
    OtherMode {
        /// The function of a random choice whose value in a short chain is farthest outside the range of the main chains.
        quantity: Quantity,
        /// The value of the quantity in a short chain that is farthest outside the range of the main chains.
        number: f64,
        /// The smallest and the largest value of the quantity in the main chains.
        range: (f64, f64),
        /// Number of short chains that stayed outside the range of the main chains.
        chains: usize,
        /// Total number of short chains.
        of: usize,
    },
    /// A value of a target is more frequent in independent draws that satisfy the evidence than the distribution of the chains allows. If a value is
    /// much more frequent in independent draws than in the Markov chains, all chains may be confined to a subset of the possible worlds.
    MissedValues {
        /// The target that has the value.
        element: Label,
        /// A value that is too rare in the draws of the chains.
        value: String,
        /// Number of independent draws with the value.
        hits: usize,
        /// Total number of independent draws.
        of: usize,
        /// The fraction of the draws of the chains that have the value.
        share: f64,
        /// An upper bound of the probability that any value of any tested element would be so frequent in the independent draws by chance, if the
        /// distribution of the chains is right.
        chance: f64,
        /// The smallest acceptable probability: the rate of false alarms.
        threshold: f64,
    },
    /// The Markov chains made too few steps for each random choice of their worlds; their agreement therefore cannot be tested.
    FewSweeps {
        /// Number of random choices in a world.
        choices: usize,
        /// Number of steps of the shortest chain, divided by the number of random choices in a world.
        sweeps: u64,
        /// The smallest acceptable number of steps for each random choice, the minimum of `sweeps`.
        threshold: u64,
    },
    /// The effective sample size of the chains, or of the independent groups, is small.
    FewEffectiveSamples {
        /// The function of the target whose effective sample size is smallest.
        quantity: Quantity,
        /// The kind of estimate to which the effective sample size applies.
        measure: Measure,
        /// The smallest effective sample size over the functions of the target.
        effective_samples: f64,
        /// The smallest acceptable effective sample size.
        threshold: f64,
    },
    /// All draws of a target have the same value: either no other value is possible, or the chains are stuck.
    NeverChanged {
        /// The target whose draws are all the same.
        element: Label,
        /// The value that all draws have.
        value: String,
        /// Number of draws of the target.
        draws: usize,
    },
    /// The Markov chains left the most frequent value of a target only a few times; the probabilities of its other values are therefore unknown.
    SeldomChanged {
        /// The target that seldom changed.
        element: Label,
        /// The most frequent value of the target.
        value: String,
        /// Number of draws of the target that have other values.
        others: usize,
        /// Number of draws of the target.
        draws: usize,
        /// Number of times that chains left the most frequent value.
        stays: u64,
        /// The smallest acceptable number of times that chains left the most frequent value, the minimum of `stays`.
        threshold: u64,
    },
    /// The answer comes from only one Markov chain, which cannot be compared with other chains.
    SingleChain,
    /// The answer comes from only one population of particles, and its error is therefore unknown.
    SinglePopulation,
    /// There are so few independent populations that the variance between them may be small by chance.
    FewPopulations {
        /// Number of independent populations.
        populations: usize,
        /// The smallest acceptable number of populations.
        threshold: usize,
    },
    /// The answer is an approximation whose error has no known bound.
    Approximation,
    /// The run has few samples, all of which have the same weight.
    FewSamples {
        /// Number of samples of the run.
        samples: u64,
        /// The smallest acceptable number of samples.
        threshold: f64,
    },
    /// Most weighted samples have a negligible weight.
    WeightDegeneracy {
        /// The effective sample size of the weights.
        effective_samples: f64,
        /// Number of samples of the run.
        draws: u64,
        /// The smallest acceptable effective sample size.
        threshold: f64,
    },
    /// One sample has a large fraction of the total weight.
    DominatingWeight {
        /// The fraction of the total weight that the heaviest sample has.
        share: f64,
        /// The largest acceptable fraction of the total weight for one sample.
        threshold: f64,
    },
    /// The tail of the weights is so heavy that averages of the weights do not converge.
    HeavyTailedWeights {
        /// The Pareto k-hat of the weights.
        k: f64,
        /// The largest acceptable k-hat.
        threshold: f64,
    },
    /// A target may have values that no draw has and whose probability has no known bound.
    UnseenValues {
        /// The target that may have values without draws.
        element: Label,
        /// The first possible value without a draw.
        value: String,
        /// Number of possible values without a draw.
        values: usize,
    },
    /// Some values of a target occur in few draws, and the weight of a further draw has no known bound. The standard errors of the probabilities of
    /// values with few draws may be too small.
    FewHits {
        /// The target with values that occur in few draws.
        element: Label,
        /// The value that occurs in the fewest draws.
        value: String,
        /// The effective number of draws with the value.
        hits: f64,
        /// The smallest acceptable effective number of draws.
        threshold: f64,
        /// Number of values that occur in too few draws.
        values: usize,
    },
    /// Some values of a target occur only in few draws or in draws of small weight, and a further draw may have a much larger weight. The standard
    /// errors of rare values may be too small.
    LightHits {
        /// The target with values that occur only in few draws, or in draws of small weight.
        element: Label,
        /// The first value that occurs only in few draws or in draws of small weight.
        value: String,
        /// Number of values that occur only in few draws or in draws of small weight.
        values: usize,
    },
    /// The estimated probability of the evidence is very inaccurate: the standard error of its logarithm is large.
    UncertainEvidence {
        /// The standard error of the log-evidence.
        standard_error: f64,
        /// The largest acceptable standard error of the log-evidence.
        threshold: f64,
    },
    /// Few proposals were accepted, or few samples satisfied the evidence.
    LowAcceptance {
        /// The fraction of accepted proposals, or of samples that satisfied the evidence.
        acceptance: f64,
        /// The smallest acceptable fraction of accepted proposals, or of samples that satisfied the evidence.
        threshold: f64,
    },
    /// A deadline or an interrupt ended the run.
    StoppedEarly {
        /// The reason why the run ended: a deadline or an interrupt.
        why: Stopped,
        /// Number of samples, steps or sweeps that had been made when the run ended.
        done: u64,
        /// Requested number of samples, steps or sweeps, if the run has such a limit.
        asked: Option<u64>,
    },
    /// A limit ended the expansion of the model before the bounds were as narrow as requested.
    BudgetSpent {
        /// The nesting depth of `Chain` elements that the expansion reached.
        depth: usize,
    },
    /// An iterative algorithm ended before it converged.
    NotConverged {
        /// Largest change of a number in the last iteration.
        residual: f64,
        /// The largest change of a number in an iteration at which the algorithm counts as converged.
        tolerance: f64,
    },
    /// A world that is more probable than the world in the answer may exist.
    NotProven {
        /// The upper bound of the log-probabilities of all worlds, minus the log-probability of the world in the answer; infinite if there is no
        /// upper bound.
        gap: f64,
    },
}
