//! Filters with a window, with groups, with merged components, and with particles.

use figrs::prelude::*;
use figrs::{Error, Filter, ParticleFilter};

/// A level that wanders, and its readings.
fn level(level: &Element<f64>) -> Element<f64> {
    Normal::new(level, Variance(1.0))
}

fn read(level: &Element<f64>, reading: f64) -> Model {
    Model::new().observe(&Normal::new(level, Variance(4.0)), reading)
}

const READINGS: [f64; 6] = [1.2, 0.7, 1.9, 2.6, 0.1, 1.0];

#[test]
fn past_states_are_smoothed() {
    let mut filter = Filter::exact(&Normal::new(0.0, Variance(100.0)))
        .unwrap()
        .window(3);
    let mut levels = vec![Normal::new(0.0, Variance(100.0))];
    let mut model = Model::new();
    for reading in READINGS {
        filter.advance(level, |level| read(level, reading)).unwrap();
        levels.push(level(levels.last().unwrap()));
        model = model.observe(&Normal::new(levels.last().unwrap(), Variance(4.0)), reading);
        let answer = Exact::new().run(&model, &levels).unwrap();
        for lag in 0..4_usize.min(levels.len()) {
            let exact = &levels[levels.len() - 1 - lag];
            let own = filter.past(lag).unwrap();
            let found = filter.answer();
            let mean = (found.mean(own).unwrap(), answer.mean(exact).unwrap());
            let variance = (
                found.variance(own).unwrap(),
                answer.variance(exact).unwrap(),
            );
            assert!((mean.0 - mean.1).abs() < 1e-12 && (variance.0 - variance.1).abs() < 1e-12);
        }
        let log_evidence = answer.log_evidence().unwrap().value;
        assert!((filter.log_evidence().value - log_evidence).abs() < 1e-12);
    }
    assert!(filter.past(4).is_none());
}

/// Four lamps, each of which copies its left neighbour with some probability; one sensor sees the last lamp.
fn lamps(state: &[Element<bool>]) -> Vec<Element<bool>> {
    (0..4)
        .map(|i| {
            let left = &state[(i + 3) % 4];
            (left, &state[i]).flat_map(|(&left, &own)| {
                Flip::new(0.05 + 0.6 * f64::from(u8::from(left)) + 0.3 * f64::from(u8::from(own)))
            })
        })
        .collect()
}

/// The next distribution of the lamps, given that a sensor of the last lamp says `seen`, and the probability of this. Lamp `i` is bit `i`.
fn next_lamps(before: &[f64; 16], seen: bool) -> ([f64; 16], f64) {
    let bit = |state: usize, i: usize| f64::from(u8::from(state >> (i % 4) & 1 == 1));
    let mut after = [0.0; 16];
    for (next, p) in after.iter_mut().enumerate() {
        for (state, share) in before.iter().enumerate() {
            let lamp = |i: usize| {
                let on = 0.05 + 0.6 * bit(state, i + 3) + 0.3 * bit(state, i);
                if bit(next, i) == 1.0 { on } else { 1.0 - on }
            };
            *p += share * (0..4).map(lamp).product::<f64>();
        }
        let says = if bit(next, 3) == 1.0 { 0.9 } else { 0.2 };
        *p *= if seen { says } else { 1.0 - says };
    }
    let total: f64 = after.iter().sum();
    (after.map(|p| p / total), total)
}

/// The product of the distributions of groups of `width` lamps.
fn projected(joint: &[f64; 16], width: usize) -> [f64; 16] {
    let groups = (0..4)
        .step_by(width)
        .map(|first| ((1 << width) - 1) << first);
    let groups: Vec<usize> = groups.collect();
    std::array::from_fn(|state| {
        let share = |mask: &usize| {
            let alike = joint
                .iter()
                .enumerate()
                .filter(|(other, _)| other & mask == state & mask);
            alike.map(|(_, p)| p).sum::<f64>()
        };
        groups.iter().map(share).product()
    })
}

