//! Tests of slices of programs whose `Chain` elements read lists. Their tables are predicted to be far larger than they are, so that very many slices
//! are planned.

use std::time::Duration;

use figrs::prelude::*;
use figrs::rand::RngExt;
use figrs::{Bytes, MpeSlices, Slices, stream};

fn hashed(code: u64, list: &[u8]) -> u64 {
    let hash = list.iter().fold(code, |hash, &x| {
        (hash ^ u64::from(x))
            .wrapping_mul(0x0100_0000_01b3)
            .rotate_left(23)
    });
    hash ^ (hash >> 29)
}

/// Returns a program of numbers below four and of lists of them, each computed or drawn from earlier ones by nested `Chain` elements, under a few
/// conditions.
fn program(seed: u64) -> (Model, Element<u8>) {
    let mut random = stream(seed, 0);
    let mut numbers: Vec<Element<u8>> = (0..random.random_range(1..4))
        .map(|_| Uniform::new(0..random.random_range(2..5)))
        .collect();
    let mut lists: Vec<Element<Vec<u8>>> = Vec::new();
    for _ in 0..random.random_range(3..11) {
        let number = numbers[random.random_range(0..numbers.len())].clone();
        let list = (!lists.is_empty()).then(|| lists[random.random_range(0..lists.len())].clone());
        let code: u64 = random.random();
        match (random.random_range(0..5), list) {
            (0 | 1, _) => {
                let part = |_| numbers[random.random_range(0..numbers.len())].clone();
                lists.push(Inject::new((0..3).map(part)));
            }
            (2, Some(list)) => numbers.push(list.flat_map(move |list| {
                let hash = hashed(code, list);
                let values = [hash >> 8, hash >> 16].map(|x| x as u8 % 4);
                if hash.is_multiple_of(3) {
                    return number.clone();
                }
                number.flat_map(move |&x| Select::new([(1.0, x ^ values[0]), (0.5, values[1])]))
            })),
            (3, Some(list)) => lists.push(list.flat_map(move |list| {
                let (list, other) = (list.clone(), hashed(code, list) as u8 % 4);
                number.flat_map(move |&x| {
                    let longer = [&list[..], &[x]].concat();
                    Select::new([(1.0, longer), (0.25, vec![other, x])])
                })
            })),
            _ => numbers.push(number.map(move |&x| hashed(code, &[x]) as u8 % 4)),
        }
    }
    let mut model = Model::new();
    if let [first, .., last] = &lists[..] {
        model = model.condition(&first.equals(last), |&same| same);
    }
    (model, numbers.swap_remove(numbers.len() - 1))
}

#[test]
fn slices_of_few_worlds_end_in_any_memory() {
    let mut ended = 0;
    for seed in 0..24 {
        let (model, target) = program(seed);
        let Ok(exact) = VariableElimination::new().run(&model, &target) else {
            continue;
        };
        let best = MpeVariableElimination::new().run(&model, &target).unwrap();
        for memory in [600, 16_384, 131_072] {
            let deadline = Duration::from_secs(60);
            let sum = Slices::within(Bytes(memory)).deadline(deadline);
            let evidence = |answer: &Answer| answer.log_evidence().unwrap().value;
            match sum.run(&model, &target) {
                Ok(sum) => assert!((evidence(&sum) - evidence(&exact)).abs() < 1e-9),
                Err(error) => assert!(matches!(error, Error::Elimination(_)), "{error}"),
            }
            let world = MpeSlices::within(Bytes(memory)).deadline(deadline);
            match world.run(&model, &target) {
                Ok(world) => {
                    let logs = [&world, &best].map(|answer| answer.log_probability().unwrap());
                    assert!((logs[0] - logs[1]).abs() < 1e-9, "{logs:?}");
                    ended += 1;
                }
                Err(error) => assert!(matches!(error, Error::Elimination(_)), "{error}"),
            }
        }
    }
    assert!(ended > 25, "{ended}");
}
