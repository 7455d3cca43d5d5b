//! Tests of the evaluation of branches that few worlds take.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::columns::Block;
use crate::{EvidenceOrder, Observations};
use figrs_core::Parents;
use figrs_core::element::{DiscreteUniform, Element, Flip, If, Score, inject, tuple};
use figrs_core::error::ModelError;
use figrs_core::random::stream;
use figrs_core::{AnyElement, Model};

fn block(model: &Model, targets: &[AnyElement], limit: usize) -> Result<Block, ModelError> {
    let order = EvidenceOrder::ObservationsFirst;
    Block::new(model, targets, Observations::Weigh, order, limit)
}

/// Returns the values of a target of the query in all worlds.
fn values<T: Clone + 'static>(block: &mut Block, target: usize) -> Vec<T> {
    let values = block.target(target).typed();
    values.as_any().downcast_ref::<Vec<T>>().unwrap().clone()
}

/// Each world takes its own branch, and the branch depends on three elements outside the branch: one that a function gives to two Chains, one
/// that every world evaluates, and one that no world has evaluated before.
#[test]
fn what_branches_refer_to_is_one_element_in_a_row() {
    let handed = Arc::new(Mutex::new(BTreeMap::<i64, Element<bool>>::new()));
    let (place, outside) = (DiscreteUniform::new(1, 1 << 20), Flip::new(0.5));
    let permanent = Flip::new(0.5);
    let chain = |way: i64| {
        let (handed, outside) = (handed.clone(), outside.clone());
        let permanent = permanent.clone();
        place.flat_map(move |&n| {
            let mut handed = handed.lock().unwrap();
            let coin = handed.entry(n).or_insert_with(|| Flip::new(0.5)).clone();
            let own = Flip::new(0.5);
            let twice = (&own, &own.map(|x| !x)).map(|(a, b)| a ^ b);
            let third = If::new(&permanent, &outside, Flip::new(0.25 * (way % 2 + 1) as f64));
            inject(&[coin, twice, third, outside.clone()])
        })
    };
    let (one, other) = (chain(1), chain(2));
    let part = |list: &Element<Vec<bool>>, at: usize| list.map(move |list| list[at]);
    let targets = [part(&one, 0), part(&other, 0), part(&one, 1), part(&one, 2)];
    let targets = targets
        .into_iter()
        .chain([part(&other, 3), outside, permanent]);
    let targets: Vec<AnyElement> = targets.map(|t| t.erased().clone()).collect();
    let mut block = block(&Model::new(), &targets, 1000).unwrap();
    for width in [3, 100, 700] {
        block.run(width, &mut stream(5, width as u64)).unwrap();
        let columns: Vec<_> = (0..targets.len())
            .map(|t| values::<bool>(&mut block, t))
            .collect();
        assert_eq!(columns[0], columns[1]);
        assert!(columns[2].iter().all(|&truth| truth));
        assert_eq!(columns[4], columns[5]);
        let third = columns[6].iter().zip(&columns[3]).zip(&columns[5]);
        assert!(third.into_iter().all(|((&taken, x), y)| !taken || x == y));
        let heads = columns[0].iter().filter(|&&truth| truth).count() as f64;
        // A correct sampler deviates by more than six standard deviations about once in 5e8 tests.
        let deviation = (width as f64 / 4.0).sqrt();
        assert!(
            (heads - width as f64 / 2.0).abs() < 6.0 * deviation,
            "{heads}"
        );
    }
}

/// Observations and elements of the type `Score` must give worlds in rare branches the same weights as worlds in frequent branches.
#[test]
fn rows_of_their_own_branches_are_weighed() {
    let place = DiscreteUniform::new(0, (1 << 20) - 1);
    let seen = place.flat_map(|&n| {
        let coin = Flip::new(if n % 2 == 0 { 0.25 } else { 0.5 });
        let scored = Score::weigh(&Flip::new(0.5), move |_| if n % 4 < 2 { 1.0 } else { 3.0 });
        inject(&[coin, scored])
    });
    let model = Model::new().observe(&seen, vec![true, false]);
    let targets = [place.erased().clone()];
    let mut block = block(&model, &targets, 1000).unwrap();
    block.run(500, &mut stream(1, 0)).unwrap();
    let plain = block.weights().plain();
    let weights = plain.rows(500);
    let places: Vec<i64> = values(&mut block, 0);
    for (row, weight) in weights.iter().enumerate() {
        let n = places[row];
        let right = [0.25, 0.5][(n % 2) as usize] * 0.5 * if n % 4 < 2 { 1.0 } else { 3.0 };
        let found = weight * plain.log_scale.exp();
        assert!((found - right).abs() < 1e-12, "{n}: {found}, not {right}");
    }
}

/// The worlds of a branch are evaluated one after another; their random draws are independent, and each world gets its own values.
#[test]
fn worlds_of_one_branch_draw_independently() {
    let (place, width) = (DiscreteUniform::new(0, 999), 4000);
    let share = |n: i64| 0.1 + 0.0008 * n as f64;
    let list = place.flat_map(move |&n| {
        let coin = Flip::new(share(n)).map(move |&heads| (n, heads));
        inject(&[coin, Flip::new(0.5).map(move |&heads| (n, heads))])
    });
    let targets = [place.erased().clone(), list.erased().clone()];
    let mut block = block(&Model::new(), &targets, 1000).unwrap();
    block.run(width, &mut stream(3, 0)).unwrap();
    let places: Vec<i64> = values(&mut block, 0);
    let lists: Vec<Vec<(i64, bool)>> = values(&mut block, 1);
    let (mut heads, mut expected, mut variance) = (0.0, 0.0, 0.0);
    let (mut pairs, mut equal) = (0.0, 0.0);
    let mut last = BTreeMap::new();
    for (&place, list) in places.iter().zip(&lists) {
        assert!(list.iter().all(|(n, _)| *n == place));
        let share = share(place);
        heads += f64::from(u8::from(list[0].1));
        expected += share;
        variance += share * (1.0 - share);
        if let Some(before) = last.insert(place, list[1].1) {
            pairs += 1.0;
            equal += f64::from(u8::from(before == list[1].1));
        }
    }
    // Correct draws deviate by more than six standard deviations about once in 5e8 tests.
    assert!((heads - expected).abs() < 6.0 * f64::sqrt(variance));
    assert!(pairs > 2000.0 && (equal - pairs / 2.0_f64).abs() < 3.0 * f64::sqrt(pairs));
}

