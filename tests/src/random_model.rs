//! Random element programs, for properties that every model must have.
//!
//! A [`Description`] is plain data: a failing property prints it, and [`build`] creates elements from it. Descriptions cover all constructors of
//! elements, branches that create, share and score elements, evidence of every kind, and interventions. Models have few worlds, so that enumeration
//! can serve as an oracle.

mod build;
mod description;
mod evidence;
mod family;
mod strategy;
mod target;

pub use build::{Built, build};
pub use description::{
    BooleanOp, Branch, Case, Chance, CompareOp, Definition, Description, FamilyName, Inputs, Piece,
    Ref, Shape, Statement,
};
pub use family::{Family, Scope};
pub use strategy::description;
pub use target::Target;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

/// Checks a property on random models, which are the same in each run; a failure prints the smallest failing model that was found.
///
/// `PROPTEST_CASES` and `PROPTEST_RNG_SEED` override the number of models and the seed.
///
/// # Panics
///
/// Panics if the property does not hold.
pub fn for_random_models(
    cases: u32,
    seed: u64,
    property: impl Fn(&Description) -> Result<(), TestCaseError>,
) {
    for_random(cases, seed, &description(), property);
}

/// Returns the number that an environment variable states, such as `PROPTEST_CASES`.
pub fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Checks a property on the values of a strategy; otherwise as [`for_random_models`].
///
/// # Panics
///
/// Panics if the property does not hold.
pub fn for_random<S: Strategy>(
    cases: u32,
    seed: u64,
    strategy: &S,
    property: impl Fn(&S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config {
        cases: from_environment("PROPTEST_CASES").map_or(cases, |n| n as u32),
        rng_seed: RngSeed::Fixed(from_environment("PROPTEST_RNG_SEED").unwrap_or(seed)),
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(strategy, |model| property(&model));
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(reason, model)) => panic!("{reason}\n{model:#?}"),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}
