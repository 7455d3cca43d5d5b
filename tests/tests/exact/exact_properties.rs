//! Tests of properties that hold for every model: the answers of exact engines agree on random models.
//!
//! `PROPTEST_CASES` sets the number of models, `PROPTEST_RNG_SEED` their seed.

mod automata;
mod bounds;
mod branch_and_bound;
mod captured;
mod compiled;
mod engines;
mod frontier;
mod graphs;
mod marginal_map;
mod orders;
mod params;
mod portfolio;
mod recursive;
pub(crate) mod shared;
mod strategies;
mod targets;
mod worlds;
