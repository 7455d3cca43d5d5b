//! Early end of a command by Ctrl-C, `--time` or SIGTERM.
//!
//! The first Ctrl-C and the end of `--time` ask the command to end with its results so far; a second Ctrl-C and SIGTERM end the command immediately.
//! No signal leaves an unfinished file behind.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::{Failure, NoAnswer, progress, writing};

/// Interval between checks of signals and the clock.
const POLL: Duration = Duration::from_millis(20);
/// Time within which the work of a command must end after the command is asked to stop.
const GRACE: Duration = Duration::from_secs(1);
/// Stack size of the thread that does the work, equal to that of the main thread.
const STACK: usize = 8 << 20;

/// The reason that a command ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit `--time` ran out.
    Time,
    /// The user pressed Ctrl-C.
    Interrupt,
}

static FLAG: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static REASON: AtomicU8 = AtomicU8::new(0);

/// Starts listening to signals, and asks the command to stop after the time `time`, if it is given.
///
/// **Errors.** The system does not allow signal handlers or threads.
pub fn listen(time: Option<Duration>) -> Result<(), Failure> {
    let began = Instant::now();
    let (interrupted, terminated) = (Arc::default(), Arc::default());
    signal_hook::flag::register(SIGINT, Arc::clone(&interrupted))?;
    signal_hook::flag::register(SIGTERM, Arc::clone(&terminated))?;
    thread::spawn(move || {
        loop {
            thread::sleep(POLL);
            if terminated.load(Ordering::Relaxed) {
                writing::end(128 + SIGTERM);
            }
            if interrupted.swap(false, Ordering::Relaxed) {
                if is_set() {
                    writing::end(128 + SIGINT);
                }
                set(Reason::Interrupt);
            }
            if !is_set() && time.is_some_and(|time| began.elapsed() >= time) {
                set(Reason::Time);
            }
        }
    });
    Ok(())
}

fn set(reason: Reason) {
    REASON.store(reason as u8 + 1, Ordering::Relaxed);
    FLAG.store(true, Ordering::Release);
}

/// Returns the flag that is set when the command is asked to stop; algorithms take it as their interrupt.
pub fn flag() -> Arc<AtomicBool> {
    Arc::clone(&FLAG)
}

/// True if the command is asked to stop.
pub fn is_set() -> bool {
    FLAG.load(Ordering::Acquire)
}

/// Returns the reason for the end of the command, if it is asked to stop.
pub fn reason() -> Option<Reason> {
    let reason = || match REASON.load(Ordering::Relaxed) {
        1 => Reason::Time,
        _ => Reason::Interrupt,
    };
    is_set().then(reason)
}

impl Reason {
    /// Returns the name, for JSON, of the reason why the command ended early.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Interrupt => "interrupt",
        }
    }

    /// Returns the words in which a message states the reason why the command ended early.
    pub fn message(self) -> &'static str {
        match self {
            Self::Time => "--time is over",
            Self::Interrupt => "interrupted",
        }
    }
}

/// Returns the failure that the command was stopped before it had a first result, such as a level.
pub fn nothing(what: &str) -> Failure {
    let message = match reason() {
        Some(Reason::Time) => format!("--time ended before there was {what}; allow more time"),
        _ => format!("interrupted before there was {what}"),
    };
    Box::new(NoAnswer(message))
}

/// Returns the result of `work`, or `None` if the command is asked to stop and the work does not end within a second; the thread of abandoned work
/// ends with the program.
///
/// **Errors.** The system cannot start a thread.
///
/// # Panics
///
/// Panics if `work` does.
pub fn attempt<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Option<T>, Failure> {
    let (sender, receiver) = channel();
    let thread = thread::Builder::new().stack_size(STACK);
    let running = thread.spawn(move || drop(sender.send(work())))?;
    let mut stopped: Option<Instant> = None;
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(result) => return Ok(Some(result)),
            Err(RecvTimeoutError::Timeout) => {
                if is_set() && stopped.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                    progress::hide();
                    return Ok(None);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return running
                    .join()
                    .map(|()| None)
                    .or_else(|panic| resume_unwind(panic));
            }
        }
    }
}
