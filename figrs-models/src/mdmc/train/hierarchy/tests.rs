use std::sync::Arc;

use figrs_core::Model;
use figrs_infer::{Run, VariableElimination};

use crate::mdmc::small_corpora::corpus;
use crate::mdmc::train::hierarchy::*;
use crate::mdmc::{LookAheadSampler, SamplingError, Structure, TileDistribution};

fn train(corpus: &Corpus, section: usize, kinds: usize) -> Arc<HierarchicalChain> {
    let chain =
        HierarchicalChain::train(corpus, &Structure::NS1, RowSplits::NONE, section, kinds, 1);
    Arc::new(chain.unwrap())
}

fn probability(chain: &Arc<HierarchicalChain>, text: &str) -> f64 {
    let program = chain.program(text.len()).unwrap();
    let tiles: Vec<Tile> = text.chars().filter_map(Tile::platformer).collect();
    let answer = VariableElimination::new()
        .run(&Model::new(), program.tiles())
        .unwrap();
    answer.probability(program.tiles(), &tiles).unwrap()
}

#[test]
fn levels_have_the_probabilities_counted_by_hand() {
    // Sections of one column: two kinds, X and E, that follow each other in turn, and begin a level two to one.
    let chain = train(&corpus(&["XEXE", "XEX", "EXE"]), 1, 2);
    assert_eq!(chain.medoids().len(), 2);
    for (text, expected) in [
        ("XE", 2.0 / 3.0),
        ("EX", 1.0 / 3.0),
        ("XX", 0.0),
        ("XEXEX", 2.0 / 3.0),
    ] {
        let p = probability(&chain, text);
        assert!((p - expected).abs() < 1e-12, "{text}: {p}");
    }
}

#[test]
fn a_kind_that_nothing_followed_is_followed_by_any() {
    let chain = train(&corpus(&["XE"]), 1, 2);
    // The first section is X and the second one E; the third one is X or E, each of which is half of all sections.
    for (text, expected) in [("XEX", 0.5), ("XEE", 0.5), ("XXE", 0.0)] {
        let p = probability(&chain, text);
        assert!((p - expected).abs() < 1e-12, "{text}: {p}");
    }
}

#[test]
fn styles_are_kinds_that_change_at_seams() {
    let named = [
        ("castle-1", "XXXX"),
        ("field-1", "-E-E"),
        ("field-2", "EEEE"),
    ];
    let named = named.map(|(name, text)| (name.to_owned(), text.parse().unwrap()));
    let corpus = Corpus::new(named).unwrap();
    let style = |name: &str| name.split('-').next().unwrap_or_default().to_owned();
    let corpus = corpus.styled(style);
    assert_eq!(corpus.styles(), ["castle", "field"]);
    assert_eq!(corpus.style_of_levels(), [0, 1, 1]);
    let chain = |change| {
        let split = RowSplits::NONE;
        HierarchicalChain::train_styles(&corpus, &Structure::NS0, split, 2, change)
    };
    let styled = Arc::new(chain(0.25).unwrap());
    // One of three levels is a castle and two are fields; six of the eight tiles of the fields are E.
    let (castle, field, e) = (1.0 / 3.0, 2.0 / 3.0, 0.75_f64);
    for (text, expected) in [
        ("XX", castle),
        ("EX", 0.0),
        ("XXXX", castle * 0.75),
        ("XXEE", castle * 0.25 * e * e),
        ("EEXX", field * e * e * 0.25),
        ("EEEE", field * e.powi(4) * 0.75),
    ] {
        let p = probability(&styled, text);
        assert!((p - expected).abs() < 1e-12, "{text}: {p} for {expected}");
    }
    let error = chain(1.5).unwrap_err();
    assert!(error.problem.ends_with("with probability 1.5"), "{error}");
    // A single style cannot change.
    let one = corpus.styled(|_| "one".to_owned());
    let one = HierarchicalChain::train_styles(&one, &Structure::NS0, RowSplits::NONE, 2, 1.0);
    assert!(
        (probability(&Arc::new(one.unwrap()), "XXXX") - (4.0 / 12.0_f64).powi(4)).abs() < 1e-12
    );
}

#[test]
fn one_kind_is_the_plain_chain() {
    let corpus = Corpus::shipped();
    let plain = MarkovChain::train(&corpus, &Structure::NS3, RowSplits::NONE).unwrap();
    let chain =
        HierarchicalChain::train(&corpus, &Structure::NS3, RowSplits::NONE, 4, 1, 1).unwrap();
    let all = |chain: &MarkovChain| {
        let all = chain.configurations(0, 0);
        all.map(|(c, seen)| (c.to_vec(), seen.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(all(&chain.chains()[0]), all(&plain));
}

#[test]
fn the_chains_of_all_kinds_count_every_cell_once() {
    let corpus = Corpus::shipped();
    let chain =
        HierarchicalChain::train(&corpus, &Structure::NS3, RowSplits::NONE, 3, 6, 2).unwrap();
    assert_eq!((chain.section(), chain.medoids().len()), (3, 6));
    let totals = chain.chains().iter().map(|chain| {
        chain
            .distribution(3, 0, &[])
            .map_or(0, TileDistribution::total)
    });
    let cells: usize = corpus
        .levels()
        .iter()
        .map(|level| level.as_array().len())
        .sum();
    assert_eq!(totals.sum::<u64>(), cells as u64);
    // A chain of one kind is a chain like any other.
    let sampler = LookAheadSampler::new(chain.chains()[0].clone(), 2, 9).unwrap();
    assert_eq!(sampler.sample(&mut stream(1, 1)).level().width(), 9);
}

#[test]
fn sections_and_kinds_have_limits() {
    let corpus = Corpus::shipped();
    for (section, kinds, wrong) in [(0, 3, 0), (3, 0, 0), (65, 3, 65), (3, 65, 65)] {
        let chain =
            HierarchicalChain::train(&corpus, &Structure::NS1, RowSplits::NONE, section, kinds, 1);
        let problem = format!("sections cannot have {wrong} columns or kinds");
        assert_eq!(
            chain.err(),
            Some(Mistake::value(problem, "use 1 to 64 columns and kinds"))
        );
    }
    let error = train(&corpus, 4, 2).program(0).unwrap_err();
    assert!(matches!(error, SamplingError::Width { width: 0, .. }));
}
