use std::ops::Range;
use std::sync::Arc;

use figrs_infer::{
    Compiled, Frontier, ItemSampler, JunctionTree, Run, Sequence, SequentialMonteCarlo,
};

use super::demanded_level::LevelParts;
use crate::demands::*;
use crate::{DemandError, Playability, ground_gaps};
use figrs_models::board::{BoardError, ConditionalSampler, Event, Method, NumberedBoards};
use figrs_models::mdmc::{
    ColumnNGrams, Corpus, GeneratedLevel, HierarchicalChain, Level, LevelElements, LevelModel,
    MarkovChain, RowSplits, Structure, Tile, TileField, TileSet,
};

mod conflicts;
mod parts;

const SEED: u64 = 5;

/// A trait for tests: levels with numbers, whose methods return the errors of levels instead of those of boards.
pub(super) trait Levels {
    fn levels(
        &self,
        seed: u64,
        numbers: Range<u64>,
    ) -> Result<Vec<GeneratedLevel>, DemandedLevelError>;
}

impl<S: ItemSampler<Item = GeneratedLevel, Error = BoardError>> Levels for S {
    fn levels(
        &self,
        seed: u64,
        numbers: Range<u64>,
    ) -> Result<Vec<GeneratedLevel>, DemandedLevelError> {
        Ok(self.items(seed, numbers)?)
    }
}

/// Returns a sampler that draws levels from their exact distribution.
pub(super) fn exactly(
    demanded: DemandedLevel,
) -> Result<NumberedBoards<Arc<DemandedLevel>>, DemandedLevelError> {
    let exact = ConditionalSampler::new().among([Method::Exact]);
    Ok(exact.numbered(Arc::new(demanded))?)
}

pub(super) fn particles() -> ConditionalSampler {
    ConditionalSampler::new().among([Method::Particles])
}

fn by_particles(demanded: DemandedLevel) -> NumberedBoards<Arc<DemandedLevel>> {
    particles().numbered(Arc::new(demanded)).unwrap()
}

fn chain(rows: usize) -> Arc<MarkovChain> {
    let corpus = Corpus::shipped().bottom_rows(rows).unwrap();
    let splits = RowSplits::new(rows, rows).unwrap();
    Arc::new(MarkovChain::train(&corpus, &Structure::NS3, splits).unwrap())
}

fn demanded(rows: usize, width: usize, demands: &[Demand]) -> DemandedLevel {
    let elements = LevelElements::new(chain(rows), width).unwrap();
    DemandedLevel::new(&elements, demands).unwrap()
}

fn tile(symbol: char) -> Tile {
    Tile::platformer(symbol).unwrap()
}

/// Returns one demand of each kind, for levels of `rows` by `width` cells.
fn all_demands(rows: usize, width: usize) -> Vec<Demand> {
    let mut mask = Mask::free(rows, width);
    mask.set(rows - 1, 0, Tile::GROUND);
    mask.set(rows - 1, width - 1, Tile::GROUND);
    vec![
        Demand::Seen,
        Demand::Pinned(mask),
        Demand::MaximumGap(2),
        Demand::Count {
            tile: Tile::GROUND,
            least: 4,
            most: rows * width - 5,
        },
        Demand::Forbidden(Mask::from_text("pattern", "X-\n_X", TileSet::platformer()).unwrap()),
        Demand::playable(),
    ]
}

/// True if `level` meets `demand`; the test looks only at the tiles of the level, not at the model.
fn meets(level: &Level, chain: &MarkovChain, demand: &Demand) -> bool {
    match demand {
        Demand::Seen => chain.unseen(level) == 0,
        Demand::Pinned(mask) | Demand::Placed(mask) => mask
            .tiles()
            .all(|(row, column, tile)| level.get(row, column) == Some(tile)),
        Demand::MaximumGap(most) => ground_gaps(level).iter().all(|(_, width)| width <= most),
        Demand::Count { tile, least, most } => {
            let count = level
                .as_array()
                .iter()
                .filter(|other| *other == tile)
                .count();
            (*least..=*most).contains(&count)
        }
        Demand::Forbidden(pattern) => {
            let places = (0..=level.height() - pattern.height())
                .flat_map(|row| (0..=level.width() - pattern.width()).map(move |c| (row, c)));
            let stands = |(top, left): (usize, usize)| {
                pattern
                    .tiles()
                    .all(|(row, column, tile)| level.get(top + row, left + column) == Some(tile))
            };
            !places.into_iter().any(stands)
        }
        Demand::Playable(_) => Playability::of(level).playable(),
        other => panic!("{other}: see the tests of demands by enumeration"),
    }
}

