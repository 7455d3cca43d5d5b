//! Random models of `Chain` elements over lists of captured elements.
//!
//! A first `Chain` chooses a list of elements that its branches capture, in an order and number that depend on the branch; a second one chooses by
//! the value of that list, and its branches capture the same elements again. The models test an encoding by choices: many branches that depend on a
//! few elements must not be treated as many variables.

use figrs_core::{
    Binomial, Chain, Constant, Element, Flip, If, Model, Parents, Select, Uniform, fold, inject,
};

/// A random model of `Chain` elements over lists of captured elements.
#[derive(Debug)]
pub struct CapturedLists {
    /// The model with its evidence.
    pub model: Model,
    /// The element of the last `Chain`.
    pub last: Element<i64>,
    /// The elements that branches capture.
    pub captured: Vec<Element<i64>>,
    /// The element of the list by which the second `Chain` chooses.
    pub list: Element<Vec<i64>>,
}

/// A random number generator that gives the same numbers for the same seed (Steele, Lea and Flood 2014, `SplitMix64`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    pub(crate) fn one<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }
}

/// Returns the model of a seed; each captured element has up to `values` values.
pub fn captured_lists(seed: u64, values: u64) -> CapturedLists {
    let mut dice = Dice(seed);
    let count = 2 + dice.below(3);
    let captured: Vec<Element<i64>> = (0..count).map(|_| root(&mut dice, values)).collect();
    let shape = dice.below(1 << 40);
    let captures = captured.clone();
    let branch = move |key: i64| list(Dice(shape ^ ((key as u64 % 4) * 77)), key, &captures, 2);
    let list = if dice.below(2) == 0 {
        dice.one(&captured).flat_map(move |&x| branch(x))
    } else {
        let pair = (dice.one(&captured), dice.one(&captured));
        Chain::new(pair, move |(x, y)| branch(x + 2 * y))
    };
    let (shape, kinds) = (dice.below(1 << 40), 2 + dice.below(4));
    let captures = captured.clone();
    let last = list.flat_map(move |list| {
        let key = list.iter().fold(1, |key, x| key * 5 + x);
        let kind = key.unsigned_abs() % kinds;
        number(Dice(shape ^ (kind * 1009)), key, &captures)
    });
    let mut model = Model::new();
    match dice.below(4) {
        0 => model = model.condition(&last, |x| x % 2 == 1),
        1 => model = model.condition(&list, |list| list.len() > 1),
        2 => model = model.weigh(&captured[0], |x| 1.0 + (x % 3) as f64),
        _ => {}
    }
    CapturedLists {
        model,
        last,
        captured,
        list,
    }
}

fn root(dice: &mut Dice, values: u64) -> Element<i64> {
    let n = 2 + dice.below(values - 1).cast_signed();
    match dice.below(2) {
        0 => Uniform::new(0..n),
        _ => Select::new((0..n).map(|x| (f64::from(x as u32 % 3) + 0.5, x))),
    }
}

/// Returns a list of captured elements, of functions of captured elements, and of elements that the branch creates.
fn list(mut dice: Dice, key: i64, captured: &[Element<i64>], deeper: usize) -> Element<Vec<i64>> {
    if deeper > 0 && dice.below(4) == 0 {
        let captures = captured.to_vec();
        return dice.one(captured).flat_map(move |&x| {
            let next = Dice(dice.0 ^ (x as u64 % 2));
            list(next, key + x, &captures, deeper - 1)
        });
    }
    let mut parts = Vec::new();
    for _ in 0..=dice.below(3) {
        let part = dice.one(captured);
        parts.push(match dice.below(6) {
            0 => part.map(move |x| (x + key) % 4),
            1 => Uniform::new([0, 1]),
            2 => Constant::new(key % 3),
            _ => part,
        });
    }
    inject(&parts)
}

/// Returns an element of a number that depends on captured elements.
fn number(mut dice: Dice, key: i64, captured: &[Element<i64>]) -> Element<i64> {
    let (a, b) = (dice.one(captured), dice.one(captured));
    match dice.below(7) {
        0 => Binomial::new(2, 0.3).map(|&x| i64::from(x)),
        1 => Select::new([
            (a.map(|&x| x as f64 * 0.2 + 0.1), 1),
            (Constant::new(0.9), 3),
            (b.map(move |&x| ((x + key) % 3) as f64 * 0.3), 2),
        ]),
        2 => Constant::new(key % 5),
        3 => a,
        4 => (&a, &b).map(move |(x, y)| (x * y + key) % 5),
        5 => If::new(&Flip::new(0.3), a, b),
        _ => fold(captured, key % 2, |sum, x| (sum + x) % 4),
    }
}
