//! Laws of steps, beside steps whose elements are built anew.

use figrs::prelude::*;
use figrs::{Covariance, Error, Filter, MultivariateNormal, filter_state};

use super::switching::{Body, Law};

#[derive(Clone, Debug)]
struct Motion {
    moving: Element<Vec<f64>>,
    level: Element<f64>,
}
filter_state!(Motion { moving, level });

#[test]
fn a_law_leads_to_the_same_states() {
    let step = |state: &Motion| {
        let level = Normal::new(&(&state.level * 0.9 + state.moving.entry(1)), Variance(0.3));
        let mean = state.moving.affine([[1.0, 0.5], [-0.1, 0.9]], [0.1, -0.2]);
        let noise = Covariance::rows([[1e-6, 5e-7], [5e-7, 0.2]]);
        let moving = MultivariateNormal::new(&mean, noise);
        Motion { moving, level }
    };
    let near = |state: &Motion| Normal::new(state.moving.entry(0), Variance(1e-4));
    let sum = |state: &Motion| Normal::new(&(&state.level + state.moving.entry(0)), Variance(2.0));
    // The first level has two components.
    let regime = Flip::new(0.3);
    let level = regime.flat_map(|&high| Normal::new(if high { 5.0 } else { 0.0 }, Variance(1.0)));
    let first = Motion {
        moving: MultivariateNormal::new([0.0, 1.0], Covariance::diagonal([1e4, 1.0])),
        level,
    };
    let mut by_advance = Filter::exact(&first).unwrap();
    let mut by_law = by_advance.clone();
    let both = by_law.law(step, |s| (near(s), sum(s))).unwrap();
    for t in 0..40 {
        let (x, y) = (f64::from(t) * 0.4 - 1.0, f64::from(t % 5) + 2.0);
        if t % 7 == 3 {
            by_advance.advance(step, |_| Model::new()).unwrap();
            by_law.follow(&both, |_| Model::new()).unwrap();
        } else {
            let evidence = |s: &Motion| Model::new().observe(&near(s), x).observe(&sum(s), y);
            by_advance.advance(step, evidence).unwrap();
            let seen = |(near, sum): &(Element<f64>, Element<f64>)| {
                Model::new().observe(near, x).observe(sum, y)
            };
            by_law.follow(&both, seen).unwrap();
        }
        let (log, other) = (by_law.log_evidence().value, by_advance.log_evidence().value);
        assert!(
            (log - other).abs() < 1e-9 * other.abs(),
            "step {t}: {log} {other}"
        );
        let numbers = |filter: &Filter<Motion>| {
            let moving = filter.mixture(|s| &s.moving).unwrap();
            let level = filter.mixture(|s| &s.level).unwrap();
            let spread = [moving.covariance().concat(), level.covariance().concat()];
            [moving.means(), level.means(), spread.concat()].concat()
        };
        for (own, other) in numbers(&by_law).into_iter().zip(numbers(&by_advance)) {
            assert!(
                (own - other).abs() < 1e-9 * other.abs().max(1e-3),
                "step {t}: {own} {other}"
            );
        }
        // A step without a law goes on from a state that a law led to.
        if t % 11 == 10 {
            by_law
                .observe(|s| Model::new().observe(&sum(s), y))
                .unwrap();
            by_advance
                .observe(|s| Model::new().observe(&sum(s), y))
                .unwrap();
        }
    }
    assert_eq!(by_law.steps(), 40);
}

