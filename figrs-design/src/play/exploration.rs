//! Explores a player's moves inside one column of a level, when the columns to its left are known and the columns to its right are not.

use super::Route;
use super::cell_class::{CellClass, Via};
use super::frame::FrameGoal;
use super::reach::EdgeCrossings;
use super::rules::{CompiledRules, Situation};
use super::stages::{FREE, Stage, StagedStep};
use figrs_models::mdmc::Travel;

/// A set of arrivals (ways to enter a column) as bits, with several machine words for each place (a row together with the number of areas of the
/// route that are passed).
pub(super) type Crossings = Vec<u64>;

/// A row of a column, together with the number of areas of the route that the player has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) row: usize,
    pub(super) passed: usize,
}

pub(super) struct ColumnCells<'a> {
    pub(super) rules: &'a CompiledRules,
    pub(super) route: &'a Route,
    pub(super) classes: &'a [CellClass],
    /// Index of the column in the level, or of another column that the route treats as equal to it.
    column: usize,
    pub(super) is_first: bool,
    situations: Vec<Situation>,
    /// The ways in which a player can cross the left edge of the column in both directions, given the columns to the left.
    left: Option<&'a EdgeCrossings>,
}

impl<'a> ColumnCells<'a> {
    /// Creates a column of the exploration; `left` contains the crossings from the columns to its left, or is `None` for the first column.
    pub(super) fn new(
        route: &'a Route,
        classes: &'a [CellClass],
        column: usize,
        left: Option<&'a EdgeCrossings>,
    ) -> Self {
        let rules = route.rules().compiled();
        let situations = (0..classes.len()).map(|row| {
            let below = match (rules.travel(), left) {
                (Travel::Right, _) => classes.get(row + 1).copied(),
                (Travel::Up, Some(left)) => Some(left.supports[row]),
                (Travel::Up, None) => None,
            };
            rules.situation(classes[row], below)
        });
        Self {
            rules,
            route,
            classes,
            column,
            is_first: left.is_none(),
            situations: situations.collect(),
            left,
        }
    }

    pub(super) fn height(&self) -> usize {
        self.classes.len()
    }

    /// Returns the number of places (pairs of a row and a number of passed areas): the number of rows times the number of possible counts of passed
    /// areas.
    pub(super) fn places(&self) -> usize {
        self.height() * (self.route.last() + 1)
    }

    pub(super) fn index(&self, place: Place) -> usize {
        place.passed * self.height() + place.row
    }

    /// True if the next area of the route, for a player who has passed `passed` areas, has cells in `column` or to the right of it.
    pub(super) fn is_ahead(&self, passed: usize, column: usize) -> bool {
        let next = self.route.areas().get(passed);
        next.is_some_and(|area| area.goes_on_at(column))
    }

    fn loses(&self, row: usize) -> bool {
        self.rules.loses_at_bottom()
            && match self.rules.travel() {
                Travel::Right => row + 1 == self.height(),
                Travel::Up => self.is_first,
            }
    }

    pub(super) fn enters(&self, row: usize) -> bool {
        CompiledRules::enters(self.classes[row])
    }

    pub(super) fn stands(&self, row: usize) -> bool {
        self.situations[row].stands()
    }

    /// True if the movement lets a player stand in the row `row` of the column, even if strict rules forbid it because of an enemy or hazard.
    pub(super) fn ground(&self, row: usize) -> bool {
        let enters = self.enters(row) || self.classes[row].has(CellClass::HARM);
        enters && self.situations[row].stands_by_movement() && !self.loses(row)
    }

    fn wins(&self, Place { row, passed }: Place) -> bool {
        if passed < self.route.last() {
            return false;
        }
        match self.rules.goal {
            FrameGoal::FirstColumn => self.is_first,
            FrameGoal::FirstRow => row == 0,
            FrameGoal::LastRow => row + 1 == self.height(),
            FrameGoal::AnyTile => self.classes[row].has(CellClass::GOAL),
            _ => false,
        }
    }
}

/// The stages (progress) of moves that a player reaches in one column, given the column's cells and the player's arrivals in the column.
#[derive(Clone)]
pub(super) struct ColumnExploration<'a> {
    cells: &'a ColumnCells<'a>,
    /// The stages of moves that the player reaches, as bits in several machine words for each place (a row together with a number of passed areas).
    reached: Vec<u64>,
    /// The ways in which the player can enter the next column (to the right).
    pub(super) right: Crossings,
    /// The ways in which the player can enter the previous column (to the left), which may lead to goal tiles that are not reached yet.
    pub(super) left: Crossings,
    pub(super) wins: bool,
    open: Vec<(Place, Stage)>,
}

impl<'a> ColumnExploration<'a> {
    pub(super) fn new(cells: &'a ColumnCells<'a>) -> Self {
        let rules = cells.rules;
        let crossings = cells.places() * rules.arrival_words();
        Self {
            cells,
            reached: vec![0; cells.places() * rules.stage_words()],
            right: vec![0; crossings],
            left: vec![
                0;
                if rules.goal.has_targets() {
                    crossings
                } else {
                    0
                }
            ],
            wins: false,
            open: Vec::new(),
        }
    }

