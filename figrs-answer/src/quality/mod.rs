//! Quality of answers: convergence measures of draws, and reasons to doubt an answer.

pub mod diagnosis;
pub mod diagnostics;
