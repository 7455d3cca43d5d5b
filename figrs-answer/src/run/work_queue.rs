//! A parallel loop with ordered results: several threads run numbered units of work, and the results are processed in order.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::error::{Error, guarded};

/// Maximum number of batches of units of work, for each thread, whose results wait to be processed.
const MAX_BATCHES_IN_FLIGHT: u64 = 8;
/// Divisor for the size of a thread's next batch: the size is the thread's share of the remaining units of work, divided by this number (guided
/// self-scheduling). With decreasing batch sizes, all threads end at about the same time.
const SHARE_DIVISOR: u64 = 2;

/// Runs numbered units of work on up to `threads` threads, including the calling thread. The calling thread passes the results to `take` in the order
/// of the units, until `take` returns `Break` or a unit of work fails.
///
/// A thread takes up to `batch` units of work at a time. A batch should take some tenths of a millisecond; with smaller batches, threads would wait
/// for work. Each thread has a worker of its own (a value that the thread's units of work reuse), which is created before the thread's first unit of
/// work.
///
/// **Guarantee.** Neither the sequence of results nor the bits of their sum depend on the number of threads. The result of a unit of work of a
/// parallel loop must depend only on the index of the unit, and not on earlier units of the same worker. Each unit of work must have its own random
/// numbers from [`stream`](figrs_core::stream). Every sampler of figrs that runs blocks of samples, populations or Markov chains in parallel uses the
/// function `in_order`.
///
/// **Complexity.** Each batch of units of work locks the queue once. For each thread, the results of at most eight batches wait to be processed.
///
/// **Errors.** The error of a unit of work, or of the creation of a worker; of several errors, the one with the smallest index of the unit. A panic
/// in a unit of work or a worker is returned as [`Error::Panicked`](crate::Error::Panicked).
///
/// ```
/// # use std::ops::ControlFlow;
/// # use figrs_core::{rand::RngExt, stream};
/// # use figrs_infer::in_order;
/// // The mean of a million uniform numbers, in units of a thousand: the same bits on one thread and on four.
/// let mean = |threads| {
///     let mut sum = 0.0;
///     let unit = |(): &mut (), number| {
///         let mut random = stream(7, number);
///         Ok((0..1000).map(|_| random.random::<f64>()).sum::<f64>())
///     };
///     let take = |unit| {
///         sum += unit;
///         ControlFlow::Continue(())
///     };
///     in_order(threads, (0..1000, 8), || Ok(()), unit, take).map(|()| sum / 1e6)
/// };
/// assert_eq!(mean(1)?.to_bits(), mean(4)?.to_bits());
/// # Ok::<(), figrs_infer::Error>(())
/// ```
pub fn in_order<W, R: Send>(
    threads: usize,
    (units, batch): (Range<u64>, u64),
    worker: impl Fn() -> Result<W, Error> + Sync,
    work: impl Fn(&mut W, u64) -> Result<R, Error> + Sync,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) -> Result<(), Error> {
    let threads = (threads as u64).min(units.end.saturating_sub(units.start));
    if threads <= 1 {
        let mut own = None;
        for unit in units {
            let results = done(&mut own, unit..unit + 1, &worker, &work);
            if pass_on(results, &mut take)?.is_break() {
                break;
            }
        }
        return Ok(());
    }
    let queue = WorkQueue {
        end: units.end,
        batch: batch.max(1),
        threads,
        state: Mutex::new(QueueState {
            begun: units.start,
            taken: units.start,
            ended: false,
            results: BTreeMap::new(),
        }),
        changed: Condvar::new(),
    };
    let (worker, work) = (&worker, &work);
    thread::scope(|scope| {
        let _guard = PanicGuard(&queue);
        let help = || {
            let _guard = PanicGuard(&queue);
            let mut own = None;
            while let Some(batch) = queue.next() {
                queue.store(batch.start, done(&mut own, batch, worker, work));
            }
        };
        for _ in 1..threads {
            // If the system cannot start more threads, the existing threads do the work.
            if thread::Builder::new().spawn_scoped(scope, help).is_err() {
                break;
            }
        }
        let mut own = None;
        let outcome = loop {
            match queue.next_action() {
                QueueAction::Take(results) => match pass_on(results, &mut take) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(())) => break Ok(()),
                    Err(error) => break Err(error),
                },
                QueueAction::Work(batch) => {
                    queue.store(batch.start, done(&mut own, batch, worker, work));
                }
                QueueAction::End => break Ok(()),
            }
        };
        queue.end();
        outcome
    })
}

