//! The distributions of real targets in closed form.

use super::estimate::Estimate;
use super::family_mixture::FamilyMixture;
use super::normal_mixture::NormalMixture;
use figrs_core::AnyElement;
use figrs_core::internals::ElementMap;

/// The distribution of a real target in closed form, as a mixture.
#[derive(Clone, Debug)]
pub enum ClosedForm {
    /// A mixture of normal distributions.
    Normal(NormalMixture),
    /// A mixture of members of a conjugate family, or of truncated normal distributions.
    Family(FamilyMixture),
    /// A distribution outside the known families, of which only the means and covariances are given: those of a mixture of normal distributions.
    Moments(NormalMixture),
}

impl ClosedForm {
    /// Returns the mean of the first number of the target's value.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Normal(mixture) | Self::Moments(mixture) => mixture.mean(),
            Self::Family(mixture) => mixture.mean(),
        }
    }

    /// Returns the variance of the first number of the target's value.
    pub fn variance(&self) -> f64 {
        match self {
            Self::Normal(mixture) | Self::Moments(mixture) => mixture.variance(),
            Self::Family(mixture) => mixture.variance(),
        }
    }

    /// Returns the mean and the variance of each number of the target's value.
    pub fn moments(&self) -> Vec<(f64, f64)> {
        match self {
            Self::Normal(mixture) | Self::Moments(mixture) => {
                let covariance = mixture.covariance();
                let means = mixture.means().into_iter().enumerate();
                means.map(|(i, mean)| (mean, covariance[i][i])).collect()
            }
            Self::Family(mixture) => mixture.moments(),
        }
    }

    /// Returns the name of the distribution of the only component or, if there are several components, a name with their number.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Normal(mixture) => match mixture.components().len() {
                1 => "Normal".to_owned(),
                count => format!("mixture of {count} normal distributions "),
            },
            Self::Moments(_) => "distribution with mean ".to_owned(),
            Self::Family(mixture) => {
                let mut components = mixture.components();
                match (components.next(), components.count()) {
                    (Some((_, only)), 0) => format!("{only} "),
                    (_, others) => format!("mixture of {} distributions ", others + 1),
                }
            }
        }
    }
}

/// The real targets of an answer, with their distributions.
#[derive(Clone, Debug, Default)]
pub(crate) struct RealTargets {
    pub(crate) mixtures: Vec<(AnyElement, ClosedForm)>,
    /// The method that computed the distributions; `None` if no target of the answer has a closed-form distribution of real numbers.
    pub(crate) estimate: Option<Estimate>,
    /// The index of each target in the list of distributions.
    places: ElementMap<usize>,
}

impl RealTargets {
    pub(super) fn new(mixtures: Vec<(AnyElement, ClosedForm)>, estimate: Estimate) -> Self {
        let places = mixtures.iter().enumerate();
        let places = places.map(|(place, (element, _))| (element.id(), place));
        Self {
            places: places.collect(),
            estimate: (!mixtures.is_empty()).then_some(estimate),
            mixtures,
        }
    }

    /// Returns the distribution of `element`; `None` if the list does not contain the element.
    pub(super) fn get(&self, element: &AnyElement) -> Option<&ClosedForm> {
        let place = *self.places.get(&element.id())?;
        Some(&self.mixtures[place].1)
    }
}
