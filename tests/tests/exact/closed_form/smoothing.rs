//! The past states of a filter beside the exact answers about the whole model.

use figrs::prelude::*;
use figrs::{AnyElement, Error, Filter, FilterState, Inject};

use super::switching::Law;

fn joined(all: Model, other: &Model) -> Model {
    let evidence = other.evidence().iter();
    evidence.fold(all, |all, (element, evidence)| {
        all.observe_any(element, evidence.observed().unwrap().clone())
    })
}

/// Compares all marginals of the states with those of the exact answer.
fn check<S: FilterState>(filter: &Filter<S>, states: &[S], model: &Model, tolerance: f64) {
    let elements: Vec<AnyElement> = states.iter().flat_map(S::elements).collect();
    let exact = Exact::new().run(model, &elements).unwrap();
    let (mut lag, log_evidence) = (0, exact.log_evidence().unwrap().value);
    let near = |a: f64, b: f64| assert!((a - b).abs() < tolerance, "lag {lag}: {a} and {b}");
    near(filter.log_evidence().value, log_evidence);
    while let Some(own) = filter.past(lag) {
        let pairs = own.elements().into_iter();
        for (own, whole) in pairs.zip(states[states.len() - 1 - lag].elements()) {
            let near = |a: f64, b: f64| {
                assert!(
                    (a - b).abs() < tolerance,
                    "lag {lag}, {whole:?}: {a} and {b}"
                );
            };
            if let Some(own) = Element::<f64>::from_erased(&own) {
                let whole = Element::<f64>::from_erased(&whole).unwrap();
                let answer = filter.answer();
                near(answer.mean(&own).unwrap(), exact.mean(&whole).unwrap());
                let variances = (answer.variance(&own), exact.variance(&whole));
                near(variances.0.unwrap(), variances.1.unwrap());
            } else if let Some(own) = Element::<usize>::from_erased(&own) {
                let whole = Element::<usize>::from_erased(&whole).unwrap();
                for value in 0..12 {
                    let p = filter.answer().probability(&own, &value).unwrap();
                    near(p, exact.probability(&whole, &value).unwrap());
                }
            } else {
                panic!("{own:?}");
            }
        }
        lag += 1;
    }
}

#[test]
fn past_states_of_random_switching_systems_are_exact() {
    for seed in 0..12 {
        let law = Law::random(seed);
        let mut filter = Filter::exact(&Law::first()).unwrap().window(2);
        let (mut states, mut model) = (vec![Law::first()], Model::new());
        for step in 0..4 {
            let reading = f64::from(step) * 0.7 - 1.0;
            filter
                .advance(|body| law.step(body), |body| Law::seen(body, reading))
                .unwrap();
            states.push(law.step(&states[states.len() - 1]));
            model = joined(model, &Law::seen(&states[states.len() - 1], reading));
            if step == 2 {
                filter.observe(Law::also_seen).unwrap();
                model = joined(model, &Law::also_seen(&states[states.len() - 1]));
            }
            check(&filter, &states, &model, 1e-9);
        }
        // The elements of the past states have the same distribution as the answer.
        let (now, before) = (filter.past(1).unwrap(), filter.past(2).unwrap());
        let pair = Inject::new([&now.place, &before.speed]);
        let found = Exact::new()
            .run(&Model::new(), (&pair, &before.mode))
            .unwrap();
        let pair_of_model = Inject::new([&states[3].place, &states[2].speed]);
        let exact = Exact::new()
            .run(&model, (&pair_of_model, &states[2].mode))
            .unwrap();
        let covariances = (
            found.covariance(&pair).unwrap(),
            exact.covariance(&pair_of_model).unwrap(),
        );
        for (a, b) in covariances
            .0
            .iter()
            .flatten()
            .zip(covariances.1.iter().flatten())
        {
            assert!((a - b).abs() < 1e-8, "{a} and {b}");
        }
        let p = |answer: &Answer, mode: &Element<usize>| answer.probability(mode, &1).unwrap();
        assert!((p(&found, &before.mode) - p(&exact, &states[2].mode)).abs() < 1e-9);
    }
}

