//! Tests of demands that cannot be stated.

use std::sync::Arc;

use figrs_design::{
    Area, Demand, DemandError, DesignFile, LevelSampler, Mask, Mirror, Movement, Pattern,
    RejectionSampler, Route, SteeredLevel, SteeringError,
};
use figrs_models::mdmc::{
    ColumnNGrams, Corpus, CorpusReader, LevelElements, LookAheadSampler, MarkovChain, Meaning,
    RowSplits, Structure, Tile, TileClass, TileSet, Travel,
};
use ndarray::Array2;

use crate::models;

fn enemy() -> TileClass {
    TileClass::meaning(TileSet::platformer(), Meaning::Enemy)
}

fn refused(demand: Demand) -> DemandError {
    let known = models::all(4);
    SteeredLevel::new(&known[0].model, &[demand]).unwrap_err()
}

#[test]
fn areas_windows_sections_and_periods_have_limits() {
    let number = |area| Demand::Number {
        class: enemy(),
        area,
        least: 0,
        most: 1,
    };
    for area in [
        Area::all().rows(3..),
        Area::all().columns(2..2),
        Area::all().columns(1..5),
    ] {
        let error = refused(number(area));
        assert!(
            matches!(error, DemandError::Area { level: (3, 4), .. }),
            "{error}"
        );
        assert!(
            error
                .to_string()
                .contains("a level of 3 rows and 4 columns"),
            "{error}"
        );
    }
    let each = |columns, least| Demand::InEach {
        class: enemy(),
        area: Area::all().columns(1..),
        columns,
        least,
        most: 1,
    };
    for columns in [0, 4] {
        let error = refused(each(columns, 0));
        assert!(
            matches!(error, DemandError::Window { columns: 3, .. }),
            "{error}"
        );
    }
    assert!(matches!(
        refused(each(2, 2)),
        DemandError::CountRange { least: 2, most: 1 }
    ));
    for sections in [vec![], vec![(0, 1); 5]] {
        let error = refused(Demand::Profile {
            class: enemy(),
            area: Area::all(),
            sections,
        });
        assert!(
            matches!(error, DemandError::Sections { columns: 4, .. }),
            "{error}"
        );
    }
    let error = refused(Demand::Rising {
        class: enemy(),
        area: Area::all(),
        sections: 0,
    });
    assert!(
        matches!(error, DemandError::Sections { sections: 0, .. }),
        "{error}"
    );
    for period in [0, 4] {
        let error = refused(Demand::Repeated {
            area: Area::all(),
            period,
            by: None,
        });
        assert!(
            matches!(error, DemandError::Period { columns: 4, .. }),
            "{error}"
        );
    }
}

#[test]
fn movements_start_within_the_level() {
    let known = models::all(4);
    let program = &known[0].model;
    for (start, is_outside) in [("[50, 0]", true), ("[0, 4]", true), ("[0, 3]", false)] {
        let movement = Movement::from_toml(&format!("name = \"far\"\nstart = {start}\n")).unwrap();
        let rules = movement
            .rules(program.tile_set(), program.travel())
            .unwrap();
        let demand = Demand::Playable(Route::from(&rules));
        let made = SteeredLevel::new(program, &[demand]);
        let is_refused = matches!(made, Err(DemandError::Start { .. }));
        assert_eq!(is_refused, is_outside, "{start}");
    }
}

#[test]
fn gaps_are_along_levels_that_are_played_to_the_right() {
    let reader = CorpusReader::new(Vec::<String>::new()).travel(Travel::Up);
    let text = "-X-\nX--\n--X\nXXX\n--X\nXXX\n";
    let (corpus, _) = reader.read_texts([("tower".into(), text.into())]).unwrap();
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 2).unwrap());
    let program = ngrams.program(8).unwrap();
    let gap = Demand::Not(Box::new(Demand::MaximumGap(2)));
    let error = SteeredLevel::new(&program, &[gap]).unwrap_err();
    assert!(matches!(error, DemandError::Upwards { .. }), "{error}");
    let design = DesignFile::from_toml("[[demand]]\nmax_gap = 2\n").unwrap();
    let error = design.demands(program.model()).unwrap_err();
    assert!(
        error.to_string().starts_with("line 1 (demand 1): "),
        "{error}"
    );
}

