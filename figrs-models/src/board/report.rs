//! Reports on how boards were drawn.

use std::time::Duration;

use super::{Cost, MethodChoice};

/// Report on how boards were drawn.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The method that drew the boards, with the reason for its choice.
    pub choice: MethodChoice,
    /// Diagnostics of the method, each with its name.
    pub diagnostics: Vec<(&'static str, f64)>,
    /// Number and size of the states, if the exact method drew the boards.
    pub cost: Option<Cost>,
    /// True if the run was interrupted: there are fewer boards than requested, or Markov chains ran too short.
    pub is_cut: bool,
    /// Time before the method began to draw boards: for building and compiling elements, and for methods that failed before.
    pub compile: Duration,
}

impl Report {
    pub(super) fn new(
        choice: MethodChoice,
        diagnostics: Vec<(&'static str, f64)>,
        compile: Duration,
    ) -> Self {
        Self {
            choice,
            diagnostics,
            cost: None,
            is_cut: false,
            compile,
        }
    }
}
