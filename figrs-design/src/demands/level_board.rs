//! Levels with demands (requirements), which the conditional sampler of boards treats as boards.

use figrs_infer::Frontier;
use figrs_models::board::{BoardElements, BoardError, BoardSequence, ConflictStage, Generator};
use figrs_models::grid::Size;
use figrs_models::mdmc::{GeneratedLevel, Tile};

use super::conflict;
use super::demanded_level::{DemandedLevel, LevelParts};
use super::error::DemandedLevelError;
use crate::DemandError;

/// A level with demands becomes a board by turning it onto its left side: the rows of the board are the columns of the level, from the left, each
/// from the bottom up. A [`ConditionalSampler`](figrs_models::board::ConditionalSampler) draws levels that meet all demands.
///
/// For a demand that a level resembles a drawing, the weight of a particle is multiplied by a tile's factor as soon as the particle samples this
/// tile. For demands that a finite automaton checks, such as numbers and patterns, particles prefer tiles after which the rest of the level probably
/// meets the demand. The probability that the rest of the level meets the demand is estimated as if cells were independent; for n-grams with a demand
/// to resemble a drawing, the probability is exact. Proposals that foresee the demands make the weights of particles more even, and do not change the
/// distribution of levels. Twenty particles therefore usually suffice for a level.
///
/// If no level meets the demands, sampling returns the error [`DemandedLevelError::Contradictory`] with demands that exclude each other. The
/// contradictory demands in the error are the same on all machines, because the two searches for them are limited by work, not by time: the search
/// for a proof by [`proof_work`](DemandedLevel::proof_work), and the search by particles, if no proof is found, by
/// [`conflict_work`](DemandedLevel::conflict_work).
///
/// **References.** To condition levels, sequential Monte Carlo (Gordon, Salmond and Smith 1993) is used instead of the look-ahead of Snodgrass and
/// Ontañón (2017).
impl Generator for DemandedLevel {
    type Cell = Tile;
    type Board = GeneratedLevel;

    fn size(&self) -> Size {
        self.level_model().lying_size()
    }

    fn elements(&self) -> Result<BoardElements<Tile>, BoardError> {
        let cells = self.cells().to_vec();
        Ok(BoardElements::new(
            self.size(),
            cells,
            self.model().clone(),
        )?)
    }

    fn board(&self, tiles: Vec<Tile>) -> Result<GeneratedLevel, BoardError> {
        let (found, cells) = (tiles.len(), self.size().cells());
        if found != cells {
            return Err(BoardError::of_generator(DemandError::invalid(
                format!("{found} tiles for a level of {cells} cells"),
                "give a tile for each cell",
            )));
        }
        Ok(self.level(&tiles))
    }

    fn sequence(&self) -> Result<BoardSequence<'_, Tile>, BoardError> {
        const PARTICLES: usize = 20;
        let sequence = BoardSequence::new(LevelParts::of(self), PARTICLES);
        // The evidence on players, which follows the player of each particle, takes most of the time.
        let is_followed = self.demands().any(|demand| demand.route().is_some());
        Ok(if is_followed {
            sequence.slow()
        } else {
            sequence
        })
    }

    fn without_demands(&self) -> Option<Self> {
        self.undemanding()
    }

    fn conflict(&self, stage: ConflictStage<'_, Tile>, engine: &Frontier) -> Option<BoardError> {
        let (conflict, is_proven) = conflict::find(self, stage, engine)?;
        let error: DemandedLevelError = conflict::error(self, &conflict, is_proven);
        Some(BoardError::of_generator(error))
    }
}
