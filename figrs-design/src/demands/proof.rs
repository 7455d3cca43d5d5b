//! Proves that demands (requirements on a level) contradict each other, by exact inference with little memory: first for each demand alone, then for
//! several demands together.

use std::cell::Cell;
use std::ops::{Range, RangeInclusive};

use figrs_core::Model;
use figrs_infer::{Compiled, Error, Frontier, WorkBudget};

use super::demand::Demand;
use super::demanded_level::DemandedLevel;
use super::played_proof::unplayable;
use super::trial::{Core, Trial, combinations, first_column, minimal};
use figrs_models::mdmc::LevelModel;

/// Demands that contradict each other, given by their indices, and the first column at which levels can no longer meet all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    pub(super) demands: Vec<usize>,
    pub(super) is_minimal: bool,
    /// The column at which levels can no longer meet all demands of the conflict, or a range that contains this column.
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

/// Searches for a proof that no level can meet all of some demands.
///
/// A trial run decides whether any level meets some of the demands, by a [`Frontier`] with a small memory limit. If the states of the model fit into
/// the memory limit, a trial run decides whether any level of the model meets the demands. If the states of the model need more memory than the
/// limit, a trial run examines a larger set of levels, in which each cell may have any tile that is possible in its row. The search for a proof also
/// examines windows of a few columns around cells whose tiles are set by demands; the tiles outside a window may be any. Every conflict between
/// demands that the search proves is a conflict for the model itself, but the search may miss a conflict. Every trial run takes account of the tiles
/// that demands place by intervention.
///
/// The search for contradictory demands first tries each demand alone. In its second step, the search looks for a player's path through a level in
/// which each cell may have any tile that the demands allow. In its last step, the search tries all demands together; if no level meets all of them,
/// the search leaves out one demand after another to find a minimal set. In long levels, the search for contradictory demands makes all its tests for
/// the [first columns](Self::FIRST_COLUMNS) before it includes more columns.
///
/// The search for a proof stops when its work is used up or its [`Frontier`] is interrupted, even within a trial run. A search that was stopped
/// returns the conflict proven so far, and states whether the conflict may contain more demands or columns than necessary.
#[derive(Clone, Debug)]
pub(super) struct ProofSearch<'a> {
    demanded: &'a DemandedLevel,
    model: LevelModel,
    /// True if `model` is a relaxed model, in which the tiles of neighbouring cells are independent.
    is_relaxed: bool,
    /// Number of columns of a level that trial runs examine, counted from the left.
    columns: usize,
    placed: Vec<usize>,
    work: WorkBudget,
    frontier: Frontier,
    /// True if a trial run ended early because the work was used up or the run was interrupted.
    is_ended: Cell<bool>,
}

impl<'a> ProofSearch<'a> {
    const FIRST_COLUMNS: usize = 256;
    /// Factor by which the number of examined columns grows from one round of trial runs to the next.
    const FURTHER: usize = 8;
    /// Maximum size in bytes of the states of a trial run that examines levels of the model itself.
    const MODEL_BYTES: u64 = 8 << 20;
    /// Maximum size in bytes of the states of a trial run that examines the relaxed model, in which neighbouring tiles are independent. The states of
    /// a trial run on the relaxed model record only how far each demand is met.
    const BYTES: u64 = 2 << 20;
    /// Maximum size in bytes of the states of a trial run that examines a window of columns.
    const WINDOW_BYTES: u64 = 1 << 20;

    pub(super) fn new(demanded: &'a DemandedLevel, frontier: &Frontier, work: WorkBudget) -> Self {
        let demands = demanded.demands().enumerate();
        let placed = demands.filter(|(_, demand)| matches!(demand, Demand::Placed(_)));
        let mut search = Self {
            demanded,
            model: demanded.level_model().clone(),
            is_relaxed: false,
            columns: Self::FIRST_COLUMNS.min(demanded.width()),
            placed: placed.map(|(number, _)| number).collect(),
            // Trial runs do not report progress.
            frontier: frontier.clone().on_progress(|_| ()).work(&work),
            work,
            is_ended: Cell::new(false),
        };
        search.relax();
        search
    }

