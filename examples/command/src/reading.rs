//! Text files and networks of limited size; the file name `-` means standard input.

use std::io;
use std::path::Path;

use figrs_network::{InfluenceDiagram, MixedNetwork, Network, NetworkReader};
use figrs_reading::{MOST_BYTES, MOST_NETWORK_BYTES, read_limited, read_stream_limited};

use crate::Failure;

/// Name of the standard input in messages.
const STANDARD_INPUT: &str = "standard input";

/// Returns the text of a file, which must not be longer than the limit that figrs sets for texts.
///
/// **Errors.** The file cannot be read or is too long; the error names the file.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = read_limited(path, MOST_BYTES)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| {
        let path = path.display();
        format!("cannot read {path}: it is not text in UTF-8; save it as UTF-8").into()
    })
}

/// Returns the network in a file, or in standard input if the file is `-`; the format is recognised from the contents.
///
/// **Errors.** The file cannot be read or has a mistake; the error contains the path of the file and the mistake.
pub fn read_network(path: &Path, reader: &NetworkReader) -> Result<Network, Failure> {
    if !is_standard_input(path) {
        return Ok(reader.read(path)?);
    }
    Ok(reader.from_bytes(standard_input()?, STANDARD_INPUT)?)
}

/// Returns the influence diagram in a file, or in standard input, as [`read_network`] does for a network.
///
/// **Errors.** The errors of [`read_network`].
pub fn read_diagram(path: &Path, reader: &NetworkReader) -> Result<InfluenceDiagram, Failure> {
    if !is_standard_input(path) {
        return Ok(reader.read_diagram(path)?);
    }
    Ok(reader.diagram_from_bytes(standard_input()?, STANDARD_INPUT)?)
}

/// Returns the network of finite and real variables in a file, as [`read_network`] does for a network of finite variables.
///
/// **Errors.** The errors of [`read_network`].
pub fn read_mixed(path: &Path, reader: &NetworkReader) -> Result<MixedNetwork, Failure> {
    if !is_standard_input(path) {
        return Ok(reader.read_mixed(path)?);
    }
    Ok(reader.mixed_from_bytes(standard_input()?, STANDARD_INPUT)?)
}

/// The text of standard input, if it is not longer than the limit of a network.
///
/// **Errors.** Standard input cannot be read, is too long, or is not text.
pub fn read_standard_input() -> Result<String, Failure> {
    let text = String::from_utf8(standard_input()?);
    text.map_err(|_| {
        format!("cannot read {STANDARD_INPUT}: it is not text in UTF-8; save it as UTF-8").into()
    })
}

fn standard_input() -> Result<Vec<u8>, Failure> {
    let bytes = read_stream_limited(io::stdin().lock(), MOST_NETWORK_BYTES);
    bytes.map_err(|error| format!("cannot read {STANDARD_INPUT}: {error}").into())
}

/// True if a file to read is standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns the column, in characters from 1, at which the cell with the index `cell` begins in a line of a CSV file.
pub fn column_of_cell(line: &str, cell: usize) -> usize {
    let mut is_quoted = false;
    let commas = line.chars().enumerate().filter_map(|(i, c)| {
        is_quoted ^= c == '"';
        (c == ',' && !is_quoted).then_some(i + 2)
    });
    std::iter::once(1).chain(commas).nth(cell).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::column_of_cell;

    #[test]
    fn cells_begin_after_commas_outside_of_quotes() {
        let columns = |line| [0, 1, 2].map(|cell| column_of_cell(line, cell));
        assert_eq!(columns("a,,b"), [1, 3, 4]);
        assert_eq!(columns("é,\"x,\"\"y\",b"), [1, 3, 11]);
    }
}
