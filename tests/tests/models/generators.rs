//! Tests of the draws of generators against the distributions that the generators state.
//!
//! Seeds are fixed. If they were drawn at random, all tests here together would give a false alarm with a probability of `GENERATORS`.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Display;

use figrs::models::board::{ConditionalSampler, Generator, Method};
use figrs::models::chromatic_maze::ChromaticMaze;
use figrs::models::dungeon::Dungeon;
use figrs::models::grid::{Board, Size};
use figrs::models::island::Island;
use figrs::models::maze::{DirectionWeights, PerfectMaze, Pointer};
use figrs::models::variation::goodness_of_fit;
use figrs::models::yin_yang::{Colour, ColourClues, YinYang};
use figrs::prelude::*;
use figrs::{JunctionTree, stream};
use figrs_tests::significance::{GENERATORS, Law, largest_pearson, pearson};

/// Number of statistics that are compared.
const TESTS: f64 = 12.0;
const ALPHA: f64 = GENERATORS / TESTS;

fn square(side: usize) -> Size {
    Size::new(side, side).unwrap()
}

/// Checks the counts of drawn numbers against weights that are proportional to their probabilities.
fn check_counts(drawn: impl Iterator<Item = u32>, weights: &[(u32, f64)]) {
    let mut counts = BTreeMap::<u32, u64>::new();
    for number in drawn {
        *counts.entry(number).or_default() += 1;
    }
    let draws: u64 = counts.values().sum();
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let expected = weights.iter().map(|(number, weight)| {
        let count = counts.remove(number).unwrap_or(0);
        (count, draws as f64 * weight / total)
    });
    let expected: Vec<(u64, f64)> = expected.collect();
    assert!(counts.is_empty(), "numbers that cannot be: {counts:?}");
    let fit = goodness_of_fit(&expected).unwrap();
    assert!(fit.p_value > ALPHA, "{fit:?}: {expected:?}");
}

/// Draws boards by Markov chains: four boards for each seed, each from a chain of its own.
fn of_chains<G: Generator>(generator: &G, boards: usize) -> impl Iterator<Item = G::Board> {
    let drawn = (0..boards.div_ceil(4) as u64).flat_map(|seed| {
        let chain = ConditionalSampler::new().among([Method::Chain]);
        chain.seed(seed).sample(generator, 4).unwrap().boards
    });
    drawn.take(boards)
}

/// Checks that, by following the pointers, every room leads to the first room.
fn assert_perfect(maze: &Board<Pointer>) {
    let size = maze.size();
    // For each room, `true` if it is known to lead to the first room.
    let mut leads = vec![false; maze.cells().len()];
    leads[0] = true;
    assert_eq!(maze.cells()[0], Pointer::Root);
    for start in 0..leads.len() {
        let (mut room, mut way) = (start, Vec::new());
        while !leads[room] {
            way.push(room);
            assert!(way.len() < leads.len(), "a cycle");
            let target = maze.cells()[room].target(size, size.position(room));
            room = size.index(target.unwrap());
        }
        for room in way {
            leads[room] = true;
        }
    }
}

/// All 192 mazes of 3 by 3 are equally probable, by Wilson's algorithm and by the element program.
#[test]
fn mazes_of_3_by_3_are_uniform() {
    const DRAWS: usize = 192 * 100;
    let mazes = PerfectMaze::new(Size::new(3, 3).unwrap());
    let elements = mazes.elements().unwrap();
    let tree = JunctionTree::new()
        .compile(elements.model(), elements.cells())
        .unwrap();
    let mut rng = stream(31, 0);
    let by_walks: Vec<Board<Pointer>> = (0..DRAWS).map(|_| mazes.sample(&mut rng)).collect();
    let worlds = tree.samples(32).unwrap().take(DRAWS);
    let by_elements: Vec<Board<Pointer>> = worlds
        .map(|world| elements.board(&world).unwrap())
        .collect();
    for drawn in [by_walks, by_elements] {
        let mut counts = BTreeMap::<String, u64>::new();
        for maze in drawn {
            assert_perfect(&maze);
            *counts.entry(maze.to_string()).or_default() += 1;
        }
        let counts: Vec<u64> = counts.into_values().collect();
        assert_eq!(counts.len(), 192);
        let (statistic, limit) = (pearson(&counts), largest_pearson(192, ALPHA));
        assert!(statistic < limit, "{statistic}, at most {limit}");
    }
}

