//! Samplers of numbered boards: the random numbers for a board depend only on the seed and on the number of the board.

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs_core::stream;
use figrs_infer::ItemSampler;

use super::numbered_particles::NumberedParticles;
use super::rejection::MAX_CONSECUTIVE_FAILURES;
use super::{BoardError, ConditionalSampler, ExactBoards, Generator, Method, OwnSampler};

/// A sampler of numbered boards, which can draw a set of boards in several parts, because a board depends only on the seed and on its own number.
///
/// The type `P` is a reference to the board generator, or an [`Arc`] of it. A clone of the sampler shares the results that the sampler has stored.
///
/// **Guarantee.** The drawn boards are independent, follow all rules, meet all demands and agree with all clues. By all methods except particles, the
/// drawn boards have exactly their probabilities. If no board is rejected, the boards equal those that [`ConditionalSampler::sample`] draws by the
/// same method with the same seed. The method of particles draws each board from one population: as the number of particles grows, the board's
/// distribution tends to the exact one. With few particles, boards whose first cells seldom lead to a complete board are somewhat too rare;
/// [`effective_populations`](Self::effective_populations) measures how near the distribution is to the exact one.
///
/// **Complexity.** The time of the method of particles is linear in the number of particles and in the number of cells. If all particles of the
/// population for a board fail, a population four times as large draws the board, and so on.
pub struct NumberedBoards<P: Deref<Target: Generator>>(NumberedMethod<P>);

impl<P: Deref<Target: Generator>> fmt::Debug for NumberedBoards<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NumberedBoards")
            .field(&self.method())
            .finish()
    }
}

impl<P: Deref<Target: Generator + Clone> + Clone> Clone for NumberedBoards<P> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            NumberedMethod::Own(generator, name) => NumberedMethod::Own(generator.clone(), name),
            NumberedMethod::Exact(exact) => NumberedMethod::Exact(exact.clone()),
            NumberedMethod::Particles(particles) => NumberedMethod::Particles(particles.clone()),
        })
    }
}

enum NumberedMethod<P: Deref<Target: Generator>> {
    Own(P, &'static str),
    Exact(ExactBoards<P>),
    Particles(NumberedParticles<P>),
}

/// Number of boards that the exact method draws in one pass through its states.
const BATCH: u64 = 64;

impl ConditionalSampler {
    /// Returns a sampler of numbered boards. The sampler uses the generator's own sampler of independent boards if the generator has one, else the
    /// exact method. If particles are allowed and the states of the exact method do not fit into memory, the sampler of numbered boards uses
    /// particles.
    ///
    /// The seed of the random boards is an argument of [`items`](ItemSampler::items).
    ///
    /// **Errors.** The errors of [`exact`](Self::exact); [`BoardError::NoSolution`] if no board is possible; [`BoardError::NoMethod`] if none of the
    /// methods for numbered boards is allowed.
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
    pub fn numbered<P>(&self, generator: P) -> Result<NumberedBoards<P>, BoardError>
    where
        P: Deref<Target: Generator> + Clone,
    {
        let own = generator.sampler().map(|own| own.name);
        if let Some(name) = own.filter(|&name| self.allows(Method::Own(name))) {
            return Ok(NumberedBoards(NumberedMethod::Own(generator, name)));
        }
        let particles = self.allows(Method::Particles);
        if self.allows(Method::Exact) {
            match self.exact(generator.clone()) {
                Ok(exact) if exact.is_possible() => {
                    return Ok(NumberedBoards(NumberedMethod::Exact(exact)));
                }
                Ok(_) => return Err(self.conflict(&*generator)?),
                Err(BoardError::TooLarge { .. }) if particles => {}
                Err(error) => return Err(error),
            }
        }
        if !particles {
            return Err(BoardError::NoMethod);
        }
        let particles = NumberedParticles::new(generator, self.clone())?;
        Ok(NumberedBoards(NumberedMethod::Particles(particles)))
    }
}

impl<G: Generator, P: Deref<Target = G>> NumberedBoards<P> {
    /// Returns the method that draws the numbered boards.
    pub fn method(&self) -> Method {
        match self.0 {
            NumberedMethod::Own(_, name) => Method::Own(name),
            NumberedMethod::Exact(_) => Method::Exact,
            NumberedMethod::Particles(_) => Method::Particles,
        }
    }

