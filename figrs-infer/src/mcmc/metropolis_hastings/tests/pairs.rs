//! Tests of random choices that evidence connects, and that are therefore changed in pairs.

use figrs_core::{Element, Flip, Model, Parents, Select, fold};

use super::is_right;
use crate::MetropolisHastings;
use figrs_answer::Run;
use figrs_exact::Enumerate;

/// In the test model, exactly one of four elements is true; a change of a single element therefore never leads to a possible world.
#[test]
fn sites_that_evidence_ties_together_are_changed_in_pairs() {
    let chances = [0.1, 0.2, 0.3, 0.4];
    let coins = chances.map(Flip::new);
    let list: Vec<Element<u32>> = coins
        .iter()
        .map(|bernoulli| bernoulli.map(|&b| u32::from(b)))
        .collect();
    let count = list[1..].iter().fold(list[0].clone(), |sum, next| {
        (&sum, next).map(|(a, b)| a + b)
    });
    let model = Model::new().observe(&count, 1);
    let answer = MetropolisHastings::new(10_000)
        .seed(5)
        .run(&model, &coins[..])
        .unwrap();
    let odds = chances.map(|p| p / (1.0 - p));
    for (bernoulli, odds_of) in coins.iter().zip(odds) {
        let right = odds_of / odds.iter().sum::<f64>();
        is_right(&answer, bernoulli, |&b| f64::from(u8::from(b)), right, 0.03);
    }
    let free = Flip::new(0.3);
    let answer = MetropolisHastings::new(500)
        .run(&Model::new(), &free)
        .unwrap();
    assert!(answer.sampling().unwrap().acceptance.unwrap() > 0.3);
}

/// In the model, actors appear in films, and the evidence states that there is exactly one award; a change of one choice can therefore neither give
/// nor remove an award. The test of the award model uses the default settings.
#[test]
fn the_one_award_goes_from_film_to_film() {
    let appearances = [(0, 0), (1, 1), (2, 1), (2, 2)];
    let skilful: Vec<Element<bool>> = (0..3).map(|_| Flip::new(0.1)).collect();
    let of = |film: usize| appearances.iter().filter(move |(_, other)| *other == film);
    let quality: Vec<Element<&str>> = (0..3)
        .map(|film| {
            let cast: Vec<_> = of(film).map(|(actor, _)| skilful[*actor].clone()).collect();
            fold(&cast, false, |any, &one| *any || one).flat_map(|&good| {
                let shares = if good {
                    [0.2, 0.3, 0.5]
                } else {
                    [0.5, 0.3, 0.2]
                };
                Select::by(shares, ["low", "medium", "high"])
            })
        })
        .collect();
    let famous: Vec<Element<bool>> = (0..3)
        .map(|actor| {
            let films = appearances.iter().filter(|(other, _)| *other == actor);
            let films: Vec<_> = films.map(|(_, film)| quality[*film].clone()).collect();
            fold(&films, 0, |n, film| n + i32::from(*film == "high"))
                .flat_map(|&n| Flip::new(if n >= 2 { 0.8 } else { 0.1 }))
        })
        .collect();
    let awards: Vec<Element<bool>> = appearances
        .iter()
        .map(|&(actor, film)| {
            let chance = (&quality[film], &famous[actor]).map(|(quality, famous)| {
                match (*quality, *famous) {
                    ("low", false) => 0.001,
                    ("low", true) | ("medium", false) => 0.01,
                    ("medium", true) | ("high", false) => 0.05,
                    _ => 0.2,
                }
            });
            Flip::new(&chance)
        })
        .collect();
    let count = fold(&awards, 0, |n, &award| n + i32::from(award));
    let model = Model::new()
        .observe(&skilful[2], true)
        .observe(&quality[1], "high")
        .observe(&count, 1);
    let exact = Enumerate::new().run(&model, &awards).unwrap();
    let answer = MetropolisHastings::new(20_000)
        .seed(1)
        .run(&model, &awards)
        .unwrap();
    for (award, right) in awards.iter().zip([0.0672, 0.2284, 0.4089, 0.2956]) {
        let known = exact.probability(award, &true).unwrap();
        assert!((known - right).abs() < 5e-5, "{known}");
        is_right(&answer, award, |&b| f64::from(u8::from(b)), known, 0.03);
    }
}
