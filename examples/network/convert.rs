//! Conversion of a network to another format.

use std::io::Write;

use figrs_command::{Failure, replace_text, stop};
use figrs_network::NetworkFormat;
use serde_json::json;

use super::{Format, Options};

/// Writes the network in the format that the extension of the file of `--out` names.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let Some(out) = &options.out else {
        return Err("--task convert needs --out FILE".into());
    };
    let (given, to) = (options.clone(), out.clone());
    let converted = stop::attempt(move || -> Result<String, Failure> {
        let network = super::reading::mixed(&given)?;
        Ok(network.to_text(NetworkFormat::of(to)?)?)
    })?;
    let text = converted.ok_or_else(|| stop::nothing("a network"))??;
    replace_text(out, &text)?;
    if options.format == Format::Json {
        let format = NetworkFormat::of(out)?.to_string();
        let mut printed = figrs_command::standard_output();
        writeln!(
            printed,
            "{}",
            json!({"file": out.display().to_string(), "format": format})
        )?;
    }
    Ok(())
}
