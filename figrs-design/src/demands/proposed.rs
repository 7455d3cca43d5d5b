//! Levels that another sampler proposes, as boards of the conditional sampler: proposals are drawn until one meets the demands.

use std::ops::Range;

use figrs_core::Stream;
use figrs_infer::ItemSampler;
use figrs_models::board::{BoardError, ConditionalSampler, Elements, Generator, OwnSampler};
use figrs_models::grid::Size;
use rand::{Rng, RngExt};

use super::demand::Demand;
use super::error::SteeringError;
use super::remedy::Remedy;
use super::sampler::LevelSampler;
use super::steered::SteeredLevel;
use crate::{DemandError, Playability};
use figrs_models::mdmc::{GeneratedLevel, Tile};

/// Levels that another sampler proposes until one meets the demands, for samplers that cannot be conditioned, such as look-ahead.
/// [`ConditionalSampler`](figrs_models::board::ConditionalSampler) draws them.
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
/// [`SteeringError::NotMet`] if none of the allowed number of proposals meets the demands.
///
/// ```
/// use std::sync::Arc;
/// use figrs_models::mdmc::{Corpus, LevelElements, LookAheadSampler, MarkovChain, RowSplits, Structure};
/// use figrs_design::{Demand, LevelSampler, ProposedLevels, SteeredLevel};
///
/// let chain = Arc::new(MarkovChain::train(&Corpus::shipped(), &Structure::NS3, RowSplits::new(14, 14)?)?);
/// let elements = LevelElements::new(Arc::clone(&chain), 40)?;
/// let demands = SteeredLevel::new(&elements, &[Demand::MaximumGap(2), Demand::playable()])?;
/// let look_ahead = LookAheadSampler::new(chain, 3, 40)?;
/// let proposed = ProposedLevels::new(Box::new(look_ahead), demands)?;
/// assert_eq!(proposed.levels(7, 0..3)?.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct ProposedLevels {
    proposals: Box<dyn LevelSampler>,
    steered: SteeredLevel,
    tries: u64,
}

impl ProposedLevels {
    /// Draws up to 10 000 `proposals` for each level. The demands must be for levels of their size.
    ///
    /// **Errors.** [`DemandError::NotRejected`] for [`Demand::Placed`], which is an intervention that a drawn level cannot be tested for.
    pub fn new(
        proposals: Box<dyn LevelSampler>,
        steered: SteeredLevel,
    ) -> Result<Self, DemandError> {
        let is_placed = |demand: &&Demand| matches!(demand, Demand::Placed(_));
        if let Some(placed) = steered.demands().find(is_placed) {
            return Err(DemandError::NotRejected {
                demand: placed.to_string(),
                remedies: &[Remedy::PinTiles, Remedy::ConditionTheModel],
            });
        }
        Ok(Self {
            proposals,
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

    /// Draws a level; `None` if it is rejected.
    fn draw(&self, random: &mut Stream) -> Result<Option<GeneratedLevel>, SteeringError> {
        let mut drawn = self.proposals.levels(random.next_u64(), 0..1)?;
        let Some(generated) = drawn.pop() else {
            return Ok(None);
        };
        let size = (self.steered.height(), self.steered.width());
        let drawn = (generated.level().height(), generated.level().width());
        if drawn != size {
            let problem = format!(
                "levels of {} rows and {} columns are drawn, and the demands are for {} and {}",
                drawn.0, drawn.1, size.0, size.1
            );
            return Err(DemandError::invalid(problem, "give both one size").into());
        }
        let is_kept = random.random::<f64>() < self.factor(&generated);
        Ok(is_kept.then_some(generated))
    }
}

/// Levels have the law of the proposals, so that the generator's own sampler is the only method.
impl Generator for ProposedLevels {
    type Cell = Tile;
    type Board = GeneratedLevel;

    fn size(&self) -> Size {
        self.steered.size()
    }

    fn elements(&self) -> Result<Elements<Tile>, BoardError> {
        let what = "the levels of another sampler";
        Err(BoardError::NoElements { what })
    }

    fn board(&self, tiles: Vec<Tile>) -> Result<GeneratedLevel, BoardError> {
        self.steered.board(tiles)
    }

    fn none_met(&self, tried: u64) -> BoardError {
        let demands = self.steered.demands().map(ToString::to_string);
        BoardError::of_generator(SteeringError::NotMet {
            demands: demands.collect(),
            tries: tried,
            remedies: &[Remedy::FewerDemands, Remedy::ConditionTheModel],
        })
    }

    fn sampler(&self) -> Option<OwnSampler<'_, GeneratedLevel>> {
        Some(OwnSampler {
            name: self.proposals.name(),
            draw: Box::new(|random| self.draw(random).map_err(BoardError::of_generator)),
            tries: Some(self.tries),
        })
    }
}

impl LevelSampler for ProposedLevels {
    fn name(&self) -> &'static str {
        self.proposals.name()
    }

    fn guarantee(&self) -> String {
        format!(
            "{}; drawn again until all demands are met",
            self.proposals.guarantee()
        )
    }

    fn demands(&self) -> Vec<Demand> {
        self.steered.demands().cloned().collect()
    }

    fn levels(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<GeneratedLevel>, SteeringError> {
        let numbered = ConditionalSampler::new().numbered(self)?;
        Ok(numbered.items(seed, numbers)?)
    }
}
