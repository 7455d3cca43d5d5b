//! Boards that meet demands, among those that need not.

use std::time::Instant;

use figrs::prelude::*;
use figrs::stream;
use rand::Rng;

use super::conflict::impossible;
use super::{Drawn, Engine, Failure, NoAnswer, Options, Progress, Puzzle};

/// How many boards in a row may fail.
const TRIES: u64 = 1_000_000;

/// The first boards that meet a demand; their distribution is exactly that of the boards given the demand, whenever the drawing
/// stops: which of the boards meet it says nothing of those that do.
pub(crate) struct Kept<B> {
    boards: Vec<B>,
    wanted: usize,
    tried: u64,
    in_vain: u64,
}

impl<B> Kept<B> {
    /// None yet of so many.
    pub(crate) fn of(wanted: usize) -> Self {
        Self {
            boards: Vec::new(),
            wanted,
            tried: 0,
            in_vain: 0,
        }
    }

    /// Draws on, so many boards at most; whether there are enough now.
    pub(crate) fn draw(
        &mut self,
        draws: u64,
        boards: &mut impl Iterator<Item = Result<B, Failure>>,
        meets: impl Fn(&B) -> bool,
    ) -> Result<bool, Failure> {
        let progress = Progress::of("boards", Some(self.wanted as u64));
        let end = self.tried.saturating_add(draws);
        while self.boards.len() < self.wanted && self.tried < end {
            let Some(board) = boards.next() else { break };
            let board = board?;
            self.tried += 1;
            self.in_vain += 1;
            if meets(&board) {
                self.boards.push(board);
                self.in_vain = 0;
                progress.set(self.boards.len() as u64);
            }
        }
        progress.finish();
        Ok(self.boards.len() == self.wanted)
    }

    /// Draws until there are enough.
    pub(crate) fn complete(
        mut self,
        boards: &mut impl Iterator<Item = Result<B, Failure>>,
        meets: impl Fn(&B) -> bool,
    ) -> Result<Self, Failure> {
        while !self.draw(TRIES.saturating_sub(self.in_vain), boards, &meets)? {
            if self.in_vain >= TRIES {
                return Err(in_vain("the demands on ways"));
            }
        }
        Ok(self)
    }

    /// The boards, and the share of all that were drawn.
    pub(crate) fn drawn(self, compile: f64) -> Drawn<B> {
        let share = self.boards.len() as f64 / self.tried.max(1) as f64;
        Drawn {
            boards: self.boards,
            compile,
            diagnostics: vec![("acceptance", share)],
        }
    }
}

/// Draws from a puzzle without its demands on ways, and keeps the boards that meet them.
pub(crate) fn by_rejection<P: Puzzle>(
    puzzle: &P,
    options: &Options,
) -> Result<Drawn<P::Board>, Failure> {
    let relaxed = puzzle.relaxed();
    let relaxed = relaxed.as_ref().unwrap_or(puzzle);
    let started = Instant::now();
    let engine = match Engine::compile(&relaxed.program()?, relaxed.side(), options.memory()) {
        Err(figrs::Error::FrontierTooLarge { .. }) => return Err(too_large(options)),
        compiled => compiled?,
    };
    if !engine.is_possible() {
        return Err(Box::new(NoAnswer(impossible(relaxed, options.memory())?)));
    }
    let compile = started.elapsed().as_secs_f64();
    let boards = engine.boards(relaxed, options.seed())?;
    Ok(puzzle.kept(boards, options)?.drawn(compile))
}

/// Draws the elements of a program without its rules, and keeps what meets them and the demands on ways.
pub(crate) fn from_program<P: Puzzle>(
    puzzle: &P,
    options: &Options,
) -> Result<Drawn<P::Board>, Failure> {
    /// Tries of one run of the sampler, at least and at most.
    const RUN: (u64, u64) = (1 << 10, 1 << 16);
    let relaxed = puzzle.relaxed();
    let program = relaxed.as_ref().unwrap_or(puzzle).program()?;
    let wanted = options.count();
    let progress = Progress::of("boards", Some(wanted as u64));
    let mut kept = Kept::of(wanted);
    for part in 0.. {
        let missing = (wanted - kept.boards.len()) as u64;
        let tries = missing.saturating_mul(4).clamp(RUN.0, RUN.1);
        let seed = stream(options.seed(), part).next_u64();
        let sampler = RejectionSampling::new(tries).seed(seed).keep_draws();
        kept.tried += tries;
        kept.in_vain += tries;
        match sampler.run(&program.model, &program.cells) {
            Err(figrs::Error::NoSampleMetEvidence { .. }) => {}
            answer => {
                let answer = answer?;
                let draws = answer.draws()?;
                let values = program.cells.iter().map(|cell| draws.values(cell));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                for draw in 0..draws.length {
                    let cells = values.iter().map(|cell| cell[draw].clone());
                    let board = puzzle.board(cells.collect())?;
                    if puzzle.meets(&board) {
                        kept.boards.push(board);
                        kept.in_vain = 0;
                    }
                }
            }
        }
        if kept.in_vain >= TRIES {
            return Err(in_vain("the demands"));
        }
        progress.set(kept.boards.len() as u64);
        if kept.boards.len() >= wanted {
            break;
        }
    }
    progress.finish();
    let share = kept.boards.len() as f64 / kept.tried as f64;
    kept.boards.truncate(wanted);
    Ok(Drawn {
        boards: kept.boards,
        compile: 0.0,
        diagnostics: vec![("acceptance", share)],
    })
}

fn in_vain(demands: &str) -> Failure {
    Box::new(NoAnswer(format!(
        "none of {TRIES} boards in a row met {demands}: they are impossible or very rare; demand less"
    )))
}

/// That there is no memory even without demands on ways.
pub(crate) fn too_large(options: &Options) -> Failure {
    Box::new(NoAnswer(format!(
        "without demands on ways --method exact would still need more than --memory {}; allow more, or use a smaller board",
        options.memory() >> 20
    )))
}
