//! Networks written as texts and to files.

use std::fs;
use std::path::Path;

use super::{Network, NetworkError, NetworkFormat, NetworkKind, bif, bifxml, net, uai, xdsl};

impl Network {
    /// Writes a file in the format of its extension, `.bif`, `.bifxml` or `.xml`, `.net`, `.uai` or `.xdsl`.
    ///
    /// **Errors.** The file cannot be written; those of [`to_text`](Self::to_text).
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), NetworkError> {
        let path = path.as_ref();
        let text = self.to_text(NetworkFormat::of(path)?)?;
        fs::write(path, text).map_err(|cause| NetworkError::Write {
            path: path.to_owned(),
            cause,
        })
    }

    /// The network in a format. Reading it again gives the same names and the same numbers to the last bit, except for UAI, which has
    /// no names.
    ///
    /// Variables keep their order; XDSL has their tables in that order too. Names in XDSL and NET are identifiers: other names are
    /// kept beside identifiers made from them, which are what other programs see.
    ///
    /// Clauses with more than four literals are written with helper variables, which follow the variables of the network and have one
    /// value for each assignment of these.
    ///
    /// **Errors.** [`NetworkError::NotWritten`] for CNF; [`NetworkError::NotBayesian`] for a Markov network in another format than UAI; [`NetworkError::Inexpressible`] for
    /// a name that the format cannot hold.
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

    /// The network as BIF; reading it again gives the same names and the same numbers to the last bit.
    ///
    /// **Errors.** Those of [`to_text`](Self::to_text).
    pub fn to_bif(&self) -> Result<String, NetworkError> {
        self.to_text(NetworkFormat::Bif)
    }

    /// The network in the UAI format, which has no names; reading it again gives the same numbers to the last bit.
    pub fn to_uai(&self) -> String {
        uai::write(self)
    }
}
