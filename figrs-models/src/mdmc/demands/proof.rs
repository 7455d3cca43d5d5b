//! Proofs that demands exclude each other: each alone, then together, on small frontiers.

use std::cell::Cell;
use std::ops::Range;
use std::time::{Duration, Instant};

use figrs_core::Model;
use figrs_infer::{Error, Frontier};

use super::demand::Demand;
use super::played_proof::unplayable;
use super::steered::SteeredLevel;
use crate::mdmc::LevelModel;

/// Demands that exclude each other, by their numbers, and the column up to which no level can meet them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    pub(super) demands: Vec<usize>,
    pub(super) column: usize,
}

/// Result of trying some demands.
enum Trial {
    Possible,
    Impossible,
    /// They take too much memory.
    Unknown,
}

/// Search for a proof that some demands cannot be met.
///
/// A trial asks whether any level meets some demands, by a [`Frontier`] of little memory. Where the model itself fits into that memory, levels are those of the
/// model; otherwise they are all levels with the tiles that are possible in their rows, of which there are more. Around cells that are set, a window of
/// a few columns is tried besides, with the law of the model inside and any tiles around. So what is proven holds for the model,
/// and something may remain unproven. Tiles that are placed by intervention are those of every trial.
///
/// Each demand is tried alone. Then ways of a player are looked for in cells of which each has any of the tiles left to it. Then all demands are tried together: if
/// that is impossible, they are left out one after another; if it takes too much memory, pairs are tried, and sets of three.
/// Pairs and sets of three are tried until the [time](SteeredLevel::proof_time) of the level is over. What comes before, and the column of what is proven, is
/// as many trials as there are demands, each of little memory: that takes less, and ends by itself after [`PATIENCE`](Self::PATIENCE) times as long, on
/// machines that are busy.
/// Trials under way end then, and all of them with the interrupt of the frontier that is given.
#[derive(Clone, Debug)]
pub(super) struct ProofSearch<'a> {
    steered: &'a SteeredLevel,
    /// The model of the trials.
    model: LevelModel,
    /// True if that is not the model itself.
    is_relaxed: bool,
    /// Numbers of the demands that place tiles.
    placed: Vec<usize>,
    begun: Instant,
    until: Instant,
    /// The frontier of the trials, without memory and time.
    frontier: Frontier,
    /// True once a trial was ended.
    is_ended: Cell<bool>,
}

impl<'a> ProofSearch<'a> {
    /// The longest time of the trials of single demands and of all together, as a multiple of the time of the level.
    const PATIENCE: u32 = 10;
    /// Bytes of the frontier of a trial of the model itself: 14 rows of a chain take more, n-grams less.
    const MODEL_BYTES: u64 = 8 << 20;
    /// Bytes of the frontier of a trial without neighbours, where there are only the states of some demands.
    const BYTES: u64 = 2 << 20;
    /// Bytes of the frontier of a window.
    const WINDOW_BYTES: u64 = 1 << 20;

    pub(super) fn new(steered: &'a SteeredLevel, frontier: &Frontier) -> Self {
        let begun = Instant::now();
        let patience = steered.longest_proof().checked_mul(Self::PATIENCE);
        let until = patience.and_then(|patience| begun.checked_add(patience));
        // A time without end is as long as a day here.
        let until = until.unwrap_or(begun + Duration::from_secs(86_400));
        let own = steered.level_model();
        let demands = steered.demands().enumerate();
        let placed = demands.filter(|(_, demand)| matches!(demand, Demand::Placed(_)));
        let mut search = Self {
            steered,
            model: own.clone(),
            is_relaxed: false,
            placed: placed.map(|(number, _)| number).collect(),
            begun,
            until,
            // Trials are no progress of a run.
            frontier: frontier.clone().on_progress(|_| ()),
            is_ended: Cell::new(false),
        };
        let alone = steered.part(own, &search.placed);
        let frontier = search.frontier(Self::MODEL_BYTES);
        if let Err(error) = frontier.compile(alone.model(), alone.cells()) {
            search.note(&error);
            search.model = own.without_neighbours();
            search.is_relaxed = true;
        }
        search
    }

    fn frontier(&self, bytes: u64) -> Frontier {
        let left = self.until.saturating_duration_since(Instant::now());
        self.frontier.clone().memory(bytes).deadline(left)
    }

    /// Remembers that a trial was ended, by time or by the interrupt.
    fn note(&self, error: &Error) {
        let is_ended = matches!(error, Error::NothingDone { .. });
        self.is_ended.set(self.is_ended.get() || is_ended);
    }

    fn is_over(&self) -> bool {
        self.is_ended.get() || Instant::now() >= self.until
    }

    /// True if the model takes more memory than a trial.
    pub(super) fn is_relaxed(&self) -> bool {
        self.is_relaxed
    }

