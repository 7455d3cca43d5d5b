//! Formats of network files: a network read from a text, and written as one.

use std::fs;
use std::path::Path;

use figrs_core::Model;

use super::draft::NetworkDraft;
use super::lexer::{LexerError, LexerResult};
use super::{Network, NetworkError, NetworkKind, NormalisedRow, TextProblem, bif, elements, uai};
use crate::line_index::LineIndex;
use crate::reading::{MOST_NETWORK_BYTES, read_limited};

impl Network {
    /// Reads a file in the format of its extension, `.bif` or `.uai`.
    ///
    /// An error if it cannot be read, is longer than [`MOST_NETWORK_BYTES`], or is not a network.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        let path = path.as_ref();
        let format = NetworkFormat::of(path)?;
        let text = read_text(path)?;
        format.parse(&text, &path.display().to_string())
    }

    /// Writes a file in the format of its extension, `.bif` or `.uai`.
    ///
    /// An error if it cannot be written, or if a Markov network should become BIF.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), NetworkError> {
        let path = path.as_ref();
        let text = match NetworkFormat::of(path)? {
            NetworkFormat::Bif => self.to_bif()?,
            NetworkFormat::Uai => self.to_uai(),
        };
        fs::write(path, text).map_err(|cause| NetworkError::Write {
            path: path.to_owned(),
            cause,
        })
    }

    /// The network of a text in the Interchange Format for Bayesian Networks.
    ///
    /// **Errors.** [`NetworkError::Text`] with the line and the column.
    pub fn from_bif(text: &str) -> Result<Self, NetworkError> {
        NetworkFormat::Bif.parse(text, "BIF")
    }

    /// The network of a text in the format of the UAI inference competitions.
    ///
    /// **Errors.** As [`from_bif`](Self::from_bif).
    pub fn from_uai(text: &str) -> Result<Self, NetworkError> {
        NetworkFormat::Uai.parse(text, "UAI")
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

impl NetworkDraft {
    /// Builds the elements.
    fn finish(self, text: &str) -> LexerResult<Network> {
        let built = match self.kind {
            NetworkKind::Bayesian => {
                let order = elements::parents_first(self.variables.len(), &self.tables);
                order.map(|order| {
                    let elements = elements::of_tables(&self.variables, &self.tables, &order);
                    (order, elements, Model::new())
                })
            }
            NetworkKind::Markov => {
                let (elements, model) = elements::markov(&self.variables, &self.tables);
                Ok((Vec::new(), elements, model))
            }
        };
        let (order, elements, model) = built.map_err(|variable| {
            let tables = self.tables.iter().zip(&self.places);
            let mut own = tables.filter(|(table, _)| table.variables.last() == Some(&variable));
            let problem = TextProblem::Cycle {
                variable: self.variables[variable].name.clone(),
            };
            LexerError::new(own.next().map_or(0, |(_, &place)| place), problem)
        })?;
        let mut places = LineIndex::new(text);
        let placed = |(at, row): (usize, NormalisedRow)| {
            let (line, column) = places.at(at);
            NormalisedRow {
                line,
                column,
                ..row
            }
        };
        Ok(Network {
            normalised: self.normalised.into_iter().map(placed).collect(),
            name: self.name,
            kind: self.kind,
            variables: self.variables,
            tables: self.tables,
            index: self.index,
            order,
            elements,
            model,
        })
    }
}

#[derive(Clone, Copy)]
enum NetworkFormat {
    Bif,
    Uai,
}

impl NetworkFormat {
    fn of(path: &Path) -> Result<Self, NetworkError> {
        let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        match extension.as_ref().and_then(|e| e.to_str()) {
            Some("bif") => Ok(Self::Bif),
            Some("uai") => Ok(Self::Uai),
            _ => Err(NetworkError::Extension {
                path: path.to_owned(),
                expected: "`.bif` or `.uai`",
            }),
        }
    }

    fn parse(self, text: &str, place: &str) -> Result<Network, NetworkError> {
        let draft = match self {
            Self::Bif => bif::read(text),
            Self::Uai => uai::read(text),
        };
        draft
            .and_then(|draft| draft.finish(text))
            .map_err(|mismatch| mismatch.within(text, place))
    }
}

/// The text of a file; an error if it cannot be read or is not UTF-8.
pub(super) fn read_text(path: &Path) -> Result<String, NetworkError> {
    let bytes = read_limited(path, MOST_NETWORK_BYTES).map_err(|cause| NetworkError::Read {
        path: path.to_owned(),
        cause,
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let good = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        LexerError::new(valid, TextProblem::NotUtf8).within(&good, &path.display().to_string())
    })
}
