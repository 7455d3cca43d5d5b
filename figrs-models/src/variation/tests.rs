use super::*;
use crate::boards::chromatic_maze;
use crate::boards::chromatic_maze::{Endpoint, Hue};
use crate::boards::dungeon::{Dungeon, DungeonTile};
use crate::boards::maze::{PerfectMaze, Pointer};
use crate::grid::{Board, Size, Symbol};
use figrs_infer::{Compiled, JunctionTree};

fn square(side: usize) -> Size {
    Size::new(side, side).unwrap()
}

#[track_caller]
fn assert_scores(found: [f64; 3], expected: [f64; 3]) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }
}

fn maze(pointers: &str) -> Board<Pointer> {
    let pointers = pointers.chars().map(|symbol| match symbol {
        '^' => Pointer::Up,
        'v' => Pointer::Down,
        '<' => Pointer::Left,
        '>' => Pointer::Right,
        _ => Pointer::Root,
    });
    let pointers: Vec<Pointer> = pointers.collect();
    Board::new(square(pointers.len().isqrt()), pointers).unwrap()
}

fn dungeon(tiles: &str) -> Board<DungeonTile> {
    let tiles: Vec<DungeonTile> = tiles.chars().filter_map(DungeonTile::from_symbol).collect();
    Board::new(square(tiles.len().isqrt()), tiles).unwrap()
}

fn chromatic(colours: &str, start: usize, finish: usize) -> Board<chromatic_maze::ChromaticTile> {
    let colour = |symbol| Hue::WHEEL.into_iter().find(|c| c.symbol() == symbol);
    let colours: Vec<Hue> = colours.chars().filter_map(colour).collect();
    tiles(square(colours.len().isqrt()), &colours, start, finish)
}

fn tiles(
    size: Size,
    colours: &[Hue],
    start: usize,
    finish: usize,
) -> Board<chromatic_maze::ChromaticTile> {
    let end = |cell| match cell {
        _ if cell == start => Some(Endpoint::Start),
        _ if cell == finish => Some(Endpoint::Finish),
        _ => None,
    };
    let cells = colours.iter().enumerate();
    let cells = cells.map(|(cell, &colour)| chromatic_maze::ChromaticTile {
        colour,
        end: end(cell),
    });
    Board::new(size, cells.collect()).unwrap()
}

/// A maze like a comb and a maze like a snake have seven of eight passages in common, and solutions of four and of eight steps.
#[test]
fn mazes_by_hand() {
    let (comb, snake) = (maze("o<<^<<^<<"), maze("o<<>>^^<<"));
    assert_eq!(
        (
            comb.solution().unwrap().len(),
            snake.solution().unwrap().len()
        ),
        (5, 9)
    );
    let (shared, apart) = (7.0, 4.0);
    let differing = 0.75 * (1.0 - shared / 8.0);
    let expected = [
        differing + 0.25 * apart / 4.0,
        differing + 0.25 * apart / 4.0,
        0.75 * shared / 3.0 + 0.25 * apart / 4.0,
    ];
    assert_scores(comb.variation(&snake).unwrap(), expected);
    assert_scores(snake.variation(&comb).unwrap(), expected);
    assert_scores(comb.variation(&comb).unwrap(), [0.0, 0.0, 0.75 * 8.0 / 3.0]);
}

#[test]
fn dungeons_by_hand() {
    let one = dungeon("GW..A....");
    let other = dungeon(".G.WW.A..");
    // The gems are 1 apart and the altars 2; the paths from gem to altar have 2 and 3 steps; there are 1 and 2 walls. The single wall takes the wall
    // below it.
    let single = 1.0 + 2.0 + 1.0 + 1.0;
    let walls = 1.0;
    // The empty cells 2, 3, 5, 6, 7 and 8 take the empty cells 2, 0, 5, 7, 8 and none of the other dungeon.
    let empty = 0.0 + 1.0 + 0.0 + 1.0 + 1.0 + 4.0;
    assert_scores(
        one.variation(&other).unwrap(),
        [
            (single + walls + empty) / 18.0,
            (4.0 / 4.0 + 1.0 / 7.0 + walls / 4.0 + empty / 6.0 / 4.0) / 6.0,
            (single + walls + 4.0) / 18.0,
        ],
    );
    let open = dungeon("GA.......");
    assert_scores(open.variation(&open).unwrap(), [0.0; 3]);
}

