//! Tests the steps of the Markov chains of boards: all proposals are enumerated, and only rounding errors are tolerated.

use figrs_infer::Compiled;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use figrs_core::{Value, stream};
use rand::RngExt;

use super::RuledCells;
use super::kernel::{BoardKernel, BoardMove};
use super::ruled_cells::Joined;
use super::tempered::TemperedChain;
use crate::board::{ConditionalSampler, Generator, Method};
use crate::boards::dungeon::{Dungeon, DungeonTile};
use crate::boards::island::Island;
use crate::boards::maze::{DirectionWeights, PerfectMaze};
use crate::boards::yin_yang::YinYang;
use crate::grid::{Clues, CountRule, Position, Size};

fn size(rows: usize, columns: usize) -> Size {
    Size::new(rows, columns).unwrap()
}

/// A change of a board that a Markov chain can propose, with the random choices that lead to it if the puzzle proposes it.
struct Proposed {
    step: BoardMove,
    choices: Vec<usize>,
    probability: f64,
}

impl Proposed {
    /// Proposes the change of the board; returns the changed cells, with the indices of their new values.
    fn propose<C: Value>(&self, kernel: &mut BoardKernel<C>) -> Vec<(usize, u16)> {
        let values = &kernel.values;
        match self.step {
            BoardMove::Redraw { at, value } => vec![(at, value)],
            BoardMove::Exchange { at, other } => {
                if kernel.ruled.kind_of[at] == kernel.ruled.kind_of[other] {
                    vec![(at, values[other]), (other, values[at])]
                } else {
                    Vec::new()
                }
            }
            BoardMove::Joint => {
                let mut choices = self.choices.iter();
                kernel.propose(&mut |_| *choices.next().unwrap());
                kernel.joint.clone()
            }
        }
    }
}

/// Returns all changes that a Markov chain can propose for a board; the puzzle's own proposals are enumerated by all their random choices.
fn moves<C: Value>(kernel: &mut BoardKernel<C>) -> Vec<Proposed> {
    let mut moves = Vec::new();
    let plain = |step| Proposed {
        step,
        choices: Vec::new(),
        probability: f64::NAN,
    };
    if kernel.ruled.moves.is_some() {
        let mut left = vec![Vec::new()];
        while let Some(known) = left.pop() {
            let (mut choices, mut numbers) = (known.clone(), Vec::new());
            let is_proposed = kernel.propose(&mut |number| {
                numbers.push(number);
                if numbers.len() > choices.len() {
                    choices.push(0);
                }
                choices[numbers.len() - 1]
            });
            // For each choice that this run made for the first time, runs with the other values of the choice follow later.
            for place in known.len()..choices.len() {
                let others = 1..numbers[place];
                left.extend(others.map(|other| [&choices[..place], &[other]].concat()));
            }
            if is_proposed {
                let numbers = numbers.into_iter().map(|number| number as f64);
                moves.push(Proposed {
                    step: BoardMove::Joint,
                    choices,
                    probability: numbers.product::<f64>().recip(),
                });
            }
        }
        return moves;
    }
    for &at in &kernel.free {
        for value in 0..kernel.ruled.choice(at).values.len() as u16 {
            moves.push(plain(BoardMove::Redraw { at, value }));
        }
        let others = kernel.free.iter().filter(|_| kernel.ruled.exchanges);
        moves.extend(others.map(|&other| plain(BoardMove::Exchange { at, other })));
    }
    moves
}

/// Returns the boards, as texts made by `key`, that a Markov chain with an infinite penalty for broken rules can reach from the generator's start
/// board.
fn reached<G: Generator>(generator: &G, key: impl Fn(&[G::Cell]) -> String) -> HashSet<String> {
    let make = || generator.ruled_cells();
    let mut chain = TemperedChain::new(&make, 1, 0).unwrap();
    while !chain.is_found() {
        chain.sweep(&|| true);
    }
    let (mut seen, mut left) = (HashSet::new(), vec![chain.cells().to_vec()]);
    while let Some(cells) = left.pop() {
        if !seen.insert(key(&cells)) {
            continue;
        }
        let at = |cells: &[G::Cell]| {
            BoardKernel::new(make().unwrap(), cells.to_vec(), f64::INFINITY).unwrap()
        };
        let mut kernel = at(&cells);
        for proposed in moves(&mut kernel) {
            proposed.propose(&mut kernel);
            if kernel.step(proposed.step, || 0.0) {
                assert_eq!(kernel.violation, 0);
                left.push(kernel.cells.clone());
                kernel = at(&cells);
            }
        }
    }
    seen
}

