//! Boards as sequences of parts, for particle filters that process one part after another.

use std::fmt;

use figrs_core::Value;
use figrs_infer::{Sequence, SequencePart};

use super::BoardElements;

/// The probabilistic program of a board as a sequence of parts, whose elements propose the values of the cells to particles.
///
/// The trajectory of a particle consists of the cells of the board in scan order (row by row). The elements (random variables) may take later
/// evidence into account when they propose values of cells, if weights correct the proposals.
pub struct BoardSequence<'g, C> {
    parts: Box<dyn Sequence<Value = C> + 'g>,
    /// Number of particles of a population, unless the user sets another number.
    pub(super) particles: usize,
    pub(super) is_slow: bool,
}

impl<C> fmt::Debug for BoardSequence<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoardSequence").finish_non_exhaustive()
    }
}

impl<'g, C: Value> BoardSequence<'g, C> {
    /// Creates a sequence from parts whose proposals are so good that a population of `particles` suffices for a board.
    pub fn new(parts: impl Sequence<Value = C> + 'g, particles: usize) -> Self {
        Self {
            parts: Box::new(parts),
            particles,
            is_slow: false,
        }
    }

    /// Creates a sequence whose only part is the probabilistic program `elements` of the whole board, for populations of 4096 particles.
    pub fn whole(elements: BoardElements<C>) -> Self {
        const PARTICLES: usize = 4096;
        Self::new(WholeBoard(elements), PARTICLES)
    }

    /// Declares that the computation of the evidence takes most of a particle's time; the sampler then runs fewer particles side by side.
    #[must_use]
    pub fn slow(self) -> Self {
        Self {
            is_slow: true,
            ..self
        }
    }

    pub(super) fn parts(&self) -> &(dyn Sequence<Value = C> + 'g) {
        &*self.parts
    }
}

struct WholeBoard<C>(BoardElements<C>);

impl<C: Value> Sequence for WholeBoard<C> {
    type Value = C;

    fn parts(&self) -> usize {
        1
    }

    fn part(&self, _number: usize) -> SequencePart<C> {
        let Self(elements) = self;
        SequencePart::new(elements.model().clone()).trajectory(elements.cells().to_vec())
    }
}

/// A sequence of a board's parts without the list of cells to draw; particles then draw only the cells on which the evidence depends.
pub(super) struct EvidenceOnly<'a, C>(pub(super) &'a dyn Sequence<Value = C>);

impl<C: Value> Sequence for EvidenceOnly<'_, C> {
    type Value = C;

    fn parts(&self) -> usize {
        self.0.parts()
    }

    fn part(&self, number: usize) -> SequencePart<C> {
        self.0.part(number).trajectory(Vec::new())
    }
}
