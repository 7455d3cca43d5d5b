//! Lists the kinds of demands in design files, with their keys.

use figrs_reading::{FileError, MistakeKind};

use super::keys::Entry;

/// Names of the kinds of demands in design files, each with the other keys that this kind may have.
const KINDS: [(&str, &[&str]); 21] = [
    ("forbid", &["rows", "columns", "prefer"]),
    ("require", &["times", "rows", "columns", "prefer"]),
    (
        "count",
        &[
            "number", "share", "in_each", "sections", "rising", "rows", "columns", "prefer",
        ],
    ),
    (
        "each",
        &[
            "has", "right", "left", "above", "below", "anywhere", "rows", "columns", "prefer",
        ],
    ),
    ("between", &["distance", "rows", "columns", "prefer"]),
    ("mirror", &["by", "rows", "columns", "prefer"]),
    ("repeat", &["by", "rows", "columns", "prefer"]),
    ("pin", &["at", "prefer"]),
    ("place", &["at"]),
    ("start", &["prefer"]),
    ("end", &["prefer"]),
    ("path", &["through", "prefer"]),
    ("like", &["cost", "at"]),
    ("lines_like", &["rows", "columns", "prefer"]),
    ("max_gap", &["prefer"]),
    ("any", &["prefer"]),
    ("not", &["prefer"]),
    ("if", &["then", "prefer"]),
    ("playable", &[]),
    ("pass", &[]),
    ("seen", &[]),
];

/// Returns the kind of a demand in a file, or an error if a key of the demand does not belong to this kind.
pub(super) fn kind_of(entry: &Entry) -> Result<&'static str, FileError> {
    let mut kinds = KINDS.iter().filter(|(kind, _)| entry.has(kind));
    let Some(&(kind, takes)) = kinds.next() else {
        let keys: Vec<&str> = entry.keys().keys().map(String::as_str).collect();
        let names = KINDS.iter().map(|&(kind, _)| kind);
        let problem = match &keys[..] {
            [] => "the demand has no keys".to_owned(),
            [key] => format!("{key} is not a kind of demand"),
            keys => format!("none of the keys {} is a kind of demand", keys.join(", ")),
        };
        let remedy = format!("write one of {}", names.collect::<Vec<_>>().join(", "));
        return Err(entry.mistake(MistakeKind::Missing, problem, remedy));
    };
    if let Some(&(other, _)) = kinds.next() {
        return Err(entry.two_kinds(kind, other));
    }
    entry.check_keys(kind, takes)?;
    Ok(kind)
}
