//! Findings as text, each with the number that was found, its threshold, and a remedy.

use std::fmt;

use figrs_factor::Stopped;

use super::finding::{Finding, Measure, Part, Quantity};

impl Quantity {
    /// Returns the remedy, as text, for Markov chains in which the quantity changes too little.
    fn moves(&self) -> &'static str {
        match self.part {
            Part::Is(_) => {
                ", or use `tempered` chains where they rest in several modes, or `Exact`, or `Gibbs` for hard constraints, if the model is finite"
            }
            Part::Count => ", or propose moves that pass between the places where the chains are",
            Part::Whole | Part::Component(_) => {
                ", or use `tempered` chains where they rest in several modes; in a hierarchy state the other form: centred where groups have \
                 many observations, non-centred where they have few; if the model is finite use `Exact`, or `Gibbs` for hard constraints"
            }
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approximation => write!(
                f,
                "an approximation whose error nothing bounds; compare with an exact \
                 algorithm such as JunctionTree, or with a sampler"
            ),
            Self::LowAcceptance {
                acceptance,
                threshold,
            } => write!(
                f,
                "{:.2} % accepted, below {:.0} %; use proposals that change less, weigh instead of rejecting, or `Exact` or `Gibbs` if the \
                 model is finite and has hard constraints",
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
            | Self::MissedValues { .. }
            | Self::FewEffectiveSamples { .. }
            | Self::NeverChanged { .. }
            | Self::SeldomChanged { .. }
            | Self::SingleChain => self.of_chains(f),
            Self::SinglePopulation
            | Self::FewPopulations { .. }
            | Self::FewSamples { .. }
            | Self::WeightDegeneracy { .. }
            | Self::DominatingWeight { .. }
            | Self::HeavyTailedWeights { .. }
            | Self::UnseenValues { .. }
            | Self::FewHits { .. }
            | Self::LightHits { .. }
            | Self::UncertainEvidence { .. } => self.of_weights(f),
        }
    }
}

impl Finding {
    fn of_chains(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChainsDisagree {
                quantity,
                r_hat,
                threshold,
            } => write!(
                f,
                "{quantity}: the chains disagree, R-hat {r_hat:.3} is above {threshold}; run longer{}",
                quantity.moves()
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
                    "; chains that agree show as much with a probability of at most {chance:.1e}, below {threshold}; run longer{}",
                    quantity.moves()
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
                 probable; the chains were from {low:.4} to {high:.4}, and may all be in one mode of several; use `tempered` chains, run \
                 more of them, or propose moves that pass between the modes"
            ),
            Self::MissedValues {
                element,
                value,
                hits,
                of,
                share,
                chance,
                threshold,
            } => write!(
                f,
                "{element}: {hits} of {of} draws from the prior that the evidence does not exclude are {value}, but only {:.2} % of the chains' \
                 draws; chains that are right show as much with a probability of at most {chance:.1e}, below {threshold}: the chains miss \
                 a part of the possible worlds; use `Exact`, or `Gibbs` for hard constraints, if the model is finite, a `block` of \
                 the elements that must change together, or `ImportanceSampling`",
                100.0 * share
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
                measure: measure @ Measure::Populations,
                effective_samples,
                threshold,
            } => write!(
                f,
                "{quantity}: {measure} ESS {effective_samples:.0} is below {threshold:.0}: their means are as far apart as those of so few \
                 draws; use more particles, or `MetropolisHastings`, or `Exact` if the model is finite"
            ),
            Self::FewEffectiveSamples {
                quantity,
                measure,
                effective_samples,
                threshold,
            } => write!(
                f,
                "{quantity}: {measure} ESS {effective_samples:.0} is below {threshold:.0}; draw more{}",
                quantity.moves()
            ),
            Self::NeverChanged {
                element,
                value,
                draws,
            } => write!(
                f,
                "{element}: all {draws} draws are {value}; nothing tells whether other values are possible: compare with \
                 `Exact` if the model is finite, or use `tempered` chains"
            ),
            Self::SeldomChanged {
                element,
                value,
                others,
                draws,
                stays,
                threshold,
            } => write!(
                f,
                "{element}: all but {others} of {draws} draws are {value}, and the chains went elsewhere {stays} times, below {threshold}: \
                 their autocorrelation cannot be message, and probabilities of other values are hardly known; draw more, or use `Exact` if \
                 the model is finite, or chains that pass between modes (`MetropolisHastings` with `tempered`)"
            ),
            Self::SingleChain => write!(
                f,
                "1 chain, below 2: it cannot be compared with others; run several (`chains(4)`)"
            ),
            _ => Ok(()),
        }
    }

    fn of_weights(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SinglePopulation => write!(
                f,
                "fewer than 2 independent populations: their error is not known; run several (`populations(16)`)"
            ),
            Self::FewPopulations {
                populations,
                threshold,
            } => write!(
                f,
                "{populations} independent populations, below {threshold}: their spread may be small by chance; run more \
                 (`populations(16)`)"
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
                "weights: one sample has {:.1} % of the weight, above {:.0} %; draw more, or use `SequentialMonteCarlo`, \
                 `MetropolisHastings`, or `Exact` if the model is finite",
                100.0 * share,
                100.0 * threshold
            ),
            Self::HeavyTailedWeights { k, threshold } => write!(
                f,
                "weights: Pareto k-hat {k:.2} is above {threshold:.2}, so that standard errors mislead; use proposals \
                 nearer to the posterior, `MetropolisHastings`, or `Exact` if the model is finite"
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
                     that 3 / n times it tells nothing; draw more, or use `Exact` if the model is finite"
                )
            }
            Self::FewHits {
                element,
                value,
                hits,
                threshold,
                values,
            } => {
                write!(
                    f,
                    "{element}: draws worth {hits:.1} are {value}, below {threshold:.0}"
                )?;
                match values {
                    0 | 1 => {}
                    2 => write!(f, ", and as few are 1 other value")?,
                    _ => write!(f, ", and as few are {} other values", values - 1)?,
                }
                write!(
                    f,
                    "; the largest weight that another may have is not known, so that these standard errors may be too small; draw more, \
                     or use `Exact` if the model is finite"
                )
            }
            Self::LightHits {
                element,
                value,
                values,
            } => {
                write!(f, "{element}: the draws that are {value}")?;
                match values {
                    0 | 1 => {}
                    2 => write!(f, ", or 1 other value,")?,
                    _ => write!(f, ", or one of {} other values,", values - 1)?,
                }
                write!(
                    f,
                    " are few or weigh little, and one that was missed may weigh much more, so that the standard error may be too small; draw \
                     more, or use `Exact` if the model is finite"
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
