//! Mixtures with too many components, whose components are merged.

use figrs::prelude::*;
use figrs::{Algorithm, Answer, AnyElement, Collapse, Error, Quality, WithReals};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// A level that follows one of two laws in each step, and readings of the level.
struct Switching {
    /// For each law: the coefficient of the level before, the drift, and the variance.
    laws: [(f64, f64, f64); 2],
    /// The probability that the law of a step is the same as the one before.
    stay: f64,
    noise: f64,
    readings: Vec<f64>,
}

impl Switching {
    fn new(seed: u64, steps: usize) -> Self {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut number = |low: f64, high: f64| rng.random_range(low..high);
        let laws = [
            (number(0.7, 1.0), number(-1.0, 0.0), number(0.1, 0.5)),
            (number(0.7, 1.0), number(0.0, 1.0), number(0.5, 2.0)),
        ];
        let (stay, noise) = (number(0.6, 0.9), number(0.3, 1.0));
        let readings = (0..steps).map(|_| number(-2.0, 2.0)).collect();
        Self {
            laws,
            stay,
            noise,
            readings,
        }
    }

    /// Returns the switches, the levels, and the model with the readings.
    fn elements(&self) -> (Vec<Element<bool>>, Vec<Element<f64>>, Model) {
        let (mut switches, mut levels): (Vec<Element<bool>>, Vec<Element<f64>>) =
            (Vec::new(), Vec::new());
        let mut model = Model::new();
        for (t, &reading) in self.readings.iter().enumerate() {
            let stay = self.stay;
            let switch = match switches.last() {
                None => Flip::new(0.5),
                Some(last) => {
                    last.flat_map(move |&last| Flip::new(if last { stay } else { 1.0 - stay }))
                }
            };
            let level = match levels.last() {
                None => Normal::new(0.0, Variance(1.0)),
                Some(last) => {
                    let (last, laws) = (last.clone(), self.laws);
                    switch.flat_map(move |&switch| {
                        let (coefficient, drift, variance) = laws[usize::from(switch)];
                        Normal::new(&last * coefficient + drift, Variance(variance))
                    })
                }
            };
            model = model.observe(&Normal::new(&level, Variance(self.noise)), reading);
            switches.push(switch.named(format!("switch {t}")));
            levels.push(level.named(format!("level {t}")));
        }
        (switches, levels, model)
    }
}

/// The log-evidence, the probability of each switch, and the mean and the variance of each level, by enumeration of all values of the switches.
struct Enumerated {
    log_evidence: f64,
    switches: Vec<f64>,
    moments: Vec<(f64, f64)>,
}

impl Switching {
    fn by_enumeration(&self) -> Enumerated {
        let n = self.readings.len();
        let (mut total, mut switches) = (0.0, vec![0.0; n]);
        let (mut first, mut second) = (vec![0.0; n], vec![0.0; n]);
        let mut filtered = vec![(0.0, 1.0); n];
        let mut predicted = vec![(0.0, 1.0); n];
        let mut logs = vec![0.0; n];
        let mut before = u32::MAX;
        for values in 0..1_u32 << n {
            // The first value is the highest bit, so that the first steps of the last values can be used again.
            let law = |t: usize| (values >> (n - 1 - t)) as usize & 1;
            let same = (before ^ values).leading_zeros() as usize;
            let from = same.saturating_sub(32 - n).min(n - 1) * usize::from(before != u32::MAX);
            before = values;
            for t in from..n {
                let stay = if t > 0 && law(t) == law(t - 1) {
                    self.stay
                } else {
                    1.0 - self.stay
                };
                let (coefficient, drift, variance) = self.laws[law(t)];
                let (log, (mean, spread)) = if t == 0 {
                    (0.5_f64.ln(), (0.0, 1.0))
                } else {
                    let (mean, spread): (f64, f64) = filtered[t - 1];
                    let spread = coefficient * coefficient * spread + variance;
                    (
                        logs[t - 1] + stay.ln(),
                        (coefficient * mean + drift, spread),
                    )
                };
                let (all, apart) = (spread + self.noise, self.readings[t] - mean);
                logs[t] =
                    log - 0.5 * (all * std::f64::consts::TAU).ln() - 0.5 * apart * apart / all;
                predicted[t] = (mean, spread);
                filtered[t] = (mean + spread / all * apart, spread * self.noise / all);
            }
            let weight = logs[n - 1].exp();
            total += weight;
            let (mut mean, mut spread) = filtered[n - 1];
            for t in (0..n).rev() {
                if t + 1 < n {
                    let gain = filtered[t].1 * self.laws[law(t + 1)].0 / predicted[t + 1].1;
                    mean = filtered[t].0 + gain * (mean - predicted[t + 1].0);
                    spread = filtered[t].1 + gain * gain * (spread - predicted[t + 1].1);
                }
                switches[t] += weight * law(t) as f64;
                first[t] += weight * mean;
                second[t] += weight * (spread + mean * mean);
            }
        }
        let moments = first.iter().zip(&second).map(|(first, second)| {
            let mean = first / total;
            (mean, second / total - mean * mean)
        });
        Enumerated {
            log_evidence: total.ln(),
            switches: switches.iter().map(|sum| sum / total).collect(),
            moments: moments.collect(),
        }
    }
}