/// Twelve values of which one follows another, and a noisy signal of each.
mod ring {
    use super::*;

    pub(super) fn step(state: &Element<usize>) -> Element<usize> {
        state.flat_map(|&now| {
            Select::new([(0.5, now), (0.3, (now + 1) % 12), (0.2, (now * 5 + 2) % 12)])
        })
    }

    pub(super) fn signal(state: &Element<usize>) -> Element<bool> {
        state.flat_map(|&now| Flip::new(0.1 + 0.07 * now as f64))
    }

    pub(super) fn first() -> Element<usize> {
        Uniform::new(0..12)
    }
}

#[test]
fn a_window_of_a_finite_state_takes_pairs_of_states() {
    // The joint distribution of the states in the window has 12^9 components.
    let mut filter = Filter::exact(&ring::first()).unwrap().window(8);
    let (mut states, mut model) = (vec![ring::first()], Model::new());
    for step in 0..14 {
        let seen =
            |state: &Element<usize>| Model::new().observe(&ring::signal(state), step % 3 == 0);
        filter.advance(ring::step, seen).unwrap();
        states.push(ring::step(&states[states.len() - 1]));
        model = joined(model, &seen(&states[states.len() - 1]));
        check(&filter, &states, &model, 1e-12);
    }
    assert!(filter.past(8).is_some() && filter.past(9).is_none());
    // A window may become smaller.
    let filter = filter.window(1);
    check(&filter, &states, &model, 1e-12);
    assert!(filter.past(1).is_some() && filter.past(2).is_none());
}

#[test]
fn late_evidence_changes_all_past_states() {
    // A finite state.
    let mut filter = Filter::exact(&ring::first()).unwrap().window(3);
    let (mut states, mut model) = (vec![ring::first()], Model::new());
    for step in 0..8 {
        // A signal of the state two steps ago arrives with this step.
        let late = filter.past(2).cloned();
        let seen = |state: &Element<usize>, late: &Option<Element<usize>>| {
            let now = Model::new().observe(&ring::signal(state), step % 2 == 0);
            late.iter().fold(now, |model, late| {
                model.observe(&ring::signal(late), step % 3 == 0)
            })
        };
        filter
            .advance(ring::step, |state| seen(state, &late))
            .unwrap();
        let late = late.map(|_| states[states.len() - 3].clone());
        states.push(ring::step(&states[states.len() - 1]));
        model = joined(model, &seen(&states[states.len() - 1], &late));
        check(&filter, &states, &model, 1e-11);
        if step == 5 {
            let late = filter.past(3).unwrap().clone();
            let seen = |late: &Element<usize>| Model::new().observe(&ring::signal(late), true);
            filter.observe(|_| seen(&late)).unwrap();
            model = joined(model, &seen(&states[states.len() - 4]));
            check(&filter, &states, &model, 1e-11);
        }
    }
    // A switching system in which each component has one history.
    let law = Law::without_resets(1);
    let mut filter = Filter::exact(&Law::first()).unwrap().window(2);
    let (mut states, mut model) = (vec![Law::first()], Model::new());
    for _ in 0..3 {
        filter
            .advance(|body| law.step(body), |body| Law::seen(body, 0.5))
            .unwrap();
        states.push(law.step(&states[states.len() - 1]));
        model = joined(model, &Law::seen(&states[states.len() - 1], 0.5));
    }
    let late = filter.past(2).unwrap().place.clone();
    let seen = |late: &Element<f64>| Model::new().observe(&Normal::new(late, Variance(0.3)), 1.0);
    filter.observe(|_| seen(&late)).unwrap();
    model = joined(model, &seen(&states[1].place));
    check(&filter, &states, &model, 1e-9);
}

