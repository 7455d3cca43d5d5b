//! Properties of every model, between exact engines: on random models their answers agree.
//!
//! `PROPTEST_CASES` sets the number of models, `PROPTEST_RNG_SEED` their seed.

#[path = "exact_properties/automata.rs"]
mod automata;
#[path = "exact_properties/bounds.rs"]
mod bounds;
#[path = "exact_properties/branch_and_bound.rs"]
mod branch_and_bound;
#[path = "exact_properties/compiled.rs"]
mod compiled;
#[path = "exact_properties/engines.rs"]
mod engines;
#[path = "exact_properties/frontier.rs"]
mod frontier;
#[path = "exact_properties/graphs.rs"]
mod graphs;
#[path = "exact_properties/marginal_map.rs"]
mod marginal_map;
#[path = "exact_properties/orders.rs"]
mod orders;
#[path = "exact_properties/params.rs"]
mod params;
#[path = "exact_properties/recursive.rs"]
mod recursive;
#[path = "exact_properties/shared.rs"]
mod shared;
#[path = "exact_properties/targets.rs"]
mod targets;
#[path = "exact_properties/worlds.rs"]
mod worlds;