/// Runs the units of work of `batch`. Returns the results of the units of work of `batch`, up to the first error. The worker (a value that units of
/// work reuse) is created before the first batch.
fn done<W, R>(
    own: &mut Option<W>,
    batch: Range<u64>,
    worker: impl Fn() -> Result<W, Error>,
    work: impl Fn(&mut W, u64) -> Result<R, Error>,
) -> Vec<Result<R, Error>> {
    let own = match own {
        Some(own) => own,
        None => match guarded(worker) {
            Ok(new) => own.insert(new),
            Err(error) => return vec![Err(error)],
        },
    };
    let mut results = Vec::with_capacity((batch.end - batch.start) as usize);
    for unit in batch {
        let result = guarded(|| work(own, unit));
        let failed = result.is_err();
        results.push(result);
        if failed {
            break;
        }
    }
    results
}

/// Passes results to `take` until a result is an error or `take` returns `Break`.
fn pass_on<R>(
    results: Vec<Result<R, Error>>,
    take: &mut impl FnMut(R) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Error> {
    for result in results {
        if take(result?).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The next action of the calling thread of the parallel loop, which also processes the results.
enum QueueAction<R> {
    Take(Vec<Result<R, Error>>),
    Work(Range<u64>),
    End,
}

struct WorkQueue<R> {
    end: u64,
    batch: u64,
    threads: u64,
    state: Mutex<QueueState<R>>,
    changed: Condvar,
}

struct QueueState<R> {
    /// The index of the first unit of work that no thread has begun.
    begun: u64,
    /// The index of the first unit of work whose result has not been processed.
    taken: u64,
    ended: bool,
    /// The results that wait to be processed. The key of each entry of the waiting results is the index of the batch's first unit of work.
    results: BTreeMap<u64, Vec<Result<R, Error>>>,
}

impl<R> WorkQueue<R> {
    /// Locks the state of the queue and ignores poisoning, which does no harm: a thread panics only when it does not hold the lock, or
    /// after the queue has ended.
    fn lock(&self) -> MutexGuard<'_, QueueState<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, QueueState<R>>) -> MutexGuard<'a, QueueState<R>> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the next batch of units of work; returns `None` if no unit of work remains, or if too many results wait to be processed.
    fn begin_batch(&self, state: &mut QueueState<R>) -> Option<Range<u64>> {
        let waiting = state.begun - state.taken;
        if state.begun >= self.end
            || waiting
                >= self
                    .batch
                    .saturating_mul(MAX_BATCHES_IN_FLIGHT * self.threads)
        {
            return None;
        }
        let part = (self.end - state.begun) / (SHARE_DIVISOR * self.threads);
        let first = state.begun;
        state.begun += part.clamp(1, self.batch);
        Some(first..state.begun)
    }

    /// Returns the next batch for a thread that does not process results; the thread waits while too many results wait to be processed.
    fn next(&self) -> Option<Range<u64>> {
        let mut state = self.lock();
        while !state.ended && state.begun < self.end {
            if let Some(batch) = self.begin_batch(&mut state) {
                return Some(batch);
            }
            state = self.wait(state);
        }
        None
    }

    fn next_action(&self) -> QueueAction<R> {
        let mut state = self.lock();
        loop {
            if state.ended || state.taken == self.end {
                return QueueAction::End;
            }
            let first = state.taken;
            if let Some(results) = state.results.remove(&first) {
                state.taken += results.len() as u64;
                self.changed.notify_all();
                return QueueAction::Take(results);
            }
            if let Some(batch) = self.begin_batch(&mut state) {
                return QueueAction::Work(batch);
            }
            state = self.wait(state);
        }
    }

    /// Stores the results of a batch of units of work. If a unit of work of the batch failed, no further batch begins.
    fn store(&self, first: u64, results: Vec<Result<R, Error>>) {
        let mut state = self.lock();
        if matches!(results.last(), Some(Err(_))) {
            state.begun = self.end;
        }
        state.results.insert(first, results);
        self.changed.notify_all();
    }

    fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }
}

/// A guard that ends the queue if its thread panics; otherwise other threads would wait for the thread forever.
struct PanicGuard<'a, R>(&'a WorkQueue<R>);

impl<R> Drop for PanicGuard<'_, R> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_order_on_any_number_of_threads() {
        for threads in 1..5 {
            let mut taken = Vec::new();
            let ended = in_order(
                threads,
                (0..100, 7),
                || Ok(()),
                |(), unit| Ok(unit * unit),
                |square| {
                    taken.push(square);
                    if taken.len() < 40 {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                },
            );
            assert_eq!(ended, Ok(()));
            assert_eq!(taken, (0..40).map(|i| i * i).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn the_first_error_ends_the_work() {
        let ended_at = |worlds| Error::TooManyWorlds {
            worlds,
            evaluations: None,
        };
        for threads in 1..4 {
            let mut taken = 0;
            let work = |(): &mut (), unit| match unit {
                5.. => Err(ended_at(unit)),
                _ => Ok(()),
            };
            let ended = in_order(
                threads,
                (0..9, 2),
                || Ok(()),
                work,
                |()| {
                    taken += 1;
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(ended, Err(ended_at(5)));
            assert_eq!(taken, 5);
        }
    }

    /// The parameter `batch` is the maximum number of units of work that a thread takes at a time, not the minimum number.
    #[test]
    fn few_units_are_shared_too() {
        let workers = AtomicU64::new(0);
        let worker = || Ok(workers.fetch_add(1, Ordering::SeqCst));
        // Each unit waits until a second worker has begun a unit.
        let work = |_: &mut u64, _| {
            while workers.load(Ordering::SeqCst) < 2 {
                thread::yield_now();
            }
            Ok(())
        };
        let take = |()| ControlFlow::Continue(());
        assert_eq!(in_order(2, (0..4, 32), worker, work, take), Ok(()));
    }

    /// The result of the second unit of work cannot be processed before that of the first unit. In this test, the first unit of work waits until the
    /// other threads can begin no further units.
    #[test]
    fn no_thread_runs_far_ahead() {
        let most = 2 * MAX_BATCHES_IN_FLIGHT;
        let others = AtomicU64::new(0);
        let work = |(): &mut (), unit| {
            if unit > 0 {
                return Ok(others.fetch_add(1, Ordering::SeqCst));
            }
            while others.load(Ordering::SeqCst) < most - 1 {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(20));
            Ok(others.load(Ordering::SeqCst))
        };
        let mut first = None;
        let take = |seen| {
            first.get_or_insert(seen);
            ControlFlow::Continue(())
        };
        assert_eq!(in_order(2, (0..100, 1), || Ok(()), work, take), Ok(()));
        assert_eq!(first, Some(most - 1));
    }

    #[test]
    fn nobody_waits_for_a_unit_that_panics() {
        for panics in [0, 1, 40] {
            let work = |(): &mut (), unit| {
                assert!(unit != panics, "as it should");
                Ok(unit)
            };
            let take = |_| ControlFlow::Continue(());
            let ended = in_order(3, (0..100, 2), || Ok(()), work, take);
            let Err(Error::Panicked { message }) = ended else {
                panic!("{ended:?}");
            };
            assert!(
                message.starts_with("as it should (figrs-answer"),
                "{message}"
            );
        }
    }
}