/// A number is kept or drawn anew. Its distribution is the same in both cases, and the filter has one component for them; but late evidence about the old
/// number makes the probabilities of the cases depend on the new number.
#[test]
fn late_evidence_that_divides_a_component_is_refused() {
    type Pair = (Element<bool>, Element<f64>);
    let first = (Flip::new(0.4), Normal::new(0.0, Variance(1.0)));
    let step = |(is_kept, number): &Pair| {
        let old = number.clone();
        let next = is_kept.flat_map(move |&is_kept| match is_kept {
            true => old.clone(),
            false => Normal::new(0.0, Variance(1.0)),
        });
        (Flip::new(0.4), next)
    };
    let particles = Filter::particles(&first, 1000, 1).unwrap().window(4);
    let mut filter = Filter::exact(&first).unwrap().window(4);
    filter.advance(step, |_| Model::new()).unwrap();
    let late = filter.past(1).unwrap().1.clone();
    let seen = |late: &Element<f64>| Model::new().observe(&Normal::new(late, Variance(0.5)), 2.0);
    // In the next step, the present state is divided instead.
    let mut other = filter.clone();
    other.observe(|_| seen(&late)).unwrap();
    let model = seen(&first.1);
    let second = step(&first);
    let exact = Exact::new().run(&model, &second.1).unwrap();
    let found = other.answer().variance(&other.state().1).unwrap();
    assert!((found - exact.variance(&second.1).unwrap()).abs() < 1e-12);
    filter.advance(step, |_| Model::new()).unwrap();
    let late = filter.past(2).unwrap().1.clone();
    let error = filter.observe(|_| seen(&late)).unwrap_err();
    assert!(matches!(error, Error::InStep { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("state the evidence in the step of this state"),
        "{text}"
    );
    // Particles that nothing has drawn yet are exact too. Merged components approximate, and say so.
    let moments = Filter::moments(&first).unwrap().window(4);
    for (mut filter, is_refused) in [(particles, true), (moments, false)] {
        (0..2).for_each(|_| filter.advance(step, |_| Model::new()).unwrap());
        let late = filter.past(2).unwrap().1.clone();
        assert_eq!(filter.observe(|_| seen(&late)).is_err(), is_refused);
        assert_eq!(filter.log_evidence().standard_error.is_nan(), !is_refused);
    }
    let now = &filter.state().1;
    assert!(filter.answer().mean(now).unwrap().abs() < 1e-12);
}

/// Each step creates new elements; evidence about those of an earlier step would not change the filter.
#[test]
fn evidence_about_elements_of_earlier_steps_is_refused() {
    let walk = |level: &Element<f64>| Normal::new(level, Variance(1.0));
    let seen = |level: &Element<f64>| Model::new().observe(&walk(level), 2.0);
    let mut filter = Filter::exact(&Normal::new(0.0, Variance(1.0)))
        .unwrap()
        .window(2);
    let first = filter.state().clone();
    filter.observe(|_| seen(&first)).unwrap();
    filter.advance(walk, seen).unwrap();
    let past = filter.past(1).unwrap().clone();
    filter.advance(walk, |_| seen(&past)).unwrap();
    let before = filter.log_evidence().value;
    for old in [&first, &past] {
        let error = filter.observe(|_| seen(old)).unwrap_err().to_string();
        assert!(error.contains("a later step has replaced"), "{error}");
    }
    assert_eq!(filter.log_evidence().value, before);
    let mut ring = Filter::exact(&ring::first()).unwrap();
    let law = ring.law(ring::step, ring::signal).unwrap();
    let old = ring.state().clone();
    ring.follow(&law, |_| Model::new()).unwrap();
    let model = Model::new().observe(&ring::signal(&old), true);
    assert!(ring.observe(|_| model).is_err());
}

#[test]
fn interventions_on_states_with_a_kept_past_are_refused() {
    let walk = |level: &Element<f64>| Normal::new(level, Variance(1.0));
    let set = |level: &Element<f64>| Model::new().intervene(level, 1.0);
    let mut filter = Filter::exact(&Normal::new(0.0, Variance(1.0)))
        .unwrap()
        .window(2);
    // An intervention on the next state cuts it off from the past states.
    filter.advance(walk, |_| Model::new()).unwrap();
    filter.advance(walk, set).unwrap();
    let past = filter.past(1).unwrap().clone();
    assert!((filter.answer().variance(&past).unwrap() - 2.0).abs() < 1e-12);
    for error in [
        filter.clone().observe(set),
        filter.advance(walk, |_| set(&past)),
    ] {
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains("an intervention on a state whose past is kept"),
            "{error}"
        );
    }
    assert_eq!(filter.steps(), 2);
}

#[test]
fn approximate_filters_keep_past_states() {
    let law = Law::without_resets(4);
    // Without a loss of components, the approximations are exact.
    let kept = Filter::particles(&Law::first(), 100_000, 1)
        .unwrap()
        .window(2);
    let few = Filter::particles(&Law::first(), 40, 1).unwrap().window(2);
    let moments = Filter::moments(&Law::first()).unwrap().window(2);
    let mut filters = [kept, few, moments];
    let (mut states, mut model) = (vec![Law::first()], Model::new());
    for step in 0..4 {
        let reading = f64::from(step) * 0.7 - 1.0;
        for filter in &mut filters {
            filter
                .advance(|body| law.step(body), |body| Law::seen(body, reading))
                .unwrap();
        }
        states.push(law.step(&states[states.len() - 1]));
        model = joined(model, &Law::seen(&states[states.len() - 1], reading));
    }
    check(&filters[0], &states, &model, 1e-9);
    let exact = Exact::new()
        .run(&model, (&states[2].place, &states[2].mode))
        .unwrap();
    for (filter, tolerance) in [(&filters[1], 0.15), (&filters[2], 0.05)] {
        let (own, answer) = (filter.past(2).unwrap(), filter.answer());
        let means = (answer.mean(&own.place), exact.mean(&states[2].place));
        let shares = (
            answer.probability(&own.mode, &1),
            exact.probability(&states[2].mode, &1),
        );
        for (own, exact) in [means, shares] {
            let apart = (own.unwrap() - exact.unwrap()).abs();
            assert!(apart > 1e-12 && apart < tolerance, "{apart}");
        }
        assert!(answer.summary(&own.place).unwrap().contains("approximate"));
    }
}

/// Independent groups of elements are smoothed separately.
#[test]
fn groups_of_elements_keep_past_states() {
    type Pair = (Element<usize>, Element<f64>);
    let pair = || (ring::first(), Normal::new(0.0, Variance(1.0)));
    let step = |(ring, number): &Pair| (ring::step(ring), Normal::new(number, Variance(0.5)));
    let seen = |(ring, number): &Pair| {
        let model = Model::new().observe(&ring::signal(ring), true);
        model.observe(&Normal::new(number, Variance(1.0)), 0.7)
    };
    let mut filter = Filter::factored(&pair(), 1).unwrap().window(3);
    let (mut states, mut model) = (vec![pair()], Model::new());
    for _ in 0..5 {
        filter.advance(step, seen).unwrap();
        states.push(step(&states[states.len() - 1]));
        model = joined(model, &seen(&states[states.len() - 1]));
    }
    let (answer, own) = (filter.answer(), filter.past(3).unwrap());
    let exact = Exact::new()
        .run(&model, (&states[2].0, &states[2].1))
        .unwrap();
    let p = (
        answer.probability(&own.0, &3),
        exact.probability(&states[2].0, &3),
    );
    let mean = (answer.mean(&own.1), exact.mean(&states[2].1));
    for (own, exact) in [p, mean] {
        assert!((own.unwrap() - exact.unwrap()).abs() < 1e-12);
    }
    // Another number of elements has other groups.
    let two = || vec![Flip::new(0.5), Flip::new(0.5)];
    let mut filter = Filter::factored(&two(), 1).unwrap().window(1);
    let three = |state: &Vec<Element<bool>>| [state.clone(), vec![Flip::new(0.5)]].concat();
    let error = filter
        .advance(three, |_| Model::new())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("3 groups of elements after a state of 2 groups"),
        "{error}"
    );
}

