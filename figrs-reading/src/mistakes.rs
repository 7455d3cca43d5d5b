//! Mistakes in texts of JSON and TOML, in words.

/// The mistake that was found in a JSON text, without its position.
pub fn in_json(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "the text ends too early".into();
    }
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].into()
}

/// The mistake that was found in a TOML text, without its position, on one line.
pub fn in_toml(error: &toml::de::Error) -> String {
    error.message().trim_end().replace('\n', "; ")
}

/// The position of a mistake in a TOML text, as `line 3, column 7: `; empty if the error has none.
pub fn place_in_toml(error: &toml::de::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let place = first.strip_prefix("TOML parse error at ");
    place.map_or_else(String::new, |place| format!("{place}: "))
}