#[test]
fn groups_that_are_taken_as_independent() {
    let on = |i: usize| 0.2 + 0.1 * i as f64;
    let first: Vec<Element<bool>> = (0..4).map(|i| Flip::new(on(i))).collect();
    for width in [1, 2, 4] {
        let mut filter = Filter::factored(&first, width).unwrap();
        let mut joint: [f64; 16] = std::array::from_fn(|state| {
            (0..4)
                .map(|i| {
                    if state >> i & 1 == 1 {
                        on(i)
                    } else {
                        1.0 - on(i)
                    }
                })
                .product()
        });
        let mut log_evidence = 0.0;
        for seen in [true, false, true, true, false, true] {
            let evidence = |state: &Vec<Element<bool>>| {
                let seen_by = state[3].flat_map(|&on| Flip::new(if on { 0.9 } else { 0.2 }));
                Model::new().observe(&seen_by, seen)
            };
            filter.advance(|state| lamps(state), evidence).unwrap();
            let (next, total) = next_lamps(&joint, seen);
            joint = projected(&next, width);
            log_evidence += total.ln();
            for i in 0..4 {
                let exact: f64 = (0..16)
                    .filter(|state| state >> i & 1 == 1)
                    .map(|state| joint[state])
                    .sum();
                let found = filter.probability(|state| &state[i], &true).unwrap();
                assert!(
                    (found - exact).abs() < 1e-12,
                    "{width}, lamp {i}: {found}, {exact}"
                );
            }
        }
        let found = filter.log_evidence();
        assert!((found.value - log_evidence).abs() < 1e-12);
        assert_eq!(found.standard_error.is_nan(), width < 4);
        let is_approximate = filter
            .summary(|state| &state[0])
            .unwrap()
            .contains("approximate");
        assert_eq!(is_approximate, width < 4);
    }
}

/// A drift that switches: its filter by moments beside the exact mixture.
#[test]
fn components_that_are_merged() {
    let first = (Flip::new(0.5), Normal::new(0.0, Variance(1.0)));
    let step = |(fast, place): &(Element<bool>, Element<f64>)| {
        let next = fast.flat_map(|&fast| Flip::new(if fast { 0.8 } else { 0.1 }));
        let place = place.clone();
        let moved = next.flat_map(move |&fast| {
            Normal::new(&(&place + if fast { 1.0 } else { 0.0 }), Variance(0.2))
        });
        (next, moved)
    };
    let mut exact = Filter::exact(&first).unwrap();
    let mut merged = Filter::moments(&first).unwrap();
    for (t, reading) in [0.3, 1.2, 2.4, 2.2, 3.3, 4.1].into_iter().enumerate() {
        for filter in [&mut exact, &mut merged] {
            let evidence = |(_, place): &(Element<bool>, Element<f64>)| {
                Model::new().observe(&Normal::new(place, Variance(0.5)), reading)
            };
            filter.advance(step, evidence).unwrap();
        }
        let mixture = |filter: &Filter<_>| {
            filter
                .mixture(|(_, place)| place)
                .unwrap()
                .components()
                .len()
        };
        assert!(mixture(&merged) <= 2 && mixture(&exact) == 2 << t);
        let mean = |filter: &Filter<_>| filter.mean(|(_, place)| place).unwrap();
        assert!((mean(&merged) - mean(&exact)).abs() < 0.02, "step {t}");
    }
    assert!(merged.log_evidence().standard_error.is_nan());
    assert!((merged.log_evidence().value - exact.log_evidence().value).abs() < 0.02);
}

/// A filter that has merged components stays approximate, also if a later step merges none, and after it is saved and loaded.
#[test]
fn merged_components_stay_approximate() {
    let mut filter = Filter::moments(&Normal::new(0.0, Variance(1.0))).unwrap();
    let is_approximate = |filter: &Filter<Element<f64>>| {
        let text = filter.summary(|place| place).unwrap();
        assert_eq!(
            text.contains("approximate"),
            filter.log_evidence().standard_error.is_nan()
        );
        text.contains("approximate")
    };
    let nothing = |_: &Element<f64>| Model::new();
    assert!(!is_approximate(&filter));
    filter.advance(jump, nothing).unwrap();
    assert!(is_approximate(&filter));
    filter.advance(level, nothing).unwrap();
    assert!(is_approximate(&filter));
    let again = Filter::load(&Normal::new(0.0, Variance(1.0)), filter.save()).unwrap();
    assert!(is_approximate(&again));
    let law = filter.law(level, |place| Normal::new(place, Variance(1.0)));
    let seen = |level: &Element<f64>| Model::new().observe(level, 1.0);
    filter.follow(&law.unwrap(), seen).unwrap();
    assert!(is_approximate(&filter));
}

/// A body that jumps by one, or stays.
fn jump(place: &Element<f64>) -> Element<f64> {
    let place = place.clone();
    Flip::new(0.4).flat_map(move |&jumps| Normal::new(&place + f64::from(jumps), Variance(0.2)))
}

