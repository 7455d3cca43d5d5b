//! Test helper that returns the location and the problem of an error in a text.

use std::fmt::Debug;

use super::{NetworkError, TextProblem};

/// Returns the line, the column and the problem of a text that cannot be read.
#[track_caller]
pub(super) fn problem_of<T: Debug>(read: Result<T, NetworkError>) -> (usize, usize, TextProblem) {
    match read {
        Err(NetworkError::Text {
            line,
            column,
            problem,
            ..
        }) => (line, column, *problem),
        other => panic!("read as {other:?}"),
    }
}
