//! Compares every automaton with a direct check of every board of a small grid.

use std::collections::VecDeque;

use figrs_core::{Element, Flip};
use figrs_infer::{Compiled, Enumerate, JunctionTree, Run, VariableElimination};
use figrs_models::grid::{
    Acyclic, Automaton, Columns, Connected, ConnectedMarks, Constraint, Count, Distances,
    GridError, Ground, NoSquare, Position, Rows, Runs, Size, TwoColours,
};

/// True if an automaton accepts the cells of a board in scan order.
fn accepts<C, A: Automaton<C>>(size: Size, automaton: &A, cells: &[C]) -> bool {
    let mut state = automaton.start();
    for (at, cell) in size.positions().zip(cells) {
        match automaton.step(at, &state, cell) {
            Some(next) => state = next,
            None => return false,
        }
    }
    automaton.accepts(&state)
}

/// Returns all boards of this many cells, with one of `values` in each cell.
fn boards<C: Copy>(cells: usize, values: &[C]) -> impl Iterator<Item = Vec<C>> {
    let all = values.len().pow(cells as u32);
    (0..all).map(move |mut code| {
        let mut board = Vec::with_capacity(cells);
        for _ in 0..cells {
            board.push(values[code % values.len()]);
            code /= values.len();
        }
        board
    })
}

/// Checks an automaton on every board of truth values of several shapes; returns the number of accepted boards of each shape.
fn check<A: Automaton<bool>>(
    automaton: impl Fn(Size) -> A,
    holds: impl Fn(Size, &[bool]) -> bool,
) -> Vec<usize> {
    let shapes = [(1, 1), (1, 6), (6, 1), (3, 4), (4, 3), (4, 4)];
    let mut counts = Vec::new();
    for (rows, columns) in shapes {
        let size = Size::new(rows, columns).unwrap();
        let automaton = automaton(size);
        let mut count = 0;
        for board in boards(size.cells(), &[false, true]) {
            let right = holds(size, &board);
            let found = accepts(size, &automaton, &board);
            assert_eq!(found, right, "{rows} by {columns}: {board:?}");
            count += usize::from(right);
        }
        counts.push(count);
    }
    counts
}

fn beside(size: Size, cell: usize) -> Vec<usize> {
    let (row, column) = (cell / size.columns(), cell % size.columns());
    let mut found = Vec::new();
    if row > 0 {
        found.push(cell - size.columns());
    }
    if column > 0 {
        found.push(cell - 1);
    }
    if column + 1 < size.columns() {
        found.push(cell + 1);
    }
    if row + 1 < size.rows() {
        found.push(cell + size.columns());
    }
    found
}

/// Returns the number of steps from a cell to every cell; `None` for cells that cannot be reached.
fn steps(size: Size, open: &[bool], from: usize) -> Vec<Option<u32>> {
    let mut steps = vec![None; open.len()];
    if !open[from] {
        return steps;
    }
    steps[from] = Some(0);
    let mut queue = VecDeque::from([from]);
    while let Some(cell) = queue.pop_front() {
        for next in beside(size, cell) {
            if open[next] && steps[next].is_none() {
                steps[next] = steps[cell].map(|steps| steps + 1);
                queue.push_back(next);
            }
        }
    }
    steps
}

fn groups(size: Size, board: &[bool]) -> usize {
    let mut left: Vec<usize> = (0..board.len()).filter(|&cell| board[cell]).collect();
    let mut groups = 0;
    while let Some(&first) = left.first() {
        let reached = steps(size, board, first);
        left.retain(|&cell| reached[cell].is_none());
        groups += 1;
    }
    groups
}

#[test]
fn connected_is_one_group() {
    let counts = check(|_| Connected, |size, board| groups(size, board) == 1);
    // The number 21 counts the intervals of six cells, and 11506 the nonempty connected subgraphs of the 4 by 4 grid (OEIS A059525).
    assert_eq!(counts, [1, 21, 21, 1126, 1126, 11506]);
}

#[test]
fn acyclic_has_fewer_links_than_cells_in_each_group() {
    check(
        |_| Acyclic,
        |size, board| {
            let cells = board.iter().filter(|cell| **cell).count();
            let ends: usize = (0..board.len())
                .filter(|&cell| board[cell])
                .map(|cell| beside(size, cell).iter().filter(|&&n| board[n]).count())
                .sum();
            ends / 2 + groups(size, board) == cells
        },
    );
}

