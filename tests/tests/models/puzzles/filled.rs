//! Tests of boards that are filled in, whose goals are stratified only fact by fact: queens, inequalities and chains of numbers, against a search
//! through boards.

use std::fmt::Write;

use figrs::gdl::{BestFirst, GdlError, Length, Policy, Puzzle};
use figrs::prelude::*;
use figrs::{Stream, stream};
use rand::RngExt;

use crate::puzzles::reference::played;

/// The values of the cells in the order of their numbers; `None` for a cell that is not filled.
type Board = Vec<Option<usize>>;

/// A demand on the values of all cells, which a full board must meet.
type Demand = Box<dyn Fn(&[usize]) -> bool>;

/// A board to fill in, with some cells that may be given, and the demand on the full board.
struct Filling {
    given: Board,
    values: usize,
    is_right: Demand,
    rules: String,
}

/// Rules by which cells are written in any order or from the first to the last; a mistake need not be detected before the end.
const WRITING: &str = "
    (<= (next (cell ?c ?v)) (true (cell ?c ?v)))
    (<= (next (cell ?c ?v)) (does solver (write ?c ?v)))
    (<= (filled ?c) (true (cell ?c ?v)))
    (<= terminal (not open)) (<= open (place ?c) (not (filled ?c)))
    (<= (goal solver 0) open) (<= (goal solver 0) wrong)
    (<= (goal solver 100) (not (goal solver 0)))
";

impl Filling {
    /// Returns a board with one queen in each row, where no queens share a column or diagonal; some squares are holes.
    fn queens(rng: &mut Stream) -> Self {
        let size: usize = rng.random_range(3..=5);
        let mut rules = String::new();
        for row in 0..size {
            for column in 0..size {
                if rng.random_bool(0.85) {
                    write!(rules, "(square {row} {column}) ").unwrap();
                }
            }
        }
        let squares = rules.clone();
        rules += "(<= (legal solver (write ?c ?v)) (square ?c ?v) (not (filled ?c)) (not (skipped ?c)))
            (<= (skipped ?c) (before ?b ?c) (not (filled ?b)))
            (<= wrong (true (cell ?a ?v)) (true (cell ?b ?v)) (before ?a ?b))
            (<= wrong (true (cell ?a ?v)) (true (cell ?b ?w)) (slant ?a ?v ?b ?w))
            (<= (slant ?a ?v ?b ?w) (after ?a ?b) (or (after ?v ?w) (after ?w ?v)))
            (<= (slant ?a ?v ?c ?x) (slant ?a ?v ?b ?w) (after ?b ?c) (after ?w ?x) (before ?v ?w))
            (<= (slant ?a ?v ?c ?x) (slant ?a ?v ?b ?w) (after ?b ?c) (after ?x ?w) (before ?w ?v))";
        let is_right = move |columns: &[usize]| {
            (0..size).all(|a| {
                squares.contains(&format!("(square {a} {})", columns[a]))
                    && (0..a).all(|b| {
                        let apart = columns[a].abs_diff(columns[b]);
                        apart != 0 && apart != a - b
                    })
            })
        };
        Self::new(vec![None; size], size, rules, Box::new(is_right))
    }

    /// Returns a square without equal values in a row or column, with inequalities between cells.
    fn inequalities(rng: &mut Stream) -> Self {
        let size: usize = rng.random_range(2..=3);
        let cells = size * size;
        let mut given = vec![None; cells];
        for _ in 0..rng.random_range(size..=cells) {
            given[rng.random_range(0..cells)] = Some(rng.random_range(0..size));
        }
        let mut rules = String::new();
        let (mut apart, mut less) = (Vec::new(), Vec::new());
        for a in 0..cells {
            for b in (0..a).filter(|b| a / size == b / size || a % size == b % size) {
                apart.push((a, b));
                if rng.random_bool(0.2) {
                    less.push(if rng.random() { (a, b) } else { (b, a) });
                }
            }
        }
        for (a, b) in &apart {
            write!(rules, "(apart {a} {b}) ").unwrap();
        }
        for (a, b) in &less {
            write!(rules, "(less {a} {b}) ").unwrap();
        }
        rules += "(<= (legal solver (write ?c ?v)) (place ?c) (value ?v) (not (filled ?c)) (not (skipped ?c)))
            (<= (skipped ?c) (before ?b ?c) (not (filled ?b)))
            (<= wrong (apart ?a ?b) (true (cell ?a ?v)) (true (cell ?b ?v)))
            (<= wrong (less ?a ?b) (true (cell ?a ?v)) (true (cell ?b ?w)) (not (before ?v ?w)))";
        let is_right = move |values: &[usize]| {
            apart.iter().all(|&(a, b)| values[a] != values[b])
                && less.iter().all(|&(a, b)| values[a] < values[b])
        };
        Self::new(given, size, rules, Box::new(is_right))
    }

