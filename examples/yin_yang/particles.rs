//! Boards by particles that read them cell by cell, each from populations of its own.

use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Instant;

use figrs::TargetDraws;
use figrs::prelude::*;
use figrs_command::{NoAnswer, Progress, independent, stop};

use crate::Failure;
use crate::board::options::too_large;
use crate::board::{Boards, Drawn, Options, Program, Puzzle};

/// Particles of a population.
const PARTICLES: usize = 4096;
/// Bytes that a cell takes for each particle, as measured on boards of 100 and 200 rows by 15.
const CELL: f64 = 60.0;

/// Independent boards: the law of each tends to the exact one as particles grow.
pub(crate) fn draw<P: Puzzle>(
    puzzle: &P,
    options: &Options,
    boards: &Boards<P::Board>,
) -> Result<Drawn, Failure> {
    let started = Instant::now();
    let Program {
        model,
        cells,
        clues,
    } = puzzle.program()?;
    let columns = puzzle.side().columns;
    // Each thread holds a population.
    let population = CELL * (PARTICLES * cells.len()) as f64;
    let cores = available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let fit = (options.memory().0 as f64 / population) as usize;
    let Some(threads) = NonZero::new(fit.min(cores.get())) else {
        let told = too_large(
            "--method particles would need",
            population,
            options.memory(),
        );
        return Err(Box::new(NoAnswer(told)));
    };
    let model = clues.into_iter().fold(model, |model, (at, clue)| {
        model.observe(&cells[at.row * columns + at.column], clue)
    });
    let compile = started.elapsed().as_secs_f64();
    let progress = Progress::of("particles at the end of the board", None);
    let filter = SequentialMonteCarlo::new(PARTICLES)
        .threads(threads)
        .interrupt(stop::flag())
        .on_progress(move |run| {
            progress.set(run.done);
            run.total.inspect(|&total| progress.set_total(total));
        });
    let drawn = independent(
        &filter,
        (options.count(), options.seed()),
        |filter| filter.run(&model, &cells),
        |draws, draw| {
            let cell = |cell: &TargetDraws| cell.support.get(cell.indices[draw] as usize).cloned();
            draws.targets.iter().filter_map(cell).collect()
        },
    )?;
    for cells in drawn.worlds {
        boards.push(puzzle.board(cells)?);
    }
    Ok(Drawn {
        compile,
        diagnostics: vec![
            ("effective populations", drawn.effective),
            ("populations", drawn.populations as f64),
            ("died", drawn.died as f64),
        ],
    })
}
