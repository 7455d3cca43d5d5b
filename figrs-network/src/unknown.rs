//! Errors for names that a network does not have, with suggestions of similar names.

use figrs_core::internals::did_you_mean;
use figrs_core::printable;
use figrs_derive::ErrorDebug;
use figrs_reading::{Mistake, MistakeKind};
use thiserror::Error;

/// Error for the name of a variable or a state that is not in the network.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[error("{}; {}", self.problem(), did_you_mean(near))]
pub struct Unknown {
    /// The variable that lacks a state named `name`; `None` if no variable is named `name`.
    pub variable: Option<String>,
    /// The name that is not in the network.
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
        let (problem, remedy) = (unknown.problem(), did_you_mean(&unknown.near));
        Self::new(MistakeKind::Unknown, problem, remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
