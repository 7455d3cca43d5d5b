//! Tests of demands that cannot be stated.

use std::sync::Arc;

use figrs_design::{
    Area, Demand, DemandError, DemandFile, DemandedLevel, Mask, Mirror, Movement, Pattern,
    ProposedLevels, Route,
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

fn refused(demand: Demand) -> String {
    let known = models::all(4);
    problem(DemandedLevel::new(&known[0].model, &[demand]).unwrap_err())
}

/// The problem of a value that is not allowed.
fn problem(error: DemandError) -> String {
    match error {
        DemandError::Invalid { problem, remedy } if !remedy.is_empty() => problem,
        other => panic!("{other}"),
    }
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
            error.ends_with(" are not an area of a level of 3 rows and 4 columns"),
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
        assert_eq!(
            refused(each(columns, 0)),
            format!("windows of {columns} columns do not fit into 3")
        );
    }
    assert_eq!(refused(each(2, 2)), "no number is from 2 to 1");
    for sections in [vec![], vec![(0, 1); 5]] {
        let expected = format!(
            "4 columns cannot be divided into {} sections",
            sections.len()
        );
        let error = refused(Demand::Profile {
            class: enemy(),
            area: Area::all(),
            sections,
        });
        assert_eq!(error, expected);
    }
    let error = refused(Demand::Rising {
        class: enemy(),
        area: Area::all(),
        sections: 0,
    });
    assert_eq!(error, "4 columns cannot be divided into 0 sections");
    for period in [0, 4] {
        let error = refused(Demand::Repeated {
            area: Area::all(),
            period,
            by: None,
        });
        assert_eq!(
            error,
            format!("4 columns cannot be repeated with a period of {period}")
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
        let made = DemandedLevel::new(program, &[demand]);
        let problem = made.err().map(problem);
        assert_eq!(problem.is_some(), is_outside, "{start}");
        let starts = |problem: String| problem.starts_with("the movement \"far\" starts at row ");
        assert!(problem.is_none_or(starts), "{start}");
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
    let error = DemandedLevel::new(&program, &[gap]).unwrap_err();
    assert!(problem(error).ends_with(" is for levels that are played to the right"));
    let design = DemandFile::from_toml("[[demand]]\nmax_gap = 2\n").unwrap();
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
    let demands = DemandedLevel::new(&elements, &[Demand::MaximumGap(2)]).unwrap();
    let inner = LookAheadSampler::new(chain, 3, 8).unwrap();
    let error = ProposedLevels::new(inner, demands).unwrap_err();
    assert_eq!(
        problem(error),
        "levels of 6 rows and 8 columns are drawn, but the demands are for levels of 6 rows and 9 columns"
    );
}

#[test]
fn patterns_have_tiles_and_fit() {
    let drawn = |text| Pattern::drawn(text, |symbol| Tile::platformer(symbol).map(TileClass::from));
    for empty in [
        Pattern::new(Array2::from_elem((2, 2), TileClass::any())),
        Pattern::any_of(&[]),
        Pattern::try_from(&Mask::free(1, 1)),
        drawn(""),
    ] {
        let error = problem(empty.unwrap_err());
        assert_eq!(error, "the pattern matches everywhere");
    }
    let error = problem(drawn("X-\nX").unwrap_err());
    assert_eq!(
        error,
        "row 1 of a pattern has 1 cells, but the first row has 2"
    );
    let error = problem(drawn("X-\nXz").unwrap_err());
    assert_eq!(
        error,
        "'z' in row 1, column 1 of a pattern is neither a tile nor a class"
    );
    let error = Pattern::any_of(&[drawn("XX").unwrap(), drawn("X").unwrap()]).unwrap_err();
    assert_eq!(
        problem(error),
        "the forms of a pattern have different sizes: 1 by 2 and 1 by 1 cells"
    );
    let wide = drawn("XXXXX").unwrap();
    assert_eq!(
        refused(Demand::forbidden(wide, Area::all())),
        "a pattern of 1 rows and 5 columns does not fit into 3 rows and 4 columns"
    );
    let error = refused(Demand::Shaped {
        pattern: drawn("XX").unwrap(),
        row: 2,
        column: 3,
    });
    assert!(
        error.ends_with(" does not fit into 1 rows and 1 columns"),
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
    assert_eq!(error, "a range of rows or columns to look in is empty");
}

#[test]
fn combinations_are_of_automata_and_weights_are_limited() {
    let mirrored = || Demand::Mirrored {
        area: Area::all(),
        mirror: Mirror::Columns,
        by: None,
    };
    let error = refused(Demand::Any(Vec::new()));
    assert_eq!(error, "a choice among no demands cannot be met");
    for demand in [
        Demand::Not(Box::new(Demand::Seen)),
        Demand::Any(vec![mirrored(), Demand::playable()]),
        Demand::Placed(Mask::free(3, 4)).preferred(1.0),
        mirrored().preferred(1.0).preferred(1.0),
    ] {
        let error = refused(demand);
        assert!(
            error.ends_with(" cannot be chosen, negated or preferred"),
            "{error}"
        );
    }
    for weight in [-1.0, f64::NAN, 501.0] {
        let error = refused(mirrored().preferred(weight));
        assert_eq!(error, format!("{weight} cannot be the weight of a demand"));
        let drawing = Mask::free(3, 4);
        let error = refused(Demand::Near {
            drawing,
            cost: weight,
        });
        assert_eq!(error, format!("{weight} cannot be the weight of a demand"));
    }
    let error = refused(Demand::Near {
        drawing: Mask::free(2, 4),
        cost: 1.0,
    });
    assert_eq!(
        error,
        "the mask has 2 rows of 4 columns, but the level has 3 rows of 4 columns"
    );
    for columns in [vec![], vec![vec![Tile::GROUND; 2]]] {
        let error = refused(Demand::ColumnsAmong {
            area: Area::all(),
            columns,
        });
        assert!(
            error.ends_with(" tiles do not fit into a level of 3 rows"),
            "{error}"
        );
    }
}
