//! Levels of a set on several threads, taken in order.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::ProgressBar;

use crate::Failure;
use crate::interrupt;
use crate::options::Options;
use crate::progress;

/// Does `work` for some numbers, `step` of them at once, and hands the results to `take` in order, a few at a time, until Ctrl-C; tells how many
/// were taken.
pub(crate) fn in_order<T: Send>(
    options: &Options,
    (numbers, step): (Range<u64>, u64),
    work: impl Fn(Range<u64>) -> Result<Vec<T>, Failure> + Sync,
    mut take: impl FnMut(u64, T) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let threads = options.threads();
    let bar = if options.shows_particles() {
        ProgressBar::hidden()
    } else {
        progress::bar(
            numbers.end - numbers.start,
            "{bar:40} {pos}/{len} levels, {elapsed}, {eta} left",
        )?
    };
    let counted = |numbers: Range<u64>| {
        let results = work(numbers.clone());
        bar.inc(numbers.end - numbers.start);
        results
    };
    let mut index = numbers.start;
    while index < numbers.end && !interrupt::is_set() {
        // A set that may be stopped is written as soon as there are levels.
        let parts = if options.resume { 1 } else { 8 };
        let to = numbers.end.min(index + parts * threads as u64 * step);
        for result in batch(index..to, step, threads, &counted)? {
            take(index, result)?;
            index += 1;
        }
    }
    bar.finish_and_clear();
    if index == numbers.start && index < numbers.end {
        return Err(interrupt::nothing());
    }
    Ok(index - numbers.start)
}

fn batch<T: Send>(
    numbers: Range<u64>,
    step: u64,
    threads: usize,
    work: &(impl Fn(Range<u64>) -> Result<Vec<T>, Failure> + Sync),
) -> Result<Vec<T>, Failure> {
    let next = AtomicU64::new(numbers.start);
    let work = || -> Result<Vec<(u64, Vec<T>)>, Failure> {
        let mut done = Vec::new();
        loop {
            let first = next.fetch_add(step, Ordering::Relaxed);
            if first >= numbers.end {
                return Ok(done);
            }
            let last = numbers.end.min(first + step);
            done.push((first, work(first..last)?));
        }
    };
    let threads = threads.min((numbers.end - numbers.start).div_ceil(step) as usize);
    let results: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let results = handles.into_iter().map(std::thread::ScopedJoinHandle::join);
        results.collect()
    });
    let mut all = Vec::new();
    for result in results {
        all.extend(result.map_err(|_| "a thread failed")??);
    }
    all.sort_by_key(|(first, _)| *first);
    Ok(all.into_iter().flat_map(|(_, results)| results).collect())
}