#[test]
fn chromatic_mazes_by_hand() {
    let one = chromatic("RRYG", 0, 3);
    let other = chromatic("BRRR", 3, 0);
    // Red: the nearest to the first tile is the second one, one step away; the nearest remaining tile to the second one is the fourth. Yellow and
    // green find no tile of their colour, which counts two steps each.
    let nearest = 1.0 + 1.0 + 2.0 * (1.0 + 1.0 + 4.0) / 8.0;
    // By `first`, the first red tile takes the first remaining one in scan order, and the second red tile takes the third tile, two steps away.
    let first = 1.0 + 1.0 + 2.0 * (1.0 + 2.0 + 4.0) / 8.0;
    let most = 2.0 + 0.25 + 2.0;
    assert_scores(
        one.variation(&other).unwrap(),
        [nearest, 100.0 * nearest / most, first],
    );
    assert_scores(one.variation(&one).unwrap(), [0.0; 3]);
    // The paths have one and two steps.
    let near = chromatic("RRYG", 0, 1);
    assert_scores(one.variation(&near).unwrap(), [0.75, 75.0 / most, 0.75]);
}

#[test]
fn summaries_are_of_all_pairs() {
    let mazes = [maze("o<<^<<^<<"), maze("o<<>>^^<<"), maze("o<<^<<^<<")];
    let scores = scores(&mazes).unwrap();
    let [score, ..] = scores.as_slice() else {
        panic!("{scores:?}")
    };
    assert_eq!((score.reading, score.pairs), ("dissimilarity", 3));
    assert_eq!(
        (score.min, score.max, score.median),
        (0.0, 0.34375, 0.34375)
    );
    assert!((score.mean - 0.6875 / 3.0).abs() < 1e-15);
    assert!(super::scores(&mazes[..1]).unwrap().is_empty());
    let even = super::scores(&[mazes[0].clone(), mazes[1].clone()]).unwrap();
    assert_eq!(even[0].median, 0.34375);
}

#[test]
fn boards_that_have_no_score_are_refused() {
    let sizes = |sizes| Err(not_comparable(sizes));
    let line = PerfectMaze::new(Size::new(1, 4).unwrap());
    let line = line.sample(&mut figrs_core::stream(1, 0));
    assert_eq!(line.variation(&line), sizes([(1, 4), (1, 4)]));
    let (two, three) = (maze("o<^<"), maze("o<<^<<^<<"));
    assert_eq!(two.variation(&three), sizes([(2, 2), (3, 3)]));
    let room = maze("o");
    assert_eq!(room.variation(&room), sizes([(1, 1), (1, 1)]));
    let whole = dungeon("GA..");
    for (tiles, missing) in [("WA..", "gem"), ("GW..", "altar")] {
        let error = no_such_tile(missing);
        assert_eq!(whole.variation(&dungeon(tiles)), Err(error));
    }
}

