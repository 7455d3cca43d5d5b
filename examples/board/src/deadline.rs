//! A flag that ends work at a deadline, or as soon as another flag is set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use figrs_command::Failure;

/// Interval at which the other flag and the clock are polled.
const POLL: Duration = Duration::from_millis(20);

/// A flag that is set after some time, or as soon as another flag is set; once this value is dropped, it no longer sets the flag.
pub(super) struct Deadline {
    flag: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
    _held: Option<Sender<()>>,
}

impl Deadline {
    /// Starts the time now; without a time limit the flag is `other` itself.
    ///
    /// **Errors.** If the system cannot start a thread.
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

    /// The flag that ends the work.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// True if the time ended while the work was running.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }
}
