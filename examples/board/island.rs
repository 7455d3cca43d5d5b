//! Islands: one piece of land in the water.
//!
//! `cargo run --release --example island -- --help`

use std::process::ExitCode;

fn main() -> ExitCode {
    figrs_board_command::main::<figrs_board_command::puzzles::island::Options>()
}
