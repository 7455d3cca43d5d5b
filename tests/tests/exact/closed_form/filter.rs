//! Filters: step by step against answers computed elsewhere, and their errors.

use figrs::prelude::*;
use figrs::{Covariance, Error, Filter, MultivariateNormal, filter_state};
use serde_json::Value as Json;

use super::reference::{cases, check, matrix, number, numbers, text};

/// Compares the distribution of a state with a mean and a covariance of the file.
fn check_state(
    name: &str,
    filter: &Filter<Element<Vec<f64>>>,
    (means, covariances): (&Json, &Json),
    t: usize,
) {
    let mixture = filter.mixture(|state| state).unwrap();
    let (mean, covariance) = (mixture.means(), mixture.covariance());
    for (i, exact) in numbers(&means[t]).into_iter().enumerate() {
        check(&format!("{name}, mean {t}"), mean[i], exact);
        for (j, exact) in numbers(&covariances[t][i]).into_iter().enumerate() {
            check(&format!("{name}, covariance {t}"), covariance[i][j], exact);
        }
    }
}

#[test]
fn filters_of_linear_gaussian_systems() {
    for case in cases("state_space").unwrap_or_default() {
        let id = text(&case["id"]);
        let (laws, answers) = (&case["model"], &case["answers"]);
        let covariance = |name: &str| Covariance::rows(matrix(&laws[name]));
        let first =
            MultivariateNormal::new(numbers(&laws["initial_mean"]), covariance("initial_cov"));
        let step = |state: &Element<Vec<f64>>| {
            let mean = state.affine(matrix(&laws["A"]), numbers(&laws["b"]));
            MultivariateNormal::new(&mean, covariance("Q"))
        };
        let mut filter = Filter::exact(&first).unwrap();
        let mut before = 0.0;
        for (t, reading) in case["evidence"]["y"].as_array().unwrap().iter().enumerate() {
            let predicted = &answers["predicted_state"];
            let mut ahead = filter.clone();
            if t > 0 {
                ahead.advance(step, |_| Model::new()).unwrap();
            }
            check_state(
                &format!("{id}, predicted"),
                &ahead,
                (&predicted["mean"], &predicted["cov"]),
                t,
            );
            let reading = reading.as_array().unwrap();
            let evidence = |state: &Element<Vec<f64>>| {
                let seen: Vec<usize> = (0..reading.len())
                    .filter(|&i| !reading[i].is_null())
                    .collect();
                if seen.is_empty() {
                    return Model::new();
                }
                let (h, noise) = (matrix(&laws["H"]), matrix(&laws["R"]));
                let d = numbers(&laws["d"]);
                let offset: Vec<f64> = seen.iter().map(|&i| d[i]).collect();
                let mean = state.affine(seen.iter().map(|&i| h[i].clone()), offset);
                let part = |&i: &usize| seen.iter().map(|&j| noise[i][j]).collect::<Vec<f64>>();
                let read = MultivariateNormal::new(&mean, Covariance::rows(seen.iter().map(part)));
                Model::new().observe(&read, seen.iter().map(|&i| number(&reading[i])).collect())
            };
            if t == 0 {
                filter.observe(evidence).unwrap();
            } else {
                filter.advance(step, evidence).unwrap();
            }
            let filtered = &answers["filtered"];
            check_state(
                &format!("{id}, filtered"),
                &filter,
                (&filtered["mean"], &filtered["cov"]),
                t,
            );
            let log_evidence = filter.log_evidence().value;
            let own = number(&answers["log_evidence_each_step"][t]);
            assert!((log_evidence - before - own).abs() < 1e-9, "{id}, step {t}");
            before = log_evidence;
        }
        check(&id, before, number(&answers["log_evidence"]));
    }
}

/// A position, a speed, and a level.
/// A regime and a vector.
type Switched = (Element<usize>, Element<Vec<f64>>);

