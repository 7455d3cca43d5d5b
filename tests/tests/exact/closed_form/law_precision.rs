//! Numerical precision of compiled steps: readings without noise, small and large deviations.

use figrs::Filter;
use figrs::prelude::*;

/// Readings without noise that agree change nothing.
#[test]
fn readings_that_others_imply() {
    let walk = |level: &Element<f64>| Normal::new(level, Variance(1.0));
    let both = |level: &Element<f64>| (level.clone(), level * 2.0);
    let mut by_law = Filter::exact(&Normal::new(0.0, Variance(1.0))).unwrap();
    let mut by_advance = by_law.clone();
    let law = by_law.law(walk, both).unwrap();
    let seen = |(one, two): &(Element<f64>, Element<f64>)| {
        Model::new().observe(one, 0.7).observe(two, 1.4)
    };
    by_law.follow(&law, seen).unwrap();
    by_advance
        .advance(walk, |level| seen(&both(level)))
        .unwrap();
    let logs = (by_law.log_evidence().value, by_advance.log_evidence().value);
    assert!((logs.0 - logs.1).abs() < 1e-12);
    assert!((by_law.mean(|level| level).unwrap() - 0.7).abs() < 1e-15);
    // An element without a name has the label of the user's element.
    let error = by_law.observe(|level| Model::new().observe(level, 5.0));
    let error = error.unwrap_err().to_string();
    assert!(!error.contains("made_elements"), "{error}");
}

/// Readings without noise determine the state, and later readings may contradict them.
#[test]
fn exact_readings_leave_no_rounding_errors() {
    type Pair = (Element<f64>, Element<f64>);
    let start = || Normal::new(0.0, Variance(1e6));
    let step = |(level, slope): &Pair| (level + slope, slope.clone());
    let read = |(level, _): &Pair| level.clone();
    let mut filter = Filter::exact(&(start(), start())).unwrap().window(9);
    let law = filter.law(step, read).unwrap();
    for reading in [0.9, 1.2, 1.5] {
        filter
            .follow(&law, |level| Model::new().observe(level, reading))
            .unwrap();
    }
    let first = filter.at(2).unwrap();
    assert!((first.mean(|pair| &pair.0).unwrap() - 0.9).abs() < 1e-9);
    assert!((first.mean(|pair| &pair.1).unwrap() - 0.3).abs() < 1e-9);
    let wrong = filter.follow(&law, |level| Model::new().observe(level, 2.5));
    assert!(wrong.is_err());
    assert!((filter.mean(|pair| &pair.0).unwrap() - 1.5).abs() < 1e-9);
}

/// Small noise beside a wide prior stays, and standard deviations that overflow are errors.
#[test]
fn compiled_steps_keep_small_deviations_and_report_large_ones() {
    let step = |level: &Element<f64>| Normal::new(level, Variance(1e12));
    let read = |level: &Element<f64>| Normal::new(level, Variance(1e-18));
    let mut filter = Filter::exact(&Normal::new(0.0, Variance(1e12))).unwrap();
    let law = filter.law(step, read).unwrap();
    for reading in [1.0, 1.000_000_001, 1.000_000_003] {
        let seen = |level: &Element<f64>| Model::new().observe(level, reading);
        filter.follow(&law, seen).unwrap();
    }
    let deviation = filter.mixture(|level| level).unwrap().standard_deviation();
    assert!((deviation / 1e-9 - 1.0).abs() < 1e-3, "{deviation}");
    let wide = |level: &Element<f64>| Normal::new(level, Variance(1e307));
    let mut filter = Filter::exact(&Normal::new(0.0, Variance(1.0))).unwrap();
    let law = filter.law(wide, wide).unwrap();
    let failed = (0..40).find_map(|_| filter.follow(&law, |_| Model::new()).err());
    let error = failed.unwrap().to_string();
    assert!(error.contains("too large"), "{error}");
}
