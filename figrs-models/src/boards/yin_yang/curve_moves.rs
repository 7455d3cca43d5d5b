//! Backbite moves (changes of a Hamiltonian path) for the line between the two colours of a Yin-Yang board.

use super::Colour;
use crate::board::{BoardMoves, WindowMoves};
use crate::grid::Size;

/// Proposes changes of the line between the two colours of a board that follows the rules; on a board that breaks a rule, redraws small windows of
/// cells instead.
///
/// The line between the two colours of a board passes each inner corner of the grid once. The line between the two colours is a Hamiltonian path of
/// the inner corners whose two ends leave the grid or, if all cells on the rim have one colour, a Hamiltonian cycle. A proposal first pulls back one
/// end of the line between the two colours. Backbite steps then change both ends of the line, until both ends leave the grid again or the line is
/// closed. Proposals are symmetric, because each step of a proposal is as likely as its reverse.
///
/// On Yin-Yang boards of 12 by 12 cells, Markov chains that start from horizontal comb patterns agree with chains that start from vertical comb
/// patterns within a few hundred sweeps (R-hat below 1.05).
///
/// **References.** Mansfield, "Monte Carlo studies of polymer chain dimensions in the melt", Journal of Chemical Physics 77 (1982), for the backbite
/// step; Oberdorf, Ferguson, Jacobsen and Kondev, "Secondary structures in long compact polymers", Physical Review E 74 (2006), for the use of this
/// step on lattices.
#[derive(Clone, Debug)]
pub(super) struct CurveMoves {
    windows: WindowMoves<Colour>,
    size: Size,
    corners: (usize, usize),
    line: Line,
    /// For each inner corner, the bit set of the sides to which the line between the colours leads.
    sides: Vec<u8>,
    steps: usize,
    looked_at: u64,
}

/// The line between the two colours of a board: a Hamiltonian path of the inner corners of the grid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Line {
    path: Vec<usize>,
    /// For each inner corner, its index on the Hamiltonian path.
    places: Vec<usize>,
    /// For the first and the last corner of the path, the side on which the path leaves the grid at this corner, if it does.
    exits: [Option<usize>; 2],
    /// True if the two ends of the path are joined to form a cycle.
    is_closed: bool,
}

/// Maximum number of backbite steps of a proposal, per inner corner of the grid; nearly all proposals take fewer steps. A proposal that needs more
/// steps leaves the board unchanged.
const STEPS: usize = 32;
/// On average, one of this number of proposals also exchanges the two colours. A proposal that exchanges the two colours takes longer than most
/// proposals.
const TURNS: usize = 16;
/// On average, one of this number of proposals redraws a window of the board.
const WINDOWS: usize = 4;
/// Maximum number of proposals of a sweep: the number for a board of 12 by 12 cells. Larger boards need no more proposals in a sweep, because one
/// proposal changes much of the line between the colours.
const SWEEP: usize = 144;

impl CurveMoves {
    pub(super) fn new(size: Size) -> Self {
        let corners = (size.rows() - 1, size.columns() - 1);
        Self {
            windows: WindowMoves::new(size, [Colour::Black, Colour::White]),
            size,
            corners,
            line: Line::default(),
            sides: vec![0; corners.0 * corners.1],
            steps: STEPS * corners.0 * corners.1,
            looked_at: 0,
        }
    }

    /// Returns the inner corner beside `corner` on the side `side`; the sides are above, right, below and left.
    fn beside(&self, corner: usize, side: usize) -> Option<usize> {
        let (rows, columns) = self.corners;
        let (row, column) = (corner / columns, corner % columns);
        match side {
            0 if row > 0 => Some(corner - columns),
            1 if column + 1 < columns => Some(corner + 1),
            2 if row + 1 < rows => Some(corner + columns),
            3 if column > 0 => Some(corner - 1),
            _ => None,
        }
    }

    /// Reads the line between the colours of a board; returns false if the board breaks a rule.
    fn read_line(&mut self, cells: &[Colour]) -> bool {
        let (all, columns) = (self.corners.0 * self.corners.1, self.corners.1);
        let mut start = None;
        for corner in 0..all {
            let above = corner / columns * self.size.columns() + corner % columns;
            let below = above + self.size.columns();
            let around = [
                cells[above],
                cells[above + 1],
                cells[below + 1],
                cells[below],
            ];
            let mut sides = 0u8;
            for side in 0..4 {
                if around[side] != around[(side + 1) % 4] {
                    sides |= 1 << side;
                    if start.is_none() && self.beside(corner, side).is_none() {
                        start = Some((corner, side));
                    }
                }
            }
            if sides.count_ones() != 2 {
                return false;
            }
            self.sides[corner] = sides;
        }
        let is_closed = start.is_none();
        let (mut corner, mut from) = start.unwrap_or((0, self.sides[0].trailing_zeros() as usize));
        let first = start.map(|(_, side)| side);
        let mut path = std::mem::take(&mut self.line.path);
        path.clear();
        let last = loop {
            path.push(corner);
            let side = (self.sides[corner] & !(1 << from)).trailing_zeros() as usize;
            match self.beside(corner, side) {
                Some(next) if next != path[0] && path.len() < all => {
                    corner = next;
                    from = (side + 2) % 4;
                }
                Some(_) => break None,
                None => break Some(side),
            }
        };
        let is_whole = path.len() == all && last.is_none() == is_closed;
        self.line.places.resize(all, 0);
        for (place, &corner) in path.iter().enumerate() {
            self.line.places[corner] = place;
        }
        self.line.path = path;
        self.line.exits = [first, last];
        self.line.is_closed = is_closed;
        is_whole
    }

