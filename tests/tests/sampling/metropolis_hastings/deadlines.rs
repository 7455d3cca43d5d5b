//! Tests of deadlines and interrupts with slow functions.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use figrs::prelude::*;
use figrs::{SimulatedAnnealing, Stopped};

const FUNCTION: Duration = Duration::from_millis(20);
const DEADLINE: Duration = Duration::from_millis(400);
/// Each of four chains ends within one call of the function; the rest of this time allows for a busy machine.
const AT_MOST: Duration = Duration::from_secs(3);

fn slow() -> Element<bool> {
    Flip::new(0.5).map(|&b| {
        sleep(FUNCTION);
        b
    })
}

#[test]
fn slow_functions_do_not_outlast_a_deadline() {
    let slow = slow();
    for threads in [1, 2] {
        let begun = Instant::now();
        let sampler = MetropolisHastings::new(100_000).deadline(DEADLINE);
        let sampler = sampler.threads(NonZero::new(threads).unwrap());
        let answer = sampler.run(&Model::new(), &slow).unwrap();
        assert!(begun.elapsed() < AT_MOST, "{:?}", begun.elapsed());
        let sampling = answer.sampling().unwrap();
        assert_eq!(sampling.stopped, Stopped::Deadline);
        assert_eq!(sampling.asked, Some(400_000));
        assert!(sampling.done > 0 && sampling.chains > 0, "{sampling:?}");
        let begun = Instant::now();
        let annealing = SimulatedAnnealing::new(100_000).deadline(DEADLINE);
        let world = annealing.run(&Model::new(), &slow).unwrap();
        assert!(begun.elapsed() < AT_MOST, "{:?}", begun.elapsed());
        assert_eq!(world.sampling().unwrap().stopped, Stopped::Deadline);
    }
}

#[test]
fn a_deadline_before_the_first_draw_leaves_nothing() {
    let sampler = MetropolisHastings::new(100_000).deadline(Duration::ZERO);
    let ended = sampler.run(&Model::new(), slow());
    assert!(matches!(ended, Err(Error::NothingDone { .. })), "{ended:?}");
    let annealing = SimulatedAnnealing::new(100_000).deadline(Duration::ZERO);
    let ended = annealing.run(&Model::new(), slow());
    assert!(matches!(ended, Err(Error::NothingDone { .. })), "{ended:?}");
}

/// If progress were reported every 256 steps, reports would come every five seconds.
#[test]
fn slow_steps_are_reported_one_by_one() {
    let most = Arc::new(AtomicU64::new(0));
    let message = most.clone();
    let sampler = MetropolisHastings::new(100)
        .chains(1)
        .deadline(2 * DEADLINE);
    let sampler = sampler.on_progress(move |progress| {
        message.fetch_max(progress.done, Ordering::Relaxed);
    });
    sampler.run(&Model::new(), slow()).unwrap();
    let most = most.load(Ordering::Relaxed);
    assert!((1..100).contains(&most), "{most}");
}