/// Snakes of 4 by 4 are drawn by Wilson's algorithm: the weight of a tree is nine to the power of the number of its horizontal links.
#[test]
fn snakes_have_their_horizontal_links() {
    let trees = [
        64.0, 960.0, 5536.0, 16288.0, 27328.0, 27328.0, 16288.0, 5536.0, 960.0, 64.0,
    ];
    let weights: Vec<(u32, f64)> = (3..)
        .zip(trees)
        .map(|(h, n)| (h, n * 9f64.powf(f64::from(h))))
        .collect();
    let snakes = PerfectMaze::new(Size::new(4, 4).unwrap())
        .weights(DirectionWeights::SNAKE)
        .unwrap();
    let mut rng = stream(33, 0);
    let drawn = (0..50_000).map(|_| snakes.sample(&mut rng).horizontal_links() as u32);
    check_counts(drawn, &weights);
}

#[test]
fn large_mazes_are_perfect() {
    for (rows, columns) in [(1, 1), (1, 30), (30, 1), (100, 100), (7, 300)] {
        let maze = PerfectMaze::new(Size::new(rows, columns).unwrap());
        for maze in [maze.clone(), maze.weights(DirectionWeights::SNAKE).unwrap()] {
            let drawn = maze.sample(&mut stream(34, 0));
            assert_perfect(&drawn);
            assert_eq!(drawn, maze.sample(&mut stream(34, 0)));
            let (way, size) = (drawn.solution().unwrap(), drawn.size());
            assert_eq!(
                (way[0], way[way.len() - 1]),
                (size.position(0), size.position(rows * columns - 1))
            );
        }
    }
}

/// The law of the walk length of 3 by 3 dungeons is tested, with lengths measured on the boards.
#[test]
fn dungeons_have_their_walks() {
    let walks = [683.0, 562.0, 340.0, 166.0, 85.0, 16.0, 6.0];
    let weights: Vec<(u32, f64)> = (4..).step_by(2).zip(walks).collect();
    let elements = Dungeon::new(square(3)).elements().unwrap();
    let tree = JunctionTree::new()
        .compile(elements.model(), elements.cells())
        .unwrap();
    let drawn = tree.samples(35).unwrap().take(20_000).map(|world| {
        let map = elements.board(&world).unwrap();
        map.walk().unwrap().len() as u32 - 1
    });
    check_counts(drawn, &weights);
}

/// The law of the solution length of 2 by 2 chromatic mazes is tested, with lengths measured on the boards.
#[test]
fn chromatic_mazes_have_their_solutions() {
    let elements = ChromaticMaze::new(square(2)).unwrap().elements().unwrap();
    let tree = JunctionTree::new()
        .compile(elements.model(), elements.cells())
        .unwrap();
    let drawn = tree.samples(36).unwrap().take(20_000).map(|world| {
        let board = elements.board(&world).unwrap();
        let way = board.solution().unwrap();
        assert_eq!(
            (way[0], way[way.len() - 1]),
            (board.start().unwrap(), board.finish().unwrap())
        );
        way.len() as u32 - 1
    });
    check_counts(drawn, &[(1, 5184.0), (2, 2136.0), (3, 384.0)]);
}

/// All 96 Yin-Yang boards of 4 by 4 are equally probable.
#[test]
fn yin_yang_boards_are_uniform() {
    let elements = YinYang::new(square(4)).elements().unwrap();
    let tree = JunctionTree::new()
        .compile(elements.model(), elements.cells())
        .unwrap();
    let mut counts = BTreeMap::<String, u64>::new();
    for world in tree.samples(37).unwrap().take(96 * 100) {
        let board = elements.board(&world).unwrap();
        *counts.entry(board.to_string()).or_default() += 1;
    }
    let counts: Vec<u64> = counts.into_values().collect();
    assert_eq!(counts.len(), 96);
    let (statistic, limit) = (pearson(&counts), largest_pearson(96, ALPHA));
    assert!(statistic < limit, "{statistic}, at most {limit}");
}