#[test]
fn no_square_is_of_one_colour() {
    let counts = check(NoSquare::new, |size, board| {
        (1..size.rows()).all(|row| {
            (1..size.columns()).all(|column| {
                let at = row * size.columns() + column;
                let square = [at, at - 1, at - size.columns(), at - size.columns() - 1];
                square.iter().any(|&cell| board[cell] != board[at])
            })
        })
    });
    assert_eq!(counts[0], 2);
}

#[test]
fn counts_are_those_of_the_range() {
    let number = |board: &[bool]| board.iter().filter(|cell| **cell).count() as u32;
    check(|_| Count::any(), |_, _| true);
    check(|_| Count::exactly(3), |_, board| number(board) == 3);
    check(|_| Count::at_least(3), |_, board| number(board) >= 3);
    check(|_| Count::at_most(3), |_, board| number(board) <= 3);
    check(
        |_| Count::between(2, 4),
        |_, board| (2..=4).contains(&number(board)),
    );
}

/// Returns the lengths of the runs of a line.
fn runs(line: impl Iterator<Item = bool>) -> Vec<u16> {
    let mut lengths = vec![0];
    for cell in line {
        match (cell, lengths.last_mut()) {
            (true, Some(length)) => *length += 1,
            _ => lengths.push(0),
        }
    }
    lengths.retain(|&length| length > 0);
    lengths
}

#[test]
fn rows_and_columns_have_their_runs() {
    let wanted: [&[u16]; 4] = [&[1, 1], &[], &[2], &[1]];
    let lines = |count: usize| (0..count).map(move |line| Runs::new(wanted[line % 4].to_vec()));
    check(
        |size| Rows::new(size, lines(size.rows())).unwrap(),
        |size, board| {
            let rows = board.chunks(size.columns()).enumerate();
            rows.into_iter()
                .all(|(row, cells)| runs(cells.iter().copied()) == wanted[row % 4])
        },
    );
    check(
        |size| Columns::new(size, lines(size.columns())).unwrap(),
        |size, board| {
            (0..size.columns()).all(|column| {
                let cells = board.iter().skip(column).step_by(size.columns());
                runs(cells.copied()) == wanted[column % 4]
            })
        },
    );
}

#[test]
fn products_and_options_hold_together() {
    let counts = check(
        |size| {
            let other = Connected.reading(|_, cell: &bool| !cell);
            Connected
                .and(Some(other))
                .and(None::<Acyclic>)
                .and(NoSquare::new(size))
        },
        |size, board| {
            let other: Vec<bool> = board.iter().map(|cell| !cell).collect();
            groups(size, board) == 1
                && groups(size, &other) == 1
                && accepts(size, &NoSquare::new(size), board)
        },
    );
    // A separate frontier program computed the number of Yin-Yang boards of 4 by 4 cells.
    assert_eq!(counts[5], 96);
}

/// Although the automaton rejects boards earlier than two separate automata do, it accepts the same boards.
#[test]
fn two_colours_are_both_connected() {
    let counts = check(TwoColours::new, |size, board| {
        let other: Vec<bool> = board.iter().map(|cell| !cell).collect();
        groups(size, board) == 1 && groups(size, &other) == 1
    });
    assert_eq!(counts[..3], [0, 10, 10]);
}

/// Compares the automaton on larger boards with two automata that reject a board only when a group of a colour leaves the frontier.
#[test]
fn ending_earlier_loses_no_larger_board() {
    for (rows, columns) in [(3, 10), (10, 3), (5, 8), (8, 5), (6, 7)] {
        let size = Size::new(rows, columns).unwrap();
        let cells: Vec<Element<bool>> = size.positions().map(|_| Flip::new(0.5)).collect();
        let other = Connected.reading(|_, cell: &bool| !cell);
        let plain = Constraint::new(size, &cells, Connected.and(other)).unwrap();
        let early = Constraint::new(size, &cells, TwoColours::new(size)).unwrap();
        let count = |model| {
            let tree = JunctionTree::new().compile(model, ()).unwrap();
            tree.count().unwrap()
        };
        let found = count(early.model());
        assert_eq!(found, count(plain.model()), "{rows} by {columns}");
        assert!(found > 1000u32.into());
    }
}

