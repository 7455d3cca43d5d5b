//! Rejection sampling draws boards from a larger set and keeps the boards that meet the user's demands.

use figrs_core::rand::Rng;
use figrs_core::stream;
use figrs_infer::{Error, RejectionSampling, Run};

use super::watch::{BoardWatch, Event};
use super::{BoardElements, BoardError, DrawnBoards, Generator};

pub(crate) const MAX_CONSECUTIVE_FAILURES: u64 = 1_000_000;

/// The accepted boards of rejection sampling, with the number of rejected boards. Accepted boards have exactly their probabilities given the demands,
/// no matter when the sampler stops.
pub(super) struct RejectionTally<'a, B> {
    boards: &'a DrawnBoards<B>,
    watch: &'a BoardWatch,
    tried: u64,
    met: u64,
    failures: u64,
    most: u64,
}

impl<'a, B> RejectionTally<'a, B> {
    pub(super) fn new(boards: &'a DrawnBoards<B>, watch: &'a BoardWatch, most: u64) -> Self {
        Self {
            boards,
            watch,
            tried: 0,
            met: 0,
            failures: 0,
            most: most.clamp(1, MAX_CONSECUTIVE_FAILURES),
        }
    }

    fn tell(&self) {
        self.watch.tell(Event::Drawn {
            boards: self.boards.len() as u64,
            wanted: self.boards.wanted() as u64,
            tried: Some(self.tried),
        });
    }

    fn keep(&mut self, board: B) {
        self.boards.push(board);
        self.met += 1;
        self.failures = 0;
    }

    fn wants_more(&self) -> bool {
        !self.boards.are_complete() && !self.watch.is_interrupted()
    }

    /// Takes at most `draws` more boards from the iterator `all`, which yields `None` for each rejected board; returns true if there are enough
    /// boards or the run was interrupted.
    pub(super) fn draw(
        &mut self,
        draws: u64,
        all: &mut impl Iterator<Item = Result<Option<B>, BoardError>>,
    ) -> Result<bool, BoardError> {
        let end = self.tried.saturating_add(draws);
        while self.wants_more() && self.tried < end {
            let Some(board) = all.next() else { break };
            let board = board?;
            self.failed(1);
            if let Some(board) = board {
                self.keep(board);
            }
            self.tell();
        }
        Ok(!self.wants_more())
    }

    pub(super) fn complete(
        mut self,
        all: &mut impl Iterator<Item = Result<Option<B>, BoardError>>,
    ) -> Result<Self, BoardError> {
        while !self.draw(self.most.saturating_sub(self.failures), all)? {
            self.check()?;
        }
        Ok(self)
    }

    /// Draws the cells of a board's probabilistic program independently, and keeps the boards that follow its rules and meet the demands of
    /// `generator`.
    pub(super) fn complete_by_elements<G: Generator<Board = B>>(
        mut self,
        generator: &G,
        elements: &BoardElements<G::Cell>,
        seed: u64,
    ) -> Result<Self, BoardError> {
        /// Minimum and maximum number of boards that the rejection sampler draws and tests at a time.
        const RUN: (u64, u64) = (1 << 10, 1 << 16);
        let model = elements.model();
        for part in 0.. {
            if !self.wants_more() {
                break;
            }
            let missing = (self.boards.wanted() - self.boards.len()) as u64;
            // Later runs are larger, so that the first boards are ready soon.
            let tries = missing.saturating_mul(4).min(RUN.0 << part.min(16));
            let tries = tries.clamp(RUN.0, RUN.1);
            let mut sampler = RejectionSampling::new(tries)
                .seed(stream(seed, part).next_u64())
                .keep_draws();
            if let Some(flag) = &self.watch.interrupt {
                sampler = sampler.interrupt(flag.clone());
            }
            match sampler.run(model, elements.cells()) {
                Err(Error::NothingDone { .. }) => {}
                Err(Error::NoSampleMetEvidence { tried, .. }) => self.failed(tried),
                answer => {
                    let answer = answer?;
                    // An interrupted run tried fewer boards than requested.
                    self.failed(answer.sampling().map_or(tries, |sampling| sampling.done));
                    let draws = answer.draws()?;
                    let values = elements.cells().iter().map(|cell| draws.values(cell));
                    let values = values.collect::<Result<Vec<_>, _>>()?;
                    for draw in 0..draws.length {
                        let cells = values.iter().map(|cell| cell[draw].clone());
                        let board = generator.board(cells.collect())?;
                        if generator.meets(&board) {
                            self.keep(board);
                        }
                    }
                }
            }
            self.check()?;
            self.tell();
        }
        Ok(self)
    }

    /// Adds `tries` rejected boards to the number of boards that have failed since the last accepted board.
    fn failed(&mut self, tries: u64) {
        self.tried += tries;
        self.failures += tries;
    }

    fn check(&self) -> Result<(), BoardError> {
        if self.failures < self.most {
            return Ok(());
        }
        Err(BoardError::NoneMet {
            tried: self.failures,
        })
    }

    pub(super) fn diagnostics(self) -> Vec<(&'static str, f64)> {
        let share = self.met as f64 / self.tried.max(1) as f64;
        vec![("acceptance", share)]
    }
}