/// Three numbers with the same distribution are permuted, or the first changes its sign. The present state has one component, but after readings, a past
/// state has one for each of the 48 permutations with signs.
#[test]
fn past_states_with_too_many_components_are_merged() {
    type Three = (Element<f64>, Element<f64>, Element<f64>);
    let unit = || Normal::new(0.0, Variance(1.0));
    let permuted = |numbers: &Three| {
        let kind = Uniform::new(0..3);
        let (x, y, z) = numbers.clone();
        let list = kind.flat_map(move |&kind| match kind {
            0 => Inject::new([&y, &x, &z]),
            1 => Inject::new([&y, &z, &x]),
            _ => Inject::new([&-&x, &y, &z]),
        });
        (list.entry(0), list.entry(1), list.entry(2))
    };
    let filter = Filter::exact(&(unit(), unit(), unit())).unwrap();
    let mut filter = filter.components(2).window(9);
    (0..9).for_each(|_| filter.advance(permuted, |_| Model::new()).unwrap());
    let is_exact = |filter: &Filter<Three>| {
        let summary = filter.answer().summary(&filter.past(9).unwrap().0);
        summary.unwrap().contains("exact")
    };
    assert!(is_exact(&filter));
    let seen = |number: &Element<f64>| Normal::new(number, Variance(1.0));
    let readings = |state: &Three| {
        let model = Model::new().observe(&seen(&state.0), 2.0);
        let model = model.observe(&seen(&state.1), 4.0);
        model.observe(&seen(&state.2), 6.0)
    };
    filter.observe(readings).unwrap();
    assert!(!is_exact(&filter));
    // Merging preserves the means, each of which is an average over the three kinds of steps.
    let mut mean = [1.0, 2.0, 3.0];
    for lag in 0..10 {
        let (state, answer) = (filter.past(lag).unwrap(), filter.answer());
        for (own, mean) in [&state.0, &state.1, &state.2].into_iter().zip(mean) {
            assert!(
                (answer.mean(own).unwrap() - mean).abs() < 1e-12,
                "lag {lag}"
            );
        }
        let [x, y, z] = mean;
        mean = [(y + z - x) / 3.0, (x + x + y) / 3.0, (z + y + z) / 3.0];
    }
}

