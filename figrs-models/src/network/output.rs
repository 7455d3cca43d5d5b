//! Networks written as texts and to files.

use std::fs;
use std::path::Path;

use super::{Network, NetworkError, NetworkFormat, NetworkKind, bif, uai};

impl Network {
    /// Writes a file in the format of its extension, `.bif` or `.uai`.
    ///
    /// An error if it cannot be written, or if a Markov network should become BIF.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), NetworkError> {
        let path = path.as_ref();
        let text = match NetworkFormat::of(path)? {
            NetworkFormat::Bif => self.to_bif()?,
            _ => self.to_uai(),
        };
        fs::write(path, text).map_err(|cause| NetworkError::Write {
            path: path.to_owned(),
            cause,
        })
    }

    /// The network as BIF; reading it again gives the same names and the same numbers to the last bit.
    ///
    /// An error for a Markov network.
    pub fn to_bif(&self) -> Result<String, NetworkError> {
        match self.kind {
            NetworkKind::Bayesian => Ok(bif::write(self)),
            NetworkKind::Markov => Err(NetworkError::NotBayesian),
        }
    }

    /// The network in the UAI format, which has no names; reading it again gives the same numbers to the last bit.
    pub fn to_uai(&self) -> String {
        uai::write(self)
    }
}
