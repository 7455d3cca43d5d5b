//! A question about a puzzle, and the choice of the method that answers it.

use std::time::Instant;

use figrs::models::grid::{GridError, Size};
use figrs_command::{NoAnswer, Progress, stop};

use super::conflict::impossible;
use super::findings::{Findings, Stats};
use super::goodness::{named, tests};
use super::options::{Task, too_large};
use super::{Boards, Engine, Failure, Options, Puzzle};

/// A puzzle with the options of the command, and the boards found so far.
pub(super) struct Question<P: Puzzle> {
    pub(super) puzzle: P,
    pub(super) options: Options,
    pub(super) boards: Boards<P::Board>,
}

/// Bytes of states that are explored before their number is predicted; it takes about two seconds.
pub(super) const QUICK: u64 = 16 << 20;

/// Largest number of boards compared in pairs: more take hours, and their mean is no more certain to three digits.
const COMPARED: usize = 2000;

impl<P: Puzzle> Question<P> {
    /// Refuses options without effect on the method.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let (options, other) = (&self.options, &P::FALLBACK);
        let is_sample = options.task == Task::Sample;
        let is_other = match options.method.as_str() {
            "exact" => false,
            "auto" => is_sample && other.is_preferred,
            _ => true,
        };
        if is_other && !is_sample {
            return Err(format!("--method {} needs --task sample", other.name).into());
        }
        if is_other && options.memory.is_some() && !other.uses_memory && !options.stats {
            return Err(format!(
                "--memory has no effect on --method {} without --stats; leave it out",
                other.name
            )
            .into());
        }
        Ok(())
    }

    /// The answer to the task.
    pub(super) fn answer(&self) -> Result<Findings<P::Board>, Failure> {
        if let Err(error @ (GridError::NoSuchNumber { .. } | GridError::OneTile)) =
            self.puzzle.check()
        {
            return self.none(error.to_string());
        }
        let started = Instant::now();
        if self.puzzle.makes() {
            let mut found = Findings::by("exact");
            found.add(self.puzzle.make(&self.options, &self.boards)?);
            found.sample = started.elapsed().as_secs_f64() - found.compile;
            return Ok(found);
        }
        let is_sample = self.options.task == Task::Sample;
        match self.options.method.as_str() {
            "exact" => {
                let program = self.puzzle.program()?;
                let started = Instant::now();
                let (side, memory) = (self.puzzle.side(), self.memory());
                let engine = Engine::compile(&program, side, memory)?;
                self.asked(&engine, started)
            }
            "auto" if is_sample && P::FALLBACK.is_preferred => self.drawn(),
            "auto" => match self.puzzle.relaxed().filter(|_| is_sample) {
                Some(relaxed) if P::REJECTS_ALL && relaxed.predicted_bytes() > QUICK as f64 => {
                    self.drawn()
                }
                Some(relaxed) => self.in_turn(&relaxed),
                None => self.exact_or_other(),
            },
            _ => self.drawn(),
        }
    }

    /// By the exact engine if it fits, and else by the other method if that can.
    fn exact_or_other(&self) -> Result<Findings<P::Board>, Failure> {
        let is_sample = self.options.task == Task::Sample;
        let is_large = self.puzzle.predicted_bytes() > QUICK as f64;
        if is_sample && is_large && self.is_predicted_to_fit() && !P::REJECTS {
            eprintln!(
                "note: --method exact may explore {:.0} MiB of states; --method {} is quicker, and about right",
                self.puzzle.predicted_bytes() / f64::from(1 << 20),
                P::FALLBACK.name
            );
        }
        if is_sample && is_large && P::REJECTS_ALL {
            return self.drawn();
        }
        let started = Instant::now();
        if let Some(engine) = self.engine()? {
            return self.asked(&engine, started);
        }
        let told = self.too_large();
        // Rejection needs a demand to leave out.
        if !is_sample || P::REJECTS {
            let told = format!("{told}; allow more, or use a smaller board");
            return Err(Box::new(NoAnswer(told)));
        }
        eprintln!(
            "note: {told}; falling back on --method {}",
            P::FALLBACK.name
        );
        self.drawn()
    }

    /// The exact engine, if it fits.
    fn engine(&self) -> Result<Option<Engine<P::Cell>>, Failure> {
        let memory = self.memory();
        let quick = Engine::fitting(&self.puzzle, memory.min(QUICK))?;
        if quick.is_some() || memory <= QUICK || !self.is_predicted_to_fit() {
            return Ok(quick);
        }
        Engine::fitting(&self.puzzle, memory)
    }

    /// Memory for states in bytes.
    pub(super) fn memory(&self) -> u64 {
        self.options.memory().0
    }

    fn is_predicted_to_fit(&self) -> bool {
        self.puzzle.predicted_bytes() <= self.memory() as f64
    }

    /// Message that the exact engine does not fit.
    pub(super) fn too_large(&self) -> String {
        let (needed, memory) = (self.puzzle.predicted_bytes(), self.options.memory());
        let needs = "--method exact would need";
        let told = if self.is_predicted_to_fit() {
            format!("{needs} more than --memory {memory}")
        } else {
            too_large(needs, needed, memory)
        };
        let side = self.puzzle.side();
        if side.rows < side.columns.min(Size::MAX_COLUMNS) {
            let turned = format!("{}x{}", side.columns, side.rows);
            return format!("{told} (less on its side, as {turned})");
        }
        told
    }

    /// The answer of the exact engine, if it fits this many bytes.
    pub(super) fn within(&self, memory: u64) -> Result<Option<Findings<P::Board>>, Failure> {
        let started = Instant::now();
        let engine = Engine::fitting(&self.puzzle, memory)?;
        engine
            .map(|engine| self.asked(&engine, started))
            .transpose()
    }

    /// Answers the task by a compiled program.
    fn asked(
        &self,
        engine: &Engine<P::Cell>,
        started: Instant,
    ) -> Result<Findings<P::Board>, Failure> {
        let (puzzle, options) = (&self.puzzle, &self.options);
        let mut found = Findings::by("exact");
        found.compile = started.elapsed().as_secs_f64();
        found.cost = Some(engine.cost());
        let started = Instant::now();
        if !engine.is_possible() {
            return self.none(impossible(puzzle, self.memory())?);
        }
        match options.task {
            Task::Sample => {
                let progress = Progress::of("boards", Some(options.count() as u64));
                let mut boards = engine.boards(puzzle, options.seed())?;
                self.boards.begin("exact");
                while let Some(board) = boards.next().filter(|_| self.boards.want_more()) {
                    self.boards.push(board?);
                    progress.set(self.boards.len() as u64);
                }
            }
            Task::Count => found.count = Some(engine.count()?),
            Task::Probability => found.log_probability = Some(engine.log_evidence()),
            Task::Marginals => {
                let mut marginals = named::<P>(engine)?;
                for cell in &mut marginals {
                    cell.extend_from_slice(puzzle.colours());
                }
                found.marginals = Some(marginals);
            }
            Task::MostLikely => {
                let (cells, log) = engine.most_probable()?;
                found.most_likely = Some(puzzle.board(cells)?);
                found.log_probability = Some(log - engine.log_evidence());
            }
            Task::Solve => {
                let (cells, _) = engine.most_probable()?;
                let is_unique = engine.count()? == "1";
                found.solution = Some((puzzle.board(cells)?, is_unique));
            }
        }
        found.sample = started.elapsed().as_secs_f64();
        Ok(found)
    }

    /// The answer if no board is possible: zero if a number is asked for, and else the failure.
    pub(super) fn none(&self, told: String) -> Result<Findings<P::Board>, Failure> {
        let mut found = Findings::by("exact");
        match self.options.task {
            Task::Count => found.count = Some("0".into()),
            Task::Probability => found.log_probability = Some(f64::NEG_INFINITY),
            _ => return Err(Box::new(NoAnswer(told))),
        }
        found.impossible = Some(told);
        Ok(found)
    }

    /// The answer by the other method. If it finds nothing, smaller boards decide whether any board exists.
    fn drawn(&self) -> Result<Findings<P::Board>, Failure> {
        let started = Instant::now();
        let mut found = Findings::by(P::FALLBACK.name);
        self.boards.begin(P::FALLBACK.name);
        match self.puzzle.fall_back(&self.options, &self.boards) {
            Err(failure) if failure.is::<figrs::Error>() && !stop::is_set() => {
                let engine = Engine::fitting(&self.puzzle, QUICK)?;
                if engine.is_some_and(|engine| !engine.is_possible()) {
                    return self.none(impossible(&self.puzzle, QUICK)?);
                }
                return Err(failure);
            }
            drawn => found.add(drawn?),
        }
        found.sample = started.elapsed().as_secs_f64() - found.compile;
        Ok(found)
    }

    /// Variation of the boards that were drawn, and the tests of their distribution where the exact one is found.
    pub(super) fn stats(&self, found: &Findings<P::Board>) -> Result<Stats, Failure> {
        let (puzzle, memory) = (&self.puzzle, self.memory());
        let side = puzzle.side();
        let scores = if side.rows == side.columns && side.rows > 1 {
            let compared = &found.boards[..found.boards.len().min(COMPARED)];
            let pairs = compared.len() * (compared.len() - 1) / 2;
            let progress = Progress::of("pairs of boards", Some(pairs as u64));
            puzzle.scores(compared, |pairs| progress.set(pairs))?
        } else {
            Vec::new()
        };
        let tests = if let Some(engine) = self.engine()? {
            let tests = tests(puzzle, &engine, &found.boards, memory)?;
            if tests.is_empty() {
                eprintln!("note: no test of the distribution with so few boards; draw more");
            }
            tests
        } else {
            eprintln!("note: no test of the distribution: {}", self.too_large());
            Vec::new()
        };
        Ok(Stats { scores, tests })
    }
}