fn targets(switches: &[Element<bool>], levels: &[Element<f64>]) -> Vec<AnyElement> {
    let switches = switches.iter().map(|element| element.erased().clone());
    let levels = levels.iter().map(|element| element.erased().clone());
    switches.chain(levels).collect()
}

/// Returns the largest difference between an answer and the exact numbers: of the log-evidence, of a probability, of a mean in standard deviations,
/// and of a variance relative to itself.
fn errors(
    answer: &Answer,
    (switches, levels): (&[Element<bool>], &[Element<f64>]),
    exact: &Enumerated,
) -> [f64; 4] {
    let mut worst = [0.0_f64; 4];
    worst[0] = (answer.log_evidence().unwrap().value - exact.log_evidence).abs();
    for (switch, exact) in switches.iter().zip(&exact.switches) {
        worst[1] = worst[1].max((answer.probability(switch, &true).unwrap() - exact).abs());
    }
    for (level, (mean, variance)) in levels.iter().zip(&exact.moments) {
        let mixture = answer.mixture(level).unwrap();
        worst[2] = worst[2].max((mixture.mean() - mean).abs() / variance.sqrt());
        worst[3] = worst[3].max((mixture.variance() / variance - 1.0).abs());
    }
    worst
}

#[test]
fn small_switching_systems_stay_exact() {
    let system = Switching::new(1, 8);
    let (switches, levels, model) = system.elements();
    let targets = targets(&switches, &levels);
    let answer = Exact::new()
        .collapse(Collapse::Moments)
        .answer(&model, &targets)
        .unwrap();
    assert!(answer.summary(&levels[3]).unwrap().ends_with("exact"));
    assert_eq!(answer.log_evidence().unwrap().standard_error, 0.0);
    let worst = errors(&answer, (&switches, &levels), &system.by_enumeration());
    assert!(worst.iter().all(|&error| error < 1e-10), "{worst:?}");
}

#[test]
fn merged_components_of_a_switching_system_are_near_enumeration() {
    {
        let system = Switching::new(1, 18);
        let (switches, levels, model) = system.elements();
        let targets = targets(&switches, &levels);
        let refused = VariableElimination::new()
            .answer(&model, &targets)
            .unwrap_err();
        let text = refused.to_string();
        assert!(matches!(refused, Error::NotClosedForm { .. }), "{text}");
        assert!(
            text.contains("collapse(Collapse::Moments)") && text.contains("Collapsed"),
            "{text}"
        );
        let merging = VariableElimination::new().collapse(Collapse::Moments);
        let answer = merging.answer(&model, &targets).unwrap();
        assert!(answer.summary(&levels[3]).unwrap().ends_with("approximate"));
        assert_eq!(answer.quality(&switches[3]).unwrap(), Quality::Approximate);
        assert!(answer.log_evidence().unwrap().standard_error.is_nan());
        let worst = errors(&answer, (&switches, &levels), &system.by_enumeration());
        // A merged component differs in the switches of the last eleven steps.
        assert!(worst.iter().all(|&error| error < 1e-7), "{worst:?}");
    }
}

