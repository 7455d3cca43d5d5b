//! Errors of rows of data.

use crate::error::Error;

impl Error {
    /// The error of a row of data that no world has.
    pub(crate) fn impossible_case(row: usize) -> Self {
        let problem = "no world has its values while the parameters are what they are; mend the row, or start from parameters that make it \
                       possible";
        Self::InvalidCase {
            row,
            problem: problem.into(),
        }
    }

    /// The error of a row of data whose evidence no sample met.
    pub(crate) fn unmet_case(
        row: usize,
        (algorithm, tried): (&'static str, u64),
        remedy: &'static str,
    ) -> Self {
        let problem = format!(
            "{algorithm}: none of {tried} worlds drawn met its evidence: it is impossible or very rare while the parameters are what they are; \
             {remedy}"
        );
        Self::InvalidCase { row, problem }
    }
}
