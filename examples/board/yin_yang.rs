//! Yin-Yang: colour every cell so that each colour is connected and no square is of one colour.
//!
//! `cargo run --release --example yin_yang -- --help`

use std::process::ExitCode;

fn main() -> ExitCode {
    figrs_board_command::main::<figrs_board_command::puzzles::yin_yang::Options>()
}
