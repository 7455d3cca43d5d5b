//! Lists the kinds of demands in design files, with their keys.

use super::design_error::DesignError;
use super::keys::Entry;

/// Name of each kind, with the further keys that it takes.
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

/// Returns the kind of a demand, after checking that the kind takes all other keys.
pub(super) fn kind_of(entry: &Entry) -> Result<&'static str, DesignError> {
    let place = || entry.place().to_owned();
    let mut kinds = KINDS.iter().filter(|(kind, _)| entry.has(kind));
    let Some(&(kind, takes)) = kinds.next() else {
        let keys: Vec<&str> = entry.keys().keys().map(String::as_str).collect();
        let names = KINDS.iter().map(|&(kind, _)| kind);
        return Err(DesignError::NoKind {
            place: place(),
            keys: if keys.is_empty() {
                "no keys".to_owned()
            } else {
                keys.join(", ")
            },
            kinds: names.collect::<Vec<_>>().join(", "),
        });
    };
    if let Some(&(other, _)) = kinds.next() {
        return Err(DesignError::TwoKinds {
            place: place(),
            one: kind,
            other,
        });
    }
    entry.check_keys(kind, takes)?;
    Ok(kind)
}