/// With any number of particles, the mean of a population's estimate of the evidence, times the indicator that a board is its trajectory, is the
/// joint probability of the rules and that board. Boards are grouped by their number of black cells; without the weights the shares would be far off.
#[test]
fn boards_of_few_particles_weigh_right() {
    const POPULATIONS: usize = 40_000;
    let elements = YinYang::new(square(3)).elements().unwrap();
    let exact = Frontier::new()
        .compile(elements.model(), elements.cells())
        .unwrap();
    let mut right = [0.0; 10];
    let all: HashSet<Vec<Colour>> = exact
        .samples(1)
        .unwrap()
        .take(2000)
        .map(|world| world.values(elements.cells()).unwrap())
        .collect();
    assert_eq!(all.len(), 34);
    let black = |cells: &[Colour]| cells.iter().filter(|&&c| c == Colour::Black).count();
    for board in &all {
        right[black(board)] += 0.5f64.powi(9);
    }
    for particles in [4, 16] {
        let filter = SequentialMonteCarlo::new(particles)
            .populations(POPULATIONS as u64)
            .seed(39)
            .keep_trajectories();
        let answer = filter.run(elements.model(), elements.cells()).unwrap();
        let draws = answer.draws().unwrap();
        let cells: Vec<Vec<Colour>> = elements
            .cells()
            .iter()
            .map(|cell| draws.values(cell).unwrap())
            .collect();
        let logs = draws.log_weights.clone().unwrap();
        let (mut sums, mut squares) = ([0.0; 10], [0.0; 10]);
        for (draw, log) in logs.iter().enumerate() {
            let board: Vec<Colour> = cells.iter().map(|cell| cell[draw]).collect();
            sums[black(&board)] += log.exp();
            squares[black(&board)] += (2.0 * log).exp();
        }
        // Populations whose particles all died count with weight zero.
        let n = POPULATIONS as f64;
        for number in (0..10).filter(|&number| right[number] > 0.0) {
            let mean = sums[number] / n;
            let error = ((squares[number] / n - mean * mean) / n).sqrt();
            let score = (mean - right[number]) / error;
            let limit = Law::Normal.two_sided(ALPHA / 20.0);
            assert!(
                score.abs() < limit,
                "{particles} {number}: {mean} for {}",
                right[number]
            );
        }
    }
}

/// Markov chains with different seeds are independent: each of all boards, whose number is `boards`, is equally frequent.
#[track_caller]
fn chains_are_uniform<G>(generator: &G, boards: usize)
where
    G: Generator,
    G::Board: Display,
{
    let mut counts = BTreeMap::<String, u64>::new();
    for board in of_chains(generator, boards * 10) {
        *counts.entry(board.to_string()).or_default() += 1;
    }
    let counts: Vec<u64> = counts.into_values().collect();
    assert_eq!(counts.len(), boards);
    let (statistic, limit) = (pearson(&counts), largest_pearson(boards, ALPHA));
    assert!(statistic < limit, "{statistic}, at most {limit}");
}

/// Returns the number of boards, which is small.
fn count_of<G: Generator>(generator: &G) -> usize {
    let exact = ConditionalSampler::new().exact(generator).unwrap();
    let count = exact.compiled().count().unwrap().to_string();
    count.parse().unwrap()
}

#[test]
fn islands_of_chains_are_uniform() {
    let island = Island::new(square(5)).unwrap();
    chains_are_uniform(&island, 161);
    // The amount of land is fixed, and steps along the shore do not change it.
    let island = island.land(4..=4).unwrap();
    chains_are_uniform(&island, count_of(&island));
}

/// The boards are the mazes of 3 by 3 with a path of six steps or more, among all 192 mazes.
#[test]
fn mazes_of_chains_with_a_long_way_are_uniform() {
    let mazes = PerfectMaze::new(square(3));
    let elements = mazes.elements().unwrap();
    let tree = JunctionTree::new()
        .compile(elements.model(), elements.cells())
        .unwrap();
    let all = tree.k_best(192).unwrap();
    let long = all.iter().filter(|world| {
        let maze = elements.board(world).unwrap();
        maze.solution().unwrap().len() > 6
    });
    chains_are_uniform(&mazes.steps(6..=8).unwrap(), long.count());
}

/// The paths have lengths that no maze of a usual kind has, and are found by chains that start from very different mazes.
#[test]
fn mazes_have_ways_of_any_length() {
    for (side, least, most) in [(14, 90, 195), (12, 129, 139)] {
        let mazes = PerfectMaze::new(square(side)).steps(least..=most).unwrap();
        let chain = ConditionalSampler::new().among([Method::Chain]);
        let sample = chain.sample(&mazes, 2).unwrap();
        for maze in &sample.boards {
            assert_perfect(maze);
            let steps = maze.solution().unwrap().len() as u32 - 1;
            assert!((least..=most).contains(&steps), "{steps}");
        }
    }
}

