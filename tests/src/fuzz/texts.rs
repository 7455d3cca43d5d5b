//! Fuzzes the readers of levels, masks and clues.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use figrs::ItemSampler;
use figrs::design::{Demand, DemandFile, DemandedLevel, Mask};
use figrs::models::board::{ConditionalSampler, Method};
use figrs::models::grid::{Clues, Symbol};
use figrs::models::mdmc::{
    ColumnNGrams, Corpus, Level, LevelElements, LevelModel, LookAheadSampler, MarkovChain,
    RowSplits, Structure, TileSet,
};
use figrs::models::{FileError, dungeon, island, yin_yang};

use super::text;

/// Largest number of cells of a level or board, so that an input takes milliseconds.
const CELLS: usize = 200;

/// Separator of the levels of a corpus.
const NEXT_LEVEL: char = '\u{c}';

/// Reads the levels of a corpus, which are separated by form feeds; writes them, trains a model on them and draws from it.
///
/// # Panics
///
/// Panics if a level differs after it is written and read again.
pub fn levels(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let mut named = Vec::new();
    for (number, text) in text.split(NEXT_LEVEL).enumerate() {
        let Ok(level) = Level::from_text("level", text, TileSet::platformer()) else {
            continue;
        };
        let again = level.to_string().parse::<Level>();
        assert_eq!(again.as_ref().ok(), Some(&level));
        named.push((number.to_string(), level));
    }
    let Ok(corpus) = Corpus::new(named) else {
        return;
    };
    if corpus.levels().iter().map(cells).sum::<usize>() > CELLS {
        return;
    }
    let bands = RowSplits::new(data.len() % 5, corpus.height()).unwrap_or_default();
    for structure in [Structure::NS0, Structure::NS3] {
        let chain = MarkovChain::train(&corpus, &structure, bands).expect("there are rows enough");
        let sampler = LookAheadSampler::new(chain.clone(), data.len() % 4, 8);
        let drawn = sampler
            .expect("a small level")
            .sample(&mut figrs::stream(1, 0));
        assert_eq!(drawn.level().height(), corpus.height());
        let saved = MarkovChain::from_json(&chain.to_json()).expect("what was saved");
        assert_eq!(saved.to_json(), chain.to_json());
    }
}

fn cells(level: &Level) -> usize {
    level.height() * level.width()
}

/// Reads a mask, and uses it as a pinned, placed and forbidden mask for levels of a chain that knows six kinds of tiles.
///
/// # Panics
///
/// Panics if a drawn level does not have the placed tiles.
pub fn mask(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let Ok(mask) = Mask::from_text("mask", text, TileSet::platformer()) else {
        return;
    };
    let (height, width) = (mask.height(), mask.width());
    if height > 4 || height * width > 40 {
        return;
    }
    let rows = ["-?--E---", "-S--[]o-", "----[]--", "XXXX-XXX"];
    let level = rows[4 - height..].join("\n").parse().expect("a level");
    let corpus = Corpus::new([("small".to_owned(), level)]).expect("one height");
    let chain = MarkovChain::train(&corpus, &Structure::NS2, RowSplits::NONE).expect("one band");
    let elements = LevelElements::new(Arc::new(chain), width).expect("a small level");
    for demand in [Demand::Pinned, Demand::Placed, Demand::Forbidden] {
        let demand = demand(mask.clone());
        let Ok(demanded) = DemandedLevel::new(&elements, std::slice::from_ref(&demand)) else {
            continue;
        };
        let sampler = ConditionalSampler::new().among([Method::Particles]);
        let sampler = sampler.particles(4).most_particles(16);
        let sampler = sampler.numbered(&demanded).expect("a sequence of parts");
        let Ok(levels) = sampler.items(1, 0..1) else {
            continue;
        };
        let stands = |level: &Level| {
            let mut tiles = mask.tiles();
            tiles.all(|(row, column, tile)| level.get(row, column) == Some(tile))
        };
        for drawn in levels {
            let is_forbidden = matches!(demand, Demand::Forbidden(_));
            assert_ne!(stands(drawn.level()), is_forbidden, "{demand}: {drawn:?}");
        }
    }
}

/// Reads a file of demands, in TOML or in JSON, about small levels of n-grams; writes and reads it again, and draws levels.
///
/// # Panics
///
/// Panics if a file differs after it is written and read again, or if a level does not meet the demands.
pub fn design(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let read = DemandFile::from_toml(text).or_else(|_| DemandFile::from_json(text));
    let Ok(design) = read else { return };
    let again = DemandFile::from_json(&design.to_json().to_string());
    assert_eq!(again.as_ref().ok(), Some(&design));
    let level = "-?--E---\n-S--[]o-\n----[]--\nXXXX-XXX"
        .parse()
        .expect("a level");
    let corpus = Corpus::new([("small".to_owned(), level)]).expect("one height");
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 1).expect("an order"));
    let model = LevelModel::from(&ngrams.program(8).expect("a small level"));
    let Ok(demands) = design.demands(&model) else {
        return;
    };
    let Ok(demanded) = DemandedLevel::new(&model, &demands) else {
        return;
    };
    let exact = ConditionalSampler::new().among([Method::Exact]);
    let Ok(exact) = exact.memory(1 << 20).numbered(&demanded) else {
        return;
    };
    for drawn in exact.items(1, 0..2).expect("levels that are possible") {
        assert!(demanded.factor(drawn.level()) > 0.0, "{}", drawn.level());
    }
}

/// Reads clues of all puzzles that have clues, and solves small boards of Yin-Yang.
///
/// # Panics
///
/// Panics if clues differ after they are written and read again, or if a solution does not meet them.
pub fn clues(data: &[u8]) {
    let Some(text) = text(data) else { return };
    read_back::<dungeon::DungeonTile>(text);
    read_back::<island::Terrain>(text);
    let Some(clues) = read_back::<yin_yang::Colour>(text) else {
        return;
    };
    if clues.size().cells() > 20 {
        return;
    }
    let puzzle = yin_yang::YinYang::with_clues(clues.clone()).memory(1 << 24);
    if let Ok(solution) = puzzle.solve() {
        assert!(solution.board.meets(&clues), "{}", solution.board);
    }
}

fn read_back<C: Symbol + PartialEq + std::fmt::Debug>(text: &str) -> Option<Clues<C>>
where
    Clues<C>: FromStr<Err = FileError> + Display,
{
    let clues: Clues<C> = text.parse().ok()?;
    let again: Option<Clues<C>> = clues.to_string().parse().ok();
    assert_eq!(again.as_ref(), Some(&clues));
    Some(clues)
}
