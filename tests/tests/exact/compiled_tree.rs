//! Tests of compiled models from a user's view.

use figrs::prelude::*;
use figrs::{CompiledTree, Error, fold, tuple};

/// The model of clouds, a sprinkler, rain and wet grass.
struct Lawn {
    sprinkler: Element<bool>,
    rain: Element<bool>,
    wet: Element<bool>,
}

fn lawn(rate: &Param) -> Lawn {
    let cloudy = Flip::new(rate);
    let sprinkler = cloudy.flat_map(|&c| Flip::new(if c { 0.1 } else { 0.5 }));
    let rain = cloudy.flat_map(|&c| Flip::new(if c { 0.8 } else { 0.2 }));
    let wet = (&sprinkler, &rain).flat_map(|(&s, &r)| {
        Flip::new(match (s, r) {
            (true, true) => 0.99,
            (false, false) => 0.0,
            _ => 0.9,
        })
    });
    Lawn {
        sprinkler,
        rain,
        wet,
    }
}

fn exact(model: &Model, element: &Element<bool>) -> f64 {
    let answer = Enumerate::new().run(model, element).unwrap();
    answer.probability(element, &true).unwrap()
}

#[test]
fn parameters_may_change() {
    let rate = Param::new("cloudy", 0.5);
    let lawn = lawn(&rate);
    let model = Model::new().observe(&lawn.wet, true);
    let mut tree = JunctionTree::new().compile(&model, &lawn.rain).unwrap();
    for value in [0.5, 0.9, 0.0, 1.0, 0.2] {
        rate.set(value);
        tree.refresh().unwrap();
        let found = tree.probability(&lawn.rain, &true).unwrap();
        assert!((found - exact(&model, &lawn.rain)).abs() < 1e-12, "{value}");
        let best = tree.most_probable().unwrap();
        let world = MpeVariableElimination::new()
            .run(&model, &lawn.rain)
            .unwrap();
        let expected = world.log_probability().unwrap();
        assert!((best.log_probability() - expected).abs() < 1e-12, "{value}");
    }
    rate.set(1.5);
    let error = tree.refresh().unwrap_err().to_string();
    assert!(error.contains("1.5"), "{error}");
}

#[test]
fn joints_of_families_are_read_off() {
    let lawn = lawn(&Param::new("cloudy", 0.5));
    let model = Model::new().observe(&lawn.wet, true);
    let both = tuple((&lawn.sprinkler, &lawn.rain));
    let expected = Enumerate::new().run(&model, &both).unwrap();
    let targets = (&lawn.rain, &lawn.sprinkler);
    let tree = JunctionTree::new().compile(&model, targets).unwrap();
    let joint = tree.joint((&lawn.sprinkler, &lawn.rain)).unwrap();
    let reversed = tree.joint((&lawn.rain, &lawn.sprinkler)).unwrap();
    for (s, r) in [(true, true), (true, false), (false, true), (false, false)] {
        let p = expected.probability(&both, &(s, r)).unwrap();
        assert!((joint.probability(&(s, r)) - p).abs() < 1e-12);
        assert!((reversed.probability(&(r, s)) - p).abs() < 1e-12);
    }
    let twice = tree.joint((&lawn.rain, &lawn.rain)).unwrap_err();
    assert!(matches!(twice, Error::NoClique { .. }), "{twice}");
}

#[test]
fn elements_far_apart_have_no_clique() {
    let coins: Vec<Element<bool>> = (0..3).map(|_| Flip::new(0.5)).collect();
    let tree = JunctionTree::new().compile(&Model::new(), &coins).unwrap();
    let error = tree.joint((&coins[0], &coins[2])).unwrap_err().to_string();
    assert!(
        error.contains("no clique") && error.contains("tuple"),
        "{error}"
    );
}

#[test]
fn only_varying_elements_take_evidence() {
    let lawn = lawn(&Param::new("cloudy", 0.5));
    let compiler = JunctionTree::new().varying(&lawn.wet);
    let mut tree = compiler.compile(&Model::new(), &lawn.rain).unwrap();
    let error = tree.set(&lawn.rain, true).unwrap_err();
    assert_eq!(error, Error::not_varying(lawn.rain.label(), "JunctionTree"));
    assert!(
        error.to_string().contains("`JunctionTree::varying`"),
        "{error}"
    );
    let error = tree.weigh(&lawn.wet, |_| -1.0).unwrap_err().to_string();
    assert!(
        error.contains("-1") && error.contains("flat_map"),
        "{error}"
    );
    tree.weigh(&lawn.wet, |_| 0.0).unwrap();
    let error = tree.probability(&lawn.rain, &true).unwrap_err();
    assert!(
        matches!(&error, Error::ImpossibleEvidence { conflict, .. } if conflict.len() == 1),
        "{error}"
    );
    assert!(matches!(
        tree.samples(1),
        Err(Error::ImpossibleEvidence { .. })
    ));
    assert!(matches!(
        tree.k_best(3),
        Err(Error::ImpossibleEvidence { .. })
    ));
    assert_eq!(tree.count().unwrap(), 0u32.into());
    tree.clear(&lawn.wet).unwrap();
    assert!((tree.probability(&lawn.rain, &true).unwrap() - 0.5).abs() < 1e-12);
    let error = tree.distribution(&lawn.sprinkler).unwrap_err();
    assert_eq!(error, Error::not_a_target(lawn.sprinkler.label()));
}

