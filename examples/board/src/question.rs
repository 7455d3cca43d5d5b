//! A question about a puzzle, and the choice of the method that answers it.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use figrs_command::{Failure, NoAnswer, Progress};
use figrs_models::Mistake;
use figrs_models::board::{
    BoardAnswers, BoardError, ConditionalSampler, DrawnBoards, Event, Generator, Method, Reason,
};
use figrs_models::grid::{GridError, Position};

use super::findings::{Findings, Stats};
use super::flags::{MEMORY, METHOD, STATS, TASK};
use super::goodness::{named, tests};
use super::options::{Format, Options, Task};
use super::progress_lines::ProgressLines;
use super::puzzle::{BoardOf, Other, Puzzle, Role};
use super::watch::Watch;
use super::words::{failure, impossible, too_large};

/// A puzzle with the options of the command, and the boards that have been found so far.
pub(super) struct Question<P: Puzzle> {
    pub(super) puzzle: P,
    pub(super) options: Options,
    pub(super) watch: Watch,
    pub(super) boards: DrawnBoards<BoardOf<P>>,
    /// Puzzles that were made from drawn boards.
    made: Mutex<Vec<P::Board>>,
    /// Cells whose clues contradict each other, if no board meets the clues.
    conflict: Mutex<Vec<Position>>,
}

/// Maximum number of boards that are compared in pairs: more boards would take hours and would not change the first three digits of the mean score.
const COMPARED: usize = 2000;

impl<P: Puzzle> Question<P> {
    pub(super) fn new(puzzle: P, options: Options, watch: Watch) -> Self {
        Self {
            puzzle,
            boards: DrawnBoards::of(options.count()),
            options,
            watch,
            made: Mutex::default(),
            conflict: Mutex::default(),
        }
    }

