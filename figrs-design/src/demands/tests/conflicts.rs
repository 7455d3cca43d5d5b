//! Tests that samplers report the demands that exclude each other.

use std::num::NonZero;
use std::sync::Arc;

use figrs_infer::Frontier;

use super::{Levels, SEED, by_particles, demanded, exactly, particles};
use crate::demands::*;
use figrs_models::mdmc::{Tile, TileClass};

#[test]
fn demands_that_conflict_are_named_with_the_column() {
    let mut mask = Mask::free(6, 20);
    for column in 8..12 {
        mask.set(5, column, Tile::EMPTY);
    }
    let demands = [Demand::Seen, Demand::MaximumGap(2), Demand::Pinned(mask)];
    let exact = exactly(demanded(6, 20, &demands)).unwrap_err();
    let particles = particles()
        .most_particles(400)
        .numbered(Arc::new(demanded(6, 20, &demands)))
        .unwrap();
    let particles = particles.levels(SEED, 0..1).unwrap_err();
    for error in [exact, particles] {
        let DemandedLevelError::Contradictory {
            demands,
            columns,
            proven,
            ..
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!(
            demands[..],
            [
                "no ground gap over 2 columns",
                "4 pinned tiles in columns 8 to 11"
            ]
        );
        assert_eq!((columns.clone(), *proven), (10..=10, true), "{error}");
    }
}

#[test]
fn placed_tiles_are_named_where_they_conflict() {
    let mut mask = Mask::free(4, 12);
    for column in 3..8 {
        mask.set(3, column, Tile::EMPTY);
    }
    let demands = [Demand::MaximumGap(2), Demand::Placed(mask)];
    let error = exactly(demanded(4, 12, &demands)).unwrap_err();
    let DemandedLevelError::Contradictory {
        demands, columns, ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!((demands.len(), columns.clone()), (2, 5..=5), "{error}");
}

#[test]
fn a_conflict_search_without_work_still_names_demands() {
    let mut mask = Mask::free(4, 6);
    mask.set(3, 2, Tile::EMPTY);
    let demands = [Demand::MaximumGap(0), Demand::Pinned(mask)];
    let demanded = demanded(4, 6, &demands).conflict_work(0);
    let sampler = particles().most_particles(NonZero::<usize>::MIN.get());
    let sampler = sampler.numbered(&demanded).unwrap();
    let error = sampler.levels(SEED, 0..1).unwrap_err();
    assert!(
        matches!(error, DemandedLevelError::Contradictory { ref demands, .. } if demands.len() == 2)
    );
}

#[test]
fn the_demands_named_are_the_same_whichever_level_fails() {
    let mut mask = Mask::free(4, 12);
    for column in 3..8 {
        mask.set(3, column, Tile::EMPTY);
    }
    let others = Demand::Count {
        tile: Tile::GROUND,
        least: 1,
        most: 30,
    };
    let demands = [
        Demand::Seen,
        others,
        Demand::MaximumGap(2),
        Demand::Pinned(mask),
    ];
    let sampler = particles()
        .most_particles(80)
        .numbered(Arc::new(demanded(4, 12, &demands)))
        .unwrap();
    let error = |number: u64| {
        let error = sampler.levels(SEED, number..number + 1).unwrap_err();
        error.to_string()
    };
    assert!(error(0).contains("no ground gap over 2 columns; 5 pinned tiles"));
    assert_eq!(error(0), error(30));
}

/// Regression test: no demand read the tiles above the last column of a part of the level; that part passed no state on to the next part, and drawing
/// panicked.
#[test]
fn particles_that_all_end_with_a_part_contradict() {
    for column in [0, 30, 31, 32, 59] {
        let mut mask = Mask::free(14, 60);
        mask.set(13, column, Tile::EMPTY);
        let demands = [Demand::Placed(mask), Demand::MaximumGap(0)];
        let demanded = demanded(14, 60, &demands);
        let sampler = by_particles(demanded);
        let error = sampler.levels(SEED, 0..1).unwrap_err();
        assert!(
            matches!(&error, DemandedLevelError::Contradictory { columns, .. } if *columns == (column..=column)),
            "{column}: {error}"
        );
    }
}

/// The test requires three pipes that begin at least 80 columns apart, in different columns: one within the first 60 columns, or all within 200
/// columns, which is impossible.
#[test]
fn patterns_that_stand_apart_need_columns() {
    let pipe = Pattern::drawn("<>\n[]", |symbol| {
        Tile::platformer(symbol).map(TileClass::from)
    });
    let pipe = pipe.unwrap();
    let error = |width, least, times| {
        let demands = [
            Demand::Spaced {
                from: pipe.clone(),
                to: pipe.clone(),
                area: Area::all(),
                least,
                most: None,
            },
            Demand::Occurs {
                pattern: pipe.clone(),
                area: Area::all(),
                least: times,
                most: None,
            },
        ];
        let demanded = demanded(14, width, &demands).proof_work(0);
        crate::demands::conflict::proven(&demanded, &Frontier::new(), |_| true)
    };
    let conflict = error(60, 80, 3).unwrap();
    assert_eq!(
        (&conflict.demands[..], conflict.columns),
        (&[0, 1][..], 59..=59)
    );
    assert!(error(162, 80, 7).is_some());
    assert_eq!(error(162, 80, 3), None);
    assert_eq!(error(200, 80, 3), None);
    // One column has room for two pipes, one above the other.
    assert_eq!(error(60, 80, 2), None);
    // Without a distance between them, twice the number of columns is the limit.
    assert_eq!(error(60, 1, 200).unwrap().demands, [1]);
}
