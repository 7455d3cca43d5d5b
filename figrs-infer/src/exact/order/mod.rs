//! Search for elimination orders, on symbolic tables.
//!
//! | file | what it holds |
//! |---|---|
//! | `sketch`, `interaction`, `densities` | symbolic tables: scopes and predicted densities; buckets with their inputs |
//! | `parts`, `components` | symbolic elimination component by component |
//! | `restarts` | one component: greedy orders, restarts with noise, local improvement |
//! | `fixed`, `core_graph`, `simplicial`, `greedy`, `tree`, `window` | one component as a graph of bits: reduced, ordered, improved |
//! | `neighbours`, `score`, `very_large` | very large components as adjacency lists |

mod components;
mod core_graph;
mod densities;
mod fixed;
mod greedy;
pub(super) mod interaction;
mod neighbours;
pub(super) mod parts;
mod restarts;
mod score;
mod simplicial;
pub(super) mod sketch;
mod tree;
mod very_large;
mod window;

pub(crate) use interaction::Bucket;
