//! Reports on the drawing of boards.

use std::time::Duration;

use super::{Cost, MethodChoice};

/// Report on the drawing of boards.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The method that drew them, and the reason for it.
    pub choice: MethodChoice,
    /// Diagnostics of the method with their names.
    pub diagnostics: Vec<(&'static str, f64)>,
    /// Size of the exact method's states, if it drew the boards.
    pub cost: Option<Cost>,
    /// True if drawing was interrupted: there are fewer boards than requested, or their chains did not run as long as they should have.
    pub is_cut: bool,
    /// Time before the method began to draw, spent on building and compiling elements and on methods tried before it.
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
