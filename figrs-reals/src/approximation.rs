//! The approximation of the distribution of a filter's state after each step.

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Limits, Model, stream};
use serde::{Deserialize, Serialize};

use crate::belief::Belief;

/// Default maximum number of components of the mixture that is the distribution of a state.
const DEFAULT_COMPONENTS: usize = 4096;

/// The approximation of the distribution of a state after each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Approximation {
    None,
    /// Groups with the contained number of elements are treated as independent of each other.
    Groups(usize),
    /// Components with the same finite values are merged into one normal distribution with the same mean and covariance.
    Moments,
    /// At most `most` components are drawn, by the stream number `draws` of random numbers of the seed `seed`.
    Particles {
        most: usize,
        seed: u64,
        draws: u64,
    },
}

impl Approximation {
    /// Returns the default maximum number of components before an approximation.
    pub(crate) fn default_components(self) -> usize {
        match self {
            Self::Particles { most, .. } => most.saturating_mul(16).max(DEFAULT_COMPONENTS),
            Self::None | Self::Groups(_) | Self::Moments => DEFAULT_COMPONENTS,
        }
    }

    /// Returns the approximation of the next step, which must not use the same random numbers.
    pub(crate) fn after_draw(self) -> Self {
        match self {
            Self::Particles { most, seed, draws } => Self::Particles {
                most,
                seed,
                draws: draws.wrapping_add(1),
            },
            Self::None | Self::Groups(_) | Self::Moments => self,
        }
    }

    /// Returns the joint distributions of `elements` given the evidence of `model`; the first `own` elements are those of the present state. The flag is
    /// `true` if components were merged or left out.
    pub(crate) fn beliefs(
        self,
        model: &Model,
        elements: &[AnyElement],
        own: usize,
        (limits, components): (&Limits, usize),
    ) -> Result<(Vec<Belief>, bool), Error> {
        let belief = |part: &[AnyElement]| Belief::new(model, part, limits, components);
        match self {
            Self::None => Ok((vec![belief(elements)?], false)),
            Self::Moments => {
                let mut whole = belief(elements)?;
                let is_merged = whole.merge();
                Ok((vec![whole], is_merged))
            }
            Self::Particles { most, seed, draws } => {
                let mut whole = belief(elements)?;
                let is_drawn = whole.resample(most, &mut stream(seed, draws));
                Ok((vec![whole], is_drawn))
            }
            Self::Groups(width) => {
                // The elements of different states are in different groups.
                let states = elements.chunks(own.max(1));
                let groups = states.flat_map(|state| state.chunks(width));
                let beliefs: Vec<Belief> = groups.map(belief).collect::<Result<_, _>>()?;
                let beliefs = if beliefs.is_empty() {
                    vec![belief(&[])?]
                } else {
                    beliefs
                };
                Ok((beliefs, false))
            }
        }
    }

    /// True if the numbers of the approximation are allowed; those of a damaged file may not be.
    pub(crate) fn is_valid(self) -> bool {
        match self {
            Self::None | Self::Moments => true,
            Self::Groups(width) => width > 0,
            Self::Particles { most, .. } => most > 0,
        }
    }
}
