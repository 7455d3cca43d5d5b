//! Learning of parameters against brute force, published numbers, and its guarantees.

mod count_parts;
mod densities;
mod engines;
mod further_cases;
mod published;
mod random_networks;
mod refusals;
mod standard_errors;

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}
