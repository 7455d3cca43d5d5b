//! That there is no answer.

use std::error::Error;
use std::fmt;

/// That files and options are right, and there is no answer all the same.
#[derive(Debug)]
pub(crate) struct NoAnswer(pub(crate) String);

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for NoAnswer {}
