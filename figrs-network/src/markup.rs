//! Escapes text for XML.

use super::{NetworkError, NetworkFormat};

/// Escapes `text`, so that no part of the result is markup, and an XML reader returns `text` unchanged.
///
/// **Errors.** [`NetworkError::NotWritable`] if `text` has characters that XML cannot represent.
pub(super) fn escaped(text: &str, format: NetworkFormat) -> Result<String, NetworkError> {
    let mut escaped = String::with_capacity(text.len());
    let inner = text.trim_ascii_start().len()..=text.trim_ascii_end().len();
    let inner = text.len() - inner.start()..*inner.end();
    for (at, c) in text.char_indices() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            // These characters are escaped, because an XML reader would change them to other white space or remove
            // them.
            '\t' | '\n' | '\r' => reference(&mut escaped, c),
            ' ' if !inner.contains(&at) => reference(&mut escaped, c),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => {
                return Err(NetworkError::of_name(text, format));
            }
            _ => escaped.push(c),
        }
    }
    Ok(escaped)
}

fn reference(text: &mut String, c: char) {
    text.push_str("&#");
    text.push_str(&u32::from(c).to_string());
    text.push(';');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_outer_space_are_escaped() {
        let found = escaped(" a <b>\t& \"c\"  ", NetworkFormat::Bifxml).unwrap();
        assert_eq!(found, "&#32;a &lt;b&gt;&#9;&amp; &quot;c&quot;&#32;&#32;");
        assert_eq!(escaped("  ", NetworkFormat::Xdsl).unwrap(), "&#32;&#32;");
        for text in ["\u{1}", "a\u{ffff}"] {
            let error = escaped(text, NetworkFormat::Xdsl).unwrap_err();
            assert!(matches!(error, NetworkError::NotWritable { .. }));
        }
    }
}
