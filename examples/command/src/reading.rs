//! Text files and networks of a limited size, and standard input where a file is called `-`.

use std::io;
use std::path::Path;

use figrs_network::{InfluenceDiagram, MixedNetwork, Network, NetworkReader};
use figrs_reading::{MOST_BYTES, MOST_NETWORK_BYTES, read_limited, read_stream_limited};

use crate::Failure;

/// Standard input, in messages.
const STANDARD_INPUT: &str = "standard input";

/// The text of a file, if it is not longer than the limit of figrs.
///
/// **Errors.** They name the file and the mistake in it.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = read_limited(path, MOST_BYTES)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| {
        let path = path.display();
        format!("cannot read {path}: it is not text in UTF-8; save it as UTF-8").into()
    })
}

/// The network of a file, or of standard input if the file is `-`, in the format that its contents show.
///
/// **Errors.** They name the file and the mistake in it.
pub fn read_network(path: &Path, reader: &NetworkReader) -> Result<Network, Failure> {
    if !is_standard_input(path) {
        return Ok(reader.read(path)?);
    }
    Ok(reader.from_bytes(standard_input()?, STANDARD_INPUT)?)
}

/// Does the same as [`read_network`] for an influence diagram.
///
/// **Errors.** Those of [`read_network`].
pub fn read_diagram(path: &Path, reader: &NetworkReader) -> Result<InfluenceDiagram, Failure> {
    if !is_standard_input(path) {
        return Ok(reader.read_diagram(path)?);
    }
    Ok(reader.diagram_from_bytes(standard_input()?, STANDARD_INPUT)?)
}

/// Does the same as [`read_network`] for a network of finite and real variables.
///
/// **Errors.** Those of [`read_network`].
pub fn read_mixed(path: &Path, reader: &NetworkReader) -> Result<MixedNetwork, Failure> {
    if !is_standard_input(path) {
        return Ok(reader.read_mixed(path)?);
    }
    Ok(reader.mixed_from_bytes(standard_input()?, STANDARD_INPUT)?)
}

/// The text of standard input, if it is not longer than the limit of a network.
///
/// **Errors.** It cannot be read, is too long, or is not text.
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

/// True if a file that is to be read is standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}