#[test]
fn frontiers_and_a_junction_tree_give_demands_one_probability() {
    for demand in all_demands(4, 5) {
        if demand == Demand::playable() {
            // Playability has too many states for the tables of a junction tree.
            continue;
        }
        let demanded = demanded(4, 5, std::slice::from_ref(&demand));
        let frontier = Frontier::new().log_evidence(demanded.model()).unwrap();
        let tree = JunctionTree::new().log_evidence(demanded.model()).unwrap();
        assert!(
            (frontier - tree).abs() < 1e-9,
            "{demand}: {frontier} {tree}"
        );
    }
}

#[test]
fn the_probability_of_demands_is_the_share_of_levels_that_meet_them() {
    const LEVELS: u64 = 4_000;
    let chain = chain(4);
    let free = exactly(demanded(4, 7, &[])).unwrap();
    let levels = free.levels(SEED, 0..LEVELS).unwrap();
    for demand in all_demands(4, 7) {
        let demanded = demanded(4, 7, std::slice::from_ref(&demand));
        let p = Frontier::new()
            .log_evidence(demanded.model())
            .unwrap()
            .exp();
        let met = levels
            .iter()
            .filter(|g| meets(g.level(), &chain, &demand))
            .count();
        let share = met as f64 / LEVELS as f64;
        // Five standard errors: a false alarm in less than one of a million demands.
        let error = (p * (1.0 - p) / LEVELS as f64).sqrt();
        assert!(
            (share - p).abs() <= 5.0 * error + 1e-12,
            "{demand}: {share} {p}"
        );
    }
}

/// Returns the demands whose automata have few states; playability, which has many states, is left out.
fn small_demands(rows: usize, width: usize) -> Vec<Demand> {
    let mut demands = all_demands(rows, width);
    demands.retain(|demand| demand.route().is_none());
    demands
}

#[test]
fn levels_meet_all_demands_by_either_method() {
    let chain = chain(4);
    let demands = all_demands(4, 9);
    let exact = exactly(demanded(4, 9, &demands)).unwrap();
    let particles = by_particles(demanded(4, 9, &demands));
    for sampler in [&exact, &particles] {
        for generated in sampler.levels(SEED, 0..64).unwrap() {
            for demand in &demands {
                let name = sampler.method();
                assert!(meets(generated.level(), &chain, demand), "{name}: {demand}");
            }
            assert_eq!(generated.unseen(), 0);
        }
    }
}

#[test]
fn sets_of_levels_are_drawn_like_sets_of_boards() {
    let chain = chain(4);
    let demands = all_demands(4, 9);
    let demanded = demanded(4, 9, &demands);
    let sampler = ConditionalSampler::new().seed(SEED);
    let drawn = sampler.sample(&demanded, 20).unwrap();
    assert_eq!(drawn.report.choice.method, Method::Exact);
    let numbered = sampler.numbered(&demanded).unwrap();
    assert_eq!(drawn.boards, numbered.items(SEED, 0..20).unwrap());
    let drawn = particles().seed(SEED).sample(&demanded, 20).unwrap();
    assert_eq!(drawn.report.choice.method, Method::Particles);
    assert_eq!(drawn.boards.len(), 20);
    for generated in drawn.boards {
        assert!(
            demands
                .iter()
                .all(|demand| meets(generated.level(), &chain, demand))
        );
    }
}

#[test]
fn particles_estimate_the_exact_probability() {
    let demands = small_demands(6, 20);
    let exact = exactly(demanded(6, 20, &demands)).unwrap();
    let particles = SequentialMonteCarlo::new(500)
        .populations(100)
        .seed(SEED)
        .run(demanded(6, 20, &demands).model(), ())
        .unwrap();
    let estimate = particles.log_evidence().unwrap();
    let far =
        (estimate.value - exact.exact().unwrap().log_probability()).abs() / estimate.standard_error;
    assert!(
        far < 5.0,
        "{estimate:?} {}",
        exact.exact().unwrap().log_probability()
    );
}