/// The portfolio answers a question about one element by another algorithm than a question about several.
#[test]
fn the_portfolio_merges_components_for_every_number_of_targets() {
    let system = Switching::new(1, 20);
    let (switches, levels, model) = system.elements();
    let merging = Exact::new().collapse(Collapse::Moments);
    let (last, switch) = (&levels[19], &switches[19]);
    let several = merging.run(&model, (last, switch)).unwrap();
    let level = merging.run(&model, last).unwrap();
    let kind = merging.run(&model, switch).unwrap();
    let none = merging.answer(&model, &[]).unwrap();
    for answer in [&several, &level, &kind, &none] {
        assert!(answer.log_evidence().unwrap().standard_error.is_nan());
    }
    let apart = level.mean(last).unwrap() - several.mean(last).unwrap();
    assert!(apart.abs() < 1e-6, "{apart}");
    let probability = |answer: &Answer| answer.probability(switch, &true).unwrap();
    let apart = probability(&kind) - probability(&several);
    assert!(apart.abs() < 1e-6, "{apart}");
}

#[test]
fn switching_systems_of_forty_steps_have_an_answer() {
    let system = Switching::new(1, 40);
    let (switches, levels, model) = system.elements();
    let targets = targets(&switches, &levels);
    let answer = Exact::new()
        .collapse(Collapse::Moments)
        .answer(&model, &targets)
        .unwrap();
    assert!(answer.summary(&levels[3]).unwrap().ends_with("approximate"));
    assert!(answer.probability(&switches[39], &true).unwrap() > 0.0);
}

/// Readings of one level, some of which have a large error. Given the level, the readings are independent, so that integrals over the level are exact.
#[test]
fn readings_with_gross_errors_are_near_quadrature() {
    let mut rng = SmallRng::seed_from_u64(3);
    let level = Normal::new(0.0, Variance(4.0));
    let (mut kinds, mut model, mut readings) = (Vec::new(), Model::new(), Vec::new());
    for i in 0..40 {
        let kind = Flip::new(0.2).named(format!("kind {i}"));
        let own = level.clone();
        let reading = kind.flat_map(move |&is_gross| {
            Normal::new(&own, Variance(if is_gross { 25.0 } else { 0.5 }))
        });
        let value = rng.random_range(-1.0..1.0)
            + if i % 4 == 0 {
                rng.random_range(-6.0..6.0)
            } else {
                0.0
            };
        model = model.observe(&reading, value);
        readings.push(value);
        kinds.push(kind);
    }
    let targets = targets(&kinds, std::slice::from_ref(&level));
    let answer = JunctionTree::new()
        .collapse(Collapse::Moments)
        .answer(&model, &targets)
        .unwrap();
    let other = WithReals::new(Frontier::new()).collapse(Collapse::Moments);
    let other = other.answer(&model, &targets).unwrap();
    assert_eq!(answer.mean(&level).unwrap(), other.mean(&level).unwrap());
    assert!(answer.summary(&level).unwrap().ends_with("approximate"));
    let density = |x: f64, variance: f64| {
        (-0.5 * x * x / variance).exp() / (variance * std::f64::consts::TAU).sqrt()
    };
    let (mut total, mut gross, mut first, mut second) = (0.0, vec![0.0; 40], 0.0, 0.0);
    for i in -4000..=4000 {
        let x = f64::from(i) / 1000.0;
        let parts = readings
            .iter()
            .map(|y| (0.2 * density(y - x, 25.0), 0.8 * density(y - x, 0.5)));
        let parts: Vec<(f64, f64)> = parts.collect();
        let weight = density(x, 4.0) * parts.iter().map(|(a, b)| a + b).product::<f64>() / 1000.0;
        total += weight;
        (first, second) = (first + weight * x, second + weight * x * x);
        for (sum, (a, b)) in gross.iter_mut().zip(parts) {
            *sum += weight * a / (a + b);
        }
    }
    let mean = first / total;
    let exact = Enumerated {
        log_evidence: total.ln(),
        switches: gross.iter().map(|sum| sum / total).collect(),
        moments: vec![(mean, second / total - mean * mean)],
    };
    let worst = errors(&answer, (&kinds, &[level]), &exact);
    // The errors are 0.071, 0.0016, 0.034 and 0.031: 24 of the kinds are merged one after another.
    let near = worst.iter().zip([0.075, 0.002, 0.036, 0.033]);
    assert!(
        near.into_iter().all(|(error, bound)| *error < bound),
        "{worst:?}"
    );
}
