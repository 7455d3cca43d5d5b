use std::fs;

use super::super::{Network, NetworkError, Observation, TextProblem};

fn network() -> Network {
    Network::from_bif(
        "network n { }
        variable rain { type discrete [ 2 ] { yes, no }; }
        variable wind { type discrete [ 3 ] { 0, 1.5, true }; }
        probability ( rain ) { table 0.5, 0.5; }
        probability ( wind ) { table 0.5, 0.25, 0.25; }",
    )
    .unwrap()
}

fn indices(observations: &[Observation]) -> Vec<(usize, usize)> {
    observations
        .iter()
        .map(|o| (o.variable(), o.state().index()))
        .collect()
}

#[test]
fn both_forms_of_uai_evidence() {
    let network = network();
    let cases = [
        ("0", vec![]),
        (" 2  1 2  0 1 \n", vec![(1, 2), (0, 1)]),
        ("1\n2 1 2 0 1", vec![(1, 2), (0, 1)]),
        ("1\n0\n", vec![]),
        ("1 1 0", vec![(1, 0)]),
        ("1\n1 1 0", vec![(1, 0)]),
        ("2 1 0 1 0", vec![(1, 0), (1, 0)]),
    ];
    for (text, expected) in cases {
        let found = network.evidence_from_uai(text).unwrap();
        assert_eq!(indices(&found), expected, "{text:?}");
    }
}

#[test]
fn json_names_states_by_strings_numbers_and_booleans() {
    let network = network();
    let read = |text| indices(&network.evidence_from_json(text).unwrap());
    assert_eq!(read("{}"), []);
    assert_eq!(read(r#"{"rain": "no", "wind": 0}"#), [(0, 1), (1, 0)]);
    assert_eq!(read(r#"{"wind": 1.5}"#), [(1, 1)]);
    assert_eq!(read(r#"{"wind": true}"#), [(1, 2)]);
    let uai = Network::from_uai("MARKOV 1 2 0").unwrap();
    for text in [r#"{"0": 1}"#, r#"{"0": "1"}"#] {
        assert_eq!(indices(&uai.evidence_from_json(text).unwrap()), [(0, 1)]);
    }
}

#[test]
fn mistakes_in_json_have_words_and_their_place() {
    let network = network();
    for (text, at, words) in [
        ("{", (1, 1), "the text ends too early"),
        ("[1]", (1, 0), "expected {VARIABLE: STATE, ...}"),
        ("{\"rain\" 1}", (1, 9), "expected `:`"),
        (
            "{\"rain\": \"no\",\n \"rain\": \"yes\"}",
            (2, 15),
            "`rain` is observed a second time, with another state",
        ),
        (
            "{\"wind\": 0,\n \"rian\": \"no\"}",
            (2, 14),
            "no variable is called `rian`; did you mean `rain`",
        ),
        ("{\"rain\": \"on\"}", (1, 14), "`rain` has no state `on`"),
        ("{\"rain\": \"no\"} {}", (1, 16), "not an object"),
    ] {
        let error = network.evidence_from_json(text).unwrap_err();
        let NetworkError::Text {
            line,
            column,
            problem,
            ..
        } = error
        else {
            panic!("{error}");
        };
        assert!(problem.to_string().contains(words), "{text:?}: {problem}");
        assert_eq!((line, column), at, "{text:?}");
    }
    let twice = r#"{"rain": "no", "rain": "no"}"#;
    assert!(network.evidence_from_json(twice).is_ok());
}

#[test]
fn mistakes_have_their_place() {
    let network = network();
    let cases = [
        ("", 1, 1, "the number of observed variables"),
        ("1", 1, 2, "expected a variable and a state"),
        (
            "2\n1 0 0\n1 0 1",
            3,
            3,
            "after the last observation, found `0 1`",
        ),
        ("3\n1 0 0\n1 0 1\n1 1 1", 1, 1, "3 sets of evidence"),
        ("1 2 0", 1, 3, "there is no variable 2"),
        ("1 0 2", 1, 5, "there is no state 2"),
        ("1 0 x", 1, 5, "found `x`"),
        ("2 0 1 0 0", 1, 9, "`rain` is observed a second time"),
        (
            "1 0 1 1 0",
            1,
            7,
            "the end of the file after the last observation",
        ),
    ];
    for (text, line, column, words) in cases {
        let error = network.evidence_from_uai(text).unwrap_err();
        let NetworkError::Text {
            line: l,
            column: c,
            problem,
            ..
        } = error
        else {
            panic!("{error}");
        };
        assert!(problem.to_string().contains(words), "{text:?}: {problem}");
        assert_eq!((l, c), (line, column), "{text:?}: {problem}");
    }
    let error = network
        .evidence_from_json("{\"rain\": \"no\",\n \"wind\": }")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "JSON:2:10: not an object of variables and states in JSON: expected value"
    );
    let message = |text| network.evidence_from_json(text).unwrap_err().to_string();
    assert!(message("[1]").contains("not an object"));
    assert!(message(r#"{"rian": "no"}"#).contains("did you mean `rain`"));
    assert!(message(r#"{"rain": "nope"}"#).contains("did you mean `no`"));
}

#[test]
fn files_tell_their_format_by_their_extension() {
    let folder = tempfile::tempdir().unwrap();
    let network = network();
    let write = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let path = write("e.uai.evid", b"1 0 0");
    assert_eq!(indices(&network.read_evidence(path).unwrap()), [(0, 0)]);
    let path = write("e.json", b"{\"wind\": 0}");
    assert_eq!(indices(&network.read_evidence(path).unwrap()), [(1, 0)]);
    let error = network
        .read_evidence(folder.path().join("e.txt"))
        .unwrap_err();
    assert!(matches!(error, NetworkError::Extension { .. }));
    let error = Network::read(folder.path().join("absent.bif")).unwrap_err();
    assert!(matches!(error, NetworkError::Read { .. }));
    let error = Network::read(write("latin.bif", b"network n {}\n// \xfc\n")).unwrap_err();
    let NetworkError::Text {
        line: 2,
        column: 4,
        problem,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(*problem, TextProblem::NotUtf8);
    for name in ["n.bif", "n.UAI"] {
        let path = folder.path().join(name);
        network.write(&path).unwrap();
        let again = Network::read(&path).unwrap();
        assert_eq!(again.tables()[1].numbers(), network.tables()[1].numbers());
    }
    let markov = Network::from_uai("MARKOV 1 2 0").unwrap();
    let error = markov.write(folder.path().join("m.bif")).unwrap_err();
    assert!(matches!(error, NetworkError::NotBayesian { .. }));
}