#[test]
fn cells_have_the_same_probabilities_by_particles_and_exactly() {
    let demands = [Demand::Seen, Demand::MaximumGap(2)];
    let exact = exactly(demanded(6, 12, &demands)).unwrap();
    let demanded = demanded(6, 12, &demands);
    let answer = SequentialMonteCarlo::new(2_000)
        .populations(64)
        .seed(SEED)
        .run(demanded.model(), demanded.cells())
        .unwrap();
    for (index, cell) in demanded.cells().iter().enumerate() {
        let (column, row) = (index / 6, 5 - index % 6);
        let own = exact.generator().cell(row, column).unwrap();
        let exact = exact.exact().unwrap().compiled();
        let p = exact.probability(own, &Tile::GROUND).unwrap();
        let q = answer.probability(cell, &Tile::GROUND).unwrap();
        // All 72 cells are compared within six standard errors, or within 1e-4 where the standard error is too small to be estimated.
        let error = answer.standard_error(cell, &Tile::GROUND).unwrap();
        assert!(
            (p - q).abs() < 6.0 * error + 1e-4,
            "{row},{column}: {p} {q} {error}"
        );
    }
}

#[test]
fn a_level_depends_on_the_seed_and_its_number_alone() {
    let demands = small_demands(6, 15);
    let exact = exactly(demanded(6, 15, &demands)).unwrap();
    let particles = by_particles(demanded(6, 15, &demands));
    for sampler in [&exact, &particles] {
        let batch = sampler.batch();
        let all = sampler.levels(SEED, 0..batch + 3).unwrap();
        assert_eq!(all[..2], sampler.levels(SEED, 0..2).unwrap());
        assert_eq!(
            all[batch as usize..],
            sampler.levels(SEED, batch..batch + 3).unwrap()
        );
    }
}

#[test]
fn levels_that_were_drawn_together_are_those_of_a_new_sampler() {
    let demands = [Demand::Seen, Demand::playable()];
    let sampler = || by_particles(demanded(6, 15, &demands));
    let one = sampler();
    // A block has six levels; the levels are drawn one by one, after another seed, and all at once.
    let first = one.levels(SEED, 2..3).unwrap();
    let rest = one.levels(SEED, 3..6).unwrap();
    one.levels(SEED + 1, 0..1).unwrap();
    let later = one.levels(SEED, 7..9).unwrap();
    let again = one.levels(SEED, 2..3).unwrap();
    let all = sampler().levels(SEED, 0..12).unwrap();
    assert_eq!(first, all[2..3]);
    assert_eq!(rest, all[3..6]);
    assert_eq!(later, all[7..9]);
    assert_eq!(again, first);
    assert_ne!(first, one.levels(SEED + 1, 2..3).unwrap());
    let mut populations = Vec::new();
    for asked in [0..1, 3..6, 6..12] {
        one.levels(SEED, asked).unwrap();
        populations.extend(one.effective_populations().map(|(number, _)| number));
    }
    assert_eq!(populations, [18, 18, 18]);
}

#[test]
fn demands_that_cannot_be_stated_are_errors() {
    let elements = LevelElements::new(chain(6), 20).unwrap();
    let refused = |demand| {
        let error = DemandedLevel::new(&elements, &[demand]).unwrap_err();
        assert!(matches!(error, DemandError::Invalid { .. }), "{error}");
        error.to_string()
    };
    assert_eq!(
        refused(Demand::Pinned(Mask::free(6, 19))),
        "the mask has 6 rows of 19 columns, but the level has 6 rows of 20 columns; give one character for each cell"
    );
    for pattern in [
        Mask::free(2, 2),
        Mask::from_text("tall", &"X\n".repeat(7), TileSet::platformer()).unwrap(),
    ] {
        let error = refused(Demand::Forbidden(pattern));
        assert!(
            error.contains(" not fit into 6 rows and 20 columns; "),
            "{error}"
        );
    }
    let (mut one, mut other) = (Mask::free(6, 20), Mask::free(6, 20));
    one.set(2, 3, Tile::GROUND);
    other.set(2, 3, Tile::EMPTY);
    let twice = [Demand::Placed(one), Demand::Placed(other)];
    let error = DemandedLevel::new(&elements, &twice).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 2, column 3: two masks place different tiles here; free it in one of them"
    );
    let count = refused(Demand::Count {
        tile: tile('E'),
        least: 3,
        most: 2,
    });
    assert_eq!(
        count,
        "no number is from 3 to 2; give the smaller number first"
    );
    let error = demanded(6, 5, &[]).cell(6, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 6, column 0 is outside of the level; give a cell of the level; rows and columns count from 0"
    );
}

