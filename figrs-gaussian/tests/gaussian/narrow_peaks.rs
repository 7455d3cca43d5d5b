//! A standard normal number with likelihoods that have narrow parts, against closed forms.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use figrs_factor::Until;
use figrs_gaussian::{Peaks, RealLikelihood, Tilted};

fn tilted(log: impl Fn(f64) -> f64) -> Tilted {
    let peaks = Peaks::new((1 << 12, 1 << 24), f64::INFINITY, Until::default());
    let first = RealLikelihood::Log(&log, &peaks).tilted(0.0, 1.0).unwrap();
    // The peaks are remembered when the distribution of the number has changed.
    let again = RealLikelihood::Log(&log, &peaks).tilted(0.0, 1.0).unwrap();
    assert_eq!(first, again);
    first
}

/// The mass, the mean and the second moment of the product of the density of the number and a normal function of height one.
fn peak(centre: f64, width: f64) -> [f64; 3] {
    let sum = 1.0 + width * width;
    let mass = width / sum.sqrt() * (-0.5 * centre * centre / sum).exp();
    let (mean, variance) = (centre / sum, width * width / sum);
    [mass, mass * mean, mass * (variance + mean * mean)]
}

fn check(name: &str, found: Tilted, [mass, first, second]: [f64; 3]) {
    let (mean, variance) = (first / mass, second / mass - (first / mass).powi(2));
    let near = |found: f64, exact: f64| (found - exact).abs() < 1e-8 * exact.abs().max(1e-6);
    assert!(
        near(found.log_mass, mass.ln()) && near(found.mean, mean),
        "{name}: {found:?}, exactly {mass}, {mean}, {variance}"
    );
    // A small variance beside a large mean has few digits in the closed form.
    let digits = 1e-14 * (second / mass) + 1e-8 * variance;
    assert!(
        (found.variance - variance).abs() < digits,
        "{name}: {found:?}, exactly {mass}, {mean}, {variance}"
    );
}

fn bump(x: f64, centre: f64, width: f64) -> f64 {
    (-0.5 * ((x - centre) / width).powi(2)).exp()
}

#[test]
fn narrow_intervals() {
    for power in 2..=6 {
        let width = 10.0_f64.powi(-power);
        let low = 0.7;
        let centre = low + width / 2.0;
        let found = tilted(|x| match (low..=low + width).contains(&x) {
            true => 0.0,
            false => f64::NEG_INFINITY,
        });
        let density = (-0.5 * centre * centre).exp() / std::f64::consts::TAU.sqrt();
        let curve = 1.0 + (centre * centre - 1.0) * width * width / 24.0;
        let near = |found: f64, exact: f64| (found - exact).abs() < 1e-7 * exact.abs();
        assert!(
            near(found.log_mass, (width * density * curve).ln()),
            "{width}: {found:?}"
        );
        assert!(
            near(found.mean, centre - centre * width * width / 12.0),
            "{width}: {found:?}"
        );
        assert!(
            near(found.variance, width * width / 12.0) || width > 1e-3,
            "{width}: {found:?}"
        );
    }
}

#[test]
fn narrow_peaks_on_a_floor() {
    for width in [1e-2, 1e-3, 1e-4, 1e-5, 2e-6] {
        let floor = 1e-3;
        let found = tilted(|x| (floor + bump(x, 1.2345, width)).ln());
        let [mass, first, second] = peak(1.2345, width);
        check("peak", found, [mass + floor, first, second + floor]);
    }
}

#[test]
fn two_narrow_peaks_and_a_step() {
    let found = tilted(|x| (bump(x, -0.51, 1e-4) + 0.5 * bump(x, 1.77, 3e-3)).ln());
    let (a, b) = (peak(-0.51, 1e-4), peak(1.77, 3e-3));
    check("two peaks", found, [0, 1, 2].map(|i| a[i] + 0.5 * b[i]));
    let found = tilted(|x| (if x < 0.3331 { 0.2_f64 } else { 0.9 }).ln());
    let above = libm::erfc(0.3331 / 2.0_f64.sqrt()) / 2.0;
    let density = (-0.5 * 0.3331_f64.powi(2)).exp() / std::f64::consts::TAU.sqrt();
    let second = 0.2 + 0.7 * (above + 0.3331 * density);
    check("step", found, [0.2 + 0.7 * above, 0.7 * density, second]);
    // A likelihood that is constant stays constant.
    check("constant", tilted(|_| 0.5_f64.ln()), [0.5, 0.0, 0.5]);
}

#[test]
fn a_search_for_peaks_ends_at_its_interrupt() {
    let until = Until {
        stop: Some(Arc::new(AtomicBool::new(true))),
        ..Until::default()
    };
    let peaks = Peaks::new((1 << 12, 1 << 24), f64::INFINITY, until);
    let calls = Cell::new(0);
    let log = |_: f64| {
        calls.set(calls.get() + 1);
        f64::NEG_INFINITY
    };
    assert!(RealLikelihood::Log(&log, &peaks).tilted(0.0, 1.0).is_none());
    assert!(calls.get() < 100_000, "{}", calls.get());
}
