//! Levels of a set on several threads, taken in order.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use figrs_command::{Failure, Progress, stop};

use crate::options::Options;

/// Interval at which threads check whether the command is told to stop.
const POLL: Duration = Duration::from_millis(20);
/// Time that levels under way have to end once the command is told to stop.
const GRACE: Duration = Duration::from_secs(1);
/// Target time of a part of the work.
const PART: Duration = Duration::from_millis(200);
/// Number of parts drawn ahead, for each thread.
const AHEAD: u64 = 4;

/// The levels that are wanted.
pub(crate) struct Wanted {
    pub(crate) count: u64,
    /// The numbers of those that are there already.
    pub(crate) kept: BTreeSet<u64>,
    /// Number of levels drawn together, whatever number is asked for.
    pub(crate) batch: u64,
}

/// The levels of a range.
type Drawn<T> = (Range<u64>, Vec<T>);

/// Parts of the work by their place: the levels of a range.
type Parts<T> = BTreeMap<u64, (Range<u64>, Result<Vec<T>, Failure>)>;

/// State shared by the threads.
struct Shared<T> {
    wanted: Wanted,
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    /// The first number that no part has yet.
    next: u64,
    /// Batches of the next part.
    batches: u64,
    /// Parts given to threads, parts taken, and threads at work.
    given: u64,
    taken: u64,
    working: usize,
    done: Parts<T>,
}

impl<T> Shared<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State<T>>) -> MutexGuard<'s, State<T>> {
        let waited = self.changed.wait_timeout(state, POLL);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// The next part for a thread, if there is one.
    fn part(&self, threads: u64) -> Option<(u64, Range<u64>)> {
        let mut state = self.state();
        while state.given >= state.taken + AHEAD * threads {
            if stop::is_set() {
                return None;
            }
            state = self.wait(state);
        }
        let Wanted { count, kept, batch } = &self.wanted;
        let missing = |number: &u64| !kept.contains(number);
        let first = (state.next..*count).find(missing)?;
        if stop::is_set() {
            return None;
        }
        // All threads are to have some at the end.
        let rest = (count - first) / (batch * threads * 2);
        let batches = state.batches.min(rest).max(1);
        let end = ((first / batch + batches) * batch).min(*count);
        let last = (first..end).rev().find(missing).unwrap_or(first);
        let part = state.given;
        state.given += 1;
        state.next = end;
        Some((part, first..last + 1))
    }

    /// Hands in a part, and makes later ones larger or smaller by the time it took.
    fn hand_in(
        &self,
        part: u64,
        numbers: Range<u64>,
        levels: Result<Vec<T>, Failure>,
        took: Duration,
    ) {
        let mut state = self.state();
        if took < PART / 2 {
            state.batches = (state.batches * 2).min(64);
        } else if took > PART * 2 {
            state.batches = (state.batches / 2).max(1);
        }
        state.done.insert(part, (numbers, levels));
        self.changed.notify_all();
    }
}

/// A thread at work, until it ends in any way.
struct Working<T>(Arc<Shared<T>>);

impl<T> Drop for Working<T> {
    fn drop(&mut self) {
        self.0.state().working -= 1;
        self.0.changed.notify_all();
    }
}

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
    let threads = options.threads();
    let left = wanted.count - wanted.kept.len() as u64;
    let progress = (!options.shows_particles()).then(|| Progress::of("levels", Some(left)));
    let shared = Arc::new(Shared {
        wanted,
        state: Mutex::new(State {
            next: 0,
            batches: 1,
            given: 0,
            taken: 0,
            working: threads,
            done: Parts::new(),
        }),
        changed: Condvar::new(),
    });
    let work = Arc::new(work);
    for _ in 0..threads {
        let (working, work) = (Working(Arc::clone(&shared)), Arc::clone(&work));
        thread::Builder::new().spawn(move || {
            let shared = &working.0;
            while let Some((part, numbers)) = shared.part(threads as u64) {
                let started = Instant::now();
                let levels = work(numbers.clone());
                shared.hand_in(part, numbers, levels, started.elapsed());
            }
        })?;
    }
    let (mut count, mut stopped) = (0, None::<Instant>);
    while let Some((numbers, levels)) = next_part(&shared, &mut stopped)? {
        for (number, level) in numbers.zip(levels) {
            if !shared.wanted.kept.contains(&number) {
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

/// The next part in order, as soon as it is done; none after the last, or if the command is to end.
fn next_part<T>(
    shared: &Shared<T>,
    stopped: &mut Option<Instant>,
) -> Result<Option<Drawn<T>>, Failure> {
    let mut state = shared.state();
    loop {
        let taken = state.taken;
        if let Some((numbers, levels)) = state.done.remove(&taken) {
            state.taken += 1;
            shared.changed.notify_all();
            return Ok(Some((numbers, levels?)));
        }
        if state.working == 0 {
            // All parts that were given out have been handed in, unless a thread failed.
            return match state.given - taken {
                0 => Ok(None),
                _ => Err("a thread failed".into()),
            };
        }
        if stop::is_set() && stopped.get_or_insert_with(Instant::now).elapsed() >= GRACE {
            return Ok(None);
        }
        state = shared.wait(state);
    }
}
