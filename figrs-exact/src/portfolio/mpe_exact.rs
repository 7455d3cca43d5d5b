//! The most probable world, found by a portfolio of algorithms.

use std::rc::Rc;

use figrs_core::{AnyElement, Model};

use super::attempts::{Attempts, reason};
use super::ladder::Ladder;
use super::portfolio_run::{Portfolio, PortfolioRun};
use super::settings::{PortfolioSettings, portfolio_settings};
use crate::closed_form::best_world_in_closed_form;
use crate::mpe::MpeVariableElimination;
use crate::slices::{MpeSlices, SlicedWorlds};
use figrs_answer::{Algorithm, Answer, AttemptOutcome, Error, RunMonitor, RunState};
use figrs_factor::bounds::Bounds;

/// Maximum number of predicted operations (at most a tenth of a second) of an elimination that runs without a search before it.
const CHEAP_BEFORE_SEARCH: f64 = 2e7;
/// Number of steps of the first branch-and-bound search, which takes some seconds.
const FIRST_STEPS: f64 = 2e7;
/// Cost of one step of a search, as a number of operations of an elimination.
const STEP: f64 = 20.0;
/// Maximum number of entries of a table in the eliminations of a search.
const MOST_ENTRIES: u64 = 1 << 22;

/// The most probable world by a portfolio of algorithms, which runs the algorithm that is predicted to be the cheapest, and other algorithms if the
/// prediction fails.
///
/// A variable elimination is planned first, and is run if its plan is cheap. If no elimination is cheap,
/// [`MpeBranchAndBound`](crate::MpeBranchAndBound) first searches for some millions of steps. A second search by `MpeBranchAndBound` takes about as
/// long as an elimination of all variables or [`MpeSlices`](crate::MpeSlices), whichever is cheaper, is predicted to take. After the second search by
/// `MpeBranchAndBound`, the cheaper of elimination and `MpeSlices` runs, if it stays within the limits of memory and [`work`](Self::work).
/// [`Answer::algorithm`] names the algorithm that answered; [`Answer::choice`] lists all algorithms that were tried.
///
/// If no exact algorithm stays within the limits, the answer is the best world found, with an upper bound on the probability of all
/// worlds: see [`Answer::is_proven`] and [`Answer::upper_bound`].
///
/// If the feature `reals` of figrs is on, models of normal and finite elements are answered in closed form: the probability of a world is then the
/// product of probabilities and densities.
///
/// **Guarantee.** The result is the most probable world up to rounding, or a world together with an upper bound on the probability of every world. If
/// several worlds are most probable, the algorithm that answers determines which of these worlds is returned. Without a deadline, the result is
/// deterministic.
///
/// **Complexity.** The work is that of the algorithm that answers, and of all algorithms tried before it. The algorithms that a portfolio tries
/// before the answering algorithm take some seconds, plus about as much work as is predicted for the answering algorithm.
///
/// **Errors.** The errors of [`MpeBranchAndBound`](crate::MpeBranchAndBound).
///
/// A run that was [started](figrs_answer::Run::start) has an answer after it has ended or stopped for the first time: the best world that it found. A
/// stopped run that is resumed tries the algorithms again. `extend(more)` adds `more` operations to the [`work`](Self::work).
///
/// **References.** See the references of [`Exact`](crate::Exact).
///
/// ```
/// # use figrs_core::{Element, Flip, Model};
/// # use figrs_exact::MpeExact;
/// # use figrs_answer::Run;
/// let coins: Vec<Element<bool>> = (0..20).map(|i| Flip::new(0.3 + 0.02 * f64::from(i))).collect();
/// let world = MpeExact::new().run(&Model::new(), &coins)?;
/// assert!(world.is_proven()? && !world.most_likely_value(&coins[0])?);
/// # Ok::<(), figrs_answer::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct MpeExact {
    settings: PortfolioSettings,
}

impl MpeExact {
    const NAME: &'static str = "MpeExact";

    portfolio_settings!();
}

impl Algorithm for MpeExact {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn finds_world(&self) -> bool {
        true
    }

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let run = self.settings.watch.start(self.name(), None);
        self.by_finite_algorithms(&run, model, targets)
            .or_else(|refused| {
                let limits = self.settings.limits_of_expansion(&run);
                best_world_in_closed_form(self.name(), (model, targets), &limits, refused)
            })
    }

    fn begin(&self, model: &Model, targets: &[AnyElement]) -> Result<Box<dyn RunState>, Error> {
        Ok(PortfolioRun::begin(self, model, targets))
    }
}

impl Portfolio for MpeExact {
    fn settings(&self) -> &PortfolioSettings {
        &self.settings
    }

    fn settings_mut(&mut self) -> &mut PortfolioSettings {
        &mut self.settings
    }

    fn bounded(_: Bounds) -> Option<Answer> {
        None
    }
}

impl MpeExact {
    /// Computes the answer by algorithms for elements with finitely many values.
    fn by_finite_algorithms(
        &self,
        run: &RunMonitor<'_>,
        model: &Model,
        targets: &[AnyElement],
    ) -> Result<Answer, Error> {
        let mut ladder = WorldLadder {
            attempts: Attempts::new(&self.settings, run, model, targets),
            best: None,
            plan: None,
        };
        let work = self.settings.limits.work;
        let cheap = CHEAP_BEFORE_SEARCH.min(work);
        let mut found = ladder.eliminate(cheap)?;
        if found.is_none() {
            found = ladder.search(FIRST_STEPS.min(work / STEP))?;
        }
        if found.is_none() {
            found = ladder.by_predicted_work()?;
        }
        match (found, ladder.best) {
            (Some(answer), _) => Ok(ladder.attempts.chosen(answer)),
            (None, Some(best)) => best.map(|answer| ladder.attempts.chosen(answer)),
            (None, None) => Err(ladder.attempts.into_error()),
        }
    }
}

