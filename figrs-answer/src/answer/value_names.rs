//! Names of targets and values, for text and files.

use std::borrow::Cow;

use figrs_core::{AnyElement, Datum};

/// Returns the names of `elements`; the name of an unnamed element is its constructor and source line. The returned names differ from each other and
/// from the names in `reserved`.
pub fn distinct_names(elements: &[AnyElement], reserved: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for element in elements {
        let label = element.label();
        let plain = label.name.clone().unwrap_or_else(|| label.to_string());
        let mut name = plain.clone();
        let mut count = 1;
        while names.contains(&name) || reserved.contains(&name.as_str()) {
            count += 1;
            name = format!("{plain} ({count})");
        }
        names.push(name);
    }
    names
}

/// Formats a value as text. In the text of a value, characters and strings are unchanged, and other values are printed by `Debug`.
pub fn text(value: &Datum) -> String {
    if let Some(text) = value.get::<String>() {
        return text.clone();
    }
    if let Some(text) = value.get::<&str>() {
        return (*text).into();
    }
    if let Some(text) = value.get::<Cow<'static, str>>() {
        return text.to_string();
    }
    match value.get::<char>() {
        Some(letter) => letter.to_string(),
        None => format!("{value:?}"),
    }
}
