//! Tests that particles find levels for every kind of demand on every model of full height.

use std::sync::Arc;
use std::time::Instant;

use crate::samplers::{Levels, by_particles};
use figrs_design::{
    Area, Demand, DemandedLevel, Mask, Mirror, MovementRules, Pattern, Playability, Route,
};
use figrs_models::mdmc::{
    ColumnNGrams, Corpus, HierarchicalChain, LevelElements, LevelModel, MarkovChain, Meaning,
    RowSplits, Structure, Tile, TileClass, TileField, TileSet,
};

const WIDTH: usize = 30;

fn models(corpus: &Corpus) -> Vec<(&'static str, LevelModel)> {
    let rows = corpus.height();
    let splits = RowSplits::new(rows, rows).unwrap();
    let chain = Arc::new(MarkovChain::train(corpus, &Structure::NS3, splits).unwrap());
    let hierarchy = HierarchicalChain::train(corpus, &Structure::NS3, splits, 12, 3, 1).unwrap();
    let ngrams = Arc::new(ColumnNGrams::train(corpus, 2).unwrap());
    let field = TileField::train(corpus, splits).unwrap();
    let elements = LevelElements::new(chain, WIDTH).unwrap();
    vec![
        ("chain", (&elements).into()),
        ("n-grams", (&ngrams.program(WIDTH).unwrap()).into()),
        (
            "hierarchical",
            (&Arc::new(hierarchy).program(WIDTH).unwrap()).into(),
        ),
        ("field", (&field.elements(WIDTH).unwrap()).into()),
    ]
}

fn demands(corpus: &Corpus) -> Vec<(&'static str, Demand)> {
    let class = |meaning| TileClass::meaning(TileSet::platformer(), meaning);
    let enemy = || class(Meaning::Enemy);
    let mask = |text| Mask::from_text("pattern", text, TileSet::platformer()).unwrap();
    let pipe = || Pattern::try_from(&mask("<>\n[]")).unwrap();
    let level = &corpus.levels()[0];
    let cut = |columns: std::ops::Range<usize>| {
        let mut mask = Mask::free(level.height(), WIDTH);
        for row in 0..level.height() {
            for column in columns.clone() {
                mask.set(row, column, level.get(row, column).unwrap());
            }
        }
        mask
    };
    let route = Route::under(MovementRules::platformer());
    vec![
        (
            "require",
            Demand::required(pipe(), Area::all().columns(8..24)),
        ),
        (
            "forbid",
            Demand::forbidden(Pattern::cell(enemy()).unwrap(), Area::all()),
        ),
        (
            "count",
            Demand::Number {
                class: enemy(),
                area: Area::all().columns(5..25),
                least: 2,
                most: 4,
            },
        ),
        (
            "in each window",
            Demand::InEach {
                class: enemy(),
                area: Area::all(),
                columns: 15,
                least: 1,
                most: 3,
            },
        ),
        (
            "density",
            Demand::density(Tile::GROUND, 0.05, 0.12, level.height() * WIDTH),
        ),
        (
            "distance",
            Demand::Spaced {
                from: Pattern::cell(enemy()).unwrap(),
                to: Pattern::cell(enemy()).unwrap(),
                area: Area::all(),
                least: 4,
                most: None,
            },
        ),
        (
            "symmetry",
            Demand::Mirrored {
                area: Area::all().rows(13..).columns(6..18),
                mirror: Mirror::Columns,
                by: None,
            },
        ),
        ("start", Demand::Pinned(cut(0..4))),
        (
            "like",
            Demand::Near {
                drawing: cut(0..WIDTH),
                cost: 1.5,
            },
        ),
        (
            "rising",
            Demand::Rising {
                class: enemy(),
                area: Area::all(),
                sections: 3,
            },
        ),
        ("playable", Demand::playable()),
        (
            "pass",
            Demand::Playable(route.through([Area::all().rows(..9).columns(14..20)])),
        ),
    ]
}

#[test]
fn every_demand_composes_with_every_model() {
    let corpus = Corpus::shipped();
    let demands = demands(&corpus);
    let mut failures = Vec::new();
    for (model_name, model) in models(&corpus) {
        for (name, demand) in &demands {
            let all = [Demand::Seen, demand.clone()];
            let demanded = DemandedLevel::new(&model, &all).unwrap();
            let sampler = by_particles(demanded.clone());
            let begun = Instant::now();
            match sampler.levels(3, 0..1) {
                Err(error) => failures.push(format!("{model_name}, {name}: {error}")),
                Ok(levels) => {
                    let level = levels[0].level();
                    assert!(
                        demanded.factor(level) > 0.0,
                        "{model_name}, {name}\n{level}"
                    );
                    if let Some(route) = demand.route() {
                        assert!(Playability::along(level, route).playable());
                    }
                }
            }
            let even = sampler.effective_populations();
            println!("{model_name} {name}: {:?} {even:?}", begun.elapsed());
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