    /// Returns the generator.
    pub fn generator(&self) -> &G {
        match &self.0 {
            NumberedMethod::Own(generator, _) => generator,
            NumberedMethod::Exact(exact) => exact.generator(),
            NumberedMethod::Particles(particles) => &particles.generator,
        }
    }

    /// If the exact method draws the boards, returns their compiled program, which also answers other queries.
    pub fn exact(&self) -> Option<&ExactBoards<P>> {
        match &self.0 {
            NumberedMethod::Exact(exact) => Some(exact),
            _ => None,
        }
    }

    /// Returns the number of particles of a population, if the boards are drawn by particles.
    pub fn particles(&self) -> Option<usize> {
        match &self.0 {
            NumberedMethod::Particles(particles) => Some(particles.particles),
            _ => None,
        }
    }

    /// Returns the number of populations of particles drawn so far and the effective number 1 / Σw² of populations, where the weights w are the
    /// populations' estimates of the evidence, scaled to sum to 1. The closer the effective number of populations is to their number, the closer the
    /// distribution of the boards is to the exact one. Returns `None` if fewer than two populations have been drawn, and if the boards are not drawn
    /// by particles.
    pub fn effective_populations(&self) -> Option<(usize, f64)> {
        match &self.0 {
            NumberedMethod::Particles(particles) => particles.effective_populations(),
            _ => None,
        }
    }

    /// Sets an interrupt flag. When the interrupt flag becomes `true`, running particle filters end, and so does the search for contradictory
    /// demands. The interrupt flag replaces that of the [settings](ConditionalSampler::interrupt).
    #[must_use]
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        if let NumberedMethod::Particles(particles) = &mut self.0 {
            particles.settings.watch.interrupt = Some(flag);
        }
        self
    }
}

impl<G, P> ItemSampler for NumberedBoards<P>
where
    G: Generator<Board: Display + Send>,
    P: Deref<Target = G> + Sync,
{
    type Item = G::Board;
    type Error = BoardError;

    fn batch(&self) -> u64 {
        match &self.0 {
            NumberedMethod::Own(..) => 1,
            NumberedMethod::Exact(_) => BATCH,
            NumberedMethod::Particles(particles) => particles.batch(),
        }
    }

    fn items(&self, seed: u64, numbers: Range<u64>) -> Result<Vec<G::Board>, BoardError> {
        let generator = self.generator();
        match &self.0 {
            NumberedMethod::Own(..) => {
                let Some(OwnSampler { draw, tries, .. }) = generator.sampler() else {
                    return Err(BoardError::NoMethod);
                };
                let tries = tries.unwrap_or(1).min(MAX_CONSECUTIVE_FAILURES);
                let board = |number| {
                    let mut random = stream(seed, number);
                    for _ in 0..tries {
                        let drawn = draw(&mut random)?;
                        if let Some(board) = drawn.filter(|board| generator.meets(board)) {
                            return Ok(board);
                        }
                    }
                    Err(generator.none_met(tries))
                };
                numbers.map(board).collect()
            }
            NumberedMethod::Exact(exact) => {
                exact.of_streams(numbers.map(|number| stream(seed, number)).collect())
            }
            NumberedMethod::Particles(particles) => {
                let boards = particles.boards(seed, numbers)?.into_iter();
                boards.map(|cells| generator.board(cells)).collect()
            }
        }
    }

    fn write(&self, board: &G::Board, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{board}")
    }
}
