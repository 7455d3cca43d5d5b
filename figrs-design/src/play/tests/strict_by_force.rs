//! A plain search by strict rules, which shares only the [`Movement`] with the engine.

use std::collections::{HashSet, VecDeque};

use crate::play::Route;
use crate::play::movement::{Bottom, Goal, Harm, Movement, Side, Start};
use figrs_models::mdmc::{Level, Meaning, Tile, Travel};

/// A row and a column.
type Cell = (usize, usize);

/// A cell and, during a jump, the jump's number, the number of cells passed and the side.
type Position = (Cell, Option<(usize, usize, i8)>);

/// A level and the movement through it. Harmful tiles are blocked, or as the movement treats them.
#[derive(Clone, Copy)]
struct Body<'a> {
    level: &'a Level,
    movement: &'a Movement,
    travel: Travel,
    blocks_harm: bool,
}

/// True if a player can reach the goal of an upright level by a way through the areas of a route, by strict rules.
pub(super) fn is_strictly_playable(level: &Level, route: &Route) -> bool {
    let rules = route.rules();
    let strict = Body {
        level,
        movement: rules.movement(),
        travel: rules.travel(),
        blocks_harm: true,
    };
    let (starts, mut goals) = strict.places();
    let needs_all = matches!(strict.movement.goal, Goal::All(_));
    if needs_all && goals.is_empty() {
        return !starts.is_empty();
    }
    // Positions with the number of passed areas.
    let mut open: VecDeque<(Position, usize)> = VecDeque::new();
    let started = |cell| ((cell, None), strict.passed(route, 0, &[cell]));
    open.extend(starts.into_iter().map(started));
    let mut known: HashSet<(Position, usize)> = open.iter().copied().collect();
    while let Some((position, passed)) = open.pop_front() {
        let is_through = passed == route.last();
        if is_through && goals.remove(&position.0) && (!needs_all || goals.is_empty()) {
            return true;
        }
        for (before, next) in strict.next(position) {
            let cells = [before, vec![next.0]].concat();
            let next = (next, strict.passed(route, passed, &cells));
            if known.insert(next) {
                open.push_back(next);
            }
        }
    }
    false
}

