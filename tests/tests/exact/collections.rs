//! Tests of collections of uncertain length: against sums over all worlds, and the sizes of their tables.

mod members;

use std::collections::BTreeMap;

use figrs::expand::{Encoding, Expansion};
use figrs::prelude::*;
use figrs::{Elements, Limits, ModelError, Process, fold};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Maximum number of members in the random programs.
const MOST: usize = 4;

/// The numbers of a random collection of members with the values 1, 2 and 3.
struct Numbers {
    /// The weights of the lengths from 0.
    lengths: Vec<f64>,
    /// For each member and each value of the member before it, the weights of its values; the first row is used if members are independent.
    values: Vec<[[f64; 3]; 3]>,
    depends: bool,
}

impl Numbers {
    fn random(random: &mut StdRng, case: usize) -> Self {
        let mut weight = || f64::from(random.random_range(1..=9_u32));
        let mut lengths: Vec<f64> = (0..=MOST).map(|_| weight()).collect();
        match case % 3 {
            // A known length; an uncertain length that is never zero.
            0 => {
                lengths = (0..=MOST)
                    .map(|n| f64::from(u8::from(n == case % MOST + 1)))
                    .collect();
            }
            1 => lengths[0] = 0.0,
            _ => {}
        }
        let row = |weight: &mut dyn FnMut() -> f64| [weight(), weight(), weight()];
        let values = (0..MOST)
            .map(|_| [row(&mut weight), row(&mut weight), row(&mut weight)])
            .collect();
        Self {
            lengths,
            values,
            depends: case.is_multiple_of(2),
        }
    }

    fn collection(&self) -> (Elements<i64>, Element<usize>) {
        let (values, depends) = (self.values.clone(), self.depends);
        let select = |[a, b, c]: [f64; 3]| Select::new([(a, 1_i64), (b, 2), (c, 3)]);
        let members = Process::recursive(move |members: &Process<usize, i64>, &at| {
            let rows = values[at];
            if at == 0 || !depends {
                return select(rows[0]);
            }
            let before = members.at(&(at - 1));
            before.flat_map(move |&before| select(rows[before as usize - 1]))
        });
        let all = (0_u8..).zip(self.lengths.iter().copied());
        let possible: Vec<(f64, u8)> = all
            .map(|(n, weight)| (weight, n))
            .filter(|n| n.0 > 0.0)
            .collect();
        let collection = match possible[..] {
            [(_, only)] => Elements::of_process(usize::from(only), &members),
            _ => Elements::of_process(Select::new(possible), &members),
        };
        let length = collection.length();
        (collection, length)
    }

    /// Calls `visit` with the members of each world, and the probability of the world.
    fn every_world(&self, mut visit: impl FnMut(&[i64], f64)) {
        let total: f64 = self.lengths.iter().sum();
        for (length, weight) in self.lengths.iter().enumerate() {
            for code in 0..3_usize.pow(length as u32) {
                let members: Vec<i64> = (0..length)
                    .map(|at| (code / 3_usize.pow(at as u32) % 3 + 1) as i64)
                    .collect();
                let mut p = weight / total;
                for (at, &value) in members.iter().enumerate() {
                    let before = if at == 0 || !self.depends {
                        0
                    } else {
                        members[at - 1] as usize - 1
                    };
                    let row = self.values[at][before];
                    p *= row[value as usize - 1] / row.iter().sum::<f64>();
                }
                visit(&members, p);
            }
        }
    }
}

