//! Networks and evidence for the tests, and functions that run the network example on them.

use std::process::Output;

use figrs_tests::example::{self, text};
use serde_json::Value as Json;
use tempfile::TempDir;

/// Rain makes the grass wet; the cat's mood is independent of it.
const GARDEN: &str = "
network garden { }
variable grass { type discrete [ 2 ] { wet, dry }; }
variable rain { type discrete [ 2 ] { yes, no }; }
variable cat=mood { type discrete [ 3 ] { sits, runs, flies }; }
probability ( rain ) { table 0.2, 0.8; }
probability ( grass | rain ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }
probability ( cat=mood ) { table 0.75, 0.25, 0; }
";

/// A Markov network of one factor over two variables, with the weights 1, 2, 3 and 4.
const MARKOV: &str = "MARKOV\n2\n2 2\n1\n2 0 1\n4\n1 2 3 4\n";

/// A network in XML.
pub(crate) const DOCUMENT: &str = "<BIF VERSION=\"0.3\"><NETWORK><NAME>coin</NAME>
<VARIABLE TYPE=\"nature\"><NAME>side</NAME><OUTCOME>heads up</OUTCOME><OUTCOME>tails up</OUTCOME></VARIABLE>
<DEFINITION><FOR>side</FOR><TABLE>0.625 0.375</TABLE></DEFINITION></NETWORK></BIF>";

/// An influence diagram.
const CHOICE: &str = "<smile><nodes><decision id=\"choice\"><state id=\"go\"/><state id=\"stay\"/></decision></nodes></smile>";

/// A directory with the networks and their evidence.
pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new() -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        for (name, text) in [
            ("garden.bif", GARDEN),
            ("pair.uai", MARKOV),
            ("wet.json", r#"{"grass": "wet"}"#),
            ("dry.json", r#"{"grass": "dry"}"#),
            ("unknown.json", r#"{"gras": "wet"}"#),
            ("pair.evid", "1 1 0"),
            ("network.txt", GARDEN),
            ("document.bif", DOCUMENT),
            ("choice.xdsl", CHOICE),
            ("ragged.bif", "network n { }\nvariable a { type }"),
            ("rounded.uai", "BAYES\n1\n3\n1\n1 0\n3\n0.333 0.333 0.333\n"),
        ] {
            std::fs::write(files.path(name), text).unwrap();
        }
        files
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Runs the example; arguments with an extension are names of files in the directory.
    pub(crate) fn run(&self, arguments: &str) -> Output {
        self.run_with_input(arguments, "")
    }

    /// As [`run`](Self::run), with a text on standard input.
    pub(crate) fn run_with_input(&self, arguments: &str, input: &str) -> Output {
        let arguments = arguments.split_whitespace().map(|argument| {
            let is_file = [
                ".bif", ".bifxml", ".cnf", ".net", ".uai", ".xdsl", ".xml", ".json", ".evid",
                ".txt", ".csv",
            ]
            .iter()
            .any(|extension| argument.ends_with(extension));
            if is_file {
                self.path(argument)
            } else {
                argument.into()
            }
        });
        let arguments: Vec<String> = arguments.collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        example::run_with_input("network", &arguments, input)
    }

    /// Returns the output of the example if it succeeds.
    pub(crate) fn text(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let message = text(&output.stderr);
        assert!(output.status.success(), "{arguments}: {message}");
        text(&output.stdout)
    }

    /// Runs the example, which must fail with exit code 2, a one-line reason that contains these words, and no standard output.
    pub(crate) fn refuses(&self, arguments: &str, words: &str) {
        self.refuses_input(arguments, "", words);
    }

    /// As [`refuses`](Self::refuses), with a text on standard input.
    pub(crate) fn refuses_input(&self, arguments: &str, input: &str, words: &str) {
        let output = self.run_with_input(arguments, input);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(
            message.starts_with("error: ") && message.contains(words),
            "{arguments}: {message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(output.stdout.is_empty());
    }

    pub(crate) fn json(&self, arguments: &str) -> Json {
        let text = self.text(&format!("{arguments} --format json"));
        serde_json::from_str(&text).unwrap()
    }
}

pub(crate) fn keys(object: &Json) -> Vec<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[track_caller]
pub(crate) fn assert_near(found: &Json, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
}
