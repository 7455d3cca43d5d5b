//! Reader of networks and influence diagrams, with options.

use std::path::Path;

use super::draft::NetworkDraft;
use super::encoding::decoded;
use super::lexer::LexerResult;
use super::{InfluenceDiagram, MixedNetwork, Network, NetworkError, NetworkFormat};
use figrs_reading::{FileError, MOST_NETWORK_BYTES, read_limited};

/// Reads networks and influence diagrams with options; [`Network::read`] and similar functions use the default options.
///
/// An XML document is read in the character encoding that it declares. A file that begins with a UTF-16 byte order mark is read in UTF-16, and every
/// other file without a declared encoding in UTF-8.
///
/// ```
/// use figrs_network::NetworkReader;
///
/// let weighed = "net { } node road { states = (dry wet); } potential (road) { data = (3 1); }";
/// assert!(NetworkReader::new().from_text(weighed, "road").is_err());
/// let network = NetworkReader::new().normalise().from_text(weighed, "road")?;
/// assert_eq!(network.tables()[0].numbers(), [0.75, 0.25]);
/// assert_eq!(network.normalised()[0].sum, 4.0);
/// # Ok::<(), figrs_network::NetworkError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct NetworkReader {
    pub(super) normalises: bool,
    pub(super) slices: Option<u32>,
}

impl NetworkReader {
    /// Creates a reader of networks with the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Divides each row of a conditional table by its sum, however far the sum deviates from one, and lists the row in
    /// [`normalised`](Network::normalised). A row of a conditional table that consists of zeros is still an error.
    pub fn normalise(mut self) -> Self {
        self.normalises = true;
        self
    }

    /// Unrolls a dynamic Bayesian network of `GeNIe` to `slices` time slices. A node that is repeated in time becomes a variable in each time slice,
    /// with the name of the node followed by `_0`, `_1` and so on. Networks that are not dynamic are read unchanged.
    pub fn slices(mut self, slices: u32) -> Self {
        self.slices = Some(slices.max(1));
        self
    }

    /// Reads a network from a file, as [`Network::read`] does.
    ///
    /// **Errors.** The errors of [`Network::read`].
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Network, NetworkError> {
        self.file(path.as_ref(), NetworkDraft::network)
    }

    /// Reads an influence diagram from a file, as [`InfluenceDiagram::read`] does.
    ///
    /// **Errors.** The errors of [`InfluenceDiagram::read`].
    pub fn read_diagram(&self, path: impl AsRef<Path>) -> Result<InfluenceDiagram, NetworkError> {
        self.file(path.as_ref(), NetworkDraft::diagram)
    }

    /// Reads a network from a text, as [`Network::from_text`] does. A character encoding that the text declares is ignored, because the text is
    /// already decoded.
    ///
    /// **Errors.** The errors of [`Network::from_text`].
    pub fn from_text(&self, text: &str, place: &str) -> Result<Network, NetworkError> {
        self.text(text, place, NetworkDraft::network)
    }

    /// Reads an influence diagram from a text, as [`InfluenceDiagram::from_text`] does.
    ///
    /// **Errors.** The errors of [`InfluenceDiagram::from_text`].
    pub fn diagram_from_text(
        &self,
        text: &str,
        place: &str,
    ) -> Result<InfluenceDiagram, NetworkError> {
        self.text(text, place, NetworkDraft::diagram)
    }

    /// Reads a network from bytes. The bytes are decoded in the character encoding that they declare, and the decoded text determines the network
    /// format.
    ///
    /// **Errors.** The errors of [`from_text`](Self::from_text); an error if the encoding of the bytes is unknown.
    pub fn from_bytes(&self, bytes: Vec<u8>, place: &str) -> Result<Network, NetworkError> {
        self.text(&text_of(bytes, place)?, place, NetworkDraft::network)
    }

    /// Reads an influence diagram from bytes, as [`from_bytes`](Self::from_bytes) reads a network.
    ///
    /// **Errors.** The errors of [`from_bytes`](Self::from_bytes).
    pub fn diagram_from_bytes(
        &self,
        bytes: Vec<u8>,
        place: &str,
    ) -> Result<InfluenceDiagram, NetworkError> {
        self.text(&text_of(bytes, place)?, place, NetworkDraft::diagram)
    }

    /// Reads a network of finite and real variables from a file, as [`MixedNetwork::read`] does.
    ///
    /// **Errors.** The errors of [`MixedNetwork::read`].
    pub fn read_mixed(&self, path: impl AsRef<Path>) -> Result<MixedNetwork, NetworkError> {
        self.file(path.as_ref(), NetworkDraft::mixed)
    }

    /// Reads a network of finite and real variables from a text, as [`MixedNetwork::from_text`] does.
    ///
    /// **Errors.** The errors of [`MixedNetwork::from_text`].
    pub fn mixed_from_text(&self, text: &str, place: &str) -> Result<MixedNetwork, NetworkError> {
        self.text(text, place, NetworkDraft::mixed)
    }

    /// Reads a network of finite and real variables from bytes, as [`from_bytes`](Self::from_bytes) reads a network.
    ///
    /// **Errors.** The errors of [`from_bytes`](Self::from_bytes).
    pub fn mixed_from_bytes(
        &self,
        bytes: Vec<u8>,
        place: &str,
    ) -> Result<MixedNetwork, NetworkError> {
        self.text(&text_of(bytes, place)?, place, NetworkDraft::mixed)
    }

    pub(super) fn parse<T>(
        &self,
        text: &str,
        place: &str,
        format: NetworkFormat,
        finish: Finish<T>,
    ) -> Result<T, NetworkError> {
        let draft = format.draft(text, self);
        draft
            .and_then(|draft| finish(draft, text))
            .map_err(|mistake| mistake.within(text, place))
    }

    fn text<T>(&self, text: &str, place: &str, finish: Finish<T>) -> Result<T, NetworkError> {
        let format = NetworkFormat::of_text(text);
        let format = format.map_err(|mistake| mistake.within(text, place))?;
        self.parse(text, place, format, finish)
    }

    fn file<T>(&self, path: &Path, finish: Finish<T>) -> Result<T, NetworkError> {
        let text = read_text(path)?;
        let place = path.display().to_string();
        let document = NetworkFormat::of_document(&text);
        let document = document.map_err(|mistake| mistake.within(&text, &place))?;
        let format = document.map_or_else(|| NetworkFormat::of(path), Ok)?;
        self.parse(&text, &place, format, finish)
    }
}

/// Function that builds a network or an influence diagram from the parsed `NetworkDraft` and the text of the file.
pub(super) type Finish<T> = fn(NetworkDraft, &str) -> LexerResult<T>;

/// Reads and decodes the file `path`; returns an error if the file cannot be read or its encoding is unknown.
pub(super) fn read_text(path: &Path) -> Result<String, NetworkError> {
    let bytes = read_limited(path, MOST_NETWORK_BYTES)
        .map_err(|cause| FileError::unreadable(path, &cause))?;
    text_of(bytes, &path.display().to_string())
}

fn text_of(bytes: Vec<u8>, place: &str) -> Result<String, NetworkError> {
    decoded(bytes).map_err(|(before, mistake)| mistake.within(&before, place))
}
