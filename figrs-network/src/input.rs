//! Networks and influence diagrams read from texts and files.

use std::path::Path;

use super::draft::NetworkDraft;
use super::lexer::{LexerError, LexerResult};
use super::{InfluenceDiagram, Network, NetworkError, NetworkFormat, TextProblem};
use figrs_reading::{MOST_NETWORK_BYTES, read_limited};

impl Network {
    /// Reads a file in the format of its extension, `.bif`, `.bifxml` or `.xml`, `.cnf`, `.net`, `.uai` or `.xdsl`; a document in XML in the format of its
    /// first element, whatever the extension.
    ///
    /// **Errors.** The file cannot be read, is longer than [`MOST_NETWORK_BYTES`], or is not a network; [`NetworkError::Text`] with the
    /// line and the column. A network with decisions or utilities is [`TextProblem::InfluenceDiagram`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        read(path.as_ref(), NetworkDraft::network)
    }

    /// The network of a text in the format that its contents tell, from a place for messages such as `standard input`.
    ///
    /// **Errors.** [`NetworkError::Text`] with the line and the column.
    pub fn from_text(text: &str, place: &str) -> Result<Self, NetworkError> {
        told(text, place, NetworkDraft::network)
    }

    /// The network of a text in the Interchange Format for Bayesian Networks.
    ///
    /// **Errors.** [`NetworkError::Text`] with the line and the column.
    pub fn from_bif(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Bif, NetworkDraft::network)
    }

    /// The network of a document in the XML format for Bayesian networks, version 0.3.
    ///
    /// **Errors.** As [`from_bif`](Self::from_bif).
    pub fn from_bifxml(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Bifxml, NetworkDraft::network)
    }

    /// The Markov network of a formula in DIMACS CNF: its variables are named by their numbers and have the states `false` and `true`, its
    /// [`clauses`](Self::clauses) and weights of literals are the factors.
    ///
    /// **Errors.** As [`from_bif`](Self::from_bif).
    pub fn from_cnf(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Cnf, NetworkDraft::network)
    }

    /// The network of a text in the NET language of HUGIN.
    ///
    /// **Errors.** As [`from_bif`](Self::from_bif).
    pub fn from_net(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Net, NetworkDraft::network)
    }

    /// The network of a text in the format of the UAI inference competitions.
    ///
    /// **Errors.** As [`from_bif`](Self::from_bif).
    pub fn from_uai(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Uai, NetworkDraft::network)
    }

    /// The network of a document in the format of `GeNIe` and SMILE.
    ///
    /// **Errors.** As [`from_bif`](Self::from_bif).
    pub fn from_xdsl(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Xdsl, NetworkDraft::network)
    }
}

impl InfluenceDiagram {
    /// Reads a file as [`Network::read`] does. A Bayesian network is an influence diagram without decisions and utilities.
    ///
    /// **Errors.** As there. A decision that influences what it observes is [`TextProblem::InfluencesObserved`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        read(path.as_ref(), NetworkDraft::diagram)
    }

    /// The influence diagram of a text in the format that its contents tell, from a place for messages such as `standard input`.
    ///
    /// **Errors.** As [`read`](Self::read).
    pub fn from_text(text: &str, place: &str) -> Result<Self, NetworkError> {
        told(text, place, NetworkDraft::diagram)
    }

    /// The influence diagram of a document in the XML format for Bayesian networks, version 0.3.
    ///
    /// **Errors.** As [`read`](Self::read).
    pub fn from_bifxml(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Bifxml, NetworkDraft::diagram)
    }

    /// The influence diagram of a text in the NET language of HUGIN.
    ///
    /// **Errors.** As [`read`](Self::read).
    pub fn from_net(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Net, NetworkDraft::diagram)
    }

    /// The influence diagram of a document in the format of `GeNIe` and SMILE. Its weighted sums (`mau`) become weights of their terms.
    ///
    /// **Errors.** As [`read`](Self::read).
    pub fn from_xdsl(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Xdsl, NetworkDraft::diagram)
    }
}

/// Builds what is read.
type Finish<T> = fn(NetworkDraft, &str) -> LexerResult<T>;

fn parse<T>(text: &str, format: NetworkFormat, finish: Finish<T>) -> Result<T, NetworkError> {
    parse_at(text, &format.to_string(), format, finish)
}

fn parse_at<T>(
    text: &str,
    place: &str,
    format: NetworkFormat,
    finish: Finish<T>,
) -> Result<T, NetworkError> {
    let draft = format.draft(text);
    draft
        .and_then(|draft| finish(draft, text))
        .map_err(|mistake| mistake.within(text, place))
}

fn told<T>(text: &str, place: &str, finish: Finish<T>) -> Result<T, NetworkError> {
    let format = NetworkFormat::of_text(text);
    let format = format.map_err(|mistake| mistake.within(text, place))?;
    parse_at(text, place, format, finish)
}

fn read<T>(path: &Path, finish: Finish<T>) -> Result<T, NetworkError> {
    let text = read_text(path)?;
    let place = path.display().to_string();
    let document = NetworkFormat::of_document(&text);
    let document = document.map_err(|mistake| mistake.within(&text, &place))?;
    let format = document.map_or_else(|| NetworkFormat::of(path), Ok)?;
    parse_at(&text, &place, format, finish)
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