#[test]
fn laws_that_are_refused() {
    let refused = |error: Error| match error {
        Error::NotClosedForm { .. } => {}
        Error::InStep { step: 1, error } if matches!(*error, Error::NotClosedForm { .. }) => {}
        other => panic!("{other}"),
    };
    let walk = |level: &Element<f64>| Normal::new(level, Variance(1.0));
    let mut filter = Filter::exact(&Normal::new(0.0, Variance(1.0))).unwrap();
    // A function that is not linear.
    refused(filter.law(|level| level.map(|x| x * x), walk).unwrap_err());
    // A reading that another one determines.
    let law = filter.law(walk, |level| (level.clone(), level * 2.0));
    let law = law.unwrap();
    let both = |(level, double): &(Element<f64>, Element<f64>)| {
        Model::new().observe(level, 1.0).observe(double, 3.0)
    };
    refused(filter.follow(&law, both).unwrap_err());
    assert_eq!(filter.steps(), 0);
    // Evidence that is not an observation of a reading.
    let other = Normal::new(0.0, Variance(1.0));
    let mut check = |model: Model, words: &str| {
        let error = filter.follow(&law, |_| model).unwrap_err();
        let is_setting = |error: &Error| matches!(error, Error::InvalidSetting { .. });
        let inner = match &error {
            Error::InStep { step: 1, error } => error,
            other => other,
        };
        assert!(
            is_setting(inner) && error.to_string().contains(words),
            "{error}"
        );
    };
    check(
        Model::new().observe(&other, 1.0),
        "observe readings of the law",
    );
    check(Model::new().intervene(&other, 1.0), "an intervention");
    // A reading cannot have two values.
    let twice = |(level, _): &(Element<f64>, Element<f64>)| {
        Model::new().observe(level, 1.0).observe(level, 2.0)
    };
    let error = filter.follow(&law, twice).unwrap_err().to_string();
    assert!(
        error.contains("impossible") || error.contains("contradict"),
        "{error}"
    );
    // A list cannot have two values either.
    let vector = MultivariateNormal::new([0.0, 0.0], Covariance::diagonal([1.0, 1.0]));
    let mut list = Filter::exact(&vector).unwrap();
    let noisy =
        |x: &Element<Vec<f64>>| MultivariateNormal::new(x, Covariance::diagonal([1.0, 1.0]));
    let pair = list.law(noisy, noisy).unwrap();
    let seen = |y: f64| {
        move |x: &Element<Vec<f64>>| {
            Model::new()
                .observe(x, vec![1.0, 2.0])
                .observe(x, vec![1.0, y])
        }
    };
    assert!(list.follow(&pair, seen(3.0)).is_err());
    list.follow(&pair, seen(2.0)).unwrap();
    // A number that is normal for some values of the state alone.
    let switch = Filter::exact(&Constant::new(false)).unwrap();
    let noisy = |is_on: &Element<bool>| {
        is_on.flat_map(|&is_on| match is_on {
            true => Normal::new(0.0, Variance(1.0)),
            false => Constant::new(0.0),
        })
    };
    refused(
        switch
            .law(|is_on| is_on.map(|is_on| !is_on), noisy)
            .unwrap_err(),
    );
    // A law with too many joint values of readings.
    let coin = Filter::exact(&Flip::new(0.5)).unwrap();
    let sensors = |state: &Element<bool>| -> Vec<Element<bool>> {
        let sensor = |_| state.flat_map(|&state| Flip::new(if state { 0.9 } else { 0.2 }));
        (0..24).map(sensor).collect()
    };
    let error = coin.law(Clone::clone, sensors).unwrap_err().to_string();
    assert!(
        error.contains("too many joint values for a law; use `advance`"),
        "{error}"
    );
    // A law of other values, and a law with too many of them.
    let step = |count: &Element<u32>| count.map(|count| (count + 1) % 5000);
    let counter = Filter::exact(&Constant::new(0)).unwrap().components(100);
    let error = counter
        .law(step, |_| walk(&Constant::new(0.0)))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("101 components") && error.contains("more than 100"),
        "{error}"
    );
    let law = counter.law(
        |count| count.map(|count| (count + 1) % 3),
        |_| walk(&Constant::new(0.0)),
    );
    let law = law.unwrap();
    let mut far = Filter::exact(&Constant::new(7)).unwrap();
    let error = far.follow(&law, |_| Model::new()).unwrap_err().to_string();
    assert!(
        error.contains("values of the state that the law does not contain"),
        "{error}"
    );
}

