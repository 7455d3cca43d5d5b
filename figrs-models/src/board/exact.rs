//! Answers exact questions about boards.

use std::ops::Deref;

use figrs_core::{Element, Stream};
use figrs_infer::{Compiled, CompiledFrontier, Frontier, Marginal, World};

use super::{BoardError, Generator};

/// Number and size of the states that the exact method explores when it reads a board cell by cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Largest number of states after one of the cells has been read.
    pub states: usize,
    /// Size in bytes of all states together.
    pub bytes: u64,
}

/// The boards of a generator as a compiled probabilistic program, which computes independent samples, the number of boards, marginals and the most
/// probable board.
///
/// **Guarantee.** All answers about the boards are exact up to rounding.
///
/// **Complexity.** Compilation has the complexity of [`Frontier::compile`]; a sample takes time linear in the number of cells.
///
/// The type `P` is a reference to the board generator, or an [`Arc`](std::sync::Arc) of it.
#[derive(Clone, Debug)]
pub struct ExactBoards<P: Deref<Target: Generator>> {
    generator: P,
    compiled: CompiledFrontier,
    cells: Vec<Element<<P::Target as Generator>::Cell>>,
    /// Natural logarithm of the sum of the weights of all boards that the generator can draw if its demands are left out.
    log_total: f64,
}

impl<G: Generator, P: Deref<Target = G>> ExactBoards<P> {
    /// Compiles the probabilistic program of the board generator `generator`.
    ///
    /// **Errors.** The errors of [`Generator::elements`]; [`BoardError::Inference`] if the states do not fit into the memory limit of `engine`.
    pub fn compile(generator: P, engine: &Frontier) -> Result<Self, BoardError> {
        let elements = generator.elements()?;
        let compiled = engine.compile(elements.model(), elements.cells())?;
        let is_possible = compiled.log_evidence() > f64::NEG_INFINITY;
        let free = generator.without_demands().filter(|_| is_possible);
        let log_total = match free {
            Some(free) => engine.compile(free.elements()?.model(), ())?.log_evidence(),
            None => 0.0,
        };
        Ok(Self {
            generator,
            compiled,
            cells: elements.cells().to_vec(),
            log_total,
        })
    }

    /// Returns the generator.
    pub fn generator(&self) -> &G {
        &self.generator
    }

    /// Returns the natural logarithm of the probability that a board drawn without the user's demands follows the rules and meets all demands.
    pub fn log_probability(&self) -> f64 {
        self.compiled.log_evidence() - self.log_total
    }

    /// Returns the number and the size of the states that the exact method explores when it reads a board cell by cell.
    pub fn cost(&self) -> Cost {
        Cost {
            states: self.compiled.largest_frontier(),
            bytes: self.compiled.bytes(),
        }
    }

    /// Returns the compiled program, for other queries: each world of the program (an assignment of values to the cells) is a board.
    pub fn compiled(&self) -> &CompiledFrontier {
        &self.compiled
    }

    /// True if at least one board follows the rules and meets all demands of the user.
    pub fn is_possible(&self) -> bool {
        self.compiled.log_evidence() > f64::NEG_INFINITY
    }

    /// Returns the marginal distribution of the value of each cell, in scan order (row by row).
    ///
    /// **Errors.** [`BoardError::Inference`] if no board is possible, or if the messages (vectors of numbers) between states exceed the memory limit.
    pub fn marginals(&self) -> Result<Vec<Marginal<G::Cell>>, BoardError> {
        let cells = self.cells.iter();
        cells
            .map(|cell| Ok(self.compiled.distribution(cell)?))
            .collect()
    }

    /// Returns the most probable board, and the logarithm of its probability among all possible boards.
    ///
    /// **Errors.** The errors of the method [`marginals`](Self::marginals).
    pub fn most_probable(&self) -> Result<(G::Board, f64), BoardError> {
        let world = self.compiled.most_probable()?;
        let board = self.generator.board(world.values(&self.cells)?)?;
        let log = world.log_probability() - self.compiled.log_evidence();
        Ok((board, log))
    }

    /// Returns an endless sequence of independent random boards.
    ///
    /// **Errors.** The errors of the method [`marginals`](Self::marginals).
    pub fn samples(
        &self,
        seed: u64,
    ) -> Result<impl Iterator<Item = Result<G::Board, BoardError>> + '_, BoardError> {
        let worlds = self.compiled.samples(seed)?;
        Ok(worlds.map(|world| self.generator.board(world.values(&self.cells)?)))
    }

    pub(super) fn of_streams(&self, streams: Vec<Stream>) -> Result<Vec<G::Board>, BoardError> {
        let worlds = self.compiled.sample_each(streams)?.into_iter();
        let board = |world: World| self.generator.board(world.values(&self.cells)?);
        worlds.map(board).collect()
    }
}
