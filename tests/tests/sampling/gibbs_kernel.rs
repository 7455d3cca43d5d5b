//! Tests of the guarantees of a Gibbs sampler without sampling error. The transition matrix of every block, built by enumerating every draw that the
//! sampler could make, leaves the exact posterior invariant; and if blocking claims irreducibility, the matrices lead from every world to every other
//! one.

use std::cell::Cell;
use std::collections::BTreeMap;

use figrs_core::expand::{Encoding, Expansion};
use figrs_core::factor::{Factor, FactorGraph, FactorTable, VarId};
use figrs_core::{AnyElement, Flip, Limits, Model, Parents, Select, inject};
use figrs_infer::GibbsKernel;
use figrs_tests::oracle::{LogSum, every_assignment};
use figrs_tests::random_model::{Description, build, for_random_models};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

const EXACT: f64 = 1e-12;
/// Largest number of worlds for which matrices are built.
const WORLDS: usize = 600;
const STEPS: usize = 100_000;

/// Every assignment of positive weight, with its probability.
struct Worlds {
    all: Vec<(Vec<u32>, f64)>,
    numbers: BTreeMap<Vec<u32>, usize>,
    left_out: Vec<VarId>,
}

impl Worlds {
    /// Returns `None` if there are no worlds, or too many.
    fn new(graph: &FactorGraph) -> Option<Self> {
        let (mut logs, mut total) = (Vec::new(), LogSum::default());
        let done = every_assignment(graph, STEPS, |values, log| {
            logs.push((values.to_vec(), log));
            total.add(log);
        });
        if !done || logs.is_empty() || logs.len() > WORLDS {
            return None;
        }
        let all: Vec<(Vec<u32>, f64)> = logs
            .into_iter()
            .map(|(values, log)| (values, (log - total.value()).exp()))
            .collect();
        let numbers = (0..).zip(&all).map(|(i, (values, _))| (values.clone(), i));
        Some(Self {
            numbers: numbers.collect(),
            all,
            left_out: Vec::new(),
        })
    }

    /// Sums over the variables `left_out`, which have the value zero in the resulting worlds.
    fn without(self, left_out: &[VarId]) -> Self {
        let mut sums: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
        for (values, p) in self.all {
            *sums.entry(with_zeros(values, left_out)).or_default() += p;
        }
        Self {
            numbers: (0..)
                .zip(sums.keys())
                .map(|(i, v)| (v.clone(), i))
                .collect(),
            all: sums.into_iter().collect(),
            left_out: left_out.to_vec(),
        }
    }
}

fn with_zeros(mut values: Vec<u32>, left_out: &[VarId]) -> Vec<u32> {
    for v in left_out {
        values[v.index()] = 0;
    }
    values
}

/// A transition matrix, by rows of target worlds and probabilities.
type Matrix = Vec<Vec<(usize, f64)>>;

/// Returns the transition matrix of one block.
fn matrix(kernel: &GibbsKernel, block: usize, worlds: &Worlds) -> Result<Matrix, String> {
    let row = |(values, _): &(Vec<u32>, f64)| {
        let next = kernel.conditional(block, values).into_iter();
        next.map(|(next, p)| {
            let next = with_zeros(next, &worlds.left_out);
            let number = worlds.numbers.get(&next);
            let number = number.ok_or_else(|| format!("{next:?} is no world"))?;
            Ok((*number, p))
        })
        .collect()
    };
    worlds.all.iter().map(row).collect()
}

/// Checks that the rows of a matrix are probability distributions, and that the matrix leaves the posterior invariant.
fn check_matrix(matrix: &Matrix, worlds: &Worlds) -> Result<(), String> {
    let mut after = vec![0.0; worlds.all.len()];
    for (row, (from, p)) in matrix.iter().zip(&worlds.all) {
        let sum: f64 = row.iter().map(|(_, q)| q).sum();
        if (sum - 1.0).abs() > EXACT {
            return Err(format!("the row of {from:?} sums to {sum}"));
        }
        for &(to, q) in row {
            after[to] += p * q;
        }
    }
    for (after, (values, p)) in after.iter().zip(&worlds.all) {
        if (after - p).abs() > EXACT {
            return Err(format!(
                "{values:?} has probability {p}, and {after} a step later"
            ));
        }
    }
    Ok(())
}