/// Checks the mean variation score over all ordered pairs of the 7704 chromatic mazes of 2 by 2 tiles. The part of the variation score for colours
/// does not depend on the ends of the path, and the part for the ends does not depend on colours. Each part of the score is summed separately: over
/// mazes with the same ends of the path, and over mazes with the same colours.
#[test]
fn the_exact_law_of_chromatic_mazes_has_its_mean() {
    let size = square(2);
    let board = |colours: &[Hue], (start, finish)| tiles(size, colours, start, finish);
    let all_ends: Vec<(usize, usize)> = (0..4)
        .flat_map(|start| (0..4).map(move |finish| (start, finish)))
        .filter(|(start, finish)| start != finish)
        .collect();
    // The numbers of mazes with each choice of colours, and with each choice of ends.
    let (mut coloured, mut ended) = (Vec::new(), vec![0.0; all_ends.len()]);
    for number in 0..6usize.pow(4) {
        let colours = [0, 1, 2, 3].map(|tile| Hue::WHEEL[number / 6usize.pow(tile) % 6]);
        let is_solved = |&ends: &(usize, usize)| board(&colours, ends).solution().is_some();
        let solved: Vec<bool> = all_ends.iter().map(is_solved).collect();
        for (count, &is_solved) in ended.iter_mut().zip(&solved) {
            *count += f64::from(u8::from(is_solved));
        }
        let mazes = solved.iter().filter(|&&is_solved| is_solved).count();
        coloured.push((colours, mazes as f64));
    }
    let mazes: f64 = ended.iter().sum();
    assert_eq!(mazes, 7704.0);
    let mut sums = [0.0; 3];
    let mut add = |weight: f64,
                   one: &Board<chromatic_maze::ChromaticTile>,
                   other: &Board<chromatic_maze::ChromaticTile>| {
        let scores = one.variation(other).unwrap();
        for (sum, score) in sums.iter_mut().zip(scores) {
            *sum += weight * score;
        }
    };
    for (ends, count) in all_ends.iter().zip(&ended) {
        for (others, number) in all_ends.iter().zip(&ended) {
            let colours = coloured[0].0;
            add(
                count * number,
                &board(&colours, *ends),
                &board(&colours, *others),
            );
        }
    }
    // Turning all colours together keeps the scores, so the first tile of the first maze can be red.
    let red = |colours: &[Hue; 4]| colours[0] == Hue::WHEEL[0];
    for (colours, count) in coloured.iter().filter(|(colours, _)| red(colours)) {
        for (others, number) in &coloured {
            let (one, other) = (board(colours, (0, 1)), board(others, (0, 1)));
            add(6.0 * count * number, &one, &other);
        }
    }
    let [nearest, percent, first] = sums.map(|sum| sum / (mazes * mazes));
    assert!((nearest - 2.631_402_184_567_308_6).abs() < 1e-12);
    assert!((first - 2.682_174_652_161_114).abs() < 1e-12);
    // The scores of this reading are not multiples of a quarter, so their sum is rounded.
    assert!((percent - 61.915_345_519_228_41).abs() < 1e-9);
}

/// Checks the mean variation scores over all ordered pairs of boards, including pairs of equal boards; these means are the expected scores of two
/// independent draws from the exact distribution. A program in another language computed the expected variation scores by the same formulas.
#[test]
fn the_exact_law_has_its_means() {
    fn means<B: Variation>(boards: &[B]) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for one in boards {
            for other in boards {
                let scores = one.variation(other).unwrap();
                sums = std::array::from_fn(|reading| sums[reading] + scores[reading]);
            }
        }
        sums.map(|sum| sum / (boards.len() * boards.len()) as f64)
    }
    for (side, count, expected) in [
        (2, 4, [0.1875, 0.1875, -0.84375]),
        (
            3,
            192,
            [
                0.274_034_288_194_444_4,
                0.274_034_288_194_444_4,
                1.371_690_538_194_444_4,
            ],
        ),
    ] {
        let elements = PerfectMaze::new(Size::new(side, side).unwrap())
            .elements()
            .unwrap();
        let tree = JunctionTree::new()
            .compile(elements.model(), elements.cells())
            .unwrap();
        let worlds = tree.k_best(count + 1).unwrap();
        let mazes: Vec<Board<Pointer>> =
            worlds.iter().map(|w| elements.board(w).unwrap()).collect();
        assert_eq!(mazes.len(), count);
        assert_scores(means(&mazes), expected);
    }
    for (side, count, expected) in [
        (
            2,
            24,
            [
                0.428_240_740_740_740_5,
                0.383_680_555_555_555_3,
                0.396_990_740_740_740_3,
            ],
        ),
        (
            3,
            1858,
            [
                0.822_187_281_176_285_9,
                0.325_319_695_377_401_4,
                0.541_283_477_066_671_2,
            ],
        ),
    ] {
        let elements = Dungeon::new(square(side)).elements().unwrap();
        let tree = JunctionTree::new()
            .compile(elements.model(), elements.cells())
            .unwrap();
        let worlds = tree.k_best(count + 1).unwrap();
        let maps: Vec<Board<DungeonTile>> =
            worlds.iter().map(|w| elements.board(w).unwrap()).collect();
        assert_eq!(maps.len(), count);
        assert_scores(means(&maps), expected);
    }
}