#[test]
fn placed_tiles_stand_where_the_chain_would_never_put_them() {
    let mut mask = Mask::free(6, 12);
    for (row, column) in [(0, 4), (3, 5), (5, 6)] {
        mask.set(row, column, tile('B'));
    }
    let demands = [Demand::Seen, Demand::Placed(mask.clone())];
    let exact = exactly(demanded(6, 12, &demands)).unwrap();
    let particles = by_particles(demanded(6, 12, &demands));
    for sampler in [&exact, &particles] {
        for generated in sampler.levels(SEED, 0..20).unwrap() {
            assert!(
                meets(generated.level(), &chain(6), &demands[1]),
                "{}",
                sampler.method()
            );
        }
    }
    let pinned = [Demand::Seen, Demand::Pinned(mask)];
    let error = exactly(demanded(6, 12, &pinned)).unwrap_err();
    let DemandedLevelError::Contradictory {
        columns,
        proven: true,
        minimal: true,
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(*columns, 4..=4, "{error}");
}

#[test]
fn a_frontier_over_its_memory_is_an_error() {
    let sampler = ConditionalSampler::new()
        .among([Method::Exact])
        .memory(10_000);
    let demanded = demanded(14, 30, &[Demand::Seen]);
    let error = sampler.numbered(&demanded);
    let error = DemandedLevelError::from(error.unwrap_err());
    let inference = matches!(
        error,
        DemandedLevelError::Inference(figrs_infer::Error::FrontierTooLarge { limit: 10_000, .. })
    );
    assert!(inference, "{error}");
}

#[test]
fn wide_levels_are_drawn_few_at_a_time() {
    let batch_of = |demands: &[Demand], width: usize, particles: usize| {
        let sampler = super::tests::particles().particles(particles);
        let demanded = demanded(14, width, demands);
        sampler.numbered(&demanded).unwrap().batch()
    };
    let batch = |width, particles| batch_of(&[Demand::Seen], width, particles);
    for (width, particles, expected) in [
        (120, 20, 24),
        (200, 20, 24),
        (800, 20, 6),
        (20_000, 20, 1),
        (120, 1, 24),
        (120, 100, 4),
        (120, 1000, 1),
    ] {
        let found = batch(width, particles);
        assert_eq!(found, expected, "{width} columns, {particles} particles");
    }
    // Each particle is followed by itself, in blocks of 120 particles.
    let played = [Demand::Seen, Demand::playable()];
    for (particles, expected) in [(4, 24), (8, 15), (20, 24), (1000, 1)] {
        assert_eq!(batch_of(&played, 60, particles), expected);
    }
}

#[test]
fn progress_is_told_up_to_the_end() {
    let numbers = Arc::new(std::sync::Mutex::new(Vec::new()));
    let listener = Arc::clone(&numbers);
    let sampler = particles()
        .particles(600)
        .on_event(move |event| {
            if let Event::Filtered { particles, .. } = event {
                listener.lock().unwrap().push(*particles);
            }
        })
        .numbered(Arc::new(demanded(4, 9, &[Demand::Seen])))
        .unwrap();
    sampler.levels(SEED, 0..1).unwrap();
    let numbers = numbers.lock().unwrap();
    // The filter reports its progress once after each statement.
    assert_eq!((numbers.len(), numbers.last()), (4 * 9, Some(&600)));
    assert!(numbers.is_sorted() && numbers[0] < 600);
}

/// Regression test: the automaton for ground gaps counted columns although no level can exceed the allowed gap.
#[test]
fn gaps_as_wide_as_the_level_state_nothing() {
    let evidence = |demands: &[Demand]| demanded(4, 6, demands).model().evidence().len();
    let seen = evidence(&[Demand::Seen]);
    assert_eq!(evidence(&[Demand::Seen, Demand::MaximumGap(6)]), seen);
    assert!(evidence(&[Demand::Seen, Demand::MaximumGap(5)]) > seen);
}

#[test]
fn an_interrupted_sampler_has_done_nothing() {
    let flag = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let sampler = particles()
        .interrupt(flag)
        .numbered(Arc::new(demanded(4, 20, &[Demand::Seen])))
        .unwrap();
    let error = sampler.levels(SEED, 0..3).unwrap_err();
    assert!(matches!(
        error,
        DemandedLevelError::Inference(figrs_infer::Error::NothingDone { .. })
    ));
}
