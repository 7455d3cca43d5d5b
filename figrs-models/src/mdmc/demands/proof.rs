//! Proofs that demands exclude each other: each alone, then in pairs, on small frontiers.

use std::cell::Cell;
use std::ops::Range;
use std::time::{Duration, Instant};

use figrs_core::Model;
use figrs_infer::{Error, Frontier};

use super::demand::Demand;
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
    /// Up to this column.
    Impossible(usize),
    /// They take too much memory.
    Unknown,
}

/// Search for a proof that one demand or two cannot be met.
///
/// A trial asks whether any level meets some demands, by a [`Frontier`] of little memory. Where the model itself fits into that memory, levels are those of the
/// model; otherwise they are all levels with the tiles that are possible in their rows, of which there are more. Around cells that are set, a window of
/// a few columns is tried besides, with the law of the model inside and any tiles around. So what is proven holds for the model,
/// and something may remain unproven.
///
/// The work is bounded by the memory of each trial and by their number, so that what is proven does not depend on the machine, unless that is so slow
/// that the [longest time](Self::LONGEST) is over before. It ends with nothing once the interrupt is set of the frontier that is given.
#[derive(Clone, Debug)]
pub(super) struct ProofSearch<'a> {
    steered: &'a SteeredLevel,
    /// The model of the trials.
    model: LevelModel,
    /// True if that is not the model itself.
    is_relaxed: bool,
    until: Instant,
    /// The frontier of the trials, without memory and time.
    frontier: Frontier,
    /// True once a trial was ended.
    is_ended: Cell<bool>,
}

impl<'a> ProofSearch<'a> {
    /// Bytes of the frontier of a trial of the model itself: 14 rows of a chain take more, n-grams less.
    const MODEL_BYTES: u64 = 8 << 20;
    /// Bytes of the frontier of a trial without neighbours, where there are only the states of a demand or two.
    const BYTES: u64 = 2 << 20;
    /// Bytes of the frontier of a window.
    const WINDOW_BYTES: u64 = 1 << 20;
    /// Time after which no trial begins, and those under way end. The memory of trials usually ends them long before.
    const LONGEST: Duration = Duration::from_secs(20);

    pub(super) fn new(steered: &'a SteeredLevel, frontier: &Frontier) -> Self {
        let until = Instant::now() + Self::LONGEST;
        let own = steered.level_model();
        let mut search = Self {
            steered,
            model: own.clone(),
            is_relaxed: false,
            until,
            // Trials are no progress of a run.
            frontier: frontier.clone().on_progress(|_| ()),
            is_ended: Cell::new(false),
        };
        let alone = steered.part(own, &[]);
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

    /// The first demand or pair of demands that is proven to be impossible.
    pub(super) fn find(&self) -> Option<Conflict> {
        let is_hard = |demand: &Demand| match demand {
            Demand::Preferred { .. } | Demand::Near { .. } => false,
            // Any column might come next, of too many.
            Demand::Playable | Demand::PlayableUnder(_) => !self.is_relaxed,
            _ => true,
        };
        let demands = self.steered.demands().enumerate();
        let hard: Vec<usize> = demands
            .filter(|(_, demand)| is_hard(demand))
            .map(|(number, _)| number)
            .collect();
        // What is too large alone is too large with another.
        let mut small = Vec::new();
        for &demand in &hard {
            match self.trial(&[demand]) {
                Trial::Impossible(column) => {
                    let demands = vec![demand];
                    return Some(Conflict { demands, column });
                }
                Trial::Possible => small.push(demand),
                Trial::Unknown => {}
            }
        }
        let pairs = small.iter().enumerate().flat_map(|(place, &other)| {
            let before = small[..place].iter();
            before.map(move |&one| vec![one, other])
        });
        for demands in pairs {
            if let Trial::Impossible(column) = self.trial(&demands) {
                return Some(Conflict { demands, column });
            }
        }
        None
    }

    /// Verdict on some demands: met by some level, or by none.
    fn trial(&self, demands: &[usize]) -> Trial {
        if self.is_over() {
            return Trial::Unknown;
        }
        let part = self.steered.part(&self.model, demands);
        let bytes = if self.is_relaxed {
            Self::BYTES
        } else {
            Self::MODEL_BYTES
        };
        let is_seen = |&demand: &usize| *self.steered.demand(demand) == Demand::Seen;
        // Without neighbours there is nothing that was not seen.
        let adds_nothing = self.is_relaxed && demands.iter().any(is_seen) && demands.len() > 1;
        let is_impossible = if adds_nothing {
            Some(false)
        } else {
            self.is_impossible(part.model(), bytes)
        };
        if is_impossible == Some(true) {
            // The first columns are possible below `low`, and impossible at `high`.
            let (mut low, mut high) = (0, self.steered.width() - 1);
            while low < high {
                let middle = low.midpoint(high);
                if self.is_impossible(&part.model_to(middle), bytes) == Some(true) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return Trial::Impossible(high);
        }
        match self.impossible_window(demands) {
            Some(column) => Trial::Impossible(column),
            None if is_impossible.is_none() => Trial::Unknown,
            None => Trial::Possible,
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
        if !chosen().any(|demand| *demand == Demand::Seen) {
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
    use super::clusters;

    #[test]
    fn rows_that_are_set_are_taken_with_those_around() {
        let set = |rows: &'static [usize]| clusters(9, |row| rows.contains(&row));
        assert_eq!(set(&[0]), vec![0..2]);
        assert_eq!(set(&[2, 3, 8]), vec![1..5, 7..9]);
        assert_eq!(set(&[1, 4]), vec![0..6]);
    }
}
