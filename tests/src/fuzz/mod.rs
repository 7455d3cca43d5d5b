//! Tests of robustness against arbitrary bytes: nothing panics, hangs or takes disproportionate memory, exact algorithms agree, and values are
//! unchanged after writing and reading.
//!
//! Each function is a target of the fuzzer in `fuzz/`; `tests/tests/models/fuzz_corpora.rs` runs each function on the inputs that the fuzzer has
//! found.

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

/// A function that accepts any bytes.
pub type Target = fn(&[u8]);

/// All targets, with the names of their folders in `fuzz/corpus/`.
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

/// Returns the bytes as text if they are UTF-8; other bytes never get to a reader, because readers take `&str`.
fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}
