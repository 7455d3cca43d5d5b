//! Tests of posteriors with modes that single steps do not connect: over-dispersed starts, and replica exchange.

use std::num::NonZero;

use figrs_core::{Beta, ContinuousUniform, Element, Flip, If, Model, Normal, StandardDeviation};

use super::is_right;
use crate::MetropolisHastings;
use figrs_answer::{Error, Run};

fn two_modes() -> (Model, Element<f64>) {
    let x = Normal::new(1.0, StandardDeviation(4.0));
    let seen = Normal::new(x.map(|x| x.abs()), StandardDeviation(0.1));
    (Model::new().observe(&seen, 4.0), x)
}

#[test]
fn replicas_bring_both_modes_in_their_proportion() {
    let (model, x) = two_modes();
    let sampler = MetropolisHastings::new(8000)
        .seed(1)
        .tempered([1024.0, 4.0, 16.0, 64.0, 256.0]);
    let answer = sampler.run(&model, &x).unwrap();
    // Both modes have the same narrow likelihood, but different prior densities.
    let (density, mut sides) = (|x: f64| (-(x - 1.0).powi(2) / 32.0).exp(), [0.0; 2]);
    for i in -600..=600 {
        let off = f64::from(i) / 1000.0;
        let seen = (-off * off / 0.02).exp();
        sides[0] += seen * density(4.0 + off);
        sides[1] += seen * density(-4.0 - off);
    }
    let right = sides[0] / (sides[0] + sides[1]);
    is_right(&answer, &x, |&x| f64::from(u8::from(x > 0.0)), right, 0.05);
    is_right(&answer, &x, |x| x.abs(), 4.0, 0.02);
}

#[test]
fn replicas_are_the_same_on_any_number_of_threads() {
    let (model, x) = two_modes();
    let draws = |threads| {
        let sampler = MetropolisHastings::new(200).seed(2).tempered([2.0, 8.0]);
        let sampler = sampler.threads(NonZero::new(threads).unwrap());
        let answer = sampler.run(&model, &x).unwrap();
        answer.draws().unwrap().values(&x).unwrap()
    };
    assert_eq!(draws(1), draws(3));
}

#[test]
fn temperatures_below_one_are_errors() {
    let (model, x) = two_modes();
    for temperature in [0.5, f64::NAN, f64::INFINITY] {
        let ended = MetropolisHastings::new(10)
            .tempered([temperature])
            .run(&model, &x);
        assert!(
            matches!(
                ended,
                Err(Error::InvalidSetting {
                    setting: "tempered",
                    ..
                })
            ),
            "{ended:?}"
        );
    }
}

fn mixture() -> (Model, Element<f64>) {
    let data = [
        -2.1, -1.7, -2.5, -1.9, 3.2, 2.8, 3.9, 3.1, 2.2, -2.2, 3.4, 2.9,
    ];
    let means = [-1.0, 1.0].map(|mean| Normal::new(mean, StandardDeviation(3.0)));
    let sigma = ContinuousUniform::new(0.1, 3.0);
    let share = Beta::new(2.0, 2.0);
    let mut model = Model::new();
    for x in data {
        let mean = If::new(&Flip::new(&share), &means[0], &means[1]);
        model = model.observe(&Normal::new(&mean, StandardDeviation(&sigma)), x);
    }
    (model, means[0].clone())
}

/// The components of the mixture in this test may exchange their roles. With independent first worlds, all chains were in the same mode for a third
/// of the seeds.
#[test]
fn chains_begin_in_both_modes_of_a_mixture() {
    let one_sided = |seed: &u64| {
        let (model, mean) = mixture();
        let sampler = MetropolisHastings::new(300).seed(*seed);
        let answer = sampler.run(&model, &mean).unwrap();
        let draws = answer.draws().unwrap().values(&mean).unwrap();
        let above = draws.chunks(300).filter(|chain| chain[299] > 0.5).count();
        print!("{above} ");
        above == 0 || above == 4
    };
    let one_sided = (0..20).filter(one_sided).count();
    assert!(one_sided <= 2, "{one_sided} of 20");
}

#[test]
fn replicas_swap_the_components_of_a_mixture() {
    let (model, mean) = mixture();
    let sampler = MetropolisHastings::new(8000)
        .chains(1)
        .seed(1)
        .tempered([2.0, 4.0, 8.0, 16.0]);
    let answer = sampler.run(&model, &mean).unwrap();
    let above = answer.probability_that(&mean, |&x| x > 0.5).unwrap();
    assert!((0.1..0.9).contains(&above), "{above}");
}
