//! Errors in network files that several readers report.

use std::fmt::Display;

use figrs_reading::{Mistake, MistakeKind};

use super::lexer::{LexerError, LexerResult};

/// Returns the error that a text makes the same `statement` twice, for example the declaration of a variable.
pub(super) fn repeated(statement: impl Display) -> Mistake {
    let problem = format!("{statement} a second time");
    Mistake::new(MistakeKind::Repeated, problem, "keep one of them")
}

pub(super) fn repeated_variable(name: &str) -> Mistake {
    repeated(format_args!("the variable `{name}` is declared"))
}

pub(super) fn repeated_state(variable: &str, state: &str) -> Mistake {
    repeated(format_args!("`{variable}` has the state `{state}`"))
}

pub(super) fn repeated_in_table(name: &str) -> Mistake {
    repeated(format_args!("the table names `{name}`"))
}

pub(super) fn repeated_table(name: &str) -> Mistake {
    repeated(format_args!("a table of `{name}` occurs"))
}

pub(super) fn no_states(variable: &str) -> Mistake {
    let problem = format!("`{variable}` has no states");
    Mistake::new(MistakeKind::Missing, problem, "give it at least one")
}

pub(super) fn no_table(variable: &str) -> Mistake {
    let problem = format!("`{variable}` has no table");
    Mistake::new(MistakeKind::Missing, problem, "add its probabilities")
}

pub(super) fn no_distribution(node: &str) -> Mistake {
    let problem = format!("the continuous node `{node}` has no distribution");
    let remedy = "add a potential whose data is `( normal ( mean, variance ) )`";
    Mistake::new(MistakeKind::Missing, problem, remedy)
}

/// Returns the error that `variable` is among its own ancestors.
pub(super) fn cycle(variable: &str) -> Mistake {
    let problem = format!("`{variable}` is among its own ancestors");
    let remedy = "remove one of the parents on the cycle";
    Mistake::new(MistakeKind::Contradiction, problem, remedy)
}

/// Returns the error that `node` is of the kind `kind`, which the reader does not support.
pub(super) fn node_kind(node: &str, kind: &str) -> Mistake {
    let problem = format!("`{node}` is a node of the kind `{kind}`, which is not supported");
    let remedy = "write it as a table of discrete states";
    Mistake::new(MistakeKind::Unsupported, problem, remedy)
}

/// Returns the error that `node`, which is not continuous, has the distributions of a continuous node.
pub(super) fn normal_data(node: &str) -> Mistake {
    let problem = format!("`{node}` has normal distributions, but is not a continuous node");
    let remedy = "write its numbers, or declare it as `continuous node`";
    Mistake::new(MistakeKind::Contradiction, problem, remedy)
}

pub(super) fn weight(number: f64) -> Mistake {
    let problem = format!("the number {number} cannot be a weight");
    let remedy = "weights are finite and not negative";
    Mistake::new(MistakeKind::Value, problem, remedy)
}

/// Returns the error that `number` is not a utility (finite and of limited size).
pub(super) fn utility(number: f64) -> Mistake {
    let problem = format!("the number {number:e} cannot be a utility");
    let remedy = "utilities are numbers from -1e300 to 1e300";
    Mistake::new(MistakeKind::Value, problem, remedy)
}

/// Returns the error that the `index` of a variable or a state is not below the number `count` of
/// variables or states.
pub(super) fn index(what: &str, index: usize, count: usize) -> Mistake {
    let problem =
        format!("there is no {what} {index}: they are numbered from 0 and there are {count}");
    Mistake::new(MistakeKind::Unknown, problem, "")
}

/// Returns the error that a file declares more items of the kind `what` than a file of its size may have.
pub(super) fn too_large(what: &str, needed: u128, limit: usize) -> Mistake {
    let problem =
        format!("{needed} {what}, which is more than a file of this size may declare ({limit})");
    Mistake::new(MistakeKind::TooLarge, problem, "")
}

/// Checks that the file is large enough to declare `needed` items of the kind `what`.
pub(super) fn check_size(at: usize, what: &str, needed: u128, limit: usize) -> LexerResult<()> {
    if needed <= limit as u128 {
        return Ok(());
    }
    Err(LexerError::new(at, too_large(what, needed, limit)))
}

pub(super) fn check_entries(at: usize, found: usize, needed: u128) -> LexerResult<()> {
    if found as u128 == needed {
        return Ok(());
    }
    let problem = format!("a table of {found} entries, but its variables need {needed}");
    let mistake = Mistake::new(MistakeKind::Count, problem, "make them agree");
    Err(LexerError::new(at, mistake))
}
