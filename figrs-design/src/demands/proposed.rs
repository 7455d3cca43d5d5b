//! Levels of another sampler, treated as boards: the other sampler proposes levels until one of them meets the demands.

use figrs_core::{Stream, stream};
use figrs_models::board::{BoardElements, BoardError, Generator, OwnSampler};
use figrs_models::grid::Size;
use figrs_models::mdmc::{DrawnLevels, GeneratedLevel, Tile};
use rand::{Rng, RngExt};

use super::demand::Demand;
use super::demand_error::Remedy;
use super::demanded_level::DemandedLevel;
use super::error::DemandedLevelError;
use crate::{DemandError, Playability};

/// A sampler that takes levels from another sampler that cannot be conditioned (such as the look-ahead sampler), until one of them meets the demands.
/// [`ConditionalSampler`](figrs_models::board::ConditionalSampler) draws the levels of a `ProposedLevels` value.
///
/// # Guarantee
///
/// The accepted levels have exactly the distribution of the other sampler's levels given the demands. With soft demands, a proposed level is accepted
/// with a probability equal to the product of the demands' factors.
///
/// # Complexity
///
/// The expected number of proposals is the inverse of the probability that a level of the other sampler meets the demands.
///
/// # Errors
///
/// Returns [`DemandedLevelError::NotMet`] if none of the allowed number of proposals meets the demands.
///
/// ```
/// use std::sync::Arc;
/// use figrs_infer::ItemSampler;
/// use figrs_models::board::ConditionalSampler;
/// use figrs_models::mdmc::{Corpus, LevelElements, LookAheadSampler, MarkovChain, RowSplits, Structure};
/// use figrs_design::{Demand, ProposedLevels, DemandedLevel};
///
/// let chain = Arc::new(MarkovChain::train(&Corpus::shipped(), &Structure::NS3, RowSplits::new(14, 14)?)?);
/// let elements = LevelElements::new(Arc::clone(&chain), 40)?;
/// let demands = DemandedLevel::new(&elements, &[Demand::MaximumGap(2), Demand::playable()])?;
/// let look_ahead = LookAheadSampler::new(chain, 3, 40)?;
/// let proposed = ProposedLevels::new(look_ahead, demands)?;
/// let numbered = ConditionalSampler::new().numbered(&proposed)?;
/// assert_eq!(numbered.items(7, 0..3)?.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct ProposedLevels {
    proposals: DrawnLevels,
    demanded: DemandedLevel,
    tries: u64,
}

impl ProposedLevels {
    /// Creates a sampler that draws up to 10 000 proposals from `proposals` for each level.
    ///
    /// **Errors.** [`DemandError::NotRejected`] for [`Demand::Placed`], because a placed tile is an intervention, for which a drawn level cannot be
    /// tested; [`DemandError`] if the demands are for levels of another size.
    pub fn new(
        proposals: impl Into<DrawnLevels>,
        demanded: DemandedLevel,
    ) -> Result<Self, DemandError> {
        let proposals = proposals.into();
        let [drawn, needed] = [proposals.size(), demanded.size()];
        if drawn != needed {
            let problem = format!(
                "levels of {} rows and {} columns are drawn, but the demands are for levels of {} rows and {} columns",
                drawn.columns(),
                drawn.rows(),
                needed.columns(),
                needed.rows()
            );
            return Err(DemandError::invalid(problem, "give both the same size"));
        }
        let is_placed = |demand: &&Demand| matches!(demand, Demand::Placed(_));
        if let Some(placed) = demanded.demands().find(is_placed) {
            return Err(DemandError::NotRejected {
                demand: placed.to_string(),
                remedies: &[Remedy::PinTiles, Remedy::ConditionTheModel],
            });
        }
        Ok(Self {
            proposals,
            demanded,
            tries: 10_000,
        })
    }

    /// Sets the maximum number of proposed levels for each accepted level.
    pub fn tries(mut self, tries: u64) -> Self {
        self.tries = tries;
        self
    }

    /// Returns the factor by which the demands multiply the weight of a level; the factor is 0 if the level breaks a demand that is not soft.
    fn factor(&self, generated: &GeneratedLevel) -> f64 {
        let of_tiles = self.demanded.factor(generated.level());
        let is_met = |demand: &Demand| match demand {
            Demand::Seen => generated.unseen() == 0,
            demand => demand.route().is_none_or(|route| {
                let level = route.rules().travel().upright(generated.level());
                Playability::along(&level, route).playable()
            }),
        };
        if of_tiles > 0.0 && self.demanded.demands().all(is_met) {
            of_tiles
        } else {
            0.0
        }
    }

    fn draw(&self, random: &mut Stream) -> Result<Option<GeneratedLevel>, BoardError> {
        let Some(OwnSampler { draw, .. }) = self.proposals.sampler() else {
            return Err(BoardError::NoMethod);
        };
        let proposed = draw(&mut stream(random.next_u64(), 0))?;
        let chance = random.random::<f64>();
        Ok(proposed.filter(|generated| chance < self.factor(generated)))
    }
}

/// The conditional sampler must use the generator's own sampler, because only the boards of that sampler have the distribution of the other sampler's
/// levels.
impl Generator for ProposedLevels {
    type Cell = Tile;
    type Board = GeneratedLevel;

    fn size(&self) -> Size {
        self.demanded.size()
    }

    fn elements(&self) -> Result<BoardElements<Tile>, BoardError> {
        self.proposals.elements()
    }

    fn board(&self, tiles: Vec<Tile>) -> Result<GeneratedLevel, BoardError> {
        self.demanded.board(tiles)
    }

    fn none_met(&self, tried: u64) -> BoardError {
        let demands = self.demanded.demands().map(ToString::to_string);
        BoardError::of_generator(DemandedLevelError::NotMet {
            demands: demands.collect(),
            tries: tried,
            remedies: &[Remedy::FewerDemands, Remedy::ConditionTheModel],
        })
    }

    fn sampler(&self) -> Option<OwnSampler<'_, GeneratedLevel>> {
        let proposals = self.proposals.sampler()?;
        Some(OwnSampler {
            name: proposals.name,
            draw: Box::new(|random| self.draw(random)),
            tries: Some(self.tries),
        })
    }
}
