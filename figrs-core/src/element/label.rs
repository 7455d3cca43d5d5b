//! Labels of elements in messages and pictures.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;

/// Name of an element, if it has one, its constructor and its source line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The name given with `named`, with control characters written as escapes.
    pub name: Option<String>,
    /// The constructor: `Flip`, `Chain`, ...
    pub constructor: &'static str,
    /// The source line that called it.
    pub location: &'static Location<'static>,
}

/// A name as it is printed: characters that would break a line, hide others or command a terminal are written as escapes.
pub fn printable(name: &str) -> Cow<'_, str> {
    // Controls, marks that change the direction of what follows, and separators of lines.
    let breaks = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !name.contains(breaks) {
        return Cow::Borrowed(name);
    }
    let mut printable = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        if breaks(c) {
            printable.extend(c.escape_default());
        } else {
            printable.push(c);
        }
    }
    Cow::Owned(printable)
}

impl Label {
    /// The name, or else the constructor: short enough for a picture.
    pub fn short(&self) -> &str {
        self.name.as_deref().unwrap_or(self.constructor)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            let name = printable(name);
            write!(f, "`{name}` ({} at {})", self.constructor, self.location)
        } else {
            write!(f, "{} at {}", self.constructor, self.location)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Flip;
    use crate::model::Model;

    #[test]
    fn names_are_printed_on_one_line() {
        for name in ["", "rain", "Ändern \\n `x`", "雨"] {
            assert!(matches!(printable(name), Cow::Borrowed(same) if same == name));
        }
        assert_eq!(
            printable("a\nb\u{1b}[2J\u{202e}"),
            "a\\nb\\u{1b}[2J\\u{202e}"
        );
        // Printable text stays as it is.
        let once = printable("\r\u{2028}").into_owned();
        assert_eq!(printable(&once), once);
    }

    #[test]
    fn messages_escape_names() {
        let bad = Flip::new(2.0).named("two\nlines\u{1b}[31m");
        let error = crate::expand::Expansion::new(
            &Model::new(),
            &[bad.erased().clone()],
            crate::expand::Budget::default(),
        );
        let message = error.unwrap_err().to_string();
        assert!(
            message.starts_with("`two\\nlines\\u{1b}[31m` (Flip at "),
            "{message}"
        );
    }
}