/// Returns the cells of the marks, if each mark is in exactly one cell.
fn stops(board: &[Ground], marks: u32) -> Option<Vec<usize>> {
    let with = |mark: u32| {
        let holds = |ground: &Ground| matches!(ground, Ground::Marked(m) if m >> mark & 1 == 1);
        (0..board.len())
            .filter(move |&cell| holds(&board[cell]))
            .collect::<Vec<_>>()
    };
    (0..marks)
        .map(|mark| match with(mark)[..] {
            [cell] => Some(cell),
            _ => None,
        })
        .collect()
}

fn length(size: Size, board: &[Ground], marks: u32) -> Option<u32> {
    let open: Vec<bool> = board.iter().map(|ground| *ground != Ground::Wall).collect();
    let stops = stops(board, marks)?;
    stops
        .windows(2)
        .map(|leg| steps(size, &open, leg[0])[leg[1]])
        .sum()
}

/// Returns the possible kinds of a cell: wall, open, each single mark, and all marks together.
fn grounds(marks: u8) -> Vec<Ground> {
    let mut grounds = vec![Ground::Wall, Ground::Open];
    grounds.extend((0..marks).map(|mark| Ground::Marked(1 << mark)));
    grounds.push(Ground::Marked((1 << marks) - 1));
    grounds
}

#[test]
fn marks_are_joined_if_there_is_a_walk() {
    for (rows, columns) in [(2, 4), (4, 2), (1, 6)] {
        let size = Size::new(rows, columns).unwrap();
        for board in boards(size.cells(), &grounds(2)) {
            let right = length(size, &board, 2).is_some();
            assert_eq!(
                accepts(size, &ConnectedMarks::new(0b11), &board),
                right,
                "{board:?}"
            );
        }
    }
    let size = Size::new(1, 3).unwrap();
    assert!(accepts(size, &ConnectedMarks::new(0), &[Ground::Wall; 3]));
    assert!(!accepts(
        size,
        &ConnectedMarks::new(1),
        &[Ground::Marked(2); 3]
    ));
}

#[test]
fn distances_are_those_of_the_walk() {
    for (rows, columns, marks) in [(4, 2, 2), (2, 3, 3), (3, 2, 3), (2, 3, 4)] {
        let size = Size::new(rows, columns).unwrap();
        let stops = usize::from(marks);
        let any = Distances::new(size, stops, 0..=u32::MAX).unwrap();
        let ranges = [0..=2, 3..=3, 2..=4, 3..=u32::MAX, 40..=u32::MAX];
        let bounded =
            ranges.map(|range| (Distances::new(size, stops, range.clone()).unwrap(), range));
        for board in boards(size.cells(), &grounds(marks)) {
            let right = length(size, &board, u32::from(marks));
            let mut state = Some(any.start());
            for (at, cell) in size.positions().zip(&board) {
                state = state.and_then(|state| any.step(at, &state, cell));
            }
            let found = state.filter(|state| any.accepts(state));
            assert_eq!(
                found.and_then(|state| any.length(&state)),
                right,
                "{board:?}"
            );
            for (automaton, range) in &bounded {
                let allowed = right.is_some_and(|length| range.contains(&length));
                assert_eq!(
                    accepts(size, automaton, &board),
                    allowed,
                    "{range:?}: {board:?}"
                );
            }
        }
    }
}

/// Distances between opposite corners of 4 by 5 cells are exact; such boards have detours that smaller boards do not have.
#[test]
fn distances_of_long_ways_are_exact() {
    let size = Size::new(4, 5).unwrap();
    let any = Distances::new(size, 2, 0..=u32::MAX).unwrap();
    let mut longest = 0;
    for board in boards(size.cells() - 2, &[Ground::Wall, Ground::Open]) {
        let mut cells = vec![Ground::Marked(2)];
        cells.extend(board);
        cells.push(Ground::Marked(1));
        let mut state = Some(any.start());
        for (at, cell) in size.positions().zip(&cells) {
            state = state.and_then(|state| any.step(at, &state, cell));
        }
        let found = state.and_then(|state| any.length(&state));
        let open: Vec<bool> = cells.iter().map(|cell| *cell != Ground::Wall).collect();
        let right = steps(size, &open, 0)[size.cells() - 1];
        assert_eq!(found, right, "{cells:?}");
        longest = longest.max(right.unwrap_or(0));
    }
    // The longest shortest path runs down, up, down and up again through the five columns.
    assert_eq!(longest, 13);
}

