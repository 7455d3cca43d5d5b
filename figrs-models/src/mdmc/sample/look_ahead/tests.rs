use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::mdmc::sample::look_ahead::*;
use crate::mdmc::small_corpora::chain;
use crate::mdmc::{Corpus, Offset, RowSplits, Structure, Tile};

#[test]
fn too_deep_and_impossible_widths_are_errors() {
    let chain = chain(&["-"], &Structure::NS1);
    let error = LookAheadSampler::new(chain.clone(), 33, 1).unwrap_err();
    assert!(matches!(
        error,
        SamplingError::LookAhead { depth: 33, max: 32 }
    ));
    for width in [0, 1_000_001, usize::MAX] {
        let error = LookAheadSampler::new(chain.clone(), 32, width).unwrap_err();
        assert!(
            matches!(error, SamplingError::Width { max: 1_000_000, .. }),
            "{width}: {error}"
        );
    }
}

#[test]
fn tiles_that_pass_keep_their_renormalised_probabilities() {
    // In the first column the counts of X, S and E are in the ratio 3 : 1 : 4, and in training no tile occurs to the right of E.
    let texts = ["X-", "X-", "X-", "S-", "E", "E", "E", "E"];
    let chain = chain(&texts, &Structure::NS1);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for (width, symbol, expected) in [
        (2, 'X', 0.75),
        (2, 'E', 0.0),
        (1, 'E', 0.5),
        (1, 'S', 0.125),
    ] {
        let sampler = LookAheadSampler::new(chain.clone(), 1, width).unwrap();
        let n = 10_000;
        let drawn = (0..n).filter(|_| {
            let generated = sampler.sample(&mut rng);
            generated.level().get(0, 0) == Tile::platformer(symbol)
        });
        let share = drawn.count() as f64 / f64::from(n);
        // The tolerance is five standard deviations: each of the four comparisons raises a false alarm for one in 1.7 million seeds.
        let tolerance = 5.0 * (expected * (1.0 - expected) / f64::from(n)).sqrt();
        assert!(
            (share - expected).abs() <= tolerance,
            "{symbol} at width {width}: {share}"
        );
    }
}

#[test]
fn when_nothing_passes_the_look_ahead_is_shortened() {
    let chain = chain(&["E"], &Structure::NS1);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let sampler = LookAheadSampler::new(chain, 1, 3).unwrap();
    let generated = sampler.sample(&mut rng);
    assert_eq!(generated.level().to_string(), "EEE");
    assert_eq!((generated.unseen(), generated.shortened()), (2, 2));
    assert_eq!(
        (generated.tiles_by_structure(), generated.fallbacks()),
        (&[1, 2][..], 2)
    );
}

#[test]
fn counts_agree_with_the_level_for_all_structures_splits_and_depths() {
    let corpus = Corpus::shipped();
    let wide = [
        Offset::LEFT,
        Offset::BELOW,
        Offset { dx: -3, dy: 0 },
        Offset { dx: 2, dy: 2 },
    ];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    for structure in [
        Structure::NS0,
        Structure::NS1,
        Structure::NS3,
        Structure::new(wide).unwrap(),
    ] {
        for (splits, depth) in [(1, 0), (1, 3), (14, 2), (5, 32)] {
            let splits = RowSplits::new(splits, 14).unwrap();
            let chain = MarkovChain::train(&corpus, &structure, splits).unwrap();
            let sampler = LookAheadSampler::new(chain.clone(), depth, 90).unwrap();
            let generated = sampler.sample(&mut rng);
            assert_eq!(generated.unseen(), chain.unseen(generated.level()));
            assert_eq!(
                generated.tiles_by_structure().iter().sum::<usize>(),
                14 * 90
            );
            assert!(generated.fallbacks() >= generated.unseen());
        }
    }
}

#[test]
fn without_fallbacks_every_tile_was_seen_in_its_configuration() {
    let chain = MarkovChain::train(&Corpus::shipped(), &Structure::NS3, RowSplits::NONE).unwrap();
    let sampler = LookAheadSampler::new(chain.clone(), 3, 100).unwrap();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let levels = (0..20).map(|_| sampler.sample(&mut rng));
    let mut checked = 0;
    for level in levels
        .filter(|level| level.fallbacks() == 0)
        .map(GeneratedLevel::into_level)
    {
        for ((row, column), &tile) in level.as_array().indexed_iter() {
            let configuration = chain.configuration_at(&level, row, column, 0).unwrap();
            let seen = chain.distribution(0, 0, &configuration).unwrap();
            assert!(seen.probability(tile) > 0.0, "{tile} at {row}, {column}");
        }
        checked += 1;
    }
    assert!(checked > 10, "{checked} levels without fallbacks");
}

#[test]
fn a_seed_gives_the_same_level_in_every_version() {
    let chain = chain(
        &[
            "------\n-?-S--\n---E--\nXX-XXX",
            "---o--\n--SS--\n------\nX-XXXX",
        ],
        &Structure::NS3,
    );
    let sampler = LookAheadSampler::new(chain, 2, 24).unwrap();
    let level = sampler
        .sample(&mut Xoshiro256PlusPlus::seed_from_u64(6))
        .into_level();
    let rows = [
        "---------------S--o----o",
        "-?--S-?--S-S-?---SS---SS",
        "----E----E--------------",
        "XXX-XX-X-XXXXXXX-X-X-XXX",
    ];
    assert_eq!(level.to_string(), rows.join("\n"));
}
