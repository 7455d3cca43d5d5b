//! A question about a puzzle, and its answer.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use figrs::prelude::*;
use figrs::{CompiledFrontier, TargetDraws, World};
use figrs_command::stop::Reason;
use figrs_command::{Bytes, Failure, NoAnswer, Progress, note, stop};
use figrs_gdl::{BestFirst, FoundPlan, GdlError, Length, Move, PlanElements, PlanSizes, Puzzle};

use crate::options::{Method, Options, Task};

/// Maximum number of puzzle states that are explored in order to report the growth of their number.
const GROWTH: usize = 20_000;

/// Factor by which the work grows from one round to the next; a round runs the exact method and a search for one plan.
const ROUND: u64 = 8;

/// Work of the search for one plan in a round, as a multiple of the work of the exact method.
const SEARCH: u64 = 2;

/// A puzzle with the options of the command, and the plans that have been sampled so far.
pub(crate) struct Question {
    pub(crate) puzzle: Puzzle,
    pub(crate) options: Options,
    /// Plans that were sampled so far.
    pub(crate) samples: Mutex<Vec<Vec<String>>>,
}

/// The answer to a task of the command; fields of other tasks are empty.
#[derive(Default)]
pub(crate) struct Findings {
    /// Length of the plans, if all plans have the same length.
    pub(crate) length: Option<usize>,
    pub(crate) plan: Option<Vec<String>>,
    /// A proven lower bound of the number of steps, if the plan was found by a search.
    pub(crate) at_least: Option<usize>,
    /// Number of states that the search visited.
    pub(crate) searched: Option<usize>,
    /// Number of plans of the stated length.
    pub(crate) plans: Option<String>,
    pub(crate) count: Option<String>,
    /// Log-probability of the goal or of the plan, with its standard error.
    pub(crate) log_probability: Option<(f64, f64)>,
    /// Probabilities of the actions at each step.
    pub(crate) marginals: Option<Vec<Vec<(String, f64)>>>,
    pub(crate) samples: Option<Vec<Vec<String>>>,
    pub(crate) explored: Option<Explored>,
    /// The reason that there is no plan; `None` if plans exist.
    pub(crate) impossible: Option<Failure>,
    /// The reason that the answer is incomplete; `None` if the answer is complete.
    pub(crate) stopped: Option<Reason>,
    pub(crate) compile: Duration,
    pub(crate) sample: Duration,
}

/// The size of the states that exact inference explored: their number and their bytes.
pub(crate) struct Explored {
    pub(crate) largest_frontier: usize,
    pub(crate) bytes: u64,
    pub(crate) steps: (usize, usize),
}

impl Question {
    /// Answers the question that the options of the command ask about the puzzle.
    pub(crate) fn answer(&self, started: Instant) -> Result<Findings, Failure> {
        if let Some(length) = self.options.length()
            && self.options.method == Method::Particles
        {
            return Ok(by_particles(&self.options, &self.puzzle, length, started)?);
        }
        let progress = Progress::of("elements explored", Some(0));
        let frontier = Frontier::new()
            .memory(self.options.memory().0)
            .interrupt(stop::flag())
            .on_progress(move |run| progress.follow(run.done, run.total));
        let found = match self.options.method {
            Method::Search => self.one_plan(0, None, started),
            _ if self.options.searches() => return self.by_turns(&frontier, started),
            _ => self.exactly(&frontier, None, started),
        };
        match found {
            Err(error @ GdlError::NoPlan { .. }) => self.none(&error, &frontier, started),
            Err(GdlError::SearchEnded { states, .. }) => Err(self.ended(states, 0)),
            Err(
                GdlError::OverBudget { .. }
                | GdlError::Inference(figrs::Error::FrontierTooLarge { .. }),
            ) => Err(NoAnswer(self.too_large()).into()),
            found => Ok(found?),
        }
    }

    /// Alternates the exact method and a search for one plan, in rounds of growing work, until one has an answer or both need more memory.
    fn by_turns(&self, frontier: &Frontier, started: Instant) -> Result<Findings, Failure> {
        let (mut work, mut round) = (self.options.work(), 0);
        let (mut at_least, mut is_too_large) = (0, false);
        let mut full_search = None;
        loop {
            if !is_too_large {
                match self.exactly(frontier, Some(work), started) {
                    Err(error @ GdlError::NoPlan { .. }) => {
                        return self.none(&error, frontier, started);
                    }
                    Err(GdlError::OverBudget { steps, .. }) => {
                        return self.without_number(steps, started);
                    }
                    Err(GdlError::Inference(figrs::Error::FrontierTooLarge { .. })) => {
                        return Err(NoAnswer(self.too_large()).into());
                    }
                    Err(GdlError::Unfinished {
                        excluded, is_full, ..
                    }) => (at_least, is_too_large) = (excluded, is_full),
                    found => return Ok(found?),
                }
            }
            if round == 0 {
                note(format!(
                    "note: {}; the command searches for one plan instead (--effort and --memory limit the exact method)",
                    self.too_many()
                ));
            }
            if full_search.is_none() {
                let share = work.saturating_mul(SEARCH);
                match self.one_plan(at_least, Some(share), started) {
                    Err(GdlError::SearchEnded {
                        states, is_full, ..
                    }) if !stop::is_set() => full_search = is_full.then_some(states),
                    found => return self.sought(found, at_least),
                }
            }
            if let Some(states) = full_search.filter(|_| is_too_large || stop::is_set()) {
                return Err(self.ended(states, at_least));
            }
            (work, round) = (work.saturating_mul(ROUND), round + 1);
        }
    }

