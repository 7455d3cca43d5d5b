//! Compares the element programs of mazes, dungeons, islands, Yin-Yang boards and chromatic mazes with known numbers.
//!
//! Other programs computed these numbers: numbers of spanning trees by the matrix-tree theorem, numbers of boards by frontier programs in C++ and by
//! enumeration with an answer-set solver, and small numbers by brute force. The file `generators_reference.rs` compares the whole file of reference
//! numbers, if it is present.

use figrs_core::{Element, Model, Parents, Value};
use figrs_infer::{Compiled, CompiledTree, JunctionTree};
use figrs_models::chromatic_maze::{ChromaticMaze, Hue};
use figrs_models::dungeon::{Dungeon, DungeonTile};
use figrs_models::grid::{Automaton, Constraint, Count, GridError, Position, Size};
use figrs_models::island::{Island, Terrain};
use figrs_models::maze::{Border, DirectionWeights, PerfectMaze, Pointer};
use figrs_models::yin_yang::{ColourClues, YinYang};

fn compiled(model: &Model, targets: impl Parents) -> CompiledTree {
    JunctionTree::new().compile(model, targets).unwrap()
}

fn square(side: usize) -> Size {
    Size::new(side, side).unwrap()
}

fn close(found: f64, right: f64) {
    assert!((found / right - 1.0).abs() < 1e-11, "{found}, not {right}");
}

fn power(base: f64, exponent: usize) -> f64 {
    std::iter::repeat_n(base, exponent).product()
}

/// Returns the number of worlds.
fn number(tree: &mut CompiledTree) -> u64 {
    tree.count().unwrap().to_string().parse().unwrap()
}

/// Returns the number of worlds for each value of an element, for a model whose worlds are equally likely.
fn histogram(tree: &mut CompiledTree, element: &Element<Option<u32>>) -> Vec<(u32, u64)> {
    let all = number(tree) as f64;
    let distribution = tree.distribution(element).unwrap();
    let counts = distribution.iter().map(|(value, p)| {
        let count = (p * all).round();
        assert!(
            (p * all - count).abs() < 1e-6 * all.sqrt(),
            "{value:?}: {}",
            p * all
        );
        (value.unwrap(), count as u64)
    });
    let mut counts: Vec<(u32, u64)> = counts.filter(|(_, count)| *count > 0).collect();
    counts.sort_unstable();
    counts
}

/// Returns the expected number of cells that have this value.
fn expected<T: Value>(tree: &mut CompiledTree, cells: &[Element<T>], value: &T) -> f64 {
    let has = |cell| tree.probability(cell, value).unwrap();
    cells.iter().map(has).sum()
}

#[test]
fn perfect_mazes_are_spanning_trees() {
    let known = [
        (2, 4u64, 0.5),
        (3, 192, 2.0 / 27.0),
        (4, 100_352, 49.0 / 6561.0),
        (5, 557_568_000, 15125.0 / 30_233_088.0),
        (6, 32_565_539_635_200, 511_225.0 / 23_219_011_584.0),
    ];
    for (side, count, probability) in known {
        let elements = PerfectMaze::new(Size::new(side, side).unwrap())
            .elements()
            .unwrap();
        let tree = compiled(elements.model(), ());
        assert_eq!(tree.count().unwrap(), count.into());
        close(tree.log_evidence().exp(), probability);
    }
    // A grid of 1 by n rooms has one spanning tree, and grids of 2 by n rooms have 1, 4, 15, 56, .. spanning trees.
    for (rows, columns, count) in [(1, 1, 1u32), (1, 5, 1), (5, 1, 1), (2, 4, 56), (4, 2, 56)] {
        let elements = PerfectMaze::new(Size::new(rows, columns).unwrap())
            .elements()
            .unwrap();
        let tree = compiled(elements.model(), ());
        assert_eq!(tree.count().unwrap(), count.into(), "{rows} by {columns}");
    }
}

