//! Texts of the findings (reasons to doubt an answer), each with the measured number, its threshold, and a remedy.

use std::fmt;

use figrs_factor::Stopped;
use figrs_factor::wording::Call;

use super::finding::{Finding, Measure, Part, Quantity};

impl Quantity {
    /// Returns the remedy, as text, for Markov chains in which a function of a target or of a random choice changes too little.
    fn moves(&self) -> &'static str {
        match self.part {
            Part::Is(_) => {
                ", use `tempered` chains if the distribution has several modes, or use `Exact` (`Gibbs` for hard constraints) if the model is finite"
            }
            Part::Count => ", or propose moves between the modes of the chains",
            Part::Whole | Part::Component(_) => {
                ", use `tempered` chains if the distribution has several modes, use the other parametrisation of a hierarchy (centred where \
                groups have many observations, non-centred where they have few), or use `Exact` (`Gibbs` for hard constraints) if the model is finite"
            }
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approximation => write!(
                f,
                "an approximation whose error has no known bound; compare with an exact algorithm such as JunctionTree, or with a sampler"
            ),
            Self::LowAcceptance {
                acceptance,
                threshold,
            } => write!(
                f,
                "only {:.2} % of the proposals or worlds were accepted, below {:.0} %; use proposals that change less, weigh worlds instead of \
                rejecting them, or use `Exact` or `Gibbs` if the model is finite and has hard constraints",
                100.0 * acceptance,
                100.0 * threshold
            ),
            Self::StoppedEarly { why, done, asked } => stopped_early(f, *why, *done, *asked),
            Self::BudgetSpent { depth } => write!(
                f,
                "a limit was reached at depth {depth}, before the bounds were as narrow as requested; raise the limits of work, memory and elements"
            ),
            Self::NotConverged {
                residual,
                tolerance,
            } => write!(
                f,
                "not converged: the largest change in the last iteration was {residual:.1e}, above the tolerance {tolerance:.1e}; allow more \
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
                "{quantity}: the chains disagree: R-hat {r_hat:.3} is above {threshold}; run longer{}",
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
                    2 => write!(f, " most, and also about 1 other")?,
                    _ => write!(f, " most, and also about {} others", choices - 1)?,
                }
                if !r_hat.is_nan() {
                    write!(f, ", R-hat {r_hat:.3}")?;
                }
                write!(
                    f,
                    "; such a difference occurs with probability at most {chance:.1e} (below {threshold}) if the chains have converged; run longer{}",
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
                "{quantity}: {chains} of {of} short chains from other draws of the prior ended elsewhere (one at {number:.4}), in worlds that are \
                as probable; the chains stayed between {low:.4} and {high:.4}, perhaps all in one of several modes; use `tempered` chains, run \
                more chains, or propose moves between the modes"
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
                "{element}: {hits} of {of} draws from the prior that satisfy the evidence are {value}, but only {:.2} % of the chains' draws; \
                such a difference occurs with probability at most {chance:.1e} (below {threshold}) if the chains have converged: the chains miss \
                a part of the possible worlds; use `Exact` (`Gibbs` for hard constraints) if the model is finite, a `block` of \
                 the elements that must change together, or `ImportanceSampling`",
                100.0 * share
            ),
            Self::FewSweeps {
                choices,
                sweeps,
                threshold,
            } => write!(
                f,
                "each chain made {sweeps} steps for each of {choices} choices, fewer than {threshold}: it is unknown whether the chains agree; \
                 run longer"
            ),
            Self::FewEffectiveSamples {
                quantity,
                measure: measure @ Measure::Populations,
                effective_samples,
                threshold,
            } => write!(
                f,
                "{quantity}: {measure} ESS {effective_samples:.0} is below {threshold:.0}: the means of the populations differ as much as the \
                 means of {effective_samples:.0} independent draws; use more particles, `MetropolisHastings`, or `Exact` if the model is finite"
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
                "{element}: all {draws} draws are {value}; it is unknown whether other values are possible: compare with \
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
                "{element}: all but {others} of {draws} draws are {value}, and the chains left this value {stays} times, fewer than {threshold}: \
                their autocorrelation cannot be estimated, and the probabilities of other values are unreliable; draw more, use `Exact` if the \
                model is finite, or use chains that move between modes (`MetropolisHastings` with `tempered`)"
            ),
            Self::SingleChain => write!(
                f,
                "a single chain cannot be compared with others; run several chains{}",
                Call("chains(4)")
            ),
            _ => Ok(()),
        }
    }

    fn of_weights(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SinglePopulation => write!(
                f,
                "the error cannot be estimated from fewer than 2 independent populations; run several populations{}",
                Call("populations(16)")
            ),
            Self::FewPopulations {
                populations,
                threshold,
            } => write!(
                f,
                "only {populations} independent populations were run, fewer than {threshold}: their variance may be small by chance; run more \
                populations{}",
                Call("populations(16)")
            ),
            Self::FewSamples { samples, threshold } => {
                write!(
                    f,
                    "there are only {samples} samples, fewer than {threshold:.0}; draw more"
                )
            }
            Self::WeightDegeneracy {
                effective_samples,
                draws,
                threshold,
            } => write!(
                f,
                "weights: {draws} weighted samples are worth only {effective_samples:.1} unweighted samples, fewer than {threshold:.0}; draw \
                more, observe elements instead of stating conditions on them, or use MetropolisHastings or an exact algorithm"
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
                "weights: Pareto k-hat {k:.2} is above {threshold:.2}, so the standard errors are unreliable; use proposals \
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
                    ", and its probability has no useful bound, because the largest possible weight of a world is unknown or too large; draw \
                    more, or use `Exact` if the model is finite"
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
                    "{element}: the draws that are {value} are worth only {hits:.1} unweighted draws, fewer than {threshold:.0}"
                )?;
                match values {
                    0 | 1 => {}
                    2 => write!(f, ", and so are those of 1 other value")?,
                    _ => write!(f, ", and so are those of {} other values", values - 1)?,
                }
                write!(
                    f,
                    "; the largest possible weight of a missed draw is unknown, so these standard errors may be too small; draw more, \
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
                    " are few or have small weights, and a missed draw may have a much larger weight, so the standard error may be too small; draw \
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
            "there may be a world with a log-probability up to {gap:.4} higher; search longer"
        );
    }
    write!(
        f,
        "the probability of other worlds has no known bound; search longer, or compare with MpeVariableElimination or \
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
