//! The most probable world by a portfolio of algorithms.

use std::sync::Arc;

use figrs_core::{AnyElement, Model};

use super::attempts::{Attempts, reason};
use super::choice::AttemptOutcome;
use super::settings::{PortfolioSettings, portfolio_settings};
use crate::algorithm::Algorithm;
use crate::answer::Answer;
use crate::answer::bounds::Bounds;
use crate::error::Error;
use crate::exact::branch_and_bound::MpeBranchAndBound;
use crate::exact::mpe::MpeVariableElimination;
use crate::exact::slices::MpeSlices;

/// Number of predicted operations up to which an elimination is not compared with a search: a tenth of a second or less.
const CHEAP_BEFORE_SEARCH: f64 = 2e7;
/// Number of steps of the first search: some seconds.
const FIRST_STEPS: f64 = 2e7;
/// Number of operations of an elimination that take as long as a step of a search.
const STEP: f64 = 20.0;
/// Most entries of a table of the eliminations within a search.
const MOST_ENTRIES: u64 = 1 << 22;

/// The most probable world by a portfolio of algorithms: the one that is predicted to be the cheapest, and others when it is not.
///
/// An elimination is planned first, and done if its plan is cheap. Else [`MpeBranchAndBound`] searches for a few seconds' steps, then for as many as an
/// elimination of everything, or of [`MpeSlices`](crate::MpeSlices), is predicted to take, and then that is done, if it fits the memory and
/// the [`work`](Self::work). [`Answer::algorithm`] names the algorithm that answered, [`Answer::choice`] all that were tried.
///
/// When nothing exact fits, the answer is the best world found, with a bound on all: see [`Answer::is_proven`] and [`Answer::upper_bound`].
///
/// **Guarantee.** The most probable world up to rounding, or a world and a bound that no world exceeds. Of several most probable worlds
/// it depends on the algorithm which one is found. Deterministic without a deadline.
///
/// **Complexity.** That of the algorithm that answers, and of those that were tried before: some seconds, and then about as much work as that algorithm is predicted to take.
///
/// **Errors.** As [`MpeBranchAndBound`].
///
/// **References.** As [`Exact`](crate::Exact).
///
/// ```
/// # use figrs_core::{Element, Flip, Model};
/// # use figrs_infer::{MpeExact, Run};
/// let coins: Vec<Element<bool>> = (0..20).map(|i| Flip::new(0.3 + 0.02 * f64::from(i))).collect();
/// let world = MpeExact::new().run(&Model::new(), &coins)?;
/// assert!(world.is_proven()? && !world.most_likely_value(&coins[0])?);
/// # Ok::<(), figrs_infer::Error>(())
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

    fn answer(&self, model: &Model, targets: &[AnyElement]) -> Result<Answer, Error> {
        let run = self.settings.watch.start(self.name(), None);
        let mut attempts = Attempts::new(&self.settings, &run, model, targets);
        let work = self.settings.work;
        let cheap = CHEAP_BEFORE_SEARCH.min(work);
        if let Some(answer) = attempts.eliminate_for_best_world(cheap)? {
            return Ok(attempts.chosen(answer));
        }
        let mut found = attempts.branch_and_bound(FIRST_STEPS.min(work / STEP));
        if is_final(&found) {
            return found.map(|answer| attempts.chosen(answer));
        }
        let whole = attempts.refused_operations();
        let mut sliced = if whole < work {
            f64::INFINITY
        } else {
            attempts.operations_of_best_slices()?
        };
        let steps = whole.min(sliced).min(work) / STEP;
        if steps > 4.0 * FIRST_STEPS && !attempts.is_stopped() {
            found = better(found, attempts.branch_and_bound(steps));
            if is_final(&found) {
                return found.map(|answer| attempts.chosen(answer));
            }
        }
        if whole.is_finite() && whole <= work {
            if let Some(answer) = attempts.eliminate_for_best_world(work)? {
                return Ok(attempts.chosen(answer));
            }
            sliced = attempts.operations_of_best_slices()?;
        }
        if sliced.is_finite() && sliced <= work {
            let slices = attempts.best_slices();
            let answer = attempts.try_once(slices.name(), Some(sliced), || {
                slices.answer(model, targets)
            });
            if let Some(answer) = answer? {
                return Ok(attempts.chosen(answer));
            }
        }
        found.map(|answer| attempts.chosen(answer))
    }
}

