//! The command-line options of a program whose runs are divided into parts.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;

/// The command-line options of a program whose runs are divided into parts. A program with its own options includes [`SpreadOptions`] by
/// `#[command(flatten)]`.
#[derive(Args, Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub struct SpreadOptions {
    /// Number of parts into which a run is divided
    #[arg(long, value_name = "N", value_parser = parts, help_heading = "Parts")]
    pub parts: Option<NonZero<u64>>,
    /// Compute only the part with this number, counted from 0, and write it into --out, unless it exists
    #[arg(
        long,
        value_name = "N",
        requires = "out",
        conflicts_with_all = ["serve", "merge"],
        help_heading = "Parts"
    )]
    pub part: Option<u64>,
    /// Compute the parts that are requested on the standard input by lines `RUN PART` (for a fit `RUN PART ROUND`), and write them to the standard
    /// output
    #[arg(long, conflicts_with = "merge", help_heading = "Parts")]
    pub serve: bool,
    /// Read the parts from --out, and continue with the answer, or, for a fit, with its next round
    #[arg(long, requires = "out", help_heading = "Parts")]
    pub merge: bool,
    /// Merge the parts that exist, and leave out the missing parts
    #[arg(long, requires = "merge", help_heading = "Parts")]
    pub partial: bool,
    /// Wait for missing parts instead of reporting an error
    #[arg(
        long,
        requires = "merge",
        conflicts_with = "partial",
        help_heading = "Parts"
    )]
    pub wait: bool,
    /// Directory that contains the parts
    #[arg(long, value_name = "DIR", help_heading = "Parts")]
    pub out: Option<PathBuf>,
}

fn parts(text: &str) -> Result<NonZero<u64>, &'static str> {
    text.parse().map_err(|_| "write a whole number, 1 or more")
}