/// Number of samples that are drawn.
const DRAWN: usize = 20_000;

/// Samples of a model with branches are compared with exact probabilities by Pearson's chi-square statistic over all worlds. The seed is fixed; about
/// one in a thousand seeds would fail.
#[test]
fn samples_have_the_posterior_distribution() {
    let branch = Flip::new(0.4);
    let number = branch.flat_map(|&b| {
        if b {
            Uniform::new([1u8, 2, 3])
        } else {
            Flip::new(0.3).map(|&x| u8::from(x))
        }
    });
    let other = Select::new([(0.2, 0u8), (0.5, 1), (0.3, 2)]);
    let pair = tuple((&number, &other));
    let model = Model::new()
        .condition(&pair, |(a, b)| a >= b)
        .weigh(&other, |&x| 1.0 + f64::from(x));
    let tree = JunctionTree::new()
        .compile(&model, (&number, &other))
        .unwrap();
    let expected = Enumerate::new().run(&model, &pair).unwrap();
    let exact = expected.distribution(&pair).unwrap();
    let mut seen = std::collections::HashMap::new();
    for world in tree.samples(11).unwrap().take(DRAWN) {
        let values = (world.value(&number).unwrap(), world.value(&other).unwrap());
        *seen.entry(values).or_insert(0.0) += 1.0;
    }
    let possible: Vec<_> = exact.iter().filter(|(_, p)| *p > 0.0).collect();
    assert!(
        seen.keys()
            .all(|seen| possible.iter().any(|(value, _)| *value == seen))
    );
    let chi: f64 = possible
        .iter()
        .map(|(value, p)| {
            let expected = p * DRAWN as f64;
            let found: f64 = seen.get(*value).copied().unwrap_or(0.0);
            (found - expected).powi(2) / expected
        })
        .sum();
    // The limit is the 0.999 quantile of the chi-square distribution with 8 degrees of freedom.
    assert_eq!(possible.len(), 9);
    assert!(chi < 26.12, "chi-square {chi}");
}

#[test]
fn only_evidence_that_conflicts_is_named() {
    let coins: Vec<Element<bool>> = (0..10).map(|_| Flip::new(0.5)).collect();
    let sum = fold(&coins, 0u32, |sum, &coin| sum + u32::from(coin));
    let both = tuple((&coins[0], &coins[1]));
    let mut model = Model::new().condition(&both, |(a, b)| a != b);
    for coin in &coins[2..] {
        model = model.observe(coin, true);
    }
    let compiler = JunctionTree::new().varying(&coins[..2]).varying(&sum);
    let mut tree = compiler.compile(&model, &sum).unwrap();
    tree.set(&coins[0], true).unwrap();
    assert!((tree.probability(&sum, &9).unwrap() - 1.0).abs() < 1e-12);
    tree.set(&coins[1], true).unwrap();
    let Error::ImpossibleEvidence { conflict, .. } = tree.answer().unwrap_err() else {
        panic!("two coins that differ are not both true");
    };
    assert_eq!(conflict.len(), 3, "{conflict:?}");
    tree.clear(&coins[1]).unwrap();
    tree.set(&sum, 4).unwrap();
    let Error::ImpossibleEvidence { conflict, .. } = tree.most_probable().unwrap_err() else {
        panic!("eight coins are true");
    };
    // If five of the eight coins show heads, one is too many.
    assert_eq!(conflict.len(), 6, "{conflict:?}");
}

