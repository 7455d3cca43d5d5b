//! Reports on the drawing of random boards.

use std::time::Duration;

use super::{Cost, MethodChoice};

/// Report on the drawing of random boards.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The method that drew the boards, with the reason for its choice.
    pub choice: MethodChoice,
    /// Named numbers that show how well the method that drew the boards worked.
    pub diagnostics: Vec<(&'static str, f64)>,
    /// Number and size of the states of the exact method, if this method drew the boards.
    pub cost: Option<Cost>,
    /// True if the drawing of boards was interrupted: fewer boards than requested are drawn, or Markov chains ran too short.
    pub is_cut: bool,
    /// Time that passed before the method began to draw boards: for building and compiling the probabilistic program, and for methods that failed
    /// before.
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
