//! A standard normal number with likelihoods whose product with its density is largest far from its mean, or has no integral.

use figrs_factor::Until;
use figrs_gaussian::{Peaks, RealLikelihood, Tilted};

fn tilted(log: impl Fn(f64) -> f64) -> Option<Tilted> {
    let peaks = Peaks::new((1 << 10, 1 << 10), f64::INFINITY, Until::default());
    RealLikelihood::Log(&log, &peaks).tilted(0.0, 1.0)
}

/// The product with the likelihood `exp(linear x + square x² / 2)` is normal with the precision `1 - square`.
#[test]
fn likelihoods_that_grow() {
    for linear in [0.0_f64, 3.0, -45.0, 300.0, 1e5] {
        for square in [-1.0, 0.0, 0.9, 0.999, 1.0 - 1e-6] {
            let precision: f64 = 1.0 - square;
            if linear.abs() > 1e6 * precision {
                continue;
            }
            let found = tilted(|x| linear * x + square * x * x / 2.0).unwrap();
            let log_mass = linear * linear / precision / 2.0 - precision.ln() / 2.0;
            // The largest logarithm of the density is a difference of two large numbers.
            let digits = 1e-9 + 1e-15 * (linear / precision).powi(2);
            let near =
                |found: f64, exact: f64| (found - exact).abs() <= digits * (1.0 + exact.abs());
            assert!(
                found.is_proper()
                    && near(found.log_mass, log_mass)
                    && near(found.mean * precision.sqrt(), linear / precision.sqrt())
                    && near(found.variance * precision, 1.0),
                "{linear}, {square}: {found:?}"
            );
        }
    }
}

#[test]
fn likelihoods_without_an_integral() {
    for square in [1.0, 1.0 + 1e-6, 1.2, 3.0] {
        let found = tilted(|x| square * x * x / 2.0).unwrap();
        assert!(!found.is_proper(), "{square}: {found:?}");
        let one_side = tilted(|x| {
            if x > 0.0 {
                square * x * x / 2.0 + x
            } else {
                -x * x
            }
        })
        .unwrap();
        assert!(!one_side.is_proper(), "{square}: {one_side:?}");
    }
    // The likelihood is very large near the mean, and grows far from it.
    let late = tilted(|x| 1e5 * (-x * x).exp() + 0.6 * x * x).unwrap();
    assert!(!late.is_proper(), "{late:?}");
    assert_eq!(tilted(|_| f64::NEG_INFINITY), None);
}
