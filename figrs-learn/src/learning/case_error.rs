//! Errors about cases, which are rows of data for learning.

use figrs_answer::error::Error;

pub(super) fn impossible_case(row: usize) -> Error {
    let problem = "its values are impossible with the current parameters; correct the row, or start from parameters that make it \
                   possible";
    Error::InvalidCase {
        row,
        problem: problem.into(),
    }
}

pub(super) fn unmet_case(row: usize, algorithm: &str, tried: u64, remedy: &'static str) -> Error {
    let problem = format!(
        "{algorithm}: none of {tried} worlds met its evidence, which is impossible or very rare with the current parameters; {remedy}"
    );
    Error::InvalidCase { row, problem }
}
