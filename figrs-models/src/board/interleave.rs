//! Runs the exact method and rejection sampling in turn, until one of them has drawn the boards.

use std::cell::Cell;

use figrs_core::rand::Rng;
use figrs_core::stream;

use super::conditional_sampler::UNPREDICTED_BYTES;
use super::drawing::BoardDrawing;
use super::{BoardError, ExactBoards, Generator, Method, MethodChoice, Reason, Report};

const FIRST: u64 = 1 << 20;
const GROWTH: u64 = 4;

/// Size in bytes of the states that the exact method explores in the time in which rejection draws and checks one cell.
const CELL: u64 = 3;

impl<G: Generator> BoardDrawing<'_, G> {
    /// Draws boards by the exact method and by rejection in rounds of equal work, each round with several times the work of the round before.
    /// Together, the rounds of both methods take at most a few times as long as the quicker method alone.
    pub(super) fn in_turn(&self, relaxed: &G) -> Result<Report, BoardError> {
        let (settings, generator) = (self.settings, self.generator);
        let is_without_elements = Cell::new(false);
        let exact = |budget| -> Result<Option<ExactBoards<&G>>, BoardError> {
            let is_in_vain = budget > UNPREDICTED_BYTES && !settings.may_fit(generator);
            if is_without_elements.get() || is_in_vain {
                return Ok(None);
            }
            match settings.within(generator, budget) {
                Err(error) if error.is_without_elements() => {
                    is_without_elements.set(true);
                    Ok(None)
                }
                exact => exact,
            }
        };
        let first = |round, method| MethodChoice {
            method,
            reason: Reason::FirstInTurn { round },
        };
        let mut budgets = budgets(settings.memory);
        let (mut budget, all) = loop {
            let budget = budgets.next();
            let may_fit = |&budget: &u64| budget <= UNPREDICTED_BYTES || settings.may_fit(relaxed);
            let Some(budget) = budget.filter(may_fit) else {
                return Err(settings.too_large(relaxed, true));
            };
            if let Some(exact) = exact(budget)? {
                let report = self.exactly(&exact)?;
                let choice = first(budget, Method::Exact);
                return Ok(Report { choice, ..report });
            }
            if let Some(all) = settings.within(relaxed, budget)? {
                break (budget, all);
            }
        };
        if !all.is_possible() {
            return Err(settings.conflict(relaxed)?);
        }
        let compile = self.started.elapsed();
        let mut all = self.met(all.samples(settings.seed)?);
        self.boards.begin(Method::Rejection);
        let mut rejection = self.rejection(u64::MAX);
        let cells = generator.size().cells() as u64;
        let mut choice = first(budget, Method::Rejection);
        while !rejection.draw(budget / (CELL * cells), &mut all)? {
            let Some(larger) = budgets.next() else {
                let reason = if is_without_elements.get() {
                    Reason::NoElements
                } else {
                    self.too_large()
                };
                choice = settings.turn(Method::Rejection, reason);
                rejection = rejection.complete(&mut all)?;
                break;
            };
            budget = larger;
            choice = first(budget, Method::Rejection);
            match exact(budget) {
                Ok(None) => {}
                Ok(Some(exact)) => {
                    // The boards drawn by rejection have the same distribution and are kept; the exact method uses other random numbers for the
                    // remaining boards.
                    let seed = stream(settings.seed, u64::MAX).next_u64();
                    self.boards.turn_to(Method::Exact);
                    let report = self.complete_exactly(&exact, seed)?;
                    let choice = first(budget, Method::Exact);
                    return Ok(Report { choice, ..report });
                }
                Err(_) if settings.watch.is_interrupted() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(Report::new(choice, rejection.diagnostics(), compile))
    }
}

/// Returns, for each round of the exact method, the memory limit in bytes of its states.
fn budgets(memory: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(FIRST.min(memory)), move |&budget| {
        (budget < memory).then(|| budget.saturating_mul(GROWTH).min(memory))
    })
}
