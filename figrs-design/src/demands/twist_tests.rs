//! Tests that compare the twisted proposals of particle filters with exact answers, for each model.

use std::sync::Arc;

use figrs_infer::{Compiled, Frontier, SequentialMonteCarlo};

use super::demanded_level::LevelParts;
use super::tests::{Levels, exactly, particles};
use super::*;
use figrs_models::mdmc::{
    ColumnNGrams, Corpus, HierarchicalChain, LevelElements, LevelModel, MarkovChain, RowSplits,
    Structure, Tile, TileField, TileSet,
};

const ROWS: usize = 3;
const WIDTH: usize = 6;

fn models() -> Vec<LevelModel> {
    let corpus = Corpus::shipped().bottom_rows(ROWS).unwrap();
    let splits = RowSplits::new(ROWS, ROWS).unwrap();
    let chain = Arc::new(MarkovChain::train(&corpus, &Structure::NS3, splits).unwrap());
    let hierarchy = HierarchicalChain::train(&corpus, &Structure::NS2, splits, 3, 3, 1).unwrap();
    let field = TileField::train(&corpus, splits).unwrap();
    let ngrams = |order| Arc::new(ColumnNGrams::train(&corpus, order).unwrap());
    vec![
        LevelModel::from(&LevelElements::new(chain, WIDTH).unwrap()),
        LevelModel::from(&Arc::new(hierarchy).program(WIDTH).unwrap()),
        LevelModel::from(&field.elements(WIDTH).unwrap()),
        LevelModel::from(&ngrams(1).program(WIDTH).unwrap()),
        LevelModel::from(&ngrams(3).program(WIDTH).unwrap()),
    ]
}

fn tile(symbol: char) -> Tile {
    Tile::platformer(symbol).unwrap()
}

fn mask(text: &str) -> Mask {
    Mask::from_text("mask", text, TileSet::platformer()).unwrap()
}

fn pattern(text: &str) -> Pattern {
    Pattern::try_from(&mask(text)).unwrap()
}

/// Sets of demands for tests: each kind of demand that twists proposals is in one of the sets.
fn sets() -> Vec<Vec<Demand>> {
    let ground = || Tile::GROUND.into();
    let drawing = Demand::Near {
        drawing: mask("-_-__E\nE-_--_\nXX--XX"),
        cost: 1.2,
    };
    let number = |least, most| Demand::Number {
        class: ground(),
        area: Area::all().columns(1..5),
        least,
        most,
    };
    let mut placed = Mask::free(ROWS, WIDTH);
    placed.set(1, 3, Tile::GROUND);
    placed.set(2, 3, Tile::GROUND);
    vec![
        vec![drawing.clone()],
        vec![Demand::Seen, drawing.clone()],
        vec![Demand::Seen, drawing.clone(), number(1, 3)],
        vec![Demand::required(
            pattern("E-\nXX"),
            Area::all().columns(1..5),
        )],
        vec![
            Demand::forbidden(pattern("-\nX"), Area::all().columns(3..)),
            Demand::required(pattern("X"), Area::all().columns(..2)).preferred(0.7),
        ],
        vec![
            Demand::Placed(placed.clone()),
            drawing.clone(),
            number(2, 4),
        ],
        vec![Demand::Pinned(placed), number(2, 4)],
        vec![
            Demand::Shaped {
                pattern: pattern("-X"),
                row: 2,
                column: 2,
            },
            Demand::MaximumGap(2),
            Demand::Count {
                tile: tile('E'),
                least: 1,
                most: 2,
            },
        ],
        vec![Demand::Mirrored {
            area: Area::all().columns(1..5).rows(2..),
            mirror: Mirror::Columns,
            by: None,
        }],
        vec![Demand::Any(vec![
            Demand::Not(Box::new(number(1, 4))),
            Demand::required(pattern("E"), Area::all()),
        ])],
    ]
}

