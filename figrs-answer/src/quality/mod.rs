//! Quality of answers: diagnostics of draws, reasons to doubt an answer, self-checking.

pub mod diagnosis;
pub mod diagnostics;
