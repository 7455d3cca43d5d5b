//! Small models of every kind, with the probability of each level.

use std::sync::Arc;

use figrs_core::inject;
use figrs_design::DemandedLevel;
use figrs_infer::{Run, VariableElimination};
use figrs_models::mdmc::{
    ColumnNGrams, Corpus, HierarchicalChain, Level, LevelElements, LevelModel, MarkovChain,
    RowSplits, Structure, Tile, TileField,
};
use ndarray::Array2;

/// A model with all levels that it can draw, and their probabilities.
pub(crate) struct KnownModel {
    pub(crate) name: &'static str,
    pub(crate) model: LevelModel,
    pub(crate) levels: Vec<(Level, f64)>,
}

fn corpus(texts: [&str; 3]) -> Corpus {
    let levels = texts.map(|text| (String::new(), text.parse::<Level>().unwrap()));
    Corpus::new(levels).unwrap()
}

/// Rows of two tiles each: air and enemies, air and ground, ground and air.
const ROWS: [&str; 3] = [
    "-E--E-E\n-XX---X\nXXX-XXX",
    "E--E---\n--X-X-X\n-XXXX-X",
    "-------\n-X---XX\nXX-XXXX",
];

/// The same levels with only air in the middle row, which are few enough for models that can draw all levels.
const AIR: [&str; 3] = [
    "-E--E-E\n-------\nXXX-XXX",
    "E--E---\n-------\n-XXXX-X",
    "-------\n-------\nXX-XXXX",
];

/// The same levels as `ROWS`, with ground in all cells of the bottom row.
const GROUND: [&str; 3] = [
    "-E--E-E\n-XX---X\nXXXXXXX",
    "E--E---\n--X-X-X\nXXXXXXX",
    "-------\n-X---XX\nXXXXXXX",
];

/// Returns a model of each kind, for levels of three rows.
pub(crate) fn all(width: usize) -> Vec<KnownModel> {
    let splits = RowSplits::new(3, 3).unwrap();
    let chain = MarkovChain::train(&corpus(AIR), &Structure::NS3, splits).unwrap();
    let elements = LevelElements::new(Arc::new(chain), width).unwrap();
    let ngrams = Arc::new(ColumnNGrams::train(&corpus(ROWS), 2).unwrap());
    let hierarchy = HierarchicalChain::train(&corpus(GROUND), &Structure::NS2, splits, 2, 3, 1);
    let hierarchy = Arc::new(hierarchy.unwrap()).program(width).unwrap();
    let field = TileField::train(&corpus(AIR), splits).unwrap();
    vec![
        known("chain", (&elements).into()),
        known("n-grams", (&ngrams.program(width).unwrap()).into()),
        known("hierarchical", (&hierarchy).into()),
        known("field", (&field.elements(width).unwrap()).into()),
    ]
}

/// Computes the joint distribution of all tiles of a model by variable elimination.
fn known(name: &'static str, model: LevelModel) -> KnownModel {
    let (height, width) = (model.height(), model.width());
    let demanded = DemandedLevel::new(&model, &[]).unwrap();
    let whole = inject(demanded.cells());
    let answer = VariableElimination::new().run(demanded.model(), &whole);
    let levels = answer.unwrap().distribution(&whole).unwrap();
    let level = |tiles: &Vec<Tile>| {
        let tile = |(row, column): (usize, usize)| tiles[column * height + height - 1 - row];
        Level::from_array(Array2::from_shape_fn((height, width), tile)).unwrap()
    };
    let levels = levels.iter().map(|(tiles, p)| (level(tiles), p));
    KnownModel {
        name,
        levels: levels.collect(),
        model,
    }
}
