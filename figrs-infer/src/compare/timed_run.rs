//! Runs an algorithm on a thread of its own; a deadline or an interrupt of the comparison ends the wait for the algorithm.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use figrs_core::{AnyElement, Model};

use figrs_answer::{Algorithm, Answer, Error};

const POLL_INTERVAL: Duration = Duration::from_millis(20);

type PeakMemory = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Limits of one algorithm's run (deadline, interrupt, grace period), and the function that measures its memory.
#[derive(Clone, Default)]
pub(super) struct RunLimits {
    pub(super) deadline: Option<Duration>,
    pub(super) interrupt: Option<Arc<AtomicBool>>,
    pub(super) peak_memory: Option<PeakMemory>,
    /// Time after the deadline or the interrupt in which an algorithm may still return its answer.
    pub(super) grace: Duration,
}

pub(super) struct RunResult {
    pub(super) answer: Result<Answer, String>,
    /// True if the run failed because the algorithm cannot be applied to the model.
    pub(super) is_refused: bool,
    pub(super) is_interrupted: bool,
    pub(super) seconds: f64,
    pub(super) memory: Option<u64>,
}

impl RunLimits {
    pub(super) fn interrupted(&self) -> bool {
        let interrupt = self.interrupt.as_deref();
        interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Runs an algorithm until it ends, or until the deadline or an interrupt.
    pub(super) fn run(
        &self,
        algorithm: Arc<dyn Algorithm>,
        model: &Model,
        targets: &[AnyElement],
    ) -> RunResult {
        if self.interrupted() {
            return RunResult::interrupted("not run: interrupted before its turn", 0.0);
        }
        let before = self.peak_memory.as_ref().map(|peak| {
            // The first call of `peak` resets the peak; the second call returns the memory that is in use now.
            peak();
            peak()
        });
        let started = Instant::now();
        let (sender, receiver) = channel();
        let (model, targets) = (model.clone(), targets.to_vec());
        let work = move || {
            let started = Instant::now();
            let answer = algorithm.answer(&model, &targets);
            // If the run was abandoned, nobody receives the answer, and `send` fails.
            drop(sender.send((answer, started.elapsed())));
        };
        if let Err(error) = thread::Builder::new().spawn(work) {
            return RunResult::failed(format!("its thread cannot be started: {error}"), 0.0);
        }
        let mut interrupted = None;
        loop {
            match receiver.recv_timeout(POLL_INTERVAL) {
                Ok((answer, elapsed)) => {
                    let after = self.peak_memory.as_ref().map(|peak| peak());
                    return RunResult {
                        is_refused: answer.as_ref().is_err_and(Error::is_refusal),
                        is_interrupted: false,
                        answer: answer.map_err(|error| error.to_string()),
                        seconds: elapsed.as_secs_f64(),
                        memory: after
                            .zip(before)
                            .map(|(after, before)| after.saturating_sub(before)),
                    };
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let seconds = started.elapsed().as_secs_f64();
                    return RunResult::failed("it panicked".into(), seconds);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let elapsed = started.elapsed();
            if interrupted.is_none() && self.interrupted() {
                interrupted = Some(elapsed);
            }
            let seconds = elapsed.as_secs_f64();
            if interrupted.is_some_and(|then| elapsed >= then + self.grace) {
                return RunResult::interrupted("interrupted before it had an answer", seconds);
            }
            if let Some(deadline) = self.deadline
                && elapsed >= deadline + self.grace
            {
                let limit = deadline.as_secs_f64();
                return RunResult::failed(format!("no answer within {limit} s"), seconds);
            }
        }
    }
}

impl RunResult {
    fn failed(reason: String, seconds: f64) -> Self {
        Self {
            answer: Err(reason),
            is_refused: false,
            is_interrupted: false,
            seconds,
            memory: None,
        }
    }

    fn interrupted(reason: &str, seconds: f64) -> Self {
        Self {
            is_interrupted: true,
            ..Self::failed(reason.to_owned(), seconds)
        }
    }
}