fn check(kernel: &GibbsKernel, worlds: &Worlds) -> Result<Vec<Matrix>, String> {
    (0..kernel.blocks())
        .map(|block| {
            let matrix = matrix(kernel, block, worlds)?;
            check_matrix(&matrix, worlds).map_err(|error| format!("block {block}: {error}"))?;
            Ok(matrix)
        })
        .collect()
}

/// True if steps of the matrices lead from the first world to all worlds; this suffices, because each step can be reversed.
fn reaches_all(matrices: &[Matrix], worlds: &Worlds) -> bool {
    let mut reached = vec![false; worlds.all.len()];
    reached[0] = true;
    let mut open = vec![0];
    while let Some(from) = open.pop() {
        for &(to, _) in matrices.iter().flat_map(|matrix| &matrix[from]) {
            if !std::mem::replace(&mut reached[to], true) {
                open.push(to);
            }
        }
    }
    reached.iter().all(|&r| r)
}

fn graph_of(model: &Model, targets: &[AnyElement]) -> Option<FactorGraph> {
    let expansion = Expansion::new(model, targets, &Limits::default()).ok()?;
    if expansion.impossible().is_some() {
        return None;
    }
    let mut encoding = Encoding::for_sums(&expansion, expansion.targets()).ok()?;
    Some(encoding.take_graph())
}

#[derive(Default)]
struct Seen {
    checked: Cell<u32>,
    rich: Cell<u32>,
    cut: Cell<u32>,
    collapsed: Cell<u32>,
}

fn one_more(count: &Cell<u32>) {
    count.set(count.get() + 1);
}

fn keeps_the_posterior(
    description: &Description,
    (table, collapse): (usize, usize),
    seen: &Seen,
) -> Result<(), TestCaseError> {
    let built = build(description);
    let Some(graph) = graph_of(&built.model, &built.erased()) else {
        return Ok(());
    };
    let Some(worlds) = Worlds::new(&graph) else {
        return Ok(());
    };
    // A sampler cannot be in a world whose probability underflows.
    if worlds.all.iter().any(|(_, p)| *p < 1e-100) {
        return Ok(());
    }
    // Every third variable is needed.
    let kept: Vec<VarId> = (0..graph.cardinalities.len() as u32)
        .step_by(3)
        .map(VarId)
        .collect();
    let kernel = if collapse == 0 {
        GibbsKernel::new(&graph, table)
    } else {
        GibbsKernel::collapsed(&graph, table, &kept, collapse)
    };
    let kernel = kernel.expect("there are worlds");
    prop_assert!(kept.iter().all(|v| !kernel.left_out().contains(v)));
    if !kernel.left_out().is_empty() {
        one_more(&seen.collapsed);
    }
    let worlds = worlds.without(kernel.left_out());
    let matrices = check(&kernel, &worlds).map_err(TestCaseError::fail)?;
    one_more(&seen.checked);
    if worlds.all.len() >= 8 && kernel.blocks() > 1 {
        one_more(&seen.rich);
    }
    if kernel.cut_groups() > 0 {
        one_more(&seen.cut);
    } else {
        prop_assert!(reaches_all(&matrices, &worlds), "some world is not reached");
    }
    Ok(())
}

#[test]
fn every_block_keeps_the_posterior_and_blocks_reach_every_world() {
    let seen = Seen::default();
    for_random_models(500, 41, |description| {
        keeps_the_posterior(description, (1024, 0), &seen)
    });
    let Seen {
        checked, rich, cut, ..
    } = &seen;
    println!("{checked:?} models, {rich:?} of several blocks, {cut:?} cut");
    assert!(checked.get() >= 240 && rich.get() >= 30);
    assert!(
        cut.get() <= checked.get() / 500,
        "groups of these models fit, but for very few"
    );
}

#[test]
fn blocks_of_small_tables_keep_the_posterior_too() {
    for table in [1, 2, 4] {
        let seen = Seen::default();
        for_random_models(300, 42, |description| {
            keeps_the_posterior(description, (table, 0), &seen)
        });
        let Seen {
            checked, rich, cut, ..
        } = &seen;
        println!("tables of {table}: {checked:?} models, {rich:?} of several blocks, {cut:?} cut");
        assert!(checked.get() >= 140 && rich.get() >= 12);
        assert!(table > 1 || cut.get() >= 1, "nothing was cut");
    }
}