/// The evaluation of a branch that is a deep tree waits for an element that every world evaluates, and continues after the evaluation of this
/// element.
#[test]
fn deep_branches_wait_for_missing_values() {
    let (place, permanent) = (DiscreteUniform::new(1, 1 << 20), DiscreteUniform::new(0, 9));
    let below = permanent.clone();
    let deep = place.flat_map(move |&n| {
        let first = (&below, Flip::new(0.5)).map(|(x, heads)| x + i64::from(*heads) * 1000);
        (0..100)
            .fold(first, |x, _| x.map(|x| x + 1))
            .map(move |x| (n, *x))
    });
    let targets = [deep, tuple((&place, &permanent))];
    let targets = targets.map(|target| target.erased().clone());
    let mut block = block(&Model::new(), &targets, 1000).unwrap();
    block.run(300, &mut stream(2, 0)).unwrap();
    let [deep, direct] = [0, 1].map(|target| values::<(i64, i64)>(&mut block, target));
    let base = |x: i64| if x >= 1000 { x - 1000 } else { x };
    let found = deep.iter().map(|&(n, x)| (n, base(x) - 100));
    assert!(found.eq(direct.iter().copied()));
    let heads = deep.iter().filter(|(_, x)| *x >= 1000).count();
    assert!((98..=202).contains(&heads), "{heads}");
}

/// The parents that come after a deep parent (one that depends on a long chain of elements) wait for it; their number must not make the evaluation
/// quadratic.
#[test]
fn many_parents_wait_for_a_deep_parent() {
    const PARENTS: usize = 100_000;
    let place = DiscreteUniform::new(1, 1 << 20);
    let list = place.flat_map(|&n| {
        let first = Flip::new(0.5).map(move |_| n);
        let deep = (0..100).fold(first, |x, _| x.map(|x| x + 1));
        let others = std::iter::repeat_n(Flip::new(0.5).map(|_| 0), PARENTS);
        inject(std::iter::once(deep).chain(others))
    });
    let targets = [
        place,
        list.map(|list| list[0] - 100 + (list.len() - 1 - PARENTS) as i64),
    ];
    let targets = targets.map(|target| target.erased().clone());
    let mut block = block(&Model::new(), &targets, 1_000_000).unwrap();
    block.run(2, &mut stream(4, 0)).unwrap();
    let [places, sums] = [0, 1].map(|target| values::<i64>(&mut block, target));
    assert_eq!(places, sums);
}

/// Elements to which only the elements of their branch refer must not get an index in the block of worlds.
#[test]
fn elements_of_branches_of_one_row_are_dropped() {
    let place = DiscreteUniform::new(1, 1 << 20);
    let list = place.flat_map(|&n| {
        let flips = (0..8).map(|i| Flip::new(1.0 / (n + i) as f64).map(|&x| !x));
        inject(flips)
    });
    let targets = [list.erased().clone()];
    let mut block = block(&Model::new(), &targets, 1000).unwrap();
    block.run(500, &mut stream(1, 0)).unwrap();
    assert_eq!(block.instructions.len(), block.elements_in_every_world());
}

/// Each branch of a `Chain` must be evaluated before the next branch is created.
#[test]
fn branches_of_few_rows_are_made_one_by_one() {
    let under_way = Arc::new(Mutex::new((0u32, 0u32)));
    let place = DiscreteUniform::new(1, 1 << 20);
    let of_chain = under_way.clone();
    let chain = place.flat_map(move |&n| {
        let (made, of_branch) = (of_chain.clone(), of_chain.clone());
        let mut counts = made.lock().unwrap();
        counts.0 += 1;
        counts.1 = counts.1.max(counts.0);
        DiscreteUniform::new(0, n).map(move |&x| {
            of_branch.lock().unwrap().0 = 0;
            x % 2 == 0
        })
    });
    let targets = [chain.erased().clone()];
    let mut block = block(&Model::new(), &targets, 1000).unwrap();
    block.run(500, &mut stream(1, 0)).unwrap();
    // Debug builds call a function twice for each value, to compare the results; two worlds may have the same value.
    let most = under_way.lock().unwrap().1;
    assert!(most <= 4, "{most} branches at once");
    assert_eq!(values::<bool>(&mut block, 0).len(), 500);
}

fn endless(n: i64) -> Element<i64> {
    DiscreteUniform::new(n, n + (1 << 20)).flat_map(|&n| endless(n % 7))
}

#[test]
fn a_row_has_no_more_elements_than_allowed() {
    let targets = [endless(0).erased().clone()];
    let mut block = block(&Model::new(), &targets, 5000).unwrap();
    let error = block.run(4, &mut stream(1, 0)).unwrap_err();
    assert!(
        matches!(error, ModelError::TooManyElements { limit: 5000, .. }),
        "{error}"
    );
}
