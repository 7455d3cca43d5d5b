//! Particles: weighted joint values of the elements of a state.

use figrs_answer::Draws;
use figrs_answer::answer::{Answer, LogEvidence, TargetMarginal};
use figrs_core::{AnyElement, Select, Support};

#[derive(Clone, Debug)]
pub(super) struct Particles {
    /// The weight of each particle; the largest is one.
    pub(super) weights: Vec<f64>,
    /// For each element, its distinct values, and for each particle the index of the element's value among these values.
    pub(super) columns: Vec<(Support, Vec<u32>)>,
}

impl Particles {
    /// Creates particles from the draws of positive weight.
    pub(super) fn new(draws: Draws) -> Self {
        let logs = draws.log_weights.unwrap_or_default();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let kept = (0..logs.len()).filter(|&draw| logs[draw] > f64::NEG_INFINITY);
        let kept: Vec<usize> = kept.collect();
        let columns = draws.targets.into_iter().map(|target| {
            let values = kept.iter().map(|&draw| target.indices[draw]);
            let values = values.collect();
            (target.support, values)
        });
        Self {
            columns: columns.collect(),
            weights: kept.iter().map(|&i| (logs[i] - most).exp()).collect(),
        }
    }

    /// Returns elements whose joint distribution is that of the particles; the elements have the types of the elements `like`.
    pub(super) fn elements(&self, like: &[AnyElement]) -> Vec<AnyElement> {
        let index = Select::new(self.weights.iter().copied().zip(0..));
        let columns = self.columns.iter().zip(like);
        let made = columns
            .map(|((support, values), element)| element.by_index(support, values.clone(), &index));
        made.collect()
    }

    pub(super) fn marginals(&self, elements: &[AnyElement], evidence: LogEvidence) -> Answer {
        let total: f64 = self.weights.iter().sum();
        let marginals = self.columns.iter().zip(elements);
        let marginals = marginals.map(|((support, values), element)| {
            let shares = self.weights.iter().map(|weight| weight / total);
            let draws = values.iter().copied().zip(shares);
            TargetMarginal::weighted(element.clone(), support.clone(), draws)
        });
        Answer::marginals("ParticleFilter", marginals.collect(), evidence)
    }
}
