//! The exact engine and rejection in turn, until one of them has the boards.

use std::time::Instant;

use figrs_command::stop;

use super::conflict::impossible;
use super::question::{QUICK, Question};
use super::rejection::{Kept, too_large};
use super::{Engine, Failure, Findings, Puzzle};

/// Bytes of states in the first round, and the factor of growth from round to round.
const FIRST: u64 = 1 << 20;
const GROWTH: u64 = 4;

/// Bytes of states explored in the time in which rejection draws and checks a cell.
const CELL: u64 = 3;

impl<P: Puzzle> Question<P> {
    /// Rounds of equal work for both, each several times as long as the one before. So neither the share of boards that meet
    /// the demands nor the need of the exact engine has to be known, unless that is more than [`QUICK`]; and it takes no
    /// more than a few times as long as the quicker of the two.
    pub(super) fn in_turn(&self, relaxed: &P) -> Result<Findings<P::Board>, Failure> {
        let (puzzle, options, memory) = (&self.puzzle, &self.options, self.memory());
        let started = Instant::now();
        let fits = |puzzle: &P| puzzle.predicted_bytes() <= memory as f64;
        let exact = |budget| -> Result<Option<Findings<P::Board>>, Failure> {
            if budget > QUICK && !fits(puzzle) {
                return Ok(None);
            }
            let mut found = self.within(budget)?;
            if let Some(found) = &mut found {
                found.compile = started.elapsed().as_secs_f64() - found.sample;
            }
            Ok(found)
        };
        let mut budgets = budgets(memory);
        let (mut budget, engine) = loop {
            let budget = budgets.next();
            let Some(budget) = budget.filter(|&budget| budget <= QUICK || fits(relaxed)) else {
                return Err(too_large(options));
            };
            if let Some(found) = exact(budget)? {
                return Ok(found);
            }
            if let Some(engine) = Engine::fitting(relaxed, budget)? {
                break (budget, engine);
            }
        };
        if !engine.is_possible() {
            return self.none(impossible(relaxed, memory)?);
        }
        let compile = started.elapsed().as_secs_f64();
        let mut all = engine.boards(relaxed, options.seed())?;
        let meets = |board: &P::Board| puzzle.meets(board);
        let cells = (puzzle.side().rows * puzzle.side().columns) as u64;
        self.boards.begin(P::FALLBACK.name);
        let mut kept = Kept::in_boards(&self.boards);
        while !kept.draw(budget / (CELL * cells), &mut all, meets)? && !stop::is_set() {
            let Some(larger) = budgets.next() else {
                let told = self.too_large();
                eprintln!(
                    "note: {told}; falling back on --method {}",
                    P::FALLBACK.name
                );
                kept = kept.complete(&mut all, meets)?;
                break;
            };
            budget = larger;
            if let Some(found) = exact(budget)? {
                return Ok(found);
            }
        }
        let mut found = Findings::by(P::FALLBACK.name);
        found.add(kept.drawn(compile));
        found.sample = started.elapsed().as_secs_f64() - compile;
        Ok(found)
    }
}

/// Bytes for each round.
fn budgets(memory: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(FIRST.min(memory)), move |&budget| {
        (budget < memory).then(|| budget.saturating_mul(GROWTH).min(memory))
    })
}
