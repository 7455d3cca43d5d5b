//! Yin-Yang: each of two colours is connected, and no 2 by 2 square has one colour only.
//!
//! `cargo run --release --example yin_yang -- --help`

use std::process::ExitCode;

fn main() -> ExitCode {
    figrs_board_command::main::<figrs_board_command::puzzles::yin_yang::Options>()
}
