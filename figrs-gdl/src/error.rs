//! Errors of rule files and plans.

use std::{io, path::PathBuf};

use figrs_core::printable;
use figrs_derive::ErrorDebug;
use figrs_infer::Stopped;
use thiserror::Error;

/// An error in reading rules or in planning by them, with its place and its remedy.
#[derive(Error, ErrorDebug)]
#[non_exhaustive]
pub enum GdlError {
    /// A file cannot be read.
    #[error("cannot read {path}: {cause}; check the path and its permissions")]
    Read {
        /// The path asked for.
        path: PathBuf,
        /// The operating system's reason.
        cause: io::Error,
    },
    /// The text is not a set of rules.
    #[error("{place}:{line}:{column}: {}", printable(&.problem.to_string()))]
    Text {
        /// The file, or what the text is.
        place: String,
        /// The line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
        /// The mistake.
        problem: Box<RuleTextProblem>,
    },
    /// A relation that every puzzle needs is not stated.
    #[error("{place}: nothing states `{relation}`; {remedy}")]
    Missing {
        /// The file, or what the text is.
        place: String,
        /// The missing relation.
        relation: &'static str,
        /// The remedy: an example of a statement.
        remedy: &'static str,
    },
    /// There are several players.
    #[error(
        "{place}: {} roles ({}), and a plan is that of one; write rules with one role",
        .roles.len(), .roles.join(", ")
    )]
    Roles {
        /// The file, or what the text is.
        place: String,
        /// The players.
        roles: Vec<String>,
    },
    /// No player is declared, and actions and goals name several.
    #[error(
        "{place}: nothing states `role`, and actions and goals name {}; declare the one that plays, such as `(role {})`",
        .names.join(", "), .names.first().map_or("robot", String::as_str)
    )]
    UndeclaredRoles {
        /// The file, or what the text is.
        place: String,
        /// The names that stand where a player does.
        names: Vec<String>,
    },
    /// The value of a goal is not a number.
    #[error("{place}: the value `{value}` of a goal is not a number from 0 to 100; write one")]
    GoalValue {
        /// The file, or what the text is.
        place: String,
        /// The value.
        value: String,
    },
    /// The rules have more instances than there may be.
    #[error(
        "{place}: the rules have more than {limit} {what} when their variables are filled in, the last of them in a rule of `{relation}`; bind its variables by \
         smaller relations, or allow more (`GroundingLimits`)"
    )]
    TooLarge {
        /// The file, or what the text is.
        place: String,
        /// The relation whose rule was filled in when there were too many; of facts that may hold at some time it is `true`.
        relation: String,
        /// Kind of the instances, such as facts or rules.
        what: &'static str,
        /// Largest number allowed.
        limit: usize,
    },
    /// There is no plan.
    #[error("impossible: no plan of {length} meets the goal{}", proof(*.proven))]
    NoPlan {
        /// The lengths that were asked for.
        length: String,
        /// `true` if it is proven that no longer plan exists either.
        proven: bool,
    },
    /// All plans of a length together need more memory than the budget.
    #[error(
        "exact inference over {states} states at most at a time needs {needed} bytes for plans of {steps} steps, more than the budget of {limit}, \
         and was not started; ask for the length alone, allow more memory, or use SequentialMonteCarlo on the same elements"
    )]
    OverBudget {
        /// The length of the plans.
        steps: usize,
        /// States of the largest frontier.
        states: usize,
        /// Bytes that transitions would take.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The breadth-first search for the length of shortest plans ended before it had found one.
    #[error(
        "no plan has fewer than {excluded} steps; the states after them, {states} and more, are too many for the work or the memory allowed; allow more, or search for one plan (`Puzzle::any_plan`)"
    )]
    Unfinished {
        /// A number of steps below which there is no plan.
        excluded: usize,
        /// States of the largest frontier by then.
        states: usize,
        /// `true` if the memory ended it, so that more work would not help.
        is_full: bool,
    },
    /// A search for a plan ended before it had found one or gone through all states.
    #[error(
        "no plan was found among {states} states, which are not all ({}); allow more, or other lengths",
        match .stopped {
            Stopped::Budget => "memory, work or the number of steps was used up",
            Stopped::Deadline => "the deadline passed",
            _ => "interrupted",
        }
    )]
    SearchEnded {
        /// Number of states that were met.
        states: usize,
        /// Reason for the end.
        stopped: Stopped,
        /// `true` if the memory ended it, so that more work would not help.
        is_full: bool,
    },
    /// Inference failed, or needs more than its budget.
    #[error(transparent)]
    Inference(#[from] figrs_infer::Error),
}

fn proof(proven: bool) -> &'static str {
    if proven {
        ", and no longer one either"
    } else {
        "; try other lengths"
    }
}

/// A mistake in the text of rules.
#[derive(Clone, PartialEq, Eq, Error, ErrorDebug)]
#[non_exhaustive]
pub enum RuleTextProblem {
    /// The file is not text in UTF-8.
    #[error("not UTF-8; save the file as UTF-8")]
    NotUtf8,
    /// A list does not end.
    #[error("this `(` is never closed; add `)`")]
    Unclosed,
    /// A list ends that did not begin.
    #[error("this `)` closes nothing; take it away")]
    Unopened,
    /// Lists are nested too deeply.
    #[error("more than {limit} parentheses are open at once; nest terms less deeply")]
    TooDeep {
        /// Largest number of open parentheses.
        limit: usize,
    },
    /// A text is too long.
    #[error(
        "more than {limit} words and lists; write rules with variables instead of so many facts"
    )]
    TooManyExpressions {
        /// Largest number of words and lists.
        limit: usize,
    },
    /// A list has nothing in it.
    #[error("an empty list; write a relation or a function after the `(`")]
    EmptyList,
    /// A relation or a function has no name.
    #[error("expected the name of a relation or a function, found {found}; write a word")]
    NotAName {
        /// Text found instead of a name.
        found: String,
    },
    /// A reserved name stands where it cannot.
    #[error("`{name}` cannot stand {position}")]
    Misplaced {
        /// The name.
        name: String,
        /// Position of the name, with the remedy.
        position: &'static str,
    },
    /// A name has another number of arguments than it must have, or has elsewhere.
    #[error(
        "`{name}` has {found} argument{} here and {expected} {elsewhere}; make them agree",
        if *found == 1 { "" } else { "s" }
    )]
    Arity {
        /// The relation or the function.
        name: String,
        /// Number of arguments here.
        found: usize,
        /// Number of arguments expected.
        expected: usize,
        /// Reason for the expected number.
        elsewhere: String,
    },
    /// A variable has no values to run through.
    #[error(
        "the variable `{variable}` stands in no positive condition of its rule; add one that lists its values"
    )]
    Unsafe {
        /// The variable.
        variable: String,
    },
    /// A fact depends on its own negation.
    #[error(
        "`{relation}` depends on its own negation through this condition ({}); break the cycle of rules",
        .cycle.join(", ")
    )]
    NotStratified {
        /// The fact.
        relation: String,
        /// The rules of the cycle without variables, such as `a if not b`.
        cycle: Vec<String>,
    },
    /// A relation depends on one that is decided later.
    #[error("`{relation}` depends on {on}, which is not decided by then; take the condition away")]
    DependsOn {
        /// The relation.
        relation: String,
        /// The later relation.
        on: &'static str,
    },
    /// A rule has too many conditions once `or` is multiplied out.
    #[error(
        "more than {limit} conditions once `or` is multiplied out; split the rule with relations of its own"
    )]
    TooLong {
        /// Largest number of conditions.
        limit: usize,
    },
}
