//! Tests of Markov chains against posteriors in closed form.
//!
//! Each estimate is approximately normal with its stated standard error; it deviates by more than six standard errors with a
//! probability below 1e-8. The seeds are fixed.

mod conditionals;
mod hierarchies;
mod modes;
mod pairs;
mod walks;

use figrs_core::{Element, Value};

use figrs_answer::Answer;

/// Fails if the estimated expectation of `of` deviates from `right` by more than six standard errors, or if its standard error exceeds `largest`.
fn is_right<T: Value>(
    answer: &Answer,
    element: &Element<T>,
    of: impl Fn(&T) -> f64 + Copy,
    right: f64,
    largest: f64,
) {
    let marginal = answer.distribution(element).unwrap();
    let (found, error) = (marginal.expectation(of), marginal.standard_error_of(of));
    println!("{found} ± {error}, right is {right}");
    assert!(error < largest, "{found} ± {error}, right is {right}");
    assert!(
        (found - right).abs() < 6.0 * error + 1e-12,
        "{found} ± {error}, not {right}"
    );
}
