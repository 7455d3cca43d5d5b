//! Chains on threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Error;

/// Runs chains by their numbers on some threads, all cores by default, and returns what they did in the order of the chains;
/// of several errors that of the first chain.
pub(crate) fn each_chain<R: Send>(
    chains: usize,
    threads: Option<usize>,
    run: impl Fn(usize) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.unwrap_or_else(cores).min(chains);
    if threads <= 1 {
        return (0..chains).map(run).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let chain = next.fetch_add(1, Ordering::Relaxed);
                    if chain >= chains {
                        return;
                    }
                    let result = run(chain);
                    if let Ok(mut done) = done.lock() {
                        done.push((chain, result));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(chain, _)| *chain);
    done.into_iter().map(|(_, result)| result).collect()
}