#[test]
fn snakes_have_their_horizontal_links() {
    // Each entry has the side, the probability of the evidence without and with pointers out of the grid, and the number of trees for each number of
    // horizontal passages.
    let three = [0, 0, 9, 48, 78, 48, 9];
    let four = [
        0, 0, 0, 64, 960, 5536, 16288, 27328, 27328, 16288, 5536, 960, 64,
    ];
    let known: [(usize, f64, f64, &[u64]); 3] = [
        (2, 9.0 / 50.0, 9.0 / 400.0, &[0, 2, 2]),
        (3, 10206.0 / 1_092_025.0, 5103.0 / 16e6, &three),
        (
            4,
            293_478_633.0 / 1_192_518_600_625.0,
            293_478_633.0 / 128e12,
            &four,
        ),
    ];
    for (side, within, outside, trees) in known {
        let snake = PerfectMaze::new(Size::new(side, side).unwrap())
            .weights(DirectionWeights::SNAKE)
            .unwrap();
        let links: f64 = trees
            .iter()
            .enumerate()
            .map(|(h, &n)| power(9.0, h) * n as f64)
            .sum();
        for (border, probability) in [(Border::Within, within), (Border::Outside, outside)] {
            let elements = snake.clone().border(border).elements().unwrap();
            let horizontal = Count::any().reading(|_, pointer: &Pointer| pointer.is_horizontal());
            let both = elements.and(horizontal).unwrap();
            let count = both
                .last()
                .map(|state| state.as_ref().map(|(_, count)| *count));
            let tree = compiled(both.model(), &count);
            close(tree.log_evidence().exp(), probability);
            for (h, &n) in trees.iter().enumerate() {
                let right = power(9.0, h) * n as f64 / links;
                let found = tree.probability(&count, &Some(h as u32)).unwrap();
                assert!(
                    (found - right).abs() < 1e-12,
                    "{side}, {h}: {found} {right}"
                );
            }
        }
        // With equal weights the same trees are equally likely.
        let elements = PerfectMaze::new(Size::new(side, side).unwrap())
            .elements()
            .unwrap();
        let horizontal = Count::any().reading(|_, pointer: &Pointer| pointer.is_horizontal());
        let both = elements.and(horizontal).unwrap();
        let count = both
            .last()
            .map(|state| state.as_ref().map(|(_, count)| *count));
        let found = histogram(&mut compiled(both.model(), &count), &count);
        let right = (0..).zip(trees.iter().copied()).filter(|(_, n)| *n > 0);
        assert_eq!(found, right.collect::<Vec<_>>());
    }
}

