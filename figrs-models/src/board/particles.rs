//! Draws boards by particles that read boards cell by cell, each board from its own populations of particles.

use std::num::NonZero;
use std::thread::available_parallelism;

use figrs_infer::{Run, SequentialMonteCarlo, TargetDraws};

use super::watch::{BoardWatch, Event};
use super::{BoardError, DrawnBoards, Elements, Generator, Method};

/// Number of particles of a population.
const PARTICLES: usize = 4096;
/// Bytes that a cell takes for each particle, measured on boards of 100 and 200 rows by 15 columns.
const CELL: f64 = 60.0;

/// Draws independent boards by particles; the distribution of each board tends to the exact one as the number of particles grows. The function
/// returns diagnostics of the particles.
pub(super) fn draw<G: Generator>(
    generator: &G,
    elements: &Elements<G::Cell>,
    (memory, seed): (u64, u64),
    boards: &DrawnBoards<G::Board>,
    watch: &BoardWatch,
) -> Result<Vec<(&'static str, f64)>, BoardError> {
    let cells = elements.cells();
    // Each thread holds a population.
    let population = CELL * (PARTICLES * cells.len()) as f64;
    // Draws do not depend on the number of threads.
    let cores = available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let fit = (memory as f64 / population) as usize;
    let Some(threads) = NonZero::new(fit.min(cores.get())) else {
        return Err(BoardError::TooLarge {
            method: Method::Particles,
            predicted: Some(population),
            limit: memory,
            is_relaxed: false,
        });
    };
    let mut filter = SequentialMonteCarlo::new(PARTICLES)
        .threads(threads)
        .seed(seed);
    if let Some(flag) = &watch.interrupt {
        filter = filter.interrupt(flag.clone());
    }
    let listening = watch.clone();
    filter = filter.on_progress(move |run| {
        listening.tell(Event::Filtered {
            particles: run.done,
            total: run.total,
        });
    });
    let model = elements.model();
    let drawn = filter.independent(
        boards.wanted(),
        |filter| filter.run(model, cells),
        |draws, draw| {
            let cell = |cell: &TargetDraws| cell.support.get(cell.indices[draw] as usize).cloned();
            draws.targets.iter().filter_map(cell).collect()
        },
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
