//! Chromatic mazes: the player walks from the start to the finish over tiles of similar colours.
//!
//! `cargo run --release --example chromatic_maze -- --help`

use std::process::ExitCode;

fn main() -> ExitCode {
    figrs_board_command::main::<figrs_board_command::puzzles::chromatic_maze::Options>()
}
