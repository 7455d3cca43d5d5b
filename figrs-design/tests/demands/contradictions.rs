//! Tests that demands that exclude each other are named, and that the error says whether the conflict is proven.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::samplers::{Levels, by_particles, exactly, particles};
use figrs_design::{Area, Demand, DemandedLevel, DemandedLevelError, Mask, Mirror, Pattern, Route};
use figrs_models::mdmc::{
    ColumnNGrams, Corpus, LevelElements, LevelModel, MarkovChain, RowSplits, Structure, Tile,
    TileClass, TileField, TileSet,
};

fn tile(symbol: char) -> Tile {
    Tile::platformer(symbol).unwrap()
}

fn pattern(text: &str) -> Pattern {
    Pattern::drawn(text, |symbol| match symbol {
        '_' => Some(TileClass::any()),
        symbol => Tile::platformer(symbol).map(TileClass::from),
    })
    .unwrap()
}

/// Returns the chain of all 14 rows, which is too large for the exact method.
fn chain(width: usize) -> LevelModel {
    let splits = RowSplits::new(14, 14).unwrap();
    let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS3, splits).unwrap();
    LevelModel::from(&LevelElements::new(Arc::new(chain), width).unwrap())
}

/// Returns the demands that the error names, the column, and whether the conflict is proven; each named demand must be needed.
fn refused(model: &LevelModel, demands: &[Demand]) -> (Vec<String>, usize, bool) {
    let demanded = DemandedLevel::new(model, demands).unwrap();
    match by_particles(demanded).levels(1, 0..1) {
        Err(DemandedLevelError::Contradictory {
            demands,
            minimal,
            columns,
            proven,
            ..
        }) => {
            assert!(minimal && columns.start() == columns.end(), "{demands:?}");
            (demands, *columns.start(), proven)
        }
        other => panic!("{other:?}"),
    }
}

/// Returns the cases, each with its demands, the demands that the error must name, and the column.
fn cases(width: usize) -> Vec<(Vec<Demand>, Vec<&'static str>, usize)> {
    let mut gap = Mask::free(14, width);
    for column in 20..26 {
        gap.set(13, column, Tile::EMPTY);
    }
    let mut brick = Mask::free(14, width);
    brick.set(13, 30, tile('S'));
    let mut pipe = Mask::free(14, width);
    // The right side of a pipe is pinned without the left one.
    pipe.set(12, 40, tile(']'));
    pipe.set(12, 39, tile('-'));
    let enemies = |least, most| Demand::Number {
        class: tile('E').into(),
        area: Area::all(),
        least,
        most,
    };
    vec![
        (
            vec![
                Demand::Seen,
                enemies(0, 9),
                Demand::MaximumGap(4),
                Demand::Pinned(gap),
            ],
            vec![
                "no ground gap over 4 columns",
                "6 pinned tiles in columns 20 to 25",
            ],
            24,
        ),
        (
            vec![Demand::Seen, Demand::playable(), Demand::Pinned(brick)],
            vec!["1 pinned tile in column 30"],
            30,
        ),
        (
            vec![Demand::Seen, Demand::playable(), Demand::Pinned(pipe)],
            vec![
                "no unseen configuration",
                "2 pinned tiles in columns 39 to 40",
            ],
            39,
        ),
        (
            vec![
                Demand::Seen,
                Demand::required(pattern("<>"), Area::all().columns(10..)),
                enemies(2, 9),
                Demand::forbidden(pattern("<>"), Area::all().columns(8..)),
            ],
            vec![
                "1 or more times a pattern of 1 by 2 in columns from 10",
                "0 times a pattern of 1 by 2 in columns from 8",
            ],
            width - 1,
        ),
        (
            vec![
                Demand::InEach {
                    class: tile('E').into(),
                    area: Area::all(),
                    columns: 10,
                    least: 1,
                    most: 3,
                },
                Demand::Seen,
                enemies(0, 2),
            ],
            vec!["1 to 3 of E in each 10 columns", "0 to 2 of E"],
            // Three windows side by side need three enemies.
            29,
        ),
    ]
}

#[test]
fn contradictions_of_a_large_chain_are_named_and_proven() {
    let width = 60;
    let model = chain(width);
    for (demands, named, column) in cases(width) {
        let (found, at, proven) = refused(&model, &demands);
        assert_eq!(found, named);
        assert!(proven, "{found:?}");
        assert_eq!(at, column, "{found:?}");
    }
}

