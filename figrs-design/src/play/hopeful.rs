//! Optimistic search for a way through a level with unknown cells, used to prove that no level is playable.

use super::Route;
use super::cell_class::{CellClass, Via};
use super::frame::{FrameGoal, FrameStart};
use super::rules::{CompiledRules, Situation};
use super::stages::{FREE, Stage};

/// Cells that may each have one of several classes, column by column, each from the top.
#[derive(Debug)]
pub(crate) struct HopefulField<'a> {
    route: &'a Route,
    height: usize,
    cells: Vec<Vec<CellClass>>,
}

/// Number of search steps between two checks of the remaining work.
const SPENT_AT_ONCE: u64 = 1_000;

/// A cell, and the number of areas that the player has passed.
type PassedCell = ((usize, usize), usize);

impl<'a> HopefulField<'a> {
    /// Creates the cells from columns of `height` cells, each given by its possible classes.
    pub(crate) fn new(route: &'a Route, height: usize, cells: Vec<Vec<CellClass>>) -> Self {
        Self {
            route,
            height,
            cells,
        }
    }

    /// Returns the furthest column that a player can reach in any level, if there is surely no way to the goal; `None` if a way may exist or if the work runs
    /// out. `spend` takes a thousand steps of work at a time.
    ///
    /// Each step may choose anew the classes of the cells that it tests, so that the search finds a way wherever a level has one.
    pub(crate) fn dead_end(&self, spend: &dyn Fn(u64) -> bool) -> Option<usize> {
        let rules = self.rules();
        let width = self.cells.len() / self.height;
        let words = rules.stage_words();
        let mut reached = vec![0_u64; self.cells.len() * (self.route.last() + 1) * words];
        let mut open: Vec<(PassedCell, Stage)> = Vec::new();
        let mut reach = |(cell, passed): PassedCell, stage, (lands, via), open: &mut Vec<_>| {
            let passes = |passed: &usize| via != Via::Pass && self.route.passes(*passed, cell);
            let further = (passed..self.route.last()).take_while(passes).count();
            for passed in passed..=passed + further {
                let place = (passed * self.cells.len() + self.index(cell)) * words;
                for stage in [Some(FREE).filter(|_| lands), Some(stage)] {
                    let Some(stage) = stage else { continue };
                    let word = &mut reached[place + usize::from(stage) / 64];
                    let bit = 1 << (stage % 64);
                    if *word & bit == 0 {
                        *word |= bit;
                        open.push(((cell, passed), stage));
                    }
                }
            }
        };
        for row in 0..self.height {
            for column in (0..width).filter(|&column| self.may_start((row, column), width)) {
                reach(((row, column), 0), FREE, (true, Via::Air), &mut open);
            }
        }
        if open.is_empty() {
            return Some(0);
        }
        let is_sure = |cells: &Vec<CellClass>| cells.iter().all(|class| class.has(CellClass::GOAL));
        let mut sure: Vec<usize> = Vec::new();
        if rules.goal == FrameGoal::AllTiles {
            sure.extend((0..self.cells.len()).filter(|&cell| is_sure(&self.cells[cell])));
            if sure.is_empty() {
                return None;
            }
        }
        let mut furthest = 0;
        let mut taken = 0_u64;
        while let Some(((cell, passed), stage)) = open.pop() {
            taken += 1;
            if taken.is_multiple_of(SPENT_AT_ONCE) && !spend(SPENT_AT_ONCE) {
                return None;
            }
            furthest = furthest.max(cell.1);
            if stage == FREE && passed == self.route.last() {
                sure.retain(|&goal| goal != self.index(cell));
                let is_met = match rules.goal {
                    FrameGoal::AllTiles => sure.is_empty(),
                    _ => self.may_win(cell, width),
                };
                if is_met {
                    return None;
                }
            }
            if rules.loses_at_bottom() && self.is_bottom(cell) {
                continue;
            }
            for situation in self.situations(cell) {
                for staged in rules.steps(situation, stage) {
                    let step = staged.step;
                    let row = staged.row(cell.0, self.height, rules.wraps());
                    let column = cell.1.checked_add_signed(step.columns.into());
                    let to = row.zip(column.filter(|&column| column < width));
                    let admits = |class: &CellClass| step.via.admits(*class, step.down);
                    if let Some(to) = to.filter(|&to| self.may(to, admits)) {
                        reach((to, passed), staged.then, (step.lands, step.via), &mut open);
                    }
                }
            }
        }
        Some(furthest)
    }

    fn rules(&self) -> &CompiledRules {
        self.route.rules().compiled()
    }

    fn index(&self, (row, column): (usize, usize)) -> usize {
        column * self.height + row
    }

    fn may(&self, cell: (usize, usize), is: impl Fn(&CellClass) -> bool) -> bool {
        self.cells[self.index(cell)].iter().any(is)
    }

    /// True if a cell is in the bottom row of the upright level.
    fn is_bottom(&self, (row, column): (usize, usize)) -> bool {
        if self.rules().is_upward() {
            column == 0
        } else {
            row + 1 == self.height
        }
    }

    fn situations(&self, cell: (usize, usize)) -> Vec<Situation> {
        let rules = self.rules();
        let (row, column) = cell;
        let supports = |is: bool| {
            if self.is_bottom(cell) {
                return rules.has_floor() == is;
            }
            let below = if rules.is_upward() {
                (row, column - 1)
            } else {
                (row + 1, column)
            };
            self.may(below, |class| class.has(CellClass::SUPPORT) == is)
        };
        let supports: Vec<bool> = [true, false]
            .into_iter()
            .filter(|&is| supports(is))
            .collect();
        let mut all: Vec<Situation> = Vec::new();
        for &class in &self.cells[self.index(cell)] {
            for &supported in &supports {
                let situation = rules.situation(class, supported);
                if !all.contains(&situation) {
                    all.push(situation);
                }
            }
        }
        all
    }

    fn may_start(&self, cell: (usize, usize), width: usize) -> bool {
        let (row, column) = cell;
        let may_enter = || self.may(cell, |&class| CompiledRules::enters(class));
        match self.rules().start {
            FrameStart::Cell {
                row: at,
                column: on,
            } => (row, column) == (at.min(self.height - 1), on.min(width - 1)),
            FrameStart::Ground => may_enter(),
            FrameStart::FirstTile => self.may(cell, |class| class.has(CellClass::START)),
            FrameStart::FirstColumn => column == 0 && may_enter(),
            FrameStart::LastColumn => column + 1 == width && may_enter(),
            FrameStart::FirstRow => row == 0 && may_enter(),
            FrameStart::LastRow => row + 1 == self.height && may_enter(),
        }
    }

    fn may_win(&self, cell: (usize, usize), width: usize) -> bool {
        let (row, column) = cell;
        let may_be_goal = || self.may(cell, |class| class.has(CellClass::GOAL));
        match self.rules().goal {
            FrameGoal::LastColumn => column + 1 == width,
            FrameGoal::LastColumnOr { within } => {
                column + 1 == width || column + usize::from(within) >= width && may_be_goal()
            }
            FrameGoal::FirstColumn => column == 0,
            FrameGoal::FirstRow => row == 0,
            FrameGoal::LastRow => row + 1 == self.height,
            FrameGoal::AnyTile | FrameGoal::AllTiles => may_be_goal(),
        }
    }
}
