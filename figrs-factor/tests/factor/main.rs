//! Engines on factor graphs against enumeration.

mod eliminate;
mod mini_buckets;
