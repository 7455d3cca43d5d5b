//! Tests of files and flags that contain terminal escapes: no command prints such an escape, in text, in JSON or in errors.

use std::fs;

use figrs_tests::example::run;

/// A text with escapes for colours and for the direction of text, of one and of two bytes.
const ESCAPE: &str = "k\u{1b}[31m\u{9b}2J\u{202e}\u{7f}";

/// Fails if a command prints a control character that a terminal interprets.
fn is_plain(name: &str, arguments: &[&str]) {
    let done = run(name, arguments);
    for stream in [&done.stdout, &done.stderr] {
        let text = String::from_utf8(stream.clone()).unwrap();
        let is_wrong = |c: &char| {
            (c.is_control() && !"\n\t".contains(*c)) || ('\u{202a}'..='\u{202e}').contains(c)
        };
        let wrong = text.chars().find(is_wrong);
        assert_eq!(wrong, None, "{name} {arguments:?}: {text:?}");
    }
    let message = [done.stdout, done.stderr].concat();
    assert!(!message.is_empty(), "{name} {arguments:?} prints nothing");
}

#[test]
fn no_text_of_a_file_or_a_flag_commands_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let action = ESCAPE.replace(' ', "");
    let rules = file(
        "rules.kif",
        &format!(
            "(role p) (init (n 0)) (legal p {action}) (<= (next (n 1)) (does p {action})) (<= terminal (true (n 1))) (<= (goal p 100) (true (n 1)))"
        ),
    );
    let movement = file(
        "movement.toml",
        "name = \"k\\u001b[31m\\u009b2J\\u202e\"\nlike = \"platformer\"\n",
    );
    let demands = file(
        "demands.toml",
        "[[demand]]\ncount = \"k\\u001b[31m\\u009b2J\"\nnumber = \"1\"\n",
    );
    let table = file("cases.csv", &format!("a,{ESCAPE}\nx,{ESCAPE}\ny,n\n"));
    let network = file(
        "network.bif",
        &format!(
            "network n {{}} variable \"{ESCAPE}\" {{ type discrete [ 2 ] {{ \"x{ESCAPE}\", \"y\" }}; }} probability ( \"{ESCAPE}\" ) {{ table 0.25, 0.75; }}"
        ),
    );
    let missing = folder.path().join(ESCAPE).to_string_lossy().into_owned();
    let named = file(&format!("{ESCAPE}.bif"), "network n {");
    for arguments in [
        &["--rules", &rules][..],
        &["--rules", &rules, "--format", "json"],
        &["--rules", &missing],
    ] {
        is_plain("puzzle", arguments);
    }
    for arguments in [
        &[
            "--width",
            "12",
            "--seed",
            "1",
            "--playable",
            "--movement",
            &movement,
        ][..],
        &[
            "--width",
            "12",
            "--seed",
            "1",
            "--show-path",
            "--format",
            "json",
            "--movement",
            &movement,
        ],
        &["--width", "12", "--demands", &demands],
        &["--width", "12", "--movement", &missing],
        &["--width", "12", "--corpus", &missing],
        &["--width", ESCAPE],
    ] {
        is_plain("mario_mdmc", arguments);
    }
    for arguments in [
        &["--file", &network][..],
        &["--file", &network, "--format", "json"],
        &["--file", &network, "--task", "mpe"],
        &["--file", &network, "--observe", ESCAPE],
        &["--file", &named],
        &["--file", &missing],
        &["--task", "learn", "--data", &table],
        &["--task", "learn", "--data", &table, "--format", "json"],
        &["--task", ESCAPE],
    ] {
        is_plain("network", arguments);
    }
    for arguments in [
        &["--clues", &missing][..],
        &["--out", &missing, "--format", ESCAPE],
    ] {
        is_plain("maze", arguments);
    }
    is_plain("studio", &["--folder", &missing]);
    is_plain("compare", &["--file", &network]);
}