/// Side; number of dungeons with one gem and one altar; number of those in which all is reachable; their mean number of walls; their numbers by the
/// length of the walk.
type KnownDungeon = (usize, u64, u64, f64, &'static [(u32, u64)]);

const DUNGEONS: [KnownDungeon; 3] = [
    (2, 48, 24, 0.5, &[(2, 11), (4, 10), (6, 3)]),
    (
        3,
        9216,
        1858,
        2.109_795_479_009_688,
        &[
            (4, 683),
            (6, 562),
            (8, 340),
            (10, 166),
            (12, 85),
            (14, 16),
            (16, 6),
        ],
    ),
    (
        4,
        3_932_160,
        379_118,
        4.735_908_081_388_908,
        &[
            (6, 113_652),
            (8, 92_424),
            (10, 66_179),
            (12, 45_678),
            (14, 29_440),
            (16, 17_482),
            (18, 9_179),
            (20, 3_180),
            (22, 1_276),
            (24, 476),
            (26, 152),
        ],
    ),
];

#[test]
fn dungeons_are_counted_by_their_walks() {
    for (side, valid, reachable, walls, walks) in DUNGEONS {
        let elements = Dungeon::new(square(side)).elements().unwrap();
        let cells = side * side;
        let mut tree = compiled(elements.model(), elements.cells());
        assert_eq!(tree.count().unwrap(), reachable.into());
        close(
            tree.log_evidence().exp(),
            reachable as f64 / power(4.0, cells),
        );
        close(
            expected(&mut tree, elements.cells(), &DungeonTile::Wall),
            walls,
        );

        let one = |tile| Count::exactly(1).reading(move |_, t: &DungeonTile| *t == tile);
        let rules = one(DungeonTile::Gem).and(one(DungeonTile::Altar));
        let one_each = Constraint::new(square(side), elements.cells(), rules).unwrap();
        let tree = compiled(one_each.model(), ());
        assert_eq!(tree.count().unwrap(), valid.into());
        close(tree.log_evidence().exp(), valid as f64 / power(4.0, cells));

        let (walk, has_walk) = elements.walk().unwrap();
        assert_eq!(histogram(&mut compiled(&has_walk, &walk), &walk), walks);
    }
}

#[test]
fn dungeons_keep_the_bounds_on_walks_and_walls() {
    let (side, _, _, _, walks) = DUNGEONS[1];
    // A number that the settings refuse counts as no dungeon.
    let count = |dungeon: Result<Dungeon, GridError>| match dungeon {
        Err(GridError::Impossible(_)) => 0,
        dungeon => {
            let elements = dungeon.unwrap().elements().unwrap();
            number(&mut compiled(elements.model(), ()))
        }
    };
    let dungeon = || Dungeon::new(square(side));
    let steps = (0..=25).map(|steps| (steps, steps));
    for (least, most) in steps.chain([(0, 5), (6, 10), (12, 1000)]) {
        let within = walks
            .iter()
            .filter(|(steps, _)| (least..=most).contains(steps));
        let right: u64 = within.map(|(_, count)| count).sum();
        let found = count(dungeon().walk(least..=most));
        assert_eq!(found, right, "{least} to {most}");
    }
    // The counts for each number of walls sum to the number of all dungeons, without and with bounds on the walk.
    let (mut all, mut long) = (0, 0);
    for walls in 0..=9 {
        let walls = dungeon().walls(walls..=walls);
        all += count(walls.clone());
        long += count(walls.and_then(|dungeon| dungeon.walk(12..=16)));
    }
    assert_eq!((all, long), (1858, 107));
    assert_eq!(count(dungeon().walls(0..=0)), 72);
    assert_eq!(count(dungeon().walls(0..=9)), 1858);
    // With four walls the other five cells form one of six paths from corner to corner.
    assert_eq!(count(dungeon().walls(4..=4)), 6 * 5 * 4);
    assert_eq!(count(dungeon().walls(8..=9)), 0);
}

#[test]
fn islands_are_counted_with_their_land() {
    // Each entry has the side, the number of islands around the cell (side / 2, side / 2), counted from 1, and their mean number of cells of land.
    let known = [
        (4, 7u64, 2.571_428_571_428_571_6),
        (5, 101, 5.722_772_277_227_722_7),
        (6, 8273, 9.661_670_494_379_306),
        (7, 1_611_303, 15.427_089_132_211_632),
        (8, 1_127_276_161, 22.295_935_426_953_466),
    ];
    for (side, count, land) in known {
        let at = side / 2 - 1;
        let centre = Position {
            row: at,
            column: at,
        };
        let island = Island::new(Size::new(side, side).unwrap())
            .unwrap()
            .centre(centre)
            .unwrap();
        let elements = island.elements().unwrap();
        let mut tree = compiled(elements.model(), elements.cells());
        assert_eq!(tree.count().unwrap(), count.into());
        close(
            tree.log_evidence().exp(),
            count as f64 / power(2.0, side * side),
        );
        close(expected(&mut tree, elements.cells(), &Terrain::Land), land);
    }
    for (side, count) in [(3, 1u64), (5, 161), (7, 1_553_247)] {
        let elements = Island::new(Size::new(side, side).unwrap())
            .unwrap()
            .elements()
            .unwrap();
        let tree = compiled(elements.model(), ());
        assert_eq!(tree.count().unwrap(), count.into());
    }
}

/// Compares counts of islands with an enumeration of all islands by their numbers of cells of land and of bays.
#[test]
fn islands_keep_the_bounds_on_land_and_bays() {
    let count = |island: Island| {
        let elements = island.elements().unwrap();
        compiled(elements.model(), ()).count().unwrap()
    };
    let island = || Island::new(Size::new(5, 6).unwrap()).unwrap();
    let elements = island().elements().unwrap();
    let mut tree = compiled(elements.model(), elements.cells());
    let all = number(&mut tree) as usize;
    let worlds = tree.k_best(all + 1).unwrap();
    assert_eq!(worlds.len(), all);
    let maps: Vec<_> = worlds
        .iter()
        .map(|world| elements.board(world).unwrap())
        .collect();
    let with = |land: std::ops::RangeInclusive<u32>, bays: std::ops::RangeInclusive<u32>| {
        let keeps = maps.iter().filter(|map| {
            land.contains(&(map.land() as u32)) && bays.contains(&(map.bays() as u32))
        });
        keeps.count()
    };
    assert!(with(0..=99, 2..=2) > 0 && with(0..=99, 0..=0) > 0);
    for bays in [0..=0, 1..=1, 2..=2, 3..=3, 1..=2, 1..=99, 2..=99, 0..=99] {
        let found = count(island().bays(bays.clone()).unwrap());
        assert_eq!(found, with(0..=99, bays.clone()).into(), "{bays:?}");
        let found = count(island().bays(bays.clone()).unwrap().land(5..=9).unwrap());
        assert_eq!(found, with(5..=9, bays.clone()).into(), "{bays:?}");
    }
    for land in [0..=1, 7..=7, 3..=4, 8..=99] {
        let found = count(island().land(land.clone()).unwrap());
        assert_eq!(found, with(land.clone(), 0..=99).into(), "{land:?}");
    }
    // Shares from 0.2 to 0.3 of 30 cells are 6 to 9 cells.
    let found = count(island().land_share(0.2..=0.3).unwrap());
    assert_eq!(found, with(6..=9, 0..=99).into());
}

#[test]
fn yin_yang_boards_are_counted() {
    let known = [
        (2, 12u32),
        (3, 34),
        (4, 96),
        (5, 660),
        (6, 7736),
        (7, 230_568),
    ];
    for (side, count) in known {
        let elements = YinYang::new(square(side)).elements().unwrap();
        let tree = compiled(elements.model(), elements.cells());
        assert_eq!(tree.count().unwrap(), count.into());
        let all = power(2.0, side * side);
        close(tree.log_evidence().exp(), f64::from(count) / all);
        // Exchanging the colours gives another board, so each cell is black in half of the boards.
        for cell in elements.cells() {
            let black = tree.probability(cell, &figrs_models::yin_yang::Colour::Black);
            close(black.unwrap(), 0.5);
        }
    }
}

/// The two lists of clues are those of Costa and Gonçalves.
#[test]
fn clues_have_their_completions() {
    let first = "......\n.2....\n......\n......\n1.....\n......";
    let second = "......\n...2..\n..2.1.\n.1..11\n2.1.2.\n.2...2";
    for (text, count) in [(first, 2726u32), (second, 1)] {
        let clues: ColourClues = text.parse().unwrap();
        let elements = YinYang::with_clues(clues.clone()).elements().unwrap();
        assert_eq!(
            compiled(elements.model(), ()).count().unwrap(),
            count.into()
        );
        let solution = YinYang::with_clues(clues.clone()).solve().unwrap();
        assert!(solution.board.meets(&clues));
        assert_eq!(solution.is_unique, count == 1);
        if count == 1 {
            let board = solution.board.to_string();
            assert_eq!(board, "222222\n211212\n212212\n212111\n211121\n222222\n");
        }
    }
}

/// Side; number of mazes with a solution; number of all mazes; number of mazes for each length of the solution.
type KnownChromatic<'a> = (usize, u64, f64, &'a [(u32, u64)]);