    /// Finds one plan if counting all plans takes too much memory, given that the shortest plans have `steps` steps.
    fn without_number(&self, steps: usize, started: Instant) -> Result<Findings, Failure> {
        let length = self.options.length();
        let sought = length.unwrap_or(Length::Exactly(steps));
        note(format!(
            "note: {}; the command searches for a plan of {sought}, without the number of plans",
            self.too_many()
        ));
        // The requested length is not a lower bound on the length of the shortest plan.
        let at_least = if length.is_some() { 0 } else { steps };
        self.sought(self.one_plan(at_least, None, started), at_least)
    }

    /// Returns a message about the growth of the number of states that exact inference explores.
    fn too_many(&self) -> String {
        format!(
            "exact inference explores all states, and {}",
            self.puzzle.growth(GROWTH)
        )
    }

    /// Returns the message that exact inference needs more memory, with advice.
    fn too_large(&self) -> String {
        let remedy = match self.options.task {
            Task::Solve => "; allow more memory, or use --method search for one plan",
            Task::Sample | Task::Probability => {
                "; allow more memory, or use --method particles with --steps, which is approximate"
            }
            Task::Count | Task::Marginals | Task::MostLikely => {
                "; allow more memory, or search for one plan by --task solve --method search"
            }
        };
        format!(
            "{}, more than --memory {} holds{remedy}",
            self.too_many(),
            self.options.memory()
        )
    }

    /// Returns the answer of a search, given that no plan has fewer than `at_least` steps.
    fn sought(
        &self,
        found: Result<Findings, GdlError>,
        at_least: usize,
    ) -> Result<Findings, Failure> {
        match found {
            Err(GdlError::SearchEnded { states, .. }) => Err(self.ended(states, at_least)),
            found => Ok(found?),
        }
    }

    /// Returns the failure of a search that time or memory ended, given that no plan has fewer than `at_least` steps.
    fn ended(&self, states: usize, at_least: usize) -> Failure {
        if stop::is_set() {
            return stop::nothing("a plan");
        }
        let none = match at_least {
            0 => String::new(),
            _ => format!(", and none has fewer than {at_least} steps"),
        };
        NoAnswer(format!(
            "no plan was found in {states} states within --memory {} and {}{none}; allow more memory, or give a lower --goal",
            self.options.memory(),
            self.longest(),
        ))
        .into()
    }

    /// Returns the maximum length of plans.
    fn longest(&self) -> Length {
        let length = self.options.length();
        length.unwrap_or(Length::AtMost(self.options.max_steps()))
    }

    /// Finds one plan by search, within the limit `work` if it is given, and then searches for a shorter plan.
    fn one_plan(
        &self,
        at_least: usize,
        work: Option<u64>,
        started: Instant,
    ) -> Result<Findings, GdlError> {
        let (options, puzzle) = (&self.options, &self.puzzle);
        let progress = Progress::of("states searched", None);
        let search = BestFirst::new()
            .memory(options.memory().0)
            .interrupt(stop::flag())
            .on_progress(move |run| progress.set(run.done));
        let most = self.longest().most();
        let first = match work {
            Some(work) => puzzle.any_plan(&search.clone().work(work), most)?,
            None => puzzle.any_plan(&search, most)?,
        };
        let first = first.proven_at_least(at_least);
        let length = first.actions().len();
        let best = if first.is_shortest() {
            first
        } else {
            puzzle.shorter_plan(&search.work(options.work()), first)?
        };
        let best = best.proven_at_least(at_least);
        let named = |plan: &FoundPlan| {
            let actions = plan.actions().iter();
            actions
                .map(|&action| puzzle.action(action).to_owned())
                .collect()
        };
        Ok(Findings {
            length: Some(best.actions().len()),
            plan: Some(named(&best)),
            at_least: Some(best.at_least()),
            searched: Some(best.states()),
            stopped: stop::reason().filter(|_| !best.is_shortest() && length > 0),
            compile: started.elapsed(),
            ..Findings::default()
        })
    }

    /// Returns the plans that have been sampled so far, if there are any.
    pub(crate) fn so_far(&self) -> Option<Findings> {
        let samples = self.samples.lock();
        let samples = std::mem::take(&mut *samples.unwrap_or_else(PoisonError::into_inner));
        (!samples.is_empty()).then(|| Findings {
            samples: Some(samples),
            stopped: stop::reason(),
            ..Findings::default()
        })
    }