    /// Returns a grid whose cells are numbered such that consecutive numbers are neighbours. The rules define that a number has its successor beside
    /// it from the last number down.
    fn chain(rng: &mut Stream) -> Self {
        let (rows, columns): (usize, usize) = [(2, 2), (2, 3)][rng.random_range(0..2)];
        let cells = rows * columns;
        let mut given = vec![None; cells];
        for _ in 0..rng.random_range(2..=3) {
            given[rng.random_range(0..cells)] = Some(rng.random_range(0..cells));
        }
        let beside = move |a: usize, b: usize| {
            let (r, s) = (a / columns, b / columns);
            r.abs_diff(s).max((a % columns).abs_diff(b % columns)) == 1
        };
        let mut rules = String::new();
        for a in 0..cells {
            for b in (0..cells).filter(|&b| beside(a, b)) {
                write!(rules, "(beside {a} {b}) ").unwrap();
            }
        }
        write!(
            rules,
            "(<= (legal solver (write ?c ?v)) (place ?c) (value ?v) (not (filled ?c)) (not (skipped ?c)))
            (<= (skipped ?c) (before ?b ?c) (not (filled ?b)))
            (<= (linked ?v) (after ?v ?w) (true (cell ?a ?v)) (true (cell ?b ?w)) (beside ?a ?b) (not (broken ?w)))
            (<= (linked {last}) (true (cell ?a {last})))
            (<= (broken ?w) (value ?w) (not (linked ?w)))
            (<= wrong (broken 0))",
            last = cells - 1
        )
        .unwrap();
        let is_right = move |values: &[usize]| {
            let at = |value| values.iter().position(|&other| other == value);
            (1..cells).all(|value| match (at(value - 1), at(value)) {
                (Some(a), Some(b)) => beside(a, b),
                _ => false,
            })
        };
        Self::new(given, cells, rules, Box::new(is_right))
    }

    fn new(given: Board, values: usize, own: String, is_right: Demand) -> Self {
        let mut rules = format!("(role solver) {WRITING} {own}\n");
        for (cell, value) in given.iter().enumerate() {
            write!(rules, "(place {cell}) ").unwrap();
            if let Some(value) = value {
                write!(rules, "(init (cell {cell} {value})) ").unwrap();
            }
        }
        for value in 0..values {
            write!(rules, "(value {value}) ").unwrap();
        }
        for one in 0..given.len().max(values) {
            write!(rules, "(after {one} {}) ", one + 1).unwrap();
        }
        rules +=
            "(<= (before ?a ?b) (after ?a ?b)) (<= (before ?a ?c) (before ?a ?b) (after ?b ?c))";
        Self {
            given,
            values,
            is_right,
            rules,
        }
    }

    /// Returns the number of full boards that meet the demand.
    fn solutions(&self) -> usize {
        let cells = self.given.len();
        let boards = (0..self.values.pow(cells as u32)).map(|mut number| {
            let values = (0..cells).map(|_| {
                let value = number % self.values;
                number /= self.values;
                value
            });
            values.collect::<Vec<usize>>()
        });
        let kept = boards.filter(|board| {
            let mut both = self.given.iter().zip(board);
            both.all(|(given, value)| given.is_none_or(|given| given == *value))
        });
        kept.filter(|board| (self.is_right)(board)).count()
    }
}

#[test]
fn plans_are_the_boards_that_are_right() {
    for kind in [Filling::queens, Filling::inequalities, Filling::chain] {
        let (mut solved, mut impossible) = (0, 0);
        for case in 0..40 {
            let filling = kind(&mut stream(83, case));
            let rules = &filling.rules;
            let puzzle = Puzzle::parse(rules).unwrap_or_else(|error| panic!("{error}\n{rules}"));
            // Cells are written in their order, so that each plan corresponds to one board.
            let solutions = filling.solutions();
            let open = filling.given.iter().filter(|value| value.is_none()).count();
            let program = puzzle.elements(Length::Exactly(open), Policy::Blind);
            let compiled = Frontier::new().compile(program.model(), program.moves());
            let count = compiled.unwrap().count().unwrap().to_string();
            assert_eq!(count, solutions.to_string(), "{rules}");
            match puzzle.any_plan(&BestFirst::new(), 100) {
                Ok(found) => {
                    let end = played(&puzzle, found.actions()).unwrap();
                    assert!(
                        puzzle.is_solved(&end) && found.actions().len() == open,
                        "{rules}"
                    );
                    assert!(solutions > 0, "{rules}");
                    solved += 1;
                }
                Err(GdlError::NoPlan { proven: true, .. }) => {
                    assert_eq!(solutions, 0, "{rules}");
                    impossible += 1;
                }
                Err(error) => panic!("{error}\n{rules}"),
            }
        }
        assert!(solved > 3 && impossible > 3, "{solved} {impossible}");
    }
}
