//! Finds the location and the description of an error in a text, for tests.

use std::fmt::Debug;

use super::NetworkError;
use figrs_reading::Mistake;

/// Returns the line, the column and the description of the error that the result `read` contains.
#[track_caller]
pub(super) fn problem_of<T: Debug>(read: Result<T, NetworkError>) -> (usize, usize, Mistake) {
    match read {
        Err(NetworkError::File(error)) => {
            let (line, column) = error.position.expect("the position of the mistake");
            (line, column, *error.mistake)
        }
        other => panic!("read as {other:?}"),
    }
}
