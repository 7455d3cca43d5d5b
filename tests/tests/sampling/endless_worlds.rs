//! Tests of deadlines and memory limits for worlds that do not end.

use std::time::Duration;

use figrs::prelude::*;
use figrs::{Enumerate, Flip, Model, ModelError, SimulatedAnnealing, Stopped};

const DEADLINE: Duration = Duration::from_millis(60);

/// Time that suffices for draws before a world that does not end, also on a busy machine.
const LONGER: Duration = Duration::from_millis(600);

/// A recursion in which each world has one more choice than the world before it.
fn endless() -> Element<u64> {
    Flip::new(0.5).flat_map(|_| endless())
}

#[test]
fn a_deadline_ends_within_a_world() {
    let element = endless();
    for algorithm in algorithms![
        Enumerate::new().deadline(DEADLINE),
        ForwardSampling::new(1000).deadline(DEADLINE),
        ImportanceSampling::new(1000).deadline(DEADLINE),
        RejectionSampling::new(1000).deadline(DEADLINE),
        SequentialMonteCarlo::new(10).deadline(DEADLINE),
        MetropolisHastings::new(1000).deadline(DEADLINE),
        SimulatedAnnealing::new(1000).deadline(DEADLINE),
    ] {
        let ended = algorithm.run(&Model::new(), &element).map(drop);
        let is_nothing = matches!(ended, Err(Error::NothingDone { .. }));
        assert!(is_nothing, "{}: {ended:?}", algorithm.name());
    }
}

#[test]
fn draws_before_an_endless_world_are_kept() {
    let element = Uniform::new(0..200).flat_map(|&drawn| match drawn {
        0 => endless(),
        _ => Constant::new(7),
    });
    let chains = MetropolisHastings::new(100_000_000)
        .burn_in(0)
        .chains(1)
        .seed(1);
    let answer = chains.deadline(LONGER).run(&Model::new(), &element);
    let answer = answer.unwrap();
    assert_eq!(answer.sampling().unwrap().stopped, Stopped::Deadline);
    assert_eq!(answer.most_likely_value(&element).unwrap(), 7);
}

#[test]
fn chains_share_the_memory() {
    const BYTES: u64 = 8 << 20;
    let chains = MetropolisHastings::new(10).chains(4).max_bytes(BYTES);
    let searches = SimulatedAnnealing::new(10).chains(8).max_bytes(BYTES);
    for (algorithm, worlds) in [
        (&chains as &dyn Algorithm, 4),
        (&chains.clone().tempered([4.0]), 8),
        (&searches, 8),
    ] {
        let error = algorithm.run(&Model::new(), endless()).unwrap_err();
        let Error::Model(ModelError::TooMuchMemory { limit, .. }) = error else {
            panic!("{error}");
        };
        assert_eq!(limit, BYTES / worlds);
    }
}
