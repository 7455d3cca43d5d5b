//! The classes of all cells of a level, in model coordinates; an unknown cell has several possible classes.

use super::cell_class::CellClass;
use super::frame::{FrameGoal, FrameStart};
use super::rules::{CompiledRules, Situation};
use super::stages::MoveStep;
use figrs_models::mdmc::{Level, Travel};

pub(super) struct Field<'a> {
    rules: &'a CompiledRules,
    height: usize,
    width: usize,
    /// The possible classes of all cells of the level, one cell after another, row by row.
    classes: Vec<CellClass>,
    /// For each cell, the index after its last class in the list `classes`; `None` if each cell has exactly one class.
    ends: Option<Vec<usize>>,
}

impl<'a> Field<'a> {
    pub(super) fn of(level: &Level, rules: &'a super::MovementRules) -> Self {
        let tiles = rules.travel().turned_cells(level.as_array());
        Self {
            rules: rules.compiled(),
            height: tiles.nrows(),
            width: tiles.ncols(),
            classes: tiles.iter().map(|&tile| rules.class(tile)).collect(),
            ends: None,
        }
    }

    /// Creates a field of cells whose tiles are unknown. The list `columns` contains the possible classes of each cell, column by column; a column
    /// has `height` cells.
    pub(super) fn unknown(
        rules: &'a CompiledRules,
        height: usize,
        columns: &[Vec<CellClass>],
    ) -> Self {
        let width = columns.len() / height;
        let (mut classes, mut ends) = (Vec::new(), Vec::new());
        for row in 0..height {
            for column in 0..width {
                classes.extend_from_slice(&columns[column * height + row]);
                ends.push(classes.len());
            }
        }
        Self {
            rules,
            height,
            width,
            classes,
            ends: Some(ends),
        }
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    fn classes(&self, (row, column): (usize, usize)) -> &[CellClass] {
        let cell = row * self.width + column;
        let Some(ends) = &self.ends else {
            return &self.classes[cell..=cell];
        };
        let start = cell.checked_sub(1).map_or(0, |before| ends[before]);
        &self.classes[start..ends[cell]]
    }

    fn may_be(&self, cell: (usize, usize), property: CellClass) -> bool {
        let mut classes = self.classes(cell).iter();
        classes.any(|class| class.has(property))
    }

    fn may_enter(&self, cell: (usize, usize)) -> bool {
        let mut classes = self.classes(cell).iter();
        classes.any(|&class| CompiledRules::enters(class))
    }

    /// True if a step of a player's move may lead into `cell`.
    pub(super) fn admits(&self, cell: (usize, usize), step: MoveStep) -> bool {
        let mut classes = self.classes(cell).iter();
        classes.any(|&class| step.via.admits(class, step.down))
    }

    pub(super) fn blocked(&self, cell: (usize, usize)) -> bool {
        self.may_be(cell, CellClass::BLOCKED)
    }

    /// True if the cell is in the bottom row of the upright level.
    fn at_bottom(&self, (row, column): (usize, usize)) -> bool {
        match self.rules.travel() {
            Travel::Right => row + 1 == self.height,
            Travel::Up => column == 0,
        }
    }

    /// Returns the cell below `cell` in the upright level; `None` if `cell` is in the bottom row.
    fn below(&self, cell: (usize, usize)) -> Option<(usize, usize)> {
        let (row, column) = cell;
        (!self.at_bottom(cell)).then(|| match self.rules.travel() {
            Travel::Right => (row + 1, column),
            Travel::Up => (row, column - 1),
        })
    }

    /// True if the cell below `cell`, or the floor of the level, may support a player.
    pub(super) fn rests(&self, cell: (usize, usize)) -> bool {
        let below = self.below(cell);
        below.map_or_else(
            || self.rules.has_floor(),
            |below| self.may_be(below, CellClass::SUPPORT),
        )
    }

    /// Returns the bit set of the possible situations (see [`Situation`]) of a player who is between two moves in `cell`.
    fn situation_bits(&self, cell: (usize, usize)) -> u32 {
        let bit = |class, below| 1 << self.rules.situation(class, below).number();
        let mut bits = 0;
        for &class in self.classes(cell) {
            match self.below(cell) {
                None => bits |= bit(class, None),
                Some(below) => {
                    for &below in self.classes(below) {
                        bits |= bit(class, Some(below));
                    }
                }
            }
        }
        bits
    }

    pub(super) fn situations(
        &self,
        cell: (usize, usize),
    ) -> impl Iterator<Item = Situation> + use<> {
        let mut bits = self.situation_bits(cell);
        std::iter::from_fn(move || {
            let first = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            (first < u32::BITS).then(|| Situation::from_number(first as u8))
        })
    }

    fn may_stand(&self, cell: (usize, usize)) -> bool {
        self.situations(cell).any(Situation::stands)
    }

    pub(super) fn loses(&self, cell: (usize, usize)) -> bool {
        self.rules.loses_at_bottom() && self.at_bottom(cell)
    }

    /// True if a player may be able to stand in `cell`, or to hold on to the tile of the cell.
    pub(super) fn footing(&self, cell: (usize, usize)) -> bool {
        self.may_enter(cell) && self.may_stand(cell) && !self.loses(cell)
    }

    /// True if the movement lets a player stand in `cell`, even if strict rules forbid it because of an enemy or hazard.
    fn ground(&self, cell: (usize, usize)) -> bool {
        let enters = self.may_enter(cell) || self.may_be(cell, CellClass::HARM);
        let mut situations = self.situations(cell);
        enters && situations.any(Situation::stands_by_movement) && !self.loses(cell)
    }

    pub(super) fn starts(&self) -> Vec<(usize, usize)> {
        let (height, width) = (self.height, self.width);
        let enters = |cell: &(usize, usize)| self.may_enter(*cell);
        let in_column = |column: usize| (0..height).map(move |row| (row, column));
        let in_row = |row: usize| (0..width).map(move |column| (row, column));
        let is_known = self.ends.is_none();
        match self.rules.start {
            FrameStart::Cell { row, column } => {
                let cell = (row.min(height - 1), column.min(width - 1));
                let is_small = cell != (row, column) && !self.rules.is_strict();
                let starts = |cell: &(usize, usize)| is_small || enters(cell);
                [cell].into_iter().filter(starts).collect()
            }
            FrameStart::Ground if is_known => {
                let stands = |column| in_column(column).filter(|&cell| self.ground(cell));
                let first = (0..width).find(|&column| stands(column).next().is_some());
                let all = first.into_iter().flat_map(stands);
                all.filter(enters).collect()
            }
            // If cells are unknown, any column may be the first one with ground.
            FrameStart::Ground => self.cells().filter(enters).collect(),
            FrameStart::FirstTile => {
                let is_start = |cell: &(usize, usize)| self.may_be(*cell, CellClass::START);
                let most = if is_known { 1 } else { usize::MAX };
                let starts = |cell: &(usize, usize)| !self.rules.is_strict() || enters(cell);
                self.cells()
                    .filter(is_start)
                    .take(most)
                    .filter(starts)
                    .collect()
            }
            FrameStart::FirstColumn => in_column(0).filter(enters).collect(),
            FrameStart::LastColumn => in_column(width - 1).filter(enters).collect(),
            FrameStart::FirstRow => in_row(0).filter(enters).collect(),
            FrameStart::LastRow => in_row(height - 1).filter(enters).collect(),
        }
    }

    pub(super) fn is_goal(&self, (row, column): (usize, usize)) -> bool {
        let is_tile = || self.may_be((row, column), CellClass::GOAL);
        let is_last = column + 1 == self.width;
        match self.rules.goal {
            FrameGoal::LastColumn => is_last,
            FrameGoal::LastColumnOr { within } => {
                is_last || column + usize::from(within) >= self.width && is_tile()
            }
            FrameGoal::FirstColumn => column == 0,
            FrameGoal::FirstRow => row == 0,
            FrameGoal::LastRow => row + 1 == self.height,
            FrameGoal::AnyTile | FrameGoal::AllTiles => is_tile(),
        }
    }

    /// True if `cell` is a goal tile for every one of its possible classes.
    pub(super) fn is_goal_tile(&self, cell: (usize, usize)) -> bool {
        let mut classes = self.classes(cell).iter();
        classes.all(|class| class.has(CellClass::GOAL))
    }

    /// Returns all cells of the level, in the order in which a player travels through the level.
    pub(super) fn cells(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let height = self.height;
        (0..self.width).flat_map(move |column| (0..height).map(move |row| (row, column)))
    }

    /// Returns the goal cells of a level without unknown cells, in the order in which a player travels through the level.
    pub(super) fn goals(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.cells().filter(|&cell| self.is_goal(cell))
    }
}
