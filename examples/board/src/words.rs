//! Messages for errors of drawing boards, in terms of the command's flags.

use figrs_command::{Bytes, Failure, NoAnswer, stop};
use figrs_core::wording::{Audience, audience};
use figrs_models::board::{BoardError, Method};
use figrs_models::grid::Size;

use super::flags::{MEMORY, METHOD, SIZE};
use super::puzzle::Puzzle;

/// Returns the message that the method or task `what` needs more memory than the limit allows.
pub(super) fn needs_more(what: &str, needed: f64, memory: Bytes) -> String {
    let needed = match needed {
        needed if needed < (1_u64 << 50) as f64 => format!("about {}", Bytes(needed as u64)),
        _ => "over 1000 TiB".to_owned(),
    };
    format!("{what} {needed}, more than {MEMORY} {memory}")
}

/// Returns the message that the exact method does not fit into memory: it needs `needed` bytes, if that number is known.
pub(super) fn too_large(size: Size, needed: Option<f64>, memory: Bytes) -> String {
    let needs = format!("{METHOD} exact would need");
    let message = match needed {
        Some(needed) => needs_more(&needs, needed, memory),
        None => format!("{needs} more than {MEMORY} {memory}"),
    };
    if size.rows() < size.columns().min(Size::AUTOMATON_COLUMNS) {
        let turned = format!("{}x{}", size.columns(), size.rows());
        return format!("{message} (the turned board, {turned}, needs less)");
    }
    message
}

/// Returns a message for the case that no board meets the demands: it lists clues that contradict each other, or says that the clues are not the
/// cause.
pub(super) fn impossible<P: Puzzle>(puzzle: &P, error: &BoardError) -> Option<String> {
    let BoardError::NoSolution {
        size,
        clues,
        is_minimal,
    } = error
    else {
        return None;
    };
    let demands = match puzzle.demands() {
        demands if demands.is_empty() => "the rules".to_owned(),
        demands => format!("the rules and {demands}"),
    };
    let (kind, rows, columns) = (P::KIND.replace('_', " "), size.rows(), size.columns());
    let board = format!("impossible: no {kind} board of {rows} by {columns}");
    if clues.is_empty() {
        return Some(format!(
            "{board} meets {demands} in its cells, from row 1, column 1 to row {rows}, column {columns}; demand less, or use another {SIZE}"
        ));
    }
    let cells: Vec<String> = clues.iter().map(ToString::to_string).collect();
    let cells = cells.join("; ");
    let meets = format!("{board} meets {demands} and the clues at {cells}");
    Some(match (is_minimal, stop::reason()) {
        (true, _) => format!("{meets}; remove one of these clues"),
        (false, Some(reason)) => format!(
            "{meets}; some of these clues may suffice for the contradiction ({})",
            reason.message()
        ),
        (false, None) => format!("{meets}; some of these clues may suffice for the contradiction"),
    })
}

/// Converts an error of drawing boards to a failure of the command.
pub(super) fn failure(error: BoardError, size: Size) -> Failure {
    let message = match error {
        BoardError::TooLarge {
            is_relaxed: true,
            limit,
            ..
        } => format!(
            "even without demands on paths, {METHOD} exact would need more than {MEMORY} {}; allow more memory, or use a smaller board",
            Bytes(limit)
        ),
        BoardError::TooLarge {
            method: method @ (Method::Particles | Method::Chain | Method::Own(_)),
            predicted: Some(needed),
            limit,
            ..
        } => needs_more(
            &format!("{METHOD} {method} would need"),
            needed,
            Bytes(limit),
        ),
        BoardError::TooLarge {
            predicted, limit, ..
        } => {
            let message = too_large(size, predicted, Bytes(limit));
            format!("{message}; allow more memory, or use a smaller board")
        }
        BoardError::NoneMet { tried } => format!(
            "none of {tried} boards in a row met the demands: such boards are impossible or very rare; demand less"
        ),
        BoardError::NotFound { sweeps, nearest } => format!(
            "no board was found in {sweeps} sweeps of {METHOD} chain (the nearest one violates the rules and demands by {nearest}): such boards \
             are very rare or perhaps impossible; give wider ranges{}, or fewer clues",
            match audience() {
                Audience::PageUsers => "",
                _ => " by the --min and --max flags",
            }
        ),
        error => return Box::new(error),
    };
    Box::new(NoAnswer(message))
}
