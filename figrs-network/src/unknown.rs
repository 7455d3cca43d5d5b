//! Errors for names that a network does not have, with suggestions of similar names.

use figrs_core::printable;
use figrs_derive::ErrorDebug;
use figrs_reading::{Mistake, MistakeKind};
use thiserror::Error;

/// Error for a name that is not in the network.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum Unknown {
    /// No variable has this name.
    #[error("no variable is called `{}`; {}", printable(.name), meant(near))]
    Variable {
        /// The unknown name.
        name: String,
        /// Similar names of variables, or all names if there are only a few.
        near: Vec<String>,
    },
    /// The variable has no state with this name.
    #[error("`{}` has no state `{}`; {}", printable(.variable), printable(.name), meant(near))]
    State {
        /// Name of the variable.
        variable: String,
        /// The unknown name of a state.
        name: String,
        /// Similar names of states, or all names if there are only a few.
        near: Vec<String>,
    },
}

impl From<Unknown> for Mistake {
    fn from(unknown: Unknown) -> Self {
        Self::new(MistakeKind::Unknown, unknown.to_string(), "")
    }
}

fn meant(near: &[String]) -> String {
    if near.is_empty() {
        "no name is like it".into()
    } else {
        format!("did you mean `{}`?", printable(&near.join("`, `")))
    }
}

/// Returns the names most similar to an unknown name, or all names if there are only a few.
pub(super) fn near<'n>(asked: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    const FEW: usize = 6;
    const SHOWN: usize = 3;
    let mut ranked: Vec<(usize, &str)> = names.map(|name| (distance(asked, name), name)).collect();
    // The sort is stable, so that equally similar names keep the order of the file.
    ranked.sort_by_key(|&(distance, _)| distance);
    if ranked.len() > FEW {
        let most = (asked.chars().count() / 2).max(2);
        ranked.retain(|&(distance, _)| distance <= most);
        ranked.truncate(SHOWN);
    }
    ranked.into_iter().map(|(_, name)| name.into()).collect()
}

/// Returns the edit distance between two names: the number of letters to change, insert or delete. Only the first letters are
/// compared, and case is ignored.
pub(super) fn distance(a: &str, b: &str) -> usize {
    const LETTERS: usize = 48;
    let letters = |text: &str| -> Vec<char> {
        let letters = text.chars().flat_map(char::to_lowercase);
        letters.take(LETTERS).collect()
    };
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_changed_letters() {
        assert_eq!(distance("kitten", "Sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "ABC"), 0);
    }

    #[test]
    fn names_are_printed_on_one_line() {
        let unknown = Unknown::State {
            variable: "rain\n".into(),
            name: "\u{1b}[31myes".into(),
            near: vec!["ye\ts".into()],
        };
        let message = "`rain\\n` has no state `\\u{1b}[31myes`; did you mean `ye\\ts`?";
        assert_eq!(unknown.to_string(), message);
    }

    #[test]
    fn near_names_come_first_and_far_ones_not_at_all() {
        let names = ["asia", "tub", "smoke", "lung", "bronc", "either", "xray"];
        assert_eq!(near("smoker", names.into_iter()), ["smoke"]);
        assert_eq!(near("Xray", names.into_iter())[0], "xray");
        assert!(near("temperature", names.into_iter()).is_empty());
        assert_eq!(near("on", ["yes", "no"].into_iter()), ["no", "yes"]);
    }
}
