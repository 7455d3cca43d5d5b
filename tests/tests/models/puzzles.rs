//! Tests of puzzles in the Game Description Language: files, plans by inference, mistakes, random rules.

mod errors;
mod files;
mod filled;
mod random_rules;
mod random_systems;
mod reference;
mod search;
