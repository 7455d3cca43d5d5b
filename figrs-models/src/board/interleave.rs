//! The exact method and rejection in turn, until one of them has the boards.

use super::conditional_sampler::{Report, UNPREDICTED_BYTES};
use super::drawing::BoardDrawing;
use super::rejection::RejectionTally;
use super::{BoardError, Choice, ExactBoards, Generator, Method, Reason};

/// Bytes of states in the first round, and the factor of growth from round to round.
const FIRST: u64 = 1 << 20;
const GROWTH: u64 = 4;

/// Bytes of states explored in the time in which rejection draws and checks a cell.
const CELL: u64 = 3;

impl<G: Generator> BoardDrawing<'_, G> {
    /// Rounds of equal work for both, each several times as long as the one before. So neither the share of boards that meet
    /// the demands nor the need of the exact method has to be known, unless that is more than [`UNPREDICTED_BYTES`]; and it takes no
    /// more than a few times as long as the quicker of the two.
    pub(super) fn in_turn(&self, relaxed: &G) -> Result<Report, BoardError> {
        let (settings, generator) = (self.settings, self.generator);
        let exact = |budget| -> Result<Option<ExactBoards<'_, G>>, BoardError> {
            if budget > UNPREDICTED_BYTES && !settings.may_fit(generator) {
                return Ok(None);
            }
            match settings.within(generator, budget) {
                Err(error) if error.is_without_elements() => Ok(None),
                exact => exact,
            }
        };
        let first = |round, method| Choice {
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
                return self.exactly_first(&exact, first(budget, Method::Exact));
            }
            if let Some(all) = settings.within(relaxed, budget)? {
                break (budget, all);
            }
        };
        if !all.is_possible() {
            return Err(settings.no_solution(relaxed, settings.memory)?);
        }
        let compile = self.started.elapsed();
        let mut all = all.samples(settings.seed)?;
        let meets = |board: &G::Board| generator.meets(board);
        self.boards.begin(Method::Rejection);
        let mut rejection = RejectionTally::new(self.boards, &settings.watch);
        let cells = generator.size().cells() as u64;
        let mut choice = first(budget, Method::Rejection);
        while !rejection.draw(budget / (CELL * cells), &mut all, meets)? {
            let Some(larger) = budgets.next() else {
                let reason = Reason::TooLarge {
                    predicted: settings.excess(generator),
                    limit: settings.memory,
                };
                choice = settings.turn(Method::Rejection, reason);
                rejection = rejection.complete(&mut all, meets)?;
                break;
            };
            budget = larger;
            choice = first(budget, Method::Rejection);
            if let Some(exact) = exact(budget)? {
                return self.exactly_first(&exact, first(budget, Method::Exact));
            }
        }
        Ok(Report::new(choice, rejection.diagnostics(), compile))
    }

    fn exactly_first(
        &self,
        exact: &ExactBoards<'_, G>,
        choice: Choice,
    ) -> Result<Report, BoardError> {
        let report = self.exactly(exact)?;
        Ok(Report { choice, ..report })
    }
}

/// Bytes for each round.
fn budgets(memory: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(FIRST.min(memory)), move |&budget| {
        (budget < memory).then(|| budget.saturating_mul(GROWTH).min(memory))
    })
}
