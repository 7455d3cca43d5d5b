//! A flag that stops work at a deadline, or as soon as a second flag is set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use figrs_command::Failure;

/// Interval between checks of the clock and of the second flag.
const POLL: Duration = Duration::from_millis(20);

/// Sets a flag after some time, or as soon as a second flag is set; a dropped `Deadline` no longer sets its flag.
pub(super) struct Deadline {
    flag: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
    _held: Option<Sender<()>>,
}

impl Deadline {
    /// Starts the clock of the deadline; without a time limit, the flag `other` itself stops the work.
    ///
    /// **Errors.** The system cannot start a thread.
    pub(super) fn after(time: Option<Duration>, other: Arc<AtomicBool>) -> Result<Self, Failure> {
        let is_over = Arc::<AtomicBool>::default();
        let Some(time) = time else {
            return Ok(Self {
                flag: other,
                is_over,
                _held: None,
            });
        };
        let (held, dropped) = channel::<()>();
        let flag = Arc::<AtomicBool>::default();
        let (set, over, began) = (Arc::clone(&flag), Arc::clone(&is_over), Instant::now());
        thread::Builder::new().spawn(move || {
            while dropped.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
                let is_late = began.elapsed() >= time;
                if is_late {
                    over.store(true, Ordering::Release);
                }
                if is_late || other.load(Ordering::Acquire) {
                    set.store(true, Ordering::Release);
                    return;
                }
            }
        })?;
        Ok(Self {
            flag,
            is_over,
            _held: Some(held),
        })
    }

    /// Returns the flag that stops the work at the deadline, or when the second flag is set.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// True if the time ran out while the work was running.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }
}
