//! Models of figrs-models: levels and boards.

mod chains_of_boards;
mod clues_of_mazes;
mod conditional_sampler;
mod element_program;
mod generator_errors;
mod generators_exact;
mod generators_reference;
mod grid_automata;
mod matrix_tree;
mod numbered_boards;
