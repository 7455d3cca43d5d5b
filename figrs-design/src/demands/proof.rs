//! Proves that demands contradict each other, by exact inference with little memory: first each demand alone, then several together.

use std::cell::Cell;
use std::ops::{Range, RangeInclusive};

use figrs_core::Model;
use figrs_infer::{Error, Frontier, WorkBudget};

use super::demand::Demand;
use super::played_proof::unplayable;
use super::steered::SteeredLevel;
use super::trial::{Core, Trial, combinations, first_column, minimal};
use figrs_models::mdmc::LevelModel;

/// Demands that contradict each other, given by their indices, and the first column at which no level meets all of them any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    pub(super) demands: Vec<usize>,
    /// True if the conflict is known to need each of its demands.
    pub(super) is_minimal: bool,
    /// The column at which levels fail, or a range that contains this column if the search did not find it.
    pub(super) columns: RangeInclusive<usize>,
}

impl Conflict {
    pub(super) fn at(column: usize, demands: Vec<usize>) -> Self {
        Self {
            demands,
            is_minimal: true,
            columns: column..=column,
        }
    }
}

/// Searches for a proof that no level can meet some demands.
///
/// A trial decides whether any level meets some of the demands, by a [`Frontier`] with a small memory limit. If the model fits into the memory, a
/// trial covers the levels of the model; otherwise it covers all levels with the tiles that are possible in their rows. The search also tries a
/// window of a few columns around cells whose tiles are set, with any tiles outside the window. Every conflict that the search proves holds for the
/// model, but some conflicts may remain unproven. Every trial includes the tiles that demands place by intervention.
///
/// The search first tries each demand alone. Then it looks for a player's path through a level in which each cell may have any tile that the demands
/// allow. At last it tries all demands together, and leaves demands out one after another if no level meets them. In long levels, the search takes
/// all of these steps with the [first columns](Self::FIRST_COLUMNS) before it takes more columns.
///
/// The search stops when its work is used up or the given frontier is interrupted, even within a trial. A stopped search returns the conflict proven
/// so far, and states what it could not decide.
#[derive(Clone, Debug)]
pub(super) struct ProofSearch<'a> {
    steered: &'a SteeredLevel,
    /// The model whose levels the trials examine.
    model: LevelModel,
    /// True if `model` is a relaxation of the level's model that ignores neighbours.
    is_relaxed: bool,
    /// Number of columns, from the left, that trials examine.
    columns: usize,
    /// Indices of the demands that place tiles.
    placed: Vec<usize>,
    work: WorkBudget,
    /// The exact algorithm for the trials, without a memory limit.
    frontier: Frontier,
    /// True if the work budget or an interrupt has ended a trial early.
    is_ended: Cell<bool>,
}

impl<'a> ProofSearch<'a> {
    /// Number of columns of the first trials.
    const FIRST_COLUMNS: usize = 256;
    /// Factor by which the number of columns grows from one round of trials to the next.
    const FURTHER: usize = 8;
    /// Maximum size in bytes of a trial's states if the trial uses the model itself.
    const MODEL_BYTES: u64 = 8 << 20;
    /// Maximum size in bytes of a trial's states if the trial ignores neighbours; only demands have states then.
    const BYTES: u64 = 2 << 20;
    /// Maximum size in bytes of the states in a trial of a window of a few columns.
    const WINDOW_BYTES: u64 = 1 << 20;

    /// Creates a search that stops when the budget `work` is used up.
    pub(super) fn new(steered: &'a SteeredLevel, frontier: &Frontier, work: WorkBudget) -> Self {
        let demands = steered.demands().enumerate();
        let placed = demands.filter(|(_, demand)| matches!(demand, Demand::Placed(_)));
        let mut search = Self {
            steered,
            model: steered.level_model().clone(),
            is_relaxed: false,
            columns: Self::FIRST_COLUMNS.min(steered.width()),
            placed: placed.map(|(number, _)| number).collect(),
            // Trials report no progress of a run.
            frontier: frontier.clone().on_progress(|_| ()).work(&work),
            work,
            is_ended: Cell::new(false),
        };
        search.relax();
        search
    }

