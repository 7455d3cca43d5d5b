//! Account of the memory that a computation holds.

use crate::eliminate::EliminationError;
use crate::limits::Limits;

/// Number of bytes that a computation holds, which is compared with the memory of its limits.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryAccount {
    held: u64,
    /// Number of held bytes when the memory was last checked by [`check_growth`](Self::check_growth).
    checked: u64,
}

impl MemoryAccount {
    /// Returns the number of bytes that the computation holds.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Counts `bytes` that the computation has taken.
    pub fn add(&mut self, bytes: u64) {
        self.held = self.held.saturating_add(bytes);
    }

    /// Counts `bytes` that the computation has returned.
    pub fn release(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Replaces the number of held bytes by `bytes`.
    pub fn set(&mut self, bytes: u64) {
        self.held = bytes;
    }

    /// Returns an error if `more` additional bytes would exceed the memory of an elimination or a search.
    pub fn check(&self, limits: &Limits, more: u64) -> Result<(), EliminationError> {
        limits.check_memory(self.held.saturating_add(more) as f64)
    }

    /// Checks the memory as [`check`](Self::check) does without additional bytes, but only if the account has grown enough since the
    /// last check: by a sixteenth and by more than `least` bytes.
    ///
    /// Therefore the available memory of the machine is queried seldom.
    pub fn check_growth(&mut self, limits: &Limits, least: u64) -> Result<(), EliminationError> {
        let unchecked = least.max(self.checked / 16);
        if self.held > self.checked.saturating_add(unchecked) {
            self.check(limits, 0)?;
            self.checked = self.held;
        }
        Ok(())
    }
}
