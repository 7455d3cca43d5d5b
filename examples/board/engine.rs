//! The exact engine behind all tasks.

use std::error::Error;

use figrs::CompiledFrontier;
use figrs::models::grid::{GridError, Position};
use figrs::prelude::*;
use figrs_command::{Progress, stop};

use super::{Failure, Program, Puzzle, Side};

/// A compiled element program, for queries.
pub(crate) struct Engine<C> {
    compiled: CompiledFrontier,
    cells: Vec<Element<C>>,
}

/// Cost of compiling: states and bytes.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) states: usize,
    pub(crate) bytes: u64,
}

impl<C: Value> Engine<C> {
    /// Compiles a program with its clues, within this many bytes.
    pub(crate) fn compile(
        program: &Program<C>,
        side: Side,
        memory: u64,
    ) -> Result<Self, figrs::Error> {
        Self::with_clues(program, side, &program.clues, memory)
    }

    /// Compiles a program with other clues.
    pub(crate) fn with_clues(
        program: &Program<C>,
        side: Side,
        clues: &[(Position, C)],
        memory: u64,
    ) -> Result<Self, figrs::Error> {
        let cell = |at: &Position| &program.cells[at.row * side.columns + at.column];
        let model = clues
            .iter()
            .fold(program.model.clone(), |model, (at, clue)| {
                model.observe(cell(at), clue.clone())
            });
        let compiled = frontier("compiling, step", memory).compile(&model, &program.cells);
        Ok(Self {
            compiled: compiled?,
            cells: program.cells.clone(),
        })
    }

    /// A compiled puzzle, if there is a program for it that fits this many bytes.
    pub(crate) fn fitting<P: Puzzle<Cell = C>>(
        puzzle: &P,
        memory: u64,
    ) -> Result<Option<Self>, Failure> {
        let program = match puzzle.program() {
            Err(failure) if is_too_wide(&*failure) => return Ok(None),
            program => program?,
        };
        match Self::compile(&program, puzzle.side(), memory) {
            Err(figrs::Error::FrontierTooLarge { .. }) => Ok(None),
            compiled => Ok(Some(compiled?)),
        }
    }

    pub(crate) fn cost(&self) -> Cost {
        Cost {
            states: self.compiled.largest_frontier(),
            bytes: self.compiled.bytes(),
        }
    }

    pub(crate) fn log_evidence(&self) -> f64 {
        self.compiled.log_evidence()
    }

    pub(crate) fn is_possible(&self) -> bool {
        self.log_evidence() > f64::NEG_INFINITY
    }

    /// Number of boards, as a decimal number.
    pub(crate) fn count(&self) -> Result<String, figrs::Error> {
        Ok(self.compiled.count()?.to_string())
    }

    /// Marginal distribution of each cell.
    pub(crate) fn marginals(&self) -> Result<Vec<Marginal<C>>, figrs::Error> {
        let cells = self.cells.iter();
        cells.map(|cell| self.compiled.distribution(cell)).collect()
    }

    /// The cells of the most probable board, and the logarithm of its probability together with all rules and demands.
    pub(crate) fn most_probable(&self) -> Result<(Vec<C>, f64), figrs::Error> {
        let world = self.compiled.most_probable()?;
        Ok((world.values(&self.cells)?, world.log_probability()))
    }

    /// An endless iterator of boards.
    pub(crate) fn boards<'a, P: Puzzle<Cell = C>>(
        &'a self,
        puzzle: &'a P,
        seed: u64,
    ) -> Result<impl Iterator<Item = Result<P::Board, Failure>> + 'a, figrs::Error> {
        let worlds = self.compiled.samples(seed)?;
        Ok(worlds.map(|world| Ok(puzzle.board(world.values(&self.cells)?)?)))
    }
}

/// A frontier of this many bytes that shows its steps, and that ends when the command is told to stop.
pub(crate) fn frontier(what: &'static str, memory: u64) -> Frontier {
    let progress = Progress::of(what, None);
    Frontier::new()
        .memory(memory)
        .interrupt(stop::flag())
        .on_progress(move |run| progress.set(run.done))
}

/// True if a failure says that the board is too wide for automata.
fn is_too_wide(failure: &(dyn Error + 'static)) -> bool {
    let error = failure.downcast_ref::<GridError>();
    error.is_some_and(|error| {
        matches!(
            error,
            GridError::Size { .. } | GridError::TooLargeForDistances { .. }
        )
    })
}
