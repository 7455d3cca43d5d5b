//! Tests of levels that must be playable under a movement: exact probabilities, and levels in which the player climbs.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use crate::samplers::{Levels, by_particles, exactly};
use figrs_design::{
    Demand, DemandError, DemandedLevel, DemandedLevelError, Movement, MovementRules, Playability,
    Route,
};
use figrs_models::mdmc::{
    Corpus, CorpusReader, Level, LevelElements, MarkovChain, RowSplits, Structure, TileSet, Travel,
};

const SEED: u64 = 5;

/// Returns a chain with independent tiles, so that all levels are possible. It is trained on one level that has each tile in proportion to its
/// probability.
fn chain(legend: &str, text: &str) -> (Arc<MarkovChain>, Arc<TileSet>) {
    let tiles = Arc::new(TileSet::from_toml(legend).unwrap());
    let level = Level::from_text("level", text, &tiles).unwrap();
    let corpus = Corpus::of_tiles(Arc::clone(&tiles), [("level".to_owned(), level)]).unwrap();
    let height = corpus.height();
    let splits = RowSplits::new(1, height).unwrap();
    let chain = MarkovChain::train(&corpus, &Structure::NS0, splits).unwrap();
    (Arc::new(chain), tiles)
}

/// Checks that the probability of the demand is the share of levels that meet it, and that levels drawn given the demand meet it.
fn check(movement: &str, legend: &str, text: &str) {
    const LEVELS: u64 = 3_000;
    let (chain, tiles) = chain(legend, text);
    let rules = Movement::named(movement).unwrap();
    let rules = rules.rules(&tiles, Travel::Right).unwrap();
    let elements = LevelElements::new(chain, 5).unwrap();
    let free = DemandedLevel::new(&elements, &[]).unwrap();
    let free = exactly(free).unwrap();
    let levels = free.levels(SEED, 0..LEVELS).unwrap();
    let meets = |level: &Level| Playability::under(level, &rules).playable();
    let met = levels.iter().filter(|level| meets(level.level())).count();
    let share = met as f64 / LEVELS as f64;
    let demand = [Demand::Playable(Route::under(&rules))];
    let demanded = DemandedLevel::new(&elements, &demand).unwrap();
    let exact = exactly(demanded.clone()).unwrap();
    let p = exact.exact().unwrap().log_probability().exp();
    println!("{movement}: {p}, drawn {share}");
    // Five standard errors: a false alarm in less than one of a million seeds.
    let error = (p * (1.0 - p) / LEVELS as f64).sqrt();
    assert!(
        p > 0.02 && (share - p).abs() <= 5.0 * error,
        "{movement}: {share} {p}"
    );
    let particles = by_particles(demanded);
    for sampler in [&exact, &particles] {
        for level in sampler.levels(SEED, 0..48).unwrap() {
            assert!(
                meets(level.level()),
                "{}\n{}",
                sampler.method(),
                level.level()
            );
        }
    }
}

#[test]
fn probabilities_of_playable_levels_are_the_shares_that_are() {
    check(
        "ladders",
        "[tiles]\n'#' = ['solid']\n'.' = ['passable']\n'=' = ['climb']\nM = ['start']\nG = ['collectable']",
        "..=M\n.==#\nG.##",
    );
    check(
        "maze",
        "[tiles]\n'#' = ['solid']\n'.' = ['passable']\nM = ['start']\nX = ['exit']",
        "..#M\n..X#\n....",
    );
    check(
        "rooms",
        "[tiles]\n'#' = ['solid']\n'.' = ['passable']\nD = ['door']",
        "..#D\n..##\n..D.",
    );
}

#[test]
fn rules_for_other_levels_are_refused() {
    let legend = "[tiles]\n'#' = ['solid']\n'.' = ['passable']\nT = ['solidtop']";
    let (chain, tiles) = chain(legend, ".T\n##");
    let elements = LevelElements::new(chain, 4).unwrap();
    let rules = |travel| {
        let movement = Movement::from_toml("start = 'ground'\ngoal = 'right'").unwrap();
        movement.rules(&tiles, travel).unwrap()
    };
    let with = |demand| DemandedLevel::new(&elements, &[demand]).err();
    assert!(with(Demand::Playable(Route::under(&rules(Travel::Right)))).is_none());
    let up = with(Demand::Playable(Route::under(&rules(Travel::Up)))).unwrap();
    assert!(
        matches!(&up, DemandError::Invalid { remedy, .. } if remedy.ends_with(" travel, right")),
        "{up}"
    );
    // The published rules were compiled for a set without tiles that are solid from above.
    let published = with(Demand::playable()).unwrap().to_string();
    assert!(
        published.starts_with("the rules of the movement platformer do not fit these levels"),
        "{published}"
    );
    let same = MovementRules::platformer();
    assert!(with(Demand::Playable(Route::under(same))).is_some());
}

/// Returns a corpus if it is installed; otherwise prints why the test is skipped and returns `None`.
fn corpus(game: &str) -> Option<Corpus> {
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/vglc");
    let folder = Path::new(place).join(game);
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return None;
    }
    Some(CorpusReader::new([folder]).read().unwrap().0)
}

#[test]
fn levels_played_upwards_are_drawn_so_that_they_can_be_climbed() -> Result<(), DemandedLevelError> {
    let Some(corpus) = corpus("kid_icarus") else {
        return Ok(());
    };
    assert_eq!((corpus.travel(), corpus.height()), (Travel::Up, 16));
    let splits = RowSplits::new(16, 16).unwrap();
    let chain = Arc::new(MarkovChain::train(&corpus, &Structure::NS3, splits).unwrap());
    let movement = Movement::suggested(chain.tile_set(), Travel::Up).unwrap();
    let rules = movement.rules(chain.tile_set(), Travel::Up).unwrap();
    let elements = LevelElements::new(chain, 60)?;
    let demands = [Demand::Seen, Demand::Playable(Route::under(&rules))];
    let sampler = by_particles(DemandedLevel::new(&elements, &demands)?);
    for level in sampler.levels(SEED, 0..6)? {
        let upright = Travel::Up.upright(level.level());
        assert_eq!((upright.height(), upright.width()), (60, 16));
        assert_eq!(Playability::under(&upright, &rules).obstacle(), None);
    }
    Ok(())
}
