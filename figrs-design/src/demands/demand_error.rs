//! Errors in demands (requirements) on a game level.

use std::fmt;

use figrs_core::wording::{Audience, Call, Counted, audience};

use crate::Route;
use figrs_derive::ErrorDebug;
use figrs_reading::{Mistake, MistakeKind};

/// Reason why a demand does not fit a level, or why a sampler cannot meet it.
#[derive(Clone, thiserror::Error, ErrorDebug)]
#[non_exhaustive]
pub enum DemandError {
    /// A value in a demand, a pattern or a route is not allowed, either for any level or for the given level.
    #[error("{problem}; {remedy}")]
    Invalid {
        /// The problem, as a statement that names the demand, pattern or route and its numbers.
        problem: String,
        /// The remedy, worded as a request to the user.
        remedy: String,
    },
    /// A demand cannot be met by rejection sampling.
    #[error("{}", with_remedies(&not_rejected(.demand), .remedies, |remedy| remedy.to_string()))]
    NotRejected {
        /// Description of the demand that cannot be met by rejection sampling.
        demand: String,
        /// Changes of the request that avoid the problem; each of these changes alone suffices.
        remedies: &'static [Remedy],
    },
}

/// Returns the part of an error message that tells how rows and columns are numbered in files.
pub(super) fn count_from_zero() -> &'static str {
    match audience() {
        Audience::PageUsers => "count from 0 in files, and from 1 here",
        Audience::Programmers | Audience::CommandUsers => "count from 0",
    }
}

fn not_rejected(demand: &str) -> String {
    format!("\"{demand}\" cannot be met by drawing again")
}

impl DemandError {
    /// Writes the error message; the function `word` returns the text of each remedy, such as the name of a program's option.
    pub fn worded(&self, word: impl Fn(Remedy) -> String) -> String {
        match self {
            Self::NotRejected { demand, remedies } => {
                with_remedies(&not_rejected(demand), remedies, word)
            }
            Self::Invalid { .. } => self.to_string(),
        }
    }

    pub(crate) fn invalid(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Invalid {
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    pub(super) fn into_mistake(self) -> Mistake {
        match self {
            Self::Invalid { problem, remedy } => Mistake::new(MistakeKind::Value, problem, remedy),
            Self::NotRejected { .. } => Mistake::new(MistakeKind::Value, self.to_string(), ""),
        }
    }

    /// Returns the error for a pattern that has no cells, or whose cells accept any tile.
    pub(super) fn empty_pattern() -> Self {
        Self::invalid(
            "the pattern matches everywhere",
            "give at least one cell a tile",
        )
    }

    /// Returns the error for a pattern of `size` rows and columns that is larger than the area of `space` rows and columns where it should occur.
    pub(super) fn pattern_size(size: (usize, usize), space: (usize, usize)) -> Self {
        let problem = format!(
            "a pattern of {} rows and {} columns does not fit into {} rows and {} columns",
            size.0, size.1, space.0, space.1
        );
        Self::invalid(
            problem,
            "use a pattern of at least one tile, and give it enough rows and columns",
        )
    }

    pub(super) fn outside(row: usize, column: usize) -> Self {
        let (row, column) = (Counted(row), Counted(column));
        Self::invalid(
            format!("row {row}, column {column} is outside of the level"),
            format!(
                "give a cell of the level; rows and columns {}",
                count_from_zero()
            ),
        )
    }

    /// Returns the error for a demand on the ground of levels in which the player climbs.
    pub(super) fn upwards(demand: impl std::fmt::Display) -> Self {
        Self::invalid(
            format!("\"{demand}\" is for levels that are played to the right"),
            "require ground in windows of rows instead",
        )
    }

    pub(super) fn too_many_areas(route: &Route) -> Self {
        Self::invalid(
            format!(
                "a path cannot pass {} areas one after another",
                route.areas().len()
            ),
            format!("give 1 to {}", Route::MOST_AREAS),
        )
    }
}

/// A change to the user's request, with which the sampler may be able to draw levels that meet the demands. By default, the text of a remedy names
/// calls of the library; a program can name its own options instead, by [`DemandedLevelError::worded`](crate::DemandedLevelError::worded) and
/// [`DemandError::worded`](crate::DemandError::worded).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// State fewer demands.
    FewerDemands,
    /// Remedy: state the tiles as evidence instead of placing them.
    PinTiles,
    /// Allow more particles.
    MoreParticles,
    /// Remedy: draw levels from the exact distribution.
    ExactLaw,
    /// Remedy: condition the model on the demands instead of rejecting levels.
    ConditionTheModel,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (request, call) = match self {
            Self::FewerDemands => return f.write_str("remove one of them"),
            Self::PinTiles => ("pin the tiles", "Demand::Pinned"),
            Self::MoreParticles => ("allow more particles", "ConditionalSampler::most_particles"),
            Self::ExactLaw => ("draw from the exact distribution", "Method::Exact"),
            Self::ConditionTheModel => ("condition the model instead", "ConditionalSampler"),
        };
        write!(f, "{request}{}", Call(call))
    }
}

/// Writes a problem and its remedies, each of which alone suffices; the function `word` returns the text of a remedy.
pub(super) fn with_remedies(
    problem: &str,
    remedies: &[Remedy],
    word: impl Fn(Remedy) -> String,
) -> String {
    let remedies: Vec<String> = remedies.iter().copied().map(word).collect();
    format!("{problem}; {}", remedies.join(", or "))
}