/// A number that is known at first becomes a normal number.
#[test]
fn laws_from_a_known_start() {
    type Pair = (Element<bool>, Element<f64>);
    type List = Vec<Element<f64>>;
    let first = (Flip::new(0.4), Constant::new(3.0));
    let step = |(is_up, level): &Pair| {
        let is_up = is_up.flat_map(|&is_up| Flip::new(if is_up { 0.9 } else { 0.2 }));
        let drift = is_up.map(|&is_up| f64::from(u8::from(is_up)));
        let level = Normal::new(level + &drift, Variance(0.1));
        (is_up, level)
    };
    let read = |(_, level): &Pair| Normal::new(level, Variance(0.5));
    let mut by_advance = Filter::exact(&first).unwrap().window(2);
    // The state before the law is known, too.
    by_advance.advance(Clone::clone, |_| Model::new()).unwrap();
    let mut by_law = by_advance.clone();
    let law = by_law.law(step, read).unwrap();
    for t in 0..5 {
        let x = 3.0 + 0.6 * f64::from(t);
        by_law
            .follow(&law, |level| Model::new().observe(level, x))
            .unwrap();
        by_advance
            .advance(step, |pair| Model::new().observe(&read(pair), x))
            .unwrap();
        for lag in 0..3 {
            let own = |filter: &Filter<Pair>| {
                let (is_up, level) = filter.past(lag).unwrap();
                let answer = filter.answer();
                (
                    answer.mean(level).unwrap(),
                    answer.probability(is_up, &true).unwrap(),
                )
            };
            let (a, b) = (own(&by_law), own(&by_advance));
            assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12);
        }
        let logs = (by_law.log_evidence().value, by_advance.log_evidence().value);
        assert!((logs.0 - logs.1).abs() < 1e-12);
    }
    // A number that is normal at first and then known, and a state of another length.
    let normal = Filter::exact(&vec![Normal::new(0.0, Variance(1.0))]).unwrap();
    let reset = |_: &List| vec![Constant::new(0.0)];
    let longer = |list: &List| vec![list[0].clone(), Normal::new(0.0, Variance(1.0))];
    for step in [&reset as &dyn Fn(&List) -> List, &longer] {
        let error = normal
            .law(step, |list| list[0].clone())
            .unwrap_err()
            .to_string();
        assert!(error.contains("elements of the same kind"), "{error}");
    }
    // The law of another state.
    let pair = Filter::exact(&(Flip::new(0.5), Normal::new(0.0, Variance(1.0)))).unwrap();
    let law = pair.law(Clone::clone, |(_, level)| level.clone()).unwrap();
    let mut other = Filter::exact(&(Normal::new(0.0, Variance(1.0)), Flip::new(0.5))).unwrap();
    let error = other
        .follow(&law, |_| Model::new())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("a law for a state with other elements"),
        "{error}"
    );
}

/// The unit of the numbers does not matter.
#[test]
fn laws_in_small_units() {
    for unit in [1e-15, 1e-27, 1e15] {
        let noise = Variance(unit * unit);
        let mut filter = Filter::exact(&Normal::new(0.0, noise)).unwrap();
        let law = filter
            .law(|x| Normal::new(x, noise), |x| Normal::new(x, noise))
            .unwrap();
        filter
            .follow(&law, |x| Model::new().observe(x, 3.0 * unit))
            .unwrap();
        assert!((filter.mean(|x| x).unwrap() / unit - 2.0).abs() < 1e-12);
    }
}

/// Compares the present states and the past states of the filters after a step.
fn check(one: &Filter<Body>, other: &Filter<Body>) {
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} and {b}");
    near(one.log_evidence().value, other.log_evidence().value);
    let mut lag = 0;
    while let (Some(own), Some(others)) = (one.at(lag), other.past(lag)) {
        let answer = other.answer();
        for mode in 0..3 {
            near(
                own.probability(|body| &body.mode, &mode).unwrap(),
                answer.probability(&others.mode, &mode).unwrap(),
            );
        }
        let (place, speed) = (own.mixture(|b| &b.place), own.mixture(|b| &b.speed));
        let pairs = [
            (place.unwrap(), answer.mixture(&others.place).unwrap()),
            (speed.unwrap(), answer.mixture(&others.speed).unwrap()),
        ];
        for (own, other) in pairs {
            near(own.mean(), other.mean());
            near(own.variance(), other.variance());
        }
        lag += 1;
    }
    assert!(one.at(lag).is_none() && other.past(lag).is_none());
}

/// Readings of the place and of the speed, and a signal of the mode.
type Readings = (Element<f64>, Element<bool>, Element<f64>);

fn readings(body: &Body) -> Readings {
    let place = body.place.clone();
    let seen = body
        .mode
        .flat_map(move |&mode| Normal::new(&place, Variance([0.5, 2.0, 0.1][mode])));
    let signal = body.mode.flat_map(|&mode| Flip::new([0.2, 0.9, 0.5][mode]));
    (seen, signal, Normal::new(&body.speed, Variance(2.0)))
}

/// In every third step each, a reading is missing.
fn evidence(step: usize, (place, signal, speed): &Readings) -> Model {
    let x = step as f64 * 0.6 - 1.0;
    let mut model = Model::new();
    if !step.is_multiple_of(3) {
        model = model.observe(place, x);
    }
    if step % 3 != 1 {
        model = model.observe(signal, step.is_multiple_of(2));
    }
    if step % 3 < 2 {
        model = model.observe(speed, 0.3);
    }
    model
}

