//! Tests of learning parameters: against brute force and published numbers, and of its guarantees.

mod count_parts;
mod densities;
mod engines;
mod further_cases;
mod linear_gaussian;
mod published;
mod random_networks;
mod refusals;
mod standard_errors;

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}