#[test]
fn blocks_keep_the_marginal_posterior_of_what_is_not_summed_out() {
    for (table, collapse) in [(1024, 4), (2, 64)] {
        let seen = Seen::default();
        for_random_models(200, 43, |description| {
            keeps_the_posterior(description, (table, collapse), &seen)
        });
        let Seen {
            checked, collapsed, ..
        } = &seen;
        println!("sums of {collapse}: {checked:?} models, {collapsed:?} with sums");
        assert!(checked.get() >= 80 && collapsed.get() >= 40);
    }
}

fn sprinkler() -> (Model, Vec<AnyElement>) {
    let cloudy = Flip::new(0.5);
    let sprinkler = cloudy.flat_map(|&c| Flip::new(if c { 0.1 } else { 0.5 }));
    let rain = cloudy.flat_map(|&c| Flip::new(if c { 0.8 } else { 0.2 }));
    let wet = (&sprinkler, &rain).flat_map(|(&s, &r)| {
        Flip::new(match (s, r) {
            (true, true) => 0.99,
            (false, false) => 0.0,
            _ => 0.9,
        })
    });
    let targets = (&cloudy, &sprinkler, &rain).elements();
    (Model::new().observe(&wet, true), targets)
}

/// Returns the factor graph of a model, with its worlds.
fn of((model, targets): (Model, Vec<AnyElement>)) -> (FactorGraph, Worlds) {
    let graph = graph_of(&model, &targets).expect("possible");
    let worlds = Worlds::new(&graph).expect("small");
    (graph, worlds)
}

#[test]
fn sprinkler_with_a_zero_is_one_block_of_those_it_ties() {
    let (graph, worlds) = of(sprinkler());
    let kernel = GibbsKernel::new(&graph, 1024).expect("possible");
    let matrices = check(&kernel, &worlds).expect("right");
    assert_eq!((kernel.blocks(), kernel.cut_groups()), (2, 0));
    assert!(reaches_all(&matrices, &worlds));
}

/// The parities of neighbours and of all coins are given, so that two constraints share every coin.
fn parities(coins: usize) -> (Model, Vec<AnyElement>) {
    let coins: Vec<_> = (0..coins)
        .map(|i| Flip::new(0.2 + 0.05 * (i % 10) as f64))
        .collect();
    let mut model = Model::new();
    for pair in coins.windows(4).step_by(2) {
        let odd = inject(pair).map(|v| v.iter().filter(|x| **x).count() % 2);
        model = model.observe(&odd, 1);
    }
    (model, coins.elements())
}

#[test]
fn parities_that_share_parents_are_connected() {
    let (graph, worlds) = of(parities(9));
    for (table, claims) in [(1024, true), (16, true), (1, false)] {
        let kernel = GibbsKernel::new(&graph, table).expect("possible");
        let matrices = check(&kernel, &worlds).expect("right");
        println!("{table}: {kernel:?}");
        assert_eq!(kernel.cut_groups() == 0, claims, "tables of {table}");
        // A single coin can never change by itself.
        assert_eq!(reaches_all(&matrices, &worlds), claims, "tables of {table}");
    }
}

/// Exactly half of the coins show heads.
fn half(coins: usize) -> (Model, Vec<AnyElement>) {
    let coins: Vec<_> = (0..coins)
        .map(|i| Flip::new(0.2 + 0.1 * (i % 7) as f64))
        .collect();
    let heads = figrs_core::fold(&coins, 0usize, |n, &coin| n + usize::from(coin));
    (
        Model::new().observe(&heads, coins.len() / 2),
        coins.elements(),
    )
}

#[test]
fn a_count_that_is_given_is_one_block_by_elimination() {
    let (graph, worlds) = of(half(8));
    let kernel = GibbsKernel::new(&graph, 200).expect("possible");
    let matrices = check(&kernel, &worlds).expect("right");
    assert_eq!((kernel.blocks(), kernel.cut_groups()), (1, 0));
    assert!(reaches_all(&matrices, &worlds));
    // The last coin is a function of the others, and the sampler recognises that these can therefore move one at a time.
    let kernel = GibbsKernel::new(&graph, 1).expect("possible");
    let matrices = check(&kernel, &worlds).expect("right");
    assert!(kernel.blocks() > 1 && kernel.cut_groups() == 0);
    assert!(reaches_all(&matrices, &worlds));
    let many = half(200);
    let graph = graph_of(&many.0, &many.1).expect("possible");
    let kernel = GibbsKernel::new(&graph, 1 << 14).expect("possible");
    assert_eq!((kernel.blocks(), kernel.cut_groups()), (1, 0));
}