/// True if nothing is to be added: a proven world, or an error of the model.
fn is_final(found: &Result<Answer, Error>) -> bool {
    match found {
        Ok(answer) => answer.is_proven().unwrap_or(false),
        Err(error) => !matches!(
            error,
            Error::NothingDone { .. } | Error::NoWorldFound { .. }
        ),
    }
}

/// The more probable world, with the lower bound; an error only if there is no world.
fn better(first: Result<Answer, Error>, second: Result<Answer, Error>) -> Result<Answer, Error> {
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

impl Attempts<'_> {
    /// An elimination of at most so many predicted operations.
    fn eliminate_for_best_world(&mut self, operations: f64) -> Result<Option<Answer>, Error> {
        let options = self.settings.elimination(operations, self.run);
        let (model, targets, budget) = (self.model, self.targets, self.settings.budget);
        let elimination = MpeVariableElimination::new()
            .budget(budget)
            .options(options);
        self.try_once(elimination.name(), None, || {
            elimination.answer(model, targets)
        })
    }

    /// A search of at most so many steps.
    fn branch_and_bound(&mut self, steps: f64) -> Result<Answer, Error> {
        let memory = self.settings.memory.0;
        let entries = (memory / 4 / size_of::<f64>() as u64).min(MOST_ENTRIES);
        let mut search = MpeBranchAndBound::new()
            .budget(self.settings.budget)
            .bound_table(entries as usize)
            .memory(memory / 2)
            .work(steps as u64);
        if let Some(left) = self.time_left() {
            search = search.deadline(left);
        }
        if let Some(interrupt) = &self.run.until().interrupt {
            search = search.interrupt(Arc::clone(interrupt));
        }
        if let Some(listener) = self.settings.watch.listener() {
            search = search.on_progress(move |progress| listener(progress));
        }
        let bounds = self.settings.bounds_listener.clone();
        search = search.on_improvement(move |improvement| {
            bounds.tell(Bounds {
                lower: improvement.log_probability,
                upper: improvement.upper_bound,
            });
        });
        let found = search.answer(self.model, self.targets);
        let outcome = match &found {
            Ok(answer) if answer.is_proven().unwrap_or(false) => AttemptOutcome::Answered,
            _ if self.is_stopped() => AttemptOutcome::Stopped,
            Ok(_) | Err(Error::NoWorldFound { .. }) => AttemptOutcome::OutOfWork(steps as u64),
            Err(error) => AttemptOutcome::Refused(reason(error)),
        };
        self.record(search.name(), None, outcome);
        found
    }

    fn best_slices(&self) -> MpeSlices {
        let mut slices = MpeSlices::within(self.settings.memory).budget(self.settings.budget);
        if let Some(threads) = self.settings.threads {
            slices = slices.threads(threads);
        }
        if let Some(left) = self.time_left() {
            slices = slices.deadline(left);
        }
        if let Some(interrupt) = &self.run.until().interrupt {
            slices = slices.interrupt(Arc::clone(interrupt));
        }
        if let Some(listener) = self.settings.watch.listener() {
            slices = slices.on_progress(move |progress| listener(progress));
        }
        slices
    }

    /// The predicted operations of all slices of a maximum; infinite if there are none within the memory.
    fn operations_of_best_slices(&mut self) -> Result<f64, Error> {
        let slices = self.best_slices();
        let cost = slices.cost(self.model, self.targets);
        self.operations_of(slices.name(), cost)
    }
}
