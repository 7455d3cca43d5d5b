//! Tests every error of the generators on grids, and the messages of impossible demands.

use figrs_models::{FileError, MistakeKind};
use std::collections::BTreeSet;

use figrs_core::stream;
use figrs_infer::{Compiled, Error, Frontier, JunctionTree};
use figrs_models::board::{BoardError, Generator};
use figrs_models::chromatic_maze::ChromaticMaze;
use figrs_models::dungeon::Dungeon;
use figrs_models::grid::{Board, GridError, Position, Size};
use figrs_models::island::{Island, Terrain};
use figrs_models::maze::{DirectionWeights, PerfectMaze, Pointer};
use figrs_models::yin_yang::{Colour, ColourClues, YinYang};

fn at(row: usize, column: usize) -> Position {
    Position { row, column }
}

fn clues(text: &str) -> Result<ColourClues, FileError> {
    text.parse()
}

#[test]
fn mazes_have_sides_and_weights() {
    let error = Size::new(4097, 2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a grid of 4097 rows and 2 columns; use 1 to 4096 rows and columns"
    );
    let maze = PerfectMaze::new(Size::new(2, 40).unwrap());
    let error = maze.elements().unwrap_err();
    assert!(matches!(error, GridError::TooLarge(_)), "{error}");
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let left = DirectionWeights {
            left: weight,
            ..DirectionWeights::UNIFORM
        };
        let error = maze.clone().weights(left).unwrap_err();
        let message = format!("the weight of pointing Left is {weight}; use a number");
        assert!(error.to_string().starts_with(&message), "{error}");
    }
}

#[test]
#[expect(clippy::reversed_empty_ranges)]
fn ranges_are_not_empty() {
    let size = Size::new(3, 3).unwrap();
    let empty = |what: &str| GridError::not_empty(what, 4..=3).unwrap_err();
    assert_eq!(
        empty("walls").to_string(),
        "the range of walls from 4 to 3 is empty; let it end at or after its start"
    );
    assert_eq!(Dungeon::new(size).walls(4..=3).unwrap_err(), empty("walls"));
    assert_eq!(Dungeon::new(size).walk(4..=3).unwrap_err(), empty("steps"));
    let island = || Island::new(Size::new(5, 5).unwrap()).unwrap();
    assert_eq!(island().land(4..=3).unwrap_err(), empty("cells of land"));
    assert_eq!(island().bays(4..=3).unwrap_err(), empty("bays"));
    let chromatic = ChromaticMaze::new(size).unwrap().steps(4..=3);
    assert_eq!(chromatic.unwrap_err(), empty("steps"));
    let large = Dungeon::new(Size::new(20, 5).unwrap())
        .walk(0..=50)
        .unwrap()
        .elements()
        .unwrap_err();
    assert!(matches!(large, GridError::TooLarge(_)), "{large}");
    assert_eq!(
        large.to_string(),
        "lengths of paths on 20 rows and 5 columns; use at most 6 columns and 80 cells, or no bounds on lengths"
    );
}

#[test]
fn islands_have_land_inside() {
    assert_eq!(
        Island::new(Size::new(2, 9).unwrap())
            .unwrap_err()
            .to_string(),
        "an island of 2 by 9 cells; use 3 to 1000 of each"
    );
    let island = || Island::new(Size::new(5, 6).unwrap()).unwrap();
    let error = island().centre(at(0, 2)).unwrap_err();
    let message = "the centre of the island at row 1, column 3 is on the border, which is water; use a cell inside";
    assert_eq!(error.to_string(), message);
    for (least, most) in [(13, 99), (0, 0)] {
        let error = island().land(least..=most).unwrap_err();
        assert!(matches!(error, GridError::Impossible(_)), "{error}");
        let possible = "but boards of this size have 1 to 12;";
        assert!(error.to_string().contains(possible), "{error}");
    }
    for (least, most) in [(-0.1, 0.5), (0.5, 1.5), (0.6, 0.5), (f64::NAN, 1.0)] {
        let error = island().land_share(least..=most).unwrap_err();
        let message = format!("the share of land from {least} to {most}; use numbers");
        assert!(error.to_string().starts_with(&message), "{error}");
    }
}