    /// Answers the question by exact inference over all states of the puzzle, within a limit of work if one is given.
    fn exactly(
        &self,
        frontier: &Frontier,
        work: Option<u64>,
        started: Instant,
    ) -> Result<Findings, GdlError> {
        let (options, puzzle) = (&self.options, &self.puzzle);
        // A survey predicts the memory of all plans together before they are compiled.
        let survey = match (options.length(), work) {
            (Some(length), Some(work)) => puzzle.survey_within(frontier, length, work)?,
            (Some(length), None) => puzzle.survey(frontier, length)?,
            (None, Some(work)) => puzzle.shortest_within(frontier, options.max_steps(), work)?,
            (None, None) => shortest(options, puzzle, frontier)?,
        };
        let length = options.length().unwrap_or(Length::Exactly(survey.steps()));
        survey.within(options.memory().0)?;
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
        self.read(&program, &compiled, &mut findings)?;
        findings.sample = asked.elapsed();
        Ok(findings)
    }

    /// Returns the answer if no plan exists: zero if the task asks for a number of plans, otherwise the failure, with the best value of the goal that
    /// can be reached.
    fn none(
        &self,
        error: &GdlError,
        frontier: &Frontier,
        started: Instant,
    ) -> Result<Findings, Failure> {
        let length = self.options.length();
        let length = length.unwrap_or(Length::AtMost(self.options.max_steps()));
        let best = match self.puzzle.best_goal(frontier, length) {
            Ok(Some(value)) => {
                format!("; the best goal that such plans reach is {value} (--goal {value})")
            }
            Ok(None) => "; they reach no goal of a lower value either".to_owned(),
            // The search for a goal of a lower value was stopped, or takes more memory than the search before.
            Err(_) => String::new(),
        };
        let failure: Failure = NoAnswer(format!("{error}{best}")).into();
        let mut findings = Findings {
            compile: started.elapsed(),
            ..Findings::default()
        };
        match self.options.task {
            _ if self.options.length().is_none() => return Err(failure),
            Task::Count => findings.count = Some("0".into()),
            Task::Probability => findings.log_probability = Some((f64::NEG_INFINITY, 0.0)),
            Task::Solve | Task::Marginals | Task::MostLikely | Task::Sample => return Err(failure),
        }
        findings.impossible = Some(failure);
        Ok(findings)
    }

    /// Reads the answer to the task from the compiled probabilistic program of all plans.
    fn read(
        &self,
        program: &PlanElements,
        compiled: &CompiledFrontier,
        findings: &mut Findings,
    ) -> Result<(), GdlError> {
        let (options, puzzle) = (&self.options, &self.puzzle);
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
                let count = options.count.unwrap_or(10) as usize;
                let progress = Progress::of("plans", Some(count as u64));
                for (done, world) in (1..).zip(worlds.take(count)) {
                    let plan = named(&world)?;
                    let samples = self.samples.lock();
                    samples.unwrap_or_else(PoisonError::into_inner).push(plan);
                    progress.set(done);
                    if stop::is_set() {
                        break;
                    }
                }
                findings.samples = self.so_far().and_then(|drawn| drawn.samples);
                let is_all = findings
                    .samples
                    .as_ref()
                    .is_some_and(|all| all.len() == count);
                findings.stopped = stop::reason().filter(|_| !is_all);
            }
        }
        Ok(())
    }
}

fn shortest(
    options: &Options,
    puzzle: &Puzzle,
    frontier: &Frontier,
) -> Result<PlanSizes, GdlError> {
    if options.method == Method::Tropical {
        let steps = puzzle.cheapest(frontier, options.max_steps())?;
        return puzzle.survey(frontier, Length::Exactly(steps));
    }
    puzzle.shortest(frontier, options.max_steps())
}

/// Returns the message that the states do not fit into memory, with advice.
pub(crate) fn too_large(states: usize, memory: Bytes) -> String {
    format!(
        "{states} states and their transitions need more than --memory {memory}; allow more memory"
    )
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
    let progress = Progress::of("particles at the end of their plans", None);
    let filter = SequentialMonteCarlo::new(particles)
        .seed(options.seed.unwrap_or(0))
        .interrupt(stop::flag())
        .on_progress(move |run| progress.follow(run.done, run.total));
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
        let act = |step: &TargetDraws, draw: usize| {
            let drawn = step.support.get::<Move>(step.indices[draw] as usize);
            drawn.copied().filter(|drawn| matches!(drawn, Move::Act(_)))
        };
        let drawn = filter.independent(
            wanted,
            |filter| filter.run(program.model(), program.moves()),
            |draws, draw| {
                let acts = draws.targets.iter().filter_map(|step| act(step, draw));
                acts.map(|drawn| name(puzzle, drawn)).collect()
            },
        )?;
        findings.samples = Some(drawn.worlds);
    }
    findings.sample = asked.elapsed();
    Ok(findings)
}
