//! Boards drawn so far.

use std::sync::{Mutex, MutexGuard, PoisonError};

use figrs_command::stop;

/// Boards drawn so far, up to the number wanted: shared with the thread that writes them if the command is told to stop.
pub(crate) struct Boards<B> {
    wanted: usize,
    drawn: Mutex<(&'static str, Vec<B>)>,
}

impl<B> Boards<B> {
    /// No boards yet, of this many wanted.
    pub(crate) fn of(wanted: usize) -> Self {
        let drawn = Mutex::new(("exact", Vec::new()));
        Self { wanted, drawn }
    }

    fn drawn(&self) -> MutexGuard<'_, (&'static str, Vec<B>)> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn wanted(&self) -> usize {
        self.wanted
    }

    pub(crate) fn len(&self) -> usize {
        self.drawn().1.len()
    }

    pub(crate) fn are_complete(&self) -> bool {
        self.len() >= self.wanted
    }

    /// True if another board is to be drawn: there are not enough, and the command is not told to stop.
    pub(crate) fn want_more(&self) -> bool {
        !self.are_complete() && !stop::is_set()
    }

    /// Begins anew with boards of a method.
    pub(crate) fn begin(&self, method: &'static str) {
        *self.drawn() = (method, Vec::new());
    }

    /// Takes in a board, if there are not enough.
    pub(crate) fn push(&self, board: B) {
        let mut drawn = self.drawn();
        if drawn.1.len() < self.wanted {
            drawn.1.push(board);
        }
    }

    /// The method, and its boards.
    pub(crate) fn take(&self) -> (&'static str, Vec<B>) {
        let mut drawn = self.drawn();
        (drawn.0, std::mem::take(&mut drawn.1))
    }
}
