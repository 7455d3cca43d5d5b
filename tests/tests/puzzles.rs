//! Puzzles in the Game Description Language: files, plans by inference, mistakes, random rules.

#[path = "puzzles/errors.rs"]
mod errors;
#[path = "puzzles/files.rs"]
mod files;
#[path = "puzzles/random_rules.rs"]
mod random_rules;
#[path = "puzzles/random_systems.rs"]
mod random_systems;
#[path = "puzzles/reference.rs"]
mod reference;
