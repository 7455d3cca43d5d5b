//! Running a command: from the command line to the exit code.

use std::process::ExitCode;

use figrs_core::wording::{Audience, address};

use crate::failure::{exit_code, inference, is_broken_pipe};
use crate::{Failure, note, progress, words};

/// Runs a command, prints its failure in one line, and returns its exit code. If `remedy` has advice on an error of inference, the message of the
/// failure contains this advice and omits the source lines of elements.
pub fn run(
    remedy: impl FnOnce(&figrs_infer::Error) -> Option<String>,
    command: impl FnOnce() -> Result<(), Failure>,
) -> ExitCode {
    address(Audience::CommandUsers);
    let done = command();
    progress::hide();
    let Err(failure) = done else {
        return ExitCode::SUCCESS;
    };
    if is_broken_pipe(&*failure) {
        return ExitCode::SUCCESS;
    }
    note(format!("error: {}", message(&failure, remedy)));
    ExitCode::from(exit_code(&*failure))
}

/// Returns a failure as one text; if `remedy` has advice on an error of inference, the message contains this advice and omits the source lines of
/// elements.
pub fn message(
    failure: &Failure,
    remedy: impl FnOnce(&figrs_infer::Error) -> Option<String>,
) -> String {
    let message = words::message(&**failure).or_else(|| inference(&**failure).and_then(remedy));
    message.unwrap_or_else(|| failure.to_string())
}
