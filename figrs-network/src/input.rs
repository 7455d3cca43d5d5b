//! Networks and influence diagrams read from texts and files.

use std::path::Path;

use super::draft::NetworkDraft;
use super::reader::Finish;
use super::{InfluenceDiagram, Network, NetworkError, NetworkFormat, NetworkReader};

impl Network {
    /// Reads a file in the format of its extension, `.bif`, `.bifxml` or `.xml`, `.cnf`, `.net`, `.uai` or `.xdsl`; a document in XML in the format of its
    /// first element, whatever the extension.
    ///
    /// **Errors.** The file cannot be read, is longer than [`MOST_NETWORK_BYTES`](figrs_reading::MOST_NETWORK_BYTES), or is not a network; [`NetworkError::Text`] with the
    /// line and the column. A network with decisions or utilities is [`TextProblem::InfluenceDiagram`](crate::TextProblem::InfluenceDiagram).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        NetworkReader::new().read(path)
    }

    /// The network of a text in the format that its contents show; `place` names the text in messages, such as `standard input`.
    ///
    /// **Errors.** [`NetworkError::Text`] with the line and the column.
    pub fn from_text(text: &str, place: &str) -> Result<Self, NetworkError> {
        NetworkReader::new().from_text(text, place)
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
    /// **Errors.** As there. A decision that influences what it observes is [`TextProblem::InfluencesObserved`](crate::TextProblem::InfluencesObserved).
    pub fn read(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        NetworkReader::new().read_diagram(path)
    }

    /// The influence diagram of a text in the format that its contents show; `place` names the text in messages, such as `standard input`.
    ///
    /// **Errors.** As [`read`](Self::read).
    pub fn from_text(text: &str, place: &str) -> Result<Self, NetworkError> {
        NetworkReader::new().diagram_from_text(text, place)
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

fn parse<T>(text: &str, format: NetworkFormat, finish: Finish<T>) -> Result<T, NetworkError> {
    NetworkReader::new().parse(text, &format.to_string(), format, finish)
}