    /// Replaces the model by a relaxed model without dependence between neighbouring tiles, if the states of the model's first columns take too much
    /// memory.
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
            self.model = self.demanded.level_model().without_neighbours();
            self.is_relaxed = true;
        }
    }

    fn in_more_columns(mut self, search: impl Fn(&Self) -> Option<Conflict>) -> Option<Conflict> {
        let width = self.demanded.width();
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

    fn note(&self, error: &Error) {
        let is_ended = matches!(error, Error::NothingDone { .. });
        self.is_ended.set(self.is_ended.get() || is_ended);
    }

    fn is_over(&self) -> bool {
        self.is_ended.get() || self.work.left() == 0 || self.frontier.is_interrupted()
    }

    /// Uses up `steps` steps of work; returns true if enough work is left for the search for a proof to continue.
    fn spend(&self, steps: u64) -> bool {
        self.work.spend(steps) && !self.is_over()
    }

    pub(super) fn is_relaxed(&self) -> bool {
        self.is_relaxed
    }

    pub(super) fn find(self) -> Option<Conflict> {
        self.in_more_columns(Self::find_in_columns)
    }

    fn find_in_columns(&self) -> Option<Conflict> {
        let hard: Vec<usize> = (0..self.demanded.demands().len())
            .filter(|&demand| self.is_tried(demand))
            .collect();
        // A demand that takes too much memory alone is left out, because it would also take too much memory together with others.
        let mut small = Vec::new();
        for &demand in &hard {
            match self.trial(&[demand]) {
                (Trial::Impossible, about) => return Some(self.conflict(&about)),
                (Trial::Possible, _) => small.push(demand),
                (Trial::Unknown, _) => {}
            }
        }
        // The search for a player's path examines all columns, and therefore runs once.
        if self.columns <= Self::FIRST_COLUMNS
            && let Some(conflict) = unplayable(self.demanded, &|steps| self.spend(steps))
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

    /// Tries to prove that the demands with the indices `demands` contradict each other; returns the conflict, or `None` if no proof is found.
    pub(super) fn confirm(self, demands: &[usize]) -> Option<Conflict> {
        self.in_more_columns(|search| {
            let demands = demands.iter().copied();
            let demands: Vec<usize> = demands.filter(|&demand| search.is_tried(demand)).collect();
            let (trial, about) = search.trial(&demands);
            (trial == Trial::Impossible).then(|| search.conflict(&about))
        })
    }

    /// True if a trial run can state the demand as evidence on a level.
    fn is_tried(&self, demand: usize) -> bool {
        match self.demanded.demand(demand) {
            Demand::Preferred { .. } | Demand::Near { .. } | Demand::Placed(_) => false,
            // In the relaxed model any column may follow any other column, and the automaton for playability has too many states.
            Demand::Playable(_) => !self.is_relaxed,
            _ => true,
        }
    }

    /// Decides whether any level meets the demands with the indices `demands`. The result also contains the indices of the demands that the decision
    /// takes into account.
    fn trial(&self, demands: &[usize]) -> (Trial, Vec<usize>) {
        // The relaxed model ignores neighbours, so all of its levels meet the demand `Seen`.
        let is_open =
            |demand: &usize| !self.is_relaxed || *self.demanded.demand(*demand) != Demand::Seen;
        let open: Vec<usize> = demands.iter().copied().filter(is_open).collect();
        let by_frontier = self.by_frontier(&open);
        if by_frontier != Trial::Impossible && self.impossible_window(demands).is_some() {
            return (Trial::Impossible, demands.to_vec());
        }
        (by_frontier, open)
    }

    /// Decides by exact inference whether any level meets the demands `demands` in the columns that trial runs examine.
    fn by_frontier(&self, demands: &[usize]) -> Trial {
        self.by_frontier_of(&self.part(demands), self.columns)
    }

    fn by_frontier_of(&self, part: &DemandedLevel, columns: usize) -> Trial {
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

    /// Returns the conflict (the contradictory demands, and the column where they fail) for `demands`, which contradict each other. As far as the
    /// remaining work suffices, drops the demands that the contradiction does not need, and finds the first column at which levels can no longer meet
    /// the remaining demands.
    fn conflict(&self, demands: &[usize]) -> Conflict {
        let Core {
            members: demands,
            is_minimal,
        } = minimal(demands, |rest| match rest {
            [] => Trial::Possible,
            rest => self.trial(rest).0,
        });
        if let Some(column) = self.impossible_window(&demands) {
            return Conflict {
                is_minimal,
                ..Conflict::at(column, demands)
            };
        }
        // The conflict also names the demands that place tiles, if the conflict needs these demands.
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

    /// Returns a level of the model that trial runs examine, with the tiles that demands place, and with the demands that have the indices `demands`.
    fn part(&self, demands: &[usize]) -> DemandedLevel {
        let demands = [&*self.placed, demands].concat();
        self.demanded.part(&self.model, &demands)
    }

    /// Decides by exact inference, with states of at most `bytes` bytes, whether the evidence of `model` can be met.
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

    /// Returns the middle column of a window of columns in which the demands contradict each other; only windows around cells with set tiles are
    /// examined. Returns `None` if there is no such window.
    fn impossible_window(&self, demands: &[usize]) -> Option<usize> {
        let chosen = || demands.iter().map(|&demand| self.demanded.demand(demand));
        // Training may never show a placed tile beside its neighbours, so windows prove nothing if demands place tiles.
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
        let (height, width) = (self.demanded.height(), self.demanded.width());
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

    /// True if the demands contradict each other in the given window of columns; `None` if the model does not support windows.
    fn is_impossible_window(
        &self,
        demands: &[usize],
        rows: &Range<usize>,
        columns: Range<usize>,
    ) -> Option<bool> {
        let own = self.demanded.level_model();
        let window = own.program().window(rows.clone(), columns.clone())?;
        let mut model = Model::new();
        for column in columns {
            for seen in window.seen(column) {
                model = model.observe_any(&seen.element, seen.value.clone());
            }
            for &demand in demands {
                model = match self.demanded.demand(demand) {
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

/// Returns ranges of rows around the rows that contain cells with set tiles: each range has one more row above and below, and ranges that touch are
/// joined.
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
