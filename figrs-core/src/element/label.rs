//! Labels that identify elements in messages and pictures.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::Arc;

use figrs_factor::wording;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of an element (if it has one), its constructor and its source line.
///
/// Labels of elements can be serialised. A label that is read from a file is equal to the label that was written, even if another process wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Label {
    /// The name that [`Element::named`](crate::Element::named) gave to the element; control characters are written as escapes.
    pub name: Option<String>,
    call: ConstructorCall,
}

/// A constructor of an element, and the source line that called it.
#[derive(Clone)]
enum ConstructorCall {
    Here(&'static str, &'static Location<'static>),
    /// A constructor call in another process, read from a serialised label.
    Read(Arc<ReadCall>),
}

#[derive(Clone, Serialize, Deserialize)]
struct ReadCall {
    constructor: String,
    file: String,
    line: u32,
    column: u32,
}

impl ConstructorCall {
    fn constructor(&self) -> &str {
        match self {
            Self::Here(constructor, _) => constructor,
            Self::Read(call) => &call.constructor,
        }
    }

    fn place(&self) -> (&str, u32, u32) {
        match self {
            Self::Here(_, location) => (location.file(), location.line(), location.column()),
            Self::Read(call) => (&call.file, call.line, call.column),
        }
    }
}

impl PartialEq for ConstructorCall {
    fn eq(&self, other: &Self) -> bool {
        self.constructor() == other.constructor() && self.place() == other.place()
    }
}

impl Eq for ConstructorCall {}

impl Hash for ConstructorCall {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.constructor(), self.place()).hash(state);
    }
}

impl fmt::Display for ConstructorCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line, column) = self.place();
        f.write_str(self.constructor())?;
        if wording::addresses_users() {
            return Ok(());
        }
        write!(f, " at {file}:{line}:{column}")
    }
}

impl fmt::Debug for ConstructorCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for ConstructorCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (file, line, column) = self.place();
        let call = ReadCall {
            constructor: self.constructor().to_owned(),
            file: file.to_owned(),
            line,
            column,
        };
        call.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ConstructorCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ReadCall::deserialize(deserializer).map(|call| Self::Read(Arc::new(call)))
    }
}

/// Returns a printable form of `name`: characters that would break a line, hide other characters or control a terminal are written as escapes.
pub fn printable(name: &str) -> Cow<'_, str> {
    // The escaped characters are control characters, marks that change the direction of the following text, and line separators.
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
    pub(crate) fn new(
        name: Option<String>,
        constructor: &'static str,
        location: &'static Location<'static>,
    ) -> Self {
        Self {
            name,
            call: ConstructorCall::Here(constructor, location),
        }
    }

    /// Returns the name of the constructor of the element: `Flip`, `Chain`, ...
    pub fn constructor(&self) -> &str {
        self.call.constructor()
    }

    /// Returns the file, line and column of the source code that called the constructor.
    pub fn location(&self) -> (&str, u32, u32) {
        self.call.place()
    }

    /// True if both elements were built by the same constructor call in the source code.
    pub(crate) fn is_same_call(&self, other: &Self) -> bool {
        self.call == other.call
    }

    /// Returns the label without the name of the element.
    #[must_use]
    pub fn without_name(self) -> Self {
        Self { name: None, ..self }
    }

    /// Returns the name of the element, or its constructor if it has no name, as a short text for a diagram.
    pub fn short(&self) -> &str {
        self.name.as_deref().unwrap_or(self.constructor())
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) if wording::addresses_users() => write!(f, "`{}`", printable(name)),
            Some(name) => write!(f, "`{}` ({})", printable(name), self.call),
            None => write!(f, "{}", self.call),
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
        // A printable text stays the same.
        let once = printable("\r\u{2028}").into_owned();
        assert_eq!(printable(&once), once);
    }

    #[test]
    fn labels_are_the_same_when_they_were_read() {
        let (plain, named) = (Flip::new(0.5), Flip::new(0.5).named("rain"));
        let labels = [plain.label(), named.label()];
        let bytes = postcard::to_allocvec(&labels).unwrap();
        let read: [Label; 2] = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(read, labels);
        assert_eq!(format!("{read:?}"), format!("{labels:?}"));
        assert_eq!(read[1].to_string(), labels[1].to_string());
        assert!(!read[0].is_same_call(&labels[1]));
        assert_eq!(read[1].clone().without_name().name, None);
    }

    #[test]
    fn messages_escape_names() {
        let bad = Flip::new(2.0).named("two\nlines\u{1b}[31m");
        let error = crate::expand::Expansion::new(
            &Model::new(),
            &[bad.erased().clone()],
            &crate::Limits::default(),
        );
        let message = error.unwrap_err().to_string();
        assert!(
            message.starts_with("`two\\nlines\\u{1b}[31m` (Flip at "),
            "{message}"
        );
    }
}
