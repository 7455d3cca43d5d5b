//! Progress of the algorithm that answers a question: the running algorithm, and the bounds of the result so far.

use std::sync::{Arc, Mutex, PoisonError};

use figrs::Bounds;
use figrs_command::Progress;

/// A progress line with the name of the running algorithm, its number of steps, and the bounds of the result so far.
#[derive(Clone)]
pub(crate) struct ComputingLine {
    line: Progress,
    bounds: Arc<Mutex<String>>,
}

impl Default for ComputingLine {
    fn default() -> Self {
        Self {
            line: Progress::waiting("computing"),
            bounds: Arc::default(),
        }
    }
}

impl ComputingLine {
    /// Returns the listener that shows the bounds of the result in the progress line.
    pub(crate) fn bounds(&self) -> impl Fn(&Bounds) + Send + Sync + 'static {
        let shown = self.clone();
        move |bounds| {
            let text = format!(", between {:.3} and {:.3}", bounds.lower, bounds.upper);
            shown.line.tell(|| text.clone());
            *shown.bounds.lock().unwrap_or_else(PoisonError::into_inner) = text;
        }
    }

    /// Returns the listener that shows the progress of an algorithm in the progress line.
    pub(crate) fn progress(&self) -> impl Fn(&figrs::Progress) + Send + Sync + 'static {
        let shown = self.clone();
        move |run| {
            let bounds = shown.bounds.lock().unwrap_or_else(PoisonError::into_inner);
            shown
                .line
                .tell(|| format!(" by {}, {} steps{bounds}", run.algorithm, run.done));
        }
    }
}
