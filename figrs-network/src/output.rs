//! Writes networks to texts and files.

use std::fs;
use std::path::Path;

use figrs_reading::FileError;

use super::{Network, NetworkError, NetworkFormat, NetworkKind, bif, bifxml, net, uai, xdsl};

impl Network {
    /// Writes the network to a file in the format of its extension: `.bif`, `.bifxml` or `.xml`, `.net`, `.uai` or `.xdsl`.
    ///
    /// **Errors.** [`NetworkError::File`] if the file cannot be written; the errors of [`to_text`](Self::to_text).
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), NetworkError> {
        let path = path.as_ref();
        let text = self.to_text(NetworkFormat::of(path)?)?;
        fs::write(path, text).map_err(|cause| FileError::unwritable(path, &cause))?;
        Ok(())
    }

    /// Returns the text of the network in the format `format`. A network read back from its text has the same names and the same numbers to the last
    /// bit, except that UAI has no names.
    ///
    /// The text lists the variables in the order of the network; in XDSL, nodes are written after their parents, and a property of each node stores
    /// its place in the order of the variables. Names in XDSL and NET must be identifiers. For a name that is not an identifier, the written text
    /// contains a generated identifier, which other programs display, and stores the name in an additional property.
    ///
    /// Clauses with more than four literals are written with helper variables, which come after the variables of the network and are functions of
    /// those variables.
    ///
    /// **Errors.** [`NetworkError::NotWritable`] if `format` is CNF, if a Markov network is written in a format other than UAI, or if the format
    /// cannot represent a name.
    pub fn to_text(&self, format: NetworkFormat) -> Result<String, NetworkError> {
        match format {
            NetworkFormat::Uai => Ok(uai::write(self)),
            NetworkFormat::Cnf => Err(NetworkError::NotWritable {
                format,
                problem: format!("{format} can be read but not written"),
                remedy: "write the network as UAI",
            }),
            _ if self.kind == NetworkKind::Markov => Err(NetworkError::NotWritable {
                format,
                problem: format!("a Markov network cannot be written as {format}"),
                remedy: "write it as UAI",
            }),
            NetworkFormat::Bif => bif::write(self),
            NetworkFormat::Bifxml => bifxml::write(self),
            NetworkFormat::Net => net::write(self, &[]),
            NetworkFormat::Xdsl => xdsl::write(self),
        }
    }

    /// Returns the text of the network in BIF; a network read back from this text has the same names and the same numbers to the last bit.
    ///
    /// **Errors.** [`NetworkError::NotWritable`] for a Markov network, or if BIF cannot represent a name.
    pub fn to_bif(&self) -> Result<String, NetworkError> {
        self.to_text(NetworkFormat::Bif)
    }

    /// Returns the text of the network in the UAI format, without names of variables and states; a network read back from this text has the same
    /// numbers to the last bit.
    pub fn to_uai(&self) -> String {
        uai::write(self)
    }
}
