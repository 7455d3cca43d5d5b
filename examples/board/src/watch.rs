//! The control of the work on a question: the flag that ends it, and whether its progress is shown.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use figrs_command::{Progress, note, stop};
use figrs_infer::Frontier;

/// The flag that ends the work on a question, and whether its progress and notes go to the standard error.
#[derive(Clone, Debug)]
pub struct Watch {
    interrupt: Arc<AtomicBool>,
    is_shown: bool,
}

impl Watch {
    /// The watch of a command: progress is shown, and Ctrl-C and `--time` end the work.
    pub(crate) fn of_command() -> Self {
        Self {
            interrupt: stop::flag(),
            is_shown: true,
        }
    }

    /// A watch without display, whose work a flag ends.
    pub(crate) fn quiet(interrupt: Arc<AtomicBool>) -> Self {
        Self {
            interrupt,
            is_shown: false,
        }
    }

    /// The flag that ends the work.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupt)
    }

    /// True if progress and notes are shown.
    pub(crate) fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// True if the work is to end.
    pub fn is_ended(&self) -> bool {
        self.interrupt.load(Ordering::Acquire)
    }

    /// A line of progress, if progress is shown.
    pub fn progress(&self, what: &'static str, total: Option<u64>) -> Option<Progress> {
        self.is_shown.then(|| Progress::of(what, total))
    }

    /// Writes a note, if notes are shown.
    pub fn note(&self, text: impl Display) {
        if self.is_shown {
            note(text);
        }
    }

    /// A frontier with this many bytes of memory that shows its steps and ends when the work is to end.
    pub fn frontier(&self, what: &'static str, memory: u64) -> Frontier {
        let frontier = Frontier::new().memory(memory).interrupt(self.flag());
        match self.progress(what, Some(0)) {
            Some(progress) => frontier.on_progress(move |run| progress.follow(run.done, run.total)),
            None => frontier,
        }
    }
}
