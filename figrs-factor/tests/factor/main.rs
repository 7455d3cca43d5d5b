//! Compares algorithms on factor graphs with enumeration.

mod eliminate;
mod mini_buckets;
