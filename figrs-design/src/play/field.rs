//! Classes of all cells of a level, in model coordinates.

use super::cell_class::CellClass;
use super::frame::{FrameGoal, FrameStart};
use super::rules::{CompiledRules, Situation};
use figrs_models::mdmc::{Level, Travel};

/// The classes of the cells of a level.
pub(super) struct Field<'a> {
    rules: &'a CompiledRules,
    travel: Travel,
    classes: Vec<CellClass>,
    width: usize,
}

impl<'a> Field<'a> {
    /// Classifies the cells of an upright level.
    pub(super) fn of(level: &Level, rules: &'a super::MovementRules) -> Self {
        let travel = rules.travel();
        let tiles = travel.turned_cells(level.as_array());
        Self {
            rules: rules.compiled(),
            travel,
            width: tiles.ncols(),
            classes: tiles.iter().map(|&tile| rules.class(tile)).collect(),
        }
    }

    pub(super) fn height(&self) -> usize {
        self.classes.len() / self.width
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn class(&self, (row, column): (usize, usize)) -> CellClass {
        self.classes[row * self.width + column]
    }

    pub(super) fn blocked(&self, cell: (usize, usize)) -> bool {
        self.class(cell).has(CellClass::BLOCKED)
    }

    /// True if a cell is in the bottom row of the upright level.
    fn at_bottom(&self, (row, column): (usize, usize)) -> bool {
        match self.travel {
            Travel::Right => row + 1 == self.height(),
            Travel::Up => column == 0,
        }
    }

    /// True if a player can stand upon the cell below.
    pub(super) fn supported(&self, (row, column): (usize, usize)) -> bool {
        if self.at_bottom((row, column)) {
            return self.rules.has_floor();
        }
        let below = match self.travel {
            Travel::Right => (row + 1, column),
            Travel::Up => (row, column - 1),
        };
        self.class(below).has(CellClass::SUPPORT)
    }

    pub(super) fn situation(&self, cell: (usize, usize)) -> Situation {
        self.rules.situation(self.class(cell), self.supported(cell))
    }

    /// True if a player in this cell is lost and moves no more.
    pub(super) fn loses(&self, cell: (usize, usize)) -> bool {
        self.rules.loses_at_bottom() && self.at_bottom(cell)
    }

    /// True if a player can stand in a cell, or hold on to it.
    pub(super) fn footing(&self, cell: (usize, usize)) -> bool {
        let enters = CompiledRules::enters(self.class(cell));
        enters && self.situation(cell).stands() && !self.loses(cell)
    }

    /// Returns the cells in which a player may start.
    pub(super) fn starts(&self) -> Vec<(usize, usize)> {
        let (height, width) = (self.height(), self.width);
        let enters = |cell: &(usize, usize)| CompiledRules::enters(self.class(*cell));
        let in_column = |column: usize| (0..height).map(move |row| (row, column));
        let in_row = |row: usize| (0..width).map(move |column| (row, column));
        match self.rules.start {
            FrameStart::Cell { row, column } => {
                let cell = (row.min(height - 1), column.min(width - 1));
                let is_small = cell != (row, column);
                let starts = |cell: &(usize, usize)| is_small || enters(cell);
                [cell].into_iter().filter(starts).collect()
            }
            FrameStart::Ground => {
                let stands = |column| in_column(column).filter(|&cell| self.footing(cell));
                let first = (0..width).find(|&column| stands(column).next().is_some());
                first.map_or_else(Vec::new, |column| stands(column).collect())
            }
            FrameStart::FirstTile => {
                let mut all = (0..width).flat_map(in_column);
                let first = all.find(|&cell| self.class(cell).has(CellClass::START));
                first.into_iter().collect()
            }
            FrameStart::FirstColumn => in_column(0).filter(enters).collect(),
            FrameStart::LastColumn => in_column(width - 1).filter(enters).collect(),
            FrameStart::FirstRow => in_row(0).filter(enters).collect(),
            FrameStart::LastRow => in_row(height - 1).filter(enters).collect(),
        }
    }

    /// True if a cell is a goal.
    pub(super) fn is_goal(&self, (row, column): (usize, usize)) -> bool {
        let is_tile = || self.class((row, column)).has(CellClass::GOAL);
        let is_last = column + 1 == self.width;
        match self.rules.goal {
            FrameGoal::LastColumn => is_last,
            FrameGoal::LastColumnOr { within } => {
                is_last || column + usize::from(within) >= self.width && is_tile()
            }
            FrameGoal::FirstColumn => column == 0,
            FrameGoal::FirstRow => row == 0,
            FrameGoal::LastRow => row + 1 == self.height(),
            FrameGoal::AnyTile | FrameGoal::AllTiles => is_tile(),
        }
    }

    /// Returns the goal cells, in the order of travel.
    pub(super) fn goals(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let all =
            (0..self.width).flat_map(|column| (0..self.height()).map(move |row| (row, column)));
        all.filter(|&cell| self.is_goal(cell))
    }
}