    /// The first demands found that are proven to be impossible together.
    pub(super) fn find(&self) -> Option<Conflict> {
        let hard: Vec<usize> = (0..self.steered.demands().len())
            .filter(|&demand| self.is_tried(demand))
            .collect();
        // What is too large alone is too large with another.
        let mut small = Vec::new();
        for &demand in &hard {
            match self.trial(&[demand]) {
                Trial::Impossible => return Some(self.conflict(vec![demand])),
                Trial::Possible => small.push(demand),
                Trial::Unknown => {}
            }
        }
        if let Some(conflict) = unplayable(self.steered) {
            return Some(conflict);
        }
        match self.trial(&small) {
            Trial::Possible => None,
            Trial::Impossible => {
                let mut kept = small.clone();
                for &other in small.iter().rev() {
                    let rest: Vec<usize> =
                        kept.iter().copied().filter(|&one| one != other).collect();
                    if matches!(self.trial(&rest), Trial::Impossible) {
                        kept = rest;
                    }
                }
                Some(self.conflict(kept))
            }
            Trial::Unknown => {
                let longest = self.begun.checked_add(self.steered.longest_proof());
                let until = longest.map_or(self.until, |longest| self.until.min(longest));
                let search = Self {
                    until,
                    ..self.clone()
                };
                [2, 3].into_iter().find_map(|number| {
                    let mut sets = combinations(&small, number);
                    let found = sets.find(|set| matches!(search.trial(set), Trial::Impossible))?;
                    Some(self.conflict(found))
                })
            }
        }
    }

    /// The conflict of some demands, if they are proven to be impossible together.
    pub(super) fn confirm(&self, demands: &[usize]) -> Option<Conflict> {
        let demands = demands.iter().copied();
        let demands: Vec<usize> = demands.filter(|&demand| self.is_tried(demand)).collect();
        matches!(self.trial(&demands), Trial::Impossible).then(|| self.conflict(demands))
    }

    /// True for demands that are evidence in trials.
    fn is_tried(&self, demand: usize) -> bool {
        match self.steered.demand(demand) {
            Demand::Preferred { .. } | Demand::Near { .. } | Demand::Placed(_) => false,
            // Any column might come next, of too many.
            Demand::Playable(_) => !self.is_relaxed,
            _ => true,
        }
    }

    /// Verdict on some demands: met by some level, or by none.
    fn trial(&self, demands: &[usize]) -> Trial {
        if self.is_over() {
            return Trial::Unknown;
        }
        let by_frontier = self.is_impossible_to(demands, None);
        if by_frontier == Some(true) || self.impossible_window(demands).is_some() {
            return Trial::Impossible;
        }
        match by_frontier {
            Some(_) => Trial::Possible,
            None => Trial::Unknown,
        }
    }

    /// The conflict of some demands that are impossible, with the first column up to which they are found to be so in the time left.
    fn conflict(&self, demands: Vec<usize>) -> Conflict {
        if let Some(column) = self.impossible_window(&demands) {
            return Conflict { demands, column };
        }
        // Tiles that are placed are told where they are needed.
        let mut placed = self.placed.clone();
        for &other in self.placed.iter().rev() {
            let rest: Vec<usize> = placed.iter().copied().filter(|&one| one != other).collect();
            let without = Self {
                placed: rest.clone(),
                ..self.clone()
            };
            if without.is_impossible_to(&demands, None) == Some(true) {
                placed = rest;
            }
        }
        // The first columns are possible below `low`, and impossible at `high`.
        let (mut low, mut high) = (0, self.steered.width() - 1);
        while low < high {
            let middle = low.midpoint(high);
            match self.is_impossible_to(&demands, Some(middle)) {
                Some(true) => high = middle,
                Some(false) => low = middle + 1,
                None => break,
            }
        }
        let mut named = [placed, demands].concat();
        named.sort_unstable();
        Conflict {
            demands: named,
            column: high,
        }
    }

    /// True if nothing meets some demands up to a column, by a frontier; nothing if that takes too much.
    fn is_impossible_to(&self, demands: &[usize], last: Option<usize>) -> Option<bool> {
        // Without neighbours there is nothing that was not seen.
        let is_open =
            |demand: &usize| !self.is_relaxed || *self.steered.demand(*demand) != Demand::Seen;
        let demands = demands.iter().copied().filter(is_open);
        let demands: Vec<usize> = self.placed.iter().copied().chain(demands).collect();
        let part = self.steered.part(&self.model, &demands);
        let bytes = if self.is_relaxed {
            Self::BYTES
        } else {
            Self::MODEL_BYTES
        };
        match last {
            Some(last) => self.is_impossible(&part.model_to(last), bytes),
            None => self.is_impossible(part.model(), bytes),
        }
    }