#[test]
fn chromatic_mazes_are_counted_by_their_solutions() {
    let three = [
        (1, 120_932_352),
        (2, 96_671_232),
        (3, 57_542_400),
        (4, 25_531_632),
        (5, 8_880_192),
        (6, 2_867_616),
        (7, 896_832),
        (8, 105_408),
    ];
    let known: [KnownChromatic; 2] = [
        (2, 7704, 15552.0, &[(1, 5184), (2, 2136), (3, 384)]),
        (3, 313_427_664, 725_594_112.0, &three),
    ];
    for (side, solvable, all, by_steps) in known {
        let maze = || ChromaticMaze::new(square(side)).unwrap();
        let elements = maze().elements().unwrap();
        let tree = compiled(elements.model(), elements.origin());
        assert_eq!(tree.count().unwrap(), solvable.into());
        close(tree.log_evidence().exp(), solvable as f64 / all);
        let (steps, solved) = elements.steps().unwrap();
        let mut tree = compiled(&solved, (&steps, elements.origin()));
        assert_eq!(histogram(&mut tree, &steps), by_steps);
        // The bounds exclude mazes above, below and on both sides; the last ones exclude none.
        for (least, most) in [(0, 2), (3, 35), (2, 2), (1, 35)] {
            let elements = maze().steps(least..=most).unwrap().elements().unwrap();
            let within = by_steps
                .iter()
                .filter(|(steps, _)| (least..=most).contains(steps));
            let right: u64 = within.map(|(_, count)| count).sum();
            let tree = compiled(elements.model(), elements.origin());
            assert_eq!(
                tree.count().unwrap(),
                right.into(),
                "{side}: {least} to {most}"
            );
        }
    }
}

