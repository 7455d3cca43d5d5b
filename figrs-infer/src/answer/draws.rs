//! The values of the targets in every draw of a sampler.

use std::sync::Arc;

use figrs_core::{AnyElement, Element, Support, Value};

use crate::error::Error;

/// The draws of one target.
#[derive(Clone, Debug)]
pub struct TargetDraws {
    /// The target.
    pub element: AnyElement,
    /// The distinct values that were drawn.
    pub support: Support,
    /// For each draw the position of its value in `support`: the draws of one chain stand together.
    pub indices: Arc<[u32]>,
}

/// The draws of a run: chains of equal length, over the same targets.
///
/// `WriteDraws` of the crate `figrs-report` writes them for other programs.
#[derive(Clone, Debug)]
pub struct Draws {
    /// Number of chains; independent draws are one chain.
    pub chains: usize,
    /// Number of draws in each chain.
    pub length: usize,
    /// The targets, in the order they were given.
    pub targets: Vec<TargetDraws>,
    /// The natural logarithms of the weights of the draws, where they are weighted: `chains * length` of them.
    pub log_weights: Option<Vec<f64>>,
}

impl Draws {
    /// The values of a target, chain after chain.
    ///
    /// **Errors.** [`Error::NotATarget`].
    pub fn values<T: Value>(&self, element: &Element<T>) -> Result<Vec<T>, Error> {
        let id = element.erased().id();
        let target = self.targets.iter().find(|target| target.element.id() == id);
        let target = target.ok_or_else(|| Error::NotATarget {
            element: element.label(),
        })?;
        let values = target.indices.iter();
        Ok(values
            .filter_map(|&index| target.support.get::<T>(index as usize).cloned())
            .collect())
    }
}
