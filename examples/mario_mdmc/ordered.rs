//! Levels of a numbered set, drawn on several threads and received in the order of their numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use figrs::missing_in_batch;
use figrs_command::{Failure, Progress, stop};

use crate::options::Options;

/// Interval between checks of the request to stop.
const POLL: Duration = Duration::from_millis(20);
/// Time within which running batches of levels must end after the command is asked to stop.
const GRACE: Duration = Duration::from_secs(1);
/// Maximum number of batches of levels that wait to be received.
const WAITING: usize = 4;

/// The levels to draw.
pub(crate) struct Wanted {
    pub(crate) count: u64,
    /// The numbers of the levels that already exist.
    pub(crate) kept: BTreeSet<u64>,
    /// Number of levels that are drawn together, even if fewer levels are requested.
    pub(crate) batch: u64,
}

/// A batch of levels: the index of the batch, the numbers of its levels, and the results of drawing them.
type Batch<T> = (u64, Range<u64>, Result<Vec<T>, Failure>);

/// A batch of levels that a thread sends, or the failure of a thread.
type Sent<T> = Result<Batch<T>, figrs::Error>;

/// Calls `work` for the numbers of the levels on several threads, and passes the results to `take` in order; returns the number of results taken.
///
/// After a request to stop, results that arrive within a second are taken up to the first missing result.
pub(crate) fn in_order<T: Send + 'static>(
    options: &Options,
    wanted: Wanted,
    work: impl Fn(Range<u64>) -> Result<Vec<T>, Failure> + Send + Sync + 'static,
    mut take: impl FnMut(u64, T) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let left = wanted.count - wanted.kept.len() as u64;
    let progress = (!options.shows_particles()).then(|| Progress::of("levels", Some(left)));
    let (threads, wanted) = (options.threads(), Arc::new(wanted));
    let (sender, receiver) = sync_channel(WAITING);
    let all = Arc::clone(&wanted);
    thread::Builder::new().spawn(move || {
        let batches = (0..all.count.div_ceil(all.batch), 1);
        // A batch is sent by the thread that drew it, because the thread that keeps the order may be drawing another batch.
        let draw = |sender: &mut SyncSender<Sent<T>>, place| {
            let is_kept = |number| all.kept.contains(&number);
            let numbers = missing_in_batch((place, all.batch), &(0..all.count), is_kept);
            let levels = match numbers.is_empty() {
                true => Ok(Vec::new()),
                // After a request to stop, no further batch is begun.
                false if stop::is_set() => return Ok(ControlFlow::Break(())),
                false => work(numbers.clone()),
            };
            Ok(match sender.send(Ok((place, numbers, levels))) {
                Ok(()) => ControlFlow::Continue(()),
                // The receiver of the levels was dropped.
                Err(_) => ControlFlow::Break(()),
            })
        };
        let own = || Ok(sender.clone());
        if let Err(error) = figrs::in_order(threads, batches, own, draw, |next| next) {
            drop(sender.send(Err(error)));
        }
    })?;
    let (mut count, mut next) = (0, 0);
    let mut waiting = BTreeMap::new();
    let mut stopped = None::<Instant>;
    'sent: while let Some(sent) = next_sent(&receiver, &mut stopped) {
        let (place, numbers, levels) = sent?;
        waiting.insert(place, (numbers, levels));
        while let Some((numbers, levels)) = waiting.remove(&next) {
            next += 1;
            // A batch that the end of the command stopped has no levels; the batches before it have been taken.
            if levels.is_err() && stop::is_set() && count > 0 {
                break 'sent;
            }
            for (number, level) in numbers.zip(levels?) {
                if !wanted.kept.contains(&number) {
                    take(number, level)?;
                    count += 1;
                }
            }
        }
        if let Some(progress) = &progress {
            progress.set(count);
        }
    }
    if count == 0 && left > 0 {
        return Err(stop::nothing("a level"));
    }
    Ok(count)
}

/// Returns the next batch that a thread sends; `None` after the last batch, or if the command is asked to stop.
fn next_sent<T>(receiver: &Receiver<Sent<T>>, stopped: &mut Option<Instant>) -> Option<Sent<T>> {
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(sent) => return Some(sent),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                if stop::is_set() && stopped.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                    return None;
                }
            }
        }
    }
}