    /// Changes the line between the colours until it is the line of another board; returns false if this takes more than the allowed number of steps.
    fn excursion(&mut self, choose: &mut dyn FnMut(usize) -> usize) -> bool {
        self.line.depart(choose);
        (0..self.steps).any(|_| {
            self.looked_at += 1;
            self.step(choose);
            self.line.is_of_board()
        })
    }

    /// Moves a randomly chosen end of the line between the two colours of a Yin-Yang board by one step, to a randomly chosen side.
    fn step(&mut self, choose: &mut dyn FnMut(usize) -> usize) {
        let chosen = choose(8);
        let (end, side) = (chosen / 4, chosen % 4);
        let last = self.line.path.len() - 1;
        let at = if end == 0 { 0 } else { last };
        if let Some(exit) = self.line.exits[end] {
            if exit == side {
                self.line.exits[end] = None;
            }
            return;
        }
        let Some(beside) = self.beside(self.line.path[at], side) else {
            self.line.exits[end] = Some(side);
            return;
        };
        let place = self.line.places[beside];
        if place.abs_diff(at) <= 1 {
            return;
        }
        if place == last - at {
            // A cycle can be opened in `last + 1` places; with this probability, closing the line is as likely as opening it.
            let may_close = self.line.exits[1 - end].is_none();
            self.line.is_closed = may_close && choose(last + 1) == 0;
            return;
        }
        let turned = if end == 0 {
            0..place
        } else {
            place + 1..last + 1
        };
        self.looked_at += turned.len() as u64;
        self.line.path[turned.clone()].reverse();
        self.line.number(turned);
    }

    /// Adds to `changes` the cells in which the board with the changed line differs from `cells`; `first` is the colour of the first cell.
    fn draw(&mut self, cells: &[Colour], first: Colour, changes: &mut Vec<(usize, Colour)>) {
        let path = &self.line.path;
        for (place, &corner) in path.iter().enumerate() {
            let exit = |end: usize, is_end: bool| {
                let exit = self.line.exits[end].filter(|_| is_end && !self.line.is_closed);
                exit.map_or(0, |side| 1 << side)
            };
            let mut sides = exit(0, place == 0) | exit(1, place + 1 == path.len());
            let before = match place {
                0 if self.line.is_closed => path.last(),
                0 => None,
                _ => path.get(place - 1),
            };
            let after = match path.get(place + 1) {
                None if self.line.is_closed => path.first(),
                after => after,
            };
            for side in 0..4 {
                let beside = self.beside(corner, side);
                if beside.is_some() && (beside.as_ref() == before || beside.as_ref() == after) {
                    sides |= 1 << side;
                }
            }
            self.sides[corner] = sides;
        }
        let columns = self.size.columns();
        let leads = |row: usize, column: usize, side: usize| {
            self.sides[row * self.corners.1 + column] >> side & 1 == 1
        };
        let mut start = first;
        for row in 0..self.size.rows() {
            if row > 0 && leads(row - 1, 0, 3) {
                start = start.other();
            }
            let mut colour = start;
            for column in 0..columns {
                let crosses = column > 0
                    && match row {
                        0 => leads(0, column - 1, 0),
                        _ => leads(row - 1, column - 1, 2),
                    };
                if crosses {
                    colour = colour.other();
                }
                let at = row * columns + column;
                if colour != cells[at] {
                    changes.push((at, colour));
                }
            }
        }
    }
}

impl Line {
    /// True if the line separates the two colours of a board, because it is a cycle or both of its ends leave the grid.
    fn is_of_board(&self) -> bool {
        self.is_closed || self.exits.iter().all(Option::is_some)
    }

    /// Starts a proposal for the line between the colours: pulls back one of its ends, or opens a cycle at a random place.
    fn depart(&mut self, choose: &mut dyn FnMut(usize) -> usize) {
        if !self.is_closed {
            self.exits[choose(2)] = None;
            return;
        }
        let cut = choose(self.path.len());
        self.path.rotate_left(cut);
        self.number(0..self.path.len());
        self.is_closed = false;
    }

    /// Updates the stored indices of the corners in the part `part` of the path.
    fn number(&mut self, part: std::ops::Range<usize>) {
        for place in part {
            self.places[self.path[place]] = place;
        }
    }
}