/// A prior that is much wider than the readings costs no digits of what the readings determine.
#[test]
fn wide_priors_keep_the_digits_of_readings() {
    type Track = (Element<f64>, Element<f64>);
    let step = |(place, speed): &Track| (place + speed, Normal::new(speed, Variance(0.01)));
    let seen =
        |(place, _): &Track, x: f64| Model::new().observe(&Normal::new(place, Variance(0.25)), x);
    let found = |variance: f64| {
        let wide = || Normal::new(0.0, Variance(variance));
        let mut filter = Filter::exact(&(wide(), wide())).unwrap().window(3);
        let mut deviations = Vec::new();
        for (t, x) in [1.0, 2.0, 2.5].into_iter().enumerate() {
            filter.advance(step, |track| seen(track, x)).unwrap();
            let answer = filter.answer();
            let deviation = |number: &Element<f64>| answer.variance(number).unwrap().sqrt();
            let states = (0..t).map(|lag| filter.past(lag).unwrap());
            deviations
                .extend(states.flat_map(|(place, speed)| [deviation(place), deviation(speed)]));
            deviations.push(deviation(&filter.state().0));
        }
        deviations
    };
    let flat = found(1e8);
    // The first place, and the speed after two readings.
    assert!((flat[0] - 0.5).abs() < 1e-6 && (flat[2] - 0.51_f64.sqrt()).abs() < 1e-6);
    for variance in [1e12, 1e16, 1e20] {
        for (a, b) in found(variance).iter().zip(&flat) {
            assert!((a - b).abs() < 1e-6, "{variance}: {a} and {b}");
        }
    }
}
