//! Errors of reading rules and of searching for plans.

use figrs_core::wording::Call;
use figrs_derive::ErrorDebug;
use figrs_infer::Stopped;
use figrs_reading::FileError;
use thiserror::Error;

/// An error of reading rules or of searching for plans, with its location and a remedy.
#[derive(Error, ErrorDebug)]
#[non_exhaustive]
pub enum GdlError {
    /// A file of rules cannot be read, or its text is not a valid set of rules of one player.
    #[error(transparent)]
    File(#[from] FileError),
    /// The rules have too many instances when their variables are replaced by values.
    #[error(
        "{place}: the rules have more than {limit} {what} when their variables are filled in, the last of them in a rule of `{relation}`; bind its variables by \
         smaller relations, or allow more{}",
        Call("GroundingLimits")
    )]
    TooLarge {
        /// The file of the rules, or a description of their text.
        place: String,
        /// Relation of the rule that was instantiated when the limit was exceeded.
        relation: String,
        /// Kind of the instances that exceed the limit, such as facts or rules.
        what: &'static str,
        /// Maximum number of instances of the rules.
        limit: usize,
    },
    /// No plan of the requested length exists.
    #[error("impossible: no plan of {length} meets the goal{}", proof(*.proven))]
    NoPlan {
        /// Description of the lengths for which plans were searched.
        length: String,
        /// `true` if it is proven that plans longer than the requested length do not exist either.
        proven: bool,
    },
    /// Exact inference over all plans of a length would need more memory than the limit allows.
    #[error(
        "exact inference over up to {states} states at a time needs {needed} bytes for plans of {steps} steps, more than the memory limit of \
        {limit}; ask for the length alone, allow more memory, or use SequentialMonteCarlo on the same elements"
    )]
    OverBudget {
        /// Length of the plans.
        steps: usize,
        /// Number of states in the largest frontier: the set of states after the same number of steps.
        states: usize,
        /// Number of bytes that the transitions between states would take.
        needed: u64,
        /// Maximum number of bytes that the transitions between states may take.
        limit: u64,
    },
    /// The breadth-first search for the length of a shortest plan ended before it found a plan.
    #[error(
        "no plan has fewer than {excluded} steps, and the states after these steps ({states} or more) exceed the limit of work or memory; raise \
        this limit, or search for one plan{}",
        Call("Puzzle::any_plan")
    )]
    Unfinished {
        /// Number of steps below which it is proven that there is no plan.
        excluded: usize,
        /// Number of states in the largest set, found so far, of states that are reached after the same number of steps.
        states: usize,
        /// `true` if the memory limit ended the search, so that a larger work limit would not help.
        is_full: bool,
    },
    /// A search for a plan ended before it found a plan or visited all states.
    #[error(
        "the search found no plan among {states} states, but did not reach all states ({}); allow more, or other lengths",
        match .stopped {
            Stopped::Budget => "the limit of memory, work or steps was reached",
            Stopped::Deadline => "the deadline passed",
            _ => "interrupted",
        }
    )]
    SearchEnded {
        /// Number of states that the search visited.
        states: usize,
        /// Reason why the search ended.
        stopped: Stopped,
        /// `true` if the memory limit ended the search, so that a larger work limit would not help.
        is_full: bool,
    },
    /// Inference failed, or exceeds a limit.
    #[error(transparent)]
    Inference(#[from] figrs_infer::Error),
}

fn proof(proven: bool) -> &'static str {
    if proven {
        ", and no longer plan does"
    } else {
        "; try other lengths"
    }
}
