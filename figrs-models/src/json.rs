//! Mistakes in texts of JSON, in words.

/// The mistake that was found in a text, without its place.
pub(crate) fn mistake(error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "the text ends too early".into();
    }
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].into()
}
