//! Compares the element programs with the file of reference numbers and with puzzles, if these files are present.

use std::collections::HashSet;
use std::hash::Hash;
use std::path::Path;

use figrs_core::Model;
use figrs_infer::{Compiled, CompiledFrontier, Frontier};
use figrs_models::chromatic_maze::ChromaticMaze;
use figrs_models::dungeon::Dungeon;
use figrs_models::grid::{Automaton, Connected, NoSquare, Position, Size};
use figrs_models::island::Island;
use figrs_models::maze::{Border, DirectionWeights, PerfectMaze};
use figrs_models::yin_yang::{ColourClues, YinYang};
use serde_json::Value;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");

/// Returns a file or directory of the shared data; if it is absent, prints that the test is skipped and returns `None`.
fn shared(path: &str) -> Option<std::path::PathBuf> {
    let path = Path::new(SHARED).join(path);
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

fn numbers() -> Option<Value> {
    let text = std::fs::read_to_string(shared("reference/generators.json")?).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

fn compiled(model: &Model) -> CompiledFrontier {
    Frontier::new().compile(model, ()).unwrap()
}

/// Returns the entries of a table by side whose sides are at most `most`; there must be at least one.
fn sides(table: &Value, most: usize) -> Vec<(usize, &Value)> {
    let entries = table.as_object().unwrap().iter();
    let entries = entries.map(|(side, entry)| (side.parse().unwrap(), entry));
    let found: Vec<_> = entries.filter(|(side, _)| *side <= most).collect();
    assert!(!found.is_empty());
    found
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn close(found: f64, right: &Value) {
    let right = right.as_f64().unwrap();
    assert!((found / right - 1.0).abs() < 1e-10, "{found}, not {right}");
}

fn square(side: usize) -> Size {
    Size::new(side, side).unwrap()
}

#[test]
fn mazes() {
    let Some(numbers) = numbers() else { return };
    let maze = &numbers["perfect_maze"];
    for (side, count) in sides(&maze["count_spanning_trees"], 8) {
        let elements = PerfectMaze::new(Size::new(side, side).unwrap())
            .elements()
            .unwrap();
        let compiled = self::compiled(elements.model());
        assert_eq!(compiled.count().unwrap().to_string(), text(count));
        let side = side.to_string();
        close(
            compiled.log_evidence().exp(),
            &maze["p_evidence_uniform_parents"][side]["float"],
        );
    }
    for (side, snake) in sides(&numbers["snake_maze"], 6) {
        let snakes = PerfectMaze::new(Size::new(side, side).unwrap())
            .weights(DirectionWeights::SNAKE)
            .unwrap();
        let probability = |border| {
            let elements = snakes.clone().border(border).elements().unwrap();
            compiled(elements.model()).log_evidence().exp()
        };
        close(
            probability(Border::Within),
            &snake["p_evidence_border_normalised_float"],
        );
        close(
            probability(Border::Outside),
            &snake["p_evidence_unnormalised_float"],
        );
    }
}

#[test]
fn dungeons() {
    let Some(numbers) = numbers() else { return };
    for (side, dungeon) in sides(&numbers["dungeon"], 5) {
        if dungeon.get("reachable").is_none() {
            continue;
        }
        let elements = Dungeon::new(square(side)).elements().unwrap();
        let compiled = self::compiled(elements.model());
        assert_eq!(
            compiled.count().unwrap().to_string(),
            text(&dungeon["reachable"])
        );
        close(
            compiled.log_evidence().exp(),
            &dungeon["p_reach_and_one_under_4sprite_prior"],
        );
    }
}

#[test]
fn islands() {
    let Some(numbers) = numbers() else { return };
    for (side, island) in sides(&numbers["island"], 10) {
        let islands = Island::new(Size::new(side, side).unwrap()).unwrap();
        if let Some(count) = island.get("islands_true_middle") {
            let elements = islands.elements().unwrap();
            assert_eq!(
                compiled(elements.model()).count().unwrap().to_string(),
                text(count)
            );
        }
        if side < 4 {
            continue;
        }
        let at = side / 2 - 1;
        let centred = islands
            .centre(Position {
                row: at,
                column: at,
            })
            .unwrap();
        let elements = centred.elements().unwrap();
        let compiled = self::compiled(elements.model());
        assert_eq!(
            compiled.count().unwrap().to_string(),
            text(&island["islands_floor_centre"])
        );
        close(
            compiled.log_evidence().exp(),
            &island["p_evidence_all_cells_iid"],
        );
    }
}

#[test]
fn yin_yang_boards() {
    let Some(numbers) = numbers() else { return };
    for (side, yin_yang) in sides(&numbers["yinyang"]["boards"], 10) {
        let elements = YinYang::new(square(side)).elements().unwrap();
        let compiled = self::compiled(elements.model());
        assert_eq!(
            compiled.count().unwrap().to_string(),
            text(&yin_yang["boards"])
        );
        close(
            compiled.log_evidence().exp(),
            &yin_yang["p_evidence_iid_fair"],
        );
    }
}

#[test]
fn chromatic_mazes() {
    let Some(numbers) = numbers() else { return };
    for (side, chromatic) in sides(&numbers["chromatic"], 5) {
        let elements = ChromaticMaze::new(square(side))
            .unwrap()
            .elements()
            .unwrap();
        let compiled = Frontier::new()
            .compile(elements.model(), elements.cells())
            .unwrap();
        assert_eq!(
            compiled.count().unwrap().to_string(),
            text(&chromatic["solvable"])
        );
        close(compiled.log_evidence().exp(), &chromatic["p_victory"]);
    }
}

/// Returns the number of reachable states of an automaton after each row.
fn states_by_row<C, A>(size: Size, automaton: &A, cells: impl Fn(Position) -> Vec<C>) -> Vec<usize>
where
    A: Automaton<C>,
    A::State: Eq + Hash,
{
    let mut states = HashSet::from([automaton.start()]);
    let mut by_row = Vec::new();
    for at in size.positions() {
        let values = cells(at);
        let next = |state| {
            values
                .iter()
                .filter_map(move |cell| automaton.step(at, state, cell))
        };
        states = states.iter().flat_map(next).collect();
        if at.column + 1 == size.columns() {
            by_row.push(states.len());
        }
    }
    by_row
}

/// The number of states is as small as in a program written for the single puzzle.
#[test]
fn states_are_as_few_as_in_a_program_for_the_one_puzzle() {
    let Some(numbers) = numbers() else { return };
    let rows = |frontier: &Value| -> Vec<usize> {
        let rows = frontier["row_states"].as_array().unwrap().iter();
        rows.map(|states| states.as_u64().unwrap() as usize)
            .collect()
    };
    for (side, yin_yang) in sides(&numbers["yinyang"]["boards"], 7) {
        let size = square(side);
        let other = Connected.reading(|_, cell: &bool| !cell);
        let rules = Connected.and(other).and(NoSquare::new(size));
        let found = states_by_row(size, &rules, |_| vec![false, true]);
        assert_eq!(found, rows(&yin_yang["frontier"]), "Yin-Yang {side}");
    }
    for (side, island) in sides(&numbers["island"], 7) {
        if side < 4 {
            continue;
        }
        let size = square(side);
        let centre = side / 2 - 1;
        let cells = |at: Position| match at {
            _ if size.is_border(at) => vec![false],
            _ if (at.row, at.column) == (centre, centre) => vec![true],
            _ => vec![false, true],
        };
        let found = states_by_row(size, &Connected, cells);
        // The file omits the rows of the border, after each of which there is one state.
        let inside = rows(&island["frontier"]);
        assert_eq!(found[1..side - 1], inside, "island {side}");
        assert_eq!((found[0], found[side - 1]), (1, 1));
    }
}

/// Solves puzzles of 6 by 6, 8 by 8 and 10 by 10 cells, for which another solver proved that they have one solution.
#[test]
fn puzzles_have_the_solutions_of_another_solver() {
    let Some(puzzles) = shared("data/yinyang") else {
        return;
    };
    let mut solved = 0;
    for entry in std::fs::read_dir(puzzles).unwrap() {
        let path = entry.unwrap().path();
        let solution = path.with_extension("solution");
        if path.extension().is_none_or(|extension| extension != "txt") || !solution.exists() {
            continue;
        }
        let clues: ColourClues = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        let found = YinYang::with_clues(clues).solve().unwrap();
        assert!(found.is_unique, "{}", path.display());
        assert_eq!(
            found.board.to_string(),
            std::fs::read_to_string(solution).unwrap()
        );
        solved += 1;
    }
    assert!(solved >= 15);
}
