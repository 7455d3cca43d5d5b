//! Tests of demands on levels, against the enumeration of all levels.

#![allow(clippy::unwrap_used)]

mod by_hand;
mod contradictions;
mod demand_errors;
mod design;
mod enumeration;
mod matrix;
mod models;
#[path = "../samplers.rs"]
mod samplers;
mod series;
mod ways;
