//! Sets of numbered boards, each drawn from its own random numbers.

use std::fmt::Display;
use std::io::{self, Write};
use std::ops::Range;

use figrs_core::stream;
use figrs_infer::ItemSampler;

use super::rejection::MAX_CONSECUTIVE_FAILURES;
use super::{BoardError, ConditionalSampler, ExactBoards, Generator, Method, OwnSampler};

/// A sampler of numbered boards, for sets that are drawn in parts: a board depends only on the seed and on its number.
///
/// **Guarantee.** Boards are independent and have exactly their probabilities given rules, demands and clues. If no board is rejected, the boards
/// equal those that [`ConditionalSampler::sample`] returns by the same method for the same seed.
#[derive(Debug)]
pub struct NumberedBoards<'g, G: Generator> {
    generator: &'g G,
    /// The compiled element program; `None` if the generator's own sampler is used.
    exact: Option<ExactBoards<'g, G>>,
}

/// Number of boards that are drawn in one sweep over the states.
const BATCH: u64 = 64;

impl ConditionalSampler {
    /// Returns a sampler of numbered boards: the generator's own sampler of independent boards if it has one, else the exact method.
    ///
    /// The seed of the boards is an argument of [`items`](ItemSampler::items).
    ///
    /// **Errors.** The errors of [`exact`](Self::exact); [`BoardError::NoSolution`]; [`BoardError::NoMethod`] if neither the generator's own sampler
    /// nor the exact method is allowed.
    ///
    /// ```
    /// # use figrs_infer::ItemSampler;
    /// # use figrs_models::board::ConditionalSampler;
    /// # use figrs_models::grid::Size;
    /// # use figrs_models::maze::PerfectMaze;
    /// let maze = PerfectMaze::new(Size::new(4, 6)?);
    /// let boards = ConditionalSampler::new().numbered(&maze)?;
    /// let set = boards.items(7, 0..10)?;
    /// assert_eq!(set[4], boards.items(7, 4..5)?[0]);
    /// assert_eq!(set, ConditionalSampler::new().seed(7).sample(&maze, 10)?.boards);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn numbered<'g, G: Generator>(
        &self,
        generator: &'g G,
    ) -> Result<NumberedBoards<'g, G>, BoardError> {
        let own = generator.sampler();
        let has_own = own.is_some_and(|own| self.allows(Method::Own(own.name)));
        let exact = if has_own {
            None
        } else if self.allows(Method::Exact) {
            let exact = self.exact(generator)?;
            if !exact.is_possible() {
                return Err(self.conflict(generator)?);
            }
            Some(exact)
        } else {
            return Err(BoardError::NoMethod);
        };
        Ok(NumberedBoards { generator, exact })
    }
}

impl<G: Generator<Board: Display + Send> + Sync> ItemSampler for NumberedBoards<'_, G> {
    type Item = G::Board;
    type Error = BoardError;

    fn batch(&self) -> u64 {
        BATCH
    }

    fn items(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<G::Board>, BoardError> {
        if let Some(exact) = &self.exact {
            return exact.of_streams(numbers.map(|number| stream(seed, number)).collect());
        }
        let Some(OwnSampler { draw, .. }) = self.generator.sampler() else {
            return Err(BoardError::NoMethod);
        };
        let board = |number| {
            let mut random = stream(seed, number);
            let mut tries = (0..MAX_CONSECUTIVE_FAILURES).map(|_| draw(&mut random));
            let found = tries.find(|board| self.generator.meets(board));
            found.ok_or(BoardError::NoneMet {
                tried: MAX_CONSECUTIVE_FAILURES,
            })
        };
        numbers.map(board).collect()
    }

    fn write(&self, board: &G::Board, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{board}")
    }
}
