//! Tests of worlds that are drawn independently, each from separate populations.

use figrs::DiscreteUniform;
use figrs::prelude::*;

/// Nine in ten of the populations, which have one particle, die; rounds in which all populations die lose no world.
#[test]
fn worlds_are_drawn_though_populations_die() {
    let die = DiscreteUniform::new(1, 10);
    let model = Model::new().condition(&die, |n| *n == 7);
    let mut fruitless = 0;
    for seed in 0..40 {
        let drawn = SequentialMonteCarlo::new(1).seed(seed).independent(
            20,
            |filter| filter.run(&model, &die),
            |draws, at| draws.values(&die).unwrap()[at],
        );
        match drawn {
            Ok(drawn) => {
                assert_eq!(drawn.worlds, [7; 20], "seed {seed}");
                assert!(drawn.died > drawn.populations / 2);
            }
            // All 40 populations of the first round died, which happens for 1.5 % of the seeds.
            Err(Error::NoSampleMetEvidence { .. }) => fruitless += 1,
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    assert!(fruitless < 8, "{fruitless} of 40 seeds drew nothing");
}
