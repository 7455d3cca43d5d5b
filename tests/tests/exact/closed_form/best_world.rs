//! The most probable world of models with normal elements.

use figrs::prelude::*;
use figrs::{
    AnyElement, Covariance, Dirichlet, Error, InverseGamma, MultivariateNormal, Scale, weighted_sum,
};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

fn close(found: f64, exact: f64) {
    let scale = exact.abs().max(1.0);
    assert!((found - exact).abs() < 1e-9 * scale, "{found} for {exact}");
}

#[test]
fn a_choice_is_weighed_by_its_density() {
    // The first component has more probability, the second one a higher density at its mean.
    let kind = Select::new([(0.6, 0), (0.4, 1)]);
    let level = kind.flat_map(|&kind| match kind {
        0 => Normal::new(1.0, StandardDeviation(10.0)),
        _ => Normal::new(-2.0, StandardDeviation(0.5)),
    });
    let world = MpeExact::new().run(&Model::new(), (&kind, &level)).unwrap();
    assert_eq!(world.most_likely_value(&kind).unwrap(), 1);
    close(world.most_likely_value(&level).unwrap(), -2.0);
    let density = 0.4 / (0.5 * (2.0 * std::f64::consts::PI).sqrt());
    close(world.log_probability().unwrap(), density.ln());
    assert!(world.is_proven().unwrap());
    // A reading far from both is explained by the wide one.
    let reading = Normal::new(&level, Variance(1.0));
    let model = Model::new().observe(&reading, 6.0);
    for algorithm in [
        &MpeExact::new() as &dyn Algorithm,
        &MpeVariableElimination::new(),
    ] {
        let world = algorithm.run(&model, (&kind, &level)).unwrap();
        assert_eq!(world.most_likely_value(&kind).unwrap(), 0);
        close(world.most_likely_value(&level).unwrap(), 6.0 - 5.0 / 101.0);
        close(world.most_likely_value(&reading).unwrap(), 6.0);
    }
}

#[test]
fn lists_and_sums_have_the_values_of_the_world() {
    let list = MultivariateNormal::new([1.0, 2.0], Covariance::rows([[2.0, 1.0], [1.0, 2.0]]));
    let sum = list.entry(0) + list.entry(1);
    let model = Model::new().observe(&sum, 5.0);
    let world = MpeExact::new().run(&model, (&list, &sum)).unwrap();
    let values = world.most_likely_value(&list).unwrap();
    close(values[0], 2.0);
    close(values[1], 3.0);
    close(world.most_likely_value(&sum).unwrap(), 5.0);
}

/// A model of finite and normal elements: the model, its finite elements, and its normal elements.
fn random(rng: &mut SmallRng) -> (Model, Vec<Element<usize>>, Vec<Element<f64>>) {
    let mut finite: Vec<Element<usize>> = Vec::new();
    for i in 0..rng.random_range(1..=3) {
        let row = |rng: &mut SmallRng| {
            let shares: Vec<f64> = (0..3).map(|_| rng.random_range(0.1..1.0)).collect();
            Select::new(shares.into_iter().zip(0..))
        };
        let rows = [row(rng), row(rng), row(rng)];
        finite.push(if i == 0 {
            rows[0].clone()
        } else {
            let parent = finite[rng.random_range(0..i)].clone();
            Cpd::new(&parent, (0..3).zip(rows))
        });
    }
    let mut model = Model::new();
    let mut normals: Vec<Element<f64>> = Vec::new();
    for i in 0..rng.random_range(1..=7) {
        let count = if i == 0 {
            0
        } else {
            rng.random_range(0..=2.min(i))
        };
        let terms = (0..count).map(|_| {
            (
                rng.random_range(-2.0..2.0),
                &normals[rng.random_range(0..i)],
            )
        });
        let terms: Vec<_> = terms.collect();
        let switch = &finite[rng.random_range(0..finite.len())];
        let means = [(); 3].map(|()| rng.random_range(-3.0..3.0));
        let spreads = [(); 3].map(|()| rng.random_range(0.2..3.0));
        let offset = switch.map(move |&value| means[value]);
        let mean = weighted_sum(terms.into_iter().chain([(1.0, &offset)]));
        let normal = if rng.random_bool(0.5) {
            let spread = switch.map(move |&value| spreads[value]);
            Normal::new(&mean, StandardDeviation(&spread))
        } else {
            // The results of a `Chain`, which nothing else reads.
            switch.flat_map(move |&value| Normal::new(&mean, StandardDeviation(spreads[value])))
        };
        if rng.random_bool(0.4) {
            model = model.observe(&normal, rng.random_range(-4.0..4.0));
        }
        normals.push(normal);
    }
    (model, finite, normals)
}