#[test]
fn numbers_that_no_board_has_are_refused() {
    let message = |error: GridError| error.to_string();
    let size = Size::new(3, 4).unwrap();
    assert_eq!(
        message(Dungeon::new(size).walls(7..=u32::MAX).unwrap_err()),
        "impossible: at least 7 walls, but boards of this size have 0 to 6; use a range with at least one of these numbers"
    );
    assert_eq!(
        message(Dungeon::new(size).walk(6..=6).unwrap_err()),
        "impossible: exactly 6 steps of the walk, but boards of this size have 5 to 27 in steps of 2; use a range with at least one of these numbers"
    );
    let chromatic = || ChromaticMaze::new(size).unwrap();
    assert_eq!(
        message(chromatic().steps(0..=0).unwrap_err()),
        "impossible: at most 0 steps of the path, but boards of this size have 1 to 11; use a range with at least one of these numbers"
    );
    let bays = Island::new(Size::new(5, 6).unwrap())
        .unwrap()
        .bays(6..=9)
        .unwrap_err();
    assert!(message(bays).contains("6 to 9 bays, but boards of this size have 0 to 5;"));
}

/// A number of steps is accepted exactly if some maze of that size has a solution with this number of steps.
#[test]
fn lengths_of_mazes_are_those_that_occur() {
    for (rows, columns) in [(1, 5), (2, 2), (2, 3), (3, 2), (2, 4), (3, 3), (3, 4)] {
        let mazes = PerfectMaze::new(Size::new(rows, columns).unwrap());
        let elements = mazes.elements().unwrap();
        let tree = JunctionTree::new()
            .compile(elements.model(), elements.cells())
            .unwrap();
        let worlds = tree.k_best(3000).unwrap();
        let lengths: BTreeSet<u32> = worlds
            .iter()
            .map(|world| elements.board(world).unwrap().solution().unwrap().len() as u32 - 1)
            .collect();
        for steps in 0..=(rows * columns + 2) as u32 {
            let is_possible = mazes.clone().steps(steps..=steps).is_ok();
            assert_eq!(
                is_possible,
                lengths.contains(&steps),
                "{rows}x{columns} {steps}"
            );
        }
    }
}

#[test]
fn clues_that_are_not_a_grid_have_places() {
    let symbol = clues("# a comment\n1..\n.x.\n").unwrap_err();
    assert_eq!(
        symbol.to_string(),
        "clues:3:2: unknown clue 'x'; write 1, 2, or . for a cell without a clue"
    );
    let ragged = clues("1..\n\n12..\n").unwrap_err();
    assert_eq!(
        ragged.to_string(),
        "clues:3:4: the row has 4 cells, but the first row has 3; make all rows equally long"
    );
    assert_eq!(
        clues("# nothing\n\n").unwrap_err().to_string(),
        "clues: no rows of clues; write a line for each row, of 1, 2, or . for a cell without a clue"
    );
    let wide = clues(&".".repeat(5000)).unwrap_err();
    assert_eq!(wide.kind(), MistakeKind::Value);
    assert!(
        wide.to_string()
            .starts_with("clues: a grid of 1 rows and 5000")
    );
    let mut two = clues("1.\n.2").unwrap();
    let error = two.set(at(2, 0), Some(Colour::Black)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 3, column 1 is outside a grid of 2 rows and 2 columns"
    );
    assert_eq!(two.get(at(0, 2)), None);
    assert_eq!(two.get(at(1, 1)), Some(Colour::White));
}

#[test]
fn clues_that_exclude_each_other_are_named() {
    // The colours of the corners alternate along the border, so the corners exclude each other; the clue in the middle is not part of the conflict.
    let crossed = YinYang::with_clues(clues("1...2\n.....\n..1..\n.....\n2...1").unwrap());
    let corners = vec![at(0, 0), at(0, 4), at(4, 0), at(4, 4)];
    assert_eq!(crossed.conflict().unwrap(), corners);
    let error = crossed.solve().unwrap_err();
    assert_eq!(
        error.to_string(),
        "impossible: no board of 5 rows and 5 columns meets the clues at row 1, column 1; row 1, column 5; \
         row 5, column 1; row 5, column 5; remove one of them"
    );
    let made = crossed.puzzle(&mut stream(1, 0)).unwrap_err();
    assert_eq!(made.to_string(), error.to_string());
    let alone = YinYang::new(Size::new(1, 1).unwrap()).solve().unwrap_err();
    assert_eq!(
        alone.to_string(),
        "impossible: no board of 1 rows and 1 columns follows the rules and meets the demands; use a larger grid, or demand less"
    );
}

