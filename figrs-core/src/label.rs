//! How an element is called in messages and pictures.

use std::fmt;
use std::panic::Location;

/// The name of an element, if it has one, with what built it and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The name given with `named`.
    pub name: Option<String>,
    /// The constructor: `Flip`, `Chain`, ...
    pub constructor: &'static str,
    /// The source line that called it.
    pub location: &'static Location<'static>,
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
            write!(f, "`{name}` ({} at {})", self.constructor, self.location)
        } else {
            write!(f, "{} at {}", self.constructor, self.location)
        }
    }
}
