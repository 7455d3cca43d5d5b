//! Perfect mazes: every room is reached from every other by exactly one path.
//!
//! `cargo run --release --example maze -- --help`

use std::process::ExitCode;

fn main() -> ExitCode {
    figrs_board_command::main::<figrs_board_command::puzzles::maze::Options>()
}
