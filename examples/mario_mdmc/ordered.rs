//! Levels of a set on several threads, taken in order.

use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use figrs_command::{Failure, Progress, stop};

use crate::options::Options;

/// Interval at which it is checked whether the command is told to stop.
const POLL: Duration = Duration::from_millis(20);
/// Time that batches under way have to end once the command is told to stop.
const GRACE: Duration = Duration::from_secs(1);
/// Number of batches that wait to be taken.
const WAITING: usize = 4;

/// The levels that are wanted.
pub(crate) struct Wanted {
    pub(crate) count: u64,
    /// The numbers of those that are there already.
    pub(crate) kept: BTreeSet<u64>,
    /// Number of levels drawn together, whatever number is asked for.
    pub(crate) batch: u64,
}

impl Wanted {
    /// The numbers of a batch, from the first to the last one that is missing.
    fn missing(&self, batch: u64) -> Range<u64> {
        let first = batch * self.batch;
        let numbers = first..(first + self.batch).min(self.count);
        let is_missing = |number: &u64| !self.kept.contains(number);
        let first = numbers.clone().find(is_missing);
        let last = numbers.rev().find(is_missing);
        first
            .zip(last)
            .map_or(0..0, |(first, last)| first..last + 1)
    }
}

/// A batch: its numbers, and its results.
type Batch<T> = (Range<u64>, Result<Vec<T>, Failure>);

/// Does `work` for the wanted numbers on several threads, and hands the results to `take` in order; returns the number taken.
///
/// Once the command is told to stop, the results of the next second are taken, up to the first that is missing, and the rest
/// is dropped.
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
        // A thread hands in each batch as soon as it is done, so that little is lost at the end.
        let batches = (0..all.count.div_ceil(all.batch), 1);
        let draw = |(): &mut (), batch| {
            let numbers = all.missing(batch);
            Ok(match numbers.is_empty() {
                true => Some((numbers, Ok(Vec::new()))),
                // None is begun any more once the command is told to stop.
                false if stop::is_set() => None,
                false => Some((numbers.clone(), work(numbers))),
            })
        };
        let pass_on = |batch: Option<Batch<T>>| match batch.map(|batch| sender.send(batch)) {
            Some(Ok(())) => ControlFlow::Continue(()),
            // The command is told to stop, or nobody waits any more.
            None | Some(Err(_)) => ControlFlow::Break(()),
        };
        let drawn = figrs::in_order(threads, batches, || Ok(()), draw, pass_on);
        if let Err(error) = drawn {
            // Nobody waits for it any more if it cannot be sent.
            let _ = sender.send((0..0, Err(error.into())));
        }
    })?;
    let (mut count, mut stopped) = (0, None::<Instant>);
    while let Some((numbers, levels)) = next_batch(&receiver, &mut stopped) {
        for (number, level) in numbers.zip(levels?) {
            if !wanted.kept.contains(&number) {
                take(number, level)?;
                count += 1;
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

/// The next batch in order, as soon as it is done; none after the last, or if the command is to end.
fn next_batch<T>(receiver: &Receiver<Batch<T>>, stopped: &mut Option<Instant>) -> Option<Batch<T>> {
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(batch) => return Some(batch),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                if stop::is_set() && stopped.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                    return None;
                }
            }
        }
    }
}
