//! Answers exact questions about boards.

use figrs_core::{Element, Stream};
use figrs_infer::{CompiledFrontier, Frontier, Marginal, World};

use super::{BoardError, Generator};

/// Size of the states of the exact method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Largest number of states of the exact method after reading a cell.
    pub states: usize,
    /// Bytes of all states.
    pub bytes: u64,
}

/// The boards of a generator as a compiled element program, for independent samples, counts, marginals and the most probable board.
///
/// **Guarantee.** The answers are exact up to rounding.
///
/// **Complexity.** The complexity of [`Frontier::compile`]; a sample takes time linear in the number of cells.
#[derive(Debug)]
pub struct ExactBoards<'g, G: Generator> {
    generator: &'g G,
    compiled: CompiledFrontier,
    cells: Vec<Element<G::Cell>>,
}

impl<'g, G: Generator> ExactBoards<'g, G> {
    /// Compiles the element program of a generator.
    ///
    /// **Errors.** The errors of [`Generator::elements`]; [`BoardError::Inference`] if the states do not fit into the memory of `engine`.
    pub fn compile(generator: &'g G, engine: &Frontier) -> Result<Self, BoardError> {
        let elements = generator.elements()?;
        Ok(Self {
            generator,
            compiled: engine.compile(elements.model(), elements.cells())?,
            cells: elements.cells().to_vec(),
        })
    }

    /// Returns the number and the bytes of the states that exact inference explored.
    pub fn cost(&self) -> Cost {
        Cost {
            states: self.compiled.largest_frontier(),
            bytes: self.compiled.bytes(),
        }
    }

    /// Returns the compiled element program, for further questions. The number of worlds of the compiled program is the number of boards. The
    /// probability of the compiled program's evidence is the probability that independent cells follow the rules and meet all demands.
    pub fn compiled(&self) -> &CompiledFrontier {
        &self.compiled
    }

    /// True if some board follows the rules and meets all demands.
    pub fn is_possible(&self) -> bool {
        self.compiled.log_evidence() > f64::NEG_INFINITY
    }

    /// Returns the marginal distribution of each cell, in scan order.
    ///
    /// **Errors.** [`BoardError::Inference`] if no board is possible, or if the messages exceed the memory.
    pub fn marginals(&self) -> Result<Vec<Marginal<G::Cell>>, BoardError> {
        let cells = self.cells.iter();
        cells
            .map(|cell| Ok(self.compiled.distribution(cell)?))
            .collect()
    }

    /// Returns the most probable board, and the logarithm of its probability among all possible boards.
    ///
    /// **Errors.** The errors of [`marginals`](Self::marginals).
    pub fn most_probable(&self) -> Result<(G::Board, f64), BoardError> {
        let world = self.compiled.most_probable()?;
        let board = self.generator.board(world.values(&self.cells)?)?;
        let log = world.log_probability() - self.compiled.log_evidence();
        Ok((board, log))
    }

    /// Returns an endless sequence of independent boards.
    ///
    /// **Errors.** The errors of [`marginals`](Self::marginals).
    pub fn samples(
        &self,
        seed: u64,
    ) -> Result<impl Iterator<Item = Result<G::Board, BoardError>> + '_, BoardError> {
        let worlds = self.compiled.samples(seed)?;
        Ok(worlds.map(|world| self.generator.board(world.values(&self.cells)?)))
    }

    /// Draws a board from each stream of random numbers.
    pub(super) fn of_streams(&self, streams: Vec<Stream>) -> Result<Vec<G::Board>, BoardError> {
        let worlds = self.compiled.sample_each(streams)?.into_iter();
        let board = |world: World| self.generator.board(world.values(&self.cells)?);
        worlds.map(board).collect()
    }
}
