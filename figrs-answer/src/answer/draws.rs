//! The values of the targets in each draw of a sampler.

use std::sync::Arc;

use figrs_core::{AnyElement, Element, Support, Value};

use super::contents::TargetMarginal;
use super::estimate::Estimate;
use crate::error::Error;

/// The draws of one target.
#[derive(Clone, Debug)]
pub struct TargetDraws {
    /// The target whose values were drawn.
    pub element: AnyElement,
    /// The distinct values that were drawn.
    pub support: Support,
    /// For each draw, the index of its value in `support`; the draws of a chain are adjacent.
    pub indices: Arc<[u32]>,
}

/// The draws of a run, as Markov chains of equal length with the same targets.
///
/// `WriteDraws` of the crate `figrs-report` writes draws as files for other programs.
#[derive(Clone, Debug)]
pub struct Draws {
    /// Number of chains; independent draws count as a single chain.
    pub chains: usize,
    /// Number of draws in each chain.
    pub length: usize,
    /// The draws of each target, in the order in which the targets were given.
    pub targets: Vec<TargetDraws>,
    /// The natural logarithm of the weight of each draw (`chains * length` numbers), if the draws are weighted.
    pub log_weights: Option<Vec<f64>>,
}

impl Draws {
    /// Returns, for each target, the relative frequencies of the target's values; all draws must have the same weight.
    #[doc(hidden)]
    pub fn frequencies(&self) -> Vec<TargetMarginal> {
        let all = (self.chains * self.length) as f64;
        let marginal = |target: &TargetDraws| {
            let mut counts = vec![0_u64; target.support.len()];
            target.indices.iter().for_each(|&i| counts[i as usize] += 1);
            TargetMarginal {
                element: target.element.clone(),
                support: target.support.clone(),
                probabilities: counts.iter().map(|&n| n as f64 / all).collect(),
                estimate: Estimate::Chains {
                    indices: Arc::clone(&target.indices),
                    chains: self.chains,
                },
            }
        };
        self.targets.iter().map(marginal).collect()
    }

    /// Returns the values of a target in all draws, one chain after another.
    ///
    /// **Errors.** [`Error::UnknownElement`] if `element` is no target.
    pub fn values<T: Value>(&self, element: &Element<T>) -> Result<Vec<T>, Error> {
        let id = element.erased().id();
        let target = self.targets.iter().find(|target| target.element.id() == id);
        let target = target.ok_or_else(|| Error::not_a_target(element.label()))?;
        let values = target.indices.iter();
        Ok(values
            .filter_map(|&index| target.support.get::<T>(index as usize).cloned())
            .collect())
    }
}
