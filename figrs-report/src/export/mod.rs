//! Draws as files for other programs.

mod arviz_json;
mod csv;

#[cfg(test)]
mod tests;

use std::io::{self, Write};

use figrs_infer::Draws;
use figrs_infer::internals::distinct_names;

/// Draws as files for other programs.
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
    /// Writes a table of comma-separated values (RFC 4180, lines end with CR LF) with a line for each draw.
    ///
    /// The columns are `chain` and `draw`, counted from zero; one for each target, under its name, or if it has none under its constructor and
    /// source line; and `log_weight` if draws are weighted. A list of numbers has a column for each,
    /// `name[0]`, `name[1]` and so on, if all have the same length. Floating-point numbers keep all their digits, strings are
    /// written unchanged, and other values as `Debug` prints them. Repeated names are numbered: `coin (2)`.
    ///
    /// **Errors.** Those of the writer; [`InvalidInput`](io::ErrorKind::InvalidInput) if the numbers of draws do not fit
    /// together.
    fn write_csv(&self, writer: impl Write) -> io::Result<()>;

    /// Writes the draws as ArviZ's JSON of inference data, which its `from_json` reads (in versions from 1.0 its `from_dict` takes
    /// the parsed groups, all keys but `attrs`).
    ///
    /// The group `posterior` has a variable for each target, named as in [`write_csv`](Self::write_csv), as nested lists over chains and
    /// draws, and over components if the values are lists of numbers of the same length. Numbers are written unchanged, truth
    /// values as 0 and 1 (ArviZ cannot subtract truth values), and any other value as its position in the list
    /// `levels_of_NAME` among the `attrs`. The group `sample_stats` has `log_weight` if draws are weighted: ArviZ itself treats
    /// all draws as equally likely, so resample such draws first. `attrs` also names this library and its version.
    /// Numbers that are not finite are written `NaN`, `Infinity` and `-Infinity`, as Python reads and writes them, which
    /// strict JSON does not allow.
    ///
    /// **Errors.** Those of the writer; [`InvalidInput`](io::ErrorKind::InvalidInput) if the numbers of draws do not fit
    /// together.
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

/// Checks that positions and numbers of draws fit together, because the fields are public.
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

/// The names of the targets, all different, and different from the reserved names.
fn names(draws: &Draws, reserved: &[&str]) -> Vec<String> {
    let elements = draws.targets.iter().map(|target| target.element.clone());
    distinct_names(&elements.collect::<Vec<_>>(), reserved)
}