    /// If the states of the model's first columns take too much memory, replaces the model by a relaxation that ignores neighbours.
    fn relax(&mut self) {
        if self.is_relaxed {
            return;
        }
        let alone = self.part(&[]).first_columns(self.columns);
        let compiled = self
            .frontier(Self::MODEL_BYTES)
            .compile(&alone.model, &alone.cells);
        if let Err(error) = compiled {
            self.note(&error);
            self.model = self.steered.level_model().without_neighbours();
            self.is_relaxed = true;
        }
    }

    fn in_more_columns(mut self, search: impl Fn(&Self) -> Option<Conflict>) -> Option<Conflict> {
        let width = self.steered.width();
        loop {
            let found = search(&self);
            if found.is_some() || self.columns == width || self.is_over() {
                return found;
            }
            self.columns = self.columns.saturating_mul(Self::FURTHER).min(width);
            self.relax();
        }
    }

    fn frontier(&self, bytes: u64) -> Frontier {
        self.frontier.clone().memory(bytes)
    }

    /// Records whether the work budget or the interrupt has ended a trial early.
    fn note(&self, error: &Error) {
        let is_ended = matches!(error, Error::NothingDone { .. });
        self.is_ended.set(self.is_ended.get() || is_ended);
    }

    fn is_over(&self) -> bool {
        self.is_ended.get() || self.work.left() == 0 || self.frontier.is_interrupted()
    }

    /// Takes `steps` steps from the work budget; returns true if the search may go on.
    fn spend(&self, steps: u64) -> bool {
        self.work.spend(steps) && !self.is_over()
    }

    /// True if the trials use a relaxed model because the model itself takes too much memory.
    pub(super) fn is_relaxed(&self) -> bool {
        self.is_relaxed
    }

    pub(super) fn find(self) -> Option<Conflict> {
        self.in_more_columns(Self::find_in_columns)
    }

    fn find_in_columns(&self) -> Option<Conflict> {
        let hard: Vec<usize> = (0..self.steered.demands().len())
            .filter(|&demand| self.is_tried(demand))
            .collect();
        // A demand that takes too much memory alone also takes too much together with others.
        let mut small = Vec::new();
        for &demand in &hard {
            match self.trial(&[demand]) {
                (Trial::Impossible, about) => return Some(self.conflict(&about)),
                (Trial::Possible, _) => small.push(demand),
                (Trial::Unknown, _) => {}
            }
        }
        // This search looks at all columns, so it runs once.
        if self.columns <= Self::FIRST_COLUMNS
            && let Some(conflict) = unplayable(self.steered, &|steps| self.spend(steps))
        {
            return Some(conflict);
        }
        match self.trial(&small) {
            (Trial::Possible, _) => None,
            (Trial::Impossible, about) => Some(self.conflict(&about)),
            (Trial::Unknown, _) => [2, 3].into_iter().find_map(|number| {
                let sets = combinations(&small, number).take_while(|_| !self.is_over());
                let mut trials = sets.map(|set| self.trial(&set));
                let (_, about) = trials.find(|(trial, _)| *trial == Trial::Impossible)?;
                Some(self.conflict(&about))
            }),
        }
    }

    /// Tries to prove that the demands with the indices `demands` contradict each other; returns their conflict if this succeeds.
    pub(super) fn confirm(self, demands: &[usize]) -> Option<Conflict> {
        self.in_more_columns(|search| {
            let demands = demands.iter().copied();
            let demands: Vec<usize> = demands.filter(|&demand| search.is_tried(demand)).collect();
            let (trial, about) = search.trial(&demands);
            (trial == Trial::Impossible).then(|| search.conflict(&about))
        })
    }

    /// True if the trials of the search state the demand as evidence.
    fn is_tried(&self, demand: usize) -> bool {
        match self.steered.demand(demand) {
            Demand::Preferred { .. } | Demand::Near { .. } | Demand::Placed(_) => false,
            // In a model without neighbours any column may follow any other, which gives playability too many states.
            Demand::Playable(_) => !self.is_relaxed,
            _ => true,
        }
    }

