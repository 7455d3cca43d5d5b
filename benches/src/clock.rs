//! CPU time of a thread.

use std::error::Error;
use std::time::Instant;

#[cfg(target_os = "linux")]
use rustix::time::{ClockId, clock_gettime};

/// At most as many repetitions of one question.
const REPETITIONS: usize = 200;

/// The CPU seconds of this thread if the system reports them, or else the time of the clock.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
    is_cpu: bool,
}

impl Clock {
    /// The clock from now on.
    #[must_use]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
            is_cpu: cpu_seconds().is_some(),
        }
    }

    /// `cpu` or `wall`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        if self.is_cpu { "cpu" } else { "wall" }
    }

    /// Seconds.
    #[must_use]
    pub fn now(&self) -> f64 {
        let cpu = if self.is_cpu { cpu_seconds() } else { None };
        cpu.unwrap_or_else(|| self.start.elapsed().as_secs_f64())
    }

    /// Asks the same question again and again: the CPU seconds of each time, and the last answer.
    ///
    /// An answer is freed while no clock runs.
    ///
    /// # Errors
    ///
    /// Those of the question.
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

/// CPU seconds of this thread.
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