#[test]
fn no_other_world_of_random_models_is_more_probable() {
    let mut rng = SmallRng::seed_from_u64(40);
    let mut open = 0;
    for _ in 0..100 {
        let (model, finite, normals) = random(&mut rng);
        let all = finite.iter().map(|e| e.erased().clone());
        let all: Vec<AnyElement> = all
            .chain(normals.iter().map(|e| e.erased().clone()))
            .collect();
        let best = MpeExact::new().run(&model, &all).unwrap();
        // The density of a world: the evidence is the value of every element.
        let density = |values: &[usize], numbers: &[f64]| {
            let mut all = Model::new();
            for (element, &value) in finite.iter().zip(values) {
                all = all.observe(element, value);
            }
            for (element, &number) in normals.iter().zip(numbers) {
                all = all.observe(element, number);
            }
            let answer = Exact::new().run(&all, ());
            answer.map_or(f64::NEG_INFINITY, |a| a.log_evidence().unwrap().value)
        };
        let values = finite.iter().map(|e| best.most_likely_value(e).unwrap());
        let numbers = normals.iter().map(|e| best.most_likely_value(e).unwrap());
        let found = density(&values.collect::<Vec<_>>(), &numbers.collect::<Vec<_>>());
        close(best.log_probability().unwrap(), found);
        let mut largest = f64::NEG_INFINITY;
        for index in 0..3_usize.pow(finite.len() as u32) {
            let value = |i| index / 3_usize.pow(i) % 3;
            let values: Vec<usize> = (0..finite.len() as u32).map(value).collect();
            let mut given = model.clone();
            for (element, &value) in finite.iter().zip(&values) {
                given = given.observe(element, value);
            }
            // Given the finite elements, all numbers are normal together: the mode is the mean.
            let means = Exact::new().run(&given, &normals).unwrap();
            let numbers = normals.iter().map(|e| means.mean(e).unwrap());
            largest = largest.max(density(&values, &numbers.collect::<Vec<_>>()));
        }
        close(best.log_probability().unwrap(), largest);
        open += usize::from(model.evidence().len() < normals.len());
    }
    assert!(open > 50, "{open} models with open numbers");
}

#[test]
fn worlds_with_different_random_elements_are_not_compared() {
    let coin = Flip::new(0.5);
    let other = Normal::new(0.0, Variance(1.0)).named("other");
    let own = other.clone();
    let number = coin.flat_map(move |&coin| {
        if coin {
            own.clone()
        } else {
            Constant::new(2.0)
        }
    });
    let error = MpeExact::new().run(&Model::new(), &number).unwrap_err();
    assert!(
        matches!(&error, Error::NotClosedForm { element, .. } if element.name.as_deref() == Some("other")),
        "{error}"
    );
    // The number is in all worlds if it is a target.
    let world = MpeExact::new()
        .run(&Model::new(), (&number, &other))
        .unwrap();
    close(world.most_likely_value(&other).unwrap(), 0.0);
    let model = Model::new().observe(&other, 1.0).observe(&other, 2.0);
    let error = MpeExact::new().run(&model, &other).unwrap_err();
    assert!(
        matches!(
            error,
            Error::ImpossibleEvidence { .. } | Error::NotClosedForm { .. }
        ),
        "{error}"
    );
}

