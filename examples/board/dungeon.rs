//! Dungeons: boards with a gem, an altar and walls, and a path to the gem and the altar.
//!
//! `cargo run --release --example dungeon -- --help`

use std::process::ExitCode;

fn main() -> ExitCode {
    figrs_board_command::main::<figrs_board_command::puzzles::dungeon::Options>()
}
