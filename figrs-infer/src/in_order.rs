//! Numbered pieces of work on several threads, with results taken in order.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::error::Error;

/// How many results of a thread may wait to be taken.
const WAITING: usize = 8;

/// Does the pieces `0..pieces` of some work, in batches of so many, on up to `threads` threads, each with a worker of its own, and hands the
/// results to `take` in order, on this thread, until it breaks or a piece fails.
///
/// Threads that meet too often wait more than they work: a batch should take some tenths of a millisecond.
///
/// What a piece gives must depend on its number alone; then the outcome is the same for any number of threads.
pub(crate) fn in_order<W, R: Send>(
    threads: usize,
    (pieces, batch): (u64, u64),
    worker: impl Fn() -> Result<W, Error> + Sync,
    work: impl Fn(&mut W, u64) -> Result<R, Error> + Sync,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) -> Result<(), Error> {
    let batches = pieces.div_ceil(batch);
    let threads = (threads as u64).min(batches);
    if threads <= 1 {
        let mut worker = worker()?;
        for piece in 0..pieces {
            if take(work(&mut worker, piece)?).is_break() {
                break;
            }
        }
        return Ok(());
    }
    thread::scope(|scope| {
        let (worker, work) = (&worker, &work);
        let results: Vec<Receiver<Vec<Result<R, Error>>>> = (0..threads)
            .map(|first| {
                let (give, results) = sync_channel(WAITING);
                scope.spawn(move || {
                    let mut own = match worker() {
                        Ok(own) => own,
                        Err(error) => {
                            // Nobody listens once an earlier piece has failed or the taker has enough.
                            let _ = give.send(vec![Err(error)]);
                            return;
                        }
                    };
                    for number in (first..batches).step_by(threads as usize) {
                        let mut done = Vec::with_capacity(batch as usize);
                        let mut failed = false;
                        for piece in number * batch..pieces.min((number + 1).saturating_mul(batch))
                        {
                            let result = work(&mut own, piece);
                            failed = result.is_err();
                            done.push(result);
                            if failed {
                                break;
                            }
                        }
                        if give.send(done).is_err() || failed {
                            return;
                        }
                    }
                });
                results
            })
            .collect();
        for number in 0..batches {
            // A thread ends early only after it has sent an error, which is taken before its end is seen.
            let Ok(done) = results[(number % threads) as usize].recv() else {
                break;
            };
            for result in done {
                if take(result?).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_on_any_number_of_threads() {
        for threads in 1..5 {
            let mut taken = Vec::new();
            let ended = in_order(
                threads,
                (100, 7),
                || Ok(()),
                |(), piece| Ok(piece * piece),
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
        for threads in 1..4 {
            let mut taken = 0;
            let work = |(): &mut (), piece| match piece {
                5.. => Err(Error::TooManyWorlds { limit: piece }),
                _ => Ok(()),
            };
            let ended = in_order(
                threads,
                (9, 2),
                || Ok(()),
                work,
                |()| {
                    taken += 1;
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(ended, Err(Error::TooManyWorlds { limit: 5 }));
            assert_eq!(taken, 5);
        }
    }
}