impl BoardMoves<Colour> for CurveMoves {
    fn propose(
        &mut self,
        cells: &[Colour],
        choose: &mut dyn FnMut(usize) -> usize,
        changes: &mut Vec<(usize, Colour)>,
    ) {
        // A single row or column of inner corners has few lines, and redrawn windows reach all of them.
        let is_narrow = self.corners.0 < 2 || self.corners.1 < 2;
        if is_narrow || choose(WINDOWS) == 0 {
            return self.windows.propose(cells, choose, changes);
        }
        self.looked_at += cells.len() as u64;
        if self.read_line(cells) && self.excursion(choose) {
            self.looked_at += cells.len() as u64;
            let turns = choose(TURNS) == 0;
            let first = cells[0];
            // The first cell keeps its colour, unless the move exchanges the colours.
            self.draw(cells, if turns { first.other() } else { first }, changes);
        }
    }

    fn proposals(&self, free: usize) -> usize {
        free.min(SWEEP)
    }

    fn looked_at(&mut self) -> u64 {
        std::mem::take(&mut self.looked_at)
    }
}

#[cfg(test)]
mod tests {
    use figrs_infer::Compiled;
    use std::collections::HashMap;

    use super::*;
    use crate::board::ConditionalSampler;
    use crate::boards::yin_yang::YinYang;
    use crate::boards::yin_yang::generator::comb;

    /// Calls `make` with all possible sequences of its random choices; returns each resulting line with its probability.
    fn all_choices(
        mut make: impl FnMut(&mut dyn FnMut(usize) -> usize) -> Line,
    ) -> Vec<(Line, f64)> {
        let (mut open, mut made) = (vec![Vec::new()], Vec::new());
        while let Some(given) = open.pop() {
            let (mut chosen, mut numbers) = (given.clone(), Vec::new());
            let line = make(&mut |number| {
                let place = numbers.len();
                numbers.push(number);
                if place == chosen.len() {
                    chosen.push(0);
                }
                chosen[place]
            });
            made.push((line, numbers.iter().product::<usize>() as f64));
            for place in given.len()..numbers.len() {
                open.extend((1..numbers[place]).map(|other| [&chosen[..place], &[other]].concat()));
            }
        }
        made.into_iter()
            .map(|(line, number)| (line, number.recip()))
            .collect()
    }

    /// Returns the boards to which proposals of up to `steps` backbite steps lead, with the probabilities of these boards.
    fn leads(moves: &mut CurveMoves, cells: &[Colour], steps: usize) -> HashMap<Vec<Colour>, f64> {
        let mut found = HashMap::new();
        assert!(moves.read_line(cells));
        let start = moves.line.clone();
        let departed = all_choices(|choose| {
            let mut line = start.clone();
            line.depart(choose);
            line
        });
        let mut lines: HashMap<Line, f64> = HashMap::new();
        for (line, probability) in departed {
            *lines.entry(line).or_default() += probability;
        }
        for _ in 0..steps {
            let mut next: HashMap<Line, f64> = HashMap::new();
            for (line, probability) in lines {
                let stepped = all_choices(|choose| {
                    moves.line = line.clone();
                    moves.step(choose);
                    moves.line.clone()
                });
                for (line, share) in stepped {
                    if !line.is_of_board() {
                        *next.entry(line).or_default() += probability * share;
                        continue;
                    }
                    let (mut board, mut changes) = (cells.to_vec(), Vec::new());
                    moves.line = line;
                    moves.draw(cells, cells[0], &mut changes);
                    for (at, colour) in changes {
                        board[at] = colour;
                    }
                    *found.entry(board).or_default() += probability * share;
                }
            }
            lines = next;
        }
        found
    }

    /// Proposals must lead from each board only to boards that follow the rules, with the same probability as the reverse proposal; from one board,
    /// proposals must reach all boards.
    #[test]
    fn excursions_are_symmetric_and_reach_all_boards() {
        for (rows, columns) in [(3, 3), (3, 4), (4, 3), (4, 4), (3, 5)] {
            let size = Size::new(rows, columns).unwrap();
            let mut moves = CurveMoves::new(size);
            let exact = YinYang::new(size);
            let exact = ConditionalSampler::new().exact(&exact).unwrap();
            let count = exact.compiled().count().unwrap();
            let mut open = vec![comb(size, 0)];
            let mut ways: HashMap<Vec<Colour>, HashMap<Vec<Colour>, f64>> = HashMap::new();
            while let Some(board) = open.pop() {
                if ways.contains_key(&board) {
                    continue;
                }
                let leads = leads(&mut moves, &board, 8);
                open.extend(leads.keys().cloned());
                ways.insert(board, leads);
            }
            for (board, leads) in &ways {
                for (other, there) in leads {
                    let back = ways[other].get(board).copied().unwrap_or(0.0);
                    assert!((there - back).abs() < 1e-12, "{there} {back}");
                }
            }
            // All of these boards have the same colour in the first cell.
            assert_eq!(count, (2 * ways.len()).into(), "{rows} by {columns}");
        }
    }
}