impl Body<'_> {
    /// Returns the same level with harmful tiles as the movement treats them.
    fn with_own_harm(&self) -> Self {
        Self {
            blocks_harm: false,
            ..*self
        }
    }

    /// Returns the number of areas that a player has passed after some cells, if the player had passed `before` areas.
    fn passed(&self, route: &Route, before: usize, cells: &[Cell]) -> usize {
        cells.iter().fold(before, |mut passed, &cell| {
            let in_frame = match self.travel {
                Travel::Right => cell,
                Travel::Up => (cell.1, self.level.height() - 1 - cell.0),
            };
            while route.passes(passed, in_frame) {
                passed += 1;
            }
            passed
        })
    }

    /// Returns the cell with a row and column, which may lie beyond the sides if these are joined.
    fn cell(&self, row: isize, column: isize) -> Option<Cell> {
        let width = self.level.width().cast_signed();
        let column = if self.movement.wrap {
            column.rem_euclid(width)
        } else {
            column
        };
        let cell = (usize::try_from(row).ok()?, usize::try_from(column).ok()?);
        self.level.get(cell.0, cell.1).map(|_| cell)
    }

    fn is(&self, cell: Cell, meaning: Meaning) -> bool {
        self.tile(cell).is(meaning)
    }

    fn tile(&self, (row, column): Cell) -> Tile {
        self.level.get(row, column).unwrap_or(Tile::BORDER)
    }

    fn harm(&self, cell: Cell) -> Harm {
        let (enemy, hazard) = (
            self.is(cell, Meaning::Enemy),
            self.is(cell, Meaning::Hazard),
        );
        match (enemy, hazard) {
            (false, false) => Harm::Ignored,
            _ if self.blocks_harm => Harm::Blocked,
            (true, _) => self.movement.enemies,
            (false, true) => self.movement.hazards,
        }
    }

    fn solid(&self, cell: Cell) -> bool {
        let opened = self.movement.open.iter().any(|&open| self.is(cell, open));
        let solid = match &self.movement.solid {
            Some(all) => self
                .tile(cell)
                .symbol()
                .is_some_and(|symbol| all.contains(symbol)),
            None => self.is(cell, Meaning::Solid) || self.is(cell, Meaning::Diggable),
        };
        solid && !opened
    }

    fn free(&self, cell: Cell) -> bool {
        !self.solid(cell) && self.harm(cell) != Harm::Blocked
    }

    fn top(&self, cell: Cell) -> bool {
        self.is(cell, Meaning::SolidTop) && !self.solid(cell)
    }

    fn climbs(&self, cell: Cell) -> bool {
        self.movement.ladders && self.is(cell, Meaning::Climb)
    }

    fn holds(&self, cell: Cell) -> bool {
        self.climbs(cell) || self.movement.ladders && self.is(cell, Meaning::Hang)
    }

    fn rests(&self, (row, column): Cell) -> bool {
        if row + 1 == self.level.height() {
            return self.movement.bottom == Bottom::Floor;
        }
        let below = (row + 1, column);
        let carries = self.solid(below) || self.is(below, Meaning::SolidTop) || self.climbs(below);
        carries && self.harm(below) == Harm::Ignored
    }

    fn stands(&self, cell: Cell) -> bool {
        !self.movement.gravity || self.rests(cell) || self.holds(cell)
    }

    fn lost(&self, (row, _): Cell) -> bool {
        self.movement.gravity
            && self.movement.bottom == Bottom::Lost
            && row + 1 == self.level.height()
    }

    /// True if a player can start in a cell.
    fn entered(&self, cell: Cell) -> bool {
        self.free(cell) && self.harm(cell) != Harm::Jumped
    }

    /// Returns all cells, line by line in the order of travel.
    fn lines(&self) -> Vec<Vec<Cell>> {
        let (height, width) = (self.level.height(), self.level.width());
        match self.travel {
            Travel::Right => (0..width)
                .map(|column| (0..height).map(|row| (row, column)).collect())
                .collect(),
            Travel::Up => (0..height)
                .rev()
                .map(|row| (0..width).map(|column| (row, column)).collect())
                .collect(),
        }
    }

    /// Returns the start cells and the goal cells.
    fn places(&self) -> (Vec<Cell>, HashSet<Cell>) {
        let own = self.with_own_harm();
        let (height, width) = (self.level.height(), self.level.width());
        let lines = self.lines();
        let all = || lines.iter().flatten().copied();
        let any =
            |cell, meanings: &[Meaning]| meanings.iter().any(|&meaning| self.is(cell, meaning));
        let at = |side: Side, (row, column): Cell| match side {
            Side::Left => column == 0,
            Side::Right => column + 1 == width,
            Side::Top => row == 0,
            Side::Bottom => row + 1 == height,
        };
        let mut starts: Vec<Cell> = match &self.movement.start {
            &Start::Cell(row, column) => vec![(row.min(height - 1), column.min(width - 1))],
            Start::Ground => {
                let ground = |&cell: &(usize, usize)| {
                    own.entered(cell) && own.stands(cell) && !own.lost(cell)
                };
                let first = lines.iter().find(|line| line.iter().any(ground));
                let first = first.map_or(&[][..], Vec::as_slice);
                first.iter().copied().filter(|cell| ground(cell)).collect()
            }
            Start::Tiles(meanings) => all()
                .find(|&cell| any(cell, meanings))
                .into_iter()
                .collect(),
            &Start::Edge(side) => all()
                .filter(|&cell| at(side, cell) && own.entered(cell))
                .collect(),
        };
        starts.retain(|&cell| self.free(cell));
        let goals = match &self.movement.goal {
            &Goal::Edge(side) => all().filter(|&cell| at(side, cell)).collect(),
            Goal::EdgeOr { edge, or, within } => {
                let near = lines.len().saturating_sub(usize::from(*within));
                let near: HashSet<_> = lines[near..].iter().flatten().copied().collect();
                all()
                    .filter(|&cell| {
                        at(*edge, cell) || near.contains(&cell) && any(cell, or) && own.free(cell)
                    })
                    .collect()
            }
            Goal::Any(meanings) | Goal::All(meanings) => all()
                .filter(|&cell| any(cell, meanings) && own.free(cell))
                .collect(),
        };
        (starts, goals)
    }

    /// True if a player can move from one cell to another through the sides of free cells.
    fn slides(&self, (row, column): Cell, (dx, dy): (isize, isize)) -> bool {
        let (wide, high) = (dx.unsigned_abs(), dy.unsigned_abs());
        let mut passed = vec![false; (wide + 1) * (high + 1)];
        for across in 0..=wide {
            for along in 0..=high {
                let place = across * (high + 1) + along;
                let cell = self.cell(
                    row.cast_signed() + along.cast_signed() * dy.signum(),
                    column.cast_signed() + across.cast_signed() * dx.signum(),
                );
                let free = |cell| self.free(cell) || place == 0;
                let Some(cell) = cell.filter(|&cell| free(cell)) else {
                    continue;
                };
                let aside = across > 0 && passed[place - high - 1];
                let enters_top = dy > 0 && self.top(cell);
                let along = along > 0 && passed[place - 1] && !enters_top;
                passed[place] = place == 0 || aside || along;
            }
        }
        passed.last().is_some_and(|&end| end)
    }

    /// Returns the positions after one part of a move, each with the other cells to which the player comes before.
    fn next(&self, (at, jump): Position) -> Vec<(Vec<Cell>, Position)> {
        if self.lost(at) {
            return Vec::new();
        }
        let (mut next, mut dug) = (Vec::new(), Vec::new());
        if let Some((number, passed, side)) = jump {
            next.extend(self.jumped(at, (number, passed, side)));
        }
        let to = |dx: isize, dy: isize| self.cell(at.0.cast_signed() + dy, at.1.cast_signed() + dx);
        let moves = |cells: &[(i8, i8)], on_foot: bool| {
            let both = cells.iter().flat_map(|&(dx, dy)| [(dx, dy), (-dx, dy)]);
            let both = both.map(|(dx, dy)| (isize::from(dx), isize::from(dy)));
            let ends = both.filter_map(|(dx, dy)| {
                let end = to(dx, dy)?;
                let top = dy > 0 && self.top(end);
                (!top && self.slides(at, (dx, dy))).then_some(end)
            });
            let ends = ends.filter(|&end| !on_foot || self.entered(end));
            ends.map(|end| (end, None)).collect::<Vec<_>>()
        };
        if self.stands(at) {
            next.extend(moves(&self.movement.steps, true));
            for number in 0..self.movement.jumps.len() {
                for side in [1, -1] {
                    next.extend(self.jumped(at, (number, 0, side)));
                }
            }
            if let Some(below) = to(0, 1).filter(|&below| self.free(below)) {
                let lets_down = self.movement.drop && self.top(below);
                next.extend((lets_down || self.climbs(below)).then_some((below, None)));
            }
            if self.movement.dig {
                dug.extend([-1, 1].into_iter().filter_map(|side| {
                    let (beside, hole, end) = (to(side, 0)?, to(side, 1)?, to(side, 2)?);
                    let digs = self.free(beside)
                        && self.is(hole, Meaning::Diggable)
                        && self.free(end)
                        && !self.top(end);
                    digs.then(|| (vec![beside, hole], (end, None)))
                }));
            }
        } else if !self.with_own_harm().stands(at) {
            next.extend(moves(&self.movement.falls, false));
        }
        if self.climbs(at) {
            next.extend(moves(&[(0, -1), (0, 1)], true));
        } else if self.holds(at) {
            next.extend(moves(&[(0, 1)], true));
        }
        if self.is(at, Meaning::Door) {
            for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                let far = 1 + isize::from(self.movement.doors);
                let ahead = (1..=far).map_while(|cells| to(cells * dx, cells * dy));
                let ahead: Vec<_> = ahead.collect();
                let walls = ahead.iter().take_while(|&&cell| !self.free(cell)).count();
                let door = ahead.get(walls).filter(|_| walls > 0);
                let door = door.filter(|&&door| self.is(door, Meaning::Door));
                next.extend(door.map(|&door| (door, None)));
            }
        }
        let next = next.into_iter().map(|position| (Vec::new(), position));
        next.chain(dug).collect()
    }

    /// Returns the positions after the next cell of a jump: one where the player leaves the jump, and one where the jump goes on.
    fn jumped(&self, at: Cell, (number, passed, side): (usize, usize, i8)) -> Vec<Position> {
        let arc = &self.movement.jumps[number];
        let Some(&(dx, dy)) = arc.get(passed) else {
            return Vec::new();
        };
        let before = passed.checked_sub(1).map_or((0, 0), |last| arc[last]);
        let dx = isize::from(side) * isize::from(dx - before.0);
        let mut dy = isize::from(dy - before.1);
        if self.travel == Travel::Right {
            // Above the top row an arc goes on in the top row.
            dy = dy.max(-at.0.cast_signed());
        }
        let end = self.cell(at.0.cast_signed() + dy, at.1.cast_signed() + dx);
        let end = end.filter(|&end| !(dy > 0 && self.top(end)) && self.slides(at, (dx, dy)));
        let end = end.into_iter();
        end.flat_map(|end| [(end, None), (end, Some((number, passed + 1, side)))])
            .collect()
    }
}
