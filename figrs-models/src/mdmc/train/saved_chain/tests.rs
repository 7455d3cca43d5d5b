//! Tests of saved chains.

use super::SavedChainError as E;
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
        assert!(matches!(error, SavedChainError::Json(_)), "{end}: {error}");
    }
}

/// Regression test: after a check by saturating sums, counts up to the largest number were added without a check for
/// overflow.
#[test]
fn counts_that_overflow_are_an_error() {
    let most = u64::MAX;
    let text = format!(
        r##"{{"format":"figrs MdMC chain","version":1,"height":1,"columns":{most},"structure":[[-1,0]],"row_splits":1,
            "bands":[[["#",{{"-":{most}}}],["-",{{"-":1}}]]]}}"##
    );
    let error = MarkovChain::from_json(&text).unwrap_err();
    assert!(
        matches!(error, E::Size { height: 1, columns } if columns == most),
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
    assert!(matches!(changed("figrs MdMC", "other"), E::Format { .. }));
    assert!(matches!(
        changed("\"version\":1", "\"version\":2"),
        E::Version { found: 2 }
    ));
    assert!(matches!(
        changed("\"row_splits\":2", "\"row_splits\":3"),
        E::Splits(TrainingError::RowSplits { .. })
    ));
    assert!(matches!(
        changed("[-1,0]", "[1,0]"),
        E::Structure(StructureError::UndecidedOffset { .. })
    ));
    assert!(matches!(
        changed("\"row_splits\":2", "\"row_splits\":1"),
        E::Bands {
            found: 2,
            expected: 1
        }
    ));
    assert!(matches!(
        changed("[\"-\",", "[\"--\","),
        E::Configuration {
            band: 0,
            length: 1,
            ..
        }
    ));
    assert!(matches!(
        changed("[\"-\",", "[\"o\","),
        E::Tile {
            band: 0,
            symbol: 'o'
        }
    ));
    assert!(matches!(
        changed("{\"S\":1}", "{\"~\":1}"),
        E::Tile {
            band: 0,
            symbol: '~'
        }
    ));
    assert!(matches!(
        changed("[\"X\",{", "[\"#\",{"),
        E::Repeated { band: 1, .. }
    ));
    assert!(matches!(
        changed("{\"S\":1}", "{\"S\":0}"),
        E::Repeated { band: 0, .. }
    ));
    assert!(matches!(
        changed("{\"S\":1}", "{\"S\":2}"),
        E::Counts {
            band: 0,
            found: 3,
            expected: 2,
            ..
        }
    ));
    assert!(matches!(
        changed("\"columns\":2", "\"columns\":0"),
        E::Counts { band: 0, .. }
    ));
    assert!(matches!(
        changed("\"height\":2", "\"height\":268435457"),
        E::Size {
            height: 268_435_457,
            columns: 2
        }
    ));
}