#[test]
fn levels_that_are_drawn_again_have_the_size_of_the_demands() {
    let corpus = Corpus::shipped().bottom_rows(6).unwrap();
    let splits = RowSplits::new(6, 6).unwrap();
    let chain = Arc::new(MarkovChain::train(&corpus, &Structure::NS3, splits).unwrap());
    let elements = LevelElements::new(Arc::clone(&chain), 9).unwrap();
    let demands = SteeredLevel::new(&elements, &[Demand::MaximumGap(2)]).unwrap();
    let inner = LookAheadSampler::new(chain, 3, 8).unwrap();
    let sampler = RejectionSampler::new(Box::new(inner), demands).unwrap();
    let error = sampler.levels(1, 0..1).unwrap_err();
    assert!(
        matches!(
            error,
            SteeringError::Demand(DemandError::OtherSize {
                drawn: (6, 8),
                size: (6, 9)
            })
        ),
        "{error}"
    );
}

#[test]
fn patterns_have_tiles_and_fit() {
    let any = Array2::from_elem((2, 2), TileClass::any());
    assert!(matches!(
        Pattern::new(any).unwrap_err(),
        DemandError::EmptyPattern
    ));
    assert!(matches!(
        Pattern::any_of(&[]).unwrap_err(),
        DemandError::EmptyPattern
    ));
    assert!(matches!(
        Pattern::try_from(&Mask::free(1, 1)).unwrap_err(),
        DemandError::EmptyPattern
    ));
    let drawn = |text| Pattern::drawn(text, |symbol| Tile::platformer(symbol).map(TileClass::from));
    assert!(matches!(drawn("").unwrap_err(), DemandError::EmptyPattern));
    let error = drawn("X-\nX").unwrap_err();
    assert!(matches!(
        error,
        DemandError::PatternRow {
            row: 1,
            length: 1,
            expected: 2
        }
    ));
    let error = drawn("X-\nXz").unwrap_err();
    assert!(matches!(
        error,
        DemandError::PatternSymbol {
            symbol: 'z',
            row: 1,
            column: 1
        }
    ));
    let error = Pattern::any_of(&[drawn("XX").unwrap(), drawn("X").unwrap()]).unwrap_err();
    assert!(matches!(
        error,
        DemandError::Forms {
            first: (1, 2),
            other: (1, 1)
        }
    ));
    let wide = drawn("XXXXX").unwrap();
    let error = refused(Demand::forbidden(wide, Area::all()));
    assert!(
        matches!(
            error,
            DemandError::Pattern {
                size: (1, 5),
                level: (3, 4)
            }
        ),
        "{error}"
    );
    let error = refused(Demand::Shaped {
        pattern: drawn("XX").unwrap(),
        row: 2,
        column: 3,
    });
    assert!(
        matches!(error, DemandError::Pattern { level: (1, 1), .. }),
        "{error}"
    );
    let enemy = Pattern::cell(enemy()).unwrap();
    let error = refused(Demand::Accompanied {
        each: enemy.clone(),
        area: Area::all(),
        by: enemy,
        rows: std::ops::RangeInclusive::new(1, 0),
        columns: 0..=1,
    });
    assert!(matches!(error, DemandError::Offsets), "{error}");
}

#[test]
fn combinations_are_of_automata_and_weights_are_limited() {
    let mirrored = || Demand::Mirrored {
        area: Area::all(),
        mirror: Mirror::Columns,
        by: None,
    };
    let error = refused(Demand::Any(Vec::new()));
    assert!(matches!(error, DemandError::NothingToChoose), "{error}");
    for demand in [
        Demand::Not(Box::new(Demand::Seen)),
        Demand::Any(vec![mirrored(), Demand::playable()]),
        Demand::Placed(Mask::free(3, 4)).preferred(1.0),
        mirrored().preferred(1.0).preferred(1.0),
    ] {
        let error = refused(demand);
        assert!(matches!(error, DemandError::NotCombined { .. }), "{error}");
    }
    for weight in [-1.0, f64::NAN, 501.0] {
        let error = refused(mirrored().preferred(weight));
        assert!(matches!(error, DemandError::Weight { .. }), "{error}");
        let drawing = Mask::free(3, 4);
        let error = refused(Demand::Near {
            drawing,
            cost: weight,
        });
        assert!(matches!(error, DemandError::Weight { .. }), "{error}");
    }
    let error = refused(Demand::Near {
        drawing: Mask::free(2, 4),
        cost: 1.0,
    });
    assert!(
        matches!(error, DemandError::MaskShape { size: (2, 4), .. }),
        "{error}"
    );
    for columns in [vec![], vec![vec![Tile::GROUND; 2]]] {
        let error = refused(Demand::ColumnsAmong {
            area: Area::all(),
            columns,
        });
        assert!(
            matches!(error, DemandError::Columns { height: 3, .. }),
            "{error}"
        );
    }
}
