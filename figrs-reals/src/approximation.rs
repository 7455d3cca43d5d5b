//! The approximation by which a filter simplifies the distribution of its state after each step.

use figrs_answer::error::Error;
use figrs_core::{AnyElement, Limits, Model, stream};
use serde::{Deserialize, Serialize};

use crate::belief::{Belief, CheckElements, too_many};
use crate::belief_component::BeliefComponent;

/// Default maximum number of components of the mixture that represents the distribution of a filter's state.
const DEFAULT_COMPONENTS: usize = 4096;

/// The joint distribution of two successive states of a filter may have this number of times as many components as the distribution of one state.
pub(crate) const PAIRS: usize = 16;

/// The distribution of a group of elements of a filter's present state, given the evidence.
pub(crate) struct Conditioned {
    pub(crate) belief: Belief,
    /// The joint distribution of the group's elements and of other elements; and for each component of the mixture `belief`, the indices of the
    /// components of the joint distribution that belong to it.
    pub(crate) pair: Option<(Belief, Vec<Vec<usize>>)>,
    /// True if components of the mixture were merged or left out.
    pub(crate) is_approximate: bool,
    /// The number of past states of the filter on which the elements or the evidence depend.
    pub(crate) past_states: usize,
    /// The random elements on which the elements in `belief` and the evidence depend.
    pub(crate) random: Vec<AnyElement>,
}

/// The elements of a group of a filter's present state, the elements of the state before it, and the elements of each past state.
type StepElements<'e> = (&'e [AnyElement], &'e [AnyElement], &'e [Vec<AnyElement>]);

/// The approximation by which a filter simplifies the distribution of its state after each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Approximation {
    None,
    /// The elements of the state are divided into groups of the contained number of elements, which are treated as independent of each other.
    Groups(usize),
    /// Components of the mixture with the same values of the finite elements are merged into one normal distribution with the same mean and
    /// covariance.
    Moments,
    /// At most `most` components of the mixture are drawn, with the random number stream `draws` of the seed `seed`.
    Particles {
        most: usize,
        seed: u64,
        draws: u64,
    },
}

impl Approximation {
    /// Returns the default maximum number of mixture components before an approximation reduces them.
    pub(crate) fn default_components(self) -> usize {
        match self {
            Self::Particles { most, .. } => most.saturating_mul(16).max(DEFAULT_COMPONENTS),
            Self::None | Self::Groups(_) | Self::Moments => DEFAULT_COMPONENTS,
        }
    }

    /// Returns the approximation for the next step of the filter, which must not use the same random numbers.
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

    /// True if the approximation merges mixture components with the same values of the finite elements.
    pub(crate) fn merges(self) -> bool {
        self == Self::Moments
    }

    /// Divides the elements of a filter's state into the groups that are treated as independent of each other.
    pub(crate) fn groups(self, elements: &[AnyElement]) -> Vec<&[AnyElement]> {
        match self {
            Self::Groups(width) if !elements.is_empty() => elements.chunks(width).collect(),
            _ => vec![elements],
        }
    }

    /// Returns the joint distribution of the elements `own`, a group of a filter's present state, given the evidence of `model`; also returns their
    /// joint distribution with the elements `before`, if there are any.
    pub(crate) fn conditioned(
        self,
        model: &Model,
        (own, before, past): StepElements<'_>,
        check: &CheckElements<'_>,
        (limits, components): (&Limits, usize),
    ) -> Result<Conditioned, Error> {
        let all = [own, before].concat();
        let most = most_components(!before.is_empty(), components);
        let step = Belief::of_step(model, (&all, past), check, (limits, most))?;
        let settled = self.settled(step.belief, own, components)?;
        Ok(Conditioned {
            past_states: step.past_states,
            random: step.random,
            ..settled
        })
    }

    /// Approximates the distribution `belief` of a filter's elements `own` after a step; `belief` may be a joint distribution of `own` and more
    /// elements.
    ///
    /// **Errors.** [`Error::NotClosedForm`] if the distribution is a mixture of too many components.
    pub(crate) fn settled(
        self,
        mut belief: Belief,
        own: &[AnyElement],
        components: usize,
    ) -> Result<Conditioned, Error> {
        let is_pair = belief.numbers.len() > own.len();
        let check = |belief: &Belief, most: usize| match own.first() {
            Some(element) if belief.components.len() > most => {
                Err(too_many(element, belief.components.len() as f64, most))
            }
            _ => Ok(()),
        };
        check(&belief, most_components(is_pair, components))?;
        if let Some(element) = own.first()
            && !belief.components.iter().all(BeliefComponent::is_finite)
        {
            let problem =
                "a mean or a variance of the state is too large for a floating-point number";
            return Err(Error::not_closed_form(element, problem));
        }
        let mut is_approximate = false;
        let (mut members, mut pair) = (Vec::new(), None);
        if is_pair {
            is_approximate = self.merges() && belief.merge().iter().any(|group| group.len() > 1);
            let (first, equal) = belief.first(own.len());
            members = equal;
            pair = Some(std::mem::replace(&mut belief, first));
        }
        if let Some(groups) = self.reduce(&mut belief) {
            is_approximate = true;
            let of_group = |group: Vec<usize>| {
                let members = group.iter().filter_map(|&i| members.get(i));
                members.flatten().copied().collect()
            };
            members = groups.into_iter().map(of_group).collect();
        }
        if !matches!(self, Self::Particles { .. }) {
            check(&belief, components)?;
        }
        Ok(Conditioned {
            belief,
            pair: pair.map(|pair| (pair, members)),
            is_approximate,
            past_states: 0,
            random: Vec::new(),
        })
    }

    /// Merges or leaves out components of the mixture `belief`, the distribution of a filter's state. For each new component of the mixture, returns
    /// the indices of the components that it replaces; `None` if all components are kept.
    pub(crate) fn reduce(self, belief: &mut Belief) -> Option<Vec<Vec<usize>>> {
        match self {
            Self::None | Self::Groups(_) => None,
            Self::Moments => {
                let groups = belief.merge();
                groups.iter().any(|group| group.len() > 1).then_some(groups)
            }
            Self::Particles { most, seed, draws } => {
                let kept = belief.resample(most, &mut stream(seed, draws))?;
                Some(kept.into_iter().map(|i| vec![i]).collect())
            }
        }
    }

    /// Returns the joint distribution of `elements`, which belong to two successive states of a filter.
    pub(crate) fn joint(
        self,
        model: &Model,
        elements: &[AnyElement],
        (limits, components): (&Limits, usize),
    ) -> Result<Belief, Error> {
        let most = most_components(true, components);
        let mut belief = Belief::new(model, elements, limits, most)?;
        if self.merges() {
            belief.merge();
        }
        Ok(belief)
    }

    /// True if the numbers of the approximation are in their valid range; the numbers from a damaged file may not be.
    pub(crate) fn is_valid(self) -> bool {
        match self {
            Self::None | Self::Moments => true,
            Self::Groups(width) => width > 0,
            Self::Particles { most, .. } => most > 0,
        }
    }
}

/// Returns the maximum number of mixture components of the distribution of a filter's state, or of the joint distribution of two successive states if
/// `is_pair`.
fn most_components(is_pair: bool, components: usize) -> usize {
    components.saturating_mul(if is_pair { PAIRS } else { 1 })
}
