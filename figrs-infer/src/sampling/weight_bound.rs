//! Upper bound of the weight that the evidence of a model gives to a world.

use figrs_core::internals::{Endless, FamilyOp, Kind};
use figrs_core::{AnyElement, Datum, ElementId, Model};
use rustc_hash::FxHashSet;

/// A bound of the weights of worlds that count so many densities.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightBound {
    log: f64,
    densities: usize,
}

impl WeightBound {
    /// The bound for worlds that are kept or rejected: a weight of one.
    pub(crate) const ONE: Self = Self {
        log: 0.0,
        densities: 0,
    };

    /// The product of the largest weights of all statements of a model, if all are known.
    ///
    /// Probabilities are one at most. An observation of an element without parents, direct or through functions that imply
    /// the values of their parents, has one probability or density in all worlds; other densities have the bound that
    /// their families state.
    pub(crate) fn of(model: &Model) -> Option<Self> {
        let mut all = Self::ONE;
        let mut weighed = FxHashSet::default();
        for (element, statement) in model.evidence() {
            match statement.observed() {
                Some(value) => all.observe(element, value, &mut weighed),
                None => all.log += statement.log_maximum()?,
            }
        }
        Some(all)
    }

    /// Multiplies by the largest weight of an observed value, and of the values that it implies for others, each of them
    /// once.
    fn observe(&mut self, element: &AnyElement, value: &Datum, weighed: &mut FxHashSet<ElementId>) {
        let mut observed = vec![(element.clone(), value.clone())];
        while let Some((element, value)) = observed.pop() {
            if !weighed.insert(element.id()) {
                continue;
            }
            match element.kind() {
                Kind::Atomic(op) => {
                    let log = op.log_prob(value.as_any());
                    self.log += log.ok().filter(|log| log.is_finite()).unwrap_or(0.0);
                    let is_continuous = matches!(op.outcomes(), Ok(Err(Endless::Continuous)));
                    self.densities += usize::from(is_continuous);
                }
                Kind::Chain(_, op) => {
                    let bound = |family: &dyn FamilyOp| {
                        let log = family.max_log_prob(value.as_any());
                        log.filter(|log| log.is_finite() && family.is_continuous())
                    };
                    if let Some(log) = op.family().and_then(bound) {
                        self.log += log;
                        self.densities += 1;
                    }
                }
                Kind::Apply(parents, op) => {
                    let demanded = op.demand(&value).unwrap_or_default();
                    let demanded = parents.iter().zip(demanded);
                    observed.extend(demanded.filter_map(|(e, v)| Some((e.clone(), v?))));
                }
                Kind::Table(..) | Kind::Score(..) => {}
            }
        }
    }

    /// The logarithm of the bound, if it holds for worlds with so many densities of which one has this logarithm of its weight.
    ///
    /// Other densities have no known maximum, and the Scores of a model may weigh more than its evidence.
    pub(crate) fn for_worlds(self, densities: usize, log_largest: f64) -> Option<f64> {
        let holds = densities == self.densities && log_largest <= self.log + 1e-9;
        holds.then_some(self.log)
    }
}
