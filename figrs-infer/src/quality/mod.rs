//! Quality of answers: diagnostics of draws, reasons to doubt an answer, self-checking.

pub(crate) mod diagnosis;
pub mod diagnostics;