/// Counts the mazes of 4 by 4 tiles; their numbers by length are known only from samples.
#[test]
fn chromatic_mazes_of_4_by_4_are_counted() {
    let maze = ChromaticMaze::new(square(4)).unwrap();
    let elements = maze.elements().unwrap();
    let mut tree = compiled(elements.model(), elements.origin());
    assert_eq!(number(&mut tree), 264_680_731_414_464);
    close(
        tree.log_evidence().exp(),
        264_680_731_414_464.0 / 677_066_377_789_440.0,
    );
}

/// An observed colour is evidence on the turns and on the first colour.
#[test]
fn colours_are_uniform_and_can_be_observed() {
    let maze = ChromaticMaze::new(Size::new(2, 2).unwrap()).unwrap();
    let elements = maze.elements().unwrap();
    let cell = &elements.colours()[2];
    let tree = compiled(elements.model(), elements.colours());
    for colour in Hue::WHEEL {
        close(tree.probability(cell, &colour).unwrap(), 1.0 / 6.0);
    }
    let model = elements.model().clone().observe(cell, Hue::Cyan);
    let mut tree = compiled(&model, elements.origin());
    assert_eq!(number(&mut tree), 7704 / 6);
    let world = tree.samples(3).unwrap().next().unwrap();
    assert_eq!(elements.board(&world).unwrap().cells()[2].colour, Hue::Cyan);
}

#[test]
fn starts_and_finishes_are_all_pairs() {
    let size = Size::new(2, 3).unwrap();
    let elements = ChromaticMaze::new(size).unwrap().elements().unwrap();
    let pair = elements.start_and_finish();
    let tree = compiled(&Model::new(), &pair);
    let distribution = tree.distribution(&pair).unwrap();
    let mut pairs: Vec<_> = distribution.iter().filter(|(_, p)| *p > 0.0).collect();
    pairs.sort_unstable_by_key(|(pair, _)| **pair);
    assert_eq!(pairs.len(), 30);
    for ((start, finish), p) in pairs {
        assert!(start != finish && *start < 6 && *finish < 6);
        close(p, 1.0 / 30.0);
    }
}
