//! Tests that sentences of doc comments state what a thing is, in words by which readers search for it.

use std::fs;
use std::path::PathBuf;

use figrs_tests::pages::{files, root};

const SOURCES: [&str; 24] = [
    "src",
    "figrs-core",
    "figrs-derive",
    "figrs-design",
    "figrs-factor",
    "figrs-gdl",
    "figrs-answer",
    "figrs-exact",
    "figrs-infer",
    "figrs-lower",
    "figrs-learn",
    "figrs-models",
    "figrs-network",
    "figrs-reading",
    "figrs-report",
    "figrs-gaussian",
    "figrs-reals",
    "figrs-search",
    "figrs-spread",
    "examples",
    "tests",
    "benches",
    "fuzz",
    "docs",
];

/// Returns the text of a line of a doc comment.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line
        .strip_prefix("/// ")
        .or_else(|| line.strip_prefix("//! "));
    text.map(str::trim_start)
}

/// True if a line asks instead of stating: "Whether a word is known" for "True if a word is known".
fn is_riddle(text: &str) -> bool {
    let openings = [
        "What", "How", "Where", "Which", "Why", "Whether", "Who", "When",
    ];
    let first = text.split(' ').next().unwrap_or_default();
    text.contains(' ') && openings.contains(&first)
}

#[test]
fn doc_comments_state_what_things_are() {
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let mut lines = 0;
    let mut riddles = Vec::new();
    for path in SOURCES.into_iter().flat_map(files).filter(is_rust) {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        for (number, text) in (1..)
            .zip(text.lines())
            .filter_map(|(n, line)| Some((n, doc(line)?)))
        {
            lines += 1;
            if is_riddle(text) {
                riddles.push(format!("{}:{number}: {text}", path.display()));
            }
        }
    }
    assert!(lines > 5000, "only {lines} lines were found");
    // One in a thousand lines may begin with such a word by chance, because a sentence continues there.
    assert!(riddles.len() * 1000 <= lines, "{}", riddles.join("\n"));
}

#[test]
fn riddles_are_told_from_statements() {
    assert!(is_riddle("Whether a word is known."));
    assert!(is_riddle("What a thing is."));
    assert!(!is_riddle("True if a word is known."));
    assert_eq!(doc("    /// The length."), Some("The length."));
    assert_eq!(doc("    // The length."), None);
}
