use std::fs;

use figrs_infer::{Run, VariableElimination};

use super::super::{Network, NetworkError, NetworkEvidence, Observation, TextProblem};

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

fn observed(evidence: &NetworkEvidence) -> Vec<(usize, usize)> {
    assert!(evidence.likelihoods().is_empty());
    indices(evidence.observations())
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
    let read = |text| observed(&network.evidence_from_json(text).unwrap());
    assert_eq!(read("{}"), []);
    assert_eq!(read(r#"{"rain": "no", "wind": 0}"#), [(0, 1), (1, 0)]);
    assert_eq!(read(r#"{"wind": 1.5}"#), [(1, 1)]);
    assert_eq!(read(r#"{"wind": true}"#), [(1, 2)]);
    let uai = Network::from_uai("MARKOV 1 2 0").unwrap();
    for text in [r#"{"0": 1}"#, r#"{"0": "1"}"#] {
        assert_eq!(observed(&uai.evidence_from_json(text).unwrap()), [(0, 1)]);
    }
}

#[test]
fn objects_in_json_weigh_states() {
    let network = network();
    let text = r#"{"wind": {"true": 0.5, "0": 2, "1.5": 0}, "rain": "no", "wind": {"0": 2, "true": 0.5, "1.5": 0}}"#;
    let evidence = network.evidence_from_json(text).unwrap();
    assert_eq!(indices(evidence.observations()), [(0, 1)]);
    let [wind] = evidence.likelihoods() else {
        panic!("{evidence:?}");
    };
    assert_eq!((wind.variable(), wind.weights()), (1, &[2.0, 0.0, 0.5][..]));
    // By hand: 0.5 (0.5 2 + 0.25 0 + 0.25 0.5), and the weights of the states in the posterior.
    let element = network.element("wind").unwrap();
    let answer = VariableElimination::new()
        .run(&network.given(&evidence), element)
        .unwrap();
    assert!((answer.log_evidence().unwrap().value - 0.5625_f64.ln()).abs() < 1e-12);
    let still = answer.probability_that(element, |state| state.index() == 0);
    assert!((still.unwrap() - 1.0 / 1.125).abs() < 1e-12);
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
        (
            "{\"rain\": {\"yes\": 1, \"on\": 1}}",
            (1, 29),
            "`rain` has no state `on`",
        ),
        (
            "{\"rian\": {\"yes\": 1}}",
            (1, 20),
            "no variable is called `rian`; did you mean `rain`",
        ),
        (
            "{\"rain\": {\"yes\": 1, \"no\": -0.5}}",
            (1, 32),
            "`rain` has -0.5 for the state `no`; give each state a weight",
        ),
        (
            "{\"rain\": {\"yes\": 1, \"no\": \"much\"}}",
            (1, 34),
            "`rain` has \"much\" for the state `no`",
        ),
        (
            "{\"wind\": {\"true\": 1, \"0\": 1}}",
            (1, 29),
            "`wind` has no weight for the state `1.5`; give each state one, 0 where it is excluded",
        ),
        (
            "{\"rain\": {\"yes\": 0, \"no\": -0.0}}",
            (1, 32),
            "all states of `rain` have the weight 0",
        ),
        ("{\"rain\": {}}", (1, 12), "no weight for the state `yes`"),
        (
            "{\"rain\": \"no\",\n \"rain\": {\"yes\": 0, \"no\": 1}}",
            (2, 29),
            "with another state or other weights; keep one of them",
        ),
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
        "JSON:2:10: not an object of variables and states, or of variables and objects of states and weights, in JSON: expected value"
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
    assert_eq!(observed(&network.read_evidence(path).unwrap()), [(0, 0)]);
    let path = write("e.json", b"{\"wind\": 0}");
    assert_eq!(observed(&network.read_evidence(path).unwrap()), [(1, 0)]);
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