#[test]
fn what_no_world_meets_is_impossible() {
    // Gem and altar need two cells.
    let elements = Dungeon::new(Size::new(1, 1).unwrap()).elements().unwrap();
    let tree = JunctionTree::new().compile(elements.model(), ()).unwrap();
    assert_eq!(tree.log_evidence(), f64::NEG_INFINITY);
    let error = tree.most_probable().unwrap_err();
    assert!(matches!(error, Error::ImpossibleEvidence { .. }), "{error}");
    let error = ChromaticMaze::new(Size::new(1, 1).unwrap()).unwrap_err();
    assert!(matches!(error, GridError::Impossible(_)), "{error}");
}

#[test]
fn boards_beyond_the_budget_are_refused() {
    let large = YinYang::new(Size::new(6, 6).unwrap()).memory(2000);
    let too_large =
        |error: &BoardError| matches!(error, BoardError::Inference(Error::FrontierTooLarge { .. }));
    let error = large.solve().unwrap_err();
    assert!(too_large(&error), "{error}");
    let error = large.puzzle(&mut stream(1, 0)).unwrap_err();
    assert!(too_large(&error), "{error}");
    assert!(large.conflict().is_err());
}

#[test]
fn boards_are_made_of_their_cells() {
    let size = Size::new(1, 3).unwrap();
    let length = |found| format!("{found} cells for a grid that has 3; give one for each");
    for found in [0, 2, 4] {
        let error = Board::new(size, vec![Terrain::Land; found]).unwrap_err();
        assert_eq!(error.to_string(), length(found));
    }
    // In the first case two rooms point to each other; in the second case a room points out of the grid.
    let mazes = PerfectMaze::new(size);
    for (pointers, room) in [
        ([Pointer::Root, Pointer::Right, Pointer::Left], at(0, 1)),
        ([Pointer::Root, Pointer::Left, Pointer::Down], at(0, 2)),
    ] {
        let error = mazes.board(pointers.to_vec()).unwrap_err();
        let BoardError::Grid(error) = error else {
            panic!("{error}")
        };
        let message = format!("the room at {room} does not lead to the first room;");
        assert!(error.to_string().starts_with(&message), "{error}");
        let lost = Board::new(size, pointers.to_vec()).unwrap();
        assert_eq!(lost.solution(), None);
    }
    let line = [Pointer::Root, Pointer::Left, Pointer::Left];
    let maze = mazes.board(line.to_vec()).unwrap();
    assert_eq!(maze.solution().unwrap(), [at(0, 0), at(0, 1), at(0, 2)]);
}

#[test]
fn the_tiles_of_a_chromatic_maze_have_two_ends() {
    let size = Size::new(1, 3).unwrap();
    let maze = ChromaticMaze::new(size).unwrap();
    let elements = maze.elements().unwrap();
    let frontier = Frontier::new();
    let compiled = frontier
        .compile(elements.model(), elements.cells())
        .unwrap();
    let tree = JunctionTree::new()
        .compile(elements.model(), elements.origin())
        .unwrap();
    assert_eq!(compiled.count().unwrap(), tree.count().unwrap());
    for world in compiled.samples(3).unwrap().take(20) {
        let tiles = world.values(elements.cells()).unwrap();
        let board = maze.board(tiles.clone()).unwrap();
        assert!(board.solution().is_some());
        let end = *tiles.iter().find(|tile| tile.is_end()).unwrap();
        let error = maze.board(vec![end; 3]).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the path of the chromatic maze has 3 ends"),
            "{error}"
        );
        let error = maze.board(vec![end]).unwrap_err();
        assert!(
            error.to_string().starts_with("1 cells for a grid"),
            "{error}"
        );
    }
    // Both conversions of a world of the junction tree give the same board.
    for world in tree.samples(4).unwrap().take(20) {
        let tiles = world.values(elements.cells()).unwrap();
        let board = maze.board(tiles.clone()).unwrap();
        assert_eq!(board, elements.board(&world).unwrap());
    }
}
