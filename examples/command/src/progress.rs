//! Progress lines on a terminal.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::printed::printable_lines;

/// Delay before progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// Interval between updates of the elapsed time.
const TICK: Duration = Duration::from_millis(200);

/// All progress lines, below each other; none if the standard error is not a terminal.
static LINES: LazyLock<MultiProgress> = LazyLock::new(|| {
    MultiProgress::with_draw_target(if *IS_SHOWN {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    })
});

/// `true` if the standard error is a terminal.
static IS_SHOWN: LazyLock<bool> = LazyLock::new(|| io::stderr().is_terminal());

static TICKING: Once = Once::new();

static RUNNING: Mutex<Vec<Weak<Line>>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<Weak<Line>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Progress of some work: a line on a terminal, shown after a second of work and removed when the last copy is dropped. The progress line updates the
/// displayed elapsed time by itself, even between reports of progress.
#[derive(Clone, Debug)]
pub struct Progress(Arc<Line>);

#[derive(Debug)]
struct Line {
    bar: ProgressBar,
    is_shown: AtomicBool,
    /// Time in milliseconds at which the progress was last printed.
    shown_at: AtomicU64,
}

impl Progress {
    /// Creates the progress line for work on a number of items, which may be unknown.
    pub fn of(what: &'static str, total: Option<u64>) -> Self {
        let template = match total {
            Some(_) => "{bar:30} {prefix} {pos} of {len}{msg}, {elapsed}, {eta} left",
            None => "{spinner} {prefix} {pos}{msg}, {elapsed}",
        };
        Self::with_template(what, total, template)
    }

    /// Creates the progress of work whose number of items is unknown.
    pub fn waiting(what: &'static str) -> Self {
        Self::with_template(what, None, "{spinner} {prefix}{msg}, {elapsed}")
    }

    /// Creates the progress of work that is shown as a share of the total, which [`set_total`](Self::set_total) sets.
    pub fn share(what: &'static str) -> Self {
        Self::with_template(
            what,
            Some(0),
            "{bar:30} {prefix}{msg} {percent}%, {elapsed}",
        )
    }

    fn with_template(what: &'static str, total: Option<u64>, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let line = Arc::new(Line {
            bar: bar.with_style(style).with_prefix(what),
            is_shown: AtomicBool::new(false),
            shown_at: AtomicU64::new(0),
        });
        if *IS_SHOWN {
            running().push(Arc::downgrade(&line));
            TICKING.call_once(|| drop(thread::spawn(tick)));
        }
        Self(line)
    }

    /// Sets the number of items of the work that are done.
    pub fn set(&self, done: u64) {
        self.0.bar.set_position(done);
    }

    /// Sets the total number of items.
    pub fn set_total(&self, total: u64) {
        self.0.bar.set_length(total);
    }

    /// Sets the number of items done, and the total if it is known.
    pub fn follow(&self, done: u64, total: Option<u64>) {
        total.inspect(|&total| self.set_total(total));
        self.set(done);
    }

    /// Sets a further text for the progress line; `more` is called at most ten times a second.
    pub fn tell(&self, more: impl FnOnce() -> String) {
        if !*IS_SHOWN {
            return;
        }
        let now = self.0.bar.elapsed().as_millis() as u64;
        let shown_at = self.0.shown_at.load(Ordering::Relaxed);
        if now >= shown_at + 100 {
            self.0.shown_at.store(now, Ordering::Relaxed);
            self.0.bar.set_message(printable_lines(&more()));
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        if self.is_shown.load(Ordering::Relaxed) {
            LINES.remove(&self.bar);
        }
    }
}

/// Writes a line to the standard error, above all progress lines. Errors of writing the line are ignored.
pub fn note(text: impl Display) {
    LINES.suspend(|| {
        let text = printable_lines(&text.to_string());
        let _ = writeln!(io::stderr(), "{text}");
    });
}

/// Hides all progress lines permanently, even if work continues to report progress.
pub(crate) fn hide() {
    let _ = LINES.clear();
    LINES.set_draw_target(ProgressDrawTarget::hidden());
}

/// Shows the progress lines whose delay is over, and updates their elapsed times.
fn tick() {
    loop {
        thread::sleep(TICK);
        let lines: Vec<Arc<Line>> = {
            let mut running = running();
            running.retain(|line| line.strong_count() > 0);
            running.iter().filter_map(Weak::upgrade).collect()
        };
        for line in lines {
            if line.bar.elapsed() < PATIENCE {
                continue;
            }
            if !line.is_shown.swap(true, Ordering::Relaxed) {
                LINES.add(line.bar.clone());
            }
            line.bar.tick();
        }
    }
}
