//! A bar for the comparison, and its end by Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use figrs::{Progress, Step};
use indicatif::{ProgressBar, ProgressStyle};

use super::Failure;
use super::options::Options;

/// How finely the bar tells how far a step has come.
const FINE: u64 = 1000;

/// What all algorithms of a run share: the bar, the interrupt and the time limit.
#[derive(Clone)]
pub(crate) struct Watch {
    bar: ProgressBar,
    /// Steps that are done.
    done: Arc<AtomicU64>,
    interrupt: Arc<AtomicBool>,
    deadline: Option<Duration>,
}

impl Watch {
    pub(crate) fn new(options: &Options) -> Result<Self, Failure> {
        let interrupt = Arc::new(AtomicBool::new(false));
        let flag = interrupt.clone();
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        })?;
        // It is hidden where standard error is not a terminal.
        let bar = ProgressBar::new(0);
        bar.set_style(ProgressStyle::with_template("{bar:30} {elapsed} {msg}")?);
        Ok(Self {
            bar,
            done: Arc::default(),
            interrupt,
            deadline: options.time_limit.map(Duration::from_secs_f64),
        })
    }

    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        self.interrupt.clone()
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// Called before each step.
    pub(crate) fn listener(&self) -> impl Fn(&Step) + 'static {
        let watch = self.clone();
        move |step| {
            watch.done.store(step.done as u64, Ordering::Relaxed);
            watch.bar.set_length(step.total as u64 * FINE);
            watch.bar.set_position(step.done as u64 * FINE);
            watch.bar.set_message(step.name.clone());
        }
    }

    /// Called while an algorithm runs.
    pub(crate) fn within_step(&self) -> impl Fn(&Progress) + Send + Sync + 'static {
        let watch = self.clone();
        move |progress| {
            let total = progress.total.unwrap_or(u64::MAX).max(1);
            let share = progress.done as f64 / total as f64;
            let done = watch.done.load(Ordering::Relaxed) * FINE;
            watch
                .bar
                .set_position(done + (share.min(1.0) * FINE as f64) as u64);
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
