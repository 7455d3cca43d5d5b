//! Errors of structure learning.

use figrs_core::printable;
use figrs_derive::ErrorDebug;
use figrs_factor::eliminate::EliminationError;
use thiserror::Error;

use super::super::Unknown;

/// Reason why a structure cannot be scored or learned.
#[derive(Clone, PartialEq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum StructureLearningError {
    /// The network is a Markov network, or the data lacks states that the score needs, or the data belongs to another network.
    #[error("{}{problem}; {remedy}", of_line(*.line))]
    Unfit {
        /// The line of the data that has the problem, counted from 1; `None` if the problem is not in one line.
        line: Option<usize>,
        /// The variable whose state is missing, in one line or in the whole data.
        variable: Option<String>,
        /// Statement of the problem.
        problem: String,
        /// The remedy of the problem, worded as a request.
        remedy: &'static str,
    },
    /// The value of a learner's setting is outside its valid range.
    #[error("`{setting}` cannot be {value:?}; {remedy}")]
    Setting {
        /// Name of the invalid setting: `prior` or `equivalent_sample_size`.
        setting: &'static str,
        /// The invalid value of the setting.
        value: f64,
        /// The range of valid values, worded as a request.
        remedy: &'static str,
    },
    /// A required or forbidden arc, or the order of variables, names a variable that the network does not have.
    #[error(transparent)]
    Unknown(#[from] Unknown),
    /// The required arcs, the forbidden arcs, the order of variables and the maximum number of parents contradict each other.
    #[error("{problem}; {remedy} ({})", names(settings))]
    Rules {
        /// Names of the learner's settings that contradict each other.
        settings: &'static [&'static str],
        /// Statement of the contradiction between settings, which names the variables.
        problem: String,
        /// The remedy of the contradiction, worded as a request.
        remedy: &'static str,
    },
    /// The network, a learned structure or its expected counts exceed a limit on size.
    #[error("{}{problem}; {remedy}{}", of_line(*.line), in_brackets(settings))]
    TooLarge {
        /// The line of the data that has the problem, counted from 1; `None` if the problem is not in one line.
        line: Option<usize>,
        /// Statement of the size that is too large, and of its limit.
        problem: String,
        /// The remedy of the problem, worded as a request.
        remedy: &'static str,
        /// Names of the learner's settings that the remedy mentions; empty if the remedy concerns the data.
        settings: &'static [&'static str],
        /// The error of the variable elimination, if the problem is an elimination that would be too large.
        source: Option<EliminationError>,
    },
}

impl StructureLearningError {
    pub(super) fn not_bayesian() -> Self {
        let problem = "a Markov network has no structure of parents and children";
        Self::unfit(problem, "give a Bayesian network")
    }

    pub(super) fn other_data() -> Self {
        let problem = "the data has other variables or states than the network";
        Self::unfit(problem, "read it with this network")
    }

    fn unfit(problem: &str, remedy: &'static str) -> Self {
        Self::Unfit {
            line: None,
            variable: None,
            problem: problem.into(),
            remedy,
        }
    }

    pub(super) fn missing_column(variable: &str) -> Self {
        Self::Unfit {
            line: None,
            variable: Some(variable.into()),
            problem: format!(
                "the data has no state of `{}`, so that its arcs cannot be scored",
                printable(variable)
            ),
            remedy: "add the column, or leave the variable out of the network",
        }
    }

    pub(super) fn missing_cell(line: usize, variable: &str) -> Self {
        Self::Unfit {
            line: Some(line),
            variable: Some(variable.into()),
            problem: format!(
                "no state of `{}` (its cell is empty, or a mark of missing values such as `NA`, `nan` or `None`), and a structure is scored \
                 on complete data only",
                printable(variable)
            ),
            remedy: "fill the cell, leave the line out, rename a state that has such a name, or learn a network from the data, which may have \
            missing cells",
        }
    }

    pub(super) fn rules(
        settings: &'static [&'static str],
        problem: &str,
        remedy: &'static str,
    ) -> Self {
        Self::Rules {
            settings,
            problem: printable(problem).into_owned(),
            remedy,
        }
    }

    pub(super) fn too_large(
        problem: &str,
        remedy: &'static str,
        settings: &'static [&'static str],
    ) -> Self {
        Self::TooLarge {
            line: None,
            problem: printable(problem).into_owned(),
            remedy,
            settings,
            source: None,
        }
    }
}

fn of_line(line: Option<usize>) -> String {
    line.map_or_else(String::new, |line| format!("line {line}: "))
}

/// Lists the names of settings, as in "`require`, `order`".
fn names(settings: &[&str]) -> String {
    format!("`{}`", settings.join("`, `"))
}

fn in_brackets(settings: &[&str]) -> String {
    match settings {
        [] => String::new(),
        settings => format!(" ({})", names(settings)),
    }
}