/// The particle filter's estimates of the probability of the evidence are unbiased for any number of particles. The mean of a trajectory's weight
/// times any function of the trajectory is also unbiased.
#[test]
fn few_particles_give_the_exact_law_when_they_are_weighed() {
    const POPULATIONS: u64 = 1_500;
    for model in models() {
        for demands in sets() {
            let demanded = DemandedLevel::new(&model, &demands).unwrap();
            let compiled = Frontier::new()
                .compile(demanded.model(), demanded.cells())
                .unwrap();
            let exact = compiled.log_evidence();
            let what = format!("{} {demands:?} {exact}", model.name());
            let filter = SequentialMonteCarlo::new(40)
                .populations(POPULATIONS)
                .seed(3);
            for each in [2, WIDTH] {
                let found = filter.follow(&LevelParts::of(&demanded).of_each(each));
                if exact == f64::NEG_INFINITY {
                    assert!(found.is_err(), "{what}");
                    continue;
                }
                let found = found.unwrap();
                let estimate = found.answer.log_evidence().unwrap();
                let (p, value) = (exact.exp(), estimate.value.exp());
                // The tolerance is five standard errors: a false alarm occurs in one of two million estimates.
                let error = 5.0 * estimate.standard_error * value;
                assert!((value - p).abs() <= error + 1e-12, "{what}: {estimate:?}");
                let draws = found.answer.draws().unwrap();
                let logs = draws.log_weights.clone().unwrap();
                let weights: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
                let total: f64 = weights.iter().sum();
                for (place, cell) in demanded.cells().iter().enumerate() {
                    let tile = Tile::GROUND;
                    let exact = compiled.probability(cell, &tile).unwrap();
                    let is = |tiles: &Vec<Tile>| f64::from(u8::from(tiles[place] == tile));
                    let each = found.values.iter().zip(&weights);
                    let share = each.map(|(tiles, weight)| weight * is(tiles)).sum::<f64>() / total;
                    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
                    // The tolerance is five standard errors of independent draws with these weights: a false alarm occurs in one of two million
                    // cells.
                    let error = 5.0 * (exact * (1.0 - exact).max(0.0) * squares).sqrt() / total;
                    assert!(
                        (share - exact).abs() <= error + 2e-3,
                        "{what}: cell {place}: {share} {exact} {error}"
                    );
                }
            }
        }
    }
}

/// Returns the mean and the standard deviation of the number of cells in which `levels` differ from `drawing`.
fn differing(levels: &[figrs_models::mdmc::GeneratedLevel], drawing: &Mask) -> (f64, f64) {
    let counts = levels.iter().map(|generated| {
        let differs = |&(row, column, tile): &(usize, usize, Tile)| {
            generated.level().get(row, column) != Some(tile)
        };
        drawing.tiles().filter(differs).count() as f64
    });
    let counts: Vec<f64> = counts.collect();
    let mean = counts.iter().sum::<f64>() / counts.len() as f64;
    let squares = counts.iter().map(|count| (count - mean).powi(2));
    (mean, (squares.sum::<f64>() / counts.len() as f64).sqrt())
}

/// The twisted proposals of n-gram models account exactly for the demand that a level resembles a drawing. Because the twisted proposals are exact, a
/// few particles have the exact distribution, with equal weights.
#[test]
fn columns_are_as_near_to_a_drawing_as_the_exact_law_has_them() {
    let corpus = Corpus::shipped();
    let (width, level) = (30, &corpus.levels()[1]);
    let mut drawing = Mask::free(level.height(), width);
    for row in 0..level.height() {
        for column in 0..width {
            // The drawing equals no training level, because every third column is replaced by another column.
            let from = if column % 3 == 0 { column + 7 } else { column };
            drawing.set(row, column, level.get(row, from).unwrap());
        }
    }
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 2).unwrap());
    let near = Demand::Near {
        drawing: drawing.clone(),
        cost: 1.5,
    };
    let program = ngrams.program(width).unwrap();
    let demanded = DemandedLevel::new(&program, &[Demand::Seen, near]).unwrap();
    let exact = exactly(demanded.clone()).unwrap();
    let (mean, deviation) = differing(&exact.levels(5, 0..200).unwrap(), &drawing);
    let particles = particles()
        .particles(4)
        .numbered(Arc::new(demanded))
        .unwrap();
    let levels = particles.levels(5, 0..96).unwrap();
    let (found, _) = differing(&levels, &drawing);
    // The tolerance is five standard errors of the difference: a false alarm occurs for one of two million seeds.
    let error = deviation * (1.0_f64 / 200.0 + 1.0 / 96.0).sqrt();
    assert!(
        (found - mean).abs() <= 5.0 * error,
        "{found} {mean} {error}"
    );
    let (populations, effective) = particles.effective_populations().unwrap();
    assert!(
        effective > 0.999 * populations as f64,
        "{effective} of {populations}"
    );
}
