//! The control of the work on a question: a flag that stops the work, and the decision whether progress is shown.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use figrs_command::{Progress, note, stop};
use figrs_infer::Frontier;

/// The flag that stops the work on a question, and a setting that decides whether progress and notes are written to the standard error.
#[derive(Clone, Debug)]
pub struct Watch {
    interrupt: Arc<AtomicBool>,
    is_shown: bool,
}

impl Watch {
    /// Returns the control for a command: progress is shown, and Ctrl-C and `--time` stop the work.
    pub(crate) fn of_command() -> Self {
        Self {
            interrupt: stop::flag(),
            is_shown: true,
        }
    }

    /// Returns a control that shows no progress, and that stops the work when the flag `interrupt` is set.
    pub(crate) fn quiet(interrupt: Arc<AtomicBool>) -> Self {
        Self {
            interrupt,
            is_shown: false,
        }
    }

    /// Returns the flag that stops the work on a question.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupt)
    }

    /// True if progress and notes are shown.
    pub(crate) fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// True if the work on the question must stop.
    pub fn is_ended(&self) -> bool {
        self.interrupt.load(Ordering::Acquire)
    }

    /// Returns a progress line, which shows nothing if progress is not shown.
    pub fn progress(&self, what: &'static str, total: Option<u64>) -> Option<Progress> {
        self.is_shown.then(|| Progress::of(what, total))
    }

    /// Writes a note, if notes are shown.
    pub fn note(&self, text: impl Display) {
        if self.is_shown {
            note(text);
        }
    }

    /// Returns an exact algorithm with a limit of memory in bytes; the algorithm shows its progress and stops when the flag is set.
    pub fn frontier(&self, what: &'static str, memory: u64) -> Frontier {
        let frontier = Frontier::new().memory(memory).interrupt(self.flag());
        match self.progress(what, Some(0)) {
            Some(progress) => frontier.on_progress(move |run| progress.follow(run.done, run.total)),
            None => frontier,
        }
    }
}