/// Coins with an unknown probability, seen by sensors that are wrong with the probability 0.2.
#[test]
fn parameters_have_their_most_probable_values() {
    let log_beta = |a: f64, b: f64, p: f64| {
        let norm: f64 = (1..=(a + b - 1.0) as u32).map(f64::from).product();
        let factorial = |n: f64| (1..=n as u32).map(f64::from).product::<f64>();
        (norm / (factorial(a - 1.0) * factorial(b - 1.0))).ln()
            + (a - 1.0) * p.ln()
            + (b - 1.0) * (1.0 - p).ln()
    };
    for (a, b) in [(3.0, 2.0), (2.0, 6.0)] {
        let share = Beta::new(a, b);
        let coins: Vec<Element<bool>> = (0..4).map(|_| Flip::new(&share)).collect();
        let seen = [true, true, false];
        let model = coins
            .iter()
            .zip(seen)
            .fold(Model::new(), |model, (coin, seen)| {
                let sensor = coin.flat_map(|&coin| Flip::new(if coin { 0.8 } else { 0.2 }));
                model.observe(&sensor, seen)
            });
        let targets = coins.iter().map(|coin| coin.erased().clone());
        let targets: Vec<AnyElement> = targets.chain([share.erased().clone()]).collect();
        let best = MpeExact::new().run(&model, &targets).unwrap();
        let log_of = |values: &[bool]| {
            let heads = values.iter().filter(|&&coin| coin).count() as f64;
            let tails = values.len() as f64 - heads;
            let p = (a + heads - 1.0) / (a + b + heads + tails - 2.0);
            let pairs = values.iter().zip(seen);
            let sensors = pairs.map(|(&coin, seen)| if coin == seen { 0.8_f64 } else { 0.2 }.ln());
            let log = log_beta(a, b, p) + heads * p.ln() + tails * (1.0 - p).ln();
            (log + sensors.sum::<f64>(), p)
        };
        let worlds = (0..16).map(|world| {
            let values: Vec<bool> = (0..4).map(|i| world >> i & 1 == 1).collect();
            log_of(&values).0
        });
        let values = coins
            .iter()
            .map(|coin| best.most_likely_value(coin).unwrap());
        let (log, p) = log_of(&values.collect::<Vec<bool>>());
        close(best.log_probability().unwrap(), log);
        close(log, worlds.fold(f64::NEG_INFINITY, f64::max));
        close(best.most_likely_value(&share).unwrap(), p);
    }
}

#[test]
fn modes_of_parameters() {
    let mode = |model: &Model, element: &Element<f64>| {
        let world = MpeExact::new().run(model, element).unwrap();
        world.most_likely_value(element).unwrap()
    };
    let rate = Gamma::new(3.0, Rate(2.0));
    let double = &rate * 2.0;
    let model = Model::new().observe(&Poisson::new(&rate), 4);
    close(mode(&model, &rate), 2.0);
    close(mode(&model, &double), 4.0);
    let variance = InverseGamma::new(2.0, Scale(3.0));
    let model = Model::new().observe(&Normal::new(0.0, Variance(&variance)), 1.5);
    close(mode(&model, &variance), 4.125 / 3.5);
    let shares = Dirichlet::new([2.0, 1.0, 3.0]);
    let model = Model::new().observe(&Select::by(&shares, [0, 1, 2]), 0);
    let world = MpeExact::new().run(&model, &shares).unwrap();
    let found = world.most_likely_value(&shares).unwrap();
    for (found, exact) in found.into_iter().zip([0.5, 0.0, 0.5]) {
        close(found, exact);
    }
    // A density that is unbounded, and a parameter that a `Chain` chooses.
    let share = Beta::new(0.5, 3.0).named("share");
    let error = MpeExact::new().run(&Model::new(), &share).unwrap_err();
    assert!(error.to_string().contains("no maximum"), "{error}");
    let chosen = Flip::new(0.5).flat_map(|&high| Beta::new(if high { 5.0 } else { 1.0 }, 2.0));
    let model = Model::new().observe(&Flip::new(&chosen), true);
    let error = MpeExact::new().run(&model, &chosen).unwrap_err();
    assert!(matches!(error, Error::NotClosedForm { .. }), "{error}");
}