/// The summaries of a collection, as elements and as functions of the members.
type Summary = (&'static str, Element<i64>, fn(&[i64]) -> Vec<(i64, f64)>);

fn sure(value: i64) -> Vec<(i64, f64)> {
    vec![(value, 1.0)]
}

fn count(test: impl Iterator<Item = bool>) -> i64 {
    test.filter(|&yes| yes).count() as i64
}

fn summaries(all: &Elements<i64>) -> Vec<Summary> {
    let number = |count: Element<usize>| count.map(|&n| n as i64);
    let truth = |truth: Element<bool>| truth.map(|&t| i64::from(t));
    let index = Uniform::new([0_u32, 2, 5]);
    let doubled = all.map(|v| 2 * v);
    let spread = all.flat_map(|&v| Select::new([(v as f64, 1_i64), (1.0, 0)]));
    vec![
        ("count", number(all.count(|&v| v == 2)), |m| {
            sure(count(m.iter().map(|&v| v == 2)))
        }),
        ("exists", truth(all.exists(|&v| v == 3)), |m| {
            sure(m.contains(&3).into())
        }),
        ("for_all", truth(all.for_all(|&v| v < 3)), |m| {
            sure((!m.contains(&3)).into())
        }),
        ("sum", all.sum(), |m| sure(m.iter().sum())),
        ("sum of mapped", doubled.sum(), |m| {
            sure(2 * m.iter().sum::<i64>())
        }),
        ("sum of chosen", spread.sum(), |m| {
            let mut sums = BTreeMap::from([(0, 1.0)]);
            for &v in m {
                let yes = v as f64 / (v as f64 + 1.0);
                let before = std::mem::take(&mut sums);
                for (sum, p) in before {
                    *sums.entry(sum + 1).or_insert(0.0) += p * yes;
                    *sums.entry(sum).or_insert(0.0) += p * (1.0 - yes);
                }
            }
            sums.into_iter().collect()
        }),
        (
            "greatest",
            all.reduce(|a, b| *a.max(b)).map(|v| v.unwrap_or(0)),
            |m| sure(m.iter().copied().max().unwrap_or(0)),
        ),
        (
            "first",
            all.reduce(|a, _| *a).map(|v| v.unwrap_or(0)),
            |m| sure(m.first().copied().unwrap_or(0)),
        ),
        ("last", all.reduce(|_, b| *b).map(|v| v.unwrap_or(0)), |m| {
            sure(m.last().copied().unwrap_or(0))
        }),
        ("fold", all.fold(1, |state, v| (3 * state + v) % 11), |m| {
            sure(m.iter().fold(1, |state, v| (3 * state + v) % 11))
        }),
        ("get", all.get(&index).map(|v| v.unwrap_or(0)), |m| {
            [0, 2, 5]
                .iter()
                .map(|&at: &usize| (m.get(at).copied().unwrap_or(0), 1.0 / 3.0))
                .collect()
        }),
        ("pairs", number(all.pairs().count(|(a, b)| a < b)), |m| {
            sure(count(
                (0..m.len())
                    .flat_map(|b| (0..b).map(move |a| (a, b)))
                    .map(|(a, b)| m[a] < m[b]),
            ))
        }),
    ]
}

/// Returns the exact algorithms that answer every finite query.
pub(crate) fn exact() -> Vec<Box<dyn Algorithm>> {
    algorithms![
        Enumerate::new(),
        VariableElimination::new(),
        JunctionTree::new(),
        Frontier::new(),
        Exact::new()
    ]
    .into()
}

#[test]
fn summaries_agree_with_sums_over_all_worlds() {
    let mut random = StdRng::seed_from_u64(20_261_128);
    for case in 0..6 {
        let numbers = Numbers::random(&mut random, case);
        let (all, length) = numbers.collection();
        let mut asked = summaries(&all);
        if numbers.lengths[0] == 0.0 {
            asked.push(("any_of", all.any_of(), |m| {
                m.iter().map(|&v| (v, 1.0 / m.len() as f64)).collect()
            }));
            asked.push(("at", all.at(0), |m| sure(m[0])));
        }
        // Evidence on a member that not all worlds have, on the length, and on a summary.
        let second = all.get(1);
        let model = Model::new()
            .condition(&second, |second| second.is_none_or(|v| v != 2))
            .weigh(&length, |&n| 1.0 / (n + 1) as f64)
            .condition(&all.count(|&v| v == 1), |&ones| ones < 3);
        let mut expected: Vec<BTreeMap<i64, f64>> = vec![BTreeMap::new(); asked.len()];
        let mut evidence = 0.0;
        numbers.every_world(|members, p| {
            if members.get(1) == Some(&2) || count(members.iter().map(|&v| v == 1)) >= 3 {
                return;
            }
            let p = p / (members.len() + 1) as f64;
            evidence += p;
            for ((_, _, summary), sums) in asked.iter().zip(&mut expected) {
                if p > 0.0 {
                    for (value, share) in summary(members) {
                        *sums.entry(value).or_insert(0.0) += p * share;
                    }
                }
            }
        });
        for (at, ((name, element, _), sums)) in asked.iter().zip(expected).enumerate() {
            let all = exact();
            // Enumeration of all worlds is slow: it answers in turns.
            let skipped = usize::from((case + at) % 4 != 0);
            for algorithm in &all[skipped..] {
                let answer = algorithm.run(&model, element).unwrap();
                for (value, p) in &sums {
                    let found = answer.probability(element, value).unwrap();
                    let right = p / evidence;
                    assert!(
                        (found - right).abs() < 1e-12,
                        "case {case}, {name} = {value} by {}: {found}, not {right}",
                        algorithm.name()
                    );
                }
            }
        }
    }
}

#[test]
fn the_most_probable_world_has_only_the_members_that_exist() {
    let length = Select::new([(0.3, 0_usize), (0.7, 3)]);
    let coins = Elements::of(&length, |at| Flip::new(0.6 + 0.1 * at as f64));
    let heads = coins.count(|coin| *coin);
    let fourth = coins.any_of();
    let world = MpeVariableElimination::new()
        .run(&Model::new(), &heads)
        .unwrap();
    // 0.7 * 0.6 * 0.7 * 0.8 < 0.3
    assert_eq!(world.most_likely_value(&heads).unwrap(), 0);
    assert!((world.log_probability().unwrap() - 0.3_f64.ln()).abs() < 1e-12);
    let model = Model::new().observe(&length, 3);
    let world = MpeVariableElimination::new()
        .run(&model, (&heads, &fourth))
        .unwrap();
    // The choice of one of three members is part of the world.
    let right = (0.7 * 0.6 * 0.7 * 0.8 / 3.0_f64).ln();
    assert!((world.log_probability().unwrap() - right).abs() < 1e-12);
}

/// The number of tables of an element, their entries, and the entries of the largest.
fn tables<T: Value>(element: &Element<T>) -> (usize, usize, usize) {
    let targets = [element.erased().clone()];
    let expansion = Expansion::new(&Model::new(), &targets, &Limits::default()).unwrap();
    let encoding = Encoding::for_sums(&expansion, expansion.targets()).unwrap();
    let entries = encoding
        .graph()
        .factors
        .iter()
        .map(figrs::factor::Factor::entries);
    (
        entries.len(),
        entries.clone().sum(),
        entries.max().unwrap_or(0),
    )
}

#[test]
fn tables_grow_linearly_with_the_length() {
    let coins = |n: usize| Elements::of(Uniform::new(0..=n), |_| Flip::new(0.3));
    let dice = |n: usize| Elements::of(Uniform::new(0..=n), |_| Uniform::new([1_u32, 2, 3]));
    for n in [10, 40] {
        let members = || (0..n).map(|_| Flip::new(0.3)).enumerate();
        // The states of summaries written by hand: the length and the count, or the length until a member is read and then the count.
        let start = Uniform::new(0..=n).map(|&n| (n, 0_usize));
        let state = members().fold(start, |state, (at, member)| {
            (&state, &member).map(move |(&(n, count), &member)| match n > at {
                true => (if n == at + 1 { 0 } else { n }, count + usize::from(member)),
                false => (n, count),
            })
        });
        let fold_by_hand = tables(&state.map(|state| state.1));
        let start = Uniform::new(0..=n).map(|&n| (n, None::<usize>));
        let state = members().rev().fold(start, |state, (at, member)| {
            (&state, &member).map(move |(&(n, count), &member)| match count {
                Some(count) => (0, Some(count + usize::from(member))),
                None if n == at + 1 => (0, Some(usize::from(member))),
                None => (n, None),
            })
        });
        let count_by_hand = tables(&state.map(|state| state.1.unwrap_or(0)));
        let folded = coins(n).fold(0, |count: &usize, &coin| count + usize::from(coin));
        for (name, found, by_hand) in [
            ("fold", tables(&folded), fold_by_hand),
            (
                "count",
                tables(&coins(n).count(|coin| *coin)),
                count_by_hand,
            ),
        ] {
            assert!(
                found.0 <= by_hand.0 + 1 && 20 * found.1 <= 21 * by_hand.1 && found.2 == by_hand.2,
                "{name} of {n}: {found:?}, by hand {by_hand:?}"
            );
        }
        // The states of a summary with two or three states do not grow: all tables together are quadratic only by the length itself.
        for (name, (number, _, largest)) in [
            ("exists", tables(&coins(n).exists(|coin| *coin))),
            ("for_all", tables(&coins(n).for_all(|coin| *coin))),
            ("greatest", tables(&dice(n).reduce(|a, b| *a.max(b)))),
            ("any_of", tables(&dice(n).any_of())),
        ] {
            assert!(
                number <= 3 * n + 4 && largest <= 4 * n + 30,
                "{name} of {n}: {number} tables, the largest with {largest} entries"
            );
        }
    }
    // A known length needs exactly the tables of a fold.
    let members: Vec<Element<bool>> = (0..30).map(|_| Flip::new(0.3)).collect();
    let by_hand = fold(&members, 0_usize, |count, &coin| count + usize::from(coin));
    let counted = Elements::new(members.clone()).count(|coin| *coin);
    assert_eq!(tables(&by_hand), tables(&counted));
}

#[test]
fn members_that_fail_count_only_in_the_worlds_that_have_them() {
    let length = Uniform::new([0_usize, 1, 2]);
    let is_short = length.map(|&n| n < 2);
    let short = Model::new().observe(&is_short, true);
    for fails in [|_: bool| true, |coin: bool| coin] {
        let coins = Elements::of(&length, move |at| {
            Flip::new(0.3).map(move |&coin| {
                assert!(at == 0 || !fails(coin), "member {at}");
                coin
            })
        });
        let heads = coins.count(|coin| *coin);
        for algorithm in algorithms![
            VariableElimination::new(),
            JunctionTree::new(),
            Exact::new()
        ] {
            let answer = algorithm.run(&short, &heads).unwrap();
            assert!((answer.probability(&heads, &1).unwrap() - 0.15).abs() < 1e-12);
            let failed = algorithm.run(&Model::new(), &heads).unwrap_err();
            assert!(failed.to_string().contains("member 1"), "{failed}");
        }
        let world = MpeVariableElimination::new().run(&short, &heads).unwrap();
        assert!((world.log_probability().unwrap() + 3.0_f64.ln()).abs() < 1e-12);
    }
}

#[test]
fn numbers_without_a_maximum_are_sampled() {
    let all = Elements::of(Poisson::new(3.0), |at| {
        Flip::new(if at == 0 { 0.5 } else { 0.25 })
    });
    let some = all.exists(|yes| *yes);
    let refused = VariableElimination::new().run(&Model::new(), &some);
    assert!(matches!(
        refused,
        Err(Error::Model(ModelError::NotFinite { .. }))
    ));
    // P(none) = e^-3 + the sum over n > 0 of e^-3 3^n / n! * 0.5 * 0.75^(n - 1).
    let none = (-3.0_f64).exp() * (1.0 + 0.5 / 0.75 * ((3.0_f64 * 0.75).exp() - 1.0));
    for (algorithm, draws) in algorithms![
        ForwardSampling::new(40_000).seed(1),
        ImportanceSampling::new(40_000).seed(2),
        MetropolisHastings::new(40_000).seed(3)
    ]
    .into_iter()
    .zip([40_000.0, 40_000.0, 4000.0])
    {
        let answer = algorithm.run(&Model::new(), &some).unwrap();
        let found = answer.probability(&some, &false).unwrap();
        // Five standard errors, for a tenth of the draws of the chain: a false alarm has a probability below 1e-6.
        let error = 5.0 * (none * (1.0 - none) / draws).sqrt();
        assert!(
            (found - none).abs() < error,
            "{}: {found}, not {none}",
            algorithm.name()
        );
    }
    // The number of members can be learned from one of them and from a summary.
    let model = Model::new().observe(&all.get(2), None).observe(&some, true);
    let length = all.length();
    let answer = ImportanceSampling::new(40_000)
        .seed(4)
        .run(&model, &length)
        .unwrap();
    // One member with probability 3 * 0.5, two with 4.5 * (1 - 0.5 * 0.75).
    let right = 1.5 / (1.5 + 4.5 * 0.625);
    let found = answer.probability(&length, &1).unwrap();
    assert!((found - right).abs() < 0.025, "{found}, not {right}"); // 5 standard errors of 13 000 worlds
}

#[test]
fn samplers_agree_with_exact_answers() {
    let mut random = StdRng::seed_from_u64(11);
    let numbers = Numbers::random(&mut random, 4);
    let (all, length) = numbers.collection();
    let model = Model::new().condition(&all.get(1), |second| second.is_none_or(|v| v != 2));
    let chosen = all.any_of();
    let targets = vec![
        all.sum(),
        chosen,
        all.fold(1, |state, v| (3 * state + v) % 11),
    ];
    let right = VariableElimination::new().run(&model, &targets).unwrap();
    let algorithms = algorithms![
        ImportanceSampling::new(20_000).seed(1),
        SequentialMonteCarlo::new(2000).seed(2),
        MetropolisHastings::new(20_000).seed(3)
    ];
    for algorithm in algorithms {
        let answer = algorithm.run(&model, &targets).unwrap();
        for target in &targets {
            for (value, p) in &right.distribution(target).unwrap() {
                let found = answer.probability(target, value).unwrap();
                // At least 1500 effective draws: five standard errors have a false alarm with a probability below 1e-6.
                let error = 5.0 * (p * (1.0 - p) / 1500.0).sqrt() + 1e-3;
                assert!(
                    (found - p).abs() < error,
                    "{} of {value}: {found}, not {p}",
                    algorithm.name()
                );
            }
        }
    }
    drop(length);
}
