//! Models of figrs-models: levels, boards, networks.

mod chains_of_boards;
mod clues_of_mazes;
mod conditional_sampler;
mod element_program;
mod generator_errors;
mod generators_exact;
mod generators_reference;
mod grid_automata;
mod matrix_tree;
mod movement_demands;
mod network_answers;
mod network_files;
mod network_learning;
mod network_round_trips;
mod network_structure;
mod numbered_boards;
mod seen_levels;
mod vglc_movements;
mod vglc_smb;
