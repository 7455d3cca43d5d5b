//! Identifiers for formats in which all names are identifiers, and the names that the identifiers represent.

use rustc_hash::{FxHashMap, FxHashSet};

use super::lexer::{LexerError, LexerResult};
use super::mistakes;

/// Returns distinct identifiers for distinct names, in the same order; a name that is an identifier is kept.
///
/// An identifier is an ASCII letter, followed by ASCII letters, digits and underscores.
pub(super) fn identifiers(names: &[&str]) -> Vec<String> {
    let own = names.iter().filter(|name| is_identifier(name));
    let mut taken: FxHashSet<String> = own.map(|&name| name.to_owned()).collect();
    // For each stem of an identifier, the largest number that was appended to the stem.
    let mut last: FxHashMap<String, usize> = FxHashMap::default();
    let identifier = |&name: &&str| {
        if is_identifier(name) {
            return name.to_owned();
        }
        let start = nearest(name);
        let number = last.entry(start.clone()).or_insert(0);
        loop {
            *number += 1;
            let identifier = match *number {
                1 => start.clone(),
                number => format!("{start}_{number}"),
            };
            if taken.insert(identifier.clone()) {
                return identifier;
            }
        }
    };
    names.iter().map(identifier).collect()
}

/// Replaces each character of `name` that identifiers must not contain by an underscore, and prepends a letter if `name` does not begin with a
/// letter.
pub(super) fn nearest(name: &str) -> String {
    let letter = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let allowed = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let start = if letter { "" } else { "x" };
    start.chars().chain(name.chars().map(allowed)).collect()
}

fn is_identifier(name: &str) -> bool {
    nearest(name) == name
}

/// A map from each identifier in a file to the name that the identifier represents.
#[derive(Default)]
pub(super) struct FullNames(FxHashMap<String, String>);

impl FullNames {
    /// Adds `identifier`, which stands at the offset `at`, and returns the name that it represents: `identifier` itself, if the file gives no other
    /// name.
    pub(super) fn add(
        &mut self,
        at: usize,
        identifier: &str,
        name: Option<String>,
    ) -> LexerResult<String> {
        let name = name.unwrap_or_else(|| identifier.to_owned());
        if self.0.insert(identifier.into(), name.clone()).is_some() {
            return Err(LexerError::new(at, mistakes::repeated_variable(identifier)));
        }
        Ok(name)
    }

    /// Returns the name that `identifier` represents, with the offset of `identifier` in the text.
    pub(super) fn of<'n>(&'n self, (at, identifier): (usize, &'n str)) -> (usize, &'n str) {
        (
            at,
            self.0.get(identifier).map_or(identifier, String::as_str),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_different_and_their_own() {
        let names = ["a-b", "a_b", "0", "", "a b", "x", "ü", "_y", "a_b_2"];
        let found = identifiers(&names);
        let expected = [
            "a_b_3", "a_b", "x0", "x_2", "a_b_4", "x", "x_", "x_y", "a_b_2",
        ];
        assert_eq!(found, expected);
        let distinct: FxHashSet<&String> = found.iter().collect();
        assert_eq!(distinct.len(), names.len());
    }
}