#[track_caller]
fn all_are_reached<G: Generator>(generator: &G) {
    assert_eq!(generator.ruled_cells().unwrap().joined, Joined::Fully);
    let exact = ConditionalSampler::new().among([Method::Exact]);
    let exact = exact.exact(generator).unwrap();
    let seen = reached(generator, |cells| format!("{cells:?}"));
    assert_eq!(exact.compiled().count().unwrap(), seen.len().into());
}

/// If a puzzle declares that its valid boards are connected, a Markov chain with an infinite penalty for broken rules must reach each of them.
#[test]
fn joined_boards_are_all_reached() {
    for (rows, columns) in [(1, 2), (1, 3), (2, 2), (2, 3), (3, 3)] {
        all_are_reached(&Dungeon::new(size(rows, columns)));
    }
    all_are_reached(&Dungeon::new(size(2, 3)).walls(0..=1).unwrap());
    let clues: Clues<DungeonTile> = "??W\n???\nW.?".parse().unwrap();
    all_are_reached(&Dungeon::with_clues(clues));
    let clues: Clues<DungeonTile> = "?G?\n???".parse().unwrap();
    all_are_reached(&Dungeon::with_clues(clues));
    let islands: [(usize, usize, Option<RangeInclusive<u32>>); 9] = [
        (3, 3, None),
        (5, 5, None),
        (5, 6, None),
        (5, 5, Some(1..=1)),
        (5, 5, Some(4..=4)),
        (5, 6, Some(6..=6)),
        (5, 5, Some(3..=4)),
        (6, 5, Some(0..=5)),
        (5, 6, Some(9..=30)),
    ];
    for (rows, columns, land) in islands {
        let island = Island::new(size(rows, columns)).unwrap();
        all_are_reached(&match land {
            Some(land) => island.land(land).unwrap(),
            None => island,
        });
    }
    for (rows, columns) in [(1, 4), (2, 2), (3, 3), (2, 5)] {
        all_are_reached(&PerfectMaze::new(size(rows, columns)));
    }
}

/// Changes of a board must be accepted with the Metropolis probability: the weight of the new board divided by the weight of the old board, at most
/// one.
#[track_caller]
fn moves_are_those_of_metropolis<G: Generator>(generator: &G, penalty: f64) {
    let make = || generator.ruled_cells().unwrap();
    let mut chain = TemperedChain::new(&|| Some(make()), 3, 0).unwrap();
    let mut rng = stream(4, 0);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..60 {
        chain.sweep(&|| true);
        let cells = chain.cells().to_vec();
        let mut kernel = BoardKernel::new(make(), cells.clone(), penalty).unwrap();
        let log = |kernel: &BoardKernel<G::Cell>| {
            let cells = kernel.cells.iter().enumerate();
            let logs = cells.map(|(at, cell)| {
                let choice = kernel.ruled.choice(at);
                let value = choice.values.iter().position(|value| value.same(cell));
                choice.logs[value.unwrap()]
            });
            logs.sum::<f64>()
        };
        for step in moves(&mut kernel) {
            let (from, broken) = (log(&kernel), kernel.violation);
            // Reads the proposed board anew.
            let mut other = cells.clone();
            for (at, value) in step.propose(&mut kernel) {
                other[at] = kernel.ruled.choice(at).values[usize::from(value)].clone();
            }
            if other.iter().zip(&cells).all(|(one, two)| one.same(two)) {
                continue;
            }
            let proposed = BoardKernel::new(make(), other.clone(), penalty);
            let ratio = proposed.map_or(0.0, |proposed| {
                let more = f64::from(proposed.violation) - f64::from(broken);
                let cost = if more == 0.0 { 0.0 } else { penalty * more };
                (log(&proposed) - from - cost).exp()
            });
            let chance = rng.random::<f64>();
            let chances = [ratio * (1.0 - 1e-9), ratio * (1.0 + 1e-9), chance];
            for chance in chances.into_iter().filter(|&chance| chance < 1.0) {
                step.propose(&mut kernel);
                let was_taken = kernel.step(step.step, || chance);
                assert_eq!(
                    was_taken,
                    chance < ratio,
                    "{:?} {chance} {ratio}",
                    step.step
                );
                if was_taken {
                    assert!(kernel.cells.iter().zip(&other).all(|(a, b)| a.same(b)));
                    taken += 1;
                    kernel = BoardKernel::new(make(), cells.clone(), penalty).unwrap();
                } else {
                    refused += 1;
                }
            }
        }
    }
    assert!(taken > 20 && refused > 20, "{taken} {refused}");
}

