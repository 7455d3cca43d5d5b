//! Draws boards by particle filters that read a board cell by cell; each board is drawn from populations of its own.

use std::cell::RefCell;
use std::num::NonZero;
use std::thread::available_parallelism;

use super::sequence::BoardSequence;
use super::{BoardError, ConditionalSampler, DrawnBoards, Generator, Method};

/// Memory in bytes for each cell of the board of one particle, measured on boards of 100 and 200 rows by 15 columns.
const CELL: f64 = 60.0;

/// Draws independent boards by particles; the distribution of each board tends to the exact one as the number of particles grows. Returns the
/// diagnostics of the particle filters that drew the boards.
pub(super) fn draw<G: Generator>(
    generator: &G,
    sequence: &BoardSequence<'_, G::Cell>,
    settings: &ConditionalSampler,
    boards: &DrawnBoards<G::Board>,
) -> Result<Vec<(&'static str, f64)>, BoardError> {
    let particles = settings.particles.unwrap_or(sequence.particles);
    // Each thread holds one population in memory.
    let population = CELL * (particles * generator.size().cells()) as f64;
    // The boards do not depend on the number of threads.
    let cores = available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let fit = (settings.memory as f64 / population) as usize;
    let Some(threads) = NonZero::new(fit.min(cores.get())) else {
        return Err(BoardError::TooLarge {
            method: Method::Particles,
            predicted: Some(population),
            limit: settings.memory,
            is_relaxed: false,
        });
    };
    let filter = settings.watch.filter(particles);
    let filter = filter.threads(threads).seed(settings.seed);
    let cells = RefCell::new(Vec::new());
    let drawn = filter.independent(
        boards.wanted(),
        |filter| {
            let found = filter.follow(sequence.parts())?;
            cells.replace(found.values);
            Ok(found.answer)
        },
        |_, draw| cells.borrow()[draw].clone(),
    )?;
    for cells in drawn.worlds {
        boards.push(generator.board(cells)?);
    }
    Ok(vec![
        ("effective populations", drawn.effective),
        ("populations", drawn.populations as f64),
        ("died", drawn.died as f64),
    ])
}
