//! Rejection: boards that meet demands, among those that need not.

use std::time::Instant;

use figrs::prelude::*;
use figrs::stream;
use figrs_command::{NoAnswer, Progress, stop};
use rand::Rng;

use super::conflict::impossible;
use super::{Boards, Drawn, Engine, Failure, Options, Puzzle};

/// Largest number of boards in a row that may fail.
const TRIES: u64 = 1_000_000;

/// The first boards that meet a demand; their distribution is exactly that of the boards given the demand, whenever the
/// drawing stops: the numbers of the tries that succeed are independent of the boards that they give.
pub(crate) struct Kept<'b, B> {
    boards: &'b Boards<B>,
    tried: u64,
    met: u64,
    in_vain: u64,
    progress: Progress,
}

impl<'b, B> Kept<'b, B> {
    /// Keeps boards in a collection that may already hold others.
    pub(crate) fn in_boards(boards: &'b Boards<B>) -> Self {
        Self {
            boards,
            tried: 0,
            met: 0,
            in_vain: 0,
            progress: Progress::of("boards", Some(boards.wanted() as u64)),
        }
    }

    /// Shows the number of boards kept, and the number tried.
    fn tell(&self, tried: u64) {
        self.progress.set(self.boards.len() as u64);
        self.progress.tell(|| format!(", {tried} tried"));
    }

    fn keep(&mut self, board: B) {
        self.boards.push(board);
        self.met += 1;
        self.in_vain = 0;
    }

    /// Draws at most this many more boards; true if there are enough now.
    pub(crate) fn draw(
        &mut self,
        draws: u64,
        all: &mut impl Iterator<Item = Result<B, Failure>>,
        meets: impl Fn(&B) -> bool,
    ) -> Result<bool, Failure> {
        let end = self.tried.saturating_add(draws);
        while self.boards.want_more() && self.tried < end {
            let Some(board) = all.next() else { break };
            let board = board?;
            self.tried += 1;
            self.in_vain += 1;
            if meets(&board) {
                self.keep(board);
            }
            self.tell(self.tried);
        }
        Ok(self.boards.are_complete())
    }

    /// Draws until there are enough, or the command is told to stop.
    pub(crate) fn complete(
        mut self,
        all: &mut impl Iterator<Item = Result<B, Failure>>,
        meets: impl Fn(&B) -> bool,
    ) -> Result<Self, Failure> {
        while !self.draw(TRIES.saturating_sub(self.in_vain), all, &meets)? && !stop::is_set() {
            self.check("the demands on ways")?;
        }
        Ok(self)
    }

    /// Fails if too many in a row have failed.
    fn check(&self, demands: &str) -> Result<(), Failure> {
        if self.in_vain < TRIES {
            return Ok(());
        }
        Err(Box::new(NoAnswer(format!(
            "none of {TRIES} boards in a row met {demands}: they are impossible or very rare; demand less"
        ))))
    }

    /// Acceptance rate of all that were drawn, with the time of compiling.
    pub(crate) fn drawn(self, compile: f64) -> Drawn {
        let share = self.met as f64 / self.tried.max(1) as f64;
        Drawn {
            compile,
            diagnostics: vec![("acceptance", share)],
        }
    }
}

/// Draws from a puzzle without its demands on ways, and keeps the boards that meet them.
pub(crate) fn by_rejection<P: Puzzle>(
    puzzle: &P,
    options: &Options,
    boards: &Boards<P::Board>,
) -> Result<Drawn, Failure> {
    let relaxed = puzzle.relaxed();
    let relaxed = relaxed.as_ref().unwrap_or(puzzle);
    let started = Instant::now();
    let memory = options.memory().0;
    let engine = match Engine::compile(&relaxed.program()?, relaxed.side(), memory) {
        Err(figrs::Error::FrontierTooLarge { .. }) => return Err(too_large(options)),
        compiled => compiled?,
    };
    if !engine.is_possible() {
        return Err(Box::new(NoAnswer(impossible(relaxed, memory)?)));
    }
    let compile = started.elapsed().as_secs_f64();
    let all = engine.boards(relaxed, options.seed())?;
    Ok(puzzle.kept(all, boards)?.drawn(compile))
}

/// Draws the elements of a program without its rules, and keeps the boards that meet the rules and the demands on ways.
pub(crate) fn from_program<P: Puzzle>(
    puzzle: &P,
    options: &Options,
    boards: &Boards<P::Board>,
) -> Result<Drawn, Failure> {
    /// Least and greatest number of tries of one run of the sampler.
    const RUN: (u64, u64) = (1 << 10, 1 << 16);
    let relaxed = puzzle.relaxed();
    let program = relaxed.as_ref().unwrap_or(puzzle).program()?;
    let mut kept = Kept::in_boards(boards);
    for part in 0.. {
        if !boards.want_more() {
            break;
        }
        let missing = (boards.wanted() - boards.len()) as u64;
        // Runs become larger: the first boards are there soon.
        let tries = missing.saturating_mul(4).min(RUN.0 << part.min(16));
        let tries = tries.clamp(RUN.0, RUN.1);
        let seed = stream(options.seed(), part).next_u64();
        let (progress, before) = (kept.progress.clone(), kept.tried);
        let sampler = RejectionSampling::new(tries)
            .seed(seed)
            .keep_draws()
            .interrupt(stop::flag())
            .on_progress(move |run| progress.tell(|| format!(", {} tried", before + run.done)));
        kept.tried += tries;
        kept.in_vain += tries;
        match sampler.run(&program.model, &program.cells) {
            Err(figrs::Error::NoSampleMetEvidence { .. } | figrs::Error::NothingDone { .. }) => {}
            answer => {
                let answer = answer?;
                let draws = answer.draws()?;
                let values = program.cells.iter().map(|cell| draws.values(cell));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                for draw in 0..draws.length {
                    let cells = values.iter().map(|cell| cell[draw].clone());
                    let board = puzzle.board(cells.collect())?;
                    if puzzle.meets(&board) {
                        kept.keep(board);
                    }
                }
            }
        }
        kept.check("the demands")?;
        kept.tell(kept.tried);
    }
    Ok(kept.drawn(0.0))
}

/// The failure that there is not enough memory even without demands on ways.
pub(crate) fn too_large(options: &Options) -> Failure {
    Box::new(NoAnswer(format!(
        "without demands on ways --method exact would still need more than --memory {}; allow more, or use a smaller board",
        options.memory()
    )))
}