#[test]
fn filters_of_switching_systems() {
    for case in cases("switching").unwrap_or_default() {
        let id = text(&case["id"]);
        let (laws, answers) = (case["model"].clone(), &case["answers"]);
        let regime = |p: &Json| {
            let p = numbers(p);
            Select::new(p.into_iter().enumerate().map(|(i, p)| (p, i)))
        };
        let law = |laws: &Json, state: &Element<Vec<f64>>, names: [&str; 3], s: usize| {
            let mean = state.affine(matrix(&laws[names[0]][s]), numbers(&laws[names[1]][s]));
            MultivariateNormal::new(&mean, Covariance::rows(matrix(&laws[names[2]][s])))
        };
        let start = Covariance::rows(matrix(&laws["initial_cov"]));
        let first = (
            regime(&laws["initial_regime"]),
            MultivariateNormal::new(numbers(&laws["initial_mean"]), start),
        );
        let mut filter = Filter::exact(&first).unwrap().components(10_000);
        for (t, reading) in case["evidence"]["y"].as_array().unwrap().iter().enumerate() {
            let evidence = |(s, x): &Switched| {
                if reading[0].is_null() {
                    return Model::new();
                }
                let (x, laws) = (x.clone(), laws.clone());
                let read = s.flat_map(move |&s| law(&laws, &x, ["H", "d", "R"], s));
                Model::new().observe(&read, numbers(reading))
            };
            let step = |(s, x): &Switched| {
                let transition = laws["transition"].clone();
                let next = s.flat_map(move |&s| regime(&transition[s]));
                let (x, laws) = (x.clone(), laws.clone());
                let moved = next.flat_map(move |&s| law(&laws, &x, ["A", "b", "Q"], s));
                (next, moved)
            };
            if t == 0 {
                filter.observe(evidence).unwrap();
            } else {
                filter.advance(step, evidence).unwrap();
            }
            let filtered = &answers["filtered"];
            for (s, p) in numbers(&filtered["regime"][t]).into_iter().enumerate() {
                check(&id, filter.probability(|(s, _)| s, &s).unwrap(), p);
            }
            let mixture = filter.mixture(|(_, x)| x).unwrap();
            let (mean, covariance) = (mixture.means(), mixture.covariance());
            for (i, exact) in numbers(&filtered["mean"][t]).into_iter().enumerate() {
                check(&id, mean[i], exact);
                for (j, exact) in numbers(&filtered["cov"][t][i]).into_iter().enumerate() {
                    check(&id, covariance[i][j], exact);
                }
            }
            let exact = number(&answers["log_evidence_up_to_step"][t]);
            check(&id, filter.log_evidence().value, exact);
        }
    }
}

/// Three valves that fail open or closed and stay so.
#[derive(Clone)]
struct Valves {
    states: Vec<Element<u8>>,
}
filter_state!(Valves { states });

