//! Tests invalid texts of all formats, which the table `mistakes.txt` lists with their error messages.

use std::fmt::Write as _;
use std::{env, fs};

use figrs_network::{InfluenceDiagram, MixedNetwork, Network, NetworkError};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/networks/mistakes.txt");

/// The network to which the evidence texts refer.
const NETWORK: &str = "network n { }
    variable rain { type discrete [ 2 ] { yes, no }; }
    variable wind { type discrete [ 3 ] { 0, 1.5, true }; }
    probability ( rain ) { table 0.5, 0.5; }
    probability ( wind ) { table 0.5, 0.25, 0.25; }";

/// The network to which the evidence about real variables refers.
const MIXED: &str =
    "net { } node sky { states = (clear dark); } potential (sky) { data = (0.5 0.5); }
    continuous node heat { } potential (heat | sky) { data = ( normal (20, 9) normal (10, 4) ); }";

fn read(reader: &str, text: &str) -> Result<(), NetworkError> {
    let evidence = || Network::from_bif(NETWORK).unwrap();
    match reader {
        "BIF" => Network::from_bif(text).map(drop),
        "XMLBIF" => Network::from_bifxml(text).map(drop),
        "NET" => Network::from_net(text).map(drop),
        "XDSL" => Network::from_xdsl(text).map(drop),
        "UAI" => Network::from_uai(text).map(drop),
        "CNF" => Network::from_cnf(text).map(drop),
        "mixed NET" => MixedNetwork::from_net(text).map(drop),
        "diagram" => InfluenceDiagram::from_text(text, "diagram").map(drop),
        "data" => Network::from_data_csv(text).map(drop),
        "evidence in JSON" => evidence().evidence_from_json(text).map(drop),
        "evidence of real variables" => MixedNetwork::from_net(MIXED)?
            .evidence_from_json(text)
            .map(drop),
        "evidence in UAI" => evidence().evidence_from_uai(text).map(drop),
        other => panic!("there is no reader `{other}`"),
    }
}

/// Each entry of the table consists of a line `--- READER`, a text, and a line `=== ERROR`. With `MISTAKES=overwrite`, the
/// test replaces the error messages in the table by the present ones.
#[test]
fn every_mistake_has_its_place_its_words_and_a_remedy() {
    let table = fs::read_to_string(TABLE).unwrap();
    let (head, entries) = table.split_once("\n--- ").unwrap();
    let mut found = head.to_owned();
    for entry in entries.split("\n--- ") {
        let (reader, rest) = entry.split_once('\n').unwrap();
        let text = match rest.split_once("\n=== ") {
            Some((text, _)) => text,
            None => "",
        };
        let error = read(reader, text).expect_err(text);
        let between = if rest.starts_with("=== ") { "" } else { "\n" };
        write!(found, "\n--- {reader}\n{text}{between}=== {error}").unwrap();
    }
    found.push('\n');
    if env::var("MISTAKES").is_ok_and(|value| value == "overwrite") {
        fs::write(TABLE, &found).unwrap();
    }
    for (found, expected) in found.split("\n--- ").zip(table.split("\n--- ")) {
        assert_eq!(found.trim_end(), expected.trim_end());
    }
    assert!(found == table, "the table has other ends of lines");
}