#[test]
fn the_exact_method_and_other_models_name_the_same() {
    let width = 42;
    let corpus = Corpus::shipped();
    let ngrams = Arc::new(ColumnNGrams::train(&corpus, 2).unwrap());
    let ngrams = LevelModel::from(&ngrams.program(width).unwrap());
    let field = TileField::train(&corpus, RowSplits::new(14, 14).unwrap()).unwrap();
    let field = LevelModel::from(&field.elements(width).unwrap());
    // The cases taken are one with set tiles and one with patterns.
    for (demands, named, column) in cases(width).into_iter().step_by(3) {
        let exact = DemandedLevel::new(&ngrams, &demands).unwrap();
        let error = exactly(exact).unwrap_err();
        let DemandedLevelError::Contradictory { proven: true, .. } = error else {
            panic!("{error}");
        };
        let hard: Vec<Demand> = demands
            .iter()
            .filter(|one| one.route().is_none())
            .cloned()
            .collect();
        let (found, at, proven) = refused(&field, &hard);
        assert_eq!(
            (found, at, proven),
            (
                named.iter().map(ToString::to_string).collect(),
                column,
                true
            )
        );
    }
}

fn enemies(columns: std::ops::Range<usize>, least: usize, most: usize) -> Demand {
    Demand::Number {
        class: tile('E').into(),
        area: Area::all().columns(columns),
        least,
        most,
    }
}

/// A conflict of three or of five demands, which vanishes if any one of them is left out, is found among other demands.
#[test]
fn larger_sets_that_exclude_each_other_are_proven() {
    let model = chain(60);
    for number in [3, 5] {
        let mut demands = vec![
            Demand::Seen,
            Demand::MaximumGap(6),
            enemies(0..60, 0, 2 * number - 3),
        ];
        demands.extend((1..number).map(|part| enemies(12 * part - 10..12 * part, 2, 9)));
        demands.push(Demand::required(pattern("<>"), Area::all()));
        let (found, _, proven) = refused(&model, &demands);
        assert!(proven && found.len() == number, "{number}: {found:?}");
        assert!(found.iter().all(|one| one.contains("of E")), "{found:?}");
    }
}

/// The number of demands that the error names, and the column; `None` if levels exist.
type Named = Option<(usize, RangeInclusive<usize>)>;

/// Set tiles form walls and gaps, or fill areas to pass, so that no path remains; the error names the demands that are needed for that.
#[test]
fn ways_that_the_tiles_leave_no_room_for_are_proven_impossible() {
    let model = chain(60);
    let mut wall = Mask::free(14, 60);
    let mut air = Mask::free(14, 60);
    let mut open = Mask::free(14, 60);
    for row in 0..14 {
        wall.set(row, 30, Tile::GROUND);
        if row > 0 {
            open.set(row, 30, Tile::GROUND);
        }
        for column in 20..54 {
            air.set(row, column, Tile::EMPTY);
        }
    }
    let through = |areas: Vec<Area>| Demand::Playable(Route::default().through(areas));
    let cases: [(Vec<Demand>, Named); 6] = [
        (
            vec![Demand::playable(), Demand::Placed(wall)],
            Some((2, 30..=30)),
        ),
        (
            vec![
                Demand::MaximumGap(60),
                Demand::playable(),
                Demand::Pinned(air),
            ],
            Some((2, 25..=53)),
        ),
        (vec![Demand::playable(), Demand::Placed(open)], None),
        // No player passes through ground, and no player returns from the bottom row.
        (
            vec![
                through(vec![Area::cell(12, 40)]),
                Demand::Shaped {
                    pattern: pattern("X"),
                    row: 12,
                    column: 40,
                },
            ],
            Some((2, 59..=59)),
        ),
        (
            vec![through(vec![Area::cell(13, 40), Area::cell(4, 50)])],
            Some((1, 59..=59)),
        ),
        (vec![through(vec![Area::cell(4, 50)])], None),
    ];
    for (demands, expected) in cases {
        let demanded = DemandedLevel::new(&model, &demands).unwrap();
        let sampler = particles()
            .most_particles(400)
            .numbered(Arc::new(demanded))
            .unwrap();
        match (sampler.levels(1, 0..1), expected) {
            (
                Err(DemandedLevelError::Contradictory {
                    demands: named,
                    columns: found,
                    proven,
                    ..
                }),
                expected,
            ) => match expected {
                Some((number, columns)) => assert!(
                    proven
                        && named.len() == number
                        && columns.contains(found.start())
                        && columns.contains(found.end()),
                    "{named:?} {found:?}"
                ),
                None => assert!(!proven, "{named:?}"),
            },
            (Ok(levels), None) => assert_eq!(levels.len(), 1),
            (other, expected) => panic!("{expected:?}: {other:?}"),
        }
    }
}

