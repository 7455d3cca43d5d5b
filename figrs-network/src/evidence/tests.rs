use std::fs;

use figrs_infer::{Run, VariableElimination};

use super::super::problem_of::problem_of;
use super::super::{Network, NetworkError, NetworkEvidence, Observation};
use figrs_reading::MistakeKind;

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
    // The expected values were computed by hand: the sum 0.5 (0.5 2 + 0.25 0 + 0.25 0.5), and the shares of the states
    // in it.
    let element = network.element("wind").unwrap();
    let answer = VariableElimination::new()
        .run(&network.given(&evidence), element)
        .unwrap();
    assert!((answer.log_evidence().unwrap().value - 0.5625_f64.ln()).abs() < 1e-12);
    let still = answer.probability_that(element, |state| state.index() == 0);
    assert!((still.unwrap() - 1.0 / 1.125).abs() < 1e-12);
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
    assert_eq!(kind(error), MistakeKind::Unsupported);
    let error = Network::read(folder.path().join("absent.bif")).unwrap_err();
    assert_eq!(kind(error), MistakeKind::Unreadable);
    let latin = Network::read(write("latin.bif", b"network n {}\n// \xfc\n"));
    let (line, column, mistake) = problem_of(latin);
    assert_eq!((line, column, mistake.kind), (2, 4, MistakeKind::Encoding));
    for name in ["n.bif", "n.UAI"] {
        let path = folder.path().join(name);
        network.write(&path).unwrap();
        let again = Network::read(&path).unwrap();
        assert_eq!(again.tables()[1].numbers(), network.tables()[1].numbers());
    }
    let markov = Network::from_uai("MARKOV 1 2 0").unwrap();
    let error = markov.write(folder.path().join("m.bif")).unwrap_err();
    assert!(matches!(error, NetworkError::NotWritable { .. }));
    let error = network.write(folder.path().join("absent/n.bif"));
    assert_eq!(kind(error.unwrap_err()), MistakeKind::Unwritable);
}

/// Returns the kind of the mistake in the file error `error`.
fn kind(error: NetworkError) -> MistakeKind {
    match error {
        NetworkError::File(error) => error.kind(),
        error => panic!("{error}"),
    }
}
