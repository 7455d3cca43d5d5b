//! Remedies: changes of a request by which levels can be drawn.

use std::fmt;

use figrs_core::wording::Call;

/// A change of the request, after which the sampler may be able to draw levels that meet the demands. The text of a remedy names calls of the
/// library; a program can name its own options instead, by [`SteeringError::worded`](crate::SteeringError::worded) and
/// [`DemandError::worded`](crate::DemandError::worded).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// State fewer demands.
    FewerDemands,
    /// State the tiles as evidence instead of placing them.
    PinTiles,
    /// Allow more particles.
    MoreParticles,
    /// Draw by the exact method.
    ExactLaw,
    /// Condition the model on the demands instead of rejecting levels.
    ConditionTheModel,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (request, call) = match self {
            Self::FewerDemands => return f.write_str("take one of them back"),
            Self::PinTiles => ("pin the tiles", "Demand::Pinned"),
            Self::MoreParticles => ("allow more particles", "ConditionalSampler::most_particles"),
            Self::ExactLaw => ("draw from the exact law", "Method::Exact"),
            Self::ConditionTheModel => ("condition the model instead", "ConditionalSampler"),
        };
        write!(f, "{request}{}", Call(call))
    }
}

/// Writes a problem and its remedies, each of which alone suffices; `word` returns the text of a remedy.
pub(super) fn with_remedies(
    problem: &str,
    remedies: &[Remedy],
    word: impl Fn(Remedy) -> String,
) -> String {
    let remedies: Vec<String> = remedies.iter().copied().map(word).collect();
    format!("{problem}; {}", remedies.join(", or "))
}
