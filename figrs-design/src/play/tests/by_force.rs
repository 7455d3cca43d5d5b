//! A brute-force checker of the rules of movements for tests, which tries whole moves from every reached cell until no new cell is found.

use std::collections::BTreeSet;

use crate::Area;
use crate::play::movement::{Bottom, Goal, Harm, Movement, Side, Start};
use figrs_models::mdmc::{Level, Meaning, Travel};

type Cell = (isize, isize);

/// An upright level, with the movement rules by which a brute-force test searches it.
#[derive(Clone, Copy)]
pub(super) struct ByForce<'a> {
    pub(super) level: &'a Level,
    pub(super) movement: &'a Movement,
    pub(super) travel: Travel,
    /// Areas of the level that a player's path must pass, in model coordinates.
    pub(super) areas: &'a [Area],
    pub(super) is_strict: bool,
}

/// The test that a cell must pass when a player enters the cell.
#[derive(Clone, Copy, PartialEq)]
enum Entry {
    Air,
    Foot,
    Ladder,
    Drop,
    Door,
    Hole,
}

impl ByForce<'_> {
    fn height(&self) -> isize {
        self.level.height().cast_signed()
    }

    fn width(&self) -> isize {
        self.level.width().cast_signed()
    }

    fn wrapped(&self, (x, y): Cell) -> Option<Cell> {
        let x = if self.movement.wrap {
            (x + 100 * self.width()) % self.width()
        } else {
            x
        };
        let inside = x >= 0 && y >= 0 && x < self.width() && y < self.height();
        inside.then_some((x, y))
    }

    fn means(&self, (x, y): Cell, meaning: Meaning) -> bool {
        self.level
            .get(y.cast_unsigned(), x.cast_unsigned())
            .unwrap()
            .is(meaning)
    }

    fn any(&self, cell: Cell, meanings: &[Meaning]) -> bool {
        meanings.iter().any(|&meaning| self.means(cell, meaning))
    }

    /// Returns the same level with the movement's original rules in place of the strict rules.
    fn unstrict(&self) -> Self {
        Self {
            is_strict: false,
            ..*self
        }
    }

    fn harm(&self, cell: Cell) -> Harm {
        if self.is_strict && self.any(cell, &[Meaning::Enemy, Meaning::Hazard]) {
            return Harm::Blocked;
        }
        if self.means(cell, Meaning::Enemy) {
            return self.movement.enemies;
        }
        if self.means(cell, Meaning::Hazard) {
            return self.movement.hazards;
        }
        Harm::Ignored
    }

    fn solid(&self, cell: Cell) -> bool {
        if self.any(cell, &self.movement.open) {
            return false;
        }
        if let Some(solid) = &self.movement.solid {
            let symbol = self
                .level
                .get(cell.1.cast_unsigned(), cell.0.cast_unsigned())
                .unwrap();
            return solid.contains(symbol.symbol().unwrap());
        }
        self.any(cell, &[Meaning::Solid, Meaning::Diggable])
    }

    fn one_way(&self, cell: Cell) -> bool {
        self.means(cell, Meaning::SolidTop) && !self.solid(cell)
    }

    fn enters(&self, cell: Cell, entry: Entry, down: bool) -> bool {
        let body = !self.solid(cell) && self.harm(cell) != Harm::Blocked;
        match entry {
            Entry::Air => body && !(down && self.one_way(cell)),
            Entry::Foot => body && !(down && self.one_way(cell)) && self.harm(cell) != Harm::Jumped,
            Entry::Ladder => body && self.means(cell, Meaning::Climb),
            Entry::Drop => body && self.one_way(cell),
            Entry::Door => body && self.means(cell, Meaning::Door),
            Entry::Hole => self.means(cell, Meaning::Diggable),
        }
    }

    fn climbs(&self, cell: Cell) -> bool {
        self.movement.ladders && self.means(cell, Meaning::Climb)
    }

    fn hangs(&self, cell: Cell) -> bool {
        self.movement.ladders && self.means(cell, Meaning::Hang)
    }

    fn stands(&self, (x, y): Cell) -> bool {
        if !self.movement.gravity || self.climbs((x, y)) || self.hangs((x, y)) {
            return true;
        }
        if y + 1 == self.height() {
            return self.movement.bottom == Bottom::Floor;
        }
        let below = (x, y + 1);
        let carries =
            self.solid(below) || self.means(below, Meaning::SolidTop) || self.climbs(below);
        carries && self.harm(below) == Harm::Ignored
    }

    /// True if strict rules allow the part of a move that leads from the cell by `dx` and `dy`: the player must be able to reach the end of this part
    /// through the common sides of free cells.
    fn passes(&self, (x, y): Cell, (dx, dy): (isize, isize)) -> bool {
        if !self.is_strict || (dx, dy) == (0, 0) {
            return true;
        }
        let sides = [(dx.signum(), 0), (0, dy.signum())];
        let mut sides = sides.into_iter().filter(|&side| side != (0, 0));
        sides.any(|(right, down)| {
            let next = (x + right, y + down);
            let free = |cell| self.enters(cell, Entry::Air, down > 0);
            self.wrapped(next).is_some_and(free) && self.passes(next, (dx - right, dy - down))
        })
    }

    /// True if strict rules allow a door to lead to another door that is `cells` cells away.
    fn leads(&self, (x, y): Cell, (dx, dy): Cell, cells: isize) -> bool {
        let between = |cells| self.wrapped((x + cells * dx, y + cells * dy));
        let is_wall = |cell| !self.enters(cell, Entry::Air, false);
        !self.is_strict || (1..cells).all(|cells| between(cells).is_some_and(is_wall))
    }

    fn is_lost(&self, (_, y): Cell) -> bool {
        self.movement.gravity && self.movement.bottom == Bottom::Lost && y + 1 == self.height()
    }

    /// For each cell at which a player can leave a move, returns the cells that the move passes up to this cell.
    fn moves(&self, at: Cell) -> Vec<Vec<Cell>> {
        if self.is_lost(at) {
            return Vec::new();
        }
        let (x, y) = at;
        let mut found = Vec::new();
        let mut to = |dx: isize, dy: isize, entry| {
            let end = self.wrapped((x + dx, y + dy));
            let passes = || {
                matches!(entry, Entry::Door | Entry::Drop | Entry::Ladder)
                    || self.passes(at, (dx, dy))
            };
            if let Some(end) = end.filter(|&end| self.enters(end, entry, dy > 0) && passes()) {
                found.push(vec![end]);
            }
        };
        let sides = [-1, 1];
        if self.stands(at) {
            for (dx, dy) in &self.movement.steps {
                for side in sides {
                    to(side * isize::from(*dx), isize::from(*dy), Entry::Foot);
                }
            }
            if self.movement.ladders {
                to(0, 1, Entry::Ladder);
            }
            if self.movement.drop {
                to(0, 1, Entry::Drop);
            }
        } else if !self.unstrict().stands(at) {
            for (dx, dy) in &self.movement.falls {
                for side in sides {
                    to(side * isize::from(*dx), isize::from(*dy), Entry::Air);
                }
            }
        }
        if self.climbs(at) {
            to(0, -1, Entry::Foot);
            to(0, 1, Entry::Foot);
        }
        if self.hangs(at) && !self.climbs(at) {
            to(0, 1, Entry::Foot);
        }
        if self.movement.doors > 0 && self.means(at, Meaning::Door) {
            for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
                for cells in 2..=isize::from(self.movement.doors) + 1 {
                    if self.leads(at, (dx, dy), cells) {
                        to(cells * dx, cells * dy, Entry::Door);
                    }
                }
            }
        }
        if self.stands(at) {
            if self.movement.dig {
                for side in sides {
                    let cells = [(side, 0), (side, 1), (side, 2)];
                    let cells = cells.map(|(dx, dy)| self.wrapped((x + dx, y + dy)));
                    if let [Some(beside), Some(hole), Some(end)] = cells
                        && self.enters(beside, Entry::Air, false)
                        && self.enters(hole, Entry::Hole, true)
                        && self.enters(end, Entry::Air, true)
                    {
                        found.push(vec![beside, hole, end]);
                    }
                }
            }
            for arc in &self.movement.jumps {
                for side in sides {
                    self.jump(at, arc, side, &mut found);
                }
            }
        }
        found
    }

    fn jump(&self, at: Cell, arc: &[(i8, i8)], side: isize, found: &mut Vec<Vec<Cell>>) {
        let (mut now, mut before) = (at, (0, 0));
        let mut passed = Vec::new();
        for &cell in arc {
            if self.is_lost(now) {
                return;
            }
            let (dx, dy) = (cell.0 - before.0, isize::from(cell.1 - before.1));
            let mut next = (now.0 + side * isize::from(dx), now.1 + dy);
            if self.travel == Travel::Right {
                next.1 = next.1.max(0);
            }
            let moved = (next.0 - now.0, next.1 - now.1);
            match self.wrapped(next) {
                Some(end) if self.enters(end, Entry::Air, dy > 0) && self.passes(now, moved) => {
                    now = end;
                }
                _ => return,
            }
            passed.push(now);
            found.push(passed.clone());
            before = cell;
        }
    }

    fn lines(&self) -> Vec<Vec<Cell>> {
        match self.travel {
            Travel::Right => (0..self.width())
                .map(|x| (0..self.height()).map(|y| (x, y)).collect())
                .collect(),
            Travel::Up => (0..self.height())
                .rev()
                .map(|y| (0..self.width()).map(|x| (x, y)).collect())
                .collect(),
        }
    }

    fn at(&self, side: Side, (x, y): Cell) -> bool {
        match side {
            Side::Left => x == 0,
            Side::Right => x + 1 == self.width(),
            Side::Top => y == 0,
            Side::Bottom => y + 1 == self.height(),
        }
    }

    fn starts(&self) -> Vec<Cell> {
        if self.is_strict {
            let mut starts = self.unstrict().starts();
            starts.retain(|&cell| self.enters(cell, Entry::Air, false));
            return starts;
        }
        let lines = self.lines();
        let put = |cell: &Cell| self.enters(*cell, Entry::Foot, false);
        let ground = |cell: &Cell| put(cell) && self.stands(*cell) && !self.is_lost(*cell);
        match &self.movement.start {
            Start::Cell(row, column) => {
                let (row, column) = (row.cast_signed(), column.cast_signed());
                let cell = (column.min(self.width() - 1), row.min(self.height() - 1));
                let is_small = cell != (column, row);
                let starts = |cell: &Cell| is_small || put(cell);
                [cell].into_iter().filter(starts).collect()
            }
            Start::Ground => {
                let line = lines.into_iter().find(|line| line.iter().any(ground));
                let cells = line.unwrap_or_default().into_iter();
                cells.filter(ground).collect()
            }
            Start::Edge(side) => {
                let all = lines.into_iter().flatten();
                all.filter(|&cell| self.at(*side, cell) && put(&cell))
                    .collect()
            }
            Start::Tiles(meanings) => {
                let mut all = lines.into_iter().flatten();
                all.find(|&cell| self.any(cell, meanings))
                    .into_iter()
                    .collect()
            }
        }
    }

    /// True if `cell` is a tile with one of the meanings `meanings`, and a player can enter the cell.
    fn counts(&self, cell: Cell, meanings: &[Meaning]) -> bool {
        let free = !self.solid(cell) && self.harm(cell) != Harm::Blocked;
        free && self.any(cell, meanings)
    }

    /// Returns the number of areas of the route that a player has passed after visiting `cells`, if the player had passed `before` areas earlier.
    fn passed(&self, before: usize, cells: &[Cell]) -> usize {
        cells.iter().fold(before, |mut passed, &(x, y)| {
            let (row, column) = match self.travel {
                Travel::Right => (y, x),
                Travel::Up => (x, self.height() - 1 - y),
            };
            let is_in = |area: &Area| area.contains(row.cast_unsigned(), column.cast_unsigned());
            while self.areas.get(passed).is_some_and(is_in) {
                passed += 1;
            }
            passed
        })
    }

    /// True if a player can reach the goal by a path through the given areas.
    pub(super) fn is_playable(&self) -> bool {
        let starts = self.starts();
        let started = |&cell: &Cell| (cell, self.passed(0, &[cell]));
        let mut reached: BTreeSet<(Cell, usize)> = starts.iter().map(started).collect();
        loop {
            let further = |&(cell, passed): &(Cell, usize)| {
                let ways = self.moves(cell).into_iter();
                ways.map(move |way| (way[way.len() - 1], self.passed(passed, &way)))
            };
            let further: Vec<(Cell, usize)> = reached.iter().flat_map(further).collect();
            let before = reached.len();
            reached.extend(further);
            if reached.len() == before {
                break;
            }
        }
        let through = reached.iter().filter(|at| at.1 == self.areas.len());
        let reached: BTreeSet<Cell> = through.map(|at| at.0).collect();
        let lines = self.lines();
        let own = self.unstrict();
        match &self.movement.goal {
            Goal::Edge(side) => reached.iter().any(|&cell| self.at(*side, cell)),
            Goal::EdgeOr { edge, or, within } => {
                let near = lines.iter().rev().take((*within).into());
                let near: Vec<Cell> = near.flatten().copied().collect();
                reached.iter().any(|cell| {
                    self.at(*edge, *cell) || near.contains(cell) && own.counts(*cell, or)
                })
            }
            Goal::Any(meanings) => reached.iter().any(|&cell| own.counts(cell, meanings)),
            Goal::All(meanings) => {
                let mut all = lines.iter().flatten();
                let is_met = |cell: &Cell| !own.counts(*cell, meanings) || reached.contains(cell);
                !starts.is_empty() && all.all(is_met)
            }
        }
    }
}
