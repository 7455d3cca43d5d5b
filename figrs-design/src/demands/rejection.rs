//! Rejection sampling: draws levels from any sampler until one meets the demands.

use std::ops::Range;

use figrs_core::stream;
use rand::{Rng, RngExt};

use super::demand::Demand;
use super::error::SteeringError;
use super::remedy::Remedy;
use super::sampler::LevelSampler;
use super::steered::SteeredLevel;
use crate::{DemandError, Playability};
use figrs_models::mdmc::GeneratedLevel;

/// Draws levels from another sampler until one meets the demands, for samplers that cannot be conditioned, such as look-ahead.
///
/// # Guarantee
///
/// Levels have exactly the law of the other sampler given the demands. Under soft demands, a level is accepted with the probability that equals the
/// product of their factors.
///
/// # Complexity
///
/// The expected number of draws is the inverse of the probability that a level of the other sampler meets the demands.
///
/// # Errors
///
/// [`SteeringError::NotMet`] if none of the allowed number of draws meets the demands.
///
/// ```
/// use std::sync::Arc;
/// use figrs_models::mdmc::{Corpus, LevelElements, LookAheadSampler, MarkovChain, RowSplits, Structure};
/// use figrs_design::{Demand, LevelSampler, RejectionSampler, SteeredLevel};
///
/// let chain = Arc::new(MarkovChain::train(&Corpus::shipped(), &Structure::NS3, RowSplits::new(14, 14)?)?);
/// let elements = LevelElements::new(Arc::clone(&chain), 40)?;
/// let demands = SteeredLevel::new(&elements, &[Demand::MaximumGap(2), Demand::playable()])?;
/// let look_ahead = LookAheadSampler::new(chain, 3, 40)?;
/// let sampler = RejectionSampler::new(Box::new(look_ahead), demands)?;
/// assert_eq!(sampler.levels(7, 0..3)?.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct RejectionSampler {
    inner: Box<dyn LevelSampler>,
    steered: SteeredLevel,
    tries: u64,
}

impl RejectionSampler {
    /// Creates a sampler that tries up to 10 000 levels of `inner` for each level. The demands must be for levels of the size that `inner` draws.
    ///
    /// **Errors.** [`DemandError::NotRejected`] for [`Demand::Placed`], which is an intervention that a drawn level cannot be tested for.
    pub fn new(inner: Box<dyn LevelSampler>, steered: SteeredLevel) -> Result<Self, DemandError> {
        let is_placed = |demand: &&Demand| matches!(demand, Demand::Placed(_));
        if let Some(placed) = steered.demands().find(is_placed) {
            return Err(DemandError::NotRejected {
                demand: placed.to_string(),
                remedies: &[Remedy::PinTiles, Remedy::ConditionTheModel],
            });
        }
        Ok(Self {
            inner,
            steered,
            tries: 10_000,
        })
    }

    /// Sets the maximum number of levels tried for each level.
    pub fn tries(mut self, tries: u64) -> Self {
        self.tries = tries;
        self
    }

    /// Returns the factor by which the demands weigh a level: 0 if the level breaks a demand.
    fn factor(&self, generated: &GeneratedLevel) -> f64 {
        let of_tiles = self.steered.factor(generated.level());
        let is_met = |demand: &Demand| match demand {
            Demand::Seen => generated.unseen() == 0,
            demand => demand.route().is_none_or(|route| {
                let level = route.rules().travel().upright(generated.level());
                Playability::along(&level, route).playable()
            }),
        };
        if of_tiles > 0.0 && self.steered.demands().all(is_met) {
            of_tiles
        } else {
            0.0
        }
    }

    fn level(&self, seed: u64, number: u64) -> Result<GeneratedLevel, SteeringError> {
        let size = (self.steered.height(), self.steered.width());
        let mut rng = stream(seed, number);
        for _ in 0..self.tries {
            for generated in self.inner.levels(rng.next_u64(), 0..1)? {
                let drawn = (generated.level().height(), generated.level().width());
                if drawn != size {
                    let problem = format!(
                        "levels of {} rows and {} columns are drawn, and the demands are for {} and {}",
                        drawn.0, drawn.1, size.0, size.1
                    );
                    return Err(DemandError::invalid(problem, "give both one size").into());
                }
                if rng.random::<f64>() < self.factor(&generated) {
                    return Ok(generated);
                }
            }
        }
        let demands = self.steered.demands().map(ToString::to_string);
        Err(SteeringError::NotMet {
            demands: demands.collect(),
            tries: self.tries,
            remedies: &[Remedy::FewerDemands, Remedy::ConditionTheModel],
        })
    }
}

impl LevelSampler for RejectionSampler {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn guarantee(&self) -> String {
        format!(
            "{}; drawn again until all demands are met",
            self.inner.guarantee()
        )
    }

    fn demands(&self) -> Vec<Demand> {
        self.steered.demands().cloned().collect()
    }

    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<GeneratedLevel>, SteeringError> {
        numbers.map(|number| self.level(seed, number)).collect()
    }
}