#[test]
fn moves_have_their_probabilities() {
    for penalty in [0.7, 2.5, f64::INFINITY] {
        let dungeon = || Dungeon::new(size(4, 5));
        moves_are_those_of_metropolis(&dungeon(), penalty);
        let bounded = dungeon().walls(5..=7).unwrap().walk(15..=19).unwrap();
        moves_are_those_of_metropolis(&bounded, penalty);
        let island = Island::new(size(6, 7)).unwrap().bays(2..=3).unwrap();
        moves_are_those_of_metropolis(&island.land(5..=9).unwrap(), penalty);
        let maze = PerfectMaze::new(size(4, 4)).weights(DirectionWeights::SNAKE);
        moves_are_those_of_metropolis(&maze.unwrap().steps(8..=10).unwrap(), penalty);
        let few = YinYang::new(size(2, 6)).black(5..=6).unwrap();
        moves_are_those_of_metropolis(&few, penalty);
        let island = Island::new(size(6, 7)).unwrap().land(6..=6).unwrap();
        moves_are_those_of_metropolis(&island, penalty);
    }
}

/// The proposals of a puzzle must be symmetric: a step from one board to another has the same probability as the reverse step. Returns the number of
/// boards that the proposals reach from one board.
#[track_caller]
fn boards_of_symmetric_moves<G: Generator>(generator: &G) -> usize {
    let make = || generator.ruled_cells().unwrap();
    let start = TemperedChain::new(&|| Some(make()), 1, 0).unwrap();
    let mut boards = vec![start.cells().to_vec()];
    let mut numbers: HashMap<String, usize> = HashMap::new();
    numbers.insert(format!("{:?}", boards[0]), 0);
    let mut probabilities: HashMap<(usize, usize), f64> = HashMap::new();
    let mut number = 0;
    while number < boards.len() {
        let cells = boards[number].clone();
        let mut kernel = BoardKernel::new(make(), cells.clone(), f64::INFINITY).unwrap();
        for step in moves(&mut kernel) {
            let mut other = cells.clone();
            for (at, value) in step.propose(&mut kernel) {
                other[at] = kernel.ruled.choice(at).values[usize::from(value)].clone();
            }
            // No rule forbids the board.
            assert!(
                make()
                    .rules
                    .iter_mut()
                    .all(|rule| rule.read(&other).is_some())
            );
            let known = *numbers.entry(format!("{other:?}")).or_insert(boards.len());
            if known == boards.len() {
                boards.push(other);
            }
            *probabilities.entry((number, known)).or_default() += step.probability;
        }
        number += 1;
    }
    for (&(one, two), &there) in &probabilities {
        let back = probabilities.get(&(two, one)).copied().unwrap_or(0.0);
        assert!((there - back).abs() < 1e-12, "{there} {back}");
    }
    boards.len()
}

#[test]
fn moves_of_puzzles_are_symmetric() {
    for (rows, columns) in [(1, 4), (2, 2), (2, 3), (3, 3), (4, 1), (4, 2)] {
        let mazes = PerfectMaze::new(size(rows, columns));
        let exact = ConditionalSampler::new().among([Method::Exact]);
        let exact = exact.exact(&mazes).unwrap().compiled().count();
        let boards = boards_of_symmetric_moves(&mazes);
        assert_eq!(exact.unwrap(), boards.into());
    }
    // At least `least` boards have `land` cells of connected land that contain the middle, within the inner three by three cells.
    for (land, least) in [(1, 1), (2, 4), (3, 8), (4, 30)] {
        let island = Island::new(size(5, 5)).unwrap().land(land..=land).unwrap();
        assert!(boards_of_symmetric_moves(&island) >= least, "{land}");
    }
    assert_eq!(boards_of_symmetric_moves(&YinYang::new(size(2, 3))), 64);
    assert_eq!(boards_of_symmetric_moves(&YinYang::new(size(1, 3))), 8);
}

