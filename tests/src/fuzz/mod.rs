//! Robustness against arbitrary bytes: nothing panics, hangs or takes memory out of proportion, exact algorithms agree, and
//! values survive writing and reading.
//!
//! Each function is a target of the fuzzer in `fuzz/`; `tests/tests/models/fuzz_corpora.rs` puts to it the inputs that the fuzzer has found.

mod agreement;
mod bytes;
mod command_line;
mod distributions;
mod networks;
mod programs;
mod puzzles;
mod saved;
mod texts;
mod tile_sheets;

pub use command_line::option_values;
pub use distributions::distributions;
pub use networks::{bif, bifxml, cnf, evidence, net, uai, xdsl};
pub use programs::program;
pub use puzzles::rules;
pub use saved::{chain, tree};
pub use texts::{clues, design, levels, mask};
pub use tile_sheets::tile_sheet;

/// A function for any bytes.
pub type Target = fn(&[u8]);

/// All of them, by the names of their folders in `fuzz/corpus/`.
pub const TARGETS: [(&str, Target); 18] = [
    ("bif", bif),
    ("bifxml", bifxml),
    ("chain", chain),
    ("clues", clues),
    ("cnf", cnf),
    ("design", design),
    ("distributions", distributions),
    ("evidence", evidence),
    ("levels", levels),
    ("mask", mask),
    ("net", net),
    ("option_values", option_values),
    ("program", program),
    ("rules", rules),
    ("tile_sheet", tile_sheet),
    ("tree", tree),
    ("uai", uai),
    ("xdsl", xdsl),
];

/// The bytes as text, if they are UTF-8; other bytes never get to a reader, which takes `&str`.
fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}
