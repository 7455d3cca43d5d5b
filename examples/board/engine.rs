//! The exact engine behind all tasks.

use figrs::CompiledFrontier;
use figrs::models::grid::Position;
use figrs::prelude::*;

use super::{Failure, Program, Progress, Side};

/// An element program compiled to be asked.
pub(crate) struct Engine<C> {
    compiled: CompiledFrontier,
    cells: Vec<Element<C>>,
}

/// What compiling took.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) states: usize,
    pub(crate) bytes: u64,
}

impl<C: Value> Engine<C> {
    /// Compiles a program with its clues, in so many bytes.
    pub(crate) fn compile(
        program: &Program<C>,
        side: Side,
        memory: u64,
    ) -> Result<Self, figrs::Error> {
        Self::with_clues(program, side, &program.clues, memory)
    }

    /// The same with other clues.
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
        let progress = Progress::of("compiling, step", None);
        let shown = progress.clone();
        let frontier = Frontier::new()
            .memory(memory)
            .on_progress(move |run| shown.set(run.done));
        let compiled = frontier.compile(&model, &program.cells);
        progress.finish();
        Ok(Self {
            compiled: compiled?,
            cells: program.cells.clone(),
        })
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

    /// How many boards there are, as a decimal number.
    pub(crate) fn count(&self) -> Result<String, figrs::Error> {
        Ok(self.compiled.count()?.to_string())
    }

    /// What each cell is with which probability.
    pub(crate) fn marginals(&self) -> Result<Vec<Marginal<C>>, figrs::Error> {
        let cells = self.cells.iter();
        cells.map(|cell| self.compiled.distribution(cell)).collect()
    }

    /// The cells of the most probable board, and the logarithm of its probability together with all rules and demands.
    pub(crate) fn most_probable(&self) -> Result<(Vec<C>, f64), figrs::Error> {
        let world = self.compiled.most_probable()?;
        Ok((world.values(&self.cells)?, world.log_probability()))
    }

    /// The cells of endlessly many boards.
    pub(crate) fn samples(
        &self,
        seed: u64,
    ) -> Result<impl Iterator<Item = Result<Vec<C>, Failure>> + '_, figrs::Error> {
        let worlds = self.compiled.samples(seed)?;
        Ok(worlds.map(|world| Ok(world.values(&self.cells)?)))
    }
}
