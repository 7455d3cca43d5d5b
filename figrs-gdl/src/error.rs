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
    /// Exact inference over all plans of a length would need more memory than its limit.
    #[error(
        "exact inference over {states} states at most at a time needs {needed} bytes for plans of {steps} steps, more than the budget of {limit}, \
         and was not started; ask for the length alone, allow more memory, or use SequentialMonteCarlo on the same elements"
    )]
    OverBudget {
        /// Length of the plans.
        steps: usize,
        /// Number of states in the largest frontier: the set of states after the same number of steps.
        states: usize,
        /// Number of bytes that the transitions between states would take.
        needed: u64,
        /// Maximum number of bytes that the transitions may take.
        limit: u64,
    },
    /// The breadth-first search for the length of a shortest plan ended before it found a plan.
    #[error(
        "no plan has fewer than {excluded} steps; the states after them, {states} and more, are too many for the work or the memory allowed; allow more, or search for one plan{}",
        Call("Puzzle::any_plan")
    )]
    Unfinished {
        /// Number of steps below which it is proven that there is no plan.
        excluded: usize,
        /// Number of states in the largest set of states after the same number of steps so far.
        states: usize,
        /// `true` if the limit of memory ended the search; more work would then not help.
        is_full: bool,
    },
    /// A search for a plan ended before it found a plan or visited all states.
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
        /// `true` if the limit of memory ended the search; more work would then not help.
        is_full: bool,
    },
    /// Inference failed, or exceeds a limit.
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
