//! Account of the memory that a computation uses.

use crate::eliminate::EliminationError;
use crate::limits::Limits;

/// Number of bytes that a computation uses, for comparison with the memory limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryAccount {
    held: u64,
    /// The number of used bytes at the last check by [`check_growth`](Self::check_growth).
    checked: u64,
}

impl MemoryAccount {
    /// Returns the number of bytes that the computation uses.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Adds `bytes`, which the computation has allocated, to the account.
    pub fn add(&mut self, bytes: u64) {
        self.held = self.held.saturating_add(bytes);
    }

    /// Subtracts `bytes`, which the computation has freed, from the account.
    pub fn release(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Sets the number of used bytes to `bytes`.
    pub fn set(&mut self, bytes: u64) {
        self.held = bytes;
    }

    /// Returns an error if the used bytes and `more` additional bytes would exceed the memory limit of an elimination or a search.
    pub fn check(&self, limits: &Limits, more: u64) -> Result<(), EliminationError> {
        limits.check_memory(self.held.saturating_add(more) as f64)
    }

    /// Checks the used bytes as [`check`](Self::check) does, but only if they have grown enough since the last check: by a sixteenth and by more than
    /// `least` bytes.
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
