//! Boards by particles that read them cell by cell.

use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Instant;

use figrs::prelude::*;
use figrs_command::{NoAnswer, Progress, stop};

use crate::Failure;
use crate::board::options::too_large;
use crate::board::{Boards, Drawn, Options, Program, Puzzle};
use crate::populations::{chosen, populations};

/// Particles of a population.
const PARTICLES: usize = 4096;
/// Bytes that a cell takes for each particle, as measured on boards of 100 and 200 rows by 15.
const CELL: f64 = 60.0;

/// One board each of some populations, drawn again by the weights of the populations.
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
    let populations = populations(options.count());
    let particles = SequentialMonteCarlo::new(PARTICLES).populations(populations);
    let progress = Progress::of("particles at the end of the board", None);
    let answer = particles
        .seed(options.seed())
        .threads(threads)
        .keep_trajectories()
        .interrupt(stop::flag())
        .on_progress(move |run| {
            progress.set(run.done);
            run.total.inspect(|&total| progress.set_total(total));
        })
        .run(&model, &cells)?;
    let draws = answer.draws()?;
    let values = cells.iter().map(|cell| draws.values(cell));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    let (chosen, effective) = chosen(draws, options.count(), options.seed());
    let board = |draw: u32| {
        let cells = values.iter().map(|cell| cell[draw as usize].clone());
        puzzle.board(cells.collect())
    };
    for board in chosen.into_iter().map(board) {
        boards.push(board?);
    }
    let died = answer
        .sampling()
        .and_then(|sampling| sampling.died.as_ref());
    Ok(Drawn {
        compile,
        diagnostics: vec![
            ("effective populations", effective),
            ("populations", populations as f64),
            ("died", died.map_or(0, Vec::len) as f64),
        ],
    })
}
