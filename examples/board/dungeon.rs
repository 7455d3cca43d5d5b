//! Dungeons: a gem and an altar among walls, and a path to both.
//!
//! `cargo run --release --example dungeon -- --help`

use std::process::ExitCode;

fn main() -> ExitCode {
    figrs_board_command::main::<figrs_board_command::puzzles::dungeon::Options>()
}
