//! Text files and networks of a limited size, and standard input where a file is called `-`.

use std::io;
use std::path::Path;

use figrs_network::{InfluenceDiagram, Network};
use figrs_reading::{MOST_BYTES, MOST_NETWORK_BYTES, read_limited, read_stream_limited};

use crate::Failure;

/// Standard input, in messages.
const STANDARD_INPUT: &str = "standard input";

/// The text of a file that is not longer than readers of figrs take.
///
/// **Errors.** They name the file and the mistake in it.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = read_limited(path, MOST_BYTES)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| format!("cannot read {}: it is not text in UTF-8", path.display()).into())
}

/// The network of a file, or of standard input if the file is `-`: that in the format that its contents tell.
///
/// **Errors.** They name the file and the mistake in it.
pub fn read_network(path: &Path) -> Result<Network, Failure> {
    if !is_standard_input(path) {
        return Ok(Network::read(path)?);
    }
    Ok(Network::from_text(&read_standard_input()?, STANDARD_INPUT)?)
}

/// As [`read_network`], of an influence diagram.
///
/// **Errors.** As there.
pub fn read_diagram(path: &Path) -> Result<InfluenceDiagram, Failure> {
    if !is_standard_input(path) {
        return Ok(InfluenceDiagram::read(path)?);
    }
    let text = read_standard_input()?;
    Ok(InfluenceDiagram::from_text(&text, STANDARD_INPUT)?)
}

/// The text of standard input, which is not longer than that of a network.
///
/// **Errors.** It cannot be read, is too long, or is not text.
pub fn read_standard_input() -> Result<String, Failure> {
    let bytes = read_stream_limited(io::stdin().lock(), MOST_NETWORK_BYTES)
        .map_err(|error| format!("cannot read {STANDARD_INPUT}: {error}"))?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| format!("cannot read {STANDARD_INPUT}: it is not text in UTF-8").into())
}

/// True if a file that is to be read is standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}