/// Components that are drawn: the estimates of the evidence, and of the evidence times the mean of the last state, are unbiased.
#[test]
fn components_that_are_drawn() {
    const SEEDS: u64 = 300;
    const PLACES: [f64; 5] = [0.4, 1.1, 1.3, 2.6, 2.9];
    let first = Normal::new(0.0, Variance(1.0));
    let run = |filter: &mut Filter<Element<f64>>, places: &[f64]| {
        for &place in places {
            let evidence =
                |state: &_| Model::new().observe(&Normal::new(state, Variance(0.3)), place);
            filter.advance(jump, evidence).unwrap();
        }
        let evidence = filter.log_evidence().value.exp();
        [evidence, evidence * filter.mean(|place| place).unwrap()]
    };
    let exact = run(&mut Filter::exact(&first).unwrap(), &PLACES);
    let (mut sums, mut squares) = ([0.0; 2], [0.0; 2]);
    for seed in 0..SEEDS {
        let mut filter = Filter::particles(&first, 3, seed).unwrap();
        for (i, number) in run(&mut filter, &PLACES).into_iter().enumerate() {
            sums[i] += number;
            squares[i] += number * number;
        }
        let components = filter.mixture(|place| place).unwrap().components();
        assert_eq!(components.len(), 3);
        let total: f64 = components.iter().map(|one| one.share).sum();
        assert!((total - 1.0).abs() < 1e-12);
    }
    for i in 0..2 {
        let mean = sums[i] / SEEDS as f64;
        let error = ((squares[i] / SEEDS as f64 - mean * mean) / SEEDS as f64).sqrt();
        // A correct filter deviates by more than six standard errors about once in 5e8 tests.
        assert!(
            (mean - exact[i]).abs() < 6.0 * error,
            "{mean} {exact:?} {error}"
        );
        assert!(error > 0.0 && error < 0.02 * exact[i], "{error} {exact:?}");
    }
    // A loaded filter draws the same components as the saved filter; enough components are exact.
    let mut filter = Filter::particles(&first, 3, 1).unwrap();
    run(&mut filter, &PLACES[..4]);
    let mut again = Filter::load(&first, filter.save()).unwrap();
    assert_eq!(
        run(&mut filter, &PLACES[4..]),
        run(&mut again, &PLACES[4..])
    );
    let mut enough = Filter::particles(&first, 32, 1).unwrap();
    assert_eq!(run(&mut enough, &PLACES), exact);
    assert_eq!(enough.log_evidence().standard_error, 0.0);
    let none = Filter::particles(&first, 0, 1).unwrap_err();
    assert!(matches!(none, Error::InvalidSetting { .. }), "{none}");
}

#[test]
fn errors_of_filters_name_the_limit_and_the_reading() {
    let many = Filter::exact(&Uniform::new(0..5000)).unwrap_err();
    let text = many.to_string();
    assert!(
        text.contains("5000 components") && text.contains("4096"),
        "{text}"
    );
    let first = Normal::new(0.0, Variance(1.0));
    let mut filter = Filter::exact(&first).unwrap();
    let law = filter.law(level, |level| Normal::new(level, Variance(4.0)));
    let law = law.unwrap();
    // An error leaves the filter as it was.
    let error = filter.follow(&law, |level| Model::new().observe(level, f64::NAN));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("NaN"), "{error}");
    assert_eq!(filter.steps(), 0);
    let mut pair = Filter::exact(&(first.clone(), Normal::new(0.0, Variance(1.0)))).unwrap();
    let error = pair.follow(&law, |_| Model::new()).unwrap_err().to_string();
    assert!(
        error.contains("a law for a state with other elements"),
        "{error}"
    );
    let grouped = Filter::factored(&vec![first.clone(), first], 1).unwrap();
    let error = grouped.law(Clone::clone, Clone::clone).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the number of groups of elements is 2"),
        "{error}"
    );
    // A number that doubles with each step.
    let start = Normal::new(1.0, Variance(1.0));
    let mut doubling = Filter::exact(&start).unwrap();
    let failed = (0..2000).find_map(|_| {
        let step = doubling.advance(|size| size * 2.0, |_| Model::new());
        step.err()
    });
    let error = failed.unwrap().to_string();
    assert!(
        error.contains("step 512")
            && error.contains("too large")
            && error.contains("use ParticleFilter"),
        "{error}"
    );
}

