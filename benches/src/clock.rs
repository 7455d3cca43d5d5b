//! Measures the CPU time of a thread.

use std::error::Error;
use std::time::Instant;

#[cfg(target_os = "linux")]
use rustix::time::{ClockId, clock_gettime};

/// Maximum number of repetitions of one query.
const REPETITIONS: usize = 200;

/// A clock for the CPU time of this thread or, if the system does not report it, for elapsed time.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
    is_cpu: bool,
}

impl Clock {
    /// Creates a clock that starts now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            is_cpu: cpu_seconds().is_some(),
        }
    }

    /// Returns `cpu` or `wall`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        if self.is_cpu { "cpu" } else { "wall" }
    }

    /// Returns the CPU seconds of this thread so far, or else the seconds since the clock was created.
    #[must_use]
    pub fn now(&self) -> f64 {
        let cpu = if self.is_cpu { cpu_seconds() } else { None };
        cpu.unwrap_or_else(|| self.start.elapsed().as_secs_f64())
    }

    /// Repeats the same query; returns the CPU seconds of each repetition, and the last answer.
    ///
    /// The time in which an answer is freed is not measured.
    ///
    /// # Errors
    ///
    /// Returns the errors of the query.
    pub fn repeat<T>(
        &self,
        seconds: f64,
        mut ask: impl FnMut() -> Result<T, Box<dyn Error>>,
    ) -> Result<(Vec<f64>, T), Box<dyn Error>> {
        let begin = Instant::now();
        let mut times = Vec::new();
        loop {
            let before = self.now();
            let answer = ask()?;
            times.push(self.now() - before);
            if times.len() >= REPETITIONS || begin.elapsed().as_secs_f64() >= seconds {
                return Ok((times, answer));
            }
        }
    }
}

/// Returns the CPU seconds that this thread has used.
#[cfg(target_os = "linux")]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no such clock")]
fn cpu_seconds() -> Option<f64> {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(target_os = "linux"))]
fn cpu_seconds() -> Option<f64> {
    None
}

impl Default for Clock {
    fn default() -> Self {
        Self::new()
    }
}
