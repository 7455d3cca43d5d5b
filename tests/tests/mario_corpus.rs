//! The level generator on the Super Mario Bros levels of the Video Game Level Corpus, against figures measured on them by others.

use figrs_models::mdmc::{
    Corpus, Level, LookAheadSampler, MarkovChain, Playability, RowSplits, Structure, ground_gaps,
    vglc,
};

/// The levels, or `None` with a printed reason.
fn corpus() -> Option<Corpus> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/vglc/smb");
    if !std::path::Path::new(directory).exists() {
        println!("skipped: there is no {directory}");
        return None;
    }
    Some(vglc::read_corpus(directory).expect("the corpus is well formed"))
}

fn chain(corpus: &Corpus, splits: usize) -> MarkovChain {
    let splits = RowSplits::new(splits, 14).expect("14 rows");
    MarkovChain::train(corpus, &Structure::NS3, splits).expect("a chain")
}

/// Levels of 200 columns with how many unseen states each has.
fn levels(chain: &MarkovChain, depth: usize, count: u64) -> Vec<(Level, f64)> {
    let sampler = LookAheadSampler::new(chain, depth).expect("a depth");
    let level = |index| {
        let mut rng = figrs::stream(11, index);
        let generated = sampler.sample(200, &mut rng).expect("a level");
        let unseen = generated.unseen() as f64;
        (generated.into_level(), unseen)
    };
    (0..count).map(level).collect()
}

#[test]
fn the_chain_has_120_configurations_of_1_8_tiles() {
    let Some(corpus) = corpus() else { return };
    let chain = chain(&corpus, 1);
    let seen: Vec<usize> = chain
        .configurations(0, 0)
        .map(|(_, seen)| seen.counts().len())
        .collect();
    assert_eq!(seen.len(), 120);
    let mean = seen.iter().sum::<usize>() as f64 / 120.0;
    assert!((mean - 1.8).abs() < 0.05, "{mean}");
}

#[test]
fn without_look_ahead_a_level_has_7_3_unseen_states_and_9_7_with_a_band_a_row() {
    let Some(corpus) = corpus() else { return };
    for (splits, expected) in [(1, 7.3), (14, 9.7)] {
        let unseen: Vec<f64> = levels(&chain(&corpus, splits), 0, 2000)
            .into_iter()
            .map(|l| l.1)
            .collect();
        let n = unseen.len() as f64;
        let mean = unseen.iter().sum::<f64>() / n;
        let variance = unseen.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        // Five standard errors, a false alarm in 1.7 million seeds; and the rounding of the figure, whose own error is not known.
        let tolerance = 5.0 * (variance / n).sqrt() + 0.05;
        assert!(
            (mean - expected).abs() < tolerance,
            "{splits}: {mean} ± {tolerance}"
        );
    }
}

#[test]
fn a_quarter_of_the_levels_is_playable_and_wide_gaps_are_why_the_others_are_not() {
    let Some(corpus) = corpus() else { return };
    let levels = levels(&chain(&corpus, 1), 3, 1000);
    let unplayable = levels
        .iter()
        .filter(|(level, _)| !Playability::of(level).playable());
    let unplayable: Vec<&Level> = unplayable.map(|(level, _)| level).collect();
    let playable = 1.0 - unplayable.len() as f64 / 1000.0;
    // 21 to 43 % by structure and bands; five standard deviations more.
    let slack = 5.0 * (0.25 * 0.75 / 1000.0_f64).sqrt();
    assert!(
        (0.21 - slack..0.43 + slack).contains(&playable),
        "{playable}"
    );
    let wide = |level: &&&Level| ground_gaps(level).iter().any(|&(_, width)| width >= 8);
    let wide = unplayable.iter().filter(wide).count() as f64;
    assert!(
        wide > 0.9 * unplayable.len() as f64,
        "{wide} of {}",
        unplayable.len()
    );
}