/// Two pinned tiles are excluded by a mirror demand that is too large for a proof.
#[test]
fn what_is_not_proven_says_so() {
    let model = chain(24);
    let pinned = |column, tile| {
        let mut mask = Mask::free(14, 24);
        mask.set(13, column, tile);
        Demand::Pinned(mask)
    };
    let demands = [
        Demand::Mirrored {
            area: Area::all().rows(8..).columns(..16),
            mirror: Mirror::Columns,
            by: None,
        },
        pinned(0, Tile::GROUND),
        pinned(15, Tile::EMPTY),
    ];
    let (found, _, proven) = refused(&model, &demands);
    assert!(found.len() >= 2, "{found:?}");
    assert!(!proven);
    let demanded = DemandedLevel::new(&model, &demands).unwrap();
    let error = by_particles(demanded).levels(1, 0..1).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("but this does not prove that no level can continue there"),
        "{message}"
    );
}

/// Without work for trials, the error states only that no particle survived.
#[test]
fn what_was_not_tried_is_not_told() {
    let (demands, named, _) = cases(60).swap_remove(0);
    let demanded = DemandedLevel::new(chain(60), &demands).unwrap();
    let unproven = demanded.proof_work(0);
    let words = |demanded: DemandedLevel| by_particles(demanded).levels(1, 0..1).unwrap_err();
    let untried = words(unproven.clone().conflict_work(0)).to_string();
    assert!(
        untried.contains("together, some of which may be irrelevant: no unseen configuration;")
            && untried.contains(
                "no particle could continue at some column from 0 to 59 (counted from 0)"
            ),
        "{untried}"
    );
    let error = words(unproven);
    let text = format!("together: {}; no particle could continue", named.join("; "));
    assert!(error.to_string().contains(&text), "{error}");
    let DemandedLevelError::Contradictory {
        columns,
        minimal: true,
        proven: false,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(columns.start(), columns.end());
}

/// The first columns of a level have a conflict, and the level is too long to be tried as a whole.
#[test]
fn conflicts_at_the_start_of_long_levels_are_named_at_their_column() {
    let width = 20_000;
    let mut gap = Mask::free(14, width);
    for column in 120..126 {
        gap.set(13, column, Tile::EMPTY);
    }
    let demands = [
        Demand::Seen,
        enemies(0..200, 0, 9),
        Demand::MaximumGap(4),
        Demand::Pinned(gap),
    ];
    let (found, column, proven) = refused(&chain(width), &demands);
    let named = [
        "no ground gap over 4 columns",
        "6 pinned tiles in columns 120 to 125",
    ];
    assert_eq!(
        (&found[..], column, proven),
        (&named.map(str::to_owned)[..], 124, true)
    );
}

/// There are too many demands to try all sets of them, and any two of them can be met together.
#[test]
fn many_demands_are_searched() {
    let width = 40;
    let model = chain(width);
    let mut demands = vec![Demand::Seen, Demand::MaximumGap(3), Demand::playable()];
    for place in 0..6 {
        let area = Area::all().columns(6 * place..6 * place + 10);
        demands.push(Demand::forbidden(pattern("E_E"), area));
    }
    // This demand is too large for a proof.
    demands.push(Demand::Mirrored {
        area: Area::all().rows(10..).columns(..16),
        mirror: Mirror::Columns,
        by: None,
    });
    let mut gap = Mask::free(14, width);
    for column in 30..35 {
        gap.set(13, column, Tile::EMPTY);
    }
    demands.push(Demand::Pinned(gap));
    let (found, _, proven) = refused(&model, &demands);
    assert_eq!(
        found,
        [
            "no ground gap over 3 columns",
            "5 pinned tiles in columns 30 to 34"
        ]
    );
    assert!(proven);
}

#[test]
fn drawings_that_cannot_stand_are_named() {
    let set = TileSet::platformer();
    let corpus = Corpus::shipped().bottom_rows(6).unwrap();
    let splits = RowSplits::new(6, 6).unwrap();
    let chain = MarkovChain::train(&corpus, &Structure::NS3, splits).unwrap();
    let elements = LevelElements::new(Arc::new(chain), 20).unwrap();
    let text = "____________________\n____________________\n____________________\n____<-______________\n____________________\n____________________";
    let demands = [
        Demand::MaximumGap(3),
        Demand::Seen,
        Demand::Pinned(Mask::from_text("mask", text, set).unwrap()),
    ];
    let demanded = DemandedLevel::new(&elements, &demands).unwrap();
    let error = exactly(demanded).unwrap_err();
    let DemandedLevelError::Contradictory {
        demands, proven, ..
    } = error
    else {
        panic!("{error}");
    };
    assert!(proven);
    assert_eq!(demands, ["2 pinned tiles in columns 4 to 5"]);
}
