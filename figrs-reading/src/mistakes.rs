//! Errors in JSON and TOML texts.

use crate::{Mistake, MistakeKind};

/// Returns the error in a JSON text, with its line and column. The argument `what` is the beginning of the message, such as "not a legend".
pub fn json(what: &str, error: &serde_json::Error, remedy: &str) -> Mistake {
    let (line, column) = (error.line(), error.column());
    let problem = format!("{what}: line {line}, column {column}: {}", in_json(error));
    Mistake::new(MistakeKind::Syntax, problem, remedy)
}

/// Returns the error in a TOML text, with its line and column if they are known. The argument `what` is the beginning of the message, such as "not a
/// legend".
pub fn toml(what: &str, error: &toml::de::Error, remedy: &str) -> Mistake {
    let problem = format!("{what}: {}{}", place_in_toml(error), in_toml(error));
    Mistake::new(MistakeKind::Syntax, problem, remedy)
}

/// Describes the error in a JSON text, without its line and column.
pub fn in_json(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "the text ends too early".into();
    }
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].into()
}

/// Describes the error in a TOML text, in one line and without its position in the text.
pub fn in_toml(error: &toml::de::Error) -> String {
    error.message().trim_end().replace('\n', "; ")
}

/// Returns the position of the error in a TOML text, in the form `line 3, column 7: `; empty if the position is unknown.
pub fn place_in_toml(error: &toml::de::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let place = first.strip_prefix("TOML parse error at ");
    place.map_or_else(String::new, |place| format!("{place}: "))
}
