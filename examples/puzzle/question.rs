//! What is asked of a puzzle, and what is found.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use figrs::models::gdl::{GdlError, Length, Move, PlanElements, Puzzle, Survey};
use figrs::prelude::*;
use figrs::{CompiledFrontier, TargetDraws};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::options::{Method, Options, Task};
use crate::populations::{chosen, populations};

/// How long nothing is shown.
const PATIENCE: Duration = Duration::from_secs(2);

/// What was found; the rest is empty.
#[derive(Default)]
pub(crate) struct Findings {
    /// Of all plans, if it is the same.
    pub(crate) length: Option<usize>,
    pub(crate) plan: Option<Vec<String>>,
    /// How many plans there are beside that one.
    pub(crate) plans: Option<String>,
    pub(crate) count: Option<String>,
    /// Of the goal, or of the plan: its logarithm and the standard error.
    pub(crate) log_probability: Option<(f64, f64)>,
    /// Step by step.
    pub(crate) marginals: Option<Vec<Vec<(String, f64)>>>,
    pub(crate) samples: Option<Vec<Vec<String>>>,
    pub(crate) explored: Option<Explored>,
    /// Why there is no plan, if there is none.
    pub(crate) impossible: Option<GdlError>,
    pub(crate) compile: Duration,
    pub(crate) sample: Duration,
}

/// How much was explored.
pub(crate) struct Explored {
    pub(crate) largest_frontier: usize,
    pub(crate) bytes: u64,
    pub(crate) steps: (usize, usize),
}

/// Answers what the options ask.
pub(crate) fn answer(options: &Options, started: Instant) -> Result<(Puzzle, Findings), GdlError> {
    let puzzle = Puzzle::read(&options.rules)?.goal(options.goal);
    for relation in puzzle.undefined() {
        eprintln!("note: no rule defines `{relation}`, so it never holds; is it misspelt?");
    }
    let bar = progress_bar();
    let shown = bar.clone();
    let frontier = Frontier::new()
        .memory(options.bytes())
        .on_progress(move |progress| {
            if progress.elapsed > PATIENCE && io::stderr().is_terminal() {
                shown.set_draw_target(ProgressDrawTarget::stderr());
            }
            shown.set_position(progress.done);
        });
    let found = match options.length() {
        Some(length) if options.method == Method::Particles => {
            by_particles(options, &puzzle, length, started)
        }
        _ => exactly(options, &puzzle, &frontier, started),
    };
    bar.finish_and_clear();
    Ok((puzzle, found?))
}

fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    match ProgressStyle::with_template("{spinner} {pos} steps explored, {elapsed}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn exactly(
    options: &Options,
    puzzle: &Puzzle,
    frontier: &Frontier,
    started: Instant,
) -> Result<Findings, GdlError> {
    // What all plans together take is known before they are compiled.
    let surveyed = match options.length() {
        Some(length) => puzzle.survey(frontier, length),
        None => shortest(options, puzzle, frontier),
    };
    let survey = match surveyed {
        Err(error @ GdlError::NoPlan { .. }) if options.length().is_some() => {
            return none(error, options.task, started);
        }
        surveyed => surveyed?,
    };
    let length = options.length().unwrap_or(Length::Exactly(survey.steps()));
    survey.within(options.bytes())?;
    let program = puzzle.elements(length, options.policy());
    let compiled = frontier.compile(program.model(), program.moves())?;
    let mut findings = Findings {
        length: matches!(length, Length::Exactly(_)).then_some(length.most()),
        explored: Some(Explored {
            largest_frontier: compiled.largest_frontier(),
            bytes: compiled.bytes(),
            steps: compiled.steps(),
        }),
        compile: started.elapsed(),
        ..Findings::default()
    };
    let asked = Instant::now();
    read(options, puzzle, &program, &compiled, &mut findings)?;
    findings.sample = asked.elapsed();
    Ok(findings)
}

fn shortest(options: &Options, puzzle: &Puzzle, frontier: &Frontier) -> Result<Survey, GdlError> {
    if options.method == Method::Tropical {
        let steps = puzzle.cheapest(frontier, options.max_steps())?;
        return puzzle.survey(frontier, Length::Exactly(steps));
    }
    puzzle.shortest(frontier, options.max_steps())
}

