//! Errors in the TOML and JSON texts of design files, with their positions.

use figrs_reading::mistakes::{in_json, in_toml};
use figrs_reading::{FileError, LineIndex, Mistake, MistakeKind};

/// Returns the error for a text, named `place`, that is not TOML or has a wrong structure; in the message, `subject` precedes the parser's message.
pub(crate) fn toml_error(
    place: &str,
    (text, error): (&str, &toml::de::Error),
    subject: &str,
    remedy: &str,
) -> FileError {
    let mistake = syntax(subject, &in_toml(error), remedy);
    match error.span() {
        Some(span) => mistake.at(place, LineIndex::new(text).at(span.start)),
        None => mistake.of(place),
    }
}

/// Returns the error for a text, named `place`, that is not JSON or has a wrong structure; in the message, `subject` precedes the parser's message.
pub(crate) fn json_error(
    place: &str,
    (text, error): (&str, &serde_json::Error),
    subject: &str,
    remedy: &str,
) -> FileError {
    let mistake = syntax(subject, &in_json(error), remedy);
    // The column of the parser counts bytes instead of characters.
    let line = text.lines().nth(error.line().saturating_sub(1));
    let passed = line.unwrap_or_default().as_bytes();
    let passed = &passed[..error.column().min(passed.len())];
    let column = String::from_utf8_lossy(passed).chars().count();
    mistake.at(place, (error.line().max(1), column.max(1)))
}

fn syntax(subject: &str, description: &str, remedy: &str) -> Mistake {
    Mistake::new(
        MistakeKind::Syntax,
        format!("{subject}: {description}"),
        remedy,
    )
}
