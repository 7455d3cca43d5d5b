//! The values of the targets in each draw of a sampler.

use std::sync::Arc;

use figrs_core::{AnyElement, Element, Support, Value};

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
