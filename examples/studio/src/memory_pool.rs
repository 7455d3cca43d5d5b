//! The memory that the work on all requests shares: a request waits until the memory that it needs is free.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::problem::Problem;

/// Interval at which work that waits for memory checks whether its flag is set.
const POLL: Duration = Duration::from_millis(50);

/// Memory in MiB that the work on all requests shares.
#[derive(Debug)]
pub(crate) struct MemoryPool {
    all: u64,
    free: Mutex<u64>,
    changed: Condvar,
}

/// Memory reserved for the work on a request, which is released when this value is dropped.
#[derive(Debug)]
pub(crate) struct Share<'a> {
    pool: &'a MemoryPool,
    size: u64,
}

impl MemoryPool {
    pub(crate) fn new(all: u64) -> Self {
        Self {
            all,
            free: Mutex::new(all),
            changed: Condvar::new(),
        }
    }

    /// Waits until the requested memory is free, and reserves this memory; if more memory is requested than exists, reserves all memory.
    ///
    /// **Errors.** The flag that stops the work is set before the memory is free.
    pub(crate) fn take(&self, size: u64, ended: &Arc<AtomicBool>) -> Result<Share<'_>, Problem> {
        let size = size.min(self.all);
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free < size {
            if ended.load(Ordering::Acquire) {
                return Err(Problem::superseded());
            }
            let waited = self.changed.wait_timeout(free, POLL);
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *free -= size;
        Ok(Share { pool: self, size })
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let free = self.pool.free.lock();
        *free.unwrap_or_else(PoisonError::into_inner) += self.size;
        self.pool.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn work_waits_until_its_memory_is_free() {
        let pool = MemoryPool::new(100);
        let (on, off) = (Arc::new(AtomicBool::new(true)), Arc::default());
        let first = pool.take(70, &off).unwrap();
        let small = pool.take(30, &off).unwrap();
        assert!(pool.take(31, &on).is_err(), "it is ended while it waits");
        thread::scope(|scope| {
            let waiting = scope.spawn(|| pool.take(70, &off).map(drop).is_ok());
            thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished());
            drop(first);
            assert!(waiting.join().unwrap());
        });
        drop(small);
        // A request for more than all memory gets all of it.
        let all = pool.take(1000, &off).unwrap();
        assert_eq!(all.size, 100);
    }
}
