//! Tests of generators and puzzles.

mod fuzz_corpora;
mod generators;
mod puzzles;
