//! Descriptions of mistakes in JSON and TOML texts.

/// A description of the mistake in a JSON text, without its position.
pub fn in_json(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "the text ends too early".into();
    }
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].into()
}

/// A description of the mistake in a TOML text, in one line and without its position.
pub fn in_toml(error: &toml::de::Error) -> String {
    error.message().trim_end().replace('\n', "; ")
}

/// The position of the mistake in a TOML text, in the form `line 3, column 7: `; empty if the position is unknown.
pub fn place_in_toml(error: &toml::de::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    let place = first.strip_prefix("TOML parse error at ");
    place.map_or_else(String::new, |place| format!("{place}: "))
}
