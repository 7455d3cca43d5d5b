//! The exploration of one column, between the edge at its left and the columns that follow.

use super::super::Travel;
use super::cell_class::CellClass;
use super::reach::EdgeCrossings;
use super::rules::{CompiledRules, FrameGoal, Situation};
use super::stages::{FREE, Stage, StagedStep};

/// A set of arrivals in a column: for each row some words of bits.
pub(super) type Crossings = Vec<u64>;

/// A column whose cells are known.
pub(super) struct ColumnCells<'a> {
    pub(super) rules: &'a CompiledRules,
    pub(super) classes: &'a [CellClass],
    /// It is the first one.
    pub(super) is_first: bool,
    situations: Vec<Situation>,
    /// The columns before.
    left: Option<&'a EdgeCrossings>,
}

impl<'a> ColumnCells<'a> {
    pub(super) fn new(
        rules: &'a CompiledRules,
        classes: &'a [CellClass],
        left: Option<&'a EdgeCrossings>,
    ) -> Self {
        let supported = |row: usize| match (rules.travel(), left) {
            (Travel::Right, _) => classes
                .get(row + 1)
                .map_or_else(|| rules.has_floor(), |below| below.has(CellClass::SUPPORT)),
            (Travel::Up, Some(left)) => left.supports[row],
            (Travel::Up, None) => rules.has_floor(),
        };
        let situations =
            (0..classes.len()).map(|row| rules.situation(classes[row], supported(row)));
        Self {
            rules,
            classes,
            is_first: left.is_none(),
            situations: situations.collect(),
            left,
        }
    }

    pub(super) fn height(&self) -> usize {
        self.classes.len()
    }

    /// True if a player in a row of the column moves no more.
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

    pub(super) fn footing(&self, row: usize) -> bool {
        self.enters(row) && self.stands(row) && !self.loses(row)
    }

    /// True if a player who comes to a row wins, wherever the level ends.
    fn wins(&self, row: usize) -> bool {
        match self.rules.goal {
            FrameGoal::FirstColumn => self.is_first,
            FrameGoal::FirstRow => row == 0,
            FrameGoal::LastRow => row + 1 == self.height(),
            FrameGoal::AnyTile => self.classes[row].has(CellClass::GOAL),
            _ => false,
        }
    }
}

/// The stages reached in one column, from some cells and arrivals.
#[derive(Clone)]
pub(super) struct ColumnExploration<'a> {
    cells: &'a ColumnCells<'a>,
    /// For each row a bit for each stage reached, in words.
    pub(super) reached: Vec<u64>,
    /// Arrivals in the column that follows.
    pub(super) right: Crossings,
    /// Arrivals in the column before, where targets are there.
    pub(super) left: Crossings,
    /// A goal was reached.
    pub(super) wins: bool,
    open: Vec<(usize, Stage)>,
}

impl<'a> ColumnExploration<'a> {
    pub(super) fn new(cells: &'a ColumnCells<'a>) -> Self {
        let rules = cells.rules;
        let crossings = cells.height() * rules.arrival_words();
        Self {
            cells,
            reached: vec![0; cells.height() * rules.stage_words()],
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

    /// Restores a finished exploration of the same column.
    pub(super) fn reset(&mut self, other: &Self) {
        self.reached.copy_from_slice(&other.reached);
        self.right.copy_from_slice(&other.right);
        self.left.copy_from_slice(&other.left);
        self.wins = other.wins;
    }

    /// True if nothing is left to explore.
    pub(super) fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn is_reached(&self, row: usize, stage: Stage) -> bool {
        let words = self.cells.rules.stage_words();
        self.reached[row * words + usize::from(stage) / 64] >> (stage % 64) & 1 == 1
    }

    /// True if a player can stop or fall in some row.
    pub(super) fn is_free_somewhere(&self) -> bool {
        (0..self.cells.height()).any(|row| self.is_reached(row, FREE))
    }

    /// Marks a stage of a row as reached, and the free stage with it if the move can be left there: its moves are open then.
    pub(super) fn reach(&mut self, row: usize, stage: Stage, lands: bool) {
        if lands {
            self.mark(row, FREE);
        }
        self.mark(row, stage);
    }

    fn mark(&mut self, row: usize, stage: Stage) {
        let words = self.cells.rules.stage_words();
        let word = &mut self.reached[row * words + usize::from(stage) / 64];
        let bit = 1 << (stage % 64);
        if *word & bit == 0 {
            *word |= bit;
            self.open.push((row, stage));
            self.wins |= stage == FREE && self.cells.wins(row);
        }
    }

    /// Players come from the left.
    pub(super) fn come(&mut self, crossings: &[u64]) {
        let rules = self.cells.rules;
        let words = rules.arrival_words();
        for (place, &all) in crossings.iter().enumerate() {
            if all == 0 {
                continue;
            }
            let (row, word) = (place / words, place % words);
            let mut possible = all & rules.entering(self.cells.classes[row])[word];
            while possible > 0 {
                let arrival = rules.arrivals[word * 64 + possible.trailing_zeros() as usize];
                self.reach(row, arrival.then, arrival.lands);
                possible &= possible - 1;
            }
        }
    }

    pub(super) fn explore(&mut self) {
        let cells = self.cells;
        while let Some((row, stage)) = self.open.pop() {
            if !cells.loses(row) {
                for staged in cells.rules.steps(cells.situations[row], stage) {
                    self.follow(row, staged);
                }
            }
        }
    }

    fn follow(&mut self, row: usize, staged: &StagedStep) {
        let cells = self.cells;
        let Some(row) = staged.row(row, cells.height(), cells.rules.wraps()) else {
            return;
        };
        let step = staged.step;
        match step.columns {
            0 => {
                if step.via.admits(cells.classes[row], step.down) {
                    self.reach(row, staged.then, step.lands);
                }
            }
            1 => {
                let implied = cells.rules.implied(staged.arrival);
                if let &[implied] = implied {
                    self.right[row] |= implied;
                    return;
                }
                let right = &mut self.right[row * implied.len()..];
                for (right, implied) in right.iter_mut().zip(implied) {
                    *right |= implied;
                }
            }
            _ => {
                let Some(left) = cells.left else { return };
                let words = cells.rules.arrival_words();
                if let Some(word) = self
                    .left
                    .get_mut(row * words + usize::from(staged.arrival) / 64)
                {
                    *word |= 1 << (staged.arrival % 64);
                }
                let at = (row as u16, staged.arrival);
                let found = left.returns.binary_search_by_key(&at, |known| known.at);
                if let Ok(index) = found {
                    self.wins |= left.returns[index].wins;
                    self.come(&left.returns[index].crossings);
                }
            }
        }
    }
}
