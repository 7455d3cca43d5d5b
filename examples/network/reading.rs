//! Reading of networks and influence diagrams from `--file`, with notes and errors that name flags.

use std::path::Path;

use figrs_command::{Failure, note, read_diagram, read_mixed, read_network};
use figrs_network::{
    InfluenceDiagram, MixedNetwork, Network, NetworkError, NetworkReader, NormalisedRow, ROUNDING,
};

use super::options::{Options, named};

/// Reads the network of --file, and prints a note about table rows whose probabilities did not sum to one.
///
/// **Errors.** The file cannot be read as a network; the error names a flag with which it can be read, or the task that solves an influence diagram.
pub(crate) fn chances(options: &Options) -> Result<Network, Failure> {
    let read = read_network(file(options), &reader(options));
    let network = read.map_err(|failure| by_flags(failure, options))?;
    note_rows(network.normalised(), |row| network.row_name(row));
    Ok(network)
}

/// Reads the network of --file, which may have real variables, and prints a note about table rows whose probabilities did not sum to one.
///
/// **Errors.** The errors of [`chances`], except the error for continuous nodes.
pub(crate) fn mixed(options: &Options) -> Result<MixedNetwork, Failure> {
    let read = read_mixed(file(options), &reader(options));
    let network = read.map_err(|failure| by_flags(failure, options))?;
    let finite = network.finite();
    note_rows(finite.normalised(), |row| finite.row_name(row));
    Ok(network)
}

/// The influence diagram of --file.
///
/// **Errors.** The errors of [`chances`].
pub(crate) fn diagram(options: &Options) -> Result<InfluenceDiagram, Failure> {
    let read = read_diagram(file(options), &reader(options));
    let diagram = read.map_err(|failure| by_flags(failure, options))?;
    note_rows(diagram.normalised(), |row| {
        diagram.variables()[row.variable].name().to_owned()
    });
    Ok(diagram)
}

fn file(options: &Options) -> &Path {
    options.file.as_deref().unwrap_or(Path::new(""))
}

fn reader(options: &Options) -> NetworkReader {
    let mut reader = NetworkReader::new();
    if options.normalise {
        reader = reader.normalise();
    }
    if let Some(slices) = options.slices {
        reader = reader.slices(slices);
    }
    reader
}

/// Converts the failure of a reader of networks, and adds the flags that may help.
fn by_flags(failure: Failure, options: &Options) -> Failure {
    let Some(NetworkError::File(error)) = failure.downcast_ref() else {
        return failure;
    };
    let remedy = match error.mistake.setting {
        Some("read_diagram") => format!(
            "solve it by --task decide instead of --task {}",
            named(&options.task)
        ),
        Some("read_mixed") if options.format.is_picture() => {
            "ask it with --format text or json, since only networks of discrete nodes are drawn"
                .into()
        }
        Some("read_mixed") => format!(
            "ask it by --task marginals or evidence, or write it by --task convert, instead of --task {}",
            named(&options.task)
        ),
        Some("normalise") => {
            "correct its numbers, or divide such rows by their sums with --normalise".into()
        }
        Some("slices") => "unroll it to a number of slices with --slices".into(),
        _ => return failure,
    };
    let mut error = error.clone();
    error.mistake.remedy = remedy;
    error.into()
}

/// Returns a sum of probabilities as text, with at most six decimals, so that rounding errors are not visible.
fn shown(sum: f64) -> String {
    let text = format!("{sum:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Prints notes about table rows whose probabilities did not sum to one.
fn note_rows(rows: &[NormalisedRow], name: impl Fn(&NormalisedRow) -> String) {
    let is_rounded = |row: &&NormalisedRow| (row.sum - 1.0).abs() <= ROUNDING * (1.0 + 1e-9);
    let (rounded, others): (Vec<&NormalisedRow>, Vec<&NormalisedRow>) =
        rows.iter().partition(is_rounded);
    if let Some(first) = rounded.first() {
        note(format!(
            "note: rows that do not sum to one because of rounding were divided by their sums: {}, the first on line {}, {}",
            rounded.len(),
            first.line,
            name(first)
        ));
    }
    if let Some(first) = others.first() {
        note(format!(
            "note: rows that do not sum to one were divided by their sums: {}, the first on line {}, {}, which sums to {}",
            others.len(),
            first.line,
            name(first),
            shown(first.sum)
        ));
    }
}
