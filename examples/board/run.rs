//! From the command line to the answer.

use std::process::ExitCode;
use std::time::Instant;

use clap::builder::{PossibleValue, PossibleValuesParser};

use super::command_line;
use super::conflict::{impossible, no_board};
use super::failure::exit_code;
use super::findings::{Findings, Stats};
use super::goodness::{named, tests};
use super::options::{DETAILS, Task};
use super::report::Report;
use super::{Engine, Example, Failure, NoAnswer, Options, Program, Progress, Puzzle, too_large};

/// Runs an example.
pub(crate) fn main<E: Example>() -> ExitCode {
    match run(&parsed::<E>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if command_line::is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(exit_code(&*error))
        }
    }
}

/// The command line, with the methods of the puzzle.
fn parsed<E: Example>() -> E {
    let fallback = E::Puzzle::FALLBACK;
    let methods = PossibleValuesParser::new([
        PossibleValue::new("auto")
            .help("exact where that fits the memory and is the quicker, else the other"),
        PossibleValue::new("exact")
            .help("Every task, by the states of the board read cell by cell"),
        PossibleValue::new(fallback.name).help(fallback.help),
    ]);
    let command = E::command().after_long_help(DETAILS);
    let command = command.mut_arg("method", |arg| arg.value_parser(methods));
    let parsed = command.clone().try_get_matches();
    let parsed = parsed.and_then(|matches| E::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| command_line::end(&error.format(&mut command.clone())))
}

fn run<E: Example>(example: &E) -> Result<(), Failure> {
    let options = example.shared();
    options.check()?;
    let puzzle = example.puzzle()?;
    let question = Question {
        puzzle: &puzzle,
        options,
    };
    let mut findings = question.answer()?;
    if options.stats {
        findings.stats = Some(question.stats(&findings)?);
    }
    let report = Report {
        puzzle: &puzzle,
        options,
        findings: &findings,
    };
    report.write()?;
    if options.task == Task::Sample {
        let (boards, method) = (findings.boards.len(), findings.method);
        let diagnostics = findings.diagnostics.iter();
        let diagnostics: String = diagnostics
            .flat_map(|(name, value)| [", ".into(), format!("{name} {value:.4}")])
            .collect();
        eprintln!(
            "seed {}, method {method}, boards {boards}{diagnostics}, compile {:.3} s, sample {:.3} s",
            options.seed(),
            findings.compile,
            findings.sample
        );
    }
    Ok(())
}

/// What is asked of which puzzle.
struct Question<'a, P> {
    puzzle: &'a P,
    options: &'a Options,
}

impl<P: Puzzle> Question<'_, P> {
    fn answer(&self) -> Result<Findings<P::Board>, Failure> {
        let other = P::FALLBACK.name;
        let is_sample = self.options.task == Task::Sample;
        match self.options.method.as_str() {
            "exact" => self.exact(),
            "auto" if is_sample && P::FALLBACK.is_preferred => self.drawn(),
            "auto" => {
                let needed = self.puzzle.predicted_bytes();
                let memory = self.options.memory();
                if needed <= memory as f64 {
                    return self.exact();
                }
                let told = too_large("--method exact would need", needed, memory);
                if !is_sample {
                    let told = format!("{told}; allow more, or use a smaller board");
                    return Err(Box::new(NoAnswer(told)));
                }
                eprintln!("note: {told}; falling back on --method {other}");
                self.drawn()
            }
            _ if !is_sample => Err(format!("--method {other} needs --task sample").into()),
            _ => self.drawn(),
        }
    }

    /// By the exact engine.
    fn exact(&self) -> Result<Findings<P::Board>, Failure> {
        let (puzzle, options) = (self.puzzle, self.options);
        let started = Instant::now();
        let program = puzzle.program()?;
        let engine = Engine::compile(&program, puzzle.side(), options.memory())?;
        let mut found = Findings::by("exact");
        found.compile = started.elapsed().as_secs_f64();
        found.cost = Some(engine.cost());
        let started = Instant::now();
        if !engine.is_possible() {
            self.require_answer(&program)?;
        }
        match options.task {
            Task::Sample => {
                let progress = Progress::of("boards", Some(options.count() as u64));
                for cells in engine.samples(options.seed())?.take(options.count()) {
                    found.boards.push(puzzle.board(cells?)?);
                    progress.set(found.boards.len() as u64);
                }
                progress.finish();
            }
            Task::Count => found.count = Some(engine.count()?),
            Task::Probability => found.log_probability = Some(engine.log_evidence()),
            Task::Marginals => found.marginals = Some(named::<P>(&engine)?),
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

    /// Where nothing is possible: a note if that is the answer, and else the failure.
    fn require_answer(&self, program: &Program<P::Cell>) -> Result<(), Failure> {
        let memory = self.options.memory();
        if matches!(self.options.task, Task::Count | Task::Probability) {
            eprintln!("note: {}", impossible(self.puzzle, program, memory)?);
            return Ok(());
        }
        Err(no_board(self.puzzle, program, memory))
    }

    /// By the other method.
    fn drawn(&self) -> Result<Findings<P::Board>, Failure> {
        let started = Instant::now();
        let drawn = self.puzzle.fall_back(self.options)?;
        let mut found = Findings::by(P::FALLBACK.name);
        found.boards = drawn.boards;
        found.diagnostics = drawn.diagnostics;
        found.compile = drawn.compile;
        found.sample = started.elapsed().as_secs_f64() - drawn.compile;
        Ok(found)
    }

    /// How the boards that were drawn vary, and the tests of their distribution where the exact one is found.
    fn stats(&self, found: &Findings<P::Board>) -> Result<Stats, Failure> {
        let (puzzle, memory) = (self.puzzle, self.options.memory());
        let side = puzzle.side();
        let scores = if side.rows == side.columns && side.rows > 1 {
            puzzle.scores(&found.boards)?
        } else {
            Vec::new()
        };
        let tests = if puzzle.predicted_bytes() <= memory as f64 {
            let engine = Engine::compile(&puzzle.program()?, side, memory)?;
            tests(puzzle, &engine, &found.boards, memory)?
        } else {
            eprintln!(
                "note: no test of the distribution, because --method exact would need more than --memory {}",
                memory >> 20
            );
            Vec::new()
        };
        Ok(Stats { scores, tests })
    }
}