/// Dungeons of 3 by 3 have bounds on walls and walk, which chains reach through dungeons outside these bounds; the law of the walk length is tested.
#[test]
fn dungeons_of_chains_have_the_exact_law() {
    let dungeon = Dungeon::new(square(3)).walls(1..=3).unwrap();
    let evidence = dungeon.walk(6..=12).unwrap();
    let elements = evidence.elements().unwrap();
    let exact = ConditionalSampler::new().exact(&evidence).unwrap();
    let mut weights = BTreeMap::<u32, f64>::new();
    let all = exact
        .compiled()
        .count()
        .unwrap()
        .to_string()
        .parse::<usize>()
        .unwrap();
    let tree = JunctionTree::new()
        .compile(elements.model(), elements.cells())
        .unwrap();
    for world in tree.k_best(all).unwrap() {
        let steps = elements.board(&world).unwrap().walk().unwrap().len() as u32 - 1;
        *weights.entry(steps).or_default() += 1.0;
    }
    let drawn = of_chains(&evidence, 500);
    let drawn = drawn.map(|board| board.walk().unwrap().len() as u32 - 1);
    check_counts(drawn, &weights.into_iter().collect::<Vec<_>>());
}

#[test]
fn islands_of_chains_meet_the_demands() {
    let island = Island::new(Size::new(20, 30).unwrap()).unwrap();
    let island = island.land(150..=210).unwrap().bays(8..=14).unwrap();
    let sample = ConditionalSampler::new()
        .seed(4)
        .sample(&island, 10)
        .unwrap();
    assert_eq!(sample.report.choice.method, Method::Chain);
    for map in &sample.boards {
        assert!((150..=210).contains(&map.land()), "{map}");
        assert!((8..=14).contains(&map.bays()), "{map}");
    }
    // One amount of land is common, and the other is the smallest possible.
    for land in [37, 1] {
        let island = Island::new(square(24)).unwrap().land(land..=land).unwrap();
        let sample = ConditionalSampler::new().sample(&island, 3).unwrap();
        assert!(sample.boards.iter().all(|map| map.land() == land as usize));
    }
}

/// The puzzle has one solution, and without any single one of its clues it has another.
#[test]
fn puzzles_have_one_solution_and_no_clue_too_many() {
    let given: ColourClues = "1.....\n......\n......\n......\n......\n......"
        .parse()
        .unwrap();
    for (seed, start) in [(1, ColourClues::none(square(6))), (2, given)] {
        let (clues, board) = YinYang::with_clues(start.clone())
            .puzzle(&mut stream(seed, 0))
            .unwrap();
        let solved = YinYang::with_clues(clues.clone()).solve().unwrap();
        assert!(solved.is_unique);
        assert_eq!(solved.board, board);
        for (at, colour) in start.iter() {
            assert_eq!(clues.get(at), Some(colour));
        }
        for (at, _) in clues.iter().filter(|(at, _)| start.get(*at).is_none()) {
            let mut fewer = clues.clone();
            fewer.set(at, None).unwrap();
            assert!(
                !YinYang::with_clues(fewer).solve().unwrap().is_unique,
                "{at}"
            );
        }
        assert!(clues.len() < 20);
        assert_eq!(clues.to_string().parse::<ColourClues>().unwrap(), clues);
        assert!(board.cells().contains(&Colour::Black));
    }
}

#[test]
fn boards_are_drawn_as_text() {
    let maze = PerfectMaze::new(Size::new(2, 1).unwrap()).sample(&mut stream(1, 0));
    assert_eq!(maze.to_string(), "+  +\n|  |\n+  +\n|  |\n+  +\n");
    let dungeon = Dungeon::new(Size::new(1, 2).unwrap()).elements().unwrap();
    let tree = JunctionTree::new()
        .compile(dungeon.model(), dungeon.cells())
        .unwrap();
    let maps: Vec<String> = tree
        .k_best(9)
        .unwrap()
        .iter()
        .map(|world| dungeon.board(world).unwrap().to_string())
        .collect();
    assert_eq!(maps.len(), 2);
    assert!(maps.contains(&"GA\n".into()) && maps.contains(&"AG\n".into()));
    let island = Island::new(square(3)).unwrap();
    let chain = ConditionalSampler::new().among([Method::Chain]);
    let island = chain.sample(&island, 1).unwrap();
    assert_eq!(island.boards[0].to_string(), "...\n.#.\n...\n");
    let chromatic = ChromaticMaze::new(Size::new(1, 2).unwrap()).unwrap();
    let elements = chromatic.elements().unwrap();
    let tree = JunctionTree::new()
        .compile(elements.model(), elements.cells())
        .unwrap();
    for world in tree.samples(2).unwrap().take(8) {
        let text = elements.board(&world).unwrap().to_string();
        let marks: Vec<char> = text.chars().filter(|c| "<>".contains(*c)).collect();
        assert!(marks == ['<', '>'] || marks == ['>', '<'], "{text}");
        assert_eq!(text.len(), 5);
    }
}