    /// Copies the state of `other`, a finished exploration of the same column.
    pub(super) fn reset(&mut self, other: &Self) {
        self.reached.copy_from_slice(&other.reached);
        self.right.copy_from_slice(&other.right);
        self.left.copy_from_slice(&other.left);
        self.wins = other.wins;
    }

    pub(super) fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn is_reached(&self, place: Place, stage: Stage) -> bool {
        let words = self.cells.rules.stage_words();
        let place = self.cells.index(place);
        self.reached[place * words + usize::from(stage) / 64] >> (stage % 64) & 1 == 1
    }

    /// True if a player who has passed all areas of the route can stop or fall in the row `row`.
    pub(super) fn is_free(&self, row: usize) -> bool {
        let passed = self.cells.route.last();
        self.is_reached(Place { row, passed }, FREE)
    }

    pub(super) fn is_free_somewhere(&self) -> bool {
        (0..self.cells.height()).any(|row| self.is_free(row))
    }

    pub(super) fn start(&mut self, row: usize) {
        self.reach(Place { row, passed: 0 }, FREE, (true, Via::Air));
    }

    /// Marks the stage `stage` of a move as reached at `place`; if the player can end the move there, the state between two moves is marked as well.
    /// If the step's test concerns a cell that lies in the next area of the route, the player passes this area.
    pub(super) fn reach(&mut self, place: Place, stage: Stage, (lands, via): (bool, Via)) {
        let mut place = place;
        loop {
            if lands {
                self.mark(place, FREE);
            }
            self.mark(place, stage);
            let cell = (place.row, self.cells.column);
            if via.skips() || !self.cells.route.passes(place.passed, cell) {
                return;
            }
            place.passed += 1;
        }
    }

    /// True if all stages of the move that a call of [`reach`](Self::reach) would mark are already marked.
    pub(super) fn has(&self, place: Place, stage: Stage, (lands, via): (bool, Via)) -> bool {
        let mut place = place;
        loop {
            if !self.is_reached(place, stage) || lands && !self.is_reached(place, FREE) {
                return false;
            }
            let cell = (place.row, self.cells.column);
            if via.skips() || !self.cells.route.passes(place.passed, cell) {
                return true;
            }
            place.passed += 1;
        }
    }

    fn mark(&mut self, place: Place, stage: Stage) {
        let words = self.cells.rules.stage_words();
        let index = self.cells.index(place);
        let word = &mut self.reached[index * words + usize::from(stage) / 64];
        let bit = 1 << (stage % 64);
        if *word & bit == 0 {
            *word |= bit;
            self.open.push((place, stage));
            self.wins |= stage == FREE && self.cells.wins(place);
        }
    }

    /// Marks the stages of moves of a player who enters the column from the left in the ways `crossings`.
    pub(super) fn come(&mut self, crossings: &[u64]) {
        let rules = self.cells.rules;
        let words = rules.arrival_words();
        let (mut row, mut passed) = (0, 0);
        for all in crossings.chunks(words) {
            for (word, &all) in all.iter().enumerate().filter(|(_, all)| **all > 0) {
                let mut possible = all & rules.entering(self.cells.classes[row])[word];
                while possible > 0 {
                    let arrival = rules.arrivals[word * 64 + possible.trailing_zeros() as usize];
                    let entered = (arrival.lands, arrival.via);
                    self.reach(Place { row, passed }, arrival.then, entered);
                    possible &= possible - 1;
                }
            }
            row += 1;
            if row == self.cells.height() {
                (row, passed) = (0, passed + 1);
            }
        }
    }

    pub(super) fn explore(&mut self) {
        let cells = self.cells;
        while let Some((place, stage)) = self.open.pop() {
            let is_lost = cells.loses(place.row);
            for staged in cells.rules.steps(cells.situations[place.row], stage) {
                if !is_lost || staged.step.is_within {
                    self.follow(place, staged);
                }
            }
        }
    }

    fn follow(&mut self, Place { row, passed }: Place, staged: &StagedStep) {
        let cells = self.cells;
        let Some(row) = staged.row(row, cells.height(), cells.rules.wraps()) else {
            return;
        };
        let place = Place { row, passed };
        let step = staged.step;
        match step.columns {
            0 => {
                if step.via.admits(cells.classes[row], step.down) {
                    self.reach(place, staged.then, (step.lands, step.via));
                }
            }
            1 => {
                let implied = cells.rules.implied(staged.arrival);
                let index = cells.index(place);
                if let &[implied] = implied {
                    self.right[index] |= implied;
                    return;
                }
                let right = &mut self.right[index * implied.len()..];
                for (right, implied) in right.iter_mut().zip(implied) {
                    *right |= implied;
                }
            }
            _ => {
                let Some(left) = cells.left else { return };
                let words = cells.rules.arrival_words();
                let index = cells.index(place);
                if let Some(word) = self
                    .left
                    .get_mut(index * words + usize::from(staged.arrival) / 64)
                {
                    *word |= 1 << (staged.arrival % 64);
                }
                if let Some((way, crossings)) = left.returns.find(index as u32, staged.arrival) {
                    self.wins |= way.wins;
                    self.come(crossings);
                }
            }
        }
    }
}
