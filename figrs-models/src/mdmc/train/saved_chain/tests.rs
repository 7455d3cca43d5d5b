//! Tests of saved chains.

use super::*;
use crate::mdmc::{Corpus, LookAheadSampler};

fn trained(structures: &Structures, splits: usize) -> MarkovChain {
    let splits = RowSplits::new(splits, 14).unwrap();
    MarkovChain::train(&Corpus::shipped(), structures, splits).unwrap()
}

fn small() -> String {
    let corpus = Corpus::new([("a".to_owned(), "-S\nXX".parse().unwrap())]).unwrap();
    let splits = RowSplits::new(2, 2).unwrap();
    let chain = MarkovChain::train(&corpus, &Structure::NS1, splits).unwrap();
    chain.to_json()
}

#[test]
fn a_loaded_chain_is_the_saved_one() {
    let far = Structure::new([Offset::LEFT, Offset { dx: 2, dy: 1 }]).unwrap();
    let list: Structures = "ns3,(0,1),ns0".parse().unwrap();
    let plain = |structure: &Structure, splits| trained(&structure.into(), splits);
    for (chain, splits) in [
        (plain(&Structure::NS0, 1), 1),
        (plain(&Structure::NS3, 14), 14),
        (plain(&far, 3), 3),
        (trained(&list, 2).smoothed(0.25).unwrap(), 2),
    ] {
        let loaded = MarkovChain::from_json(&chain.to_json()).unwrap();
        assert_eq!(
            (loaded.height(), loaded.tiles()),
            (chain.height(), chain.tiles())
        );
        assert_eq!(loaded.structures(), chain.structures());
        for structure in 0..chain.structures().len() {
            for band in 0..splits {
                let all = |chain: &MarkovChain| {
                    let all = chain.configurations(structure, band);
                    all.map(|(c, seen)| (c.to_vec(), seen.clone()))
                        .collect::<Vec<_>>()
                };
                assert_eq!(all(&loaded), all(&chain));
            }
        }
        let draw = |chain: &MarkovChain| {
            let sampler = LookAheadSampler::new(chain.clone(), 3, 50).unwrap();
            sampler.sample(&mut figrs_core::stream(1, 2))
        };
        assert_eq!(draw(&loaded), draw(&chain));
    }
}

#[test]
fn the_format_is_that_of_version_one() {
    assert_eq!(
        small(),
        r##"{"format":"figrs MdMC chain","version":1,"height":2,"columns":2,"structure":[[-1,0]],"row_splits":2,"bands":[[["#",{"-":1}],["-",{"S":1}]],[["#",{"X":1}],["X",{"X":1}]]]}"##
    );
}

#[test]
fn a_text_cut_off_anywhere_is_an_error() {
    let text = small();
    for end in 0..text.len() {
        let error = MarkovChain::from_json(&text[..end]).unwrap_err();
        assert_eq!(error.kind, MistakeKind::Syntax, "{end}: {error}");
    }
}

/// Regression test: when a saved Markov chain was read, sums of counts were checked by saturating addition, and then computed without a check for
/// overflow.
#[test]
fn counts_that_overflow_are_an_error() {
    let most = u64::MAX;
    let text = format!(
        r##"{{"format":"figrs MdMC chain","version":1,"height":1,"columns":{most},"structure":[[-1,0]],"row_splits":1,
            "bands":[[["#",{{"-":{most}}}],["-",{{"-":1}}]]]}}"##
    );
    let error = MarkovChain::from_json(&text).unwrap_err();
    assert_eq!(error.kind, MistakeKind::TooLarge);
    assert!(
        error
            .to_string()
            .contains(&format!("trained on {most} columns")),
        "{error}"
    );
}

#[test]
fn what_does_not_fit_together_is_an_error_of_its_own() {
    let changed = |from: &str, to: &str| {
        let text = small();
        assert!(text.contains(from), "{from}");
        MarkovChain::from_json(&text.replacen(from, to, 1)).unwrap_err()
    };
    for (from, to, words) in [
        ("figrs MdMC", "other", "the format is \"other chain\""),
        ("\"version\":1", "\"version\":2", "version 2 of the format"),
        (
            "\"row_splits\":2",
            "\"row_splits\":3",
            "the saved chain is invalid",
        ),
        ("[-1,0]", "[1,0]", "the saved chain is invalid"),
        (
            "\"row_splits\":2",
            "\"row_splits\":1",
            "tables for 2 bands, but the chain has 1 bands",
        ),
        (
            "[\"-\",",
            "[\"--\",",
            "band 0: the configuration \"--\" is not one tile",
        ),
        ("[\"-\",", "[\"o\",", "band 0: 'o' is not among the tiles"),
        (
            "{\"S\":1}",
            "{\"~\":1}",
            "band 0: '~' is not among the tiles",
        ),
        (
            "[\"X\",{",
            "[\"#\",{",
            "band 1: the configuration \"#\" occurs twice",
        ),
        ("{\"S\":1}", "{\"S\":0}", "band 0: the configuration"),
        (
            "{\"S\":1}",
            "{\"S\":2}",
            "band 0: the counts add up to 3, but 1 rows of 2 columns need 2",
        ),
        (
            "\"columns\":2",
            "\"columns\":0",
            "band 0: the counts add up to",
        ),
        (
            "\"height\":2",
            "\"height\":268435457",
            "a chain of 268435457 rows",
        ),
    ] {
        let error = changed(from, to).to_string();
        assert!(error.contains(words), "{error}");
    }
}
