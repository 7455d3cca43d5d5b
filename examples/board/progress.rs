//! Progress on a terminal.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How far something has come, shown on a terminal once it takes more than two seconds.
#[derive(Clone)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Of something that does so many things, if that is known.
    pub(crate) fn of(what: &'static str, total: Option<u64>) -> Self {
        let template = match total {
            Some(_) => "{bar:40} {msg} {pos} of {len}, {eta} left",
            None => "{spinner} {msg} {pos}, {elapsed}",
        };
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(bar.with_style(style).with_message(what))
    }

    pub(crate) fn set(&self, done: u64) {
        let is_slow = self.0.elapsed() > Duration::from_secs(2);
        if is_slow && self.0.is_hidden() && io::stderr().is_terminal() {
            self.0.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.0.set_position(done);
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