    /// True if nothing meets the evidence of a model; nothing if that takes too much.
    fn is_impossible(&self, model: &Model, bytes: u64) -> Option<bool> {
        if model.evidence().is_empty() {
            return Some(false);
        }
        let compiled = self.frontier(bytes).compile(model, ());
        let compiled = compiled.inspect_err(|error| self.note(error)).ok()?;
        Some(compiled.log_evidence() == f64::NEG_INFINITY)
    }

    /// The last column of a window around set cells in which the demands exclude each other.
    fn impossible_window(&self, demands: &[usize]) -> Option<usize> {
        let chosen = || demands.iter().map(|&demand| self.steered.demand(demand));
        // What tiles that are placed make of those around them need not have been seen.
        if !chosen().any(|demand| *demand == Demand::Seen) || !self.placed.is_empty() {
            return None;
        }
        let is_set = |row: usize, column: usize| {
            chosen().any(|demand| match demand {
                Demand::Pinned(mask) => mask.get(row, column).is_some(),
                Demand::Shaped {
                    pattern,
                    row: top,
                    column: left,
                } => {
                    let cell = row.checked_sub(*top).zip(column.checked_sub(*left));
                    let form = pattern
                        .forms()
                        .first()
                        .filter(|_| pattern.forms().len() == 1);
                    let class = form.zip(cell).and_then(|(form, cell)| form.get(cell));
                    class.is_some_and(|class| !class.is_any())
                }
                _ => false,
            })
        };
        let (height, width) = (self.steered.height(), self.steered.width());
        for column in 0..width {
            let columns = column.saturating_sub(1)..width.min(column + 2);
            for rows in clusters(height, |row| is_set(row, column)) {
                if self.is_over() {
                    return None;
                }
                if self.is_impossible_window(demands, &rows, columns.clone())? {
                    return Some(column);
                }
            }
        }
        None
    }

    /// True if the demands exclude each other in a window; nothing if the model has none.
    fn is_impossible_window(
        &self,
        demands: &[usize],
        rows: &Range<usize>,
        columns: Range<usize>,
    ) -> Option<bool> {
        let own = self.steered.level_model();
        let window = own.program().window(rows.clone(), columns.clone())?;
        let mut model = Model::new();
        for column in columns {
            for seen in window.seen(column) {
                model = model.observe_any(&seen.element, seen.value.clone());
            }
            for &demand in demands {
                model = match self.steered.demand(demand) {
                    Demand::Pinned(mask) => {
                        rows.clone()
                            .fold(model, |model, row| match mask.get(row, column) {
                                Some(tile) => model.observe(window.tile(row, column), tile),
                                None => model,
                            })
                    }
                    Demand::Shaped {
                        pattern,
                        row: top,
                        column: left,
                    } if pattern.forms().len() == 1 => rows.clone().fold(model, |model, row| {
                        let cell = row.checked_sub(*top).zip(column.checked_sub(*left));
                        match cell.and_then(|cell| pattern.forms()[0].get(cell)).cloned() {
                            Some(class) => model
                                .condition(window.tile(row, column), move |&tile| {
                                    class.contains(tile)
                                }),
                            None => model,
                        }
                    }),
                    _ => model,
                };
            }
        }
        Some(self.is_impossible(&model, Self::WINDOW_BYTES) == Some(true))
    }
}

/// All sets of so many of some numbers, in lexicographic order.
fn combinations(of: &[usize], number: usize) -> Box<dyn Iterator<Item = Vec<usize>> + '_> {
    if number == 0 {
        return Box::new(std::iter::once(Vec::new()));
    }
    let firsts = of.iter().enumerate();
    Box::new(firsts.flat_map(move |(place, &first)| {
        let rest = combinations(&of[place + 1..], number - 1);
        rest.map(move |rest| [vec![first], rest].concat())
    }))
}

/// Ranges of rows around those that are set, each with a row more above and below; ranges that meet are one.
fn clusters(height: usize, is_set: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for row in (0..height).filter(|&row| is_set(row)) {
        let around = row.saturating_sub(1)..height.min(row + 2);
        match all.last_mut() {
            Some(last) if last.end >= around.start => last.end = around.end,
            _ => all.push(around),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{clusters, combinations};

    #[test]
    fn combinations_are_all_sets_of_a_size() {
        let sets: Vec<Vec<usize>> = combinations(&[3, 5, 7, 9], 2).collect();
        let expected = [[3, 5], [3, 7], [3, 9], [5, 7], [5, 9], [7, 9]];
        assert_eq!(sets, expected);
        assert_eq!(combinations(&[3, 5, 7, 9], 3).count(), 4);
        assert_eq!(combinations(&[3], 2).count(), 0);
    }

    #[test]
    fn rows_that_are_set_are_taken_with_those_around() {
        let set = |rows: &'static [usize]| clusters(9, |row| rows.contains(&row));
        assert_eq!(set(&[0]), vec![0..2]);
        assert_eq!(set(&[2, 3, 8]), vec![1..5, 7..9]);
        assert_eq!(set(&[1, 4]), vec![0..6]);
    }
}
