//! Errors of reading rules and of searching for plans.

use std::{io, path::PathBuf};

use figrs_core::printable;
use figrs_derive::ErrorDebug;
use figrs_infer::Stopped;
use thiserror::Error;

/// An error of reading rules or of searching for plans, with its location and a remedy.
#[derive(Error, ErrorDebug)]
#[non_exhaustive]
pub enum GdlError {
    /// A file of rules cannot be read.
    #[error("cannot read {path}: {cause}; check the path and its permissions")]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The operating system's reason.
        cause: io::Error,
    },
    /// The text is not a valid set of rules.
    #[error("{place}:{line}:{column}: {}", printable(&.problem.to_string()))]
    Text {
        /// The file, or a description of the text.
        place: String,
        /// The line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
        /// The mistake in the text.
        problem: Box<RuleTextProblem>,
    },
    /// The rules do not state a relation that every puzzle needs.
    #[error("{place}: nothing states `{relation}`; {remedy}")]
    Missing {
        /// The file, or a description of the text.
        place: String,
        /// The missing relation.
        relation: &'static str,
        /// An example of a statement that remedies the error.
        remedy: &'static str,
    },
    /// The rules have several players.
    #[error(
        "{place}: {} roles ({}), and a plan is that of one; write rules with one role",
        .roles.len(), .roles.join(", ")
    )]
    Roles {
        /// The file, or a description of the text.
        place: String,
        /// Names of the players.
        roles: Vec<String>,
    },
    /// The rules declare no player, and their actions and goals name several.
    #[error(
        "{place}: nothing states `role`, and actions and goals name {}; declare the one that plays, such as `(role {})`",
        .names.join(", "), .names.first().map_or("robot", String::as_str)
    )]
    UndeclaredRoles {
        /// The file, or a description of the text.
        place: String,
        /// The names that occur where a rule names its player.
        names: Vec<String>,
    },
    /// The value of a goal is not a number.
    #[error("{place}: the value `{value}` of a goal is not a number from 0 to 100; write one")]
    GoalValue {
        /// The file, or a description of the text.
        place: String,
        /// The value of the goal.
        value: String,
    },
    /// The rules have too many instances when their variables are filled in.
    #[error(
        "{place}: the rules have more than {limit} {what} when their variables are filled in, the last of them in a rule of `{relation}`; bind its variables by \
         smaller relations, or allow more (`GroundingLimits`)"
    )]
    TooLarge {
        /// The file, or a description of the text.
        place: String,
        /// Relation of the rule that was instantiated when the limit was exceeded.
        relation: String,
        /// Kind of the instances, such as facts or rules.
        what: &'static str,
        /// Maximum number of instances.
        limit: usize,
    },
    /// No plan of the requested length exists.
    #[error("impossible: no plan of {length} meets the goal{}", proof(*.proven))]
    NoPlan {
        /// Description of the lengths for which plans were searched.
        length: String,
        /// `true` if it is proven that no longer plan exists either.
        proven: bool,
    },
    /// Exact inference over all plans of a length would need more memory than its budget.
    #[error(
        "exact inference over {states} states at most at a time needs {needed} bytes for plans of {steps} steps, more than the budget of {limit}, \
         and was not started; ask for the length alone, allow more memory, or use SequentialMonteCarlo on the same elements"
    )]
    OverBudget {
        /// Length of the plans.
        steps: usize,
        /// Number of states in the largest frontier, which is the set of states after the same number of steps.
        states: usize,
        /// Number of bytes that the transitions between states would take.
        needed: u64,
        /// Maximum number of bytes.
        limit: u64,
    },
    /// The breadth-first search for the length of a shortest plan ended before it found a plan.
    #[error(
        "no plan has fewer than {excluded} steps; the states after them, {states} and more, are too many for the work or the memory allowed; allow more, or search for one plan (`Puzzle::any_plan`)"
    )]
    Unfinished {
        /// Number of steps below which it is proven that there is no plan.
        excluded: usize,
        /// Number of states in the largest frontier (set of states after the same number of steps) so far.
        states: usize,
        /// `true` if memory ended the search, so that more work would not help.
        is_full: bool,
    },
    /// A search for a plan ended before it found one or visited all states.
    #[error(
        "no plan was found among {states} states, which are not all ({}); allow more, or other lengths",
        match .stopped {
            Stopped::Budget => "memory, work or the number of steps was used up",
            Stopped::Deadline => "the deadline passed",
            _ => "interrupted",
        }
    )]
    SearchEnded {
        /// Number of states that the search visited.
        states: usize,
        /// Reason why the search ended.
        stopped: Stopped,
        /// `true` if memory ended the search, so that more work would not help.
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
    /// A list has no closing parenthesis.
    #[error("this `(` is never closed; add `)`")]
    Unclosed,
    /// A closing parenthesis has no opening one.
    #[error("this `)` closes nothing; take it away")]
    Unopened,
    /// Lists are nested too deeply.
    #[error("more than {limit} parentheses are open at once; nest terms less deeply")]
    TooDeep {
        /// Maximum number of open parentheses.
        limit: usize,
    },
    /// The text has too many words and lists.
    #[error(
        "more than {limit} words and lists; write rules with variables instead of so many facts"
    )]
    TooManyExpressions {
        /// Maximum number of words and lists.
        limit: usize,
    },
    /// A list is empty.
    #[error("an empty list; write a relation or a function after the `(`")]
    EmptyList,
    /// A relation or a function has no name.
    #[error("expected the name of a relation or a function, found {found}; write a word")]
    NotAName {
        /// Text found instead of a name.
        found: String,
    },
    /// A reserved name occurs at a position where it is not allowed.
    #[error("`{name}` cannot stand {position}")]
    Misplaced {
        /// The reserved name.
        name: String,
        /// Description of the position of the name, with the remedy.
        position: &'static str,
    },
    /// A relation or function has a wrong number of arguments, or not the same number as elsewhere.
    #[error(
        "`{name}` has {found} argument{} here and {expected} {elsewhere}; make them agree",
        if *found == 1 { "" } else { "s" }
    )]
    Arity {
        /// Name of the relation or function.
        name: String,
        /// Number of arguments at this position.
        found: usize,
        /// Expected number of arguments.
        expected: usize,
        /// Description of the other occurrence, or of the rule, that determines the expected number.
        elsewhere: String,
    },
    /// A variable occurs in no positive condition of its rule, so that no condition determines its values.
    #[error(
        "the variable `{variable}` stands in no positive condition of its rule; add one that lists its values"
    )]
    Unsafe {
        /// Name of the variable.
        variable: String,
    },
    /// A fact depends on its own negation.
    #[error(
        "`{relation}` depends on its own negation through this condition ({}); break the cycle of rules",
        .cycle.join(", ")
    )]
    NotStratified {
        /// Name of the relation of the fact.
        relation: String,
        /// The ground rules of the cycle, such as `a if not b`.
        cycle: Vec<String>,
    },
    /// A relation depends on a relation that is evaluated later.
    #[error("`{relation}` depends on {on}, which is not decided by then; take the condition away")]
    DependsOn {
        /// Name of the dependent relation.
        relation: String,
        /// Description of the relation on which it depends.
        on: &'static str,
    },
    /// A rule has too many conditions when `or` is expanded into several rules.
    #[error(
        "more than {limit} conditions once `or` is multiplied out; split the rule with relations of its own"
    )]
    TooLong {
        /// Maximum number of conditions.
        limit: usize,
    },
}
