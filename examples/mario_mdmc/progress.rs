//! Bars for what takes long, on a terminal.

use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::Failure;

/// What is done sooner has no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often a bar shows that time goes on.
const TICK: Duration = Duration::from_millis(200);

/// A bar of some length on the standard error, if that is a terminal, which appears after a second.
pub(crate) fn bar(length: u64, template: &str) -> Result<ProgressBar, Failure> {
    let style = ProgressStyle::with_template(template)?;
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::hidden());
    let bar = bar.with_style(style);
    if io::stderr().is_terminal() {
        let waiting = bar.clone();
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            if !waiting.is_finished() {
                waiting.set_draw_target(ProgressDrawTarget::stderr());
                waiting.enable_steady_tick(TICK);
            }
        });
    }
    Ok(bar)
}