#[test]
fn laws_of_switching_systems() {
    for seed in 0..8 {
        let law = Law::random(seed);
        let kinds = [
            (Filter::exact(&Law::first()).unwrap(), 5),
            (Filter::moments(&Law::first()).unwrap(), 15),
            (Filter::particles(&Law::first(), 1000, 1).unwrap(), 5),
        ];
        let windows = kinds
            .iter()
            .map(|(filter, steps)| (filter.clone().window(2), *steps.min(&8)));
        for (mut by_advance, steps) in windows.chain(kinds.clone()) {
            let mut by_law = by_advance.clone();
            let compiled = by_law.law(|body| law.step(body), readings).unwrap();
            for step in 0..steps {
                by_law
                    .follow(&compiled, |readings| evidence(step, readings))
                    .unwrap();
                let seen = |body: &Body| evidence(step, &readings(body));
                by_advance.advance(|body| law.step(body), seen).unwrap();
                check(&by_law, &by_advance);
            }
            assert_eq!(
                by_law.log_evidence().standard_error.is_nan(),
                by_advance.log_evidence().standard_error.is_nan()
            );
        }
    }
}

/// The estimate of the probability of the evidence by few particles is unbiased.
#[test]
fn few_particles_that_follow_a_law() {
    const SEEDS: u64 = 400;
    let law = Law::random(1);
    let mut exact = Filter::exact(&Law::first()).unwrap();
    let compiled = exact.law(|body| law.step(body), readings).unwrap();
    let run = |filter: &mut Filter<Body>| {
        for step in 0..6 {
            filter
                .follow(&compiled, |readings| evidence(step, readings))
                .unwrap();
        }
        filter.log_evidence().value.exp()
    };
    let exact = run(&mut exact);
    let ratios = (0..SEEDS).map(|seed| {
        let mut few = Filter::particles(&Law::first(), 6, seed).unwrap();
        run(&mut few) / exact
    });
    let ratios: Vec<f64> = ratios.collect();
    let mean = ratios.iter().sum::<f64>() / SEEDS as f64;
    let squares = ratios.iter().map(|ratio| (ratio - mean).powi(2));
    let error = (squares.sum::<f64>() / (SEEDS * (SEEDS - 1)) as f64).sqrt();
    // Five standard errors: a false alarm has the probability 6e-7.
    assert!(
        error > 1e-6 && error < 0.1 && (mean - 1.0).abs() < 5.0 * error,
        "{mean} {error}"
    );
}

/// A ring of values of which the first state has only one; the law contains all values that the state reaches.
#[test]
fn laws_contain_all_values_that_a_state_reaches() {
    type Pair = (Element<usize>, Element<bool>);
    let step = |place: &Element<usize>| {
        place.flat_map(|&place| Select::new([(0.7, (place + 1) % 9), (0.3, (place + 4) % 9)]))
    };
    let signal =
        |place: &Element<usize>| place.flat_map(|&place| Flip::new(0.1 + 0.08 * place as f64));
    let first = (Constant::new(0_usize), Flip::new(0.5));
    let both = |(place, lamp): &Pair| (step(place), lamp.clone());
    let mut by_advance = Filter::exact(&first).unwrap().window(3);
    let mut by_law = by_advance.clone();
    let law = by_law.law(both, |(place, _)| signal(place)).unwrap();
    for t in 0..30 {
        let seen = t % 3 == 0;
        by_law
            .follow(&law, |signal| Model::new().observe(signal, seen))
            .unwrap();
        let evidence = |(place, _): &Pair| Model::new().observe(&signal(place), seen);
        by_advance.advance(both, evidence).unwrap();
        if t % 8 == 7 {
            // A late reading about a past state.
            for filter in [&mut by_law, &mut by_advance] {
                let late = filter.past(2).unwrap().0.clone();
                let evidence = |_: &Pair| Model::new().observe(&signal(&late), true);
                filter.observe(evidence).unwrap();
            }
        }
        for (lag, value) in (0..4.min(t + 2)).flat_map(|lag| (0..9).map(move |value| (lag, value)))
        {
            let p = |filter: &Filter<Pair>| {
                let (place, _) = filter.past(lag).unwrap();
                filter.answer().probability(place, &value).unwrap()
            };
            assert!((p(&by_law) - p(&by_advance)).abs() < 1e-12);
        }
        let logs = (by_law.log_evidence().value, by_advance.log_evidence().value);
        assert!((logs.0 - logs.1).abs() < 1e-11);
    }
    // A finite reading that is impossible.
    let law = by_law.law(both, |(_, lamp)| lamp.map(|_| true)).unwrap();
    let error = by_law
        .follow(&law, |lamp| Model::new().observe(lamp, false))
        .unwrap_err();
    assert!(matches!(error, Error::InStep { step: 31, .. }), "{error}");
}