    /// Returns the method that --method names, unless it is the exact method; without --method, returns the default method other than the exact one.
    fn other(&self) -> Option<&'static Other> {
        let (options, is_sample) = (&self.options, self.options.task == Task::Sample);
        P::OTHERS
            .iter()
            .find(|other| match options.method.as_str() {
                "auto" if is_sample => other.role == Role::Quicker,
                "auto" => other.role == Role::Answers,
                method => method == other.method.name(),
            })
    }

    /// Rejects options that have no effect on the chosen method.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let options = &self.options;
        let Some(other) = self.other() else {
            return Ok(());
        };
        match (options.task == Task::Sample, other.role) {
            (true, Role::Answers) => {
                return Err(format!(
                    "{METHOD} {} does not draw boards; use another {METHOD} for {TASK} sample",
                    other.method
                )
                .into());
            }
            (false, Role::Quicker | Role::Fallback) => {
                return Err(format!("{METHOD} {} needs {TASK} sample", other.method).into());
            }
            _ => {}
        }
        // If demands are met too rarely, other methods draw the boards, and those methods use memory.
        let may_turn = options.method == "auto"
            && options.task == Task::Sample
            && !self.puzzle.demands().is_empty();
        if options.memory.is_some() && !other.uses_memory && !options.stats && !may_turn {
            return Err(format!(
                "{MEMORY} has no effect on {METHOD} {} without {STATS}; leave it out",
                other.method
            )
            .into());
        }
        Ok(())
    }

    /// Rejects pictures that are too large, before the boards for the pictures are drawn.
    pub(super) fn check_picture(&self) -> Result<(), Mistake> {
        match self.options.format() {
            Format::Png => P::SCALE.check(self.puzzle.size(), self.options.count()),
            Format::Text | Format::Json => Ok(()),
        }
    }

    /// Returns the methods that --method allows.
    fn methods(&self) -> Vec<Method> {
        match self.options.method.as_str() {
            "exact" => vec![Method::Exact],
            "auto" => {
                let others = P::OTHERS.iter().map(|other| other.method);
                others.chain([Method::Exact]).collect()
            }
            method => {
                let others = P::OTHERS.iter().map(|other| other.method);
                others.filter(|other| other.name() == method).collect()
            }
        }
    }

    fn sampler(&self) -> ConditionalSampler {
        ConditionalSampler::new()
            .memory(self.memory())
            .seed(self.options.seed())
            .among(self.methods())
            .interrupt(self.watch.flag())
    }

    /// Returns the sampler, which prints progress and notes if the command shows them.
    fn shown_sampler(&self, generator: &P::Generator) -> ConditionalSampler {
        if !self.watch.is_shown() {
            return self.sampler();
        }
        let (shown, message) = (ProgressLines::default(), self.too_large(generator));
        let is_sample = self.options.task == Task::Sample;
        self.sampler().on_event(move |event| {
            if let Event::Turned(choice) = event
                && let Reason::PredictedToFit { bytes } = choice.reason
                && is_sample
                && let Some(other) = fallback::<P>()
            {
                figrs_command::note(format!(
                    "note: --method exact may explore {:.0} MiB of states; --method {} is faster, but only approximate",
                    bytes / f64::from(1 << 20),
                    other.method
                ));
            }
            shown.show(event, &message);
        })
    }

    /// Returns the generator of boards, or the failure that no board meets the demands.
    fn generator(&self) -> Result<P::Generator, GridError> {
        self.puzzle.generator()
    }

    /// Returns the message that the exact method does not fit into memory.
    fn too_large(&self, generator: &P::Generator) -> String {
        let memory = self.options.memory();
        let needed = generator.predicted_bytes();
        let needed = needed.filter(|&needed| needed > memory.0 as f64);
        too_large(self.puzzle.size(), needed, memory)
    }

    /// Returns the failure of a task that the exact method cannot answer at this size; the message lists the possible tasks.
    fn without_program(&self, generator: &P::Generator, error: BoardError) -> Failure {
        let needed = generator.predicted_bytes();
        let is_large = needed.is_some_and(|needed| needed > self.memory() as f64);
        let is_grid = matches!(error, BoardError::Grid(GridError::TooLarge(_)));
        let is_automatic = self.options.method == "auto";
        let drawn = fallback::<P>().filter(|_| self.options.task != Task::Sample);
        let message = match (&error, drawn) {
            (
                BoardError::TooLarge {
                    method: Method::Exact,
                    ..
                },
                _,
            ) => self.too_large(generator),
            _ if is_grid && is_automatic && is_large => self.too_large(generator),
            _ => return failure(error, self.puzzle.size()),
        };
        let or = drawn.map_or(String::new(), |other| {
            format!(
                ", or draw boards by {TASK} sample {METHOD} {}",
                other.method
            )
        });
        let message = format!("{message}; allow more memory, or use a smaller board{or}");
        Box::new(NoAnswer(message))
    }

    /// Returns the memory in bytes for the states of exact inference.
    fn memory(&self) -> u64 {
        self.options.memory().0
    }

    /// Returns the answer to the task of the command.
    pub(super) fn answer(&self) -> Result<Findings<P::Board>, Failure> {
        let generator = match self.generator() {
            Err(error @ GridError::Impossible(_)) => {
                return self.none(error.to_string());
            }
            Err(GridError::PointerClues { clues }) => {
                let size = self.puzzle.size();
                let is_minimal = false;
                return self.without(BoardError::NoSolution {
                    size,
                    clues,
                    is_minimal,
                });
            }
            generator => generator?,
        };
        let started = Instant::now();
        let sampler = self.shown_sampler(&generator);
        let found = if self.puzzle.makes() {
            self.made()
        } else if self.options.task == Task::Sample {
            match sampler.sample_into(&generator, &self.boards) {
                Ok(report) => Ok(Findings::of(report)),
                Err(error) => return self.without(error),
            }
        } else {
            match sampler.answers(&generator) {
                Ok(answers) if answers.is_possible() => {
                    let compile = started.elapsed().as_secs_f64();
                    let found = self.asked(&answers)?;
                    return Ok(found.timed(compile, started));
                }
                Ok(_) => return self.without(sampler.conflict(&generator)?),
                Err(error @ BoardError::NoSolution { .. }) => return self.without(error),
                Err(error) => return Err(self.without_program(&generator, error)),
            }
        }?;
        let compile = found.compile;
        Ok(found.timed(compile, started))
    }

    /// Returns the boards that have been found so far, and the method that found them.
    pub(super) fn found_so_far(&self) -> (&'static str, Vec<P::Board>) {
        let (method, boards) = self.boards.take();
        let made = &mut *self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let boards = boards.into_iter().map(P::Board::from);
        let boards = boards.chain(std::mem::take(made)).collect();
        (method.unwrap_or(Method::Exact).name(), boards)
    }

    /// Returns the cells whose clues contradict each other, if no board meets the clues.
    pub(super) fn conflict(&self) -> Vec<Position> {
        let conflict = self.conflict.lock();
        conflict.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn made(&self) -> Result<Findings<P::Board>, Failure> {
        let mut found = Findings::by("exact");
        found.diagnostics = self.puzzle.make(&self.options, &self.watch, &|made| {
            let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            all.push(made);
        })?;
        Ok(found)
    }

    /// Returns the answer for demands that no board meets: zero if the task asks for a number, otherwise the failure.
    fn without(&self, error: BoardError) -> Result<Findings<P::Board>, Failure> {
        if let BoardError::NoSolution { clues, .. } = &error {
            let mut conflict = self.conflict.lock().unwrap_or_else(PoisonError::into_inner);
            conflict.clone_from(clues);
        }
        match impossible(&self.puzzle, &error) {
            Some(message) => self.none(message),
            None => Err(failure(error, self.puzzle.size())),
        }
    }

    /// Answers a task other than sampling.
    fn asked(
        &self,
        answers: &BoardAnswers<'_, P::Generator>,
    ) -> Result<Findings<P::Board>, Failure> {
        let message = |error| failure(error, self.puzzle.size());
        let mut found = Findings::by(answers.method().name());
        found.cost = answers.cost();
        match self.options.task {
            Task::Sample => {}
            Task::Count => found.count = Some(answers.count()?.to_string()),
            Task::Probability => found.log_probability = Some(answers.log_probability()?),
            Task::Marginals => {
                let mut marginals = named::<P>(answers.marginals().map_err(message)?);
                let frontier = self.watch.frontier("colours, element", self.memory());
                let colours = self.puzzle.colour_marginals(&frontier)?;
                for (cell, colours) in marginals.iter_mut().zip(colours) {
                    cell.extend(colours);
                }
                found.marginals = Some(marginals);
            }
            Task::MostLikely => {
                let (board, log) = answers.most_probable()?;
                found.most_likely = Some(board.into());
                found.log_probability = Some(log);
            }
            Task::Solve => {
                let (board, _) = answers.most_probable()?;
                let is_unique = answers.count()?.to_string() == "1";
                found.solution = Some((board.into(), is_unique));
            }
        }
        Ok(found)
    }

    /// Returns the answer for rules and demands that no board meets: zero if the task asks for a number, otherwise the failure.
    fn none(&self, message: String) -> Result<Findings<P::Board>, Failure> {
        let mut found = Findings::by("exact");
        match self.options.task {
            Task::Count => found.count = Some("0".into()),
            Task::Probability => found.log_probability = Some(f64::NEG_INFINITY),
            _ => return Err(Box::new(NoAnswer(message))),
        }
        found.impossible = Some(message);
        Ok(found)
    }

    /// Computes the variation of the drawn boards, and tests their distribution if the exact distribution is known.
    pub(super) fn stats(&self, found: &Findings<P::Board>) -> Result<Stats, Failure> {
        let (puzzle, memory, size) = (&self.puzzle, self.memory(), self.puzzle.size());
        let scores = if size.rows() == size.columns() && size.rows() > 1 {
            let compared = &found.boards[..found.boards.len().min(COMPARED)];
            let pairs = compared.len() * (compared.len() - 1) / 2;
            let progress = self.watch.progress("pairs of boards", Some(pairs as u64));
            let show = |pairs| progress.iter().for_each(|line: &Progress| line.set(pairs));
            puzzle.scores(compared, show)?
        } else {
            Vec::new()
        };
        if found.method == Method::Chain.name() {
            let message = "note: the distribution is not tested, because boards of a Markov chain depend on each other";
            self.watch.note(message);
            return Ok(Stats {
                scores,
                tests: Vec::new(),
                effective: found.effective(),
            });
        }
        let generator = self.generator()?;
        let tests = match self.sampler().exact(&generator) {
            Ok(exact) => {
                let tests = tests(puzzle, &exact, &found.boards, (memory, &self.watch))?;
                if tests.is_empty() {
                    self.watch.note(
                        "note: there are too few boards for a test of the distribution; draw more",
                    );
                }
                tests
            }
            Err(BoardError::TooLarge { .. }) => {
                let message = self.too_large(&generator);
                self.watch
                    .note(format!("note: the distribution is not tested: {message}"));
                Vec::new()
            }
            Err(error) => return Err(failure(error, size)),
        };
        Ok(Stats {
            scores,
            tests,
            effective: None,
        })
    }
}

/// Returns the method that draws boards if the states of the exact method do not fit into memory, unless this method itself needs the exact method.
fn fallback<P: Puzzle>() -> Option<&'static Other> {
    let mut others = P::OTHERS.iter();
    others.find(|other| other.role != Role::Answers && other.method != Method::Rejection)
}