    /// Returns whether any level meets the demands with the indices `demands`, and the demands on which the answer depends.
    fn trial(&self, demands: &[usize]) -> (Trial, Vec<usize>) {
        // The relaxed model ignores neighbours, so each of its levels counts as seen.
        let is_open =
            |demand: &usize| !self.is_relaxed || *self.steered.demand(*demand) != Demand::Seen;
        let open: Vec<usize> = demands.iter().copied().filter(is_open).collect();
        let by_frontier = self.by_frontier(&open);
        if by_frontier != Trial::Impossible && self.impossible_window(demands).is_some() {
            return (Trial::Impossible, demands.to_vec());
        }
        (by_frontier, open)
    }

    /// Decides by exact inference whether any level meets these demands, over all columns of the trials.
    fn by_frontier(&self, demands: &[usize]) -> Trial {
        self.by_frontier_of(&self.part(demands), self.columns)
    }

    fn by_frontier_of(&self, part: &SteeredLevel, columns: usize) -> Trial {
        if self.is_over() {
            return Trial::Unknown;
        }
        let bytes = if self.is_relaxed {
            Self::BYTES
        } else {
            Self::MODEL_BYTES
        };
        self.try_model(&part.first_columns(columns).model, bytes)
    }

    /// Returns the conflict of `demands`, which contradict each other: the demands that it needs, and the column, as far as the remaining work finds
    /// them.
    fn conflict(&self, demands: &[usize]) -> Conflict {
        let Core {
            members: demands,
            is_minimal,
        } = minimal(demands, |rest| match rest {
            // Without demands, every level is allowed.
            [] => Trial::Possible,
            rest => self.trial(rest).0,
        });
        if let Some(column) = self.impossible_window(&demands) {
            return Conflict {
                is_minimal,
                ..Conflict::at(column, demands)
            };
        }
        // Demands that place tiles are named if the conflict needs them.
        let placed = minimal(&self.placed, |rest| {
            let placed = rest.to_vec();
            let without = Self {
                placed,
                ..self.clone()
            };
            without.by_frontier(&demands)
        });
        let part = self.part(&demands);
        let columns = first_column(self.columns, |last| self.by_frontier_of(&part, last + 1));
        let mut named = [placed.members, demands].concat();
        named.sort_unstable();
        Conflict {
            demands: named,
            is_minimal: is_minimal && placed.is_minimal,
            columns,
        }
    }

    /// Returns a level with the model of the trials, the tiles that demands place, and the demands with the indices `demands`.
    fn part(&self, demands: &[usize]) -> SteeredLevel {
        let demands = [&*self.placed, demands].concat();
        self.steered.part(&self.model, &demands)
    }

    /// Returns whether the evidence of `model` can be met, by exact inference within `bytes` bytes.
    fn try_model(&self, model: &Model, bytes: u64) -> Trial {
        if model.evidence().is_empty() {
            return Trial::Possible;
        }
        match self.frontier(bytes).compile(model, ()) {
            Ok(compiled) if compiled.log_evidence() == f64::NEG_INFINITY => Trial::Impossible,
            Ok(_) => Trial::Possible,
            Err(error) => {
                self.note(&error);
                Trial::Unknown
            }
        }
    }

    /// Returns the last column of a window around set cells in which the demands contradict each other; `None` if there is none.
    fn impossible_window(&self, demands: &[usize]) -> Option<usize> {
        let chosen = || demands.iter().map(|&demand| self.steered.demand(demand));
        // Placed tiles may stand beside tiles with which training never shows them, so that windows prove nothing.
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
        for column in 0..self.columns {
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

    /// True if the demands contradict each other in the given window; `None` if the model does not support windows.
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
        Some(self.try_model(&model, Self::WINDOW_BYTES) == Trial::Impossible)
    }
}

/// Returns ranges of rows around rows with set cells, each extended by one row above and below; ranges that meet are joined.
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
