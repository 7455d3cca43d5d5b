//! Errors of cases, which are rows of data.

use figrs_answer::error::Error;

pub(super) fn impossible_case(row: usize) -> Error {
    let problem = "no world has its values while the parameters are what they are; mend the row, or start from parameters that make it \
                   possible";
    Error::InvalidCase {
        row,
        problem: problem.into(),
    }
}

pub(super) fn unmet_case(row: usize, algorithm: &str, tried: u64, remedy: &'static str) -> Error {
    let problem = format!(
        "{algorithm}: none of {tried} worlds drawn met its evidence: it is impossible or very rare while the parameters are what they are; \
         {remedy}"
    );
    Error::InvalidCase { row, problem }
}
