//! The options of a program whose runs are spread.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;

/// The options of a program whose runs are spread, to be flattened into its own.
#[derive(Args, Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub struct SpreadOptions {
    /// Number of parts that a run is cut into
    #[arg(long, value_name = "N", value_parser = parts, help_heading = "Parts")]
    pub parts: Option<NonZero<u64>>,
    /// Do the part of this number alone, from 0 on, and write it into --out, unless it is there
    #[arg(
        long,
        value_name = "N",
        requires = "out",
        conflicts_with_all = ["serve", "merge"],
        help_heading = "Parts"
    )]
    pub part: Option<u64>,
    /// Do the parts that are asked for on the standard input, a line `RUN PART` each (of a fit `RUN PART ROUND`), and write them to the standard output
    #[arg(long, conflicts_with = "merge", help_heading = "Parts")]
    pub serve: bool,
    /// Read the parts from --out, and go on with the answer, or a fit with its next round
    #[arg(long, requires = "out", help_heading = "Parts")]
    pub merge: bool,
    /// Merge the parts that are there, and leave out those that are not
    #[arg(long, requires = "merge", help_heading = "Parts")]
    pub partial: bool,
    /// Wait for parts that are not there yet
    #[arg(
        long,
        requires = "merge",
        conflicts_with = "partial",
        help_heading = "Parts"
    )]
    pub wait: bool,
    /// Directory of the parts
    #[arg(long, value_name = "DIR", help_heading = "Parts")]
    pub out: Option<PathBuf>,
}

/// A number of parts.
fn parts(text: &str) -> Result<NonZero<u64>, &'static str> {
    text.parse().map_err(|_| "write a whole number, 1 or more")
}
