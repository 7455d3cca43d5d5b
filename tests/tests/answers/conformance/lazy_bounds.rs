//! Conformance cases of bounds on finite models that are not fully expanded.

use figrs::prelude::*;

use crate::conformance::asked::{Asked, probability};
use crate::conformance::case::Expected::Bounds;

/// A `Chain` in a branch of a `Chain`; an expansion to depth one leaves the inner `Chain` out.
fn outer() -> Element<bool> {
    let inner = If::new(&Flip::new(0.3), Flip::new(0.4), Flip::new(0.5));
    If::new(&Flip::new(0.1), Flip::new(0.2), inner)
}

fn given_a_check() -> Asked {
    let outer = outer();
    let same = outer.map(|&v| v);
    let check = If::new(&same, Flip::new(0.6), Flip::new(0.3));
    probability(Model::new().observe(&check, true), &same, true)
}

fn weighed(maximum: f64) -> Asked {
    let outer = outer();
    let weigh = |&v: &bool| if v { 0.6 } else { 0.3 };
    probability(
        Model::new().weigh_at_most(&outer, maximum, weigh),
        &outer,
        true,
    )
}

cases! {
    lazy_bounds_condition: Bounds { depth: 1, lower: 0.012 / 0.936, upper: 0.912 / 0.936 }, Few, || {
        given_a_check()
    };

    lazy_bounds_constraint: Bounds { depth: 1, lower: 0.012 / 0.936, upper: 0.912 / 0.936 }, Few, || {
        weighed(1.0)
    };

    /// The bounds are closer if the maximum of the weights is smaller.
    lazy_bounds_of_a_small_maximum: Bounds { depth: 1, lower: 0.012 / 0.576, upper: 0.552 / 0.576 }, Few, || {
        weighed(0.6)
    };

    /// At depth zero no `Chain` is expanded.
    lazy_bounds_at_depth_zero: Bounds { depth: 0, lower: 0.0, upper: 1.0 }, Few, || {
        given_a_check()
    };
}