struct WorldLadder<'a> {
    attempts: Attempts<'a>,
    /// The best result of the branch-and-bound searches, as long as no search was completed.
    best: Option<Result<Answer, Error>>,
    /// The planned search for the most probable world with some variables fixed at each of their joint values, after its number of operations was
    /// predicted.
    plan: Option<SlicedWorlds>,
}

impl<'a> Ladder<'a> for WorldLadder<'a> {
    type Found = Answer;

    fn attempts(&mut self) -> &mut Attempts<'a> {
        &mut self.attempts
    }

    fn eliminate(&mut self, operations: f64) -> Result<Option<Answer>, Error> {
        let attempts = &mut self.attempts;
        let elimination = MpeVariableElimination::new()
            .limits(attempts.settings.elimination(operations, attempts.run));
        let question = Rc::clone(&attempts.question);
        attempts.try_once(elimination.name(), None, || {
            elimination.answer_to(&question)
        })
    }

    fn search(&mut self, steps: f64) -> Result<Option<Answer>, Error> {
        let attempts = &mut self.attempts;
        if attempts.unexpanded.is_some() {
            return Ok(None);
        }
        attempts.searched = attempts.searched.max(steps);
        let memory = attempts.settings.memory.0;
        let entries = (memory / 4 / size_of::<f64>() as u64).min(MOST_ENTRIES);
        let bounds = attempts.settings.bounds_listener.clone();
        let search = attempts
            .branch_and_bound(memory / 2, steps as u64)
            .bound_table(entries as usize)
            .on_improvement(move |improvement| {
                bounds.tell(&Bounds {
                    lower: improvement.log_probability,
                    upper: improvement.upper_bound,
                });
            });
        let found = search.answer_to(&attempts.question);
        let outcome = match &found {
            Ok(answer) if answer.is_proven().unwrap_or(false) => AttemptOutcome::Answered,
            _ if attempts.is_stopped() => AttemptOutcome::Stopped,
            Ok(_) | Err(Error::NoWorldFound { .. }) => AttemptOutcome::OutOfWork(steps as u64),
            Err(error) => AttemptOutcome::Refused(reason(error)),
        };
        attempts.record(search.name(), None, outcome);
        let best = match self.best.take() {
            Some(best) => better(best, found),
            None => found,
        };
        if is_final(&best) {
            return best.map(Some);
        }
        self.best = Some(best);
        Ok(None)
    }

    fn search_for(&mut self, operations: f64) -> Result<Option<Answer>, Error> {
        let steps = operations / STEP;
        if steps > 4.0 * self.attempts.searched.max(FIRST_STEPS) && !self.attempts.is_stopped() {
            self.search(steps)
        } else {
            Ok(None)
        }
    }

    fn slice_operations(&mut self) -> Result<f64, Error> {
        let slices = self.slices();
        let attempts = &mut self.attempts;
        let plan = slices.plan(attempts.run, &attempts.question);
        let cost = plan.map(|plan| self.plan.insert(plan).cost());
        attempts.operations_of(slices.name(), cost)
    }

    fn sum_slices(&mut self, operations: f64) -> Result<Option<Answer>, Error> {
        let slices = self.slices();
        let question = Rc::clone(&self.attempts.question);
        let Some(plan) = self.plan.take() else {
            return Ok(None);
        };
        self.attempts.try_once(slices.name(), Some(operations), || {
            slices.answer_by(&slices.start(), &plan, &question)
        })
    }
}

impl WorldLadder<'_> {
    fn slices(&self) -> MpeSlices {
        let settings = self.attempts.settings;
        let slices = MpeSlices::within(settings.memory)
            .expansion_limits(&settings.limits_afterwards())
            .part_of(self.attempts.run);
        match settings.limits.threads {
            Some(threads) => slices.threads(threads),
            None => slices,
        }
    }
}

/// True if no other algorithm can improve the result: the result is a proven world or an error of the model.
fn is_final(found: &Result<Answer, Error>) -> bool {
    match found {
        Ok(answer) => answer.is_proven().unwrap_or(false),
        Err(error) => !matches!(
            error,
            Error::NothingDone { .. } | Error::NoWorldFound { .. }
        ),
    }
}

/// Returns the one of two answers whose world is more probable; if the worlds are equally probable, the answer with the lower upper bound. Returns an
/// error if neither answer has a world.
pub(crate) fn better(
    first: Result<Answer, Error>,
    second: Result<Answer, Error>,
) -> Result<Answer, Error> {
    let score = |answer: &Answer| {
        let log = answer.log_probability().unwrap_or(f64::NEG_INFINITY);
        let bound = answer.upper_bound().unwrap_or(f64::INFINITY);
        (log, -bound)
    };
    match (first, second) {
        (Ok(first), Ok(second)) if score(&first) > score(&second) => Ok(first),
        (Ok(first), Err(_)) => Ok(first),
        (first, Err(Error::NothingDone { .. } | Error::NoWorldFound { .. })) => first,
        (_, second) => second,
    }
}
