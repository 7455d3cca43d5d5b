//! Conversion of a network to another format.

use figrs::models::network::NetworkFormat;
use figrs_command::{Failure, read_network, replace_text, stop};

use super::Options;

/// Writes the network in the format of the extension of `--out`.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let Some(out) = &options.out else {
        return Err("--task convert needs --out FILE".into());
    };
    let (file, to) = (options.file.clone().unwrap_or_default(), out.clone());
    let converted = stop::attempt(move || -> Result<String, Failure> {
        let network = read_network(&file)?;
        super::note_normalised(&network);
        Ok(network.to_text(NetworkFormat::of(to)?)?)
    })?;
    let text = converted.ok_or_else(|| stop::nothing("a network"))??;
    replace_text(out, &text)
}
