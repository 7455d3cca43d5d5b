//! Writes draws to files for other programs.

mod arviz_json;
mod csv;

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use figrs_infer::Draws;
use figrs_infer::internals::distinct_names;

/// Writes draws to files for other programs.
///
/// ```
/// use figrs_core::{Flip, Model};
/// use figrs_infer::{ForwardSampling, Run};
/// use figrs_report::WriteDraws;
///
/// let coin = Flip::new(0.5).named("coin");
/// let answer = ForwardSampling::new(3).keep_draws().run(&Model::new(), &coin)?;
/// let mut csv = Vec::new();
/// answer.draws()?.write_csv(&mut csv).expect("memory");
/// assert!(csv.starts_with(b"chain,draw,coin"));
/// # Ok::<(), figrs_infer::Error>(())
/// ```
pub trait WriteDraws {
    /// Writes a table of comma-separated values, with a line for each draw (RFC 4180; lines end with CR LF).
    ///
    /// The first columns of the table are `chain` and `draw`, counted from zero. In the table of draws, each target has a column. The heading of a
    /// target's column is the name of the target; for a target without a name, the heading is its constructor and source line. If draws are weighted,
    /// the table of draws has a column `log_weight`. If the values of a target are lists of numbers of the same length, the table has a column for
    /// each component: `name[0]`, `name[1]` and so on. In the table of draws, floating-point numbers keep all their digits, strings are written
    /// unchanged, and other values as `Debug` prints them. Columns of the table with the same name are numbered: `coin (2)`.
    ///
    /// **Errors.** The errors of the writer; [`InvalidInput`](io::ErrorKind::InvalidInput) if the targets do not all have the same number of draws.
    fn write_csv(&self, writer: impl Write) -> io::Result<()>;

    /// Writes the draws in the JSON format of ArviZ for inference data, which ArviZ reads by `from_json`. From version 1.0 of ArviZ on, parse the
    /// file, and pass all groups (the keys other than `attrs`) to ArviZ's `from_dict`.
    ///
    /// In the JSON file, the group `posterior` has a variable for each target, named as in [`write_csv`](Self::write_csv). The variable of a target
    /// is a nested list over chains and draws, and also over components if the values are lists of numbers of the same length. In the JSON file for
    /// ArviZ, values that are numbers are written unchanged. Truth values are written to the JSON file as 0 and 1, because ArviZ cannot subtract
    /// truth values. In the JSON file, values other than numbers and truth values are written as indices into the list `levels_of_NAME` among the
    /// `attrs`. If draws are weighted, the group `sample_stats` of the JSON file has the variable `log_weight`. Resample weighted draws before ArviZ
    /// reads them, because ArviZ gives all draws the same weight. In the JSON file, the key `attrs` also contains the name and the version of this
    /// library. Numbers that are not finite are written as `NaN`, `Infinity` and `-Infinity`, as Python reads and writes them; strict JSON does not
    /// allow such numbers.
    ///
    /// **Errors.** The errors of the writer; [`InvalidInput`](io::ErrorKind::InvalidInput) if the targets do not all have the same number of draws.
    fn write_arviz_json(&self, writer: impl Write) -> io::Result<()>;
}

impl WriteDraws for Draws {
    fn write_csv(&self, writer: impl Write) -> io::Result<()> {
        csv::write(self, writer)
    }

    fn write_arviz_json(&self, writer: impl Write) -> io::Result<()> {
        arviz_json::write(self, writer)
    }
}

/// Checks that the indices of values are in range and that all targets have the same number of draws; invalid `Draws` are possible because the fields
/// are public.
fn check(draws: &Draws) -> io::Result<()> {
    let all = draws.chains.checked_mul(draws.length);
    for target in &draws.targets {
        let values = target.support.len();
        if Some(target.indices.len()) != all || target.indices.iter().any(|&i| i as usize >= values)
        {
            return Err(misfit(
                draws,
                &target.element.label().to_string(),
                target.indices.len(),
            ));
        }
    }
    match &draws.log_weights {
        Some(logs) if Some(logs.len()) != all => Err(misfit(draws, "the weights", logs.len())),
        _ => Ok(()),
    }
}

fn misfit(draws: &Draws, what: &str, found: usize) -> io::Error {
    let message = format!(
        "{found} draws of {what} do not fit {} chains of {} draws, or have values that are not in the support; \
             give each target `chains * length` positions",
        draws.chains, draws.length
    );
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Returns the names of the targets for an export; names that are equal to another name or a reserved name are changed.
fn names(draws: &Draws, reserved: &[&str]) -> Vec<String> {
    let elements = draws.targets.iter().map(|target| target.element.clone());
    distinct_names(&elements.collect::<Vec<_>>(), reserved)
}
