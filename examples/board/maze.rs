//! Perfect mazes: exactly one path joins each pair of rooms.
//!
//! `cargo run --release --example maze -- --help`

use std::process::ExitCode;

fn main() -> ExitCode {
    figrs_board_command::main::<figrs_board_command::puzzles::maze::Options>()
}
