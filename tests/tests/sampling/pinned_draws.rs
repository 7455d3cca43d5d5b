//! Tests that fix the draws of every sampler for one seed, on one thread and on three.
//!
//! If these numbers change, users notice the change, because a seed then gives other results, and the changelog must mention it.

use std::num::NonZero;

use figrs::prelude::*;
use figrs::{SimulatedAnnealing, inject, tuple};
use figrs_tests::fingerprint::fingerprint;
use rand::SeedableRng;
use rand::rngs::SmallRng;

/// A model with its evidence, and the target.
type Asked<T> = (Model, Element<T>);

/// Returns a finite model: a table, a `Chain` of captured lists, a function and evidence about the function.
fn finite() -> Asked<(i64, bool, Vec<bool>)> {
    let season = Select::new([(0.2, 0i64), (0.5, 1), (0.3, 2)]);
    let rain = Cpd::new(
        &season,
        [
            (0, Flip::new(0.1)),
            (1, Flip::new(0.4)),
            (2, Flip::new(0.8)),
        ],
    );
    let (early, late) = (Flip::new(0.3), Flip::new(0.6));
    let seen = season.flat_map(move |&season| match season {
        0 => inject(std::slice::from_ref(&early)),
        1 => inject(&[late.clone(), early.clone()]),
        _ => inject(&[early.clone(), late.clone(), Flip::new(0.5)]),
    });
    let some = (&seen, &rain).map(|(seen, &rain)| rain || seen.contains(&true));
    let model = Model::new().observe(&some, true);
    (model, tuple((&season, &rain, &seen)))
}

/// Returns a value rounded such that the last digits of a logarithm do not matter.
fn thousandths(x: f64) -> i64 {
    (1000.0 * x).round() as i64
}

/// Returns the number of heads until the first tails, of coins that are separate elements.
fn heads(p: &Element<f64>) -> Element<u32> {
    let next = p.clone();
    Flip::new(p).flat_map(move |&head| {
        if head {
            heads(&next).map(|n| n + 1)
        } else {
            Constant::new(0)
        }
    })
}

/// Returns a model of continuous elements and a recursion, with an observed value and a condition.
fn continuous() -> Asked<(i64, u32, i64)> {
    let p = Beta::new(2.0, 3.0);
    let count = heads(&p);
    let level = (&p, &count)
        .flat_map(|(&p, &count)| Normal::new(p + f64::from(count), StandardDeviation(0.5)));
    let noisy = Normal::new(&level, StandardDeviation(1.0));
    let model = Model::new()
        .observe(&noisy, 1.25)
        .condition(&count, |count| *count < 6);
    let p = p.map(|&p| thousandths(p));
    (model, tuple((&p, &count, &level.map(|&x| thousandths(x)))))
}

/// Returns the fingerprints of the draws of an algorithm from a model on one thread and on three, which must be equal.
fn drawn<T: Value>(
    (model, target): &Asked<T>,
    algorithm: impl Fn(NonZero<usize>) -> Box<dyn Algorithm>,
) -> u64 {
    let on = |threads: usize| {
        let algorithm = algorithm(NonZero::new(threads).unwrap());
        let is_prior = algorithm.name() == "ForwardSampling";
        let prior = Model::new();
        let model = if is_prior { &prior } else { model };
        let answer = algorithm.run(model, target).unwrap();
        let draws = answer.draws().unwrap();
        fingerprint(&format!("{:?}", draws.values(target).unwrap()))
    };
    let one = on(1);
    assert_eq!(one, on(3), "three threads draw otherwise than one");
    one
}

#[test]
fn draws_of_samplers_are_these() {
    let (finite, continuous) = (finite(), continuous());
    let both = |algorithm: &dyn Fn(NonZero<usize>) -> Box<dyn Algorithm>| {
        [drawn(&finite, algorithm), drawn(&continuous, algorithm)]
    };
    let found = [
        (
            "ForwardSampling",
            both(&|threads| {
                Box::new(
                    ForwardSampling::new(700)
                        .seed(3)
                        .threads(threads)
                        .keep_draws(),
                )
            }),
        ),
        (
            "ImportanceSampling",
            both(&|threads| {
                Box::new(
                    ImportanceSampling::new(700)
                        .seed(3)
                        .threads(threads)
                        .keep_draws(),
                )
            }),
        ),
        (
            "SequentialMonteCarlo",
            both(&|threads| {
                let filter = SequentialMonteCarlo::new(50).populations(20);
                Box::new(filter.seed(3).threads(threads).keep_draws())
            }),
        ),
        (
            "MetropolisHastings",
            both(&|threads| Box::new(MetropolisHastings::new(300).seed(3).threads(threads))),
        ),
    ];
    let pinned = [
        (
            "ForwardSampling",
            [9_066_977_269_526_711_207, 2_205_342_874_625_577_437],
        ),
        (
            "ImportanceSampling",
            [7_234_303_904_010_290_585, 804_622_128_865_876_089],
        ),
        (
            "SequentialMonteCarlo",
            [8_103_151_901_490_979_860, 13_235_213_303_333_517_890],
        ),
        (
            "MetropolisHastings",
            [18_140_773_045_338_470_804, 6_141_610_444_129_754_165],
        ),
    ];
    assert_eq!(found, pinned);
}

#[test]
fn draws_of_finite_models_are_these() {
    let finite = finite();
    let found = [
        (
            "RejectionSampling",
            drawn(&finite, |threads| {
                Box::new(
                    RejectionSampling::new(700)
                        .seed(3)
                        .threads(threads)
                        .keep_draws(),
                )
            }),
        ),
        (
            "Gibbs",
            drawn(&finite, |threads| {
                Box::new(Gibbs::new(300).seed(3).threads(threads))
            }),
        ),
    ];
    assert_eq!(
        found,
        [
            ("RejectionSampling", 7_234_303_904_010_290_585),
            ("Gibbs", 1_278_374_844_518_817_549)
        ]
    );
}

#[test]
fn worlds_of_compiled_forms_are_these() {
    fn worlds(compiled: &impl Compiled, target: &Element<(i64, bool, Vec<bool>)>) -> u64 {
        let mut rng = SmallRng::seed_from_u64(3);
        let world = |_| {
            compiled
                .sample(&mut rng)
                .unwrap()
                .value(target)
                .unwrap()
                .clone()
        };
        fingerprint(&format!("{:?}", (0..200).map(world).collect::<Vec<_>>()))
    }
    let (model, target) = finite();
    let tree = JunctionTree::new().compile(&model, &target).unwrap();
    let frontier = Frontier::new().compile(&model, &target).unwrap();
    let found = [worlds(&tree, &target), worlds(&frontier, &target)];
    assert_eq!(
        found,
        [2_266_741_347_300_123_309, 10_873_263_161_183_906_685]
    );
}

#[test]
fn worlds_of_simulated_annealing_are_these() {
    let (model, target) = finite();
    let on = |threads: usize| {
        let annealing = SimulatedAnnealing::new(40).chains(3).seed(3);
        let annealing = annealing.threads(NonZero::new(threads).unwrap());
        let answer = annealing.run(&model, &target).unwrap();
        format!("{:?}", answer.most_likely_value(&target).unwrap())
    };
    assert_eq!(on(1), on(3));
    assert_eq!(on(1), "(1, false, [true, false])");
}