/// After many changes of a board, some of which are undone, a rule must have the same data as after reading the board anew.
#[track_caller]
fn rules_follow_changes<G: Generator>(generator: &G, sweeps: usize) {
    let make = || generator.ruled_cells().unwrap();
    let mut rng = stream(5, 0);
    for penalty in [0.0, 1.0, 3.0] {
        let start = TemperedChain::new(&|| Some(make()), 6, 0).unwrap();
        let mut kernel = BoardKernel::new(make(), start.cells().to_vec(), penalty).unwrap();
        for _ in 0..sweeps {
            kernel.sweep(&mut rng, &|| true);
            let cells = kernel.cells.clone();
            let anew = BoardKernel::new(make(), cells, penalty).unwrap();
            assert_eq!(kernel.violation, anew.violation);
        }
    }
}

#[test]
fn violations_are_those_of_boards_read_anew() {
    rules_follow_changes(&Dungeon::new(size(9, 8)).walk(30..=40).unwrap(), 100);
    rules_follow_changes(&Dungeon::new(size(12, 12)).walls(20..=30).unwrap(), 100);
    rules_follow_changes(&Island::new(size(30, 25)).unwrap(), 100);
    let island = Island::new(size(15, 12)).unwrap();
    let bays = island.bays(3..=5).unwrap().land(20..=20).unwrap();
    rules_follow_changes(&bays, 100);
    rules_follow_changes(&YinYang::new(size(10, 13)).black(60..=65).unwrap(), 100);
    let island = Island::new(size(12, 12)).unwrap();
    rules_follow_changes(&island.land(40..=40).unwrap(), 100);
    let maze = PerfectMaze::new(size(9, 11));
    rules_follow_changes(&maze.steps(40..=50).unwrap(), 100);
}

/// Rules for whole boards and automata must accept the same boards, for all boards of small grids.
#[test]
fn rules_agree_with_element_programs() {
    let yin_yang = YinYang::new(size(3, 4));
    let mut boards = HashSet::new();
    let mut rng = stream(7, 0);
    let ruled = yin_yang.ruled_cells().unwrap();
    let start = ruled.kinds[0].values[0];
    let mut kernel = BoardKernel::new(ruled, vec![start; 12], 0.0).unwrap();
    // Each of 4096 boards occurs in 200 000 draws, except with probability 10^-17.
    for _ in 0..200_000 {
        kernel.sweep(&mut rng, &|| true);
        if kernel.violation == 0 {
            boards.insert(format!("{:?}", kernel.cells));
        }
    }
    let exact = ConditionalSampler::new()
        .exact(&yin_yang)
        .unwrap()
        .compiled()
        .count();
    assert_eq!(exact.unwrap(), boards.len().into());
}

#[test]
fn what_one_rule_alone_excludes_is_known_at_once() {
    let kept = |generator: &Dungeon| generator.ruled_cells().unwrap().may_be_kept();
    let with = |clues: &str| Dungeon::with_clues(clues.parse().unwrap());
    assert!(kept(&with("???\n?W?\n???")));
    // No board meets these clues: walls cut the exit off, there are two gems, or there is no room for the altar.
    assert!(!kept(&with("??W?\n?W??\nW???")));
    assert!(!kept(&with("G?\n?G")));
    assert!(!kept(&with("GW\n..")));
    assert!(!kept(&with("?W?\n???").walls(0..=0).unwrap()));
    let island = |clues: &str| Island::with_clues(clues.parse().unwrap()).unwrap();
    assert!(!island("???\n?.?\n???").ruled_cells().unwrap().may_be_kept());
    assert!(island("???\n?#?\n???").ruled_cells().unwrap().may_be_kept());
}

/// Clues of a puzzle must be reported as the cause only if boards without these clues can follow the rules.
#[test]
fn clues_are_opened_to_all_values() {
    let at = Position { row: 0, column: 0 };
    for (least, is_by_clues) in [(4, true), (5, false)] {
        let choices = |cell: usize| match cell {
            0 => vec![(false, 1.0)],
            _ => vec![(false, 1.0), (true, 2.0)],
        };
        let mut ruled = RuledCells::new(size(2, 2), choices)
            .clues([at])
            .rule(CountRule::new(least..=9, |_, cell: &bool| *cell));
        assert!(!ruled.may_be_kept());
        ruled.open(&[at]);
        assert_eq!(ruled.may_be_kept(), is_by_clues);
    }
}