/// The variables around an eliminated block occur in its tables and its functions.
#[test]
fn an_eliminated_block_depends_on_what_surrounds_it() {
    let outside = Select::new([(1.0, 0u8), (2.0, 1), (0.5, 2)]);
    let coins: Vec<_> = (0..8)
        .map(|i| Flip::new(0.2 + 0.1 * f64::from(i % 7)))
        .collect();
    let heads = figrs_core::fold(&coins, 0u8, |n, &coin| n + u8::from(coin));
    let some = figrs_core::fold(&coins[..5], 0u8, |n, &coin| n + u8::from(coin));
    let mixed = (&some, &outside).map(|(n, z)| 3 * n + z);
    let mut model = Model::new().condition(&heads, |n| n % 4 == 1);
    let pair = (&mixed, &coins[6]).map(|(&m, &coin)| (m, coin));
    model = model.weigh(&pair, |&(m, coin)| {
        1.0 + f64::from(m % 5) + f64::from(u8::from(coin))
    });
    let near = (&coins[2], &outside).map(|(&coin, &z)| coin == (z > 0));
    model = model.weigh(&near, |&agree| if agree { 3.0 } else { 1.0 });
    let targets: Vec<AnyElement> = [coins.elements(), outside.elements()].concat();
    let (graph, worlds) = of((model, targets));
    let kernel = GibbsKernel::new(&graph, 1024).expect("possible");
    let shown = format!("{kernel:?}");
    assert!(shown.contains("eliminated: 1"), "{shown}");
    let matrices = check(&kernel, &worlds).expect("right");
    assert!(worlds.all.len() > 100 && kernel.blocks() > 1 && kernel.cut_groups() == 0);
    assert!(reaches_all(&matrices, &worlds));
}

#[test]
fn faulty_kernels_are_rejected() {
    let (graph, worlds) = of(sprinkler());
    let informative = |factor: &Factor| match &factor.table {
        FactorTable::Dense(weights) => (1..weights.len()).any(|i| weights.log(i) != weights.log(0)),
        _ => true,
    };
    let mut tried = 0;
    for (i, factor) in graph.factors.iter().enumerate() {
        if !informative(factor) {
            continue;
        }
        tried += 1;
        // This faulty conditional distribution omits a factor.
        let mut faulty = graph.clone();
        faulty.factors.remove(i);
        let kernel = GibbsKernel::new(&faulty, 1024).expect("possible");
        assert!(check(&kernel, &worlds).is_err(), "without {factor:?}");
        // This faulty conditional distribution counts weights twice.
        let mut faulty = graph.clone();
        faulty.factors.push(factor.clone());
        let kernel = GibbsKernel::new(&faulty, 1024).expect("possible");
        assert!(check(&kernel, &worlds).is_err(), "twice {factor:?}");
    }
    assert!(tried >= 3);
    // This faulty conditional distribution is not normalised.
    let kernel = GibbsKernel::new(&graph, 1024).expect("possible");
    let mut faulty = matrix(&kernel, 0, &worlds).expect("worlds");
    check_matrix(&faulty, &worlds).expect("right");
    for (row, (_, p)) in faulty.iter_mut().zip(&worlds.all) {
        for (_, q) in row {
            *q *= p;
        }
    }
    assert!(check_matrix(&faulty, &worlds).is_err());
    // This faulty conditional distribution is a proposal that gives every alternative the same probability.
    let mut faulty = matrix(&kernel, 0, &worlds).expect("worlds");
    for row in &mut faulty {
        let n = row.len() as f64;
        for (_, q) in row {
            *q = 1.0 / n;
        }
    }
    assert!(check_matrix(&faulty, &worlds).is_err());
}

/// Values whose probabilities would underflow compared with others are drawn by the logarithms of their probabilities.
#[test]
fn weights_beyond_numbers_are_drawn_by_their_logarithms() {
    let a = Select::new([(1.0, 0u8), (2.0, 1), (3.0, 2)]);
    let b = a.flat_map(|&a| Flip::new(0.2 + 0.2 * f64::from(a)));
    let mut model = Model::new();
    for _ in 0..6 {
        model = model
            .log_weigh(&a, |&a| -400.0 - f64::from(a))
            .log_weigh(&b, |&b| if b { -900.0 } else { -900.5 });
    }
    let (graph, worlds) = of((model, (&a, &b).elements()));
    let kernel = GibbsKernel::new(&graph, 1024).expect("possible");
    assert_eq!(worlds.all.len(), 6);
    check(&kernel, &worlds).expect("right");
}
