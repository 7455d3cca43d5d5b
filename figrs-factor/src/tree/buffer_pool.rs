//! Pools of buffers for evaluations: each concurrent caller uses a buffer of its own.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A pool of unused buffers. A caller takes a buffer from the pool, or creates a buffer if the pool is empty, and returns the buffer after use.
///
/// A clone of the pool is empty.
pub struct BufferPool<B> {
    free: Mutex<Vec<B>>,
}

impl<B> Default for BufferPool<B> {
    fn default() -> Self {
        Self {
            free: Mutex::new(Vec::new()),
        }
    }
}

impl<B> BufferPool<B> {
    /// Calls the function `ask` with a buffer of the pool, or with a new buffer if the pool is empty.
    pub fn with<R>(&self, new: impl FnOnce() -> B, ask: impl FnOnce(&mut B) -> R) -> R {
        let free = self.lock().pop();
        let mut buffer = free.unwrap_or_else(new);
        let answer = ask(&mut buffer);
        self.lock().push(buffer);
        answer
    }

    /// Returns a mutable reference to the oldest buffer of the pool, and drops all other buffers.
    pub fn only(&mut self) -> Option<&mut B> {
        let free = self.free.get_mut();
        let free = free.unwrap_or_else(PoisonError::into_inner);
        free.truncate(1);
        free.first_mut()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<B>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<B> Clone for BufferPool<B> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<B> fmt::Debug for BufferPool<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let free = self.lock().len();
        f.debug_struct("Pool").field("free", &free).finish()
    }
}
