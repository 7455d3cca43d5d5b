//! Writes networks as texts and to files.

use std::fs;
use std::path::Path;

use super::{Network, NetworkError, NetworkFormat, NetworkKind, bif, bifxml, net, uai, xdsl};

impl Network {
    /// Writes the network to a file in the format of its extension: `.bif`, `.bifxml` or `.xml`, `.net`, `.uai` or `.xdsl`.
    ///
    /// **Errors.** The file cannot be written; the errors of [`to_text`](Self::to_text).
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), NetworkError> {
        let path = path.as_ref();
        let text = self.to_text(NetworkFormat::of(path)?)?;
        fs::write(path, text).map_err(|cause| NetworkError::Write {
            path: path.to_owned(),
            cause,
        })
    }

    /// Returns the network as text in a format. Reading the text gives the same names and the same numbers to the last bit, except that UAI
    /// has no names.
    ///
    /// Variables keep their order; XDSL has their tables in this order too. Names in XDSL and NET must be identifiers: for other names
    /// the text has identifiers made from them, which other programs show, with the names beside them.
    ///
    /// Clauses with more than four literals are written with helper variables, which follow the variables of the network. Each assignment of the latter
    /// determines their values.
    ///
    /// **Errors.** [`NetworkError::NotWritten`] for CNF; [`NetworkError::NotBayesian`] for a Markov network in another format than UAI;
    /// [`NetworkError::Inexpressible`] for a name that the format cannot hold.
    pub fn to_text(&self, format: NetworkFormat) -> Result<String, NetworkError> {
        match format {
            NetworkFormat::Uai => Ok(uai::write(self)),
            NetworkFormat::Cnf => Err(NetworkError::NotWritten { format }),
            _ if self.kind == NetworkKind::Markov => Err(NetworkError::NotBayesian { format }),
            NetworkFormat::Bif => bif::write(self),
            NetworkFormat::Bifxml => bifxml::write(self),
            NetworkFormat::Net => net::write(self),
            NetworkFormat::Xdsl => xdsl::write(self),
        }
    }

    /// Returns the network as BIF; reading it gives the same names and the same numbers to the last bit.
    ///
    /// **Errors.** The errors of [`to_text`](Self::to_text).
    pub fn to_bif(&self) -> Result<String, NetworkError> {
        self.to_text(NetworkFormat::Bif)
    }

    /// Returns the network in the UAI format, which has no names; reading it gives the same numbers to the last bit.
    pub fn to_uai(&self) -> String {
        uai::write(self)
    }
}