/// The values of an element may depend on a parameter; evidence then applies to the new values.
#[test]
fn statements_outlive_other_values() {
    let offset = Param::new("offset", 0.0);
    let x = Flip::new(0.5);
    let read = offset.clone();
    let y = x.flat_map(move |&x| {
        let first = read.get() as u32;
        Uniform::new([first, if x { first + 1 } else { first + 2 }])
    });
    let compiler = JunctionTree::new().varying(&y);
    let mut tree = compiler.compile(&Model::new(), &x).unwrap();
    tree.set(&y, 2).unwrap();
    assert!(tree.probability(&x, &true).unwrap().abs() < 1e-12);
    offset.set(1.0);
    tree.refresh().unwrap();
    assert!((tree.probability(&x, &true).unwrap() - 1.0).abs() < 1e-12);
    offset.set(7.0);
    tree.refresh().unwrap();
    assert!(matches!(
        tree.answer(),
        Err(Error::ImpossibleEvidence { .. })
    ));
}

#[test]
fn joints_keep_to_the_budget() {
    let s = Uniform::new(0..1000u32);
    let t = s.map(|s| s * 7 % 1000);
    let small = figrs::Limits::default().table_entries(100_000);
    let compiler = JunctionTree::new().limits(small);
    let tree = compiler.compile(&Model::new(), (&s, &t)).unwrap();
    let error = tree.joint((&s, &t)).unwrap_err().to_string();
    assert!(
        error.contains("1.000e6") && error.contains("100000"),
        "{error}"
    );
}

/// Returns a ring of elements, compiled with evidence that may change.
fn ring() -> (Vec<Element<u8>>, CompiledTree) {
    let mut cells = vec![Uniform::new(0..3u8)];
    for at in 1..12 {
        let next =
            cells[at - 1].flat_map(|&c| Select::new([(0.5, c), (0.3, (c + 1) % 3), (0.2, 2)]));
        cells.push(next);
    }
    let model = Model::new().condition(&cells[11].differs(&cells[0]), |&differ| differ);
    let compiler = JunctionTree::new().varying(&cells[5]);
    let tree = compiler.compile(&model, &cells).unwrap();
    (cells, tree)
}

/// Returns all answers of a tree as text with all digits.
fn said(cells: &[Element<u8>], tree: &impl Compiled) -> String {
    let mut rng = figrs_core::stream(3, 0);
    let marginals: Vec<_> = cells
        .iter()
        .map(|cell| tree.distribution(cell).unwrap())
        .collect();
    let worlds = [
        tree.most_probable().unwrap(),
        tree.sample(&mut rng).unwrap(),
    ];
    let worlds = worlds.map(|world| (world.values(cells).unwrap(), world.log_probability()));
    format!(
        "{:?} {worlds:?} {} {marginals:?}",
        tree.log_evidence(),
        tree.count().unwrap()
    )
}

#[test]
fn several_threads_may_ask_one_tree() {
    let (cells, mut tree) = ring();
    tree.set(&cells[5], 1).unwrap();
    let alone = said(&cells, &tree);
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| (0..5).map(|_| said(&cells, &tree)).collect::<Vec<_>>()))
            .collect();
        for thread in asked {
            thread
                .join()
                .unwrap()
                .iter()
                .for_each(|message| assert_eq!(*message, alone));
        }
    });
    tree.set(&cells[5], 0).unwrap();
    assert_ne!(said(&cells, &tree), alone);
}

#[test]
fn a_clone_has_evidence_of_its_own() {
    let (cells, mut tree) = ring();
    tree.set(&cells[5], 1).unwrap();
    let mut other = tree.clone();
    let before = said(&cells, &tree);
    assert_eq!(said(&cells, &other), before);
    other.set(&cells[5], 2).unwrap();
    assert_eq!(other.probability(&cells[5], &2).unwrap(), 1.0);
    assert_eq!(said(&cells, &tree), before);
}

#[test]
fn a_form_refuses_what_it_cannot_answer() {
    let coins: Vec<_> = (0..5).map(|_| Flip::new(0.5)).collect();
    let sum = fold(&coins, 0u32, |sum, &coin| sum + u32::from(coin));
    let model = Model::new().observe(&sum, 2);
    let mut frontier = Frontier::new().compile(&model, &coins).unwrap();
    let tree = JunctionTree::new().compile(&model, &coins).unwrap();
    assert_eq!(
        Compiled::count(&frontier).unwrap(),
        Compiled::count(&tree).unwrap()
    );
    assert_eq!(frontier.k_best(1).unwrap().len(), 1);
    let refused = [
        frontier.k_best(2).unwrap_err(),
        Compiled::set(&mut frontier, &coins[0], true).unwrap_err(),
    ];
    for error in refused {
        assert!(
            matches!(
                error,
                Error::NotInAnswer {
                    algorithm: "Frontier",
                    ..
                }
            ),
            "{error}"
        );
    }
    let copy = frontier.clone();
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| frontier.log_evidence());
        assert_eq!(asked.join().unwrap(), copy.log_evidence());
    });
}