/// Particles beside the exact filter: with 20 000 particles, the mean of a level is off by more than 0.06 (six standard errors) with a probability below 1e-8.
#[test]
fn particles_follow_the_exact_filter() {
    let first = Normal::new(0.0, Variance(4.0));
    let mut exact = Filter::exact(&first).unwrap().window(2);
    let mut particles = ParticleFilter::seeded(&first, 20_000, 5).unwrap().window(2);
    let mut again = ParticleFilter::seeded(&first, 20_000, 5).unwrap();
    for reading in READINGS {
        exact.advance(level, |level| read(level, reading)).unwrap();
        particles
            .advance(level, |level| read(level, reading))
            .unwrap();
        again.advance(level, |level| read(level, reading)).unwrap();
        let mean = |filter: &ParticleFilter<_>| filter.mean(|level| level).unwrap();
        assert!((mean(&particles) - exact.mean(|level| level).unwrap()).abs() < 0.06);
        if let (Some(own), Some(past)) = (particles.past(2), exact.past(2)) {
            let means = (particles.answer().mean(own), exact.answer().mean(past));
            assert!((means.0.unwrap() - means.1.unwrap()).abs() < 0.08);
        }
        assert_eq!(mean(&particles), mean(&again));
    }
    let apart = particles.log_evidence().value - exact.log_evidence().value;
    assert!(apart.abs() < 0.08, "{apart}");
    assert_eq!(
        (
            particles.steps(),
            particles.log_evidence().standard_error.is_nan()
        ),
        (6, true)
    );
}

/// The estimate of the probability of the evidence is unbiased for any number of particles, which are resampled in each step.
#[test]
fn evidence_of_few_particles_is_unbiased() {
    const SEEDS: u64 = 2_000;
    let step =
        |state: &Element<bool>| state.flat_map(|&state| Flip::new(if state { 0.7 } else { 0.2 }));
    let evidence = |state: &Element<bool>| {
        let reading = state.flat_map(|&state| Flip::new(if state { 0.9 } else { 0.25 }));
        Model::new().observe(&reading, true)
    };
    let first = Flip::new(0.3);
    let mut exact = Filter::exact(&first).unwrap();
    (0..4).for_each(|_| exact.advance(step, evidence).unwrap());
    let exact = exact.log_evidence().value.exp();
    let (mut sum, mut squares, mut most_states) = (0.0, 0.0, 0);
    for seed in 0..SEEDS {
        let mut filter = ParticleFilter::seeded(&first, 5, seed).unwrap();
        (0..4).for_each(|_| filter.advance(step, evidence).unwrap());
        let estimate = filter.log_evidence().value.exp();
        sum += estimate;
        squares += estimate * estimate;
        let saved = serde_json::to_value(filter.save()).unwrap();
        most_states = most_states.max(saved["states"].as_array().unwrap().len());
    }
    let mean = sum / SEEDS as f64;
    let error = ((squares / SEEDS as f64 - mean * mean) / SEEDS as f64).sqrt();
    // A correct filter deviates by more than six standard errors about once in 5e8 tests; the standard error itself is below 2 % of the mean.
    assert!((mean - exact).abs() < 6.0 * error, "{mean} {exact} {error}");
    assert!(error < 0.02 * exact, "{error} {exact}");
    // Particles with equal states are stored once.
    assert_eq!(most_states, 2);
}

/// A state that is a list of unknown length; an impossible step leaves the filter as it was.
#[test]
fn particles_of_any_type() {
    let first = Constant::new(Vec::<u8>::new());
    let mut filter = ParticleFilter::new(&first, 2_000).unwrap();
    let arrive = |queue: &Element<Vec<u8>>| {
        let arrives = Flip::new(0.5);
        (queue, &arrives).map(|(queue, &arrives)| {
            let mut queue = queue.clone();
            queue.extend(arrives.then_some(1));
            queue
        })
    };
    for length in [1_usize, 1, 2] {
        let evidence = |queue: &Element<Vec<u8>>| {
            Model::new().condition(queue, move |queue| queue.len() == length)
        };
        filter.advance(arrive, evidence).unwrap();
    }
    assert_eq!(filter.probability(|queue| queue, &vec![1, 1]).unwrap(), 1.0);
    // The probability of each step was one half.
    assert!((filter.log_evidence().value - 0.125_f64.ln()).abs() < 0.2);
    let before = filter.log_evidence().value;
    let error = filter
        .advance(arrive, |queue| Model::new().observe(queue, vec![7]))
        .unwrap_err();
    assert!(matches!(error, Error::InStep { step: 4, .. }), "{error}");
    assert_eq!((filter.steps(), filter.log_evidence().value), (3, before));
}
