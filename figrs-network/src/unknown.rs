//! Errors for names that a network does not have, with suggestions of similar names.

use figrs_core::printable;
use figrs_derive::ErrorDebug;
use figrs_reading::{Mistake, MistakeKind};
use thiserror::Error;

/// Error for the name of a variable or a state that is not in the network.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[error("{}; {}", self.problem(), meant(near))]
pub struct Unknown {
    /// The variable that has no state with this name; `None` if no variable has this name.
    pub variable: Option<String>,
    /// The unknown name.
    pub name: String,
    /// Similar names, or all names if there are only a few.
    pub near: Vec<String>,
}

impl Unknown {
    fn problem(&self) -> String {
        let name = printable(&self.name);
        match &self.variable {
            Some(variable) => format!("`{}` has no state `{name}`", printable(variable)),
            None => format!("no variable is called `{name}`"),
        }
    }
}

impl From<Unknown> for Mistake {
    fn from(unknown: Unknown) -> Self {
        let (problem, remedy) = (unknown.problem(), meant(&unknown.near));
        Self::new(MistakeKind::Unknown, problem, remedy)
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

/// Returns the edit distance between two names: the number of letters to change, insert or delete. Only the first letters of names are compared, and
/// case is ignored.
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
        let unknown = Unknown {
            variable: Some("rain\n".into()),
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
