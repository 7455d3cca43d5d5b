use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::mdmc::sample::run::*;
use crate::mdmc::small_corpora::chain;
use crate::mdmc::{Offset, Structure};

/// A simple implementation of the look-ahead to compare with in tests: it tries every tile in every cell.
fn fillable_by_force(
    chain: &MarkovChain,
    tiles: &mut Array2<Tile>,
    column: usize,
    depth: usize,
) -> bool {
    if depth == 0 || column == tiles.ncols() {
        return true;
    }
    let level = Level::from_array(tiles.clone()).unwrap();
    let configuration = chain.configuration_at(&level, 0, column, 0).unwrap();
    let Some(seen) = chain.distribution(0, 0, &configuration) else {
        return false;
    };
    chain
        .tiles()
        .iter()
        .filter(|&&tile| seen.probability(tile) > 0.0)
        .any(|&tile| {
            tiles[(0, column)] = tile;
            fillable_by_force(chain, tiles, column + 1, depth - 1)
        })
}

#[test]
fn the_look_ahead_agrees_with_brute_force() {
    let texts = [
        "-S-X-X-\nX-X-XXX",
        "--SS\nXX-X",
        "X-\n-X",
        "S-S-\nXXXX",
        "E\n-",
    ];
    let two_left = Structure::new([Offset::LEFT, Offset::BELOW, Offset { dx: -2, dy: 0 }]).unwrap();
    let mut outcomes = [0, 0];
    for structure in [Structure::NS1, Structure::NS2, Structure::NS3, two_left] {
        let chain = chain(&texts, &structure);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..200 {
            let any = || Tile::EMPTY;
            let mut tiles = Array2::from_shape_simple_fn((2, 7), any);
            let mut run = LookAheadRun::new(&chain, 7);
            run.start_row(0);
            for (row, column) in [0, 1]
                .into_iter()
                .flat_map(|row| (0..7).map(move |c| (row, c)))
            {
                let tile = chain.tiles()[rng.random_range(0..chain.tiles().len())];
                tiles[(row, column)] = tile;
                run.row.grid.set(row, column, chain.ids().id(tile));
            }
            // The first pass starts with an empty memo, and the second pass with the memo that the first pass left.
            for (column, depth) in (1..7).chain(1..7).flat_map(|c| (0..6).map(move |d| (c, d))) {
                let (kept, ids) = (tiles.clone(), run.row.grid.ids().to_vec());
                let expected = fillable_by_force(&chain, &mut tiles, column, depth);
                assert_eq!(
                    run.look_ahead.fillable(&mut run.row, column, depth),
                    expected,
                    "{structure}:\n{kept}"
                );
                outcomes[usize::from(expected)] += 1;
                tiles = kept;
                run.row.grid.restore(&ids);
            }
        }
    }
    assert!(outcomes.iter().all(|&count| count > 1000), "{outcomes:?}");
}

#[test]
fn a_distant_dead_end_is_found_without_trying_every_path() {
    // In training no tile occurs that has an o below and an X or S to its left; X and S follow each other in all orders.
    let chain = chain(&["XXSSXS\nXXXXXX", "X\no"], &Structure::NS2);
    let mut run = LookAheadRun::new(&chain, 40);
    for column in 0..40 {
        let below = if column == 36 { 'o' } else { 'X' };
        run.row
            .grid
            .set(1, column, chain.ids().id(Tile::platformer(below).unwrap()));
    }
    run.start_row(0);
    run.row.grid.set(0, 4, chain.ids().id(Tile::GROUND));
    assert!(run.look_ahead.fillable(&mut run.row, 5, 31));
    assert!(!run.look_ahead.fillable(&mut run.row, 5, 32));
}