#[test]
fn filters_of_finite_states() {
    for case in cases("discrete_filter").unwrap_or_default() {
        let (laws, answers) = (&case["model"], &case["answers"]);
        if case["id"] == "hmm_online_200" {
            let row = |p: &Json| {
                let p = numbers(p);
                Select::new(p.into_iter().enumerate().map(|(i, p)| (p, i)))
            };
            let mut filter = Filter::exact(&row(&laws["initial"])).unwrap();
            for (t, reading) in case["evidence"]["y"].as_array().unwrap().iter().enumerate() {
                let evidence = |state: &Element<usize>| match reading.as_u64() {
                    None => Model::new(),
                    Some(reading) => {
                        let emission = laws["emission"].clone();
                        let read = state.flat_map(move |&s| row(&emission[s]));
                        Model::new().observe(&read, reading as usize)
                    }
                };
                if t == 0 {
                    filter.observe(evidence).unwrap();
                } else {
                    let transition = laws["transition"].clone();
                    let step =
                        |state: &Element<usize>| state.flat_map(move |&s| row(&transition[s]));
                    filter.advance(step, evidence).unwrap();
                }
                for (s, p) in numbers(&answers["filtered"][t]).into_iter().enumerate() {
                    check("hmm", filter.probability(|s| s, &s).unwrap(), p);
                }
            }
            check(
                "hmm",
                filter.log_evidence().value,
                number(&answers["log_evidence"]),
            );
        }
        if case["id"] == "valves_2000" {
            let rates = matrix(&laws["open_closed_rates"]);
            let first = Valves {
                states: vec![Constant::new(0); 3],
            };
            let mut filter = Filter::exact(&first).unwrap();
            let mut at = answers["at"].as_array().unwrap().iter().peekable();
            // The first thousand steps are enough for a test that is not optimised.
            for t in 1..=1000 {
                let step = |valves: &Valves| Valves {
                    states: valves
                        .states
                        .iter()
                        .zip(&rates)
                        .map(|(state, rate)| {
                            let (open, closed) = (rate[0], rate[1]);
                            state.flat_map(move |&state| match state {
                                0 => {
                                    Select::new([(1.0 - open - closed, 0), (open, 1), (closed, 2)])
                                }
                                stuck => Select::new([(1.0, stuck)]),
                            })
                        })
                        .collect(),
                };
                filter.advance(step, |_| Model::new()).unwrap();
                if at.peek().is_some_and(|exact| exact["step"] == t) {
                    let exact = at.next().unwrap();
                    for (valve, shares) in matrix(&exact["valves"]).into_iter().enumerate() {
                        for (state, share) in (0_u8..).zip(shares) {
                            let found = filter.probability(|v| &v.states[valve], &state).unwrap();
                            assert!((found - share).abs() < 1e-12, "step {t}: {found} {share}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_step_that_fails_leaves_the_filter_as_it_was() {
    let first = (Flip::new(0.5), Normal::new(0.0, Variance(1.0)));
    let mut filter = Filter::exact(&first).unwrap();
    let step =
        |(on, x): &(Element<bool>, Element<f64>)| (on.clone(), Normal::new(x, Variance(1.0)));
    filter
        .advance(step, |(on, _)| Model::new().observe(on, true))
        .unwrap();
    let before = filter.summary(|(_, x)| x).unwrap();
    let error = filter
        .advance(step, |(on, _)| Model::new().observe(on, false))
        .unwrap_err();
    let Error::InStep { step: 2, error } = &error else {
        panic!("{error}");
    };
    assert!(
        matches!(**error, Error::ImpossibleEvidence { .. }),
        "{error}"
    );
    let error = filter
        .advance(|(on, x)| (on.clone(), x * x), |_| Model::new())
        .unwrap_err();
    let is_refused = |error: &Error| matches!(error, Error::NotClosedForm { .. });
    assert!(
        matches!(&error, Error::InStep { step: 2, error } if is_refused(error)),
        "{error}"
    );
    assert_eq!(
        (filter.steps(), filter.summary(|(_, x)| x).unwrap()),
        (1, before)
    );
    // A switch without evidence doubles the components, up to the limit.
    let mut filter = Filter::exact(&Normal::new(0.0, Variance(1.0)))
        .unwrap()
        .components(4);
    let step = |x: &Element<f64>| {
        let x = x.clone();
        Flip::new(0.5)
            .flat_map(move |&up| Normal::new(&x + if up { 1.0 } else { -1.0 }, Variance(1.0)))
    };
    for _ in 0..2 {
        filter.advance(step, |_| Model::new()).unwrap();
    }
    let error = filter.advance(step, |_| Model::new()).unwrap_err();
    assert!(error.to_string().contains("more than 4"), "{error}");
}

#[test]
fn observed_numbers_and_sums_stay_in_the_state() {
    // The position is read exactly, so that its variance is zero; the next position is the sum of position and speed.
    let first = (Constant::new(0.0), Normal::new(1.0, Variance(4.0)));
    let mut filter = Filter::exact(&first).unwrap();
    let step = |(position, speed): &(Element<f64>, Element<f64>)| {
        (position + speed, Normal::new(speed, Variance(0.5)))
    };
    filter
        .advance(step, |(position, _)| Model::new().observe(position, 3.0))
        .unwrap();
    assert_eq!(filter.mean(|(position, _)| position).unwrap(), 3.0);
    assert!((filter.mean(|(_, speed)| speed).unwrap() - 3.0).abs() < 1e-12);
    let speed = filter.mixture(|(_, speed)| speed).unwrap().variance();
    assert!((speed - 0.5).abs() < 1e-12);
    filter
        .advance(step, |(position, _)| Model::new().observe(position, 5.0))
        .unwrap();
    // The speed of the last step was 2.
    assert!((filter.mean(|(_, speed)| speed).unwrap() - 2.0).abs() < 1e-9);
}
