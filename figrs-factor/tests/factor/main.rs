//! Tests that algorithms on factor graphs agree with enumeration of all assignments.

mod eliminate;
mod mini_buckets;
