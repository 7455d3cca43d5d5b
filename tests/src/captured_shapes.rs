//! Random models in which `Chain` elements choose among captured elements, with dependencies of five shapes.
//!
//! The shapes are lists that choose lists, several `Chain` elements that read one list, long lists that choose an element by position, nested choices
//! between two elements, and `Chain` elements on a value and a list. Models have many or few captured elements, whose numbers of values differ.

use figrs_core::{
    Binomial, Chain, Constant, Element, Flip, If, Model, Parents, Select, Uniform, fold, inject,
};

use crate::captured_lists::{CapturedLists, Dice};

/// Returns the model of a seed; captured elements have up to `values` values.
pub fn captured_shapes(seed: u64, values: u64) -> CapturedLists {
    let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5bd1);
    let captured: Vec<Element<i64>> = (0..3 + dice.below(3))
        .map(|_| {
            let n = 2 + dice.below(values - 1).cast_signed();
            match dice.below(3) {
                0 => Uniform::new(0..n),
                1 => Binomial::new((n - 1) as u32, 0.4).map(|&x| i64::from(x)),
                _ => Select::new((0..n).map(|x| (1.0 + x as f64, x))),
            }
        })
        .collect();
    let (list, last) = match dice.below(5) {
        0 => lists_of_lists(&mut dice, &captured),
        1 => readers_of_one(&mut dice, &captured),
        2 => by_position(&mut dice, &captured),
        3 => nested_choices(&mut dice, &captured),
        _ => value_and_list(&mut dice, &captured),
    };
    let mut model = Model::new();
    match dice.below(5) {
        0 => model = model.condition(&last, |x| x % 2 == 0),
        1 => model = model.condition(&list, |list| list.iter().sum::<i64>() > 0),
        2 => model = model.weigh(&last, |x| 1.0 + (x % 3) as f64),
        3 => model = model.condition(&captured[1], |x| *x != 1),
        _ => {}
    }
    CapturedLists {
        model,
        last,
        captured,
        list,
    }
}

type Pair = (Element<Vec<i64>>, Element<i64>);

fn key(list: &[i64]) -> i64 {
    list.iter().fold(1, |key, x| key * 7 + x)
}

/// Returns some captured elements, chosen by `key`.
fn some(dice: Dice, key: i64, kinds: u64, captured: &[Element<i64>]) -> Vec<Element<i64>> {
    let mut dice = Dice(dice.0 ^ (key.unsigned_abs() % kinds * 7919));
    let count = 1 + dice.below(3);
    (0..count).map(|_| dice.one(captured)).collect()
}

/// Returns an element of a number that depends on captured elements, chosen by `key`.
fn number(dice: Dice, key: i64, kinds: u64, captured: &[Element<i64>]) -> Element<i64> {
    let mut dice = Dice(dice.0 ^ (key.unsigned_abs() % kinds * 104_729));
    let (a, b) = (dice.one(captured), dice.one(captured));
    match dice.below(6) {
        0 => a,
        1 => (&a, &b).map(move |(x, y)| (x + 2 * y + key % 3) % 6),
        2 => If::new(&a.map(|x| x % 2 == 0), b, Constant::new(key % 4)),
        3 => a.flat_map(move |&x| {
            Flip::new(0.2 + 0.1 * (x % 5) as f64).map(move |&f| x + i64::from(f))
        }),
        4 => Constant::new(key % 5),
        _ => fold(captured, key % 3, |sum, x| (sum * 2 + x) % 5),
    }
}

/// Builds a model in which each list chooses the next one.
fn lists_of_lists(dice: &mut Dice, captured: &[Element<i64>]) -> Pair {
    let mut list = inject(some(Dice(dice.below(1 << 40)), 1, 1, captured));
    for _ in 0..=dice.below(3) {
        let (next, kinds) = (Dice(dice.below(1 << 40)), 2 + dice.below(3));
        let captures = captured.to_vec();
        list = list.flat_map(move |list| inject(some(next, key(list), kinds, &captures)));
    }
    let (shape, kinds, captures) = (
        Dice(dice.below(1 << 40)),
        2 + dice.below(4),
        captured.to_vec(),
    );
    let last = list.flat_map(move |list| number(shape, key(list), kinds, &captures));
    (list, last)
}

/// Builds a model in which several `Chain` elements read one list.
fn readers_of_one(dice: &mut Dice, captured: &[Element<i64>]) -> Pair {
    let (shape, kinds, captures) = (
        Dice(dice.below(1 << 40)),
        2 + dice.below(3),
        captured.to_vec(),
    );
    let by = dice.one(captured);
    let list = by.flat_map(move |&x| inject(some(shape, x, kinds, &captures)));
    let readers: Vec<Element<i64>> = (0..2 + dice.below(3))
        .map(|_| {
            let (shape, kinds, captures) = (
                Dice(dice.below(1 << 40)),
                2 + dice.below(4),
                captured.to_vec(),
            );
            list.flat_map(move |list| number(shape, key(list), kinds, &captures))
        })
        .collect();
    let last = fold(&readers, 0, |sum, x| (sum + x) % 7);
    (list, last)
}

/// Builds a model in which a list chooses an element by its position.
fn by_position(dice: &mut Dice, captured: &[Element<i64>]) -> Pair {
    let long: Vec<Element<i64>> = (0..3 + dice.below(3)).map(|_| dice.one(captured)).collect();
    let list = inject(&long);
    let choices = captured.to_vec();
    let chosen = list
        .flat_map(move |list| choices[key(list).unsigned_abs() as usize % choices.len()].clone());
    let other = dice.one(captured);
    let last = Chain::new((chosen, other), {
        let (shape, captures) = (Dice(dice.below(1 << 40)), captured.to_vec());
        move |(x, y)| number(shape, x + 3 * y, 4, &captures)
    });
    (list, last)
}

/// Builds a model with a list of nested choices between two elements.
fn nested_choices(dice: &mut Dice, captured: &[Element<i64>]) -> Pair {
    let parts: Vec<Element<i64>> = (0..2 + dice.below(3))
        .map(|_| {
            let mut part = dice.one(captured);
            for _ in 0..=dice.below(3) {
                let (by, other) = (dice.one(captured), dice.one(captured));
                let odd = by.map(|x| x % 2 == 1);
                part = If::new(&odd, part, other);
            }
            part
        })
        .collect();
    let list = inject(&parts);
    let (shape, kinds, captures) = (
        Dice(dice.below(1 << 40)),
        2 + dice.below(5),
        captured.to_vec(),
    );
    let last = list.flat_map(move |list| number(shape, key(list), kinds, &captures));
    (list, last)
}

/// Builds a model with a `Chain` on a value and a list.
fn value_and_list(dice: &mut Dice, captured: &[Element<i64>]) -> Pair {
    let (shape, kinds, captures) = (
        Dice(dice.below(1 << 40)),
        2 + dice.below(3),
        captured.to_vec(),
    );
    let by = (dice.one(captured), dice.one(captured));
    let list = Chain::new(by, move |(x, y)| {
        inject(some(shape, x * 3 + y, kinds, &captures))
    });
    let (shape, kinds, captures) = (
        Dice(dice.below(1 << 40)),
        2 + dice.below(4),
        captured.to_vec(),
    );
    let last = Chain::new((dice.one(captured), &list), move |(x, list)| {
        number(shape, key(list) + x, kinds, &captures)
    });
    (list, last)
}
