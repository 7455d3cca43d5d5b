//! Collects the boards that a sampler has drawn.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Method;

/// The boards drawn so far, up to the wanted number of boards. If the sampler is stopped, another thread may take the boards drawn so far.
#[derive(Debug)]
pub struct DrawnBoards<B> {
    wanted: usize,
    drawn: Mutex<(Option<Method>, Vec<B>)>,
}

impl<B> DrawnBoards<B> {
    /// Creates an empty collection that takes up to `wanted` boards.
    pub fn of(wanted: usize) -> Self {
        let drawn = Mutex::new((None, Vec::new()));
        Self { wanted, drawn }
    }

    fn drawn(&self) -> MutexGuard<'_, (Option<Method>, Vec<B>)> {
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of boards that are to be drawn.
    pub fn wanted(&self) -> usize {
        self.wanted
    }

    /// Returns the number of boards drawn so far.
    pub fn len(&self) -> usize {
        self.drawn().1.len()
    }

    /// True if no boards have been drawn yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn are_complete(&self) -> bool {
        self.len() >= self.wanted
    }

    pub(super) fn begin(&self, method: Method) {
        *self.drawn() = (Some(method), Vec::new());
    }

    pub(super) fn turn_to(&self, method: Method) {
        self.drawn().0 = Some(method);
    }

    pub(super) fn push(&self, board: B) {
        let mut drawn = self.drawn();
        if drawn.1.len() < self.wanted {
            drawn.1.push(board);
        }
    }

    /// Removes all boards from the collection, and returns them with the method that drew the last of these boards.
    pub fn take(&self) -> (Option<Method>, Vec<B>) {
        let mut drawn = self.drawn();
        (drawn.0, std::mem::take(&mut drawn.1))
    }
}
