//! Reads networks and influence diagrams from texts and files.

use std::path::Path;

use super::draft::NetworkDraft;
use super::reader::Finish;
use super::{InfluenceDiagram, MixedNetwork, Network, NetworkError, NetworkFormat, NetworkReader};

impl Network {
    /// Reads a network from a file in the format that its extension determines: `.bif`, `.bifxml` or `.xml`, `.cnf`, `.net`, `.uai` or `.xdsl`. An
    /// XML document is read in the format that its first element determines, whatever the extension of the file is.
    ///
    /// **Errors.** [`NetworkError::File`] if the file cannot be read, is longer than [`MOST_NETWORK_BYTES`](figrs_reading::MOST_NETWORK_BYTES), or is
    /// not a network; if its text has a mistake, the error states line and column. If the file has decisions or utilities, the
    /// [`Mistake`](crate::Mistake) in the error names the setting `read_diagram`, which can read the file; if the file has continuous nodes, the
    /// setting `read_mixed`.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        NetworkReader::new().read(path)
    }

    /// Reads a network from a text, whose format is determined by its contents; errors name `place` as the origin of the text, such as
    /// `standard input`.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_text(text: &str, place: &str) -> Result<Self, NetworkError> {
        NetworkReader::new().from_text(text, place)
    }

    /// Reads a network from a text in BIF, the Interchange Format for Bayesian Networks.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_bif(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Bif, NetworkDraft::network)
    }

    /// Reads a network from a document in BIFXML, the XML format for Bayesian networks, version 0.3.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_bifxml(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Bifxml, NetworkDraft::network)
    }

    /// Reads a formula in DIMACS CNF as a Markov network. The names of the variables of the formula are their numbers, and the states of a variable
    /// are `false` and `true`. The factors of the Markov network are the [`clauses`](Self::clauses) of the formula and the weights of literals.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_cnf(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Cnf, NetworkDraft::network)
    }

    /// Reads a network from a text in the NET language of HUGIN.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_net(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Net, NetworkDraft::network)
    }

    /// Reads a network from a text in the format of the UAI inference competitions.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_uai(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Uai, NetworkDraft::network)
    }

    /// Reads a network from a document in the XDSL format of `GeNIe` and SMILE.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_xdsl(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Xdsl, NetworkDraft::network)
    }
}

impl MixedNetwork {
    /// Reads a mixed network (discrete and real variables) from a file, in the same way as [`Network::read`]. A network without continuous nodes is
    /// read as a mixed network without real variables.
    ///
    /// **Errors.** The errors of [`Network::read`], except that continuous nodes are no error.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        NetworkReader::new().read_mixed(path)
    }

    /// Reads a network from a text, whose format is determined by its contents; errors name `place` as the origin of the text, such as
    /// `standard input`.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_text(text: &str, place: &str) -> Result<Self, NetworkError> {
        NetworkReader::new().mixed_from_text(text, place)
    }

    /// Reads a network from a text in the NET language of HUGIN.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_net(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Net, NetworkDraft::mixed)
    }
}

impl InfluenceDiagram {
    /// Reads an influence diagram from a file, in the same way as [`Network::read`]. A Bayesian network is read as an influence diagram without
    /// decisions and utilities.
    ///
    /// **Errors.** The errors of [`Network::read`], except that decisions and utilities are no error. A
    /// [`MistakeKind::Contradiction`](crate::MistakeKind::Contradiction) if a decision influences a variable that is known when this decision is
    /// made.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        NetworkReader::new().read_diagram(path)
    }

    /// Reads an influence diagram from a text, whose format is determined by its contents; errors name `place` as the origin of the text, such as
    /// `standard input`.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_text(text: &str, place: &str) -> Result<Self, NetworkError> {
        NetworkReader::new().diagram_from_text(text, place)
    }

    /// Reads an influence diagram from a document in BIFXML, the XML format for Bayesian networks, version 0.3.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_bifxml(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Bifxml, NetworkDraft::diagram)
    }

    /// Reads an influence diagram from a text in the NET language of HUGIN.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_net(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Net, NetworkDraft::diagram)
    }

    /// Reads an influence diagram from a document in the XDSL format of `GeNIe` and SMILE. The values of each utility are multiplied by its weight in
    /// the weighted sum of utilities (`mau`) of the document.
    ///
    /// **Errors.** [`NetworkError::File`], with line and column, if the text has a mistake.
    pub fn from_xdsl(text: &str) -> Result<Self, NetworkError> {
        parse(text, NetworkFormat::Xdsl, NetworkDraft::diagram)
    }
}

fn parse<T>(text: &str, format: NetworkFormat, finish: Finish<T>) -> Result<T, NetworkError> {
    NetworkReader::new().parse(text, &format.to_string(), format, finish)
}