#[test]
fn engines_agree_on_a_folded_constraint() {
    let size = Size::new(3, 3).unwrap();
    let cells: Vec<Element<bool>> = size.positions().map(|_| Flip::new(0.3)).collect();
    let rules = Connected.and(Count::between(2, 6));
    let constraint = Constraint::new(size, &cells, rules).unwrap();
    let weight = |board: &Vec<bool>| -> f64 {
        board
            .iter()
            .map(|&cell| if cell { 0.3 } else { 0.7 })
            .product()
    };
    let accepted: Vec<Vec<bool>> = boards(9, &[false, true])
        .filter(|board| accepts(size, &Connected.and(Count::between(2, 6)), board))
        .collect();
    let right: f64 = accepted.iter().map(weight).sum();
    let model = constraint.model();
    let tree = JunctionTree::new().compile(model, &cells).unwrap();
    assert_eq!(tree.count().unwrap(), accepted.len().into());
    assert_eq!(constraint.states().len(), 9);
    let found = [
        tree.log_evidence().exp(),
        VariableElimination::new()
            .probability_of_evidence(model)
            .unwrap(),
        Enumerate::new().probability_of_evidence(model).unwrap(),
    ];
    for found in found {
        assert!((found / right - 1.0).abs() < 1e-12, "{found} {right}");
    }
    let centre: f64 = accepted.iter().filter(|board| board[4]).map(weight).sum();
    let found = tree.probability(&cells[4], &true).unwrap();
    assert!((found - centre / right).abs() < 1e-12);
}

#[test]
fn wrong_sizes_and_lists_are_errors() {
    let message = |error: GridError| error.to_string();
    assert_eq!(
        message(Size::new(0, 3).unwrap_err()),
        "a grid of 0 rows and 3 columns; use 1 to 4096 rows and columns"
    );
    for text in ["", "x", "3x", "0", "3x-1", "3x4x5", "a"] {
        assert_eq!(
            message(text.parse::<Size>().unwrap_err()),
            "write a side such as 8, or rows and columns such as 8x12"
        );
    }
    assert!("5000".parse::<Size>().is_err());
    assert_eq!("3x16".parse(), Size::new(3, 16));
    assert_eq!("3".parse(), Size::new(3, 3));
    let error = Size::new(3, 16).and_then(Size::for_automata).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a grid of 3 rows and 16 columns; use 1 to 1000 rows and 1 to 15 columns (turn a wide grid on its side)"
    );
    let size = Size::new(2, 2).unwrap();
    let cells = [Flip::new(0.5)];
    let error = Constraint::new(size, &cells, Connected).unwrap_err();
    let length = |what, found| {
        let expected = if what == "cells" { 4 } else { 2 };
        format!("{found} {what} for a grid that has {expected}; give one for each")
    };
    assert_eq!(message(error), length("cells", 1));
    let wide = Size::new(1, 16).unwrap();
    let cells: Vec<_> = wide.positions().map(|_| Flip::new(0.5)).collect();
    let error = Constraint::new(wide, &cells, Connected).unwrap_err();
    assert!(matches!(error, GridError::TooLarge(_)), "{error}");
    assert_eq!(
        message(Rows::new(size, [Acyclic; 3]).unwrap_err()),
        length("rows", 3)
    );
    assert_eq!(
        message(Columns::new(size, [Acyclic; 1]).unwrap_err()),
        length("columns", 1)
    );
    let error = Distances::new(Size::new(2, 7).unwrap(), 2, 0..=9).unwrap_err();
    assert!(matches!(error, GridError::TooLarge(_)), "{error}");
    assert_eq!(
        message(Distances::new(size, 5, 0..=9).unwrap_err()),
        "a walk between 5 marks; use 2 to 4"
    );
    #[expect(clippy::reversed_empty_ranges)]
    let error = Distances::new(size, 2, 3..=2).unwrap_err();
    assert!(message(error).starts_with("the range of steps from 3 to 2 is empty"));
    let at = Position { row: 1, column: 0 };
    assert_eq!(at.to_string(), "row 2, column 1");
}

/// The widest grid has fifteen columns, because with more columns groups would need more numbers than four bits have.
#[test]
fn the_widest_grid_has_as_many_groups_as_columns_in_two() {
    let size = Size::new(2, Size::AUTOMATON_COLUMNS).unwrap();
    let comb: Vec<bool> = size
        .positions()
        .map(|at| at.row == 1 || at.column % 2 == 0)
        .collect();
    assert!(accepts(size, &Connected, &comb));
    let teeth: Vec<bool> = size.positions().map(|at| at.column % 2 == 0).collect();
    assert!(!accepts(size, &Connected, &teeth));
    assert!(accepts(size, &Acyclic, &comb));
}