/// Zero where there is no plan, if a number is asked for, and else the failure.
fn none(error: GdlError, task: Task, started: Instant) -> Result<Findings, GdlError> {
    let mut findings = Findings {
        compile: started.elapsed(),
        ..Findings::default()
    };
    match task {
        Task::Count => findings.count = Some("0".into()),
        Task::Probability => findings.log_probability = Some((f64::NEG_INFINITY, 0.0)),
        Task::Solve | Task::Marginals | Task::MostLikely | Task::Sample => return Err(error),
    }
    findings.impossible = Some(error);
    Ok(findings)
}

/// Reads what the task asks for.
fn read(
    options: &Options,
    puzzle: &Puzzle,
    program: &PlanElements,
    compiled: &CompiledFrontier,
    findings: &mut Findings,
) -> Result<(), GdlError> {
    let named = |world: &World| -> Result<Vec<String>, GdlError> {
        let plan = program.plan(world)?;
        Ok(plan.iter().map(|&a| puzzle.action(a).to_owned()).collect())
    };
    match options.task {
        Task::Solve => {
            findings.plans = Some(compiled.count()?.to_string());
            findings.plan = Some(named(&compiled.most_probable()?)?);
        }
        Task::Count => findings.count = Some(compiled.count()?.to_string()),
        Task::Probability => findings.log_probability = Some((compiled.log_evidence(), 0.0)),
        Task::Marginals => {
            let steps = program.moves().iter().map(|drawn| {
                let marginal = compiled.distribution(drawn)?;
                let each = marginal.iter();
                Ok(each.map(|(drawn, p)| (name(puzzle, *drawn), p)).collect())
            });
            findings.marginals = Some(steps.collect::<Result<_, GdlError>>()?);
        }
        Task::MostLikely => {
            let world = compiled.most_probable()?;
            findings.log_probability = Some((world.log_probability(), 0.0));
            findings.plan = Some(named(&world)?);
        }
        Task::Sample => {
            let worlds = compiled.samples(options.seed.unwrap_or(0))?;
            let worlds = worlds.take(options.count.unwrap_or(10) as usize);
            let plans = worlds.map(|world| named(&world));
            findings.samples = Some(plans.collect::<Result<_, _>>()?);
        }
    }
    Ok(())
}

fn name(puzzle: &Puzzle, drawn: Move) -> String {
    match drawn {
        Move::Act(action) => puzzle.action(action).to_owned(),
        Move::Stay | Move::Illegal => "(ended)".into(),
    }
}

fn by_particles(
    options: &Options,
    puzzle: &Puzzle,
    length: Length,
    started: Instant,
) -> Result<Findings, GdlError> {
    let program = puzzle.elements(length, options.policy());
    let particles = options.particles.unwrap_or(10_000) as usize;
    let filter = SequentialMonteCarlo::new(particles).seed(options.seed.unwrap_or(0));
    let mut findings = Findings {
        length: matches!(length, Length::Exactly(_)).then_some(length.most()),
        compile: started.elapsed(),
        ..Findings::default()
    };
    let asked = Instant::now();
    if options.task == Task::Probability {
        let answer = filter.run(program.model(), ())?;
        let evidence = answer.log_evidence()?;
        findings.log_probability = Some((evidence.value, evidence.standard_error));
    } else {
        let wanted = options.count.unwrap_or(10) as usize;
        let filter = filter.populations(populations(wanted));
        let filter = filter.keep_trajectories();
        let answer = filter.run(program.model(), program.moves())?;
        let draws = answer.draws()?;
        let drawn = |step: &TargetDraws, draw: usize| {
            step.support
                .get::<Move>(step.indices[draw] as usize)
                .copied()
        };
        let plan = |draw: usize| {
            let moves = draws.targets.iter().filter_map(|step| drawn(step, draw));
            let acts = moves.filter(|drawn| matches!(drawn, Move::Act(_)));
            acts.map(|drawn| name(puzzle, drawn)).collect()
        };
        let (chosen, _) = chosen(draws, wanted, options.seed.unwrap_or(0));
        let chosen = chosen.into_iter().map(|draw| plan(draw as usize));
        findings.samples = Some(chosen.collect());
    }
    findings.sample = asked.elapsed();
    Ok(findings)
}
